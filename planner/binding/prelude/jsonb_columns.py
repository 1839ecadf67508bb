"""`@>`, `?`, `?|` and `?&` of whole columns of jsonb.

Mostly what is asked for is the same for all rows: it is read once. Strings have one text in jsonb, so a document that has a string or a key has
its text in it, which Arrow looks for in a twentieth of a microsecond; only documents that have all of them are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from planner import types as t
from planner.abc import TypeRef
from planner.binding.prelude.one_document import among, contained, container, jsonb_text, read
from planner.types import sameness
from planner.types.arrow_columns import one_array

_alike = sameness.alike(TypeRef(t.JSONB))
assert _alike is not None
same_text: Final = _alike
"""One text for all documents that are equal."""

_WHOLE_MAX: Final = 10**15
NEEDLES_MAX: Final = 4
"""Texts that are looked for before documents are read."""


def contains(documents: Any, asked: Any) -> pa.Array:
    """`documents @> asked`."""
    documents, asked = one_array(documents), one_array(asked)
    one = _same(asked)
    if one is None:
        pairs = zip(documents.to_pylist(), asked.to_pylist(), strict=True)
        return pa.array(
            [None if d is None or a is None else container(a)(read(d, 0)[0]) for d, a in pairs], pa.bool_()
        )
    value = read(one, 0)[0]
    return _tested(documents, [[x] for x in _texts(value)], contained(one))


def same(documents: Any) -> pa.Array:
    """The same text for equal documents, which differ in the zeros behind a point alone."""
    documents = one_array(documents)
    found = pc.fill_null(pc.match_substring(documents, "."), False)
    if not pc.any(found).as_py():
        return documents
    at = documents.filter(found).to_pylist()
    return pc.replace_with_mask(documents, found, pa.array(map(same_text, at), pa.string()))


def has(documents: Any, keys: Any) -> pa.Array:
    """`documents ? keys`."""
    documents, keys = one_array(documents), one_array(keys)
    one = _same(keys)
    if one is None:
        pairs = zip(documents.to_pylist(), keys.to_pylist(), strict=True)
        return pa.array(
            [None if d is None or k is None else among(read(d, 0)[0], k) for d, k in pairs], pa.bool_()
        )
    return _tested(documents, [[jsonb_text(one)]], lambda d: among(read(d, 0)[0], one))


def has_any(documents: Any, keys: Any) -> pa.Array:
    """`documents ?| keys`."""
    return _has_keys(documents, keys, any)


def has_all(documents: Any, keys: Any) -> pa.Array:
    """`documents ?& keys`."""
    return _has_keys(documents, keys, all)


def _has_keys(documents: Any, keys: Any, how: Callable[[Iterator[bool]], bool]) -> pa.Array:
    documents, keys = one_array(documents), one_array(keys)
    lists = keys.to_pylist()
    if not lists or any(x != lists[0] for x in lists):
        pairs = zip(documents.to_pylist(), lists, strict=True)
        return pa.array(
            [
                None if d is None or k is None else how(among(read(d, 0)[0], x) for x in k if x is not None)
                for d, k in pairs
            ],
            pa.bool_(),
        )
    if lists[0] is None:
        return pa.nulls(len(documents), pa.bool_())
    wanted = [x for x in lists[0] if x is not None]
    texts = [jsonb_text(x) for x in wanted]
    needles = [[x] for x in texts] if how is all else [texts] if wanted else []

    def test(document: str) -> bool:
        value = read(document, 0)[0]
        return how(among(value, x) for x in wanted)

    return _tested(documents, needles, test)


def _tested(documents: pa.Array, needles: list[list[str]], test: Callable[[str], bool]) -> pa.Array:
    """`test` of each document; false of those that have none of the texts of one of the lists."""
    needles = sorted(needles, key=lambda each: (len(each), -min(map(len, each), default=0)))[:NEEDLES_MAX]
    found = pc.is_valid(documents)
    for each in needles:
        if len(each) > NEEDLES_MAX:
            continue
        one = pc.match_substring(documents, each[0])
        for text in each[1:]:
            one = pc.or_(one, pc.match_substring(documents, text))
        found = pc.and_(found, pc.fill_null(one, False))
    at = pc.indices_nonzero(found)
    out = pc.if_else(pc.is_valid(documents), False, None).cast(pa.bool_())
    if not len(at):
        return out
    passed = pa.array([test(d) for d in documents.take(at).to_pylist()], pa.bool_())
    return pc.replace_with_mask(out, found, passed)


def _texts(value: Any) -> Iterator[str]:
    """Texts that every document has in it that contains the value."""
    if isinstance(value, dict):
        for k, v in value.items():
            key = jsonb_text(k) + ":"
            if isinstance(v, dict | list):
                yield key
                yield from _texts(v)
            else:
                yield key + _beginning(v)
    elif isinstance(value, list):
        for v in value:
            yield from _texts(v)
    elif isinstance(value, str):
        yield jsonb_text(value)


def _beginning(value: Any) -> str:
    """What a member's text begins with behind its key, if it is equal to this: 3 is 3.0 as well, and 30 begins so, too."""
    if isinstance(value, str):
        return " " + jsonb_text(value)
    if value is None or isinstance(value, bool):
        return " null" if value is None else " true" if value else " false"
    return f" {value}" if isinstance(value, int) and 0 < abs(value) < _WHOLE_MAX else ""


def _same(column: pa.Array) -> str | None:
    """The value that all rows have."""
    distinct = pc.unique(column)
    return distinct[0].as_py() if len(distinct) == 1 else None


__all__ = ["contains", "has", "has_all", "has_any", "same", "same_text"]
