"""Whether a document has what a query asks for: words, and where a phrase needs them, their places.

    matches("'cat':3 'fat':2", "'fat' <-> 'cat'")      the places of `fat`, moved on by one, meet those of `cat`

A part of a query is found, not found, or perhaps: where a phrase needs places that a stripped vector does not have. What a phrase's
part yields are places, or, under NOT, all places but these. A match is as wide as its phrase, and lies where that ends.

Whole columns are searched by looking for the words in the vectors' texts; only rows that a phrase, a weight or a beginning leaves
open are taken apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from planner.textsearch.queries import AND, OR, PHRASE, Both, Node, Not, Word, tree_of
from planner.textsearch.vectors import find
from planner.textsearch.words import quoted
from planner.types.arrow_columns import one_array

NO, MAYBE, YES = 0, 1, 2


@dataclass(slots=True)
class Places:
    """Where a part of a phrase is: at these places, or (negated) at all others."""

    places: list[int] = field(default_factory=list)
    negated: bool = False
    width: int = 0


Lookup = Callable[[Word, bool], tuple[int, list[int]]]
"""(word, whether places are needed) -> (NO, MAYBE or YES; the places)."""


def matches(vector: str, query: str) -> bool:
    """`vector @@ query`."""
    node = tree_of(query)
    return node is not None and bool(execute(node, _looking(vector)))


def _looking(vector: str) -> Lookup:
    return lambda word, placed: _in_vector(vector, word, placed)


def _in_vector(vector: str, word: Word, placed: bool) -> tuple[int, list[int]]:
    found = find(vector, word.text, word.prefix)
    if not found:
        return NO, []
    if not placed and not word.weights:
        return YES, []
    out: set[int] = set()
    for places in found:
        if not places:  # stripped: of no weight, and nobody knows where
            return (MAYBE if placed else YES), []
        out.update(p for p, w in places if not word.weights or word.weights & 1 << w)
    return (YES if out else NO), sorted(out)


def execute(node: Node, lookup: Lookup) -> int:
    if isinstance(node, Word):
        return lookup(node, False)[0]
    if isinstance(node, Not):
        return YES - execute(node.arg, lookup)
    assert isinstance(node, Both)
    if node.op == PHRASE:
        return YES if _phrase(node, lookup)[0] == YES else NO
    left = execute(node.left, lookup)
    if node.op == AND:
        return left and min(left, execute(node.right, lookup))
    return left if left == YES else max(left, execute(node.right, lookup))


def _phrase(node: Node, lookup: Lookup) -> tuple[int, Places]:
    if isinstance(node, Word):
        state, places = lookup(node, True)
        return state, Places(places)
    if isinstance(node, Not):
        return _negated(*_phrase(node.arg, lookup))
    assert isinstance(node, Both)
    left, a = _phrase(node.left, lookup)
    if left == NO and node.op != OR:
        return NO, Places()
    right, b = _phrase(node.right, lookup)
    if node.op == OR:
        return _either(left, a, right, b)
    if right == NO:
        return NO, Places()
    if MAYBE in (left, right):
        return MAYBE, Places()
    if node.op == PHRASE:
        width = node.distance + a.width + b.width
        moved, still = node.distance + b.width, 0
    else:
        width = max(a.width, b.width)
        moved, still = width - a.width, width - b.width
    x, y = [p + moved for p in a.places], [p + still for p in b.places]
    if a.negated and b.negated:
        return YES, Places(_merged(x, y, "lbr"), True, width)
    return _some(_merged(x, y, "r" if a.negated else "l" if b.negated else "b"), width)


def _negated(state: int, found: Places) -> tuple[int, Places]:
    if state == NO:
        return YES, Places([], True, found.width)
    if state == MAYBE:
        return MAYBE, found
    if found.places:
        return YES, Places(found.places, not found.negated, found.width)
    return NO, Places([], False, found.width)  # what was everywhere is nowhere


def _either(left: int, a: Places, right: int, b: Places) -> tuple[int, Places]:
    if left == right == NO:
        return NO, Places()
    if MAYBE in (left, right):
        return MAYBE, Places()
    a = a if left else Places()
    b = b if right else Places()
    width = max(a.width, b.width)
    x, y = [p + width - a.width for p in a.places], [p + width - b.width for p in b.places]
    if a.negated or b.negated:
        which = "b" if a.negated and b.negated else "l" if a.negated else "r"
        return YES, Places(_merged(x, y, which), True, width)
    return _some(_merged(x, y, "lbr"), width)


def _some(places: list[int], width: int) -> tuple[int, Places]:
    return (YES if places else NO), Places(places, False, width)


def _merged(x: list[int], y: list[int], which: str) -> list[int]:
    """Places of the left only (l), of both (b), of the right only (r)."""
    a, b = set(x), set(y)
    out: set[int] = set()
    if "l" in which:
        out |= a - b
    if "b" in which:
        out |= a & b
    if "r" in which:
        out |= b - a
    return sorted(p for p in out if p > 0)


# --- whole columns -------------------------------------------------------------------------------------------


def match_columns(vectors: Any, queries: Any) -> pa.Array:
    """`vectors @@ queries` row by row; nulls stay. Mostly the query is one for all rows."""
    vectors, queries = one_array(vectors), one_array(queries)
    distinct = pc.unique(queries)
    if len(distinct) == 1 and distinct[0].is_valid:
        return match_column(vectors, distinct[0].as_py())
    pairs = zip(vectors.to_pylist(), queries.to_pylist(), strict=True)
    return pa.array([None if v is None or q is None else matches(v, q) for v, q in pairs], pa.bool_())


def match_column(vectors: pa.Array, query: str) -> pa.Array:
    node = tree_of(query)
    if node is None:
        return pc.if_else(pc.is_valid(vectors), False, None).cast(pa.bool_())
    padded = pc.binary_join_element_wise(" ", vectors, " ", "")
    return _column(node, padded, vectors)


def _column(node: Node, padded: pa.Array, vectors: pa.Array) -> pa.Array:
    """Exactly: what words alone do not decide is looked at row by row."""
    if isinstance(node, Word):
        found = _has(padded, node)
        return found if not node.weights else _verified(node, found, vectors)
    if isinstance(node, Not):
        return pc.invert(_column(node.arg, padded, vectors))
    assert isinstance(node, Both)
    if node.op == PHRASE:
        return _verified(node, _possible(node, padded), vectors)
    both = pc.and_ if node.op == AND else pc.or_
    return both(_column(node.left, padded, vectors), _column(node.right, padded, vectors))


def _has(padded: pa.Array, word: Word) -> pa.Array:
    text = " " + quoted(word.text)
    if word.prefix:
        return pc.match_substring(padded, text[:-1])
    return pc.or_(pc.match_substring(padded, text + ":"), pc.match_substring(padded, text + " "))


def _possible(node: Node, padded: pa.Array) -> pa.Array:
    """No row that a phrase is in is missing here."""
    if isinstance(node, Word):
        return _has(padded, node)
    if isinstance(node, Not):
        return pc.is_valid(padded)
    assert isinstance(node, Both)
    both = pc.or_ if node.op == OR else pc.and_
    return both(_possible(node.left, padded), _possible(node.right, padded))


def _verified(node: Node, candidates: pa.Array, vectors: pa.Array) -> pa.Array:
    asked = pc.fill_null(candidates, False)
    rows = asked.to_numpy(zero_copy_only=False).copy()
    at = pc.indices_nonzero(asked)
    rows[at.to_numpy()] = [execute(node, _looking(v)) != NO for v in vectors.take(at).to_pylist()]
    return pc.if_else(pc.is_valid(vectors), pa.array(rows, pa.bool_()), None)


NEEDLES: Final = 3


def needles(node: Node | None) -> frozenset[str]:
    """Texts of which one at least is in every vector that matches. What is empty is everywhere."""
    found = _needed(node) if node is not None else None
    return found if found is not None and len(found) <= NEEDLES else frozenset(("",))


def _needed(node: Node) -> frozenset[str] | None:
    if isinstance(node, Word):
        text = quoted(node.text)
        return frozenset((text[:-1] if node.prefix else text,))
    if not isinstance(node, Both):
        return None
    left, right = _needed(node.left), _needed(node.right)
    if node.op == OR:
        return None if left is None or right is None else left | right
    if left is None or right is None:
        return right if left is None else left
    return min(left, right, key=lambda each: (len(each), -min(map(len, each))))


def needle_columns(queries: Any, places: Any) -> pa.Array:
    """The n-th of a query's needles, or its first: what DuckDB looks for before anybody takes a vector apart."""
    queries, places = one_array(queries), one_array(places)
    distinct = pc.unique(queries).to_pylist()
    if not len(queries):
        return pa.array([], pa.string())
    known = {q: sorted(needles(tree_of(q))) if q is not None else [None] for q in distinct}
    place = places[0].as_py()
    if len(known) == 1:
        of = known[distinct[0]]
        return pa.array([of[place % len(of)]], pa.string()).take(pa.array([0] * len(queries)))
    return pa.array([known[q][place % len(known[q])] for q in queries.to_pylist()], pa.string())
