"""Bind's parameter values -> datums.

A statement is bound many times with values of the same types and formats, so the reading of each is
resolved once: `params_decoder` is for the session to keep with its prepared statement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter
from struct import calcsize
from typing import Any, Final

from pgwire.encoding.binary import FORMS, binary_input, decode_utf8
from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.errors import BytesLeftOver
from planner.types import DEFAULT_SETTINGS, TypeSettings, text_input
from planner.types.integers import IntegerType
from storage.abc import Datum

Values = Sequence[bytes | None]
FIELDS_COMPILED_MAX: Final = 100
"""So many fields are read by an expression of their own."""
_UNREAD: Final = frozenset((t.TEXT, t.UNKNOWN))


def parameter_input(ref: TypeRef, form: int, settings: TypeSettings) -> Callable[[bytes], Datum]:
    """What reads one value of a type in a format. Raises 22023 for a format that is none."""
    if form == 1:
        return binary_input(ref)
    if form != 0:
        raise SqlError("22023", f"unsupported format code: {form}")
    if ref.oid in _UNREAD:
        return decode_utf8
    parse = text_input(ref, settings)
    family = t.sql_type(ref.oid)
    if isinstance(family, IntegerType):
        digits_safe = len(str(family.high)) - 1

        def read_integer(data: bytes) -> int:
            if len(data) <= digits_safe and (data.isdigit() or (data[:1] == b"-" and data[1:].isdigit())):
                return int(data)
            return int(parse(decode_utf8(data)))

        return read_integer

    def read(data: bytes) -> Datum:
        return parse(decode_utf8(data))

    return read


@lru_cache(maxsize=4096)
def params_decoder(
    types: tuple[TypeRef, ...], formats: tuple[int, ...], settings: TypeSettings = DEFAULT_SETTINGS
) -> Callable[[Values], tuple[Datum, ...]]:
    """What decodes the values of a Bind with these formats: none (all text), one for all, or one each.

    Raises 08P01 for formats that do not fit; the function raises 08P01 for a wrong count and for short
    values, 22P03 for malformed binary, and what the types' input raises: 22P02, 22003, 22007, 22021, ...
    """
    count = len(types)
    if len(formats) > 1 and len(formats) != count:
        raise SqlError("08P01", f"bind message has {len(formats)} parameter formats but {count} parameters")
    forms = formats if len(formats) == count else (formats[0] if formats else 0,) * count
    decoders = [parameter_input(ref, form, settings) for ref, form in zip(types, forms, strict=True)]

    width = plain_width(types, forms) if count > 1 else 0

    def decode(values: Values) -> tuple[Datum, ...]:
        if width and len(values) == count:
            try:
                if max(map(len, values)) <= width:  # type: ignore[arg-type]
                    return plain_integers(one_by_one, values)
            except TypeError:
                pass  # a NULL
        return one_by_one(values)

    def one_by_one(values: Values) -> tuple[Datum, ...]:
        if len(values) != count:
            raise SqlError(
                "08P01",
                f"bind message supplies {len(values)} parameters, but prepared statement requires {count}",
            )
        out: list[Datum] = []
        try:
            for read, value in zip(decoders, values, strict=True):
                out.append(None if value is None else read(value))
        except BytesLeftOver:
            raise BytesLeftOver(f" in bind parameter {len(out) + 1}") from None
        return tuple(out)

    return decode if width else one_by_one


@lru_cache(maxsize=4096)
def fields_decoder(
    types: tuple[TypeRef, ...], formats: tuple[int, ...], settings: TypeSettings = DEFAULT_SETTINGS
) -> tuple[tuple[str, ...], Callable[[tuple[Any, ...]], tuple[Datum, ...]]]:
    """For values that are unpacked together, each behind its length and none of them NULL: of each the field that it is ("": so
    many bytes as it says), and what makes the datums of all fields. Of formats that `params_decoder` has found to fit.

        >iiiii3s    (4, 17, 4, 3, 3, b"1.5")    ->    (17, 3, "1.5")
    """
    count = len(types)
    forms = formats if len(formats) == count else (formats[0] if formats else 0,) * count
    readers = [parameter_input(ref, form, settings) for ref, form in zip(types, forms, strict=True)]
    fields = tuple([FORMS.get(read, "") for read in readers])
    if all(fields):
        return fields, itemgetter(slice(1, None, 2))
    if count > FIELDS_COMPILED_MAX:
        return fields, lambda v: tuple(
            [x if field else read(x) for field, read, x in zip(fields, readers, v[1::2], strict=True)]
        )
    scope = {f"read{i}": read for i, read in enumerate(readers)}
    cells = [f"v[{2 * i + 1}]" if field else f"read{i}(v[{2 * i + 1}])" for i, field in enumerate(fields)]
    return fields, eval(f"lambda v: ({', '.join(cells)},)", scope)


def field_of(form: str, value: bytes) -> str:
    """What a value behind its length is unpacked as (`fields_decoder`). Raises ValueError if it cannot be."""
    if form and calcsize(">" + form) != len(value):
        raise ValueError("not as long as its type is")
    return "i" + (form or f"{len(value)}s")


def plain_integers(decode: Callable[[Values], tuple[Datum, ...]], values: Values) -> tuple[Datum, ...]:
    """What `decode` makes of values of which none is longer than `plain_width` says, nor NULL: such integers take no call for each,
    of which a long IN list has many."""
    try:
        if b"".join(values).replace(b"-", b"").isdigit():  # type: ignore[arg-type]
            return tuple(map(int, values))  # type: ignore[arg-type]
    except ValueError:
        pass  # nothing at all, a sign where there should be none: value by value
    return decode(values)


@lru_cache(maxsize=64)
def integers_of(count: int) -> Callable[[tuple[Any, ...]], tuple[Datum, ...]]:
    """The integers of so many texts, each behind its length. Raises ValueError for what is none.

    For texts of `plain_width` without an underscore, which Python would read over: other than that it reads what PostgreSQL
    reads, blanks and signs included.
    """
    cells = ", ".join([f"int(v[{2 * i + 1}])" for i in range(count)])
    return eval(f"lambda v: ({cells},)")  # type: ignore[no-any-return]


def plain_width(types: Sequence[TypeRef], formats: Sequence[int]) -> int:
    """How many characters are surely in range, if all of these are integers in text; else 0."""
    if any(formats):
        return 0
    families = [t.sql_type(ref.oid) for ref in types]
    highs = [family.high for family in families if isinstance(family, IntegerType)]
    return len(str(min(highs))) - 1 if len(highs) == len(families) else 0


def decode_params(
    types: Sequence[TypeRef],
    formats: Sequence[int],
    values: Values,
    settings: TypeSettings = DEFAULT_SETTINGS,
) -> tuple[Datum, ...]:
    """`params_decoder` looked up and called."""
    return params_decoder(tuple(types), tuple(formats), settings)(values)
