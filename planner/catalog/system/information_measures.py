"""What information_schema measures of types: lengths, precisions, scales; and the functions it computes them with.

Programs that look at a schema paste the text of PostgreSQL's own view `columns` into their queries, so they call these functions.

    information_schema._pg_char_max_length(1043, 14)       10     varchar(10)
    information_schema._pg_numeric_scale(1700, 655366)      2     numeric(10,2)
    information_schema._pg_interval_type(1186, 327679)   YEAR     interval year

`_pg_truetypid` and `_pg_truetypmod`, which take rows, are the binder's (`planner.binding.true_types`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from planner.abc import Oid, TypeRef
from planner.catalog.objects import Index
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.types import format_type
from planner.types.oids import (
    BIT,
    BPCHAR,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    INTERVAL,
    NUMERIC,
    OID,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    TIMETZ,
    VARBIT,
    VARCHAR,
)

INTEGER_BITS: Final = {INT2: 16, INT4: 32, INT8: 64}
_FLOAT_BITS: Final = {FLOAT4: 24, FLOAT8: 53}
_OCTETS_MAX: Final = 1 << 30
_OCTETS_OF_CHARACTER: Final = 4
"""At most, in UTF-8."""
_INTERVAL_FIELDS: Final = re.compile(r"interval[()0-9]* (.*)")


def char_max_length(oid: Oid, modifier: int) -> int | None:
    if modifier == -1:
        return None
    return modifier - 4 if oid in (BPCHAR, VARCHAR) else modifier if oid in (BIT, VARBIT) else None


def char_octet_length(oid: Oid, modifier: int) -> int | None:
    if oid not in (TEXT, BPCHAR, VARCHAR):
        return None
    longest = char_max_length(oid, modifier)
    return _OCTETS_MAX if modifier == -1 else _OCTETS_OF_CHARACTER * longest if longest is not None else None


def numeric_precision(oid: Oid, modifier: int) -> int | None:
    if oid == NUMERIC:
        return None if modifier == -1 else (modifier - 4) >> 16 & 0xFFFF
    return INTEGER_BITS.get(oid) or _FLOAT_BITS.get(oid)


def numeric_precision_radix(oid: Oid, _modifier: int) -> int | None:
    return 10 if oid == NUMERIC else 2 if oid in INTEGER_BITS or oid in _FLOAT_BITS else None


def numeric_scale(oid: Oid, modifier: int) -> int | None:
    """A scale below zero is shown as the eleven bits that it is kept in, as in PostgreSQL 15."""
    if oid == NUMERIC:
        return None if modifier == -1 else modifier - 4 & 0xFFFF
    return 0 if oid in INTEGER_BITS else None


def datetime_precision(oid: Oid, modifier: int) -> int | None:
    if oid == DATE:
        return 0
    if oid in (TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ):
        return 6 if modifier < 0 else modifier
    if oid == INTERVAL:
        return 6 if modifier < 0 or modifier & 0xFFFF == 0xFFFF else modifier & 0xFFFF
    return None


def interval_type(oid: Oid, modifier: int) -> str | None:
    """The fields that an interval is restricted to."""
    found = _INTERVAL_FIELDS.fullmatch(format_type(TypeRef(oid, modifier))) if oid == INTERVAL else None
    return found[1].upper() if found is not None else None


MEASURES: Final[dict[str, Callable[[Oid, int], Any]]] = {
    "character_maximum_length": char_max_length,
    "character_octet_length": char_octet_length,
    "numeric_precision": numeric_precision,
    "numeric_precision_radix": numeric_precision_radix,
    "numeric_scale": numeric_scale,
    "datetime_precision": datetime_precision,
    "interval_type": interval_type,
}
"""The views' columns."""


def _offered(measure: Callable[[Oid, int], Any]) -> Callable[..., Any]:
    def called(_context: SystemContext, oid: Oid | None, modifier: int | None) -> Any:
        return None if oid is None or modifier is None else measure(oid, modifier)

    return called


for _measure in MEASURES.values():
    system(
        f"_pg_{_measure.__name__}",
        (OID, INT4),
        TEXT if _measure is interval_type else INT4,
        schema="information_schema",
    )(_offered(_measure))


@system("_pg_index_position", (OID, INT2), INT4, schema="information_schema")
def _index_position(context: SystemContext, oid: Oid | None, attnum: int | None) -> int | None:
    """At which place an index has a column."""
    index = context.catalog.get(oid) if oid is not None else None
    if not isinstance(index, Index):
        return None
    places = [*(k.attnum for k in index.keys), *index.include]
    return places.index(attnum) + 1 if attnum in places else None
