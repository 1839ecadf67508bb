"""`tidewire verify`: a sound store is found sound, and each kind of damage is found and named."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from executor.catalogs import CATALOG_SCHEMA
from executor.catalogs import CATALOG_SHARD as EXECUTOR_SHARD
from pipeline.jobs.verify import (
    CATALOG_COLUMNS,
    CATALOG_SHARD,
    VerifyReport,
    WallClock,
    verify,
    verify_stores,
)
from storage.abc import Consensus, LogEntry
from storage.blob import open_blob
from storage.consensus import open_consensus
from storage.parts import inline_inserts, timed_inserts
from storage.rows import FIELD_ID
from storage.shard import Shard
from storage.shard.state import Rollup, Stamp, State, encode_rollup
from tests.server.process import ServerProcess
from tidewire.cli import app
from txn import log_entry
from txn.txns_shard import TxnsShard

SETUP = """
CREATE TABLE big (id int PRIMARY KEY, name text NOT NULL, code text UNIQUE);
INSERT INTO big SELECT i, 'name ' || i, 'code' || i FROM generate_series(1, 20000) AS i;
DELETE FROM big WHERE id % 1000 = 0;
UPDATE big SET name = 'changed' WHERE id % 500 = 1;
CREATE TABLE small (a int, b jsonb);
INSERT INTO small VALUES (1, '{}'), (2, NULL);
CREATE TABLE never_written (x int);
ALTER TABLE big ADD COLUMN later int DEFAULT 3;
INSERT INTO big VALUES (30000, 'after', NULL, 4);
"""


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of a server that was killed and one that was stopped."""
    folder = tmp_path_factory.mktemp("verify") / "data"
    server = ServerProcess(folder).start()
    with server.connect() as client:
        client.execute(SETUP)  # type: ignore[arg-type]
    server.kill()
    server.start()
    with server.connect() as client:
        client.execute("INSERT INTO small VALUES (3, NULL)")
    assert server.stop() == 0
    return folder


@pytest.fixture
def data(stopped: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(stopped, tmp_path / "data"))


def check(folder: Path) -> VerifyReport:
    return verify_stores((folder / "blob").as_uri(), f"log:///{folder / 'consensus.log'}")


async def opened(folder: Path, shard: str, schema: pa.Schema | None = None) -> Shard:
    return await Shard.open(
        shard,
        blob=await open_blob((folder / "blob").as_uri()),
        consensus=await open_consensus(f"log:///{folder / 'consensus.log'}"),
        clock=WallClock(),
        rng=random.Random(),
        schema=schema,
    )


def largest_part(folder: Path) -> Path:
    """The largest Parquet part of the newest shard that has any: its table was not rewritten since."""

    async def find() -> str:
        keys: list[tuple[int, int, str]] = []
        for name in await shards(folder):
            if name not in ("txns", "catalog"):
                state = (await opened(folder, name)).state
                keys += [(int(name[1:]), p.size_bytes, p.key) for _, p in state.parts if p.key is not None]
        return max(keys)[2]

    return folder / "blob" / asyncio.run(find())


async def shards(folder: Path) -> list[str]:
    return await (await open_consensus(f"log:///{folder / 'consensus.log'}")).shards()


def test_a_sound_store(data: Path) -> None:
    report = check(data)
    assert report.problems == []
    counts = {s.name: s.rows for s in report.shards}
    assert counts["big"] == 20000 - 20 + 1 and counts["small"] == 3 and counts["never_written"] == 0
    assert "all is well" in str(report)


