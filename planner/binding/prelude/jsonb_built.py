"""jsonb_build_object of whole columns: where all rows have the same keys, the texts of their values are joined.

    {"id": 1, "t": "text 1"}      '{"id": ' || v0 || ', "t": ' || v1 || '}'

A value's text is jsonb's already where it is a word, a string without escapes or a number as numeric prints it, which one
regular expression tells; others are read one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from planner.binding.prelude import json as prelude_json
from planner.types.arrow_columns import one_array
from planner.types.jsons import in_order, jsonb_in, written

_CANONICAL: Final = (
    r'^(null|true|false|"[^"\\\x00-\x1f]*"|-?[1-9][0-9]{0,300}(\.[0-9]{1,300})?|0(\.[0-9]{1,300})?)$'
)


def built(pairs: Any) -> pa.Array:
    """`jsonb_build_object` of columns: pairs of keys and values' JSON texts."""
    lists = one_array(pairs)
    joined = None if lists.null_count or not len(lists) else _joined(lists)
    if joined is not None:
        return joined
    one: Callable[[list[Any]], str] = prelude_json.jsonb_built
    return pa.array([None if said is None else one(said) for said in lists.to_pylist()], pa.string())


def _joined(lists: pa.Array) -> pa.Array | None:
    """All of them at once; None: they differ in their keys."""
    lengths = pc.unique(pc.list_value_length(lists))
    width = lengths[0].as_py() if len(lengths) == 1 else 0
    if not width:
        return None
    keys, values = lists.flatten().flatten()
    if keys.null_count or values.null_count:
        return None
    columns: dict[str, pa.Array] = {}
    for i in range(width):
        places = pa.array(np.arange(i, len(keys), width))
        said = pc.unique(keys.take(places))
        if len(said) > 1:
            return None
        columns[said[0].as_py()] = values.take(places)  # the last of equal keys
    parts: list[Any] = []
    for key, column in in_order(columns).items():
        parts += [("{" if not parts else ", ") + written(key) + ": ", _canonical(column)]
    return pc.binary_join_element_wise(*parts, "}", "")


def _canonical(texts: pa.Array) -> pa.Array:
    other = pc.invert(pc.match_substring_regex(texts, _CANONICAL))
    if not pc.any(other).as_py():
        return texts
    return pc.replace_with_mask(
        texts, other, pa.array(map(jsonb_in, texts.filter(other).to_pylist()), pa.string())
    )


__all__ = ["built"]
