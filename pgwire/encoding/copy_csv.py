"""COPY's CSV format, with PostgreSQL's rules for quotes and NULL.

A quoted field is never NULL (unless FORCE_NULL), an unquoted one is when it reads exactly as the NULL
string. Quotes may stand anywhere in a field and switch quoting on and off; a row ends at a
line end outside quotes, so the quotes before a line end must be even in number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from pgwire.encoding.arrow_views import data_of, offsets_of
from pgwire.encoding.copy_columns import ColumnReader, Doubt
from pgwire.encoding.copy_lines import LineDecoder, bad_format, line_ends, shown
from pgwire.encoding.copy_text import is_harmless
from pgwire.encoding.text_columns import text_column
from planner.abc import ResultColumn, SqlError
from planner.types import DEFAULT_SETTINGS, TypeSettings

if TYPE_CHECKING:
    from executor.abc import CopyOptions


FIRST_BYTES: Final = 4096
"""Among so many the first row's end is looked for first."""
LINES_BACK_MAX: Final = 64
"""So many line ends are tried one by one; inside a long text there may be more."""


class CsvDecoder(LineDecoder):
    """COPY FROM ... (FORMAT csv)."""

    def __init__(
        self, columns: Sequence[ResultColumn], options: CopyOptions, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(columns, options, *args, **kwargs)
        self._delimiter, self._null = options.delimiter.encode(), options.null.encode()
        self._quote, self._escape = options.quote.encode(), options.escape.encode()
        self._force_not_null = _named(options.force_not_null, self.readers)
        self._force_null = _named(options.force_null, self.readers)
        self._doubled = self._quote == self._escape
        inside = (
            re.escape(self._quote) if self._doubled else b"[" + re.escape(self._quote + self._escape) + b"]"
        )
        self._stop_inside = re.compile(inside)
        self._stop_outside = re.compile(b"[" + re.escape(self._quote + self._delimiter) + b"]")

    _line_end_added = False
    _first = True  # no block was read yet

    def _row_ends(self, data: bytes) -> list[int]:
        """Positions behind each line end outside quotes."""
        if self._quote not in data:
            return [m.end() for m in re.finditer(b"\n", data)]
        if self._doubled:
            flat = np.frombuffer(data, np.uint8)
            quotes = np.flatnonzero(flat == self._quote[0])
            ends = np.flatnonzero(flat == 10)
            even = np.searchsorted(quotes, ends) % 2 == 0
            return [int(e) + 1 for e in ends[even]]
        out, inside, i = [], False, 0
        marks = re.compile(b"[\n" + re.escape(self._quote + self._escape) + b"]")
        while (m := marks.search(data, i)) is not None:
            i = m.end()
            if inside and m[0] == self._escape and data[i : i + 1] in (self._quote, self._escape):
                i += 1
            elif m[0] == self._quote:
                inside = not inside
            elif m[0] == b"\n" and not inside:
                out.append(i)
        return out

    def last_row_end(self, data: bytes) -> int:
        if self._quote not in data:
            return data.rfind(b"\n") + 1
        if self._doubled:
            # Back from the last line end: the first that has an even number of quotes before it.
            end = data.rfind(b"\n")
            odd = np.count_nonzero(np.frombuffer(data, np.uint8, max(end, 0)) == self._quote[0]) % 2
            for _ in range(LINES_BACK_MAX):
                if end < 0 or not odd:
                    return end + 1
                before = data.rfind(b"\n", 0, end)
                odd ^= data.count(self._quote, max(before, 0), end) % 2
                end = before
        ends = self._row_ends(data)
        return ends[-1] if ends else 0

    def first_row_end(self, data: bytes) -> int:
        size = FIRST_BYTES
        while not (ends := self._row_ends(data[:size])) and size < len(data):
            size *= 16
        return ends[0] if ends else 0

    def completed(self, rest: bytes) -> bytes:
        """Old-style line ends of a single carriage return are read at the end only."""
        if b"\n" not in rest and b"\r" in rest and self._quote not in rest:
            rest = rest.replace(b"\r", b"\n")
        if rest.endswith(b"\n") and self.last_row_end(rest) == len(rest):
            return rest
        self._line_end_added = True
        return rest + b"\n"

    def lines_in(self, block: bytes, rows: int | None = None) -> int:
        """PostgreSQL does not count line ends inside the first row: it has not seen yet how lines end."""
        quoted = self._quote in block
        count = line_ends(block) if rows is None or quoted else rows
        if self._first and quoted:
            count -= self._inner_lines_of_first(block)
        self._first = False
        return count

    def _inner_lines_of_first(self, block: bytes) -> int:
        ends = self._row_ends(block)
        return block.count(b"\n", 0, ends[0] - 1) if ends else 0

    def fast_parse_options(self, block: bytes) -> arrow_csv.ParseOptions | None:
        if b"\r" in block or (
            b"\\" in block and b"\\." in block
        ):  # a search for one byte is ten times as fast
            return None
        quoted = self._quote in block
        if quoted and not (self._doubled and self._simply_quoted(block)):
            return None
        if quoted and self._force_null:
            return None
        return arrow_csv.ParseOptions(
            delimiter=self.options.delimiter,
            quote_char=self.options.quote if quoted else False,
            double_quote=quoted,
            escape_char=False,
            newlines_in_values=quoted,
            ignore_empty_lines=False,
        )

    def _simply_quoted(self, block: bytes) -> bool:
        """Whether quotes stand around whole fields only, or doubled inside them: what Arrow reads as we do."""
        flat = np.frombuffer(block, np.uint8)
        quote, delimiter = self._quote[0], self._delimiter[0]
        at = np.flatnonzero(flat == quote)
        if len(at) % 2:
            return False
        before = flat[at[0::2] - 1]
        opens = (at[0::2] == 0) | (before == delimiter) | (before == 10) | (before == quote)
        after = flat[np.minimum(at[1::2] + 1, len(flat) - 1)]
        closes = (after == delimiter) | (after == 10) | (after == quote)
        return bool(opens.all() and closes.all())

    def adjusted(self, reader: ColumnReader, column: pa.Array, block: bytes) -> pa.Array:
        if column.null_count and reader.name in self._force_not_null:
            if not pa.types.is_string(column.type):
                raise Doubt
            return pc.fill_null(column, self.options.null)
        return column

    def rows(self, block: bytes) -> Iterator[tuple[int, bytes]]:
        start = line = 0
        ends = self._row_ends(block)
        for end in ends:
            row = block[start : end - 1]
            line += 1 + (row.count(b"\n") if start or not self._first else 0)
            start = end
            if row.endswith(b"\r"):
                row = row[:-1]
            if row == b"\\.":
                self._ended = True
                return
            yield line, row
        if start < len(block):
            rest = block[start:-1] if self._line_end_added else block[start:]
            text = shown(rest.decode("utf-8", "replace"))
            where = f'COPY {self.table}, line {self._line + line + 1}: "{text}"'
            self._fail(bad_format("unterminated CSV quoted field"), where)

    def fields(self, row: bytes) -> list[bytes | None]:
        if not row and not self.readers:
            return []
        out: list[bytes | None] = []
        null, delimiter = self._null, self._delimiter
        for i, (value, quoted) in enumerate(self._split(row, delimiter)):
            is_null = value == null and not quoted
            if i < len(self.readers):
                name = self.readers[i].name
                if name in self._force_not_null and is_null:
                    is_null = False
                elif name in self._force_null and quoted and value == null:
                    is_null = True
            out.append(None if is_null else value)
        return out

    def _split(self, row: bytes, delimiter: bytes) -> list[tuple[bytes, bool]]:
        """(value, whether it had quotes) of each field."""
        if self._quote not in row:
            return [(f, False) for f in row.split(delimiter)]
        out: list[tuple[bytes, bool]] = []
        pieces: list[bytes] = []
        quoted, inside, i = False, False, 0
        while True:
            m = (self._stop_inside if inside else self._stop_outside).search(row, i)
            if m is None:
                if inside:
                    raise bad_format("unterminated CSV quoted field")
                out.append((b"".join([*pieces, row[i:]]), quoted))
                return out
            pieces.append(row[i : m.start()])
            i = m.end()
            if not inside:
                if m[0] == delimiter:
                    out.append((b"".join(pieces), quoted))
                    pieces, quoted = [], False
                else:
                    quoted = inside = True
                continue
            following = row[i : i + 1]
            if m[0] == self._escape and following and following in (self._quote, self._escape):
                pieces.append(following)
                i += 1
            elif m[0] == self._quote:
                inside = False
            else:
                pieces.append(m[0])


def _named(names: Sequence[str] | str, readers: Sequence[ColumnReader]) -> frozenset[str]:
    return frozenset(r.name for r in readers) if names == "*" else frozenset(names)


# --- out


def quote_field(text: str, options: CopyOptions) -> str:
    """One value in quotes."""
    quote, escape = options.quote, options.escape
    if escape != quote:
        text = text.replace(escape, escape + escape)
    return quote + text.replace(quote, escape + quote) + quote


def _needy(texts: pa.Array, special: str, marks: Sequence[bytes], null: str, single: bool) -> pa.Array | None:
    """Which values must be quoted; None: none."""
    needy = pc.equal(texts, null)
    if single:
        needy = pc.or_(needy, pc.equal(texts, "\\."))
    offsets = offsets_of(texts)
    data = data_of(texts)[offsets[0] : offsets[-1]].tobytes()
    if any(mark in data for mark in marks):
        needy = pc.or_(needy, pc.match_substring_regex(texts, special))
    return needy if pc.any(needy).as_py() else None


def csv_fields(
    columns: Sequence[ResultColumn], options: CopyOptions, settings: TypeSettings = DEFAULT_SETTINGS
) -> list[Callable[[pa.Array], pa.Array]]:
    """Per column, what turns it into CSV fields: quoted where needed or asked for, nulls filled in."""
    forced = options.force_quote
    single = len(columns) == 1
    special = "[" + re.escape(options.delimiter) + re.escape(options.quote) + "\r\n]"
    marks = (options.delimiter.encode(), options.quote.encode(), b"\r", b"\n")
    unknown = [n for n in forced if n not in {c.name for c in columns}] if forced != "*" else []
    if unknown:
        raise SqlError("42703", f'FORCE_QUOTE column "{unknown[0]}" not referenced by COPY')

    def field(column: ResultColumn) -> Callable[[pa.Array], pa.Array]:
        encode = text_column(column.type, settings)
        always = forced == "*" or column.name in forced
        harmless = is_harmless(column.type, options.delimiter) and options.null in ("", "\\N")

        def run(array: pa.Array) -> pa.Array:
            texts = encode(array)
            if texts.type != pa.string():
                texts = texts.cast(pa.string())
            needy = None if harmless else _needy(texts, special, marks, options.null, single)
            if always or needy is not None:
                quoted = texts
                if options.escape != options.quote:
                    quoted = pc.replace_substring(quoted, options.escape, options.escape * 2)
                quoted = pc.replace_substring(quoted, options.quote, options.escape + options.quote)
                quoted = pc.binary_join_element_wise(options.quote, quoted, options.quote, "")
                texts = quoted if always else pc.if_else(needy, quoted, texts)
            return pc.fill_null(texts, options.null) if texts.null_count else texts

        return run

    return [field(c) for c in columns]
