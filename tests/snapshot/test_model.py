"""Whatever happens inside, every way of reading gives what a list of row versions gives.

Hypothesis writes histories of groups (puts, removals, bulk inserts and deletions, truncation, commits of
other processes), some of them undone, and strews flushes, compactions, merges and advances of `since`
among them. At any timestamp from `since` on, point reads, range reads, unique lookups and the DuckDB
relation must agree with the model; so must the rows by an index. A keyed read may decline (TooOldForKeyed) for the past, never for
the present (which is the past while a TRUNCATE is being made durable).
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from executor.snapshot import SnapshotLimits, SnapshotStore, TableImage, TooOldForKeyed
from executor.snapshot.compaction import compact, flush_versions
from planner.abc import Table
from storage.rows import rows_to_arrow
from tests.snapshot.model import BIG, INT, MONEY, SPAN, STRING, UNIQUE_OID, Model, table
from txn.abc import Commit, ShardWrites

KEYS = range(8)
LIMITS = SnapshotLimits(
    pending_max=20, versions_max=4, check_every=3, runs_max=2, vacuum_rows_min=3, spill_bytes_min=1
)

SHAPES: dict[str, Table] = {
    "int key": table((INT, STRING, BIG), unique=(2,)),
    "text key": table((STRING, STRING, MONEY)),
    "composite int key": table((INT, STRING, BIG), key=(1, 3)),
    "composite mixed key": table((STRING, STRING, BIG), key=(3, 1), unique=(2,)),
    "unique alone": table((INT, STRING, SPAN), key=(), unique=(2,)),
    "no key": table((INT, STRING, BIG), key=()),
}

step = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(KEYS), st.integers(0, 5)),
    st.tuples(st.just("put"), st.sampled_from(KEYS), st.integers(0, 5)),
    st.tuples(st.just("put each"), st.sampled_from(KEYS), st.integers(1, 7)),
    st.tuples(st.just("remove"), st.sampled_from(KEYS), st.just(0)),
    st.tuples(st.just("bulk"), st.sampled_from(KEYS), st.integers(1, 5)),
    st.tuples(st.just("remove bulk"), st.sampled_from(KEYS), st.integers(1, 5)),
    st.tuples(st.just("truncate"), st.just(0), st.just(0)),
    st.tuples(st.just("commit"), st.just(0), st.just(0)),
    st.tuples(st.just("commit"), st.just(0), st.just(0)),
    st.tuples(st.just("undo"), st.just(0), st.just(0)),
    st.tuples(st.just("learn"), st.sampled_from(KEYS), st.integers(0, 5)),
    st.tuples(st.just("flush"), st.integers(0, 6), st.just(0)),
    st.tuples(st.just("compact"), st.just(0), st.just(0)),
    st.tuples(st.just("since"), st.integers(0, 6), st.just(0)),
    st.tuples(st.just("read"), st.integers(0, 8), st.booleans()),
)


class History:
    """Drives the image and the model side by side."""

    def __init__(self, definition: Table) -> None:
        self.table = definition
        self.store = SnapshotStore(limits=LIMITS, threads=1)
        self.image: TableImage = self.store.create(definition, 1)
        self.model = Model()
        self.ts = 10  # of the open group
        self.durable = 9
        self.rid = 0
        self.changed = False
        self.truncating = False
        self.unique = any(c.kind == "u" for c in definition.constraints)

    def fresh_rid(self) -> int:
        self.rid += 1
        return self.rid

    def row(self, k: int, value: int) -> tuple[Any, ...]:
        """A row whose key is made of `k`, its second column (perhaps unique, perhaps null) of `value`."""
        from decimal import Decimal

        made: list[Any] = []
        for i, c in enumerate(self.table.columns):
            if i == 1:
                made.append(None if value == 0 else f"v{value}é")
            elif c.type == STRING:
                made.append("é" * (k % 3) + f"k{k}")
            elif c.type == MONEY:
                made.append(Decimal(k * 10 + value) / 100 if value else None)
            elif c.type == SPAN:
                made.append((k, value, -7) if value else None)
            elif c.type == BIG and not self.table.primary_key:
                made.append(value)
            else:
                made.append(k)
        if self.table.key_indexes == (0, 2):
            made[2] = k // 3
        return tuple(made)

    def key(self, rid: int, row: tuple[Any, ...]) -> Any:
        return self.image.key_of(rid, row)

    def allowed(self, key: Any, row: tuple[Any, ...]) -> bool:
        """The executor checks constraints before it puts."""
        if not self.unique or row[1] is None:
            return True
        return all(v.row[1] != row[1] or v.key == key for v in self.model.at(self.ts))

    def put(self, k: int, value: int) -> None:
        row = self.row(k, value)
        rid = self.fresh_rid()
        key = self.key(rid, row)
        if self.image.keyed and value == 2:  # a block looks in its snapshot, and at admission
            with contextlib.suppress(TooOldForKeyed):
                seen, known = self.image.get_to_change(key, self.durable), self.model.get(key, self.durable)
                assert seen == (known and (known.rid, known.row))
            taken = self.image.first_taken({key: (rid, row)}, (), (), {})
            assert (taken is None) == (self.model.get(key, self.ts) is None)
        elif self.image.keyed and value != 1:  # who writes has usually read; not always
            found = self.image.newest(key)
            live = self.model.get(key, self.ts)
            assert (found and found[2] and found[1:]) == (live and (live.rid, live.row))
        if self.allowed(key, row):
            self.image.put(key, rid, row, self.ts)
            self.model.put(key, rid, row, self.ts)
            self.changed = True

    def put_each(self, k: int, count: int) -> None:
        """What a block's COMMIT does: rows of some keys, some of which it has looked for; those that are free, and those it replaces."""
        rows = [row for i in range(k, k + count) if self.allowed(*self.proposed(row := self.row(i, i)))]
        brought = {self.key(rid := self.fresh_rid(), row): (rid, row) for row in rows}
        live = {key: v for key in brought if (v := self.model.get(key, self.ts)) is not None}
        if self.image.keyed:
            for key in [key for i, key in enumerate(brought) if i % 3]:
                with contextlib.suppress(TooOldForKeyed):
                    seen, known = (
                        self.image.get_to_bring(key, self.durable),
                        self.model.get(key, self.durable),
                    )
                    assert seen == (known and (known.rid, known.row))
                    self.image.get_to_change(key, self.durable)
            replaced = {v.rid: None for v in list(live.values())[count % 2 :]}
            taken = self.image.first_taken(brought, replaced, (), {})
            assert taken == next((key for key, v in live.items() if v.rid not in replaced), None)
        rids, rows = [rid for rid, _ in brought.values()], [row for _, row in brought.values()]
        self.image.put_each(brought, rids, rows, self.ts)
        for key, (rid, row) in brought.items():
            self.model.put(key, rid, row, self.ts)
        self.changed = self.changed or bool(brought)

    def proposed(self, row: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        return self.key(0, row), row

    def remove(self, k: int) -> None:
        live = [v for v in self.model.at(self.ts) if v.row[0] == self.row(k, 1)[0]]
        if live:
            self.image.remove(live[0].key, live[0].rid, self.ts)
            self.model.remove(live[0].key, self.ts)
            self.changed = True

    def bulk(self, k: int, count: int) -> None:
        rows = [self.row(i, i) for i in range(k, k + count)]
        rids = [self.fresh_rid() for _ in rows]
        data = rows_to_arrow(rows, self.image.physical.schema).append_column(
            "_rid", pa.array(rids, pa.int64())
        )
        conflicts = {key for _, key in self.image.conflicting_keys(data, self.ts)}
        if self.image.keyed:
            clash = [
                r
                for rid, r in zip(rids, rows, strict=True)
                if self.model.get(self.key(rid, r), self.ts) or not self.allowed(self.key(rid, r), r)
            ]
            assert bool(clash) == bool(conflicts), (clash, conflicts)
        if not conflicts:
            self.image.put_bulk(data, self.ts)
            for rid, r in zip(rids, rows, strict=True):
                self.model.put(self.key(rid, r), rid, r, self.ts)
            self.changed = True

    def remove_bulk(self, k: int, count: int) -> None:
        victims = list(self.model.at(self.ts))[k : k + count]
        dead = [v.rid for v in self.model.versions if v.until <= self.ts][-3:]  # to be ignored
        self.image.remove_bulk(pa.array([v.rid for v in victims] + dead, pa.int64()), self.ts)
        for v in victims:
            v.until = self.ts
        self.changed = self.changed or bool(victims)

    def truncate(self) -> None:
        self.image.truncate(self.ts)
        for v in list(self.model.at(self.ts)):
            v.until = self.ts
        self.changed = self.truncating = True

    def commit(self) -> None:
        self.durable = self.ts
        self.store.advance(self.ts)
        self.ts += 3
        self.changed = self.truncating = False

    def undo(self) -> None:
        self.image.undo(self.ts)
        self.model.undo(self.ts)
        self.changed = self.truncating = False

    async def learn(self, k: int, value: int) -> None:
        """A commit of another process: an update, an insertion or a deletion, named by row ids."""
        if self.changed:
            self.commit()
        writes = ShardWrites()
        row = self.row(k, value)
        rid = self.fresh_rid()
        key = self.key(rid, row)
        old = self.model.get(key, self.ts)
        if old is not None:
            writes.deletes.append(old.rid)
            self.model.remove(key, self.ts)
        if value and self.allowed(key, row):
            writes.inserts.append((rid, row))
            self.model.put(key, rid, row, self.ts)
        await self.store.apply_commit(Commit(self.ts, {self.table.shard: writes}))
        self.commit()

    async def read(self, back: int, pinned: bool) -> None:
        ts = max(self.durable - back, self.store.since, 1)
        now = ts == self.durable and not self.truncating
        expected = self.model.scan(ts)
        await self.store.prepare_read(["t1"], ts)
        pin = self.store.pin(["t1"]) if pinned else None
        text = self.store.relation_sql("t1", ts, [0, 1], with_rid=True, pin=pin)
        got = self.store.connection.cursor().sql(f"SELECT * FROM {text} q").fetchall()
        if pin is not None:
            pin.release()
        assert sorted(r[2] for r in got) == sorted(rid for _, rid, _ in expected), (ts, text)
        assert {(r[2], r[0], r[1]) for r in got} == {(rid, row[0], row[1]) for _, rid, row in expected}
        if not self.image.keyed:
            return
        for key in {v.key for v in self.model.versions}:
            v = self.model.get(key, ts)
            try:
                entry = self.image.get(key, ts)
                some = self.image.get_columns(key, ts, (1, 0))
            except TooOldForKeyed:
                assert not now
                continue
            assert entry == (None if v is None else (v.rid, v.row)), (key, ts)
            assert some == (None if v is None else (v.row[1], v.row[0]))
        for value in range(1, 13) if self.unique else ():
            try:
                hit = self.image.find_unique(UNIQUE_OID, f"v{value}é", ts)
            except TooOldForKeyed:
                assert not now
                continue
            assert hit == next((e for e in expected if e[2][1] == f"v{value}é"), None)
        self.ranges(ts, now, expected)
        self.indexed(ts, now, expected)

    def indexed(self, ts: int, now: bool, expected: list[Any]) -> None:
        """By columns that are no key: the second one, and with the first behind it."""
        for value in range(1, 6):
            text = f"v{value}é"
            wanted = [row for _, _, row in expected if row[1] == text]
            asked = [((1,), text, wanted)]
            asked += [((1, 0), (text, row[0]), [r for r in wanted if r[0] == row[0]]) for row in wanted[:2]]
            for positions, key, rows in asked:
                try:
                    got = self.image.index(positions).find(key, ts, 100, (0, 1))
                except TooOldForKeyed:
                    assert not now
                    return
                assert got == [row[:2] for row in rows], (positions, key, ts)

    def ranges(self, ts: int, now: bool, expected: list[Any]) -> None:
        keys = [k for k, _, _ in expected]
        bounds: list[Any] = [None, *keys[:1], *keys[-1:]]
        if keys and isinstance(keys[0], tuple):
            bounds += [keys[0][:1], keys[-1][:1]]
        for low in bounds:
            for high in bounds:
                for li, hi, down in ((True, True, False), (False, True, True), (True, False, False)):
                    wanted = [e for e in expected if inside(e[0], low, high, li, hi)]
                    try:
                        got = list(
                            self.image.scan(
                                low, high, ts, low_inclusive=li, high_inclusive=hi, descending=down
                            )
                        )
                    except TooOldForKeyed:
                        assert not now
                        return
                    assert got == (wanted[::-1] if down else wanted), (low, high, li, hi, down)


def inside(key: Any, low: Any, high: Any, low_inclusive: bool, high_inclusive: bool) -> bool:
    """Prefix bounds compare as far as they go."""

    def cut(bound: Any) -> Any:
        return key[: len(bound)] if isinstance(bound, tuple) else key

    if low is not None and not (cut(low) >= low if low_inclusive else cut(low) > low):
        return False
    return high is None or (cut(high) <= high if high_inclusive else cut(high) < high)


async def run(definition: Table, steps: list[tuple[str, int, Any]]) -> None:
    h = History(definition)
    try:
        for name, a, b in steps:
            if name == "put":
                h.put(a, b)
            elif name == "put each":
                h.put_each(a, b)
            elif name == "remove":
                h.remove(a)
            elif name == "bulk":
                h.bulk(a, b)
            elif name == "remove bulk":
                h.remove_bulk(a, b)
            elif name == "truncate":
                h.truncate()
            elif name == "commit":
                h.commit()
            elif name == "undo":
                h.undo()
            elif name == "learn":
                await h.learn(a, b)
            elif name == "flush":
                await h.store.prepare_read(["t1"], max(1, h.durable - a))
            elif name == "compact":
                await flush_versions(h.store, h.image)
                await compact(h.store, h.image)
            elif name == "since":
                h.store.set_since(max(1, h.durable - a))
            else:
                await h.read(a, b)
        h.commit()
        await h.read(0, True)
        await h.store.settled()
        await h.read(0, True)
        await h.read(4, False)
        assert h.store.background_error is None
    finally:
        await h.store.close()


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(step, max_size=40))
@example(
    [("bulk", 0, 1), ("learn", 0, 0), ("bulk", 0, 1), ("remove bulk", 0, 1)]
)  # all runs merge to nothing
@example(
    [
        ("put", 1, 0),
        ("learn", 0, 0),
        ("put", 0, 0),
        ("compact", 0, 0),
        ("remove", 0, 0),
        ("remove bulk", 0, 1),
    ]
)
@example([("bulk", 0, 5), ("commit", 0, 0), ("put each", 0, 5), ("commit", 0, 0), ("put each", 3, 5)])
def test_agrees_with_a_list_of_versions(shape: str, steps: list[tuple[str, int, Any]]) -> None:
    asyncio.run(run(SHAPES[shape], steps))
