"""Python functions on strings of bytes and characters that DuckDB has no word for: regexp_*, parse_ident, unistr."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any

from planner.abc import SqlError
from planner.binding import numerics as n
from planner.binding.prelude.text import like_escape, overlaid
from planner.binding.regexps.patterns import Pattern
from planner.binding.regexps.translation import compile_pattern, refuse_global, replacement
from planner.types.letter_case import lowered

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V = "VARCHAR"
_I = "INTEGER"


# --- regexp_* with a start, a number and flags ---------------------------------------------------------


def _checked(name: str, flags: str, **positive: int) -> None:
    refuse_global(name, flags)
    for what, value in positive.items():
        if value < (0 if what in ("subexpr",) else 1):
            raise SqlError("22023", f'invalid value for parameter "{what}": {value}')


def _matches(s: str, pattern: str, start: int, flags: str) -> Any:
    """From a start beyond the end there is nothing, not even an empty match; what a pattern is refused for, it is nevertheless."""
    compiled = compile_pattern(pattern, flags)
    return compiled.matches(s, start - 1) if start <= len(s) + 1 else ()


def _count(s: str, pattern: str, start: int, flags: str) -> int:
    _checked("regexp_count", flags, start=start)
    return sum(1 for _ in _matches(s, pattern, start, flags))


def _nth(s: str, pattern: str, start: int, number: int, flags: str) -> re.Match[str] | None:
    for i, m in enumerate(_matches(s, pattern, start, flags), 1):
        if i == number:
            return m  # type: ignore[no-any-return]
    return None


def _instr(s: str, pattern: str, start: int, number: int, end: int, flags: str, group: int) -> int:
    _checked("regexp_instr", flags, start=start, n=number, subexpr=group)
    if end not in (0, 1):
        raise SqlError("22023", f'invalid value for parameter "endoption": {end}')
    m = _nth(s, pattern, start, number, flags)
    group = _meant(m, group)
    if m is None or group > m.re.groups or m[group] is None:
        return 0
    return (m.end(group) if end else m.start(group)) + 1


def _substr(s: str, pattern: str, start: int, number: int, flags: str, group: int) -> str | None:
    _checked("regexp_substr", flags, start=start, n=number, subexpr=group)
    m = _nth(s, pattern, start, number, flags)
    group = _meant(m, group)
    return None if m is None or group > m.re.groups else m[group]


def _meant(m: Any, group: int) -> int:
    """The first subexpression of a pattern that has none is all of it."""
    return 0 if m is not None and group == 1 and not m.re.groups else group


def _replace(s: str, pattern: str, new: str, start: int, number: int, flags: str) -> str:
    if start < 1:
        raise SqlError("22023", f'invalid value for parameter "start": {start}')
    if number < 0:
        raise SqlError("22023", f'invalid value for parameter "n": {number}')
    made, out, at = replacement(new), [], 0
    # What is before `start` is looked at by ^ and by what looks behind.
    for i, m in enumerate(_matches(s, pattern, start, flags.replace("g", "")), 1):
        if number in (0, i):
            out += [s[at : m.start()], made(m)]
            at = m.end()
    return "".join(out) + s[at:]


# --- names and letters ---------------------------------------------------------------------------------

_IDENT = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^\x00-@\[-^`{-\x7f][^\x00-\#%-/:-@\[-^`{-\x7f]*))\s*')


def _no_identifier(text: str, at: int, *, after_dot: bool) -> SqlError:
    """Says why no identifier begins here."""
    rest = text[at:].lstrip()
    detail = ""
    if rest.startswith('"'):
        detail = (
            "Quoted identifier must not be empty."
            if rest[1:2] == '"'
            else "String has unclosed double quotes."
        )
    elif rest.startswith("."):
        detail = 'No valid identifier before ".".'
    elif after_dot:
        detail = 'No valid identifier after ".".'
    return SqlError("22023", f'string is not a valid identifier: "{text}"', detail=detail)


def _parse_ident(text: str, strict: bool) -> list[str]:
    out: list[str] = []
    at = 0
    while True:
        m = _IDENT.match(text, at)
        if m is None:
            raise _no_identifier(text, at, after_dot=bool(out))
        out.append(m[1].replace('""', '"') if m[1] is not None else m[2].lower())
        at = m.end()
        if at == len(text):
            return out
        if text[at] != ".":
            if strict:
                raise SqlError("22023", f'string is not a valid identifier: "{text}"')
            return out
        at += 1


_UNICODE = re.compile(r"\\(?:([0-9A-Fa-f]{4})|u([0-9A-Fa-f]{4})|\+([0-9A-Fa-f]{6})|U([0-9A-Fa-f]{8})|(\\)|)")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def _unistr(text: str) -> str:
    def one(m: re.Match[str]) -> str:
        if m[5]:
            return "\\"
        digits = m[1] or m[2] or m[3] or m[4]
        if not digits:
            raise SqlError(
                "42601",
                "invalid Unicode escape",
                hint="Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.",
            )
        if not 0 < int(digits, 16) <= 0x10FFFF:
            raise SqlError("22023", f"invalid Unicode code point: {int(digits, 16):04X}")
        return chr(int(digits, 16))

    made = _UNICODE.sub(one, text)
    made = _PAIR.sub(lambda m: m[0].encode("utf-16", "surrogatepass").decode("utf-16"), made)
    if _SURROGATE.search(made):
        raise SqlError("42601", "invalid Unicode surrogate pair")
    return made


def _form(form: str) -> str:
    if form.upper() not in ("NFC", "NFD", "NFKC", "NFKD"):
        raise SqlError("22023", f"invalid normalization form: {form}")
    return form.upper()


# --- bytes ---------------------------------------------------------------------------------------------


def _like_unfinished(text: str, pattern: str) -> bool:
    """LIKE of a pattern ended by an escape, which no text matches. Raises 22025 for one that gets as far, and goes on."""
    as_far = [
        ".*" if s == "%" else "." if s == "_" else re.escape(s[-1]) for s in _LIKE_STEP.findall(pattern[:-1])
    ]
    if re.match("".join([*as_far, "."]), text, re.DOTALL):
        raise SqlError("22025", "LIKE pattern must not end with escape character")
    return False


_LIKE_STEP = re.compile(r"\\?.", re.DOTALL)


@lru_cache(maxsize=256)
def _like_pattern(pattern: bytes) -> tuple[Pattern, bool]:
    """A LIKE pattern of bytes; with True: ended by an escape, of the bytes that get as far and go on."""
    out: list[bytes] = []
    i = 0
    while i < len(pattern):
        c = pattern[i : i + 1]
        if c == b"\\":
            i += 1
            if i >= len(pattern):
                return Pattern(b"".join([rb"\A", *out, b"."]), re.DOTALL), True
            out.append(re.escape(pattern[i : i + 1]))
        else:
            out.append({b"%": b".*", b"_": b"."}.get(c) or re.escape(c))
        i += 1
    return Pattern(b"".join([rb"\A", *out, rb"\Z"]), re.DOTALL), False


def _bytes_like(data: bytes, pattern: bytes) -> bool:
    """Raises 22025."""
    found, unfinished = _like_pattern(pattern)
    matches = found.search(data) is not None
    if unfinished and matches:
        raise SqlError("22025", "LIKE pattern must not end with escape character")
    return matches


def _bytes_like_escape(pattern: bytes, escape: bytes) -> bytes:
    return like_escape(pattern.decode("latin-1"), escape.decode("latin-1")).encode("latin-1")


def _place(part: bytes, whole: bytes) -> int:
    return whole.find(part) + 1


# --- numbers -------------------------------------------------------------------------------------------


def _whole(a: str, b: str) -> tuple[int, int, int] | None:
    """Both as whole numbers of their finer scale."""
    x, y = Decimal(a), Decimal(b)
    if not (x.is_finite() and y.is_finite()):
        return None
    scale = max(n.scale_of(x), n.scale_of(y))
    return int(n.shifted(x, scale)), int(n.shifted(y, scale)), scale


def _gcd(a: str, b: str) -> str:
    made = _whole(a, b)
    return "NaN" if made is None else n.text(n.shifted(Decimal(math.gcd(made[0], made[1])), -made[2]))


def _lcm(a: str, b: str) -> str:
    made = _whole(a, b)
    if made is None:
        return "NaN"
    return n.text(n.shifted(Decimal(math.lcm(made[0], made[1])), -made[2]))


FUNCTIONS: list[Entry] = [
    ("tw_regexp_count_from", _count, (_V, _V, _I, _V), _I),
    ("tw_regexp_instr", _instr, (_V, _V, _I, _I, _I, _V, _I), _I),
    ("tw_regexp_substr_from", _substr, (_V, _V, _I, _I, _V, _I), _V),
    ("tw_regexp_replace_from", _replace, (_V, _V, _V, _I, _I, _V), _V),
    ("tw_parse_ident", _parse_ident, (_V, "BOOLEAN"), "VARCHAR[]"),
    ("tw_unistr", _unistr, (_V,), _V),
    ("tw_normalize", lambda s, f: unicodedata.normalize(_form(f), s), (_V, _V), _V),  # type: ignore[arg-type]
    ("tw_is_normalized", lambda s, f: unicodedata.is_normalized(_form(f), s), (_V, _V), "BOOLEAN"),  # type: ignore[arg-type]
    ("tw_bytes_trim", lambda s, c: s.strip(c), ("BLOB", "BLOB"), "BLOB"),
    ("tw_bytes_ltrim", lambda s, c: s.lstrip(c), ("BLOB", "BLOB"), "BLOB"),
    ("tw_bytes_rtrim", lambda s, c: s.rstrip(c), ("BLOB", "BLOB"), "BLOB"),
    ("tw_like_unfinished", _like_unfinished, (_V, _V), "BOOLEAN"),
    ("tw_ilike_unfinished", lambda s, p: _like_unfinished(lowered(s), lowered(p)), (_V, _V), "BOOLEAN"),
    ("tw_bytes_like", _bytes_like, ("BLOB", "BLOB"), "BOOLEAN"),
    ("tw_bytes_like_escape", _bytes_like_escape, ("BLOB", "BLOB"), "BLOB"),
    ("tw_bytes_position", _place, ("BLOB", "BLOB"), _I),
    ("tw_bytes_overlay", overlaid, ("BLOB", "BLOB", _I, _I), "BLOB"),
    ("tw_num_gcd", _gcd, (_V, _V), _V),
    ("tw_num_lcm", _lcm, (_V, _V), _V),
]
