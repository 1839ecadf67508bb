"""Python functions on pg_lsn (`planner.types.log_places`), transactions' numbers and snapshots (`planner.types.transactions_seen`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planner import types as t
from planner.types.log_places import distance, moved, of_number, read_log_place, shown_log_place
from planner.types.transactions_seen import is_over, parts, snapshot_in

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V = "VARCHAR"
_N = "BIGINT"
_WIDE = "UBIGINT"


def _signed(number: int) -> int:
    """A number of 64 bits as the older functions tell it, which have no others than those with a sign."""
    return number - (1 << 64) if number >> 63 else number


FUNCTIONS: list[Entry] = [
    ("tw_in_pg_lsn", read_log_place, (_V,), _N),
    ("tw_out_pg_lsn", shown_log_place, (_N,), _V),
    ("tw_lsn_distance", distance, (_N, _N), _V),
    ("tw_lsn_of", of_number, (_V,), _N),
    ("tw_lsn_after", lambda place, by: moved(place, by, 1), (_N, _V), _N),
    ("tw_lsn_before", lambda place, by: moved(place, by, -1), (_N, _V), _N),
    ("tw_in_pg_snapshot", snapshot_in, (_V,), _V),
    ("tw_in_txid_snapshot", snapshot_in, (_V,), _V),
    *((f"tw_in_{name}", t.text_input(t.resolve_name(name)), (_V,), _N) for name in ("xid", "cid")),
    ("tw_in_xid8", t.text_input(t.resolve_name("xid8")), (_V,), _WIDE),
    ("tw_snapshot_low", lambda text: parts(text).low, (_V,), _WIDE),
    ("tw_snapshot_high", lambda text: parts(text).high, (_V,), _WIDE),
    ("tw_snapshot_running", lambda text: parts(text).running, (_V,), f"{_WIDE}[]"),
    ("tw_txid_snapshot_low", lambda text: _signed(parts(text).low), (_V,), _N),
    ("tw_txid_snapshot_high", lambda text: _signed(parts(text).high), (_V,), _N),
    ("tw_txid_snapshot_running", lambda text: [_signed(x) for x in parts(text).running], (_V,), f"{_N}[]"),
    ("tw_snapshot_sees", is_over, (_N, _V), "BOOLEAN"),
    ("tw_snapshot_shows", is_over, (_WIDE, _V), "BOOLEAN"),
]
