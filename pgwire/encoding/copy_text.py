"""COPY's text format: one row a line, columns split by a delimiter, backslashes for what would confuse.

1<TAB>abc<TAB>\\N          NULL is a field that reads exactly \\N
2<TAB>a\\tb\\\\c<TAB>x      tab and backslash inside a value
\\.                        the end of data (optional)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from pgwire.encoding.arrow_views import data_of, offsets_of
from pgwire.encoding.binary import decode_utf8
from pgwire.encoding.copy_columns import ColumnReader, Doubt
from pgwire.encoding.copy_lines import LineDecoder, bad_format
from pgwire.encoding.text_columns import text_column
from planner import types as t
from planner.abc import ResultColumn, SqlError, TypeRef
from planner.types import DEFAULT_SETTINGS, TypeSettings

if TYPE_CHECKING:
    from executor.abc import CopyOptions

_ESCAPE: Final = re.compile(rb"\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|(.)|$)", re.DOTALL)
_CONTROLS: Final = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


_END_MARKER: Final = re.compile(rb"((?:[^\\]|\\[^.])*)\\\.", re.DOTALL)
"""`\\.` that is no part of another escape. A row may stand before it in its line."""
_END_LINE: Final = b"\n\\.\n"


def _unescaped(m: re.Match[bytes]) -> bytes:
    if m[1] is not None:
        return bytes((int(m[1], 16),))
    if m[2] is not None:
        return bytes((int(m[2], 8) & 0xFF,))
    if m[3] is None:
        return b"\\"
    return _CONTROLS.get(m[3], m[3])


def unescape(field: bytes) -> bytes:
    """The bytes that a field of the text format stands for."""
    return _ESCAPE.sub(_unescaped, field) if b"\\" in field else field


def _ends_escaped(line: bytes) -> bool:
    """Whether the line ends with a backslash that escapes the line end."""
    return (len(line) - len(line.rstrip(b"\\"))) % 2 == 1


class TextDecoder(LineDecoder):
    """COPY FROM ... (FORMAT text)."""

    _line_end = b""  # b"\n", b"\r\n" or b"\r", as the first line has it
    _null = b""

    def __init__(
        self, columns: Sequence[ResultColumn], options: CopyOptions, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(columns, options, *args, **kwargs)
        self._delimiter, self._null = options.delimiter.encode(), options.null.encode()
        self._plain_null = options.null in ("\\N", "")
        # escaped delimiters and line ends, and the end marker: Arrow would split there
        self._confusing = (b"\\.", b"\\\n", b"\\" + self._delimiter)
        self._field = re.compile(rb"((?:[^\\" + re.escape(self._delimiter) + rb"]|\\.|\\$)*)", re.DOTALL)

    def _learn_line_end(self, data: bytes) -> None:
        cr, nl = data.find(b"\r"), data.find(b"\n")
        if cr >= 0 and (nl < 0 or cr < nl):
            if cr + 1 < len(data):
                self._line_end = b"\r\n" if nl == cr + 1 else b"\r"
        elif nl >= 0:
            self._line_end = b"\n"

    def last_row_end(self, data: bytes) -> int:
        if not self._line_end:
            self._learn_line_end(data)
            if not self._line_end:
                return 0
        mark = b"\r" if self._line_end == b"\r" else b"\n"
        at = data.rfind(mark)
        while at >= 0 and data[at - 1 : at] == b"\\" and _ends_escaped(data[:at][-64:]):
            at = data.rfind(mark, 0, at)
        return at + 1

    def first_row_end(self, data: bytes) -> int:
        mark = b"\r" if self._line_end == b"\r" else b"\n"
        at = data.find(mark)
        while at >= 0 and data[at - 1 : at] == b"\\" and _ends_escaped(data[:at]):
            at = data.find(mark, at + 1)
        return at + 1

    def completed(self, rest: bytes) -> bytes:
        if not self._line_end:
            self._learn_line_end(rest + b"\n")
        end = self._line_end or b"\n"
        return rest if rest.endswith(end) and not _ends_escaped(rest[: -len(end)]) else rest + end

    def _cut(self, data: bytes, until: int) -> list[bytes]:
        """The end marker, which psql and pg_restore send with what follows it, is a block of its own: the rows before it are as any others."""
        blocks = super()._cut(data, until)
        last = blocks[-1] if blocks else b""
        # A search for one byte is many times as fast.
        at = last.find(_END_LINE) if self._line_end == b"\n" and b"\\" in last else -1
        if at <= 0 or last[at - 1 : at] == b"\\":
            return blocks
        return [*blocks[:-1], last[: at + 1], last[at + 1 :]]

    def fast_parse_options(self, block: bytes) -> arrow_csv.ParseOptions | None:
        if b"\r" in block or not self._plain_null:
            return None
        if b"\\" in block and any(mark in block for mark in self._confusing):
            return None
        return arrow_csv.ParseOptions(
            delimiter=self.options.delimiter,
            quote_char=False,
            double_quote=False,
            escape_char=False,
            newlines_in_values=False,
            ignore_empty_lines=False,
        )

    def adjusted(self, reader: ColumnReader, column: pa.Array, block: bytes) -> pa.Array:
        """Resolves the escapes that Arrow left in place."""
        if not pa.types.is_string(column.type) or b"\\" not in block:
            return column
        escaped = pc.match_substring(column, "\\")
        if not pc.any(escaped).as_py():
            return column
        values = [unescape(v) for v in pc.filter(column, escaped).cast(pa.binary()).to_pylist()]
        try:
            plain = pa.array([decode_utf8(v) for v in values], pa.string())
        except SqlError:
            raise Doubt from None
        return pc.replace_with_mask(column, pc.fill_null(escaped, False), plain)

    def rows(self, block: bytes) -> Iterator[tuple[int, bytes]]:
        if not self._line_end:
            self._learn_line_end(block)
        end = self._line_end or b"\n"
        lines = block.split(b"\r" if end == b"\r" else b"\n")
        lines.pop()  # what follows the last line end: nothing
        held: list[bytes] = []
        for number, line in enumerate(lines, 1):
            if b"\\" in line and _ends_escaped(line):
                held.append(line)
                continue
            if held:
                line = (b"\r" if end == b"\r" else b"\n").join([*held, line])
                held = []
            if end == b"\r\n":
                if not line.endswith(b"\r"):
                    self._literal("newline", "\\n", number)
                line = line[:-1]
            elif end == b"\n" and b"\r" in line and _has_bare(line, b"\r"):
                self._literal("carriage return", "\\r", number)
            elif end == b"\r" and b"\n" in line and _has_bare(line, b"\n"):
                self._literal("newline", "\\n", number)
            if b"\\." in line and (marker := _END_MARKER.match(line)) is not None:
                self._ended = True
                if marker.end() < len(line):
                    self._bad("end-of-copy marker corrupt", number)
                if marker[1]:
                    yield number, marker[1]
                return
            yield number, line
        if held:
            yield len(lines), b"\n".join(held)

    def _literal(self, what: str, escape: str, number: int) -> NoReturn:
        self._bad(f"literal {what} found in data", number, f'Use "{escape}" to represent {what}.')

    def _bad(self, message: str, number: int, hint: str = "") -> NoReturn:
        self._fail(bad_format(message, hint), f"COPY {self.table}, line {self._line + number}")

    def fields(self, row: bytes) -> list[bytes | None]:
        null = self._null
        if b"\\" not in row:
            return (
                [None if f == null else f for f in row.split(self._delimiter)] if row or self.readers else []
            )
        out: list[bytes | None] = []
        at, step = 0, len(self._delimiter)
        while True:
            m = self._field.match(row, at)
            assert m is not None
            raw = m[1]
            out.append(None if raw == null else unescape(raw))
            if m.end() >= len(row):
                return out
            at = m.end() + step


def _has_bare(line: bytes, mark: bytes) -> bool:
    """Whether the character stands in the line without a backslash before it."""
    return mark in re.sub(rb"\\.", b"", line, flags=re.DOTALL)


# --- out

_REPLACEMENTS: Final = (
    ("\\", "\\\\"),
    ("\b", "\\b"),
    ("\f", "\\f"),
    ("\n", "\\n"),
    ("\r", "\\r"),
    ("\t", "\\t"),
    ("\v", "\\v"),
)
_HARMLESS_DELIMITERS: Final = frozenset("\t,;|")
_HARMLESS_TYPES: Final = frozenset(
    (t.BOOL, t.INT2, t.INT4, t.INT8, t.FLOAT4, t.FLOAT8, t.NUMERIC, t.TIME, t.TIMETZ, t.UUID, t.OID)
)


def is_harmless(ref: TypeRef, delimiter: str) -> bool:
    """Whether the text of a type never holds a delimiter, quote or backslash."""
    return ref.oid in _HARMLESS_TYPES and delimiter in _HARMLESS_DELIMITERS


def escape_column(texts: pa.Array, delimiter: str) -> pa.Array:
    """Backslashes before what would confuse a reader; the column itself where there is nothing."""
    offsets = offsets_of(texts)
    data = data_of(texts)[offsets[0] : offsets[-1]].tobytes()
    for plain, escaped in _REPLACEMENTS:
        if plain.encode() in data:
            texts = pc.replace_substring(texts, plain, escaped)
    if delimiter != "\t" and delimiter.encode() in data:
        texts = pc.replace_substring(texts, delimiter, "\\" + delimiter)
    return texts


def text_fields(
    columns: Sequence[ResultColumn], options: CopyOptions, settings: TypeSettings = DEFAULT_SETTINGS
) -> list[Callable[[pa.Array], pa.Array]]:
    """Per column, what turns it into the fields of the text format, nulls filled in."""
    null, delimiter = options.null, options.delimiter

    def field(column: ResultColumn) -> Callable[[pa.Array], pa.Array]:
        encode = text_column(column.type, settings)
        harmless = is_harmless(column.type, delimiter)

        def run(array: pa.Array) -> pa.Array:
            texts = encode(array)
            if texts.type != pa.string():
                texts = texts.cast(pa.string())
            if not harmless:
                texts = escape_column(texts, delimiter)
            return pc.fill_null(texts, null) if texts.null_count else texts

        return run

    return [field(c) for c in columns]


def escape_text(text: str, delimiter: str) -> str:
    """One value, as in a header line."""
    for plain, escaped in _REPLACEMENTS:
        text = text.replace(plain, escaped)
    return text if delimiter == "\t" else text.replace(delimiter, "\\" + delimiter)
