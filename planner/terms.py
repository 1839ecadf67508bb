"""Terms: what an index of parts (gin) knows a value by, and what a condition asks of these.

    jsonb      {"a": {"b": 1}, "t": ["x"]}     "a"   "b"   "b": 1   "t"   "x"       doc @> '{"a": {"b": 1}}'   "a" and "b": 1
    arrays     {red,"light blue"}              red   "light blue"                   tags && '{red,blue}'       red or blue
    words      'fat':2 'rat':3                 'fat'   'rat'                        ts @@ 'fat & ra:*'         'fat' and 'ra...
    trigrams   Anna                            ann   nna                            name ILIKE '%nn_a%'        nothing: all rows

A row that answers yes to a condition has the terms that the condition asks for. The other way round is promised only where the terms
**decide** (elements of arrays and whole words are what they are): elsewhere whoever finds rows by terms asks them the condition itself,
for a term may be cut off, and a document's terms say little of its shape.

All four are read out of the texts that values are stored as (docs/architecture.md, "Values of many parts"): by DuckDB for whole
columns (`terms_sql`), by the same patterns in Python for what is asked. Numbers of jsonb are equal whatever zeros they end with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Final

from planner import types as t
from planner.keyed_plans import Const
from planner.records import dataclass
from planner.searches import ARRAY, JSONB, TRIGRAMS, WORDS, Sought
from planner.textsearch import documents, queries
from planner.textsearch.configurations import configuration
from planner.textsearch.words import quoted
from planner.types.array_values import shown_item
from planner.types.jsons import jsonb_in
from storage.abc import Datum

TERM_MAX: Final = 64
"""Characters of a term: what is longer is cut off."""

_STRING: Final = r'"(?:[^"\\]|\\.)*"'
_BARE: Final = r"-?[0-9][0-9.]*|true|false|null"
_JSON: Final = rf"{_STRING}(?:: (?:{_STRING}|{_BARE}))?|{_BARE}"
_ITEM: Final = r'"(?:[^"\\]|\\.)*"|[^{},"]+'
_TEXTS: Final = t.array_of(t.TEXT)
_WORD: Final = r"'(?:[^']|'')*'"
_ZEROS: Final = r"(^|: )(-?[0-9]+)(?:\.0+|(\.[0-9]*[1-9])0+)$"
"""Of a number behind a point, where it ends a term,"""
_KEPT: Final = r"\1\2\3"
"""and what is left of it."""


@dataclass(frozen=True, slots=True)
class All:
    parts: tuple[Terms, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """One of them at least; of none: no row."""

    parts: tuple[Terms, ...]


@dataclass(frozen=True, slots=True)
class Term:
    text: str
    begins: bool = False
    """Whether it is any term that begins so."""


Terms = All | Some | Term


@dataclass(frozen=True, slots=True)
class Wanted:
    terms: Terms | None
    """None: nothing that could be looked for."""
    decides: bool = False
    """Whether the condition is true of all rows that have these terms, if they are looked for to the last."""


NOTHING: Final = Wanted(Some(()), decides=True)


# --- of columns ------------------------------------------------------------------------------------------


def terms_sql(kind: str, value: str) -> str:
    """DuckDB's text of the list of terms of a value, which is not null. Terms may come twice."""
    if kind == JSONB:
        found = f"regexp_extract_all({value}, {_literal(_JSON)})"
        made = (
            f"CASE WHEN contains({value}, '.') THEN list_transform({found}, "
            f"lambda tw_x: regexp_replace(tw_x, {_literal(_ZEROS)}, '{_KEPT}')) ELSE {found} END"
        )
        strings = f"list_transform({found}, lambda tw_x: regexp_extract(tw_x, {_literal('^' + _STRING)}))"
        made = f"list_concat({made}, {strings})"
    elif kind == TRIGRAMS:
        small, three = f"lower({value})", _literal("(?s)...")
        shifted = [
            f"regexp_extract_all({small if not i else f'substring({small}, {i + 1})'}, {three})"
            for i in range(3)
        ]
        return f"list_concat({shifted[0]}, list_concat({shifted[1]}, {shifted[2]}))"
    else:
        made = f"regexp_extract_all({value}, {_literal(_ITEM if kind == ARRAY else _WORD)})"
    return f"list_transform({made}, lambda tw_x: left(tw_x, {TERM_MAX}))"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# --- of what is asked --------------------------------------------------------------------------------------


