"""The values of a list of parameters, read as one array: of integers, texts or uuids (`planner.listed_parameters`).

There may be tens of thousands, in as many lengths as there are, so nothing is kept for one of them, and what can be done for all of them
at once is: `b"17,4,99"` is looked at as a whole, and binary integers are unpacked together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import unpack
from typing import TYPE_CHECKING, Any, Final

from pgwire.encoding.binary import decode_utf8
from pgwire.encoding.parameters import parameter_input
from pgwire.transcoding import spoken
from planner import types as t
from planner.abc import TypeRef
from planner.listed_parameters import array_of
from storage.abc import Datum

if TYPE_CHECKING:
    from planner.types import TypeSettings

Values = Sequence[bytes | None]
ReadOne = Callable[[bytes], Datum]
Decoder = Callable[
    [Sequence[TypeRef], tuple[int, ...], "TypeSettings"], Callable[[Values], tuple[Datum, ...]]
]

_FORMS: Final = {t.INT2: ("h", 2), t.INT4: ("i", 4), t.INT8: ("q", 8)}
_SAFE_DIGITS: Final = {t.INT2: 4, t.INT4: 9, t.INT8: 18}
"""Characters of which every number is in range."""


def list_reader(
    types: Sequence[TypeRef], codes: tuple[int, ...], settings: TypeSettings, decoder: Decoder
) -> Callable[[Values], str]:
    """What reads the values of a list, in no format (text), one, or one each. `decoder`: what decodes values of any kind.

    Raises SqlError for a format that is none; what it returns raises what the types' input raises.
    """
    kinds = {ref.oid for ref in types}
    forms = set(codes) or {0}
    if len(kinds) > 1 or len(forms) > 1:
        each = _one_by_one(types, codes, settings, decoder)
        return lambda values: array_of(
            [None if v is None else f(v) for f, v in zip(each, values, strict=True)]
        )
    (oid,), (form,) = kinds, forms
    one = _reader_of_one(types[0], form, settings, decoder)

    def read(values: Values) -> str:
        made = _integers(oid, form, values) if oid in _FORMS and None not in values else None
        if made is not None:
            return "{" + ",".join(map(str, made)) + "}"
        return array_of([None if v is None else one(v) for v in values])

    return read


def _integers(oid: int, form: int, values: Sequence[Any]) -> Sequence[int] | None:
    """All of them at once; None where one is not as plain as most are."""
    if form:
        letter, size = _FORMS[oid]
        if set(map(len, values)) != {size}:
            return None
        return unpack(f">{len(values)}{letter}", b"".join(values))
    if max(map(len, values)) > _SAFE_DIGITS[oid] or not b"".join(values).replace(b"-", b"").isdigit():
        return None
    try:
        return list(map(int, values))
    except ValueError:  # nothing at all, or a sign where there should be none
        return None


def _one_by_one(
    types: Sequence[TypeRef], codes: tuple[int, ...], settings: TypeSettings, decoder: Decoder
) -> list[ReadOne]:
    forms = codes if len(codes) == len(types) else (codes[0] if codes else 0,) * len(types)
    known: dict[tuple[int, int], ReadOne] = {}
    found: list[ReadOne] = []
    for ref, form in zip(types, forms, strict=True):
        one = known.get((ref.oid, form))
        if one is None:
            one = known[ref.oid, form] = _reader_of_one(ref, form, settings, decoder)
        found.append(one)
    return found


def _reader_of_one(ref: TypeRef, form: int, settings: TypeSettings, decoder: Decoder) -> ReadOne:
    if spoken(settings) is None:  # none of these types is a user's, so nobody's own definitions are asked
        return decode_utf8 if ref.oid == t.TEXT and form in (0, 1) else parameter_input(ref, form, settings)
    decode = decoder((ref,), (form,), settings)
    return lambda value: decode([value])[0]


__all__ = ["list_reader"]
