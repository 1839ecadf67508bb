"""The order of a query's clauses, each once: sqlglot takes them as they come, and keeps the last of two.

SELECT ... FROM ... WHERE ... GROUP BY ... HAVING ... WINDOW ...    [UNION ... SELECT ...]
ORDER BY ...                                                        what is left is of the whole
LIMIT, OFFSET, FETCH and FOR UPDATE                                 in any order, but LIMIT beside OFFSET

select a from t limit 1 order by a       42601 at ORDER
select a from t where b where c          42601 at the second WHERE
select a from t order by a union ...     42601 at UNION
"""

from __future__ import annotations

from typing import Final

from planner.lexer import END, PUNCTUATION, Token, is_sign
from planner.parse.errors import syntax_error

_CLAUSES: Final = {
    word: i for i, word in enumerate(("from", "where", "group", "having", "window", "order"), 1)
}
_ORDERED: Final = _CLAUSES["order"]
_LIMITED: Final = _ORDERED + 1
_BEGINNINGS: Final = frozenset(("select", "table"))
_SETS: Final = frozenset(("union", "intersect", "except"))
_LIMITS: Final = {"limit": "limit", "fetch": "limit", "offset": "offset"}
_PAIRED: Final = {"group": "by", "order": "by"}
_LOCKS: Final = frozenset(("update", "no", "share", "key"))
_READ_ONLY: Final = "for read only"
_BEHIND: Final = frozenset((*_LIMITS, ""))


class _Query:
    """How far one query has come, within its pair of parentheses."""

    __slots__ = ("last", "limits", "locked", "reached")

    def __init__(self) -> None:
        self.reached = 0
        """The place of the last clause in `_CLAUSES`; 0 is the target list."""
        self.limits = set[str]()
        self.locked = False
        """Whether FOR UPDATE or its kin were seen."""
        self.last = ""
        """The word of the clause behind ORDER BY that is being read."""


def refuse_disorder(tokens: list[Token], text: str) -> None:
    """Raises 42601 at the first clause that comes too late, or again. END is the last token."""
    levels: list[_Query | None] = [None]
    for i, token in enumerate(tokens):
        if token.kind == END:
            return
        if token.kind == PUNCTUATION:
            if token.value in ("(", "["):
                levels.append(None)
            elif token.value in (")", "]") and len(levels) > 1:
                levels.pop()
            continue
        word = token.keyword
        if not word or (i and (is_sign(tokens[i - 1], ".") or tokens[i - 1].keyword == "as")):
            continue
        if word in _BEGINNINGS:
            levels[-1] = _begun(levels[-1])
        elif word == "values" and is_sign(tokens[i + 1], "("):
            levels[-1] = _begun(levels[-1], _ORDERED - 1)
        elif word == "where" and tokens[i - 1].keyword == "nothing" and tokens[i - 2].keyword == "do":
            raise syntax_error(token, text)
        elif word == "returning" or (word == "on" and tokens[i + 1].keyword == "conflict"):
            levels[-1] = None
        elif (query := levels[-1]) is not None and not _takes(query, word, tokens, i):
            raise syntax_error(token, text)


def _begun(query: _Query | None, reached: int = 0) -> _Query:
    """A query's beginning, with the clauses up to `reached` behind it; behind UNION the same one goes on."""
    begun = query if query is not None else _Query()
    begun.reached = max(begun.reached, reached)
    return begun


def _takes(query: _Query, word: str, tokens: list[Token], i: int) -> bool:
    """Whether this word can come here; what it begins is kept."""
    if word in _SETS:
        if query.reached >= _ORDERED:
            return False
        query.reached = 0
        return True
    if word in _CLAUSES:
        if tokens[i + 1].keyword != _PAIRED.get(word, tokens[i + 1].keyword):
            return True  # WITHIN GROUP (
        if tokens[i - 1].keyword == "rows":
            return True  # ROWS FROM (
        if tokens[i - 1].keyword == "distinct":
            return tokens[i - 2].keyword in ("is", "not")  # IS DISTINCT FROM
        if _CLAUSES[word] <= query.reached:
            return False
        query.reached = _CLAUSES[word]
        return True
    if word in _LIMITS:
        return _takes_limit(query, word)
    if word == "for" and tokens[i + 1].keyword in _LOCKS:
        if query.locked and query.last != "for":
            return False
        query.reached, query.locked, query.last = _LIMITED, True, "for"
        return True
    if word == "for" and is_read_only(tokens, i):
        if query.locked:
            return False
        query.reached, query.locked, query.last = _LIMITED, True, _READ_ONLY
        return True
    return not (word == "with" and query.last == "limit")  # WITH TIES is of FETCH


def _takes_limit(query: _Query, word: str) -> bool:
    kind = _LIMITS[word]
    split = query.last in ("for", _READ_ONLY) and bool(query.limits)
    if kind in query.limits or split:
        return False
    query.limits.add(kind)
    query.reached, query.last = _LIMITED, word
    return True


def is_read_only(tokens: list[Token], i: int) -> bool:
    """Whether FOR READ ONLY begins here, what cursors of the standard say: it locks nothing."""
    return [t.keyword for t in tokens[i : i + 3]] == _READ_ONLY.split()


def without_read_only(tokens: list[Token], text: str) -> list[Token]:
    """The same without FOR READ ONLY, which sqlglot does not know. Raises 42601 at what cannot follow it."""
    for i in range(len(tokens) - 3, -1, -1):
        if is_read_only(tokens, i):
            follows = tokens[i + 3]
            if follows.keyword not in _BEHIND or (
                follows.kind != END and not follows.keyword and not is_sign(follows, ")")
            ):
                raise syntax_error(follows, text)
            tokens = tokens[:i] + tokens[i + 3 :]
    return tokens
