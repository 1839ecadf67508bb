"""What the keyed engine computes of rows of system relations, beside what it computes of all rows.

    format_type(a.atttypid, a.atttypmod)    a call with what the session sees of the catalog in front: s.system_context()
    a.attnum = ANY (i.indkey)               lists of datums, made of an array's text once
    i.indkey[0]                             vectors are lists already

Binders name these operations in `planner.binding.keyed.catalog`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from executor.abc import ExecutionError
from executor.keyed.registry import lax, scalar
from planner import types as t
from planner.binding.keyed.catalog import called
from planner.binding.prelude.text import quote_ident, quote_literal
from planner.types import array_values as arrays
from planner.types.oids import INT8_ARRAY, NAME_ARRAY, TEXT_ARRAY

PREFIX = "catalog "


def function_of(op: str) -> Callable[..., Any] | None:
    """The function over the catalog that an operation calls, of a context and datums; None if it calls none."""
    return called().get(op.removeprefix(PREFIX)) if op.startswith(PREFIX) else None


scalar("quote_ident(text)")(quote_ident)


scalar("quote_literal(text)")(quote_literal)


@scalar("char = char")
def _char_equal(a: str, b: str) -> bool:
    return a == b


@scalar("char <> char")
def _char_unequal(a: str, b: str) -> bool:
    return a != b


@scalar("catalog unsigned")
def _unsigned(value: int) -> int:
    """A number as an OID: negative ones count from the other end."""
    return value & 0xFFFFFFFF


@scalar("catalog digits")
def _digits(value: int) -> str:
    return str(value)


@scalar("catalog truth")
def _truth(value: bool) -> str:
    return "true" if value else "false"


@scalar("catalog names")
def _names(names: Sequence[str]) -> Any:
    return t.array_datum(list(names), NAME_ARRAY)


@scalar("vector subscript")
def _element(vector: Sequence[Any], at: int) -> Any:
    """int2vector and oidvector count from zero."""
    return vector[at] if 0 <= at < len(vector) else None


@scalar("catalog texts")
def _texts(array: str) -> Sequence[Any]:
    return _items(array, TEXT_ARRAY)


@scalar("catalog integers")
def _integers(array: str) -> Sequence[Any]:
    return _items(array, INT8_ARRAY)


@lru_cache(maxsize=2_000)
def _items(array: str, oid: int) -> tuple[Any, ...]:
    return tuple(t.array_items(array, oid))


@lru_cache(maxsize=2_000)
def _array(text: str) -> arrays.ArrayValue:
    return arrays.parse(text)


@scalar("catalog text at")
def _text_at(array: str, at: int) -> str | None:
    return arrays.item_at(_array(array), (at,))


@scalar("catalog integer at")
def _integer_at(array: str, at: int) -> int | None:
    item = arrays.item_at(_array(array), (at,))
    return None if item is None else int(item)


@scalar("catalog places")
def _places(array: str, dimension: int) -> Sequence[int]:
    """generate_subscripts."""
    value = _array(array)
    if not 0 < dimension <= len(value.dims):
        return ()
    low = value.lows[dimension - 1]
    return range(low, low + value.dims[dimension - 1])


@scalar("catalog vector places")
def _vector_places(vector: Sequence[Any], dimension: int) -> Sequence[int]:
    return range(len(vector)) if dimension == 1 else ()


# An array's text is canonical: dimensions, bounds and elements are equal if it is.


@scalar("catalog equal")
def _equal(a: str, b: str) -> bool:
    return a == b


@scalar("catalog unequal")
def _unequal(a: str, b: str) -> bool:
    return a != b


@lax("catalog distinct")
def _distinct(a: str | None, b: str | None) -> bool:
    return a != b


@lax("catalog alike")
def _alike(a: str | None, b: str | None) -> bool:
    return a == b


@scalar("catalog series")
def _series(first: int, last: int) -> Sequence[int]:
    return range(first, last + 1)


@scalar("catalog strung")
def _strung(texts: Sequence[str | None], separator: str) -> str:
    return separator.join(x for x in texts if x is not None)


@lax("catalog tuple")
def _tuple(*values: Any) -> tuple[Any, ...]:
    return values


@lax("catalog json")
def _json(*values: Any) -> str:
    """json_build_object. Raises 22023."""
    if len(values) % 2:
        raise ExecutionError(
            "22023",
            "argument list must have even number of elements",
            hint="The arguments of json_build_object() must consist of alternating keys and values.",
        )
    pairs = []
    for i in range(0, len(values), 2):
        if values[i] is None:
            raise ExecutionError(
                "22023", f"argument {i + 1} cannot be null", hint="Object keys should be text."
            )
        key = values[i] if isinstance(values[i], str) else json.dumps(values[i])
        pairs.append(
            f"{json.dumps(key, ensure_ascii=False)} : {json.dumps(values[i + 1], ensure_ascii=False)}"
        )
    return "{" + ", ".join(pairs) + "}"


@lru_cache(maxsize=500)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


@scalar("catalog matches")
def _matches(value: str, pattern: str) -> bool:
    return _compiled(pattern).search(value) is not None


@lax("catalog among")
def _among(value: Any, values: Sequence[Any] | None) -> bool | None:
    """`value = ANY (values)`."""
    if values is None:
        return None
    if not values:
        return False
    if value is None:
        return None
    if value in values:
        return True
    return None if None in values else False


__all__ = ["PREFIX", "function_of"]
