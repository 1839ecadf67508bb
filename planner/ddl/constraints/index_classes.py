"""Which class of operators an index's key is of: the one that it names, or the one that users have made its type's default.

CREATE INDEX ON t (c int4_ops)       PostgreSQL's, by its name; of an extension, where that is there
CREATE INDEX ON t (c by_size)        a user's, by its OID (`#16400`): listed, and searched by nobody
CREATE INDEX ON t (c)                nothing, or the user's class that is the default one of a type without any of PostgreSQL's
"""

from __future__ import annotations

from typing import Final

from planner import types
from planner.abc import Oid, PlanError, TypeRef
from planner.catalog import CompositeType, OperatorClass
from planner.catalog import classes_of_operators as known
from planner.catalog.classes_of_operators import CLASS, Named
from planner.catalog.names import missing_schema
from planner.catalog.row_types import relation_of
from planner.catalog.system.operator_choice import opclass_for
from planner.catalog.system.static import static_columns
from planner.ddl.constraints.collated_keys import no_default_class
from planner.ddl.extensions import of_an_extension
from planner.ddl.scope import Scope
from planner.ddl.types.casts import coercible
from planner.extensions import default_of
from planner.types import oids
from planner.types.enums import labels_of
from planner.types.facts import FIRST_USER_OID
from planner.types.of_extensions import EXTENSION_OF
from planner.types.user_ranges import spanned

_DIMENSIONS_MAX: Final = 2000
_OF_PARTS: Final = ("gin", "gist", "spgist")


def key_class(scope: Scope, method: str, said: str, of: TypeRef | None) -> str:
    """What an index's key keeps of its class. `of`: its type, where that is known. Raises 42704, 42804, 3F000."""
    catalog = scope.catalog
    if not said:
        return _default(scope, method, of)
    if isinstance(catalog.get(known.oid_of(said) if said[1:].isdigit() else 0), OperatorClass):
        return said  # of another index, which is made once more
    schema, _, bare = said.rpartition(".")
    if schema and catalog.find_schema(schema) is None:
        raise missing_schema(schema)
    oid = known.found(catalog, CLASS, method, bare, schema, scope.search_path)
    if not oid:
        if of_an_extension(scope, method, said, of):
            return said
        shown = ".".join(x for x in (schema, bare) if x)
        raise PlanError("42704", f'operator class "{shown}" does not exist for access method "{method}"')
    found = known.named(catalog, oid)
    assert found is not None
    if of is not None and not _takes(scope, found, of.oid):
        shown = types.format_type(TypeRef(of.oid))
        raise PlanError("42804", f'operator class "{bare}" does not accept data type {shown}')
    if isinstance(catalog.get(oid), OperatorClass):
        return known.key_of(oid)
    return "" if of is not None and opclass_for(method, "", of.oid) == oid else bare


def refuse_without(scope: Scope, method: str, of: TypeRef) -> None:
    """Raises 42704 for a type of the system's, or of an extension, that the index's method knows no operators for."""
    of_extension = of.oid in EXTENSION_OF
    extension = default_of(method, types.BY_OID[of.oid].typname)[0] if of.oid in types.BY_OID else ""
    if of.oid >= FIRST_USER_OID or (
        extension and (of_extension or scope.catalog.extension(extension) is not None)
    ):
        return
    if of_extension and of.oid != oids.CITEXT and not types.element_of(of.oid):
        raise no_default_class(of, method)
    if method not in _OF_PARTS or opclass_for(method, "", oids.TEXT if of.oid == oids.CITEXT else of.oid):
        return
    if scope.catalog.extension(f"btree_{method}") is None:
        raise no_default_class(of, method)


def refuse_dimensions(method: str, of: TypeRef) -> None:
    """Raises 22023 and 54000 for vectors that pgvector makes no index of."""
    if of.typmod < 0:
        raise PlanError("22023", "column does not have dimensions")
    if of.typmod > _DIMENSIONS_MAX:
        raise PlanError(
            "54000", f"column cannot have more than {_DIMENSIONS_MAX} dimensions for {method} index"
        )


def _default(scope: Scope, method: str, of: TypeRef | None) -> str:
    if of is None or opclass_for(method, "", of.oid):
        return ""
    made = known.default_class(scope.catalog, method, of.oid)
    return known.key_of(made) if made else ""


def _takes(scope: Scope, of_class: Named, of: Oid) -> bool:
    """Whether values of a type are a class's: of its own type, of one with the same bytes, or of any of a kind."""
    wanted = of_class.type_oid
    if wanted == oids.ANYARRAY:
        return bool(types.element_of(of))
    if wanted == oids.ANYENUM:
        return labels_of(of) is not None
    if wanted in (oids.ANYRANGE, oids.ANYMULTIRANGE):
        spans = spanned(of)
        return spans is not None and (of == spans.range_oid) == (wanted == oids.ANYRANGE)
    if wanted == oids.RECORD:
        return of == oids.RECORD or isinstance(scope.catalog.get(of), CompositeType) or bool(relation_of(of))
    return coercible(of, wanted)


# --- where order decides ------------------------------------------------------------------------------------


def require_own_order(scope: Scope, key: str, what: str) -> None:
    """A user's class where equality or order are asked for has to be the type's own. Raises 0A000."""
    made = scope.catalog.get(known.oid_of(key))
    if not isinstance(made, OperatorClass):
        return
    if not _is_own_order(made):
        raise PlanError(
            "0A000",
            f"{what} by operator class {made.name}, which compares otherwise than the type itself, is not supported",
        )


def _is_own_order(made: OperatorClass) -> bool:
    own = known.own()[CLASS].get(opclass_for(made.method, "", made.type_oid))
    if own is None:
        return False
    wanted = ("amopfamily", "amopstrategy", "amoplefttype", "amoprighttype", "amopopr")
    theirs = {
        n: oid
        for family, n, a, b, oid in static_columns("pg_amop", wanted)
        if family == own.family and a == b == own.type_oid
    }
    mine = {one.number: one.does for one in made.members if not one.function}
    return mine == theirs


__all__ = ["key_class", "refuse_without", "require_own_order"]
