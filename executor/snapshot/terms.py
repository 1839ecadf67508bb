"""Rows by their terms: what CREATE INDEX ... USING gin is searched by (`planner.terms`).

    DuckDB's table    every version, by its row id       _from <= upto            | since
    chunks            term -> row ids, a quarter of a million rows each            |
    a search          the ids that the terms lead to     (_rid IN (...)            OR _from > upto)

Versions never change, and a row id is one version's: so an index of all that DuckDB was told up to a time stays right for ever,
whatever is deleted, and serves readers of any time. What came since is looked at by the query itself, which asks its conditions of all
rows in any case. When that has become much, the index is extended by chunks of it.

DuckDB makes the chunks, one after the other on one thread, when somebody first asks; until then, and where nothing can be looked for,
a query looks through the table. A term that every eighth row of a chunk has leads nowhere and is not kept. All indexes together take
`SnapshotLimits.terms_bytes_max`; which of them have not been used for a while make room, and one that finds none is not kept at all.
"""

from __future__ import annotations

import sys
import time
import weakref
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from executor.snapshot.columns import bytes_of
from executor.snapshot.pending import BULK
from executor.snapshot.versions import UniqueMap, Versions
from planner.abc import SqlError, Table
from planner.searches import TermsIndex
from planner.terms import Some, Term, Terms, terms_sql
from planner.types.arrow_columns import one_array
from storage.abc import Row, Timestamp
from txn.abc import Key

if TYPE_CHECKING:
    from executor.snapshot.image import TableImage
    from executor.snapshot.physical import Physical

Ids = np.ndarray[Any, np.dtype[Any]]
RunQuery = Callable[[str], Awaitable[pa.Table]]
"""Runs a query of DuckDB's and gives the whole of it."""

CHUNK_ROWS: Final = 1 << 18
BUCKET: Final = 1 << 16
"""Row ids are counted by so many."""
SPAN_MAX: Final = (1 << 32) - BUCKET
"""Row ids of one chunk are numbers of four bytes, counted from its first."""
COMMON_ROWS_MIN: Final = 4_096
"""Terms of fewer rows are never too common."""
CHUNKS_MAX: Final = 32
"""Chunks of a quarter of CHUNK_ROWS or less: with more of them the index is made anew."""
IN_USE_S: Final = 60.0
"""Who was asked in this time makes no room for others."""
_ENDING: Final = ("57014", "57P01")
SINCE_MAX: Final = 5_000
"""Keys in memory that are remembered for one index."""
AGAIN_S: Final = 1.0
"""What came since is found out again at most so often, where that was lost."""
BEGINNINGS_MAX: Final = 10_000
"""Terms that begin as is asked."""
SAMPLED: Final = 32
"""Of so many terms one is kept as an object,"""
WHOLE_MAX: Final = 16_384
"""unless a chunk has no more than these: then all are, and a search among them is C's alone."""
FEW: Final = 4
"""Rows of a chunk that are sooner asked what they are than looked for among those of another term."""
NOWHERE: Final[Ids] = np.zeros(0, np.uint32)
NO_IDS: Final[Ids] = np.zeros(0, np.int64)


