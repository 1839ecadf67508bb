"""The environment: what survives, what is leased, what is kept, and what goes."""

from __future__ import annotations

import asyncio
import doctest
import gc
import random
import weakref
from collections.abc import Callable, Coroutine
from typing import Any

import msgpack
import pyarrow as pa
import pytest

import txn
from storage.abc import CorruptBlob, FormatTooNew, Indeterminate, Part
from storage.parts import PartLimits
from tests.txn.clocks import SCHEMA, WIDER, Stores
from txn import Environment, Isolation, Limits, Transaction
from txn.abc import CommitFailed, SerializationFailure, TransactionExpired, TxnError, Unregistered
from txn.log_entry import Entry, decode, encode
from txn.transaction import TransactionOver, TransactionTooLarge
from txn.txns_shard import SHARD, ModeMismatch


def run(scenario: Callable[[Stores, Environment], Coroutine[Any, Any, None]], **limits: Any) -> None:
    async def main() -> None:
        stores = Stores()
        env = await stores.open(limits=Limits(**limits))
        await env.register({"t": SCHEMA})
        await scenario(stores, env)

    asyncio.run(main())


async def put(env: Environment, key: int, value: str = "x", shard: str = "t") -> int:
    transaction = env.begin()
    transaction.insert(shard, key, env.rids.next(), (key, value))
    return await transaction.commit()


def test_the_front_page_runs() -> None:
    assert doctest.testmod(txn).failed == 0


# --- restarts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("clean", [True, False], ids=["closed", "killed"])
def test_a_restart_finds_everything_and_begins_above_it(clean: bool) -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        first = await put(env, 1)
        last = await put(env, 2)
        rid, reserved = env.rids.mark, env.txns.state.reserved
        if clean:
            await env.close()
        else:
            env.abandon()
        stores.clock.now = 1  # and the clock has lost its battery
        again = await stores.open(seed=1)
        assert again.oracle.read_ts() >= max(last, reserved)
        assert again.rids.next() >= rid
        assert again.registered() == {"t": SCHEMA}
        outstanding = again.outstanding("t")
        assert [ts for ts, _ in outstanding] == ([] if clean else [first, last])
        await again.apply_le(last)
        table = await (await again.shard("t")).read(last)
        assert sorted(table.column("key").to_pylist()) == [1, 2]

    run(scenario)


def test_a_crash_between_apply_and_tidy_applies_nothing_twice() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        ts = await put(env, 1)
        await env.apply_le(ts)
        env.abandon()  # the retraction was waiting for the next append
        again = await stores.open(seed=1)
        assert [t for t, _ in again.outstanding("t")] == [ts]
        await again.apply_le(ts)
        later = await put(again, 2)
        assert [t for t, _ in again.outstanding("t")] == [later], "the retraction rode in the append"
        await again.apply_le(later)
        assert (await (await again.shard("t")).read(later)).num_rows == 2

    run(scenario)


def test_many_commits_leave_a_short_log() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        for key in range(500):
            await put(env, key)
            if key % 10 == 0:
                await env.upkeep.work()
        log = stores.consensus._logs[SHARD]
        assert log.first > 300 and len(log.entries) < 150
        env.abandon()
        again = await stores.open(seed=1)
        assert again.last_write("t") == env.last_write("t")
        await again.close()
        assert (await (await again.shard("t")).read(env.last_write("t"))).num_rows == 500
        assert len(stores.consensus._logs[SHARD].entries) == 1, "closing leaves a single rollup"

    run(scenario, apply_entries=64, rollup_entries=64)


def test_a_large_rollup_goes_to_a_blob_and_is_verified() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        await env.register({f"t{i:06}": SCHEMA for i in range(2500)})
        await env.close()
        (key,) = [k for k in stores.blob.blobs if "rollup" in k]
        again = await stores.open(seed=1)
        assert len(again.registered()) == 2501
        again.abandon()
        data, modified = stores.blob.blobs[key]
        stores.blob.blobs[key] = (data[:-1] + b"?", modified)
        with pytest.raises(CorruptBlob, match="rollup"):
            await stores.open(seed=2)

    run(scenario)


