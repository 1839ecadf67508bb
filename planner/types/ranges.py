"""Ranges and multiranges: two ends on a line, each just before or just after a value.

    [1,5)        from before 1 to before 5          (1,5]     from after 1 to after 5
    (,5)         from the beginning of all          empty     no line at all

A datum is PostgreSQL's canonical text under default settings. Computing goes through `Span`: an end is (rank, key,
side), rank -1 and 1 being the infinities and side 0 before, 1 after the value; then every operator is a comparison of
ends, with no thought of which bounds are inclusive:

    a && b     a.low < b.high and b.low < a.high          a -|- b     a.high == b.low or b.high == a.low

A multirange is its spans in order, none of which touch. Ranges of integers and dates are canonical: they begin before
a value and end before one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import pyarrow as pa

from planner.abc import SqlError
from planner.types import oids
from planner.types.base import WHITESPACE, SqlType, TextInput, TextOutput, quote_literal
from planner.types.datetimes import DATE_INFINITY
from planner.types.orders import Order, order_of
from planner.types.settings import DEFAULT_SETTINGS, TypeSettings
from storage.abc import Datum


class End(NamedTuple):
    """A place on the line. `value` is the datum; infinite ends have none."""

    rank: int
    key: Any
    side: int
    value: Datum


class Span(NamedTuple):
    low: End
    high: End


Spans = tuple[Span, ...]
"""What a range or a multirange covers; nothing: it is empty."""

BEGINNING: Final = End(-1, 0, 0, None)
ENDING: Final = End(1, 0, 0, None)


def _place(end: End) -> tuple[int, Any, int]:
    return end[:3]


@dataclass(frozen=True, slots=True)
class Kind:
    """One range type: what its bounds are, and how they are read and shown."""

    oid: int
    name: str
    subtype: SqlType
    discrete: bool
    multirange_oid: int
    order: Order | None = None
    """That of bounds whose type has none in `planner.types.orders`."""

    def end(self, value: Datum, after: bool) -> End:
        order = self.order or order_of(self.subtype.oid)
        assert order is not None, f"ranges over {self.subtype.name} have no order"
        return End(0, order(value), int(after), value)

    def span(self, low: Datum, high: Datum, low_inclusive: bool, high_inclusive: bool) -> Spans:
        """A range of these bounds (None: infinite), canonical. Raises 22000, 22003, 22008."""
        first = BEGINNING if low is None else self.end(low, not low_inclusive)
        last = ENDING if high is None else self.end(high, high_inclusive)
        if low is not None and high is not None:
            if first.key > last.key:
                raise SqlError("22000", "range lower bound must be less than or equal to range upper bound")
            if first.key == last.key and not (low_inclusive and high_inclusive):
                return ()
        if self.discrete:
            first, last = self._canonical(first), self._canonical(last)
        return (Span(first, last),) if _place(first) < _place(last) else ()

    def _canonical(self, end: End) -> End:
        """Before the next value, where it is after one."""
        if not end.side or (self.subtype.oid == oids.DATE and abs(end.value) >= DATE_INFINITY):
            return end
        following = end.value + 1
        if self.subtype.oid == oids.INT4 and following > 0x7FFFFFFF:
            raise SqlError("22003", "integer out of range")
        if self.subtype.oid == oids.INT8 and following > 0x7FFFFFFFFFFFFFFF:
            raise SqlError("22003", "bigint out of range")
        return self.end(following, False)


# --- text ---------------------------------------------------------------------------------------------

_EMPTY: Final = re.compile(r"[ \t\n\r\v\f]*empty", re.IGNORECASE)
_QUOTED: Final = frozenset('"\\()[],' + WHITESPACE)


def _malformed(text: str, detail: str, what: str = "range") -> SqlError:
    return SqlError("22P02", f'malformed {what} literal: "{text}"', detail=detail)


def _literal(text: str, at: int) -> tuple[tuple[bool, str | None, str | None, bool] | None, int]:
    """(low inclusive, low, high, high inclusive), None for `empty`, and where it ends. Raises 22P02."""
    n = len(text)
    while at < n and text[at] in WHITESPACE:
        at += 1
    word = _EMPTY.match(text, at)
    if word is not None:
        return None, word.end()
    if at >= n or text[at] not in "[(":
        raise _malformed(text, "Missing left parenthesis or bracket.")
    low_inclusive = text[at] == "["
    low, at = _bound(text, at + 1)
    if at >= n:
        raise _malformed(text, "Unexpected end of input.")
    if text[at] != ",":
        raise _malformed(text, "Missing comma after lower bound.")
    high, at = _bound(text, at + 1)
    if at >= n:
        raise _malformed(text, "Unexpected end of input.")
    if text[at] == ",":
        raise _malformed(text, "Too many commas.")
    return (low_inclusive, low, high, text[at] == "]"), at + 1


def _bound(text: str, at: int) -> tuple[str | None, int]:
    n = len(text)
    if at < n and text[at] in ",)]":
        return None, at
    out: list[str] = []
    quoted = False
    while quoted or not (at < n and text[at] in ",()[]"):
        if at >= n:
            raise _malformed(text, "Unexpected end of input.")
        c = text[at]
        if c == "\\":
            at += 1
            if at >= n:
                raise _malformed(text, "Unexpected end of input.")
            out.append(text[at])
        elif c == '"':
            if quoted and text[at + 1 : at + 2] == '"':
                out.append('"')
                at += 1
            else:
                quoted = not quoted
        else:
            out.append(c)
        at += 1
    if text[at] in "([":
        out.append(text[at])
        return "".join(out), at + 1
    return "".join(out), at


def shown_bound(text: str) -> str:
    if not text or not _QUOTED.isdisjoint(text):
        return '"' + text.replace("\\", "\\\\").replace('"', '""') + '"'
    return text


def read_range(text: str, kind: Kind, read: TextInput) -> Spans:
    """A range literal. Raises 22P02, 22000 and what the bounds' input raises."""
    found, at = _literal(text, 0)
    if text[at:].strip(WHITESPACE):
        if found is None:
            raise _malformed(text, 'Junk after "empty" key word.')
        raise _malformed(text, "Junk after right parenthesis or bracket.")
    return _spans(found, kind, read)


