"""USAGE of a type: asked of whoever makes something of it that stays, as its owner could not drop or change it any more.

    CREATE TABLE t (c secret)          each column's type          permission denied for type secret
    ALTER TABLE t ADD c secret         what is added
    CREATE TABLE AS, VIEW              each column's type, which the query says; so of LIKE and INHERITS
    CREATE DOMAIN, TYPE AS (...)       what it is made of
    CREATE FUNCTION, AGGREGATE, OPERATOR, CAST    what they take and return

Of an array type it is that of its elements. Casts in queries ask for nothing. A schema that is named asks for USAGE, as it does
in a query.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Final

from planner import statements as st
from planner.abc import Oid, SqlError
from planner.catalog import BaseType, CompositeType, Domain, EnumType, MultirangeType, RangeType, rights
from planner.ddl.scope import Scope
from planner.ddl.types.typenames import resolve_type

_KEEPING: Final = (
    st.CreateTable, st.AlterTable, st.CreateDomain, st.CreateComposite, st.AlterNamed, st.CreateFunction,
    st.CreateAggregate, st.CreateOperator, st.CreateCast,
)  # fmt: skip
_OF_USERS: Final = (EnumType, Domain, CompositeType, RangeType, MultirangeType, BaseType)


def require_all(scope: Scope, said: Any) -> None:
    """Every type that the statement names. Raises 42501; what is no type at all is left to the binder."""
    if not isinstance(said, _KEEPING):
        return
    for name in _named(said):
        try:
            oid = resolve_type(name, scope.catalog, scope.search_path).oid
        except SqlError:
            return
        home = scope.catalog.find_schema(name.names[-2]) if len(name.names) > 1 else None
        if home is not None and home.name not in scope.search_path:  # which has none that may not be used
            rights.require(scope.catalog, scope.user, home, "usage", name.position)
        require(scope, oid)


def require(scope: Scope, oid: Oid) -> None:
    """Raises 42501."""
    catalog = scope.catalog
    thing = catalog.get(oid)
    if thing is None:
        thing = next((made for made in catalog.user_types.values() if made.array_oid == oid), None)
    if isinstance(thing, _OF_USERS):
        rights.require(catalog, scope.user, thing, "usage")


def _named(said: Any) -> Iterator[st.TypeName]:
    if isinstance(said, st.TypeName):
        yield said
    elif isinstance(said, tuple | list):
        for part in said:
            yield from _named(part)
    elif isinstance(said, dict):
        for part in said.values():
            yield from _named(part)
    elif dataclasses.is_dataclass(said) and not isinstance(said, st.Sql | st.Name | type):
        for field in dataclasses.fields(said):
            yield from _named(getattr(said, field.name))


__all__ = ["require", "require_all"]
