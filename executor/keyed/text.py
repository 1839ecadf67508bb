"""Text functions, exactly PostgreSQL's in a UTF-8 database with C collation.

Positions and lengths count characters. Case mapping is one character to one character, as the C
library does it: the German sharp s has no capital here.
"""

from __future__ import annotations

from typing import Final

from executor.abc import ExecutionError
from executor.keyed.registry import scalar
from planner.types.letter_case import lowered, uppered
from planner.types.texts import too_much

_TEXTS = ("text", "varchar", "bpchar")


LONGEST: Final = (1 << 30) - 5
"""Characters, or bytes, of a value: PostgreSQL's have a gigabyte at most."""


@scalar("text || text")
def _concatenate(a: str, b: str) -> str:
    if len(a) + len(b) > LONGEST:
        raise ExecutionError("54000", "requested length too large")
    return a + b


@scalar("bytea || bytea")
def _join_bytes(a: bytes, b: bytes) -> bytes:
    if len(a) + len(b) > LONGEST:
        raise ExecutionError("54000", "requested length too large")
    return a + b


@scalar("length(text)", "char_length(text)", "character_length(text)")
def _length(a: str) -> int:
    return len(a)


@scalar(*(f"{f}(bpchar)" for f in ("length", "char_length", "character_length")))
def _length_bpchar(a: str) -> int:
    return len(a.rstrip(" "))


@scalar("octet_length(text)")
def _octets(a: str) -> int:
    return len(a.encode())


@scalar("octet_length(bytea)", "length(bytea)")
def _octets_bytea(a: bytes) -> int:
    return len(a)


@scalar("lower(text)")
def _lower(a: str) -> str:
    return lowered(a)


@scalar("upper(text)")
def _upper(a: str) -> str:
    return uppered(a)


@scalar("substr(text, int4)", "substring(text, int4)")
def _substring_from(a: str, start: int) -> str:
    return a[max(0, start - 1) :]


@scalar("substr(text, int4, int4)", "substring(text, int4, int4)")
def _substring(a: str, start: int, count: int) -> str:
    if count < 0:
        raise ExecutionError("22011", "negative substring length not allowed")
    end = start - 1 + count
    return a[max(0, start - 1) : max(0, end)]


@scalar("left(text, int4)")
def _left(a: str, n: int) -> str:
    return a[:n]


@scalar("right(text, int4)")
def _right(a: str, n: int) -> str:
    if n == 0:
        return ""
    if n == -(1 << 31):  # PostgreSQL negates it without noticing that it does not fit
        return a
    return a[-n:] if n > 0 else a[min(len(a), -n) :]


@scalar("btrim(text)")
def _btrim(a: str) -> str:
    return a.strip(" ")


@scalar("ltrim(text)")
def _ltrim(a: str) -> str:
    return a.lstrip(" ")


@scalar("rtrim(text)")
def _rtrim(a: str) -> str:
    return a.rstrip(" ")


@scalar("btrim(text, text)")
def _btrim_set(a: str, characters: str) -> str:
    return a.strip(characters) if characters else a


@scalar("ltrim(text, text)")
def _ltrim_set(a: str, characters: str) -> str:
    return a.lstrip(characters) if characters else a


@scalar("rtrim(text, text)")
def _rtrim_set(a: str, characters: str) -> str:
    return a.rstrip(characters) if characters else a


@scalar("replace(text, text, text)")
def _replace(a: str, old: str, new: str) -> str:
    if len(a) * len(new) > LONGEST and old:
        length = len(a) + a.count(old) * (len(new) - len(old))
        if length > LONGEST:
            raise too_much(LONGEST, length - LONGEST)
    return a.replace(old, new) if old else a


@scalar("strpos(text, text)", "position(text, text)")
def _strpos(a: str, part: str) -> int:
    return a.find(part) + 1


@scalar("reverse(text)")
def _reverse(a: str) -> str:
    return a[::-1]


@scalar("repeat(text, int4)")
def repeated(a: str, n: int) -> str:
    if len(a) * max(n, 0) > LONGEST:
        raise ExecutionError("54000", "requested length too large")
    return a * max(n, 0)


@scalar("starts_with(text, text)", "text ^@ text")
def _starts_with(a: str, prefix: str) -> bool:
    return a.startswith(prefix)
