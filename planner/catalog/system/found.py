"""Rows of system relations by a value: those of one object are made of that object, without all others.

    pg_attribute, attrelid = 16384     the columns of table 16384
    pg_class, relname = 'orders'       whatever is called so in a schema of this database

A relation's rows are PostgreSQL's own, the same in every database, and what is made of the catalog's objects one after the other. So
rows of some objects are what the same function makes of a catalog that shows it just these (`Catalog.showing`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from planner import types as t
from planner.abc import Oid
from planner.catalog import system
from planner.catalog.catalog import Catalog
from planner.catalog.objects import FIRST_USER_OID
from planner.catalog.row_types import relation_of
from planner.catalog.system.context import SystemContext
from planner.catalog.system.relations import names, relations
from planner.types.oids import INT2VECTOR, OIDVECTOR
from storage.abc import Row

HIDDEN: Final = ("tableoid", "xmin", "cmin", "xmax", "cmax", "ctid")
"""Columns that `*` does not show. The last one says where a row stands among all, which those that are found by value do not know."""
KNOWN: Final = len(HIDDEN) - 1
_VERSION: Final = (2, 0, 0, 0, None)
_VECTORS: Final = (INT2VECTOR, OIDVECTOR)
"""Lists in a relation's rows; as datums they are hashed and compared, as constants of these types are."""


def datums(name: tuple[str, str], rows: Iterable[Row]) -> list[Row]:
    """Rows as the relation's functions make them, as rows of datums with the hidden columns behind."""
    relation = relations()[name]
    arrays = [i for i, c in enumerate(relation.columns) if t.element_of(c.type.oid) or c.type.oid in _VECTORS]
    behind = (relation.oid, *_VERSION)
    if not arrays:
        return [(*row, *behind) for row in rows]
    types = [relation.columns[i].type.oid for i in arrays]
    none = [None] * len(arrays)
    made = []
    for row in rows:
        if [row[i] for i in arrays] == none:
            made.append((*row, *behind))
            continue
        cells = [*row, *behind]
        for i, oid in zip(arrays, types, strict=True):
            if cells[i] is not None:
                cells[i] = tuple(cells[i]) if oid in _VECTORS else t.array_datum(cells[i], oid)
        made.append(tuple(cells))
    return made


def rows_with(name: tuple[str, str], column: int, value: Any, context: SystemContext) -> Sequence[Row] | None:
    """The rows that have this value in the column; None where all rows are to be looked through."""
    made_of = _MADE_OF.get((*name, relations()[name].columns[column].name))
    objects = made_of(context.catalog, value) if made_of is not None else None
    if objects is None or context.catalog.shown is not None:
        return None
    own: Sequence[Row] = ()
    if name in _WITH_BUILT_IN:
        own = _built_in(name, column).get(value, ())
        if any(context.catalog.grants_on(row[0]) for row in own):
            return None  # privileges are shown beside them
    elif (name[0] == _INFORMATION or name in _OF_NAMES) and value in names():
        return None
    shown = replace(context, catalog=context.catalog.showing(objects))
    return [*own, *(row for row in datums(name, system.rows(*name, shown)) if row[column] == value)]


_Objects = Callable[[Catalog, Any], Iterable[Oid] | None]
"""The objects that rows with this value are made of, perhaps among others; None: not known."""


def _itself(_catalog: Catalog, oid: Oid) -> Iterable[Oid]:
    return (oid,)


def _of_some(_catalog: Catalog, oid: Oid) -> Iterable[Oid] | None:
    """Where 0 stands in the rows of those that the column does not apply to."""
    return (oid,) if oid else None


def _called(catalog: Catalog, name: str) -> Iterable[Oid]:
    return [x.oid for x in catalog.called(name)]


def _indexes(catalog: Catalog, table: Oid) -> Iterable[Oid]:
    return [i.oid for i in catalog.indexes_of(table)]


def _holder(catalog: Catalog, constraint: Oid) -> Iterable[Oid]:
    holder = catalog.holder_of(constraint)
    return () if holder is None else (holder.oid,)


def _referring(catalog: Catalog, table: Oid) -> Iterable[Oid] | None:
    return [x.oid for x in catalog.referring_to(table)] if table else None


def _type(catalog: Catalog, oid: Oid) -> Iterable[Oid] | None:
    """A type of PostgreSQL's own, of some relation's rows, or a user's; of arrays of users' types all are asked."""
    if oid < FIRST_USER_OID:
        return ()
    if relation := relation_of(oid):
        return (relation,)
    return None if catalog.get(oid) is None else (oid,)


def _types_called(catalog: Catalog, name: str) -> Iterable[Oid] | None:
    if len(name.encode()) >= _LONG:
        return None  # the name of an array, cut off
    found: list[Oid] = []
    for called in (name, name[1:]) if name.startswith("_") else (name,):
        found += [*_called(catalog, called), *catalog.types_called(called)]
    return found


def _tables_with(catalog: Catalog, name: str) -> Iterable[Oid]:
    """The relations of the name, and the sequences of their columns."""
    found = catalog.called(name)
    return [oid for x in found for oid in (x.oid, *(s.oid for s in catalog.sequences_of(x.oid)))]


def _indexes_of(catalog: Catalog, name: str) -> Iterable[Oid]:
    return [i.oid for x in catalog.called(name) for i in catalog.indexes_of(x.oid)]


def _with_constraint(catalog: Catalog, name: str) -> Iterable[Oid]:
    return catalog.with_constraint_called(name)


