"""COPY FROM in lines: what the text and CSV formats share.

    bytes, cut anywhere --> blocks of whole rows --fast--> Arrow's CSV reader, checked --> batch
                                                 --exact-> row by row                  --> batch

A decoder holds at most one block (about a mebibyte) and the unfinished row behind it. Errors carry
PostgreSQL's CONTEXT: `COPY t, line 3, column b: "x"`.

**Side by side.** Where several blocks have come, Arrow reads them on as many cores at once: what it makes of a block depends on nothing
but the block. Its answers are taken in the blocks' order, and so is the exact way, which knows the line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TYPE_CHECKING, Final, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from executor.columnar.parallel import usable_cores
from pgwire.encoding.binary import decode_utf8
from pgwire.encoding.copy_columns import Block, ColumnReader, Doubt
from planner.abc import ResultColumn, SqlError
from planner.types import DEFAULT_SETTINGS, TypeSettings
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.abc import CopyOptions

BLOCK_BYTES: Final = 1 << 20
ROW_BYTES_MAX: Final = 1 << 30
SHOWN_BYTES_MAX: Final = 100
"""How much of a value or line a CONTEXT shows."""

_CORES: Final = usable_cores()
_READERS: Final = ThreadPoolExecutor(_CORES, thread_name_prefix="copy-reader")
"""Of all COPYs together. They start with the first that has use for them."""

_TRUE: Final = ["t", "true", "y", "yes", "on", "1", "T", "TRUE", "True"]
_FALSE: Final = ["f", "false", "n", "no", "off", "0", "F", "FALSE", "False"]


def bad_format(message: str, hint: str = "") -> SqlError:
    """22P04: the data is not in COPY's format."""
    return SqlError("22P04", message, hint=hint)


def shown(text: str) -> str:
    """A piece of input as a CONTEXT shows it."""
    data = text.encode()
    if len(data) <= SHOWN_BYTES_MAX:
        return text
    return data[:SHOWN_BYTES_MAX].decode("utf-8", "ignore") + "..."


def line_ends(block: bytes) -> int:
    """A third of the time that `bytes.count` takes where lines are short."""
    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == 0x0A)) if block else 0