class Chunk:
    """Terms in order, and for each of them where its rows are; a term that too many rows have leads nowhere."""

    __slots__ = ("base", "rows", "small", "starts", "terms", "unsure")

    def __init__(self, base: int, small: bool, found: pa.Table) -> None:
        self.base, self.small = base, small
        self.unsure = False
        """Whether `ids` has left out a term that too many rows have: not all that it found last need have it."""
        self.terms = _Texts(one_array(found.column("term")))
        lists = one_array(found.column("rows"))
        self.starts: Ids = lists.offsets.to_numpy(zero_copy_only=False)
        self.rows: Ids = lists.values.to_numpy(zero_copy_only=False)
        if lists.null_count:
            common = lists.is_null().to_numpy(zero_copy_only=False)
            ends = self.starts[1:].copy()
            ends[common] = -1 - ends[common]  # whose end is below zero
            self.starts = np.concatenate([self.starts[:1], ends])

    @property
    def size_bytes(self) -> int:
        return self.terms.size_bytes + int(self.starts.nbytes + self.rows.nbytes)

    def ids(self, asked: Terms, wholly: bool) -> Ids | None:
        """Row ids, each once; None: all, for all that is known. `wholly`: of no others than the terms say."""
        self.unsure = False
        rows = self._rows(asked, FEW if not wholly else 0)
        return None if rows is None else np.add(rows, self.base, dtype=np.int64) if len(rows) else NO_IDS

    def _rows(self, asked: Terms, few: int) -> Ids | None:
        if isinstance(asked, Term):
            return self._beginning(asked.text) if asked.begins else self._of(asked.text)
        if isinstance(asked, Some):
            found = [NOWHERE]
            for part in asked.parts:
                rows = self._rows(part, few)
                if rows is None:
                    return None
                found.append(rows)
            return np.unique(np.concatenate(found))
        known = []
        for part in asked.parts:
            rows = self._rows(part, few) if part.__class__ is not Term or part.begins else self._of(part.text)
            if rows is None:
                self.unsure = True
                continue
            if not len(rows):
                return rows
            known.append(rows)
        if not known:
            return None
        if len(known) > 2:  # `both` looks for itself which is shorter
            known.sort(key=len)
        rows = known[0]
        for other in known[1:]:
            if len(rows) <= few:  # whoever asks for the rows looks at these sooner than we here
                break
            rows = both(rows, other)
        return rows

    def _of(self, term: str) -> Ids | None:
        i = self.terms.find(term.encode())
        return NOWHERE if i < 0 else self._at(i)

    def _at(self, i: int) -> Ids | None:
        starts = self.starts.item
        start, end = starts(i), starts(i + 1)
        return None if end < 0 else self.rows[start if start >= 0 else -1 - start : end]

    def _beginning(self, beginning: str) -> Ids | None:
        found = [NOWHERE]
        asked = beginning.encode()
        first = self.terms.place(asked)
        for i in range(first, min(len(self.terms), first + BEGINNINGS_MAX)):
            if not self.terms[i].startswith(asked):
                return np.unique(np.concatenate(found))
            rows = self._at(i)
            if rows is None:
                return None
            found.append(rows)
        return np.unique(np.concatenate(found)) if first + BEGINNINGS_MAX >= len(self.terms) else None


def both(few: Ids, many: Ids) -> Ids:
    """What two arrays have in common, of which each is in order and has nothing twice: a search for each of the first."""
    if len(few) > len(many):
        few, many = many, few
    if not len(few):
        return few
    at = many.searchsorted(few)
    if at[-1] == len(many):  # behind all of them
        at[at == len(many)] = 0
    found: Ids = few[many[at] == few]
    return found


class _Texts:
    """Texts in the order of their bytes; all of a few, and each so-manieth of many, as objects of their own, for a search in them is
    C's alone."""

    __slots__ = ("_data", "_ends", "_sample", "_step", "size_bytes")

    def __init__(self, texts: pa.Array) -> None:
        self._data, self._ends = bytes_of(texts)
        self._step = 1 if len(self) <= WHOLE_MAX else SAMPLED
        self._sample = [self[i] for i in range(0, len(self), self._step)]
        self.size_bytes = int(texts.nbytes) + sum(map(sys.getsizeof, self._sample)) + 8 * len(self._sample)

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, i: int) -> bytes:
        ends = self._ends
        return bytes(self._data[ends[i] : ends[i + 1]])

    def place(self, text: bytes) -> int:
        """Of the first that is not before this one."""
        step = self._step
        last = bisect_left(self._sample, text) * step
        if step == 1 or not last:
            return last
        data, ends = self._data, self._ends
        return bisect_left(
            range(len(ends) - 1),
            text,
            last - step + 1,
            min(last, len(ends) - 1),
            key=lambda i: bytes(data[ends[i] : ends[i + 1]]),
        )

    def find(self, text: bytes) -> int:
        """Its place; -1: it is not there."""
        if self._step == 1:
            sample = self._sample
            i = bisect_left(sample, text)
            return i if i < len(sample) and sample[i] == text else -1
        i = self.place(text)
        return i if i < len(self) and self[i] == text else -1


