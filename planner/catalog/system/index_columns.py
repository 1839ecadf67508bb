"""What an index's columns are called and hold, which is not always what the table's columns do.

    CREATE INDEX ON t USING gin (tags)              tags   text       an entry for each element
    CREATE INDEX ON t USING hash (name)             name   integer    its hash
    CREATE INDEX ON t ((id + 1), (id * 2)) INCLUDE (name)
                                                    expr, expr1       integer; name as it is, in no collation

An expression has the type and the collation that it is bound with. What is kept of a value the class of operators says
(`opckeytype`), or the method.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from planner.abc import Column, Oid, Table, TypeRef
from planner.catalog.catalog import Catalog
from planner.catalog.class_objects import OperatorClass
from planner.catalog.collations import collation_oid, oid_of
from planner.catalog.objects import Index, IndexKey
from planner.catalog.system.extension_classes import class_of_key, classes_in
from planner.catalog.system.operator_choice import opclass_for
from planner.catalog.system.static import static_columns
from planner.catalog.system.written import type_of
from planner.records import replace
from planner.types import element_of
from planner.types.oids import ANYARRAY, ANYELEMENT, INT4


class IndexColumn(NamedTuple):
    """`column` as pg_attribute shows it, `of` what it is of, and, of a key, its collation and its class of operators."""

    column: Column
    of: Oid
    collation: Oid
    opclass: Oid


_HASH: Final = "hash"


def index_columns(catalog: Catalog, table: Table, index: Index) -> list[IndexColumn]:
    from planner.ddl import naming  # which stands on the catalog itself

    columns = [table.columns[table.index_of(k.attnum)] if k.attnum else None for k in index.keys]
    names = [
        naming.of_expression(k.expression) if c is None else c.name
        for k, c in zip(index.keys, columns, strict=True)
    ]
    included = [table.columns[table.index_of(attnum)] for attnum in index.include]
    called = naming.distinct([*names, *(c.name for c in included)])
    found = [
        _key(catalog, table, index, key, of, name, position)
        for position, (key, of, name) in enumerate(
            zip(index.keys, columns, called[: len(index.keys)], strict=True), 1
        )
    ]
    for position, (c, name) in enumerate(
        zip(included, called[len(index.keys) :], strict=True), len(index.keys) + 1
    ):
        shown = Column(name, c.type, position, storage=c.storage, compression=c.compression)
        found.append(IndexColumn(shown, c.type.oid, 0, 0))
    return found


def _key(
    catalog: Catalog, table: Table, index: Index, key: IndexKey, of: Column | None, name: str, position: int
) -> IndexColumn:
    if of is None:
        kind, carried = type_of(catalog, table, key.expression)
        of = Column(name, kind, 0, collation=carried)
    collation = oid_of(key.collation) if key.collation else collation_oid(of)
    operators = opclass_for(index.method, key.opclass, of.type.oid) or class_of_key(
        catalog, index.method, key.opclass, of.type.oid
    )
    kept = _kept(catalog, index.method, operators, of.type.oid)
    if kept == of.type.oid:
        shown = Column(name, of.type, position, storage=of.storage, compression=of.compression)
    else:
        shown = Column(name, TypeRef(kept), position)
    return IndexColumn(replace(shown, settings=key.options), of.type.oid, collation, operators)


def _kept(catalog: Catalog, method: str, operators: Oid, of: Oid) -> Oid:
    """The type of what an index keeps of a value."""
    own = _kept_by_class().get(operators)
    if own is not None:
        takes, keeps = own
    else:
        made = catalog.get(operators) if operators else None
        members = classes_in(catalog) if operators and made is None else []
        keeps = next((c.keeps for c, _ in members if c.oid == operators), 0)
        takes, keeps = (made.type_oid, made.storage) if isinstance(made, OperatorClass) else (0, keeps)
    if keeps == ANYELEMENT and takes == ANYARRAY:
        keeps = element_of(of) or 0
    return keeps or (INT4 if method == _HASH else of)


@lru_cache(maxsize=1)
def _kept_by_class() -> dict[Oid, tuple[Oid, Oid]]:
    """Of PostgreSQL's classes: the type that each is for, and the one that it keeps; 0: the same."""
    rows = static_columns("pg_opclass", ("oid", "opcintype", "opckeytype"))
    return {int(oid): (int(takes), int(keeps)) for oid, takes, keeps in rows}