def _spans(found: tuple[bool, str | None, str | None, bool] | None, kind: Kind, read: TextInput) -> Spans:
    if found is None:
        return ()
    low_inclusive, low, high, high_inclusive = found
    return kind.span(
        None if low is None else read(low),
        None if high is None else read(high),
        low_inclusive,
        high_inclusive,
    )


def read_multirange(text: str, kind: Kind, read: TextInput) -> Spans:
    """A multirange literal: ranges between braces. Raises 22P02."""
    at, n = 0, len(text)

    def skip() -> None:
        nonlocal at
        while at < n and text[at] in WHITESPACE:
            at += 1

    skip()
    if at >= n or text[at] != "{":
        raise _malformed(text, "Missing left brace.", "multirange")
    at += 1
    parts: list[Span] = []
    skip()
    if at < n and text[at] == "}":
        at += 1
    else:
        while True:
            skip()
            if at >= n:
                raise _malformed(text, "Unexpected end of input.", "multirange")
            if text[at] not in "[(" and _EMPTY.match(text, at) is None:
                raise _malformed(text, "Expected range start.", "multirange")
            end = _end(text, at)
            if end < 0:
                raise _malformed(text, "Unexpected end of input.", "multirange")
            found, read_to = _literal(text[at:end], 0)
            if read_to < end - at:
                raise _malformed(text[at:end], "Junk after right parenthesis or bracket.")
            at = end
            parts += _spans(found, kind, read)
            skip()
            if at < n and text[at] == ",":
                at += 1
            elif at < n and text[at] == "}":
                at += 1
                break
            elif at >= n:
                raise _malformed(text, "Unexpected end of input.", "multirange")
            else:
                raise _malformed(text, "Expected comma or end of multirange.", "multirange")
    if text[at:].strip(WHITESPACE):
        raise _malformed(text, "Junk after closing right brace.", "multirange")
    return united(parts)


def _end(text: str, at: int) -> int:
    """Where a range that begins there ends, in a multirange; -1: nowhere."""
    if _EMPTY.match(text, at) is not None:
        return at + len("empty")
    quoted = escaped = False
    for i in range(at + 1, len(text)):
        c = text[i]
        if escaped:
            escaped = False
        elif c == "\\":
            escaped = True
        elif c == '"':
            quoted = not quoted
        elif c in ")]" and not quoted:
            return i + 1
    return -1


def write_range(spans: Spans, show: Callable[[Datum], str]) -> str:
    if not spans:
        return "empty"
    (low, high), *rest = spans
    assert not rest, "a range is one span"
    first = "" if low.rank else shown_bound(show(low.value))
    last = "" if high.rank else shown_bound(show(high.value))
    opened = "(" if low.rank or low.side else "["
    return f"{opened}{first},{last}{']' if high.side else ')'}"


def write_multirange(spans: Spans, show: Callable[[Datum], str]) -> str:
    return "{" + ",".join([write_range((s,), show) for s in spans]) + "}"


# --- the line -----------------------------------------------------------------------------------------


def united(parts: Sequence[Span]) -> Spans:
    """The spans in order, those that touch made one."""
    out: list[Span] = []
    for span in sorted(parts, key=lambda s: (_place(s.low), _place(s.high))):
        if out and _place(span.low) <= _place(out[-1].high):
            if _place(span.high) > _place(out[-1].high):
                out[-1] = Span(out[-1].low, span.high)
        else:
            out.append(span)
    return tuple(out)


def common(a: Spans, b: Spans) -> Spans:
    """What both cover."""
    out = []
    for x in a:
        for y in b:
            low, high = max(x.low, y.low, key=_place), min(x.high, y.high, key=_place)
            if _place(low) < _place(high):
                out.append(Span(low, high))
    return tuple(out)