class TermsKept:
    """All indexes of parts that there are, and how much memory they take."""

    def __init__(self, bytes_max: int) -> None:
        self.bytes_max = bytes_max
        self._all: weakref.WeakSet[TermsOf] = weakref.WeakSet()

    def add(self, index: TermsOf) -> None:
        self._all.add(index)

    def has_room(self, index: TermsOf, size: int) -> bool:
        """For so many bytes of an index; others that nobody has asked for a while are let go of."""
        others = sorted((o for o in self._all if o is not index), key=lambda o: o.used_at)
        taken = size + sum(o.size_bytes for o in others)
        for other in others:
            if taken <= self.bytes_max or other.used_at > time.monotonic() - IN_USE_S:
                break
            taken -= other.size_bytes
            other.let_go()
        return taken <= self.bytes_max


class Since(UniqueMap):
    """The keys under which an image has got rows since this was made, and those that DuckDB had not been told of then."""

    __slots__ = ("keys", "lost", "versions")

    def __init__(self, image: TableImage) -> None:
        super().__init__(0, lambda row: None)
        self.versions: Versions = image.versions
        self.keys: dict[Key, None] = {}
        self.lost = image.flushing is not None or any(op[2] == BULK for op in image.pending)
        """Something came that is not among them, or too much."""
        if not self.lost:
            self.keys.update((op[1], None) for op in image.pending)
            self.versions.uniques.append(self)

    def add(self, _row: Row, key: Key) -> None:
        """As of an index's map, which versions in memory are told to (`Versions.follow`)."""
        if not self.lost:
            self.keys[key] = None
            if len(self.keys) > SINCE_MAX:
                self.lose()

    def clear(self) -> None:
        """Some have left memory."""
        self.lose()

    def lose(self) -> None:
        self.lost, self.keys = True, {}

    def unfollow(self) -> None:
        self.versions.uniques[:] = [u for u in self.versions.uniques if u is not self]
        self.lose()


