"""What Python orders as PostgreSQL orders the values of a type, and as bytes where DuckDB is to order them.

    order_of(FLOAT8)(nan) > order_of(FLOAT8)(inf)      NaN is last, and equal to itself
    order_of(BPCHAR)('a ') == order_of(BPCHAR)('a')    blanks behind do not count

A type that has no line here has no order that is computed outside of DuckDB.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final, NamedTuple

from planner.types import embeddings, oids
from planner.types.geometry import GEOMETRIC
from planner.types.letter_case import lowered
from storage.abc import Datum

Order = Callable[[Datum], Any]

_DAY_US: Final = 86_400_000_000


class Parts(NamedTuple):
    """Of a value made of others: each one's (0, order), (1, 0) for NULL; and of arrays what tells apart those of the same elements."""

    items: tuple[tuple[int, Any], ...]
    shape: tuple[int, ...] = ()


def _itself(value: Datum) -> Any:
    return value


def _float(value: Datum) -> Any:
    return (1, 0.0) if value != value else (0, value + 0.0)


def _numeric(value: Datum) -> Any:
    number = Decimal(value)
    return (1, 0) if number.is_nan() else (0, number)


def _interval(value: Datum) -> int:
    months, days, micros = value
    return int((months * 30 + days) * _DAY_US + micros)


SAME_AS_DATUM: Final = frozenset(
    (
        oids.BOOL, oids.INT2, oids.INT4, oids.INT8, oids.OID, oids.TEXT, oids.VARCHAR, oids.NAME, oids.DATE, oids.TIME,
        oids.TIMESTAMP, oids.TIMESTAMPTZ, oids.UUID, oids.MACADDR, oids.MACADDR8,
        oids.PG_LSN, oids.MONEY, oids.TID, oids.XID8, oids.LTREE,
    )
)  # fmt: skip
"""Types whose equal values are equal datums, in the order of these."""
UNORDERED: Final = frozenset(
    (
        oids.JSON,
        oids.JSONPATH,
        oids.XML,
        oids.XID,
        oids.CID,
        oids.ACLITEM,
        oids.PG_SNAPSHOT,
        oids.TXID_SNAPSHOT,
        oids.REFCURSOR,
        oids.LQUERY,
        oids.LTXTQUERY,
        oids.QUERY_INT,
        *GEOMETRIC,
    )
)
"""Types without an operator class for btree: nothing sorts by them, and no key is of them."""
ORDERS: Final[dict[int, Order]] = {
    **dict.fromkeys(SAME_AS_DATUM, _itself),
    oids.FLOAT4: _float,
    oids.VECTOR: embeddings.items,
    oids.FLOAT8: _float,
    oids.NUMERIC: _numeric,
    oids.BPCHAR: lambda value: value.rstrip(" "),
    oids.CITEXT: lowered,
    oids.INTERVAL: _interval,
}


def declare_order(oid: int, order: Order) -> None:
    """An enum's: as its labels are listed."""
    ORDERS[oid] = order


def order_of(oid: int) -> Order | None:
    """A function of the type's datums; None for a type that is not in the list."""
    return ORDERS.get(oid)


def in_bytes(order: Any, number: Callable[[Decimal], bytes]) -> bytes:
    """What `order_of` made, as bytes in the same order, none of which are the beginning of others. `number`: those of a numeric."""
    if isinstance(order, str):
        return order.encode() + b"\0"  # no text has a zero byte
    if isinstance(order, Parts):
        items = b"".join(b"\2" if null else b"\1" + in_bytes(part, number) for null, part in order.items)
        return items + b"\0" + b"".join(in_bytes(n, number) for n in order.shape)
    if isinstance(order, tuple):
        last, value = order
        if isinstance(value, Decimal):
            return bytes((last,)) + number(value) + b"\0"
        return bytes((last,)) + (b"" if last else _float_bytes(value))
    return (int(order) + (1 << 127)).to_bytes(16, "big")


def _float_bytes(value: float) -> bytes:
    (bits,) = struct.unpack(">Q", struct.pack(">d", value))
    return struct.pack(">Q", bits ^ (0xFFFFFFFFFFFFFFFF if bits >> 63 else 1 << 63))
