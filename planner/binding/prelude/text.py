"""Python functions on text: PostgreSQL's regular expressions, patterns, quoting, encodings, arrays' text."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import string
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

from planner.abc import SqlError, TypeRef
from planner.binding.regexps.plain import plain_pattern
from planner.binding.regexps.translation import compile_pattern, refuse_global, replacement
from planner.keywords import COLUMN_NAME, RESERVED, TYPE_FUNCTION_NAME
from planner.types import NAME, input_text, join_record, split_record
from planner.types.letter_case import lowered, uppered
from planner.types.texts import byte_of_number, number_of_byte, one_byte

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_S = TypeVar("_S", str, bytes)
_V = "VARCHAR"
_TEXT_MAX = 1 << 28


def _pad(left: bool) -> Callable[[str, int, str], str]:
    def pad(s: str, n: int, fill: str) -> str:
        n = max(n, 0)
        if len(s) >= n:
            return s[:n]
        if not fill:
            return s
        if n > _TEXT_MAX:
            raise SqlError("54000", "requested length too large")
        filled = (fill * ((n - len(s)) // len(fill) + 1))[: n - len(s)]
        return filled + s if left else s + filled

    return pad


def _initcap(s: str) -> str:
    out, inside = [], False
    for c in s:
        out.append((lowered(c) if inside else uppered(c)) if c.isalnum() else c)
        inside = c.isalnum()
    return "".join(out)


def overlaid(s: _S, new: _S, start: int, count: int) -> _S:
    """overlay() of text, bytes and bits (which are texts of 0 and 1). Raises 22011, 22003."""
    if start <= 0:
        raise SqlError("22011", "negative substring length not allowed")
    if not -(1 << 31) <= start + count < 1 << 31:
        raise SqlError("22003", "integer out of range")
    return s[: start - 1] + new + s[max(start - 1 + count, 0) :]


def quote_ident(s: str) -> str:
    plain = re.fullmatch(r"[a-z_][a-z0-9_$]*", s) and s not in RESERVED | TYPE_FUNCTION_NAME | COLUMN_NAME
    return s if plain else '"' + s.replace('"', '""') + '"'


def quote_literal(s: str) -> str:
    body = s.replace("'", "''")
    return f" E'{body}'".lstrip().replace("\\", "\\\\") if "\\" in s else f"'{body}'"


def _encode(data: bytes, form: str) -> str:
    kind = form.lower()
    if kind == "hex":
        return data.hex()
    if kind == "base64":
        text = base64.b64encode(data).decode()
        return "\n".join(text[i : i + 76] for i in range(0, len(text), 76))
    if kind == "escape":
        return "".join("\\\\" if b == 92 else chr(b) if 0 < b < 128 else f"\\{b:03o}" for b in data)
    raise SqlError("22023", f'unrecognized encoding: "{form}"')


def _from_hex(text: str) -> bytes:
    digits = "".join(text.split())
    for c in digits:
        if c not in string.hexdigits:
            raise SqlError("22023", f'invalid hexadecimal digit: "{c}"')
    if len(digits) % 2:
        raise SqlError("22023", "invalid hexadecimal data: odd number of digits")
    return bytes.fromhex(digits)


_BASE64 = frozenset(string.ascii_letters + string.digits + "+/=")


def _from_base64(text: str) -> bytes:
    for c in text:
        if c not in _BASE64:
            raise SqlError("22023", f'invalid symbol "{c}" found while decoding base64 sequence')
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise SqlError(
            "22023",
            "invalid base64 end sequence",
            hint="Input data is missing padding, is truncated, or is otherwise corrupted.",
        ) from None


def _decode(text: str, form: str) -> bytes:
    kind = form.lower()
    if kind == "hex":
        return _from_hex(text)
    if kind == "base64":
        return _from_base64("".join(text.split()))
    if kind == "escape":
        return re.sub(rb"\\(\\|[0-3][0-7]{2}|)", _unescaped, text.encode())
    raise SqlError("22023", f'unrecognized encoding: "{form}"')


def _unescaped(found: re.Match[bytes]) -> bytes:
    if not found[1]:
        raise SqlError("22P02", "invalid input syntax for type bytea")
    return b"\\" if found[1] == b"\\" else bytes([int(found[1], 8)])


def _get_byte(data: bytes, i: int) -> int:
    if not 0 <= i < len(data):
        raise SqlError("2202E", f"index {i} out of valid range, 0..{len(data) - 1}")
    return data[i]


def _set_byte(data: bytes, i: int, value: int) -> bytes:
    if not 0 <= i < len(data):
        raise SqlError("2202E", f"index {i} out of valid range, 0..{len(data) - 1}")
    return data[:i] + bytes([value & 255]) + data[i + 1 :]


def _bit_place(data: bytes, n: int) -> tuple[int, int]:
    if not 0 <= n < len(data) * 8:
        raise SqlError("2202E", f"index {n} out of valid range, 0..{len(data) * 8 - 1}")
    return n // 8, n % 8


def _get_bit(data: bytes, n: int) -> int:
    i, b = _bit_place(data, n)
    return data[i] >> b & 1


def _set_bit(data: bytes, n: int, value: int) -> bytes:
    i, b = _bit_place(data, n)
    if value not in (0, 1):
        raise SqlError("22023", "new bit must be 0 or 1")
    return _set_byte(data, i, data[i] & ~(1 << b) | value << b)


def _substr_bytes(data: bytes, start: int, count: int) -> bytes:
    if count < 0:
        raise SqlError("22011", "negative substring length not allowed")
    return data[max(start - 1, 0) : max(start - 1 + count, 0)]


def like_escape(pattern: str, escape: str) -> str:
    """LIKE ... ESCAPE x as a pattern whose escape is a backslash."""
    if len(escape) > 1:
        raise SqlError("22025", "invalid escape string", hint="Escape string must be empty or one character.")
    if escape == "\\":
        return pattern
    out, i = [], 0
    while i < len(pattern):
        c = pattern[i]
        if escape and c == escape:
            # An escape at the end remains one: an error only for a text that gets as far, and LIKE knows of it.
            i += 1
            out.append("\\" + pattern[i : i + 1])
        else:
            out.append("\\\\" if c == "\\" else c)
        i += 1
    return "".join(out)


def similar(pattern: str, escape: str) -> str:
    """A SIMILAR TO pattern as a regular expression."""
    if len(escape) > 1:
        raise SqlError("22025", "invalid escape string", hint="Escape string must be empty or one character.")
    out, in_class, i, quotes = ["^(?:"], False, 0, 0
    parted = bool(escape) and f'{escape}"' in pattern
    while i < len(pattern):
        c = pattern[i]
        i += 1
        if escape and c == escape:
            if i < len(pattern):
                nxt = pattern[i]
                i += 1
                if nxt == '"':
                    # The first one ends what precedes the part to extract, the second the part itself.
                    quotes += 1
                    if quotes > 2:
                        raise SqlError(
                            "2200C",
                            "SQL regular expression may not contain more than two escape-double-quote separators",
                        )
                    out.append("){1,1}?(" if quotes == 1 else "){1,1}(?:")
                else:
                    out.append("\\" + nxt)
            continue
        if in_class:
            out.append("\\\\" if c == "\\" else c)
            in_class = c != "]"
        elif c == "[":
            out.append(c)
            in_class = True
        elif c == "%":
            out.append(".*?" if parted and not quotes else ".*")
        elif parted and not quotes and c in "*+?}":
            out.append(c + "?")  # what precedes the part to extract takes as little as it can
        elif c == "_":
            out.append(".")
        elif c == "(":
            out.append("(?:")
        elif c in "\\.^$":
            out.append("\\" + c)
        else:
            out.append(c)
    return "".join(out) + ")$"


def _regexp_like(s: str, pattern: str, flags: str) -> bool:
    refuse_global("regexp_like", flags)
    return compile_pattern(pattern, flags).search(s) is not None


def _regexp_replace(s: str, pattern: str, new: str, flags: str) -> str:
    if flags[:1].isdecimal():
        raise SqlError(
            "22023",
            f'invalid regular expression option: "{flags[0]}"',
            hint="If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly.",
        )
    count = 0 if "g" in flags else 1
    return compile_pattern(pattern, flags.replace("g", "")).sub(replacement(new), s, count=count)


def _groups(m: re.Match[str]) -> list[str | None]:
    return list(m.groups()) if m.re.groups else [m[0]]


def _regexp_match(s: str, pattern: str, flags: str) -> list[str | None] | None:
    refuse_global("regexp_match", flags, "Use the regexp_matches function instead.")
    m = compile_pattern(pattern, flags).search(s)
    return None if m is None else _groups(m)


def _regexp_matches(s: str, pattern: str, flags: str) -> list[list[str | None]]:
    found = compile_pattern(pattern, flags.replace("g", "")).matches(s)
    rows = [_groups(m) for m in found]
    return rows if "g" in flags else rows[:1]


def _regexp_split_to_table(s: str, pattern: str, flags: str) -> list[str]:
    refuse_global("regexp_split_to_table", flags)
    return _regexp_split(s, pattern, flags)


def _regexp_split(s: str, pattern: str, flags: str) -> list[str]:
    refuse_global("regexp_split_to_array", flags)
    compiled = compile_pattern(pattern, flags)
    out, at = [], 0
    for m in compiled.matches(s):
        if m.end() == m.start() and m.start() in (at, len(s)):
            continue  # nothing, where the last match ended, at the beginning or at the end, parts nothing
        out.append(s[at : m.start()])
        at = m.end()
    return [*out, s[at:]]


def _regexp_substring(s: str, pattern: str) -> str | None:
    m = compile_pattern(pattern, "").search(s)
    if m is None:
        return None
    return m[1 if m.re.groups else 0]  # type: ignore[no-any-return]


def _regexp_substr(s: str, pattern: str) -> str | None:
    m = compile_pattern(pattern, "").search(s)
    return None if m is None else m[0]


def _string_to_array(s: str, delimiter: str) -> list[str]:
    if delimiter == "\0":
        return list(s)
    if not s:
        return []
    return [s] if not delimiter else s.split(delimiter)


def _record_put(text: str, i: int, item: list[str | None]) -> str:
    """A composite value with one field replaced."""
    items = split_record(text)
    items[i] = item[0]
    return join_record(items)


def _record_item(text: str, i: int) -> str | None:
    """A field of a composite value, as text."""
    return split_record(text)[i]


@lru_cache(maxsize=1)
def _name() -> TypeRef:
    return TypeRef(NAME)


def _string_agg(pairs: list[Any]) -> str | None:
    """string_agg whose separator is an expression: each value brings its own, the first one's is not used."""
    if not pairs:
        return None
    return "".join(p["v"] if i == 0 else p["s"] + p["v"] for i, p in enumerate(pairs))