def test_a_newer_format_is_refused() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        data = encode(Entry(env.txns.epoch, env.oracle.write_ts()))
        newer = b"\x7f" + data[1:]
        await stores.consensus.compare_and_append(SHARD, env.txns.seqno, newer, b"token")
        with pytest.raises(FormatTooNew):
            await stores.open(seed=1)

    run(scenario)


def test_every_flipped_bit_of_an_entry_is_told() -> None:
    data = encode(Entry(3, 101, {"t7": [("+", 2, b"rows")]}, rids=5, token=b"token"))
    assert decode(data) == Entry(3, 101, {"t7": [("+", 2, b"rows")]}, rids=5, token=b"token")
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises((CorruptBlob, FormatTooNew)):
            decode(bytes(damaged))


def test_entries_without_a_checksum_are_still_read() -> None:
    bare = msgpack.packb((1, "e", 3, 101, {"t7": [("+", 2, b"rows")]}, {"rids": 5}, b"token"))
    assert decode(bare) == Entry(3, 101, {"t7": [("+", 2, b"rows")]}, rids=5, token=b"token")


def test_an_environment_of_several_servers_is_not_led_alone() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        shared = Entry(env.txns.epoch, 0, mode="shared")
        await stores.consensus.compare_and_append(SHARD, env.txns.seqno, encode(shared), b"token")
        with pytest.raises(ModeMismatch):
            await stores.open(seed=1)

    run(scenario)


# --- leases, registrations ---------------------------------------------------------------------


def test_leases_are_unique_and_durable() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        assert await asyncio.gather(env.lease("s", 10), env.lease("s", 5), env.lease("u", 1)) == [1, 11, 1]
        env.abandon()
        again = await stores.open(seed=1)
        assert await again.lease("s", 1) == 16
        await again.drop_lease("s")
        assert await again.lease("s", 1, start=100) == 100

    run(scenario)


def test_a_forgotten_shard_takes_no_writes_and_is_deleted_when_nobody_can_ask_for_it() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        ts = await put(env, 1)
        await env.forget("t")
        assert env.registered() == {}
        with pytest.raises(Unregistered):
            await put(env, 2)
        assert (await (await env.shard("t")).read(ts)).num_rows == 1, "its past stays readable"
        assert "t" in await stores.consensus.shards()
        stores.clock.now += 100_000_000
        await env.register({"u": SCHEMA})
        env.upkeep._since_sent_s = -1e9
        await env.upkeep.work()
        await env.upkeep.work()
        assert "t" not in await stores.consensus.shards()
        assert not env.txns.state.graves

    run(scenario, retention_s=1.0)


def test_a_table_and_its_rows_come_in_one_commit() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        transaction = env.begin()
        transaction.register("new", WIDER)
        transaction.insert("new", 1, env.rids.next(), (1, "one", 11))
        ts = await transaction.commit()
        await env.make_physical("new", ts)
        assert (await (await env.shard("new")).read(ts)).column("more").to_pylist() == [11]

    run(scenario)


def test_an_empty_table_can_be_read_physically() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        ts = env.oracle.read_ts()
        await env.make_physical("t", ts)
        table = await (await env.shard("t")).read(ts)
        assert table.num_rows == 0 and table.column_names == ["_rid", "key", "value"]

    run(scenario)


# --- large transactions ------------------------------------------------------------------------


def test_staged_parts_are_committed_by_reference_at_whatever_timestamp() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        n = 5_000
        first = env.rids.block(n)
        table = pa.table(
            {
                "_rid": pa.array(range(first, first + n), pa.int64()),
                "key": pa.array(range(n), pa.int64()),
                "value": pa.array([f"v{i}" for i in range(n)]),
            }
        )
        part = await env.stage("t", "+", table)
        assert part.key is not None
        transaction = env.begin()
        transaction.add_part("t", part)
        transaction.wrote_all("t", blind=True)
        before = len(stores.blob.blobs)
        await put(env, -1)
        ts = await transaction.commit()
        await env.apply_le(ts)
        assert len(stores.blob.blobs) == before, "not a byte was rewritten"
        assert (await (await env.shard("t")).read(ts)).num_rows == n + 1
        assert (await (await env.shard("t")).read(ts - 1)).num_rows == 1

    run(scenario)


