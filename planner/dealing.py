"""Where many rows of a partitioned table go, by columns: what `Router.leaf` says of each, without a step for each.

    RANGE   a number, a day, a time       binary search of all among the lower edges
            a text                        compared with each edge
    HASH                                  PostgreSQL's hash of the column, words of all rows at once
    LIST, and RANGE of several columns    each of the different keys is asked about once
            or of other types

`first_outside` is what a partition asks of rows that are to be its, by the same means.

Level by level: the rows of a partition that is partitioned itself are dealt out again, on their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from planner import types as t
from planner.partitioning import (
    DAY_US,
    ENDLESS_DAYS,
    ENDLESS_US,
    HASH_SEED,
    MIXED_IN,
    POSTGRES_EPOCH_DAYS,
    Placing,
    Router,
)
from planner.partitions import Bound
from planner.relations import Table, TypeRef
from planner.types import oids
from planner.types.datetimes import DATE_INFINITY, TIMESTAMP_INFINITY
from planner.types.hashing import Hashes, hash_longs, hash_rows, hash_words

Numbers = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]

_WHOLE: Final = frozenset(
    (oids.INT2, oids.INT4, oids.INT8, oids.DATE, oids.TIME, oids.TIMESTAMP, oids.TIMESTAMPTZ)
)
_TEXTS: Final = frozenset((oids.TEXT, oids.VARCHAR))
_NOBODY: Final = -1
_NO_UUID: Final = "0" * 32


def _numbers(column: pa.Array) -> Numbers:
    """The datums of a type of `_WHOLE`; anything where they are NULL."""
    kind = column.type
    if pa.types.is_date32(kind):
        column = column.view(pa.int32())
    elif pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        column = column.view(pa.int64())
    return np.asarray(column.fill_null(0).cast(pa.int64()).to_numpy(zero_copy_only=False), np.int64)


def _words(column: pa.Array) -> Hashes:
    return hash_words(_numbers(column).astype(np.uint32), HASH_SEED)


def _longs(column: pa.Array) -> Hashes:
    return hash_longs(_numbers(column), HASH_SEED)


def _days(column: pa.Array) -> Hashes:
    days = _since_2000(_numbers(column), POSTGRES_EPOCH_DAYS, DATE_INFINITY, ENDLESS_DAYS)
    return hash_words(days.astype(np.uint32), HASH_SEED)


def _moments(column: pa.Array) -> Hashes:
    epoch = POSTGRES_EPOCH_DAYS * DAY_US
    return hash_longs(_since_2000(_numbers(column), epoch, TIMESTAMP_INFINITY, ENDLESS_US), HASH_SEED)


def _since_2000(values: Numbers, epoch: int, infinity: int, endless: tuple[int, int]) -> Numbers:
    """Days or microseconds as PostgreSQL keeps them."""
    found = values - epoch
    found[values <= -infinity] = endless[0]
    found[values >= infinity] = endless[1]
    return found


def _texts(column: pa.Array) -> Hashes:
    """Those of one length together."""
    data = column.fill_null("").cast(pa.large_binary())
    sizes = np.asarray(pc.binary_length(data).to_numpy(zero_copy_only=False), np.int64)
    found = np.empty(len(sizes), np.uint64)
    order = np.argsort(sizes, kind="stable")
    for at in np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1):
        if len(at):
            joined = b"".join(data.take(pa.array(at)).to_pylist())
            found[at] = hash_rows(np.frombuffer(joined, np.uint8).reshape(len(at), -1), HASH_SEED)
    return found


def _uuids(column: pa.Array) -> Hashes:
    texts = t.to_datums(column, TypeRef(oids.UUID))
    joined = bytes.fromhex("".join(str(x or _NO_UUID) for x in texts).replace("-", ""))
    return hash_rows(np.frombuffer(joined, np.uint8).reshape(len(texts), 16), HASH_SEED)


_HASHES: Final[dict[int, Callable[[pa.Array], Hashes]]] = {
    oids.INT2: _words,
    oids.INT4: _words,
    oids.INT8: _longs,
    oids.DATE: _days,
    oids.TIME: _longs,
    oids.TIMESTAMP: _moments,
    oids.TIMESTAMPTZ: _moments,
    oids.TEXT: _texts,
    oids.VARCHAR: _texts,
    oids.UUID: _uuids,
}


def leaves(way: Router, columns: Mapping[int, pa.Array]) -> tuple[list[Table | Router], Numbers]:
    """What each row comes to: numbers of leaves, or of the router that has no partition for it.

    `columns`: canonical Arrow, by the columns' places in a row, all of `way.all_places()`.
    """
    found: list[Table | Router] = []
    which = np.empty(len(next(iter(columns.values()))), np.int64)
    _deal(way, columns, np.arange(len(which)), found, which)
    return found, which


def _deal(
    way: Router, columns: Mapping[int, pa.Array], at: Numbers, found: list[Table | Router], which: Numbers
) -> None:
    children = way.children()
    numbers = {child.oid: n for n, child in enumerate(children)}
    mine = _children(way, [columns[i] for i in way.places], numbers)
    for n in np.unique(mine).tolist():
        here = np.flatnonzero(mine == n)
        below = way.below(children[n]) if n != _NOBODY else None
        if below is not None:
            taken = pa.array(here)
            _deal(below, {i: c.take(taken) for i, c in columns.items()}, at[here], found, which)
        else:
            which[at[here]] = len(found)
            found.append(children[n] if n != _NOBODY else way)


def _children(way: Router, keys: list[pa.Array], numbers: Mapping[int, int]) -> Numbers:
    """Numbers of the table's partitions, by rows."""
    refs = way.placing.refs
    otherwise = numbers[way.default.oid] if way.default is not None else _NOBODY
    if way.strategy == "h" and all(ref.oid in _HASHES for ref in refs):
        return _hashed(way, keys, refs, numbers, otherwise)
    if way.strategy == "r" and len(keys) == 1 and refs[0].oid in _WHOLE | _TEXTS:
        return _ranged(way, keys[0], refs[0].oid in _TEXTS, numbers, otherwise)
    return _one_by_one(way, keys, numbers)


