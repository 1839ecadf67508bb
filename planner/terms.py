"""Terms: what an index of parts (gin) knows a value by, and what a condition asks of these.

    jsonb      {"a": {"b": 1}, "t": ["x"]}     "a"   "b"   "b": 1   "t"   "x"       doc @> '{"a": {"b": 1}}'   "a" and "b": 1
    arrays     {red,"light blue"}              red   "light blue"                   tags && '{red,blue}'       red or blue
    words      'fat':2 'rat':3                 'fat'   'rat'                        ts @@ 'fat & ra:*'         'fat' and 'ra...
    trigrams   Anna                            ann   nna                            name ILIKE '%nn_a%'        nothing: all rows

A row that answers yes to a condition has the terms that the condition asks for; the other way round nothing is promised, for whoever
finds rows by terms asks them the condition itself. So a term may be cut off, and a document's terms may say little of its shape.

All four are read out of the texts that values are stored as (docs/architecture.md, "Values of many parts"): by DuckDB for whole
columns (`terms_sql`), by the same patterns in Python for what is asked. Numbers of jsonb are equal whatever zeros they end with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from planner import types as t
from planner.keyed_plans import Const
from planner.searches import ARRAY, JSONB, TRIGRAMS, WORDS, Search, Sought
from planner.textsearch import documents, queries
from planner.textsearch.configurations import configuration
from planner.textsearch.words import quoted
from planner.types.jsons import jsonb_in
from storage.abc import Datum

TERM_MAX: Final = 64
"""Characters of a term: what is longer is cut off."""

_STRING: Final = r'"(?:[^"\\]|\\.)*"'
_BARE: Final = r"-?[0-9][0-9.]*|true|false|null"
_JSON: Final = rf"{_STRING}(?:: (?:{_STRING}|{_BARE}))?|{_BARE}"
_ITEM: Final = r'"(?:[^"\\]|\\.)*"|[^{},"]+'
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


def asked(search: Search | Sought, params: Sequence[Datum], configured: Callable[[str], str]) -> Terms | None:
    """What rows must have to answer yes; None: nothing that could be looked for. A null is no value that any row has.

    `configured`: a text search configuration as it is now, said by its OID (nothing: the session's own). Raises what making a value of a text is refused with.
    """
    if isinstance(search, Search):
        parts = [asked(part, params, configured) for part in search.parts]
        if search.op == "or":
            return None if None in parts else Some(tuple(p for p in parts if p is not None))
        known = tuple(p for p in parts if p is not None)
        return All(known) if known else None
    given = [v.value if isinstance(v, Const) else params[v.number - 1] for v in search.values]
    if search.made == "array":
        value: Datum = t.array_datum(given, search.type.oid)
    elif None in given:
        return Some(())
    elif search.made:
        name, _, said = search.made.partition(" ")
        value = QUERIES[name](configuration(configured(said)), str(given[0]))
    else:
        value = given[0]
    return _ASKED[search.index.kind](search.how, str(value))


QUERIES: Final = {
    "to_tsquery": documents.query,
    "plainto_tsquery": documents.plain,
    "phraseto_tsquery": documents.phrase,
    "websearch_to_tsquery": documents.websearch,
}


def _of_jsonb(how: str, value: str) -> Terms | None:
    if how == "@>":
        words = [_without_zeros(x) for x in re.findall(_JSON, value)]
    elif how == "?":
        words = [jsonb_in(json.dumps(value))]
    else:
        items = t.array_items(value, t.array_of(t.TEXT))
        words = [jsonb_in(json.dumps(x)) for x in items if x is not None]
    return _together(words, every=how != "?|")


def _of_array(how: str, value: str) -> Terms | None:
    body = value[value.index("{") :]  # behind the bounds of its dimensions
    return _together(re.findall(_ITEM, body), every=how != "&&")


def _together(words: Sequence[str], *, every: bool) -> Terms | None:
    made = tuple(Term(x[:TERM_MAX]) for x in dict.fromkeys(words))
    if every:
        return All(made) if made else None
    return Some(made)


def _without_zeros(term: str) -> str:
    return re.sub(_ZEROS, lambda m: m[1] + m[2] + (m[3] or ""), term)


def _of_words(_how: str, value: str) -> Terms | None:
    node = queries.tree_of(value)
    return Some(()) if node is None else _of_query(node)


def _of_query(node: queries.Node) -> Terms | None:
    if isinstance(node, queries.Word):
        word = quoted(node.text)
        return Term((word[:-1] if node.prefix else word)[:TERM_MAX], node.prefix)
    if not isinstance(node, queries.Both):
        return None
    parts = [_of_query(node.left), _of_query(node.right)]
    known = tuple(p for p in parts if p is not None)
    if node.op == queries.OR:
        return Some(known) if len(known) == 2 else None
    return All(known) if known else None


def _of_pattern(_how: str, value: str) -> Terms | None:
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
        return None
    found = [s[i : i + 3] for s in stretches for i in range(len(s) - 2)]
    return _together(found, every=True)


_ASKED: Final[dict[str, Callable[[str, str], Terms | None]]] = {
    JSONB: _of_jsonb,
    ARRAY: _of_array,
    WORDS: _of_words,
    TRIGRAMS: _of_pattern,
}

__all__ = ["QUERIES", "TERM_MAX", "All", "Some", "Term", "Terms", "asked", "terms_sql"]