def test_rows_that_only_their_times_make_too_many_for_the_log_are_taken_apart_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def in_vain(*_: object, **__: object) -> Part:
        raise AssertionError("an inline part was made of rows that are too many for one")

    async def main() -> None:
        stores = Stores()
        env = await Environment.open(
            blob=stores.blob,
            consensus=stores.consensus,
            clock=stores.clock,
            rng=random.Random(1),
            background=False,
            part_limits=PartLimits(inline_bytes_max=2_000),
        )
        await env.register({"t": SCHEMA})
        rids = [env.rids.next() for _ in range(400)]
        first = env.begin()
        for key, rid in enumerate(rids):
            first.insert("t", key, rid, (key, "x"))
        await env.apply_le(await first.commit())
        times = []
        for key in range(0, 300, 3):
            deleting = env.begin()
            for i in range(key, key + 3):
                deleting.delete("t", i, rids[i])
            times.append(await deleting.commit())
        raws = [raw for _, parts in env.txns.state.outstanding["t"] for raw in parts]
        assert sum(len(raw[2]) for raw in raws) <= 2_000, "without their times they would fit"
        with monkeypatch.context() as patch:
            patch.setattr("storage.parts.merged_inline", in_vain)
            await env.apply_le(times[-1])
        shard = await env.shard("t")
        assert sorted((await shard.read(times[-1])).column("key").to_pylist()) == list(range(300, 400))
        assert sorted((await shard.read(times[9])).column("key").to_pylist()) == list(range(30, 400))

    asyncio.run(main())


def test_a_large_transaction_spills_and_commits_whole() -> None:
    async def main() -> None:
        stores = Stores()
        env = await Environment.open(
            blob=stores.blob,
            consensus=stores.consensus,
            clock=stores.clock,
            rng=random.Random(1),
            limits=Limits(transaction_memory_max_bytes=20_000),
            background=False,
            part_limits=PartLimits(inline_bytes_max=1_000),
        )
        await env.register({"t": SCHEMA})
        old = env.rids.next()
        first = env.begin()
        first.insert("t", -1, old, (-1, "old"))
        await first.commit()
        large = env.begin()
        wants: list[Transaction] = []
        large.on_memory = wants.append
        large.delete("t", -1, old)
        for key in range(1_000):
            large.insert("t", key, env.rids.next(), (key, "value"), blind=True)
            if wants:
                wants.clear()
                await env.spill(large)
        assert large.writes.size_bytes < 20_000
        assert large.overlay("t").by_key[5][1] == (5, "value")  # type: ignore[union-attr,index]
        ts = await large.commit()
        await env.apply_le(ts)
        shard = await env.shard("t")
        assert sorted((await shard.read(ts)).column("key").to_pylist()) == list(range(1_000))
        assert (await shard.read(ts - 1)).column("key").to_pylist() == [-1]

    asyncio.run(main())


def test_without_anybody_to_spill_it_a_transaction_has_a_size() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        transaction = env.begin()
        with pytest.raises(TransactionTooLarge):
            for key in range(1_000):
                transaction.insert("t", key, env.rids.next(), (key, "x" * 100))
        transaction.rollback()

    run(scenario, transaction_memory_max_bytes=10_000)


# --- transactions ------------------------------------------------------------------------------


def test_read_only_transactions_cost_no_append_and_never_fail() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        reader = env.begin(read_only=True)
        reader.reads.whole("t")
        await put(env, 1)
        seqno = env.txns.seqno
        assert await reader.commit() == reader.read_ts
        assert env.txns.seqno == seqno
        with pytest.raises(TransactionOver):
            await reader.commit()

    run(scenario)


