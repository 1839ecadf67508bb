"""Which plans serve whatever literals a statement has, for it hardly matters what else DuckDB would know of these.

    keys lead to the rows, of a query or of what is written      UPDATE comments SET likes = 3 WHERE post = 7 AND likes > 50
    the first rows on a way along an index                       ... WHERE status = 'draft' ORDER BY id LIMIT 20
    no table is asked for anything                               SELECT 17 + 1, lower('A')
    rows of which its literals only say which they are           SELECT day % 7, count(*) FROM visits WHERE day BETWEEN 11 AND 20 GROUP BY 1

The keyed engine answers most of these, and DuckDB the others with the values in their places. Where it is to look at many rows it
matters: a numeric that is no literal has no scale (so each scale has a plan of its own, `by_scale`), a regular expression that is none is read for each row, a field of a document is looked
up by a name that is none. So a walk's literals are only compared, and so are those of other queries, which may have whole numbers to reckon with besides.
A pattern of LIKE is compared: DuckDB sees it in its place, and what it begins with. Of literals that are not all of this kind those that are can be `lifted` alone.
What else a literal might tell the planner, that a partial index has all rows that are asked for, or which partitions have them, counts there. Literals that may fail by themselves (`1 / 0`, whether or not there are
rows: `planner.binding.folding`) stay in their places, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from planner import types
from planner.abc import (
    Ask,
    Body,
    Call,
    DeleteQuery,
    Expr,
    Handed,
    InsertQuery,
    KeyedDelete,
    KeyedJoin,
    KeyedRead,
    KeyedUpdate,
    LockingQuery,
    Param,
    Plan,
    Points,
    Query,
    Range,
    RelationUse,
    UpdateQuery,
    WithWrites,
)
from planner.binding.shapes import asked_again
from planner.catalog import Catalog
from planner.keyed_plans import Either, Produced, Recursed, Spread
from planner.normalise import MARK

_MARK: Final = re.compile(r"\$[ilns]\b")
_STRING: Final = re.compile(r"""("[^"]*")|'[^']*'""")
_FIELD: Final = re.compile(r"->>?\s*(?:'')+")
_ALONE: Final = r"\b(?!\s*(?:::|[-+*/%^|&#(\[]))"
_CAST: Final = rf"\s*::\s*(?:date|timestamp|timestamptz|interval|uuid|text|varchar){_ALONE}"
_COMPARED: Final = re.compile(
    r"(?:(?:=|<>|!=|(?<![-~@&<>|#])[<>])\s*|\b(?:select|limit|offset|between|and|like|ilike)\s+|\bin\s*\((?:\s*\$[ilns]\s*,)*\s*)"
    rf"\$(?:s{_CAST}|[ilns]\b(?!\s*::))"
    rf"|(?<![-~@&<>|#!+*/%^])[-+]\s*\$s\s*::\s*interval{_ALONE}",
    re.IGNORECASE,
)
"""A literal that is compared, one of a list, a pattern, or how many rows are wanted; a type may be said of it as of a parameter. An interval is
reckoned with, too: there is nothing that it has to be told apart from before there is any row (`now() - interval '1 day'`)."""
_RECKONED: Final = re.compile(r"(?<![-~@&<>|#!])[-+*%]\s*\$[il]\b(?!\s*::)")
"""A whole number that is added, or the like."""
_AMONG_THEMSELVES: Final = re.compile(r"(?:\$[il]|\b\d+)\s*[-+*%][-\s]*(?:\$[il]\b|\d)")
"""Constants that are reckoned with before there is any row: `2147483647 + 1` is refused of an empty table, too."""
_PLAIN: Final = re.compile(
    r"\s*select\b(?P<shown>.*?)\bfrom\b(?P<tables>.*?)\bwhere\b(?P<asked>.*?)(?P<rest>\b(?:group|order)\s+by\b.*)?",
    re.IGNORECASE | re.DOTALL,
)
"""A query of one level."""
_WORDS_OF_OTHERS: Final = re.compile(
    r"\b(?:with|having|window|over|fetch|union|intersect|except|values|case|array|similar)\b|~",
    re.IGNORECASE,
)
_CONSTANT_COMPARED: Final = re.compile(
    r"(?:\$[ilns]|\b\d+|'|\b(?:true|false|null))\s*(?:[=<>!]|\b(?:not|in|between)\b)", re.IGNORECASE
)
"""`1 = 0`: what is true of all rows or of none."""
_AS_DECIMAL: Final = " AS DECIMAL("
_ROWS_WANTED: Final = re.compile(r"\s+limit\s+\$i(?:\s+offset\s+\$i)?\s*\Z", re.IGNORECASE)
"""How a query may end: DuckDB computes how many that is when it plans."""
_WHERE: Final = re.compile(r"\bwhere\b", re.IGNORECASE)
_LISTED: Final = re.compile(r"\bin\s*\((?:\s*\$[ilns]\s*,)+\s*(?=\$)", re.IGNORECASE)