class LineDecoder:
    """The common part; a format says how to split rows and fields. Feed bytes, then finish."""

    def __init__(
        self,
        columns: Sequence[ResultColumn],
        options: CopyOptions,
        settings: TypeSettings = DEFAULT_SETTINGS,
        table: str = "",
        block_bytes: int = BLOCK_BYTES,
    ) -> None:
        self.table = table
        self.readers = [ColumnReader(c.name, c.type, settings) for c in columns]
        self.schema = pa.schema([pa.field(r.name, _canonical(r)) for r in self.readers])
        self.options = options
        self.row_count = 0
        self.ignored_count = 0
        """Rows left out by ON_ERROR ignore."""
        self._block_bytes = block_bytes
        self._again_bytes = 0
        """How much there is before the end of a row is looked for again: twice as much each time that there was none."""
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._line = 0  # lines before the block at hand
        self._ended = False  # the end-of-data marker was read
        self._header_due = bool(options.header)
        self._names = [str(i) for i in range(len(columns))]
        self._fast_enabled = len(columns) > 0 and len(set(options.delimiter + options.null)) > 0

    # --- what a format defines

    def last_row_end(self, data: bytes) -> int:
        """Where the last whole row of the data ends (0: none does)."""
        raise NotImplementedError

    def first_row_end(self, data: bytes) -> int:
        """Where the first whole row of the data ends (0: none does)."""
        raise NotImplementedError

    def fast_parse_options(self, block: bytes) -> arrow_csv.ParseOptions | None:
        """How Arrow should read the block; None: it should not."""
        raise NotImplementedError

    def rows(self, block: bytes) -> Iterator[tuple[int, bytes]]:
        """(line number within the block, the row without its line end); stops at the end marker."""
        raise NotImplementedError

    def fields(self, row: bytes) -> list[bytes | None]:
        """A row's values, None for NULL. Raises SqlError."""
        raise NotImplementedError

    def lines_in(self, block: bytes, rows: int | None = None) -> int:
        """How many lines a block adds to the count that errors speak of. `rows`: how many Arrow has found in it; None: it was not asked."""
        return line_ends(block) if rows is None else rows

    @property
    def lines_come(self) -> int:
        """How many lines have been fed."""
        return self._line + sum(map(line_ends, self._pending))

    def header_names(self, row: bytes) -> list[str | None]:
        return [None if f is None else decode_utf8(f) for f in self.fields(row)]

    # --- the stream

    def feed(self, data: bytes) -> list[pa.RecordBatch]:
        """Takes more input, cut anywhere. Returns the batches that became complete."""
        if self._ended or not data:
            return []
        self._pending.append(data)
        self._pending_bytes += len(data)
        if self._pending_bytes < max(self._block_bytes, self._again_bytes):
            return []
        whole = b"".join(self._pending) if len(self._pending) > 1 else data
        end = self.last_row_end(whole)
        if not end:
            if len(whole) > ROW_BYTES_MAX:
                raise SqlError("54000", f"a row of COPY data is longer than {ROW_BYTES_MAX} bytes")
            self._pending = [whole]
            self._again_bytes = min(2 * len(whole), ROW_BYTES_MAX + 1)
            return []
        self._again_bytes = 0
        rest = whole[end:]
        self._pending = [rest] if rest else []
        self._pending_bytes = len(rest)
        return self._blocks(whole, end)

    def whole_rows(self) -> list[pa.RecordBatch]:
        """The rows that have come to their ends."""
        whole = b"".join(self._pending)
        end = 0 if self._ended else self.last_row_end(whole)
        self._pending, self._pending_bytes = [whole[end:]], len(whole) - end
        return self._blocks(whole, end) if end else []

    def finish(self) -> list[pa.RecordBatch]:
        """The input is over. Returns what is left."""
        whole = b"".join(self._pending)
        self._pending, self._pending_bytes = [], 0
        if self._ended or not whole:
            return []
        whole = self.completed(whole)
        return self._blocks(whole, len(whole))

    def completed(self, rest: bytes) -> bytes:
        """The last rows, the line end added that may be missing."""
        raise NotImplementedError

    def _blocks(self, data: bytes, until: int) -> list[pa.RecordBatch]:
        """Reads the whole rows before `until` in pieces of about a block, however large a chunk came in at once."""
        out: list[pa.RecordBatch] = []
        blocks = self._cut(data, until)
        for block, read in zip(blocks, self._read_fast(blocks), strict=True):
            if self._ended:
                break
            batch = self._exact(block) if read is None else read
            if read is not None:
                self._line += self.lines_in(block, read.num_rows)
            if batch.num_rows:
                self.row_count += batch.num_rows
                out.append(batch)
        return out

    def _cut(self, data: bytes, until: int) -> list[bytes]:
        """What is before `until` in blocks that end with a row. A header is one of its own: it is read row by row."""
        out: list[bytes] = []
        at = 0
        if self._header_due and 0 < (header := self.first_row_end(data)) < until:
            out.append(data[:header])
            at = header
        while at < until:
            end = until
            if end - at > 2 * self._block_bytes:
                end = at + self.last_row_end(data[at : at + self._block_bytes])
                if end == at:
                    end = until
            out.append(data[at:end] if at or end < len(data) else data)
            at = end
        return out

    def _read_fast(self, blocks: Sequence[bytes]) -> Iterable[pa.RecordBatch | None]:
        """What Arrow makes of each block, in order; None for those that are to be read row by row."""
        if not self._fast_enabled:
            return [None] * len(blocks)
        by_row = 1 if self._header_due else 0
        blocks = blocks[by_row:]
        read = map(self._fast, blocks) if len(blocks) < 2 or _CORES < 2 else _READERS.map(self._fast, blocks)
        return chain([None] * by_row, read)

    def _fast(self, block: bytes) -> pa.RecordBatch | None:
        parse_options = self.fast_parse_options(block)
        if parse_options is None or b"\x00" in block:
            return None
        try:
            table = arrow_csv.read_csv(
                pa.BufferReader(block),
                read_options=arrow_csv.ReadOptions(
                    use_threads=False, block_size=len(block) + 1, column_names=self._names
                ),
                parse_options=parse_options,
                convert_options=arrow_csv.ConvertOptions(
                    check_utf8=True,
                    column_types=dict(zip(self._names, (r.csv_type for r in self.readers), strict=True)),
                    null_values=[self.options.null],
                    true_values=_TRUE,
                    false_values=_FALSE,
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
            batch = table.combine_chunks().to_batches()[0] if table.num_rows else None
            if batch is None:
                return None
            seen = Block(block, (self.options.delimiter, self.options.quote))
            columns = [
                reader.check(self.adjusted(reader, column, block), seen)
                for reader, column in zip(self.readers, batch.columns, strict=True)
            ]
        except (pa.ArrowInvalid, Doubt):
            return None
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def adjusted(self, reader: ColumnReader, column: pa.Array, block: bytes) -> pa.Array:
        """A format's own say about a column that Arrow read. Raises Doubt."""
        return column

    def _exact(self, block: bytes) -> pa.RecordBatch:
        values: list[list[Datum]] = [[] for _ in self.readers]
        count, line = 0, 0
        for line, row in self.rows(block):
            if self._header_due:
                self._header_due = False
                if self.options.header == "match":
                    self._match_header(row, line)
                continue
            datums = self._row(row, self._line + line)
            if datums is not None:
                count += 1
                for column, datum in zip(values, datums, strict=True):
                    column.append(datum)
        self._line += self.lines_in(block)
        columns = [reader.build(column) for reader, column in zip(self.readers, values, strict=True)]
        if not columns:
            return pa.RecordBatch.from_struct_array(pa.array([{}] * count, pa.struct([])))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _row(self, row: bytes, line: int) -> list[Datum] | None:
        """A row's datums; None when it is left out by ON_ERROR ignore."""
        readers = self.readers
        where = f"COPY {self.table}, line {line}"
        if not row.isascii() or b"\x00" in row:
            try:
                decode_utf8(row)
            except SqlError as e:
                self._fail(e, where)
        out: list[Datum] = []
        try:
            fields = self.fields(row)
            if len(fields) > len(readers) and (readers or row):
                raise bad_format("extra data after last expected column")
        except SqlError as e:
            self._fail(e, f'{where}: "{shown(row.decode())}"')
        for i, reader in enumerate(readers):
            if i >= len(fields):
                missing = bad_format(f'missing data for column "{reader.name}"')
                self._fail(missing, f'{where}: "{shown(row.decode())}"')
            field = fields[i]
            if field is None:
                out.append(None)
                continue
            try:
                text = decode_utf8(field)
            except SqlError as e:
                self._fail(e, f'{where}: "{shown(row.decode())}"')
            try:
                out.append(reader.parse(text))
            except SqlError as e:
                if self.options.on_error == "ignore":
                    self.ignored_count += 1
                    return None
                self._fail(e, f'{where}, column {reader.name}: "{shown(text)}"')
        return out

    def _match_header(self, row: bytes, line: int) -> None:
        names = self.header_names(row)
        try:
            if len(names) != len(self.readers):
                raise bad_format(
                    f"wrong number of fields in header line: got {len(names)}, expected {len(self.readers)}"
                )
            for i, (name, reader) in enumerate(zip(names, self.readers, strict=True), 1):
                if name != reader.name:
                    got = f'null value ("{self.options.null}")' if name is None else f'"{name}"'
                    raise bad_format(
                        f'column name mismatch in header line field {i}: got {got}, expected "{reader.name}"'
                    )
        except SqlError as e:
            self._fail(e, f'COPY {self.table}, line {line}: "{shown(row.decode("utf-8", "replace"))}"')

    def _fail(self, error: SqlError, context: str) -> NoReturn:
        error.context = f"{error.context}\n{context}" if error.context else context
        raise error


def _canonical(reader: ColumnReader) -> pa.DataType:
    return reader.build([]).type
