"""json is kept as it was written; jsonb in canonical form.

Canonical means what PostgreSQL prints: object keys sorted by length in bytes, then bytewise; the last
of equal keys wins; `", "` and `": "` between; numbers exact, as numeric prints them (1.10 stays 1.10,
1e2 becomes 100).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from operator import itemgetter
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


class Exact:
    """A JSON number that no int or float shows as it is: numeric's text form."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


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


_PLAIN_LENGTH_MAX: Final = 1_000


def _float(text: str) -> float | Exact:
    value = float(text)
    if value and repr(value) == text and "e" not in text:
        return value
    if value and len(text) < _PLAIN_LENGTH_MAX and "e" not in text and "E" not in text:
        return Exact(text)  # zeros behind the point, or more digits than a float has
    return Exact(numeric_in(text))


_ORDERS_MAX: Final = 512
_ORDERED_KEYS_MAX: Final = 64
_KEY_LENGTH_MAX: Final = 64
_orders: Final[dict[tuple[str, ...], tuple[int, ...]]] = {}
"""Keys as they were written -> the places of those that stay, in jsonb's order; of shapes that documents had lately."""


def _ordered(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object's pairs in jsonb's order. Raises ValueError for half of a pair of surrogates."""
    if len(pairs) < 2:
        return dict(pairs)
    keys = tuple([k for k, _ in pairs])
    order = _orders.get(keys)
    if order is None:
        last = {k: i for i, k in enumerate(keys)}
        order = tuple([last[k] for k in sorted(last, key=_key_order)])
        if order == tuple(range(len(keys))):
            order = ()
        if len(keys) <= _ORDERED_KEYS_MAX and max(map(len, keys)) <= _KEY_LENGTH_MAX:
            if len(_orders) >= _ORDERS_MAX:
                _orders.clear()
            _orders[keys] = order
    return dict([pairs[i] for i in order]) if order else dict(pairs)


def _key_order(key: str) -> tuple[int, bytes]:
    data = key.encode()
    return len(data), data


_read_ordered: Final = json.JSONDecoder(
    parse_float=_float, parse_constant=_no_constant, object_pairs_hook=_ordered
).raw_decode
_read: Final = json.JSONDecoder(parse_float=_float, parse_constant=_no_constant).raw_decode


_read_long: Final = json.JSONDecoder(
    parse_float=_float, parse_int=lambda text: int(text) if len(text) < _PLAIN_LENGTH_MAX else Exact(text)
).raw_decode


def parts_of(text: str) -> Any:
    """A document in jsonb's form as values that `written` shows: its objects' keys are in order already."""
    try:
        return _read(text, 0)[0]
    except ValueError:  # Python reads no integer that has some thousand digits
        return _read_long(text, 0)[0]


_NUMBER: Final = "\0"
"""Numbers that the encoder does not know are strings to it that begin so, as none of jsonb's does."""
_ENCODED_NUMBER: Final = re.compile(r'"\\u0000([^"]*)"')


def _told(value: Any) -> str:
    if isinstance(value, Exact):
        return _NUMBER + value.text
    raise TypeError(value)


_encoder: Final = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, separators=(", ", ": "), default=_told
)
_make_encoder: Final = getattr(json.encoder, "c_make_encoder", None)
_pieces: Final[Callable[[Any, int], Iterable[str]]] = (
    _make_encoder(None, _told, _quote, None, ": ", ", ", False, False, True)
    if _make_encoder is not None
    else lambda value, _: _encoder.iterencode(value)
)
"""The encoder that `json` makes for each call, made once."""


LONGEST: Final = (1 << 28) - 1
"""Of a document of jsonb: what PostgreSQL can say the place of."""


def within_bounds(text: str, what: str = "array elements") -> str:
    """A document that has been made. Raises 54000 where it is longer than one can be."""
    if len(text) > LONGEST:
        raise SqlError("54000", f"total size of jsonb {what} exceeds the maximum of {LONGEST} bytes")
    return text


def written(value: Any) -> str:
    """jsonb's text of values whose objects' keys are in jsonb's order. Raises 54000."""
    text = within_bounds("".join(_pieces(value, 0)))
    return _ENCODED_NUMBER.sub(itemgetter(1), text) if '"\\u0000' in text else text


def in_order(members: dict[str, Any]) -> dict[str, Any]:
    """An object's members in jsonb's order."""
    return _ordered(list(members.items()))


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
        pairs = sorted(dict(value).items(), key=lambda pair: _key_order(pair[0]))
        return "{" + ", ".join([f"{_quote(k)}: {canonical(v)}" for k, v in pairs]) + "}"
    return "[" + ", ".join([canonical(v) for v in value]) + "]"


def jsonb_in(text: str) -> str:
    try:
        value, end = _read_ordered(text, 0)
        if end != len(text):
            return _jsonb_in(text)
        refuse_escapes(text)
        return written(value)
    except (ValueError, RecursionError):
        return _jsonb_in(text)


def _jsonb_in(text: str) -> str:
    """The same for all that is out of the ordinary, and errors."""
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
