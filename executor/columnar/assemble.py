"""A plan's query template becomes the text that DuckDB gets.

    pieces   "SELECT sum(x) FROM "  Slot("r0")  " WHERE y > "  Param(1)
    text     SELECT sum(x) FROM (SELECT ... FROM s_t12_0 WHERE _from <= 91 AND 91 < _to) WHERE y > 5::INTEGER

Slots become relations as of the read timestamp (the caller knows which, a transaction's own writes
included), parameters and session values become typed literals. No text of a client ever gets here
other than through `literal_sql`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from planner import types as t
from planner.abc import Param, Query, SessionValue, Slot, TypeRef
from planner.types.near_decimals import near
from planner.types.numeric import precision_scale
from storage.abc import Datum


def assemble(
    query: Query,
    params: Sequence[Datum],
    relations: Mapping[str, str],
    session_value: Callable[[SessionValue], Datum],
) -> str:
    """The DuckDB text of a query. `relations` has a parenthesised subquery for every slot."""
    out: list[str] = []
    for piece in query.pieces:
        if isinstance(piece, str):
            out.append(piece)
        elif isinstance(piece, Slot):
            out.append(relations[piece.name])
        elif isinstance(piece, Param):
            out.append(t.literal_sql(_given(params[piece.number - 1], piece), piece.type))
        else:
            out.append(_literal(session_value(piece), piece.type))
    return "".join(out)


def _given(value: Datum, param: Param) -> Datum:
    """The value; of a numeric that is compared with DECIMALs: the one of these that stands for it."""
    if not param.near or value is None:
        return value
    form = precision_scale(param.type.typmod)
    assert form is not None, "what compares with DECIMALs has a form of theirs"
    precision, scale = form
    return near(value, precision - 1, scale, param.near)


def _literal(value: Datum, ref: TypeRef) -> str:
    """A value of the session; an array (of names) as the list that queries compute with."""
    if isinstance(value, list):
        element = TypeRef(t.element_of(ref.oid))
        cells = ", ".join(t.literal_sql(v, element) for v in value)
        return f"CAST([{cells}] AS {t.duckdb_type(element)}[])"
    return t.literal_sql(value, ref)