def _hashed(
    way: Router, keys: list[pa.Array], refs: list[TypeRef], numbers: Mapping[int, int], otherwise: int
) -> Numbers:
    total = _row_hashes(keys, refs)
    found = np.full(len(total), otherwise, np.int64)
    for bound, child in way.hashes:
        found[total % np.uint64(bound.modulus) == bound.remainder] = numbers[child.oid]
    return found


def _row_hashes(keys: list[pa.Array], refs: list[TypeRef]) -> Hashes:
    """`row_hash` of each."""
    total = np.zeros(len(keys[0]), np.uint64)
    for key, ref in zip(keys, refs, strict=True):
        mixed = _HASHES[ref.oid](key) + np.uint64(MIXED_IN)
        mixed = mixed + (total << np.uint64(54)) + (total >> np.uint64(7))
        total = np.where(_nulls(key), total, total ^ mixed)
    return total


def _nulls(key: pa.Array) -> Flags:
    return np.asarray(key.is_null().to_numpy(zero_copy_only=False), np.bool_)


def _from_on(data: Any, edge: Any) -> Flags:
    """Which values are at an edge or above: (0, value), (-1,) for MINVALUE, (1,) for MAXVALUE."""
    if edge[0] != 0:
        return np.full(len(data), edge[0] < 0)
    if isinstance(data, np.ndarray):
        return np.asarray(data >= edge[1], np.bool_)
    above = pc.greater_equal(data, pa.scalar(edge[1], data.type))
    return np.asarray(above.to_numpy(zero_copy_only=False), np.bool_)


def _ranged(way: Router, key: pa.Array, texts: bool, numbers: Mapping[int, int], otherwise: int) -> Numbers:
    data = key.fill_null("") if texts else _numbers(key)
    found = np.full(len(key), otherwise, np.int64)
    if texts:
        for low, high, child in way.ranges:
            found[_from_on(data, low[0]) & ~_from_on(data, high[0])] = numbers[child.oid]
    elif way.ranges:
        first = way.ranges[0][0][0][0] != 0  # of MINVALUE, whose place among numbers is before all
        lows = np.array([low[0][1] for low, _, _ in way.ranges[first:]], np.int64)
        place = np.searchsorted(lows, data, "right") - 1 + first
        of_child = np.array([numbers[child.oid] for _, _, child in way.ranges], np.int64)
        ends = [high[0] for _, high, _ in way.ranges]
        limit = np.array([end[1] if end[0] == 0 else 0 for end in ends], np.int64)
        open_ended = np.array([end[0] != 0 for end in ends])
        inside = (place >= 0) & (open_ended[place] | (data < limit[place]))
        found[inside] = of_child[place[inside]]
    found[_nulls(key)] = otherwise
    return found


def _one_by_one(way: Router, keys: list[pa.Array], numbers: Mapping[int, int]) -> Numbers:
    known: dict[Any, int] = {}
    found = np.empty(len(keys[0]), np.int64)
    for i, row in enumerate(_rows(keys, way.placing.refs)):
        number = known.get(row)
        if number is None:
            child = way.child(row)
            number = known[row] = numbers[child.oid] if child is not None else _NOBODY
        found[i] = number
    return found


def first_outside(table: Table, column: Callable[[int], pa.Array]) -> int | None:
    """The first row that is not of a partition, of those that are to be its; `column`: canonical Arrow, by place."""
    wrong: list[int] = []
    for test in table.partition.tests if table.partition is not None else ():
        places = [table.index_of(n) for n in test.columns]
        placing = Placing([table.columns[i] for i in places])
        keys = [column(i) for i in places]
        if test.bound.default:
            passes = np.full(len(keys[0]), True)
            for other in test.others:
                passes &= ~_within(placing, test.strategy, other, keys)
        else:
            passes = _within(placing, test.strategy, test.bound, keys)
        if not passes.all():
            wrong.append(int(np.argmin(passes)))
    return min(wrong, default=None)


def _within(placing: Placing, strategy: str, bound: Bound, keys: list[pa.Array]) -> Flags:
    """`Placing.within` of each row."""
    kinds = [ref.oid for ref in placing.refs]
    if strategy == "h" and all(oid in _HASHES for oid in kinds):
        return np.asarray(_row_hashes(keys, placing.refs) % np.uint64(bound.modulus) == bound.remainder)
    if strategy == "r" and len(keys) == 1 and kinds[0] in _WHOLE | _TEXTS:
        data = keys[0].fill_null("") if kinds[0] in _TEXTS else _numbers(keys[0])
        low, high = placing.lower(bound), placing.upper(bound)
        return _from_on(data, low[0]) & ~_from_on(data, high[0]) & ~_nulls(keys[0])
    inside = placing.within(strategy, bound)
    known: dict[Any, bool] = {}
    found = np.empty(len(keys[0]), np.bool_)
    for i, row in enumerate(_rows(keys, placing.refs)):
        passes = known.get(row)
        if passes is None:
            passes = known[row] = inside(row)
        found[i] = passes
    return found


def _rows(keys: list[pa.Array], refs: list[TypeRef]) -> Iterator[tuple[Any, ...]]:
    return zip(*(t.to_datums(k, ref) for k, ref in zip(keys, refs, strict=True)), strict=True)


__all__ = ["first_outside", "leaves"]