def without(a: Spans, b: Spans) -> Spans:
    """What a covers and b does not."""
    left = list(a)
    for y in b:
        after: list[Span] = []
        for x in left:
            if _place(y.high) <= _place(x.low) or _place(x.high) <= _place(y.low):
                after.append(x)
                continue
            if _place(x.low) < _place(y.low):
                after.append(Span(x.low, y.low))
            if _place(y.high) < _place(x.high):
                after.append(Span(y.high, x.high))
        left = after
    return tuple(left)


def hull(a: Spans, b: Spans = ()) -> Spans:
    """The least span that covers all."""
    every = a + b
    if not every:
        return ()
    return (Span(min((s.low for s in every), key=_place), max((s.high for s in every), key=_place)),)


def joint(a: Span, b: Span) -> Span:
    """Both and what is between; of ends in one place b's is shown: 2.50 rather than 2.5."""
    low = b.low if _place(b.low) <= _place(a.low) else a.low
    return Span(low, b.high if _place(b.high) >= _place(a.high) else a.high)


def overlap(a: Spans, b: Spans) -> bool:
    return any(_place(x.low) < _place(y.high) and _place(y.low) < _place(x.high) for x in a for y in b)


def covers(a: Spans, b: Spans) -> bool:
    return all(any(_place(x.low) <= _place(y.low) and _place(y.high) <= _place(x.high) for x in a) for y in b)


def before(a: Spans, b: Spans) -> bool:
    return bool(a and b) and _place(a[-1].high) <= _place(b[0].low)


def not_right_of(a: Spans, b: Spans) -> bool:
    """a &< b"""
    return bool(a and b) and _place(a[-1].high) <= _place(b[-1].high)


def not_left_of(a: Spans, b: Spans) -> bool:
    """a &> b"""
    return bool(a and b) and _place(a[0].low) >= _place(b[0].low)


def adjacent(a: Spans, b: Spans) -> bool:
    return bool(a and b) and (_touch(a[-1].high, b[0].low) or _touch(b[-1].high, a[0].low))


def _touch(high: End, low: End) -> bool:
    return not high.rank and not low.rank and _place(high) == _place(low)


def compared(a: Spans, b: Spans) -> int:
    """Order: what is empty first, then by beginnings, then by ends."""
    x = [(_place(s.low), _place(s.high)) for s in a]
    y = [(_place(s.low), _place(s.high)) for s in b]
    return (x > y) - (x < y)


# --- the types ------------------------------------------------------------------------------------------


class RangeType(SqlType):
    """`multi`: the multirange over the kind."""

    of_fields = True

    def __init__(self, kind: Kind, multi: bool) -> None:
        super().__init__(kind.multirange_oid if multi else kind.oid, pa.string(), "VARCHAR")
        self.kind, self.multi = kind, multi
        self._read = kind.subtype.text_input(-1, DEFAULT_SETTINGS)
        self._show = kind.subtype.text_output(-1, DEFAULT_SETTINGS)

    def spans(self, text: str, settings: TypeSettings = DEFAULT_SETTINGS) -> Spans:
        read = self._read if settings is DEFAULT_SETTINGS else self.kind.subtype.text_input(-1, settings)
        return (read_multirange if self.multi else read_range)(text, self.kind, read)

    def text(self, spans: Spans, settings: TypeSettings = DEFAULT_SETTINGS) -> str:
        show = self._show if settings is DEFAULT_SETTINGS else self.kind.subtype.text_output(-1, settings)
        return (write_multirange if self.multi else write_range)(spans, show)

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return lambda text: self.text(self.spans(text, settings))

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        if settings == DEFAULT_SETTINGS or self.kind.subtype.oid in (oids.INT4, oids.INT8, oids.NUMERIC):
            return str
        return lambda text: self.text(self.spans(text), settings)

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST({quote_literal(datum)} AS VARCHAR)"


BUILT_IN: Final = (
    (oids.INT4RANGE, "int4range", oids.INT4, True, oids.INT4MULTIRANGE),
    (oids.NUMRANGE, "numrange", oids.NUMERIC, False, oids.NUMMULTIRANGE),
    (oids.TSRANGE, "tsrange", oids.TIMESTAMP, False, oids.TSMULTIRANGE),
    (oids.TSTZRANGE, "tstzrange", oids.TIMESTAMPTZ, False, oids.TSTZMULTIRANGE),
    (oids.DATERANGE, "daterange", oids.DATE, True, oids.DATEMULTIRANGE),
    (oids.INT8RANGE, "int8range", oids.INT8, True, oids.INT8MULTIRANGE),
)
"""oid, name, subtype, discrete, multirange"""


def range_types(subtypes: dict[int, SqlType]) -> list[RangeType]:
    """PostgreSQL's own ranges and multiranges over these subtypes."""
    out = []
    for oid, name, subtype, discrete, multirange in BUILT_IN:
        kind = Kind(oid, name, subtypes[subtype], discrete, multirange)
        out += [RangeType(kind, False), RangeType(kind, True)]
    return out