FUNCTIONS: list[Entry] = [
    ("tw_in_char", one_byte, (_V,), _V),
    ("tw_char_of_int4", byte_of_number, ("INTEGER",), _V),
    ("tw_int4_of_char", number_of_byte, (_V,), "INTEGER"),
    ("tw_string_agg", _string_agg, ("STRUCT(v VARCHAR, s VARCHAR)[]",), _V),
    ("tw_lpad", _pad(True), (_V, "INTEGER", _V), _V),
    ("tw_rpad", _pad(False), (_V, "INTEGER", _V), _V),
    ("tw_initcap", _initcap, (_V,), _V),
    ("tw_reverse_characters", lambda s: s[::-1], (_V,), _V),
    ("tw_overlay", overlaid, (_V, _V, "INTEGER", "INTEGER"), _V),
    ("tw_to_hex", lambda v: f"{v & 0xFFFFFFFFFFFFFFFF:x}", ("BIGINT",), _V),
    ("tw_quote_ident", quote_ident, (_V,), _V),
    ("tw_quote_literal", quote_literal, (_V,), _V),
    ("tw_encode", _encode, ("BLOB", _V), _V),
    ("tw_decode", _decode, (_V, _V), "BLOB"),
    ("tw_set_byte", _set_byte, ("BLOB", "INTEGER", "INTEGER"), "BLOB"),
    ("tw_get_bit", _get_bit, ("BLOB", "BIGINT"), "INTEGER"),
    ("tw_set_bit", _set_bit, ("BLOB", "BIGINT", "INTEGER"), "BLOB"),
    ("tw_bit_count", lambda data: int.from_bytes(data, "big").bit_count(), ("BLOB",), "BIGINT"),
    ("tw_substr_bytes", _substr_bytes, ("BLOB", "INTEGER", "INTEGER"), "BLOB"),
    ("tw_sha224", lambda data: hashlib.sha224(data).digest(), ("BLOB",), "BLOB"),
    ("tw_sha384", lambda data: hashlib.sha384(data).digest(), ("BLOB",), "BLOB"),
    ("tw_sha512", lambda data: hashlib.sha512(data).digest(), ("BLOB",), "BLOB"),
    ("tw_get_byte", _get_byte, ("BLOB", "INTEGER"), "INTEGER"),
    ("tw_like_escape", like_escape, (_V, _V), _V),
    ("tw_similar", similar, (_V, _V), _V),
    ("tw_plain_pattern", plain_pattern, (_V, _V), _V),
    ("tw_regexp_like", _regexp_like, (_V, _V, _V), "BOOLEAN"),
    ("tw_regexp_replace", _regexp_replace, (_V, _V, _V, _V), _V),
    ("tw_regexp_match", _regexp_match, (_V, _V, _V), "VARCHAR[]"),
    ("tw_regexp_matches", _regexp_matches, (_V, _V, _V), "VARCHAR[][]"),
    ("tw_regexp_split", _regexp_split, (_V, _V, _V), "VARCHAR[]"),
    ("tw_regexp_split_to_table", _regexp_split_to_table, (_V, _V, _V), "VARCHAR[]"),
    ("tw_regexp_substring", _regexp_substring, (_V, _V), _V),
    ("tw_regexp_substr", _regexp_substr, (_V, _V), _V),
    ("tw_regexp_count", lambda s, p: len(compile_pattern(p, "").matches(s)), (_V, _V), "INTEGER"),
    ("tw_string_to_array", _string_to_array, (_V, _V), "VARCHAR[]"),
    ("tw_record_text", join_record, ("VARCHAR[]",), _V),
    ("tw_record_put", _record_put, (_V, "INTEGER", "VARCHAR[]"), _V),
    ("tw_record_item", _record_item, (_V, "INTEGER"), _V),
    ("tw_name", lambda s: input_text(s, _name()), (_V,), _V),
    ("tw_shl", lambda a, b: _wrap64(a << (b & 63)), ("BIGINT", "INTEGER"), "BIGINT"),
    ("tw_shr", lambda a, b: a >> (b & 63), ("BIGINT", "INTEGER"), "BIGINT"),
]


def _wrap64(v: int) -> int:
    return (v + (1 << 63)) % (1 << 64) - (1 << 63)
