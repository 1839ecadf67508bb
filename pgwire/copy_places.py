"""Where in what a client copies an error is: `COPY t, line 3: "1  x"`.

Decoders know it of what they cannot read. What the executor refuses, it refuses by the number of the row, after the bytes
have gone; so the beginning of a COPY, where most errors are, is kept, and read again for its lines if it comes to that.

    a row that NOT NULL or CHECK refuses      line and text
    a key that is there already               line: PostgreSQL looks at keys when it has put the line away
    CopyFail, a cancel request, no more rows  the line after those that came

Lines are counted as PostgreSQL counts them: those inside of quotes too, but in the first row of a file of CSV, where it
does not know yet what ends a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from executor.abc import CopyIn
from pgwire.encoding.copy_lines import shown
from planner.abc import SqlError

KEPT_BYTES_MAX: Final = 4 * 1024 * 1024
_OF_NO_ROW: Final = ("57014", "08006", "08P01")
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")


class CopyPlaces:
    """What came of one COPY FROM, as far as it is kept."""

    __slots__ = ("_bytes", "_copy", "_has_lines", "_pieces")

    def __init__(self, copy: CopyIn) -> None:
        self._copy = copy
        self._has_lines = copy.options.format != "binary"
        self._pieces: list[bytes] = []
        self._bytes = 0

    def came(self, data: bytes) -> None:
        if not self._has_lines:
            return
        if self._bytes < KEPT_BYTES_MAX:
            self._pieces.append(data[: KEPT_BYTES_MAX - self._bytes])
        self._bytes += len(data)

    def told(self, error: SqlError, lines: int) -> SqlError:
        """The error with its place, if that can be said. `lines`: how many have come."""
        options = self._copy.options
        if self._has_lines and (not error.context or error.which is not None):
            if error.which is None:
                if error.sqlstate in _OF_NO_ROW:
                    error.context = f"COPY {self._copy.table}, line {lines + 1}"
            elif options.on_error == "stop":  # rows that are passed over have no number
                row = error.which()
                if row is not None:
                    self._tell_row(error, row)
        return error

    def _tell_row(self, error: SqlError, row: int) -> None:
        kept = b"".join(self._pieces)
        for number, (line, text) in enumerate(self._rows(kept), -1 if self._copy.options.header else 0):
            if number == row:
                said = f"COPY {self._copy.table}, line {line}"
                if error.sqlstate != "23505" or error.context:
                    said += f': "{shown(text.decode("utf-8", "replace"))}"'
                error.context = f"{error.context}\n{said}" if error.context else said
                return

    def _rows(self, kept: bytes) -> Iterator[tuple[int, bytes]]:
        """Each row's line number and text, the header's among them; of what is kept whole."""
        csv = self._copy.options.format == "csv"
        quote, escape = self._copy.options.quote.encode(), self._copy.options.escape.encode()
        line, start, quotes = 0, 0, 0
        ended = False
        before = 0
        for end in _LINE_END.finditer(kept):
            if csv:
                piece = kept[before : end.start()]
                if escape != quote:
                    piece = piece.replace(escape + escape, b"").replace(escape + quote, b"")
                quotes += piece.count(quote)
                before = end.end()
                if quotes % 2:
                    line += ended
                    continue
            line += 1
            ended = True
            yield line, kept[start : end.start()]
            start = end.end()
        if start < len(kept) and self._bytes <= KEPT_BYTES_MAX:
            yield line + 1, kept[start:]


__all__ = ["KEPT_BYTES_MAX", "CopyPlaces"]
