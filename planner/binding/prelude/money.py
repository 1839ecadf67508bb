"""Python functions on money (`planner.types.money`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planner.types import money

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V, _N, _F = "VARCHAR", "BIGINT", "DOUBLE"

FUNCTIONS: list[Entry] = [
    ("tw_in_money", money.money_in, (_V,), _N),
    ("tw_out_money", money.money_out, (_N,), _V),
    ("tw_money_plus", money.added, (_N, _N), _N),
    ("tw_money_minus", money.subtracted, (_N, _N), _N),
    ("tw_money_times", money.multiplied, (_N, _N), _N),
    ("tw_money_divided", money.divided, (_N, _N), _N),
    ("tw_money_scaled", money.scaled, (_N, _F), _N),
    ("tw_money_unscaled", money.unscaled, (_N, _F), _N),
    ("tw_money_ratio", money.ratio, (_N, _N), _F),
    ("tw_money_sum", lambda text: money.added(int(text), 0), (_V,), _N),
    ("tw_money_words", money.in_words, (_N,), _V),
    ("tw_money_send", lambda cents: cents.to_bytes(8, "big", signed=True), (_N,), "BLOB"),
    ("tw_money_of_numeric", money.of_numeric, (_V,), _N),
    ("tw_money_of_integer", money.of_integer, (_N,), _N),
    ("tw_money_numeric", money.to_numeric, (_N,), _V),
]
