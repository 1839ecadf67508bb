"""PostgreSQL's binary format of snapshots (pg_snapshot, txid_snapshot): `100:120:105,110` as counted numbers.

how many (int4), xmin, xmax, then each transaction in progress between them, of eight bytes each
"""

from __future__ import annotations

import struct
from typing import Final

from planner.abc import SqlError
from storage.abc import Datum

_COUNT: Final = struct.Struct("!i")


def snapshot_out(text: Datum) -> bytes:
    low, high, between = str(text).split(":")
    inside = [int(x) for x in between.split(",") if x]
    return _COUNT.pack(len(inside)) + struct.pack(f"!{len(inside) + 2}q", int(low), int(high), *inside)


def snapshot_in(data: bytes) -> str:
    """Raises 22P03 for what is no snapshot: it must be in order, and between its ends."""
    count = _COUNT.unpack_from(data)[0] if len(data) >= _COUNT.size else -1
    if count < 0 or len(data) != _COUNT.size + 8 * (count + 2):
        raise _invalid()
    low, high, *inside = struct.unpack_from(f"!{count + 2}q", data, _COUNT.size)
    ends = [low, *inside]
    if low <= 0 or high < low or any(a > b for a, b in zip(ends, inside, strict=False)) or ends[-1] > high:
        raise _invalid()
    return f"{low}:{high}:{','.join(map(str, dict.fromkeys(inside)))}"


def _invalid() -> SqlError:
    return SqlError("22P03", "invalid external pg_snapshot data")
