"""json is kept as it was written; jsonb in canonical form.

Canonical means what PostgreSQL prints: object keys sorted by length in bytes, then bytewise; the last
of equal keys wins; `", "` and `": "` between; numbers exact, as numeric prints them (1.10 stays 1.10,
1e2 becomes 100).
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from planner.abc import SqlError
from planner.types import oids
from planner.types.base import TextInput
from planner.types.json_errors import invalid, refuse_escapes
from planner.types.numeric import numeric_in
from planner.types.settings import TypeSettings
from planner.types.texts import TextType

_quote: Final = json.encoder.encode_basestring


class _Number(str):
    """A JSON number in numeric's text form."""

    __slots__ = ()


class _Object(list[tuple[str, Any]]):
    """An object's pairs as written."""

    __slots__ = ()


def _no_constant(name: str) -> Any:
    raise ValueError(name)


_STRICT: Final = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=_no_constant)
_EXACT: Final = json.JSONDecoder(
    parse_float=lambda text: _Number(numeric_in(text)),
    parse_int=lambda text: _Number(numeric_in(text)),
    parse_constant=_no_constant,
    object_pairs_hook=_Object,
)
# [^\x00-/...]: letters, digits, `_` and all beyond ASCII, said so that `re` makes no table of 65,536 characters of it.
_TOKEN: Final = re.compile(
    r'[ \t\n\r]*(?:("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|((?>-?(?:0|[1-9][0-9]*)(?!\.(?![0-9]))(?:\.[0-9]+)?'
    r"(?:[eE][+-]?[0-9]+)?)(?![^\x00-/:-@\[-^`{-\x7f]))|([{}\[\],:])|(true|false|null)(?![^\x00-/:-@\[-^`{-\x7f]))"
)
_WORD: Final = re.compile(
    r"(?:-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]*)?)?)[^\x00-/:-@\[-^`{-\x7f]*"
)
"""What PostgreSQL's lexer takes for one token though it is none: a number that runs on, a word."""
_HEX: Final = re.compile("[0-9a-fA-F]*")
_SPACE: Final = re.compile(r"[ \t\n\r]*")


def _syntax_error(text: str) -> SqlError:
    """Finds the token that a JSON parser stumbles over, to say what PostgreSQL says."""
    stack: list[str] = []
    state = "value"
    i = 0
    while True:
        m = _TOKEN.match(text, i)
        if m is None:
            i = _SPACE.match(text, i).end()  # type: ignore[union-attr]
            if i >= len(text):
                return invalid("The input string ended unexpectedly.", text, len(text))
            if text[i] == '"':
                return _string_error(text, i)
            word = _WORD.match(text, i)
            assert word is not None
            return invalid(f'Token "{word[0] or text[i]}" is invalid.', text, max(word.end(), i + 1))
        token, i = m[0].strip(" \t\n\r"), m.end()
        expected = _expectation(state, stack, token, m.lastindex or 0)
        if expected is not None:
            return invalid(f'{expected}, but found "{token}".', text, i)
        state = _advance(state, stack, token)


def _string_error(text: str, start: int) -> SqlError:
    """What is wrong in the string that begins here."""
    i = start + 1
    while i < len(text) and text[i] != '"':
        if text[i] < " ":
            return invalid(f"Character with value 0x{ord(text[i]):02x} must be escaped.", text, i)
        if text[i] == "\\":
            i += 1
            if text[i : i + 1] == "u":
                digits = _HEX.match(text, i + 1, i + 5)
                end = digits.end() if digits is not None else i + 1
                if end < i + 5 and end < len(text):
                    return invalid('"\\u" must be followed by four hexadecimal digits.', text, end + 1)
            elif i < len(text) and text[i] not in '"\\/bfnrt':
                return invalid(f'Escape sequence "\\{text[i]}" is invalid.', text, i + 1)
        i += 1
    return invalid(f'Token "{text[start:]}" is invalid.', text, len(text))


def _expectation(state: str, stack: list[str], token: str, kind: int) -> str | None:
    """What should have stood here; None: the token may."""
    scalar = kind in (1, 2, 4)
    if state in ("value", "first element"):
        if scalar or token in "{[" or (state == "first element" and token == "]"):
            return None
        return "Expected JSON value"
    if state == "first key":
        return None if kind == 1 or token == "}" else 'Expected string or "}"'
    if state == "key":
        return None if kind == 1 else "Expected string"
    if state == "colon":
        return None if token == ":" else 'Expected ":"'
    if not stack:
        return "Expected end of input"
    if stack[-1] == "{":
        return None if token in (",", "}") else 'Expected "," or "}"'
    return None if token in (",", "]") else 'Expected "," or "]"'


def _advance(state: str, stack: list[str], token: str) -> str:
    if token == "{" and state != "end":
        stack.append("{")
        return "first key"
    if token == "[" and state != "end":
        stack.append("[")
        return "first element"
    if token in ("}", "]"):
        stack.pop()
        return "end"
    if token == ",":
        return "key" if stack[-1] == "{" else "value"
    if token == ":":
        return "value"
    return "colon" if state in ("first key", "key") else "end"


def _decode(decoder: json.JSONDecoder, text: str) -> Any:
    try:
        return decoder.decode(text)
    except ValueError:
        raise _syntax_error(text) from None
    except RecursionError:
        raise SqlError("54001", "stack depth limit exceeded") from None


def json_in(text: str) -> str:
    """Checks the syntax; keeps the text."""
    _decode(_STRICT, text)
    return text


def _sort_key(pair: tuple[str, Any]) -> tuple[int, bytes]:
    data = pair[0].encode()
    return len(data), data


def read_string(text: str) -> str:
    """A JSON string as text: what `->>` shows of it. Raises 22P02, 22P05."""
    refuse_escapes(text)
    value: str = json.loads(text)
    return value


def canonical(value: Any) -> str:
    """A value decoded with exact numbers -> jsonb's text."""
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, str):
        return _quote(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, _Object):
        pairs = sorted(dict(value).items(), key=_sort_key)
        return "{" + ", ".join([f"{_quote(k)}: {canonical(v)}" for k, v in pairs]) + "}"
    return "[" + ", ".join([canonical(v) for v in value]) + "]"


def jsonb_in(text: str) -> str:
    try:
        value = _decode(_EXACT, text)
        refuse_escapes(text)
        return canonical(value)
    except RecursionError:
        raise SqlError("54001", "stack depth limit exceeded") from None


class JsonType(TextType):
    def __init__(self, oid: int) -> None:
        super().__init__(oid)

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return jsonb_in if self.oid == oids.JSONB else json_in


def decoded(text: str) -> Any:
    """A JSON text as values: numbers exact (`canonical` shows them), objects as `members` reads them."""
    value = _decode(_EXACT, text)
    refuse_escapes(text)
    return value


def members(value: Any) -> dict[str, Any] | None:
    """The pairs of an object, the last of equal keys; None for other values."""
    return dict(value) if isinstance(value, _Object) else None