class TermsOf:
    """One key of an index, of one generation of a table in DuckDB."""

    __slots__ = (
        "__weakref__",
        "_chunks",
        "_counted",
        "_image",
        "_index",
        "_kept",
        "_made_at",
        "_making",
        "_physical",
        "_since",
        "_table",
        "too_large",
        "unsure",
        "upto",
        "used_at",
    )  # fmt: skip

    def __init__(
        self, image: TableImage, physical: Physical, table: Table, index: TermsIndex, kept: TermsKept
    ) -> None:
        self._image, self._physical, self._table, self._index, self._kept = (
            image,
            physical,
            table,
            index,
            kept,
        )
        self._chunks: list[Chunk] = []
        self._counted = 0
        """How many rows DuckDB had been told of."""
        self.unsure = False
        """Whether rows that `ids` found last may lack a term."""
        self._making = False
        self._made_at = 0.0
        self._since: Since | None = None
        """What came since, as keys in memory."""
        self.upto: Timestamp | None = None
        """It knows all versions since before this; None: none."""
        self.too_large = False
        self.used_at = time.monotonic()
        kept.add(self)

    @property
    def oid(self) -> int:
        """The index that it was first made for."""
        return self._index.oid

    @property
    def size_bytes(self) -> int:
        return sum(c.size_bytes for c in self._chunks)

    @property
    def since(self) -> int:
        """Rows that came since, about."""
        return self._physical.inserted - self._counted

    @property
    def is_due(self) -> bool:
        """Whether it is to be made, or extended."""
        if self._making or self.too_large:
            return False
        if self.upto is None or self.since > max(1_000, self._counted // 50):
            return True
        return self._since is not None and self._since.lost and time.monotonic() - self._made_at > AGAIN_S

    def keys_since(self) -> Collection[Key] | None:
        """The keys under which something came since, and perhaps others; None: that is not known."""
        since, image = self._since, self._image
        if since is None or since.lost or self.upto is None or since.versions is not image.versions:
            return None
        if any(run.first > self.upto for run in image.runs):
            since.lose()
            return None
        return since.keys

    def let_go(self) -> None:
        self._follow(None)
        self._chunks, self.upto, self._counted = [], None, 0

    def ids(self, asked: Terms, most: int, wholly: bool = False) -> Ids | None:
        """Row ids of versions up to `upto`, each once; None: there are more than so many, or nothing is known of them.

        `wholly`: of none but those that have the terms.
        """
        self.used_at = time.monotonic()
        found: list[Ids] = []
        count = 0
        self.unsure = False
        for chunk in self._chunks:
            ids = chunk.ids(asked, wholly)
            if ids is None:
                return None
            if len(ids):
                self.unsure |= chunk.unsure
                count += len(ids)
                if count > most:
                    return None
                found.append(ids)
        if len(found) < 2:
            return found[0] if found else NO_IDS
        return np.concatenate(found)

    # --- making it -----------------------------------------------------------------------------------

    async def extend(self, run: RunQuery) -> None:
        """Takes in what DuckDB has been told of since. Raises what DuckDB is refused with, if the table is still there."""
        if self._making:
            return
        self._making = True
        try:
            await self._extend(run)
        except SqlError as e:
            there = any(p is self._physical for p in self._image.generations)
            if there and e.sqlstate not in _ENDING:
                raise  # or else the table was dropped meanwhile, or the server stops
        finally:
            self._making = False

    def _follow(self, since: Since | None) -> None:
        if self._since is not None:
            self._since.unfollow()
        self._since = since

    async def _extend(self, run: RunQuery) -> None:
        since = Since(self._image) if self._image.keyed else None
        try:
            if await self._extended(run):
                self._follow(since)
                since = None
        finally:
            if since is not None:
                since.unfollow()

    async def _extended(self, run: RunQuery) -> bool:
        """Whether there was room for it."""
        upto, counted = self._image.flushed_ts, self._physical.inserted
        small = sum(c.small for c in self._chunks)
        chunks = [] if small >= CHUNKS_MAX else list(self._chunks)
        after = self.upto if chunks else None
        where = f"_from <= {upto}" if after is None else f"_from > {after} AND _from <= {upto}"
        counts = await run(
            f"SELECT _rid // {BUCKET} AS bucket, count(*) AS n FROM {self._physical.name} WHERE {where} GROUP BY bucket ORDER BY bucket"
        )
        buckets = zip(counts.column(0).to_pylist(), counts.column(1).to_pylist(), strict=True)
        for first, last, rows in _stretches(buckets):
            base = first * BUCKET
            there = f"{where} AND _rid >= {base} AND _rid < {(last + 1) * BUCKET}"
            found = await run(self._text(there, base, max(COMMON_ROWS_MIN, rows // 8)))
            chunks.append(Chunk(base, rows <= CHUNK_ROWS // 4, found))
            if not self._kept.has_room(self, sum(c.size_bytes for c in chunks)):
                self.let_go()
                self.too_large = True
                return False
        self._chunks, self.upto, self._counted = chunks, upto, counted
        self._made_at = time.monotonic()
        return True

    def _text(self, where: str, base: int, common: int) -> str:
        index = self._index
        columns = [self._table.index_of(attnum) for attnum in index.columns]
        rows = self._physical.select(where, columns, True, self._table)
        return (
            f"SELECT term, CASE WHEN count(*) <= {common} THEN list(n ORDER BY n) END AS rows FROM ("
            f"SELECT unnest(list_distinct({terms_sql(index.kind, 'v')})) AS term, n FROM ("
            f"SELECT {index.text} AS v, CAST({index.alias}._rid - {base} AS UINTEGER) AS n FROM {rows} AS {index.alias}"
            ") WHERE v IS NOT NULL) GROUP BY term ORDER BY term"
        )


def _stretches(buckets: Any) -> Sequence[tuple[int, int, int]]:
    """(first bucket, last one, rows) of stretches that have the rows of a chunk."""
    out: list[tuple[int, int, int]] = []
    for bucket, rows in buckets:
        if out and out[-1][2] + rows <= CHUNK_ROWS and (bucket - out[-1][0] + 1) * BUCKET <= SPAN_MAX:
            out[-1] = (out[-1][0], bucket, out[-1][2] + rows)
        else:
            out.append((bucket, bucket, rows))
    return out


__all__ = ["Ids", "RunQuery", "TermsKept", "TermsOf"]