def asked(search: Sought, params: Sequence[Datum], configured: Callable[[str], str]) -> Wanted:
    """What rows must have to answer yes. A null is no value that any row has.

    `configured`: a text search configuration as it is now, said by its OID (nothing: the session's own). Raises what making a value of a text is refused with.
    """
    given = [v.value if isinstance(v, Const) else params[v.number - 1] for v in search.values]
    if search.made == "array":
        if search.index.kind == ARRAY and search.type.oid == _TEXTS:
            return of_elements(search.how, [shown_item(x if x is None else str(x)) for x in given])
        value: Datum = t.array_datum(given, search.type.oid)
    elif None in given:
        return NOTHING
    elif search.made:
        name, _, said = search.made.partition(" ")
        node = _TREES[name](configuration(configured(said)), str(given[0]))
        return NOTHING if node is None else _of_query(node)
    else:
        value = given[0]
    return _ASKED[search.index.kind](search.how, str(value))


QUERIES: Final = {
    "to_tsquery": documents.query,
    "plainto_tsquery": documents.plain,
    "phraseto_tsquery": documents.phrase,
    "websearch_to_tsquery": documents.websearch,
}
_TREES: Final = {
    "to_tsquery": documents.query_tree,
    "plainto_tsquery": documents.plain_tree,
    "phraseto_tsquery": documents.phrase_tree,
    "websearch_to_tsquery": documents.websearch_tree,
}


def _of_jsonb(how: str, value: str) -> Wanted:
    if how == "@>":
        words = [_without_zeros(x) for x in re.findall(_JSON, value)]
    elif how == "?":
        words = [jsonb_in(json.dumps(value))]
    else:
        items = t.array_items(value, t.array_of(t.TEXT))
        words = [jsonb_in(json.dumps(x)) for x in items if x is not None]
    return Wanted(_together(words, every=how != "?|"))


def _of_array(how: str, value: str) -> Wanted:
    body = value[value.index("{") :]  # behind the bounds of its dimensions
    return of_elements(how, re.findall(_ITEM, body))


def of_elements(how: str, items: Sequence[str]) -> Wanted:
    """The same of an array's elements as they stand in its text."""
    terms = _together(items, every=how != "&&")
    # A null is like none, and what a stored array says of its dimensions looks like an element.
    return Wanted(terms, how != "=" and all(len(x) < TERM_MAX and x != "NULL" and x[0] != "[" for x in items))


def _together(words: Sequence[str], *, every: bool) -> Terms | None:
    made = tuple(Term(x[:TERM_MAX]) for x in dict.fromkeys(words))
    if every:
        return All(made) if made else None
    return Some(made)


def _without_zeros(term: str) -> str:
    return re.sub(_ZEROS, lambda m: m[1] + m[2] + (m[3] or ""), term)


def _of_words(_how: str, value: str) -> Wanted:
    node = queries.tree_of(value)
    return NOTHING if node is None else _of_query(node)


def _of_query(node: queries.Node) -> Wanted:
    if isinstance(node, queries.Word):
        word = quoted(node.text)
        term = (word[:-1] if node.prefix else word)[:TERM_MAX]
        return Wanted(Term(term, node.prefix), not node.weights and len(term) < TERM_MAX)
    if not isinstance(node, queries.Both):
        return Wanted(None)
    parts = [_of_query(node.left), _of_query(node.right)]
    known = tuple(p.terms for p in parts if p.terms is not None)
    decides = node.op != queries.PHRASE and len(known) == 2 and all(p.decides for p in parts)
    if node.op == queries.OR:
        return Wanted(Some(known) if len(known) == 2 else None, decides)
    return Wanted(All(known) if known else None, decides)


def _of_pattern(_how: str, value: str) -> Wanted:
    """The trigrams of what a pattern has between its signs, of ASCII alone: what is small is no question there."""
    stretches, escaped = [""], False
    for c in value:
        if escaped or c not in "%_\\":
            stretches[-1] += c.lower() if c.isascii() else ""
            if not c.isascii():
                stretches.append("")
            escaped = False
        elif c == "\\":
            escaped = True
        else:
            stretches.append("")
    if escaped:  # a match that comes to its end is refused
        return Wanted(None)
    found = [s[i : i + 3] for s in stretches for i in range(len(s) - 2)]
    return Wanted(_together(found, every=True))


_ASKED: Final[dict[str, Callable[[str, str], Wanted]]] = {
    JSONB: _of_jsonb,
    ARRAY: _of_array,
    WORDS: _of_words,
    TRIGRAMS: _of_pattern,
}

__all__ = ["QUERIES", "TERM_MAX", "All", "Some", "Term", "Terms", "Wanted", "asked", "terms_sql"]
