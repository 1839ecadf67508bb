"""Which system relations there are, and what their columns are.

The list is PostgreSQL 15's own, whole: clients join whatever they like, and a relation that has
nothing to say here is empty, not missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from planner.abc import Oid, ResultColumn, TypeRef
from planner.catalog.by_name import TEMPORARY_PREFIX

FACTS = Path(__file__).parent / "facts"

PG_CATALOG_OID = 11
INFORMATION_SCHEMA_OID = 13000
PUBLIC_OID = 2200

EXTENSION_OID = 3079
ATTRIBUTE_OID = 1249
LANGUAGE_OID, ACCESS_METHOD_OID, LARGE_OBJECT_OID = 2612, 2601, 2613
TABLESPACE_CLASS_OID, DEFAULT_ACL_OID, PARAMETER_ACL_OID, TS_PARSER_OID = 1213, 826, 6243, 3601
CLASS_OID, TYPE_OID, ATTRDEF_OID, CONSTRAINT_OID, NAMESPACE_OID = 1259, 1247, 2604, 2606, 2615
COLLATION_OID, STATISTIC_EXT_OID = 3456, 3381
TS_CONFIG_OID, TS_DICT_OID, TS_TEMPLATE_OID = 3602, 3600, 3764
TRIGGER_OID = 2620
POLICY_OID = 3256
OPERATOR_OID, CAST_OID, EVENT_TRIGGER_OID = 2617, 2605, 3466
CONVERSION_OID = 2607
OPCLASS_OID, OPFAMILY_OID, AMOP_OID, AMPROC_OID = 2616, 2753, 2602, 2603
SUBSCRIPTION_OID = 6100
PUBLICATION_OID, PUBLICATION_REL_OID, PUBLICATION_NAMESPACE_OID = 6104, 6106, 6237
REWRITE_OID, DATABASE_CLASS_OID, ROLE_CLASS_OID, PROC_OID = 2618, 1262, 1260, 1255
WRAPPER_OID, SERVER_OID, USER_MAPPING_OID = 2328, 1417, 1418
TRANSFORM_OID = 3576
"""Relations that others point into: (classid, objid) names an object of any kind."""

SYSTEM_COLUMNS: Final = {-6: "tableoid", -5: "cmax", -4: "xmax", -3: "cmin", -2: "xmin", -1: "ctid"}
"""What every table has besides its own columns, by attribute number."""

_AS_TEXT = {3361, 3402, 5017, 10028}
"""Types of columns that are always NULL here and that nothing else needs: shown as text."""

_SHARED: Final = frozenset(
    ("pg_auth_members", "pg_authid", "pg_database", "pg_db_role_setting", "pg_parameter_acl", "pg_replication_origin",
     "pg_shdepend", "pg_shdescription", "pg_shseclabel", "pg_subscription", "pg_tablespace")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SystemRelation:
    """A table or view of pg_catalog or information_schema."""

    oid: Oid
    schema: str
    name: str
    kind: str  # "r" or "v"
    columns: tuple[ResultColumn, ...]
    row_type: Oid
    row_array: Oid
    """The types of its rows and of arrays of them: listed, for clients look up every relation's; no value is of them."""
    not_null: frozenset[int] = frozenset()
    by_bytes: frozenset[int] = frozenset()
    """The numbers of its columns that are NOT NULL, and of those under the collation "C" that is not their type's."""

    @property
    def shared(self) -> bool:
        """Whether all databases have it in common."""
        return self.name in _SHARED

    def position(self, column: str) -> int:
        for i, c in enumerate(self.columns):
            if c.name == column:
                return i
        raise KeyError(column)


def fact_lines(name: str) -> Iterator[list[str]]:
    """The lines of a facts file, header first, cut into fields."""
    with (FACTS / f"{name}.tsv").open(encoding="utf-8") as f:
        for line in f:
            yield line.rstrip("\n").split("\t")


@lru_cache(maxsize=1)
def relations() -> dict[tuple[str, str], SystemRelation]:
    """All of them by (schema, name)."""
    found: dict[tuple[str, str], SystemRelation] = {}
    lines = fact_lines("relations")
    next(lines)
    for schema, name, oid, kind, columns, row_type, row_array in lines:
        if schema == "information_schema" and name.startswith("_pg_"):
            continue
        fields = [c.rsplit(":", 1) for c in columns.split(",")]
        found[schema, name] = SystemRelation(
            int(oid),
            schema,
            name,
            kind,
            tuple(
                ResultColumn(column, _type(said), int(oid), i) for i, (column, said) in enumerate(fields, 1)
            ),
            int(row_type),
            int(row_array),
            frozenset(i for i, (_, said) in enumerate(fields, 1) if "!" in said),
            frozenset(i for i, (_, said) in enumerate(fields, 1) if said.endswith("C")),
        )
    return found


def whole_path(search_path: Iterable[str]) -> list[str]:
    """The schemas in which a name is looked up: pg_catalog before all that are named, but for temporary ones."""
    path = list(search_path)
    if "pg_catalog" not in path:
        path.insert(int(bool(path) and path[0].startswith(TEMPORARY_PREFIX)), "pg_catalog")
    return path


def found_before(name: str, home: str, search_path: Iterable[str]) -> SystemRelation | None:
    """The system relation that a bare name finds before it gets to the schema `home`."""
    for schema in whole_path(search_path):
        if schema == home:
            return None
        if (found := relations().get((schema, name))) is not None:
            return found
    return None


def _type(said: str) -> TypeRef:
    """A type's number, and behind a slash the modifier of the domain that it is underneath. Marks stand behind that."""
    oid, _, typmod = said.rstrip("!C").partition("/")
    return TypeRef(25 if int(oid) in _AS_TEXT else int(oid), int(typmod or -1))


@lru_cache(maxsize=1)
def by_row_type() -> dict[Oid, SystemRelation]:
    """By the type of their rows, and by that of arrays of them."""
    return {oid: r for r in relations().values() for oid in (r.row_type, r.row_array)}


@lru_cache(maxsize=1)
def by_oid() -> dict[Oid, SystemRelation]:
    return {r.oid: r for r in relations().values()}


@lru_cache(maxsize=1)
def names() -> frozenset[str]:
    """What they are called, as users' relations may be as well."""
    return frozenset(name for _, name in relations())


def relation(schema: str, name: str) -> SystemRelation | None:
    """The relation of that name, or None."""
    return relations().get((schema, name))
