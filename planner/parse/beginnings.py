"""Where an expression begins in its text: what an error's position points at.

    array[0.1, 2]           at ARRAY, though the first thing that the tree remembers is 0.1
    case when a then b end  at CASE
    not a,  - a,  @ a       at NOT, at the sign
    (a, b),  (select a)     at the parenthesis, which a row and a subquery have for themselves; that of `(a)` counts for nothing

Identifiers, literals and calls remember their places (sqlglot's `meta`); what begins with a word or a sign of the grammar's does
not. For these the text is read backwards from the first place that is remembered inside of them: nothing but words and
brackets stands between. The places are those of PostgreSQL's `exprLocation`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from sqlglot import exp

from planner.parse.dialect import BEHIND_PLUS

TEXT: Final = "text"
"""What the root of a tree keeps of the text that it was read from (`meta`)."""
_LEADING: Final = (
    exp.Array, exp.Case, exp.Not, exp.Neg, exp.Tuple, exp.Subquery, exp.Exists, exp.Operator, exp.BitwiseNot,
)  # fmt: skip
_WORDS: Final[dict[type[exp.Expression], str]] = {
    exp.Case: "case",
    exp.Not: "not",
    exp.Exists: "exists",
    exp.Neg: "-",
    exp.BitwiseNot: "~",
}
_OPENING: Final = {")": "(", "]": "["}


def position(node: exp.Expression) -> int:
    """The 1-based character position at which the expression begins; 0: nothing in it remembers where it was."""
    if type(node) is exp.Identifier:  # most that are asked
        return int(node.meta.get("start", -1)) + 1 if node._meta is not None else 0
    best, first = -1, node
    for n in node.walk():
        meta = n.meta if n._meta is not None else None
        start = meta.get("start") if meta else None
        if start is not None and (best < 0 or start < best):
            best, first = start, n
    return 0 if best < 0 else _before(first, node, best) + 1


def _before(first: exp.Expression, node: exp.Expression, start: int) -> int:
    """From where something inside of an expression begins to where that does."""
    text = ""
    inner: exp.Expression | None = first
    while inner is not None:
        if isinstance(inner, _LEADING) and not (inner is first and _remembers(inner)):
            text = text or _text_of(node)
            if not text:
                return start
            start = _led(text, start, inner)
        if inner._meta is not None and BEHIND_PLUS in inner._meta:
            start = max(_text_of(node).rfind("+", 0, start), 0) or start
        if inner is node:
            break
        inner = inner.parent
    return start


def _remembers(node: exp.Expression) -> bool:
    return node._meta is not None and "start" in node.meta


def _text_of(node: exp.Expression) -> str:
    """The text in small letters; empty: the tree was made, not read."""
    root = node.root()
    return _small(str(root.meta.get(TEXT, ""))) if root._meta is not None else ""


@lru_cache(maxsize=16)
def _small(text: str) -> str:
    return text.lower()


def _led(text: str, start: int, node: exp.Expression) -> int:
    """Where the word, sign or bracket is that opens the node, of which something begins at `start`."""
    if isinstance(node, exp.Array):
        bracket = _opened(text, start, "[")
        word = text.rfind("array", 0, max(bracket, 0))
        found = word if word >= 0 and not text[word + len("array") : bracket].strip() else bracket
    elif isinstance(node, exp.Tuple | exp.Subquery):
        # Rows that are compared are their fields compared, and those of VALUES no values: there is no row.
        compared = isinstance(node, exp.Tuple) and isinstance(node.parent, exp.Predicate | exp.Values)
        found = -1 if compared else _opened(text, start, "(")
    elif isinstance(node, exp.Operator):
        schema, _, sign = str(node.args["operator"]).rpartition(".")
        found = -1 if node.this is not None else text.rfind("operator" if schema else sign, 0, start)
    else:
        found = text.rfind(_WORDS[type(node)], 0, start)
    return start if found < 0 else found


def _opened(text: str, start: int, bracket: str) -> int:
    """The bracket around what begins at `start`; -1: none."""
    depth = 0
    for i in range(start - 1, -1, -1):
        if text[i] in _OPENING:
            depth += 1
        elif text[i] in "([":
            if depth == 0 and text[i] == bracket:
                return i
            depth -= depth > 0
    return -1


__all__ = ["TEXT", "position"]
