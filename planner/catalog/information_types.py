"""The domains of information_schema, of which its columns are, and which tools that ask for constraints by its words name.

    nspname::information_schema.sql_identifier        name
    attnum::information_schema.cardinal_number        int4, with CHECK (VALUE >= 0)

They are there in every catalog and are no rows of one: nobody makes, alters or drops them. OIDs are those of `pg_type`.
"""

from __future__ import annotations

from typing import Final

from planner import types
from planner.abc import Constraint, Oid, TypeRef
from planner.catalog.objects import INFORMATION_SCHEMA_OID
from planner.catalog.type_objects import Domain


def _domain(
    oid: Oid, name: str, base: TypeRef, check: str = "", text: str = "", default: str | None = None
) -> Domain:
    checks = (Constraint(oid + 1, check, "c", (), text),) if check else ()
    return Domain(oid, INFORMATION_SCHEMA_OID, name, oid - 1, base, default=default, constraints=checks)


_ALL: Final = (
    _domain(13221, "cardinal_number", TypeRef(types.INT4), "cardinal_number_domain_check", "VALUE >= 0"),
    _domain(13224, "character_data", TypeRef(types.VARCHAR)),
    _domain(13226, "sql_identifier", TypeRef(types.NAME)),
    _domain(13232, "time_stamp", TypeRef(types.TIMESTAMPTZ, 2), default="current_timestamp(2)"),
    _domain(13234, "yes_or_no", TypeRef(types.VARCHAR, 7), "yes_or_no_check", "VALUE IN ('YES', 'NO')"),
)
BY_NAME: Final = {d.name: d for d in _ALL}
BY_OID: Final = {d.oid: d for d in _ALL}
BY_CONSTRAINT: Final = {c.oid: d for d in _ALL for c in d.constraints}
OIDS: Final = frozenset(oid for d in _ALL for oid in (d.oid, d.array_oid))
"""Theirs and those of the arrays over them: types of the system whose names need their schema."""

for _made in _ALL:
    types.register_domain(_made.oid, _made.array_oid, _made.name, _made.base)