def _with_condition(catalog: Catalog, name: str) -> Iterable[Oid]:
    """The same where a column's NOT NULL is a constraint, of a name that says whose."""
    said = _NOT_NULL.fullmatch(name)
    return (*catalog.with_constraint_called(name), *([int(said[1])] if said is not None else []))


def _aimed_at(catalog: Catalog, name: str) -> Iterable[Oid]:
    """Those of the name, and those whose foreign keys refer to them."""
    found = [x.oid for x in catalog.called(name)]
    return [*found, *(x.oid for oid in found for x in catalog.referring_to(oid))]


def _functions(catalog: Catalog, name: str) -> Iterable[Oid]:
    return [f.oid for f in catalog.named_functions(name)]


def _commented(catalog: Catalog, oid: Oid) -> Iterable[Oid] | None:
    """An object with what is said of it; of PostgreSQL's own all are asked."""
    if oid < FIRST_USER_OID:
        return None
    return (oid, *(c.oid for c in catalog.comments_on(oid)))


_NOT_NULL: Final = re.compile(r"\d+_(\d{1,10})_\d+_not_null", re.ASCII)
_LONG: Final = 60
_PG, _INFORMATION = "pg_catalog", "information_schema"
_MADE_OF: Final[dict[tuple[str, str, str], _Objects]] = {
    (_PG, "pg_class", "oid"): _itself,
    (_PG, "pg_class", "relname"): _called,
    (_PG, "pg_attribute", "attrelid"): _itself,
    (_PG, "pg_attrdef", "adrelid"): _itself,
    (_PG, "pg_index", "indexrelid"): _itself,
    (_PG, "pg_index", "indrelid"): _indexes,
    (_PG, "pg_constraint", "oid"): _holder,
    (_PG, "pg_constraint", "conrelid"): _of_some,
    (_PG, "pg_constraint", "contypid"): _of_some,
    (_PG, "pg_constraint", "confrelid"): _referring,
    (_PG, "pg_sequence", "seqrelid"): _itself,
    (_PG, "pg_type", "oid"): _type,
    (_PG, "pg_type", "typrelid"): _of_some,
    (_PG, "pg_type", "typname"): _types_called,
    (_PG, "pg_constraint", "conname"): _with_constraint,
    (_PG, "pg_proc", "oid"): _itself,
    (_PG, "pg_proc", "proname"): _functions,
    (_PG, "pg_description", "objoid"): _commented,
    (_PG, "pg_tables", "tablename"): _called,
    (_PG, "pg_views", "viewname"): _called,
    (_PG, "pg_matviews", "matviewname"): _called,
    (_PG, "pg_indexes", "tablename"): _indexes_of,
    (_PG, "pg_indexes", "indexname"): _called,
    (_INFORMATION, "columns", "table_name"): _tables_with,
    (_INFORMATION, "tables", "table_name"): _called,
    (_INFORMATION, "views", "table_name"): _called,
    (_INFORMATION, "sequences", "sequence_name"): _called,
    (_INFORMATION, "table_constraints", "table_name"): _called,
    (_INFORMATION, "table_constraints", "constraint_name"): _with_condition,
    (_INFORMATION, "check_constraints", "constraint_name"): _with_condition,
    (_INFORMATION, "referential_constraints", "constraint_name"): _with_constraint,
    (_INFORMATION, "key_column_usage", "table_name"): _called,
    (_INFORMATION, "key_column_usage", "constraint_name"): _with_constraint,
    (_INFORMATION, "constraint_column_usage", "table_name"): _aimed_at,
    (_INFORMATION, "constraint_column_usage", "constraint_name"): _with_constraint,
    (_INFORMATION, "constraint_table_usage", "table_name"): _aimed_at,
    (_INFORMATION, "constraint_table_usage", "constraint_name"): _with_constraint,
    (_INFORMATION, "table_privileges", "table_name"): _called,
    (_INFORMATION, "role_table_grants", "table_name"): _called,
    (_INFORMATION, "column_privileges", "table_name"): _called,
    (_INFORMATION, "role_column_grants", "table_name"): _called,
}
OF_SHORT_ROWS: Final = frozenset(
    {
        (_PG, "pg_description"), (_PG, "pg_tables"), (_PG, "pg_views"), (_PG, "pg_matviews"), (_PG, "pg_indexes"),
        *((_INFORMATION, name) for name in (
            "tables", "views", "sequences", "table_constraints", "check_constraints", "referential_constraints", "key_column_usage",
            "constraint_column_usage", "constraint_table_usage", "table_privileges", "role_table_grants",
        )),
    }
)  # fmt: skip
"""Relations of which all rows are made in the time of some dozens of look-ups."""
_WITH_BUILT_IN: Final = frozenset(
    {(_PG, "pg_class"), (_PG, "pg_attribute"), (_PG, "pg_type"), (_PG, "pg_proc")}
)
"""Relations that have rows of PostgreSQL's own, which no catalog that shows some objects only has."""
_OF_NAMES: Final = frozenset({(_PG, "pg_tables"), (_PG, "pg_views")})
"""Those whose own rows are of system relations, by their names: what is said of these, all rows are asked for."""


@lru_cache(maxsize=64)
def _built_in(name: tuple[str, str], column: int) -> dict[Any, list[Row]]:
    found: dict[Any, list[Row]] = {}
    for row in _all_built_in(name):
        found.setdefault(row[column], []).append(row)
    return found


@lru_cache(maxsize=8)
def _all_built_in(name: tuple[str, str]) -> list[Row]:
    return datums(name, system.rows(*name, SystemContext(Catalog())))
