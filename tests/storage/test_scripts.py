"""Golden scripts of the shard: see `scripts/*.txt`, and `tests/golden.py` for the form.

Each client is a process with its own handle. Words of the language:

    open | refresh | state | log                 what this process knows; the shared log
    schema a:int64 b:string                      register or evolve
    append LOWER UPPER [@T] +RID:a,b ... -RID    compare-and-append; @T sets the time of what follows
    apply UPPER [@T] +RID:a,b ... -RID           the same, leaving out what is there already
    advance T | allow T                          move upper; let since move
    read T | snapshot T | changes AFTER UPTO     rows; parts
    lease R SECONDS [T] | renew R [T] | release R | hold R [T] | unhold R | expire
    stage +RID:a,b ...                           the next append's rows go to a Parquet part
    compact | rollup | gc | orphans | blobs
    clock +SECONDS                               time passes
    lose N | fail N                              the N-th hook from now: answer lost / refused
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from storage import gc
from storage.abc import Part, Row, StorageError
from storage.compaction import Compactor
from storage.compaction_jobs import CompactionLimits
from storage.parts import PartLimits, inline_deletes, inline_inserts
from storage.shard import LogLimits, Shard
from storage.shard.readers import CriticalReader, LeasedReader
from storage.shard.state import Rollup, decode_entry
from tests import golden
from tests.storage.world import Script, World, lost, refused

FOLDER = Path(__file__).parent / "scripts"
TYPES = {"int64": pa.int64(), "string": pa.string(), "date": pa.date32()}


class Interpreter:
    def __init__(self) -> None:
        self.world = World(
            part_limits=PartLimits(inline_bytes_max=200),
            log_limits=LogLimits(rollup_entries=8, inline_rollup_bytes_max=300),
        )
        self.shards: dict[str, Shard] = {}
        self.readers: dict[tuple[str, str], LeasedReader | CriticalReader] = {}
        self.names: dict[str, str] = {}

    async def run(self, client: str, text: str) -> str:
        verb, *words = text.split()
        if verb == "clock":
            self.world.clock.us += int(words[0]) * 1_000_000
            return ""
        if verb in ("lose", "fail"):
            self.world.fail(Script({int(words[0]): lost() if verb == "lose" else refused()}))
            return ""
        if verb == "open":
            self.shards[client] = await self.world.open()
            return self._frontiers(self.shards[client])
        shard = self.shards[client]
        answer = await getattr(self, verb)(client, shard, *words)
        assert isinstance(answer, str)
        return answer

    # --- what it is --------------------------------------------------------------------------------

    async def state(self, client: str, shard: Shard) -> str:
        lines = [self._frontiers(shard)]
        lines += [f"part {number} {self._part(part)}" for number, part in shard.state.parts]
        now = self.world.clock.us
        lines += [
            f"lease {name} since={lease.since} for {(lease.expires_us - now) // 1_000_000}s"
            for name, lease in shard.state.leased.items()
        ]
        lines += [f"hold {name} since={since}" for name, since in shard.state.critical.items()]
        lines += [f"garbage {self._name(g.key)} from {g.seqno}" for g in shard.state.garbage]
        return "\n".join(lines)

    async def log(self, client: str, shard: Shard) -> str:
        entries = await self.world.consensus.scan("s", 1)
        return " ".join(
            f"{e.seqno}{'R' if isinstance(decode_entry('s', e.data)[1], Rollup) else ''}" for e in entries
        )

    async def blobs(self, client: str, shard: Shard) -> str:
        return "\n".join(sorted(self._name(key) for key in self.world.blob.blobs)) or "none"

    async def refresh(self, client: str, shard: Shard) -> str:
        await shard.refresh()
        return self._frontiers(shard)

    # --- writing -----------------------------------------------------------------------------------

    async def schema(self, client: str, shard: Shard, *words: str) -> str:
        fields = [word.split(":") for word in words]
        await shard.register(pa.schema([(name, TYPES[kind]) for name, kind in fields]))
        return ""

    async def append(self, client: str, shard: Shard, lower: str, upper: str, *words: str) -> str:
        await shard.append(self._parts(shard, words, int(lower)), int(lower), int(upper))
        return f"upper={shard.upper}"

    async def apply(self, client: str, shard: Shard, upper: str, *words: str) -> str:
        applied = await shard.apply(self._parts(shard, words, 0), int(upper))
        return f"upper={shard.upper}" if applied else f"there already, upper={shard.upper}"

    async def stage(self, client: str, shard: Shard, at: str, upper: str, *words: str) -> str:
        """A Parquet part is written before its time is known, then appended at `at`."""
        schema = shard.schema
        assert schema is not None
        staged = []
        for part in self._parts(shard, words, 0):
            table = await shard.fetch(part)
            staged.append(await shard.parts.write("s", part.kind, table))
        await shard.append([part.at(int(at)) for part in staged], shard.upper, int(upper))
        return f"upper={shard.upper}"

    async def advance(self, client: str, shard: Shard, upper: str) -> str:
        await shard.advance_upper(int(upper))
        return f"upper={shard.upper}"

    async def allow(self, client: str, shard: Shard, since: str) -> str:
        return f"since={await shard.allow_since(int(since))}"

    def _parts(self, shard: Shard, words: tuple[str, ...], ts: int) -> list[Part]:
        inserts: dict[int, list[tuple[int, Row]]] = {}
        deletes: dict[int, list[int]] = {}
        for word in words:
            if word[0] == "@":
                ts = int(word[1:])
            elif word[0] == "+":
                rid, _, values = word[1:].partition(":")
                inserts.setdefault(ts, []).append((int(rid), self._row(shard, values)))
            else:
                deletes.setdefault(ts, []).append(int(word[1:]))
        parts = [inline_inserts(rows, at) for at, rows in inserts.items()]
        return parts + [inline_deletes(rids, at) for at, rids in deletes.items()]

    @staticmethod
    def _row(shard: Shard, values: str) -> Row:
        schema = shard.schema or pa.schema([("a", pa.string())])
        texts = values.split(",")
        return tuple(
            [
                None if t == "null" else t if pa.types.is_string(f.type) else int(t)
                for f, t in zip(schema, texts, strict=True)
            ]
        )

    # --- reading -----------------------------------------------------------------------------------

    async def read(self, client: str, shard: Shard, as_of: str) -> str:
        table = (await shard.read(int(as_of))).sort_by("_rid")
        lines = [
            f"{row.pop('_rid')}: {', '.join(f'{k}={v}' for k, v in row.items())}" for row in table.to_pylist()
        ]
        return "\n".join(lines) or "no rows"

    async def snapshot(self, client: str, shard: Shard, as_of: str) -> str:
        return "\n".join(self._part(p) for p in await shard.snapshot(int(as_of))) or "no parts"

    async def changes(self, client: str, shard: Shard, after: str, upto: str) -> str:
        return "\n".join(self._part(p) for p in await shard.changes(int(after), int(upto))) or "no parts"

    # --- readers -----------------------------------------------------------------------------------

    async def lease(self, client: str, shard: Shard, name: str, seconds: str, since: str = "") -> str:
        handle = await shard.lease(name, int(seconds) * 1_000_000, int(since) if since else None)
        self.readers[client, name] = handle
        return f"since={handle.since}"

    async def renew(self, client: str, shard: Shard, name: str, since: str = "") -> str:
        handle = self.readers[client, name]
        assert isinstance(handle, LeasedReader)
        await handle.renew(int(since) if since else None)
        return f"since={handle.since}"

    async def release(self, client: str, shard: Shard, name: str) -> str:
        await self.readers[client, name].release()
        return ""

    async def hold(self, client: str, shard: Shard, name: str, since: str = "") -> str:
        handle = await shard.hold(name, int(since) if since else None)
        self.readers[client, name] = handle
        return f"since={handle.since}"

    unhold = release

    async def expire(self, client: str, shard: Shard) -> str:
        await shard.expire_readers()
        return ""

    # --- housekeeping ------------------------------------------------------------------------------

    async def compact(self, client: str, shard: Shard) -> str:
        limits = CompactionLimits(inline_parts_max=3, fanout=3)
        jobs = await Compactor(shard, sort_by=("a",), limits=limits).run()
        return f"{jobs} jobs\n" + "\n".join(f"part {n} {self._part(p)}" for n, p in shard.state.parts)

    async def rollup(self, client: str, shard: Shard) -> str:
        await shard.log.roll_up()
        return await self.log(client, shard)

    async def gc(self, client: str, shard: Shard) -> str:
        return f"{await gc.collect(shard)} deleted"

    async def orphans(self, client: str, shard: Shard) -> str:
        return f"{await gc.collect_orphans(shard)} deleted"

    # --- words for things --------------------------------------------------------------------------

    @staticmethod
    def _frontiers(shard: Shard) -> str:
        return f"seqno={shard.state.seqno} since={shard.since} upper={shard.upper}"

    def _part(self, part: Part) -> str:
        times = f"{part.ts}..{part.ts_max}" if part.has_ts else str(part.ts)
        where = "inline" if part.key is None else self._name(part.key)
        return f"{part.kind} @{times} {part.row_count} rows, rids {part.rid_min}..{part.rid_max}, {where}"

    def _name(self, key: str) -> str:
        return self.names.setdefault(key, f"blob{len(self.names) + 1}")


@pytest.mark.parametrize("path", golden.scripts(FOLDER), ids=lambda p: p.stem)
def test_script(path: Path) -> None:
    golden.run_script(path, Interpreter().run, errors=(StorageError,))


def test_a_wrong_expectation_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner itself must be able to fail."""
    monkeypatch.delenv("UPDATE_GOLDEN", raising=False)
    script = tmp_path / "wrong.txt"
    script.write_text("a: open\n---\na: seqno=0 since=0 upper=7\n")
    with pytest.raises(AssertionError, match="upper=7"):
        golden.run_script(script, Interpreter().run)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("a: open\n\n---\n", "without '---'"), ("---\nx\n", "output without"), ("a: open\n", "last block")],
)
def test_what_is_no_script_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        golden.parse(text)


def test_continued_lines_and_comments_and_clients() -> None:
    (block,) = golden.parse("# why\na: select 1,\n    2\nplain\n---\n1\n")
    assert block.commands == [("a", "select 1,\n2"), ("", "plain")]
    assert block.head[0] == "# why" and block.expected == ["1"]