def test_it_runs_beside_a_server(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server, server.connect() as client:
        client.execute("CREATE TABLE t (id int PRIMARY KEY)")
        client.execute("INSERT INTO t SELECT * FROM generate_series(1, 1000)")
        report = check(tmp_path / "data")
        assert report.problems == []
        client.execute("INSERT INTO t VALUES (1001)")
        assert server.running


def test_a_flipped_bit(data: Path) -> None:
    part = largest_part(data)
    damaged = bytearray(part.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    part.write_bytes(damaged)
    (problem,) = check(data).problems
    assert "table big" in problem.where and part.name in problem.what and "checksum" in problem.what


def test_a_short_part(data: Path) -> None:
    part = largest_part(data)
    part.write_bytes(part.read_bytes()[:-100])
    (problem,) = check(data).problems
    assert part.name in problem.what and "bytes instead of" in problem.what


def test_a_part_that_is_gone(data: Path) -> None:
    part = largest_part(data)
    part.unlink()
    (problem,) = check(data).problems
    assert part.name in problem.what


def test_a_blob_that_nobody_needs_is_no_problem(data: Path) -> None:
    before = check(data).unnamed_blobs
    (data / "blob" / "t1").mkdir(exist_ok=True)
    (data / "blob" / "t1" / "orphan.parquet").write_bytes(b"x" * 10)
    after = check(data)
    assert after.problems == [] and after.unnamed_blobs == before + 1


def flipped(entry: bytes, place: float) -> bytes:
    damaged = bytearray(entry)
    damaged[place if isinstance(place, int) else int(place * len(damaged))] ^= 4
    return bytes(damaged)


PLACES = [1, 0.3, 0.5, 0.9, -1]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", ["txns", "catalog"])
def test_a_flipped_bit_in_the_log_file(data: Path, name: str, place: float) -> None:
    async def newest() -> bytes:
        entry = await (await open_consensus(f"log:///{data / 'consensus.log'}")).head(name)
        assert entry is not None
        return entry.data

    entry, log = asyncio.run(newest()), data / "consensus.log"
    whole = log.read_bytes()
    assert whole.count(entry) == 1
    log.write_bytes(whole.replace(entry, flipped(entry, place)))
    assert "is not what was written" in str(check(data).problems[0])
    result = CliRunner().invoke(app, ["verify", "--data-dir", str(data)])
    assert result.exit_code == 1 and "WRONG" in result.stdout


class Flipping:
    """A consensus whose newest entry of one shard is not what was written, and that does not notice."""

    def __init__(self, sound: Consensus, name: str, place: float) -> None:
        self._sound, self._name, self._place = sound, name, place

    def __getattr__(self, attribute: str) -> object:
        return getattr(self._sound, attribute)

    async def head(self, shard: str) -> LogEntry | None:
        entry = await self._sound.head(shard)
        if entry is None or shard != self._name:
            return entry
        return LogEntry(entry.seqno, flipped(entry.data, self._place))

    async def scan(self, shard: str, from_seqno: int, limit: int = 10_000) -> list[LogEntry]:
        entries = await self._sound.scan(shard, from_seqno, limit)
        newest = await self.head(shard)
        return [newest if newest is not None and e.seqno == newest.seqno else e for e in entries]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", ["txns", "catalog"])
def test_a_flipped_bit_in_any_log(data: Path, name: str, place: float) -> None:
    """Whatever the logs are kept in, an entry has a checksum of its own."""

    async def run() -> VerifyReport:
        consensus = await open_consensus(f"log:///{data / 'consensus.log'}")
        blob = await open_blob((data / "blob").as_uri())
        return await verify(blob, cast("Consensus", Flipping(consensus, name, place)))

    assert "checksum" in str(asyncio.run(run()).problems[0])


class Rewritten:
    """A consensus in which some logs are one entry each: a rollup of a state that no server would have written."""

    def __init__(self, sound: Consensus, logs: dict[str, LogEntry]) -> None:
        self._sound, self._logs = sound, logs

    def __getattr__(self, attribute: str) -> object:
        return getattr(self._sound, attribute)

    async def head(self, shard: str) -> LogEntry | None:
        return self._logs[shard] if shard in self._logs else await self._sound.head(shard)

    async def scan(self, shard: str, from_seqno: int, limit: int = 10_000) -> list[LogEntry]:
        if shard not in self._logs:
            return await self._sound.scan(shard, from_seqno, limit)
        return [self._logs[shard]] if from_seqno <= self._logs[shard].seqno else []


Lie = Callable[[State, dict[str, Any]], State]
"""(a table's state, the txns log's) -> what the table's is said to be; the txns log's it changes in place."""


def _since_beyond(state: State, txns: dict[str, Any]) -> State:
    return replace(state, since=state.upper + 5)


def _fell_back(state: State, txns: dict[str, Any]) -> State:
    """As if the last apply had never been, although it was tidied."""
    txns["outstanding"].pop(state.shard, None)
    last = txns["last_write"][state.shard]
    kept = tuple((n, p) for n, p in state.parts if p.newest_ts < last)
    return replace(state, upper=last, parts=kept)


def _parts_ahead(state: State, txns: dict[str, Any]) -> State:
    return replace(state, upper=max(p.newest_ts for _, p in state.parts))


def _txns_since_beyond(state: State, txns: dict[str, Any]) -> State:
    txns["since"] = txns["upper"] + 5
    return state


def _txns_fell_back(state: State, txns: dict[str, Any]) -> State:
    txns["upper"] = txns["last_write"][state.shard]
    return state


FRONTIERS: list[tuple[Lie, str]] = [
    (_since_beyond, "table big (shard {shard}): since {since} is beyond upper {upper}"),
    (_fell_back, "table big (shard {shard}): the commit at {last} is neither applied (upper {upper}) nor outstanding"),
    (_parts_ahead, "table big (shard {shard}): a part at {upper} is beyond upper {upper}"),
    (_txns_since_beyond, "txns log: since {log_since} is beyond upper {log_upper}"),
    (_txns_fell_back, "table big (shard {shard}): a commit at {last} is beyond the log's upper {log_upper}"),
]  # fmt: skip


@pytest.mark.parametrize(("lie", "said"), FRONTIERS, ids=lambda v: getattr(v, "__name__", ""))
def test_frontiers_that_cannot_be(data: Path, lie: Lie, said: str) -> None:
    """Logs whose entries are all well formed, and say what cannot have come to pass."""

    shard = largest_part(data).relative_to(data / "blob").parts[0]

    async def run() -> tuple[VerifyReport, str]:
        blob = await open_blob((data / "blob").as_uri())
        consensus = await open_consensus(f"log:///{data / 'consensus.log'}")
        log = TxnsShard(consensus, blob, lambda: b"")
        await log.load()
        txns = log.state.to_plain()
        sound = (await opened(data, shard)).state
        state = lie(sound, txns)
        logs = {
            shard: LogEntry(sound.seqno + 1, encode_rollup(Rollup(state), Stamp(b"nobody", 1, 0))),
            "txns": LogEntry(log.seqno + 1, log_entry.encode_rollup(log_entry.Rollup(1, txns))),
        }
        report = await verify(blob, cast("Consensus", Rewritten(consensus, logs)))
        return report, said.format(
            shard=shard, since=state.since, upper=state.upper, last=txns["last_write"][shard],
            log_since=txns["since"], log_upper=txns["upper"],
        )  # fmt: skip

    report, expected = asyncio.run(run())
    assert expected in map(str, report.problems)
    assert str(report).count("WRONG") == len(report.problems)


def test_a_key_that_exists_twice(tmp_path: Path) -> None:
    """Rows that no server would have committed, appended behind its back with flawless checksums."""
    folder = tmp_path / "data"
    server = ServerProcess(folder).start()
    with server.connect() as client:
        client.execute("CREATE TABLE t (id int PRIMARY KEY, v text NOT NULL)")
        client.execute("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    assert server.stop() == 0
    (shard_id,) = set(asyncio.run(shards(folder))) - {"txns", "catalog"}

    async def tamper() -> None:
        fields = [("id", pa.int32()), ("v", pa.string())]
        schema = pa.schema(
            [pa.field(n, k, metadata={FIELD_ID: b"%d" % i}) for i, (n, k) in enumerate(fields, 1)]
        )
        shard = await opened(folder, shard_id, schema)
        upper = shard.upper
        rows = [
            inline_inserts([(1, (1, "again")), (2, (7, None))], upper),
            inline_inserts([(2, (8, "x"))], upper + 1),
        ]
        await shard.append(rows, upper, upper + 2)

    asyncio.run(tamper())
    found = "\n".join(map(str, check(folder).problems))
    assert "1 row ids were inserted twice" in found
    assert '1 nulls in column "v", which is NOT NULL' in found
    assert 'key (1) of "t_pkey" exists 2 times' in found
    result = CliRunner().invoke(app, ["verify", "--data-dir", str(folder)])
    assert result.exit_code == 1 and "WRONG" in result.stdout


def test_parts_that_are_not_as_they_are_described(tmp_path: Path) -> None:
    """What readers skip parts by: row ids and times."""
    folder = tmp_path / "data"
    server = ServerProcess(folder).start()
    with server.connect() as client:
        client.execute("CREATE TABLE t (id int PRIMARY KEY)")
        client.execute("INSERT INTO t VALUES (1), (2)")
    assert server.stop() == 0
    (shard_id,) = set(asyncio.run(shards(folder))) - {"txns", "catalog"}

    async def tamper() -> int:
        schema = pa.schema([pa.field("id", pa.int32(), metadata={FIELD_ID: b"1"})])
        shard = await opened(folder, shard_id, schema)
        upper = shard.upper
        numbered = replace(inline_inserts([(1 << 40, (10,))], upper), rid_min=7)
        timed = replace(timed_inserts([(1 << 41, upper + 1, (20,))], 1), ts_max=upper + 1_000)
        await shard.append([numbered], upper, upper + 1)
        await shard.append([timed], upper + 1, upper + 2_000)
        return upper + 1

    upper = asyncio.run(tamper())
    found = "\n".join(map(str, check(folder).problems))
    assert f"row ids {1 << 40} to {1 << 40}, described as 7 to {1 << 40}" in found
    assert f"row id {1 << 41} was never handed out" in found
    assert f"times {upper} to {upper} are not the described ones" in found


def test_the_command_on_a_sound_store_and_on_nothing(data: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    assert runner.invoke(app, ["verify", "--data-dir", str(data)]).exit_code == 0
    empty = runner.invoke(app, ["verify", "--data-dir", str(tmp_path / "nothing")])
    assert empty.exit_code == 2 and "consensus.log" in empty.stderr
    missing = tmp_path / "a blob store"
    for job in ("verify", "compact"):
        refused = runner.invoke(app, [job, "--data-dir", str(data), "--blob", missing.as_uri()])
        assert refused.exit_code == 2 and f"there is no folder {missing}" in refused.stderr
    assert not missing.exists(), "who only looks makes no folders"


def test_it_looks_where_the_executor_keeps_the_catalog() -> None:
    assert EXECUTOR_SHARD == CATALOG_SHARD
    assert tuple(CATALOG_SCHEMA.names) == CATALOG_COLUMNS