def is_shared(plan: Plan, key: str, catalog: Catalog, lists: bool = False) -> bool:
    """Whether one plan is for all statements of this key. `lists`: it has none of their literals, of which DuckDB makes more than of an array."""
    if _of_few(plan) or _of_the_first(plan, key):
        return True
    return not lists and (_of_no_table(plan) or _of_compared(plan, key, catalog))


def _of_few(plan: Plan) -> bool:
    """Whether keys lead to the rows that a statement reads."""
    return _led(plan) and _takes_any(plan)


def by_scale(plan: Plan, key: str) -> bool:
    """Whether it would be one of these or of those if it were known how many digits its numerics have behind the point."""
    return "undecided" not in plan.extra and (_led(plan) or _is_first(plan, key))


def narrowness(plan: Plan) -> int:
    """How closely keys lead to the rows of a statement: by values of so many columns less one; 1: in another way; 0: they do not."""
    body = plan.body
    if isinstance(body, InsertQuery | UpdateQuery | DeleteQuery | LockingQuery):
        found: object = plan.extra.get("by_range", body.query.by_key)
    else:
        found = body if isinstance(body, KeyedRead | KeyedUpdate | KeyedDelete) else plan.extra.get("keyed")
    if isinstance(found, KeyedJoin):
        lookup: object = found.steps[0].lookup if found.steps else None
    else:
        lookup = getattr(found, "lookup", None)
    if isinstance(lookup, Points):
        return 1 + (len(lookup.keys[0]) if lookup.keys else len(lookup.beside) or 1)
    walks = isinstance(found, KeyedJoin | KeyedRead) and found.walk is not None and found.limit is not None
    return 1 if found is body or walks or _led(plan) else 0


def prunes(plan: Plan) -> bool:
    """Whether it depends on values which partitions a statement reads."""
    body = plan.body
    query = body if isinstance(body, Query) else getattr(body, "query", None)
    if "leafwise" in plan.extra or not isinstance(query, Query):
        return "leafwise" in plan.extra
    return bool(query.dealing) or any(
        isinstance(u, RelationUse) and u.part is not None for u in query.relations
    )


def _of_no_table(plan: Plan) -> bool:
    """Whether it is one row that is computed on the spot, or does what a call says."""
    return (
        ("constant" in plan.extra or "act" in plan.extra)
        and "constants" not in plan.extra
        and _takes_any(plan)
    )


def _of_compared(plan: Plan, key: str, catalog: Catalog) -> bool:
    """Whether a query's literals only say which rows it is of, so that its plan is as good without them."""
    if not isinstance(plan.body, Query) or not _takes_any(plan) or "constants" in plan.extra:
        return False
    key = _STRING.sub(lambda m: m[1] or "''", key)  # what a literal that stays says is no part of the query
    if _AMONG_THEMSELVES.search(key) is not None or plan.body.dealing or not _only_asks(_listless(key)):
        return False
    if _digits_unknown(plan.body) or asked_again(plan.body.pieces):
        return False  # what varies is one value where it is written alike, literals and all
    used = plan.body.relations
    return bool(used) and all(
        isinstance(use, RelationUse)
        and use.part is None
        and not any(index.predicate for index in catalog.indexes_of(use.table.oid))
        for use in used
    )


def _only_asks(key: str) -> bool:
    """Whether literals stand in WHERE, compared with something else, and beside them one at most: a number that is reckoned with in what is
    shown. Two may have to be equal: `SELECT n % 7 ... GROUP BY n % 7`."""
    found = _PLAIN.fullmatch(_ROWS_WANTED.sub("", key))
    if found is None or _WORDS_OF_OTHERS.search(key) is not None:
        return False
    shown, tables, asked, rest = (found[x] or "" for x in ("shown", "tables", "asked", "rest"))
    if any(len(re.findall(rf"\b{word}\b", key, re.IGNORECASE)) != 1 for word in ("select", "from", "where")):
        return False
    if (
        _MARK.search(tables + rest) is not None
        or _CONSTANT_COMPARED.search(_FIELD.sub("", asked)) is not None
    ):
        return False
    reckoned = len(_MARK.findall(shown))
    return (
        reckoned <= 1
        and reckoned == len(_RECKONED.findall(shown))
        and len(_MARK.findall(asked)) == len(_COMPARED.findall(asked))
    )