def test_a_refused_transaction_lets_go_of_everything() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        loser = env.begin()
        loser.reads.whole("t")
        await env.locks.lock(loser, "t", 5)
        loser.insert("t", 5, env.rids.next(), (5, "x"))
        await put(env, 1)
        with pytest.raises(SerializationFailure) as caught:
            await loser.commit()
        assert "rows of t" in caught.value.detail and caught.value.hint
        assert env.locks.is_free("t", 5) and len(env.holds) == 0 and env.open_transactions == 0

    run(scenario)


def test_what_a_refused_transaction_knew_is_freed_with_its_error() -> None:
    """Without the cycle collector, which would find the whole group behind the frames of the error's traceback."""

    async def scenario(stores: Stores, env: Environment) -> None:
        await put(env, 1)
        first, second = env.begin(), env.begin()
        for transaction in (first, second):
            transaction.insert("t", 1, env.rids.next(), (1, "y"))
        refused: list[weakref.ref[BaseException]] = []

        async def commit(transaction: Transaction) -> None:
            try:
                await transaction.commit()
            except SerializationFailure as error:
                refused.append(weakref.ref(error))

        await asyncio.gather(commit(first), commit(second))
        assert [error() for error in refused] == [None]

    gc.disable()
    try:
        run(scenario)
    finally:
        gc.enable()


def test_as_of_reads_inside_retention_only() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        old = await put(env, 1)
        stores.clock.now += 10_000_000
        await put(env, 2)
        assert env.begin(as_of=old).read_only
        env.begin(as_of=old).rollback()
        for transaction in list(env.transactions):
            transaction.rollback()
        await env.upkeep.work()
        with pytest.raises(TransactionExpired, match="no longer readable"):
            env.begin(as_of=old)
        with pytest.raises(ValueError, match="not come yet"):
            env.begin(as_of=env.oracle.read_ts() + 1)

    run(scenario, retention_s=5.0)


def test_the_present_can_be_made_readable_and_stays_as_it_is() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        stores.clock.now += 5_000_000
        now = stores.clock.now
        await env.readable(now)
        reader = env.begin(as_of=now)
        assert await put(env, 1) > now
        reader.rollback()
        with pytest.raises(ValueError, match="future"):
            await env.readable(stores.clock.now + 3_600_000_000)

    run(scenario)


def test_a_clock_that_is_set_ends_no_transaction() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        slow = env.begin()
        begun = stores.clock.now
        times = [slow.read_ts]
        for hours in (48, -3, 24 * 365 * 10, 0):
            stores.clock.now = begun + hours * 3_600_000_000
            times.append(await put(env, len(times)))
            await env.upkeep.work()
            slow.check_readable()
            assert env.holds.since <= slow.read_ts
        assert times == sorted(set(times))
        slow.insert("t", 9, env.rids.next(), (9, "x"))
        assert await slow.commit() > times[-1]
        late = env.begin()  # taken while the clock was ahead, or after: it grows old all the same
        stores.clock.now = begun
        stores.passed_s += 20
        await put(env, 10)
        await env.upkeep.work()
        with pytest.raises(TransactionExpired):
            late.check_readable()

    run(scenario, retention_s=1.0, hold_age_max_s=10.0)


def test_a_snapshot_held_for_too_long_expires_with_a_clear_error() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        told: list[int] = []
        env.holds.on_since.append(told.append)
        slow = env.begin()
        stores.clock.now += 5_000_000
        await put(env, 1)
        await env.upkeep.work()
        assert env.holds.since <= slow.read_ts
        stores.clock.now += 20_000_000
        stores.passed_s += 20
        await put(env, 2)
        await env.upkeep.work()
        assert told[-1] > slow.read_ts
        with pytest.raises(TransactionExpired):
            slow.check_readable()
        slow.insert("t", 9, env.rids.next(), (9, "x"))
        with pytest.raises(TransactionExpired):
            await slow.commit()

    run(scenario, retention_s=1.0, hold_age_max_s=10.0)


def test_a_transaction_older_than_the_conflict_window_expires() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        old = env.begin()
        old.reads.point("t", 1)
        for key in range(100, 140):
            await put(env, key)
        env.conflicts.collect(0)
        old.insert("t", 1, env.rids.next(), (1, "x"))
        with pytest.raises(TransactionExpired, match="window"):
            await old.commit()
        young = env.begin()
        young.reads.point("t", 1)
        young.insert("t", 1, env.rids.next(), (1, "x"))
        await young.commit()

    run(scenario, conflict_keys_max=10)


