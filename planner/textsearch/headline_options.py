"""What ts_headline is told: `MaxWords=20, StartSel="<i>", HighlightAll=true`.

Names count in any case. A value stands in single or double quotes, or ends at a blank or a comma. The list is read first and
checked when there is a text to make a headline of.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from planner.abc import SqlError

_BYTES_MAX: Final = 32_767
_BLANK: Final = " \t\n\r\v\f"
_ITEM: Final = re.compile(
    r"""[\s,]*
    (?:"(?P<quoted>(?:[^"]|"")*)"|(?P<key>[^\s,"=][^\s=]*|=[^\s=]*))
    \s*=\s*
    (?:E?'(?P<single>(?:[^'\\]|''|\\\\|\\(?!\\))*)'|"(?P<double>(?:[^"]|"")*)"|(?P<bare>(?!E?'|")\S[^\s,]*))""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_INTEGER: Final = re.compile(r"[ \t\n\r\v\f]*([+-]?[0-9]+)[ \t\n\r\v\f]*")


@dataclass(slots=True)
class Options:
    """Checked when it is used: a list that says nothing right is no fault of a text that is not there."""

    given: tuple[tuple[str, str], ...] = ()
    most: int = 35
    least: int = 15
    short: int = 3
    fragments: int = 0
    everything: bool = False
    start: str = "<b>"
    stop: str = "</b>"
    delimiter: str = " ... "
    fault: SqlError | None = field(default=None, repr=False)

    @property
    def longest_cover(self) -> int:
        return max(self.most * 10, 100)

    def check(self) -> None:
        """Raises 22023, 22P02."""
        if self.fault is not None:
            raise self.fault
        _check_lengths(self)


@lru_cache(maxsize=64)
def options_of(text: str) -> Options:
    """Raises 42601."""
    o = Options(tuple(_listed(text)))
    try:
        _told(o)
    except SqlError as e:
        o.fault = e
    return o


_NUMBERS: Final = {"maxwords": "most", "minwords": "least", "shortword": "short", "maxfragments": "fragments"}
_TEXTS: Final = {"startsel": "start", "stopsel": "stop", "fragmentdelimiter": "delimiter"}


def _told(o: Options) -> None:
    for name, value in o.given:
        small = name.lower() if name.isascii() else name
        if small in _NUMBERS:
            setattr(o, _NUMBERS[small], _number(value))
        elif small in _TEXTS:
            setattr(o, _TEXTS[small], value)
        elif small == "highlightall":
            o.everything = value.lower() in ("1", "on", "true", "t", "y", "yes")
        else:
            raise SqlError("22023", f'unrecognized headline parameter: "{name}"')
    if not o.everything:
        _check_numbers(o)


def _check_lengths(o: Options) -> None:
    for name, value in (("StartSel", o.start), ("StopSel", o.stop), ("FragmentDelimiter", o.delimiter)):
        if len(value.encode()) > _BYTES_MAX:
            raise SqlError("22023", f'value for "{name}" is too long')


def _check_numbers(o: Options) -> None:
    for wrong, said in (
        (o.least >= o.most, "MinWords should be less than MaxWords"),
        (o.least <= 0, "MinWords should be positive"),
        (o.short < 0, "ShortWord should be >= 0"),
        (o.fragments < 0, "MaxFragments should be >= 0"),
    ):
        if wrong:
            raise SqlError("22023", said)


def _number(value: str) -> int:
    m = _INTEGER.fullmatch(value)
    if m is None:
        raise SqlError("22P02", f'invalid input syntax for type integer: "{value}"')
    if not -(1 << 31) <= int(m[1]) < 1 << 31:
        raise SqlError("22003", f'value "{value}" is out of range for type integer')
    return int(m[1])


def _listed(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while text[at:].strip(_BLANK + ","):
        m = _ITEM.match(text, at)
        if m is None:
            raise SqlError("42601", f'invalid parameter list format: "{text}"')
        key = m["key"] if m["quoted"] is None else m["quoted"].replace('""', '"')
        found.append((key, _value(m)))
        at = m.end()
    return found


def _value(m: re.Match[str]) -> str:
    if m["single"] is not None:
        return m["single"].replace("''", "'").replace("\\\\", "\\")
    if m["double"] is not None:
        return m["double"].replace('""', '"')
    bare = m["bare"]
    if re.fullmatch(r"[+-]?[0-9]+", bare) and -(1 << 63) <= int(bare) < 1 << 63:
        return str(int(bare))
    return bare