def lifted(key: str) -> tuple[bool, ...] | None:
    """Which of a key's literals are only compared, where others are better left in their places; None: none, or all of them.

    Of `data->>'k' = '5'` the second, of `n LIKE 'a%' AND total > 100` both.
    """
    where = _WHERE.search(key)
    if where is None:
        return None
    spans = [m.span() for m in _COMPARED.finditer(key, where.end())]
    found = tuple(any(a <= m.start() < b for a, b in spans) for m in MARK.finditer(key) if m[1] is None)
    return found if any(found) and not all(found) else None


def _digits_unknown(query: Query) -> bool:
    """Whether whole numbers become DECIMALs, in which a literal has its own digits, and others all that their type may have."""
    return any(
        isinstance(a, Param) and isinstance(b, str) and b.startswith(_AS_DECIMAL)
        for a, b in pairwise(query.pieces)
    )


def _of_the_first(plan: Plan, key: str) -> bool:
    """Whether a query is answered by the first rows on a way along an index, and its literals are only compared."""
    return _takes_any(plan) and _is_first(plan, key)


def _is_first(plan: Plan, key: str) -> bool:
    body = plan.extra.get("keyed", plan.body)
    if isinstance(body, LockingQuery):
        body = body.query.by_key
    walks = isinstance(body, KeyedJoin | KeyedRead) and body.walk is not None and body.limit is not None
    if not walks:
        return False
    return len(_MARK.findall(_listless(key))) == len(_COMPARED.findall(key))


def _listless(key: str) -> str:
    """The key with one literal in the place of each list."""
    return _LISTED.sub("in (", key)


def _takes_any(plan: Plan) -> bool:
    """Whether none of its literals has to stay in its place."""
    return "undecided" not in plan.extra and not any(
        p.oid == types.NUMERIC and p.typmod < 0 for p in plan.parameters
    )


def _led(plan: Plan) -> bool:
    body = plan.body
    written = plan.extra.get("by_range")
    if isinstance(written, KeyedUpdate | KeyedDelete):
        return is_narrow(written.lookup)
    if isinstance(body, WithWrites):
        return all(_is_led_part(part) for part in (*(w.body for w in body.writes), body.body))
    if isinstance(body, InsertQuery | UpdateQuery | DeleteQuery | LockingQuery):
        return _is_led_part(body)
    return isinstance(body, Query | KeyedRead) and _is_led(plan.extra.get("keyed"))


def _is_led_part(part: Body) -> bool:
    """The same of one part of a statement."""
    if isinstance(part, Query):
        return _is_led(part.by_key)
    if not isinstance(part, InsertQuery | UpdateQuery | DeleteQuery | LockingQuery):
        return False
    return _is_led(part.query.by_key)


def _is_led(found: object) -> bool:
    if isinstance(found, KeyedJoin):
        return is_narrow(found.steps[0].lookup) if found.steps else _asks_alone(found)
    return isinstance(found, KeyedRead) and (
        found.terms is not None or found.otherwise is not None or is_narrow(found.lookup)
    )


def _asks_alone(found: KeyedJoin) -> bool:
    """Whether its one row is what subqueries come to that keys lead to the rows of: `SELECT EXISTS (SELECT 1 FROM t WHERE k = 1)`."""
    asks = [ask for output in found.outputs for ask in _asks(output)]
    return bool(asks) and all(_is_led(ask.query) for ask in asks)


def _asks(node: Expr) -> Iterator[Ask]:
    if isinstance(node, Ask):
        yield node
    elif isinstance(node, Call):
        for a in node.args:
            yield from _asks(a)


def is_narrow(lookup: object) -> bool:
    """Whether a way to rows begins with a key, or with a part of one."""
    if isinstance(lookup, Produced | Recursed):
        queries = lookup.queries if isinstance(lookup, Produced) else (lookup.base[1],)
        return all(q.walk is None and (not q.steps or is_narrow(q.steps[0].lookup)) for q in queries)
    return isinstance(lookup, Points | Either | Spread | Handed) or (
        isinstance(lookup, Range) and bool(lookup.prefix)
    )


__all__ = ["by_scale", "is_narrow", "is_shared", "lifted", "narrowness", "prunes"]