def test_read_committed_validation_survives_collection() -> None:
    """What a statement has written is validated against that statement's snapshot, however old it is."""

    async def scenario(stores: Stores, env: Environment) -> None:
        rid = env.rids.next()
        first = env.begin()
        first.insert("t", 1, rid, (1, "a"))
        await first.commit()
        slow = env.begin(Isolation.READ_COMMITTED)
        slow.delete("t", 1, rid)
        rival = env.begin(Isolation.READ_COMMITTED)
        rival.delete("t", 1, rid)
        await rival.commit()
        slow.new_statement()
        await env.upkeep.work()
        with pytest.raises(SerializationFailure):
            await slow.commit()

    run(scenario)


def test_who_locked_a_table_hears_of_writers_after_collection() -> None:
    """However far the snapshot has moved since, and whatever has been forgotten that no snapshot asks about."""

    async def scenario(stores: Stores, env: Environment) -> None:
        locker = env.begin(Isolation.READ_COMMITTED)
        locker.locked["t"] = locker.read_ts
        await put(env, 1)
        locker.new_statement()
        locker.insert("t", 2, env.rids.next(), (2, "x"))
        await env.upkeep.work()
        with pytest.raises(SerializationFailure):
            await locker.commit()

    run(scenario)


def test_the_number_of_open_transactions_is_bounded() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        env.begin()
        env.begin()
        with pytest.raises(TxnError, match="more than 2"):
            env.begin()

    run(scenario, transactions_max=2)


# --- upkeep ------------------------------------------------------------------------------------


def test_upkeep_that_fails_is_tried_again() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        class Down:
            down = True

            async def before(self, op: str, shard: str) -> None:
                if self.down and shard == "t":
                    raise Indeterminate("the network is down")

            async def after(self, op: str, shard: str) -> None: ...
            def before_now(self, op: str, shard: str) -> None: ...
            def after_now(self, op: str, shard: str) -> None: ...

        stores.consensus.faults = faults = Down()
        ts = await put(env, 1)
        for _ in range(2):
            await env.upkeep.work()
        assert env.upkeep.failed_passes >= 1 and env.outstanding("t")
        faults.down = False
        await env.upkeep.work()
        assert not env.outstanding("t")
        assert (await (await env.shard("t")).read(ts)).num_rows == 1

    run(scenario, apply_idle_s=0.0)


def test_closing_answers_refuses_and_leaves_all_applied() -> None:
    async def scenario(stores: Stores, env: Environment) -> None:
        ts = await put(env, 1)
        left_open = env.begin()
        await env.close()
        await env.close()
        assert not left_open.is_open
        late = env.begin()
        late.insert("t", 2, env.rids.next(), (2, "x"))
        with pytest.raises(CommitFailed, match="closed"):
            await late.commit()
        entries = await stores.consensus.scan(SHARD, 1)
        assert len(entries) == 1
        again = await stores.open(seed=1)
        assert not again.outstanding("t")
        assert (await (await again.shard("t")).read(ts)).num_rows == 1

    run(scenario)


def test_entries_read_back_as_they_were_written() -> None:
    entry = Entry(
        3,
        77,
        writes={"t": [("+", 1, b"rows"), ("-", 2, "t/w/key.parquet", 100, 5, 1, 2)]},
        tidy={"t": (70, 3)},
        register=[("u", b"schema")],
        forget=["v"],
        retract=[("w", 3, b"schema")],
        rids=1000,
        leases={"s": 5},
        unlease=["r"],
        bury=["x"],
        reserve=99,
        since=50,
        mode="leased",
    )
    assert decode(encode(entry)) == entry
    assert decode(encode(Entry(1, 0))).is_empty  # type: ignore[union-attr]
    for damaged in (b"", b"\xc1", encode(entry)[:-3], b"\x93\x01\xa1e\x01", b"\x02"):
        with pytest.raises(CorruptBlob):
            decode(damaged)
