"""Python functions of text search (`planner.textsearch`). A configuration is the OID of a regconfig, or its name in a setting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planner.textsearch import (
    chains,
    documents,
    headlines,
    json_documents,
    matching,
    queries,
    ranking,
    rewriting,
    text_columns,
    vectors,
)
from planner.textsearch.configurations import configuration, dictionary

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V, _I, _F, _C, _L = "VARCHAR", "INTEGER", "FLOAT", "VARCHAR", "VARCHAR[]"


def _of(made: Callable[[str, str], str]) -> Callable[[str, str], str]:
    return lambda said, text: made(configuration(said), text)


def _joined(op: str) -> Callable[[str, str], str]:
    return lambda a, b: queries.joined(op, a, b)


FUNCTIONS: list[Entry] = [
    ("tw_json_to_tsvector", _of(json_documents.vector), (_C, _V), _V),
    (
        "tw_json_to_tsvector_of",
        lambda c, v, flags: json_documents.vector(configuration(c), v, flags),
        (_C, _V, _V),
        _V,
    ),
    ("tw_ts_headline", lambda c, *given: headlines.headline(configuration(c), *given), (_C, _V, _V, _V), _V),
    (
        "tw_ts_headline_json",
        lambda c, *given: json_documents.headline(configuration(c), *given),
        (_C, _V, _V, _V),
        _V,
    ),
    ("tw_ts_rewrite", rewriting.rewrite, (_V, _V, _V), _V),
    (
        "tw_ts_rewrite_by",
        lambda q, flat: rewriting.rewrite_by(q, zip(flat[::2], flat[1::2], strict=True)),
        (_V, _L),
        _V,
    ),
    ("tw_tsquery_key", rewriting.order_key, (_V,), "BLOB"),
    ("tw_ts_count", vectors.count_of, (_V, _V, _V), _I),
    ("tw_ts_places", vectors.places_of, (_V, _V), _V),
    ("tw_ts_weights", vectors.weights_of, (_V, _V), _V),
    ("tw_in_tsvector", vectors.vector_in, (_V,), _V),
    ("tw_in_tsquery", queries.query_in, (_V,), _V),
    ("tw_to_tsvector", _of(documents.vector), (_C, _V), _V),
    ("tw_to_tsquery", _of(documents.query), (_C, _V), _V),
    ("tw_plainto_tsquery", _of(documents.plain), (_C, _V), _V),
    ("tw_phraseto_tsquery", _of(documents.phrase), (_C, _V), _V),
    ("tw_websearch_to_tsquery", _of(documents.websearch), (_C, _V), _V),
    ("tw_ts_lexize", lambda said, word: documents.lexize(dictionary(said), word), (_C, _V), _L),
    ("tw_ts_unaccent", lambda said, text: documents.unaccented(dictionary(said), text), (_C, _V), _V),
    ("tw_ts_among", chains.among, (_V, _V), _V),
    ("tw_ts_text_match", text_columns.matches, (_C, _V, _V), "BOOLEAN"),
    ("tw_ts_match", matching.matches, (_V, _V), "BOOLEAN"),
    ("tw_ts_needle", lambda query, place: query, (_V, _I), _V),  # by columns alone
    ("tw_ts_concat", vectors.concatenated, (_V, _V), _V),
    ("tw_ts_strip", vectors.stripped, (_V,), _V),
    ("tw_ts_length", vectors.length, (_V,), _I),
    ("tw_ts_setweight", vectors.with_weight, (_V, _V), _V),
    ("tw_ts_setweight_of", vectors.with_weight, (_V, _V, _L), _V),
    ("tw_ts_delete", lambda v, word: vectors.without(v, [word]), (_V, _V), _V),
    ("tw_ts_delete_all", vectors.without, (_V, _L), _V),
    ("tw_ts_filter", vectors.filtered, (_V, _L), _V),
    ("tw_tsvector_to_array", vectors.names_of, (_V,), _L),
    ("tw_array_to_tsvector", vectors.of_array, (_L,), _V),
    ("tw_tsvector_key", vectors.order_key, (_V,), "BLOB"),
    ("tw_send_tsvector", vectors.to_binary, (_V,), "BLOB"),
    ("tw_send_tsquery", queries.to_binary, (_V,), "BLOB"),
    ("tw_tsquery_and", _joined(queries.AND), (_V, _V), _V),
    ("tw_tsquery_or", _joined(queries.OR), (_V, _V), _V),
    ("tw_tsquery_phrase", lambda a, b, n: queries.joined(queries.PHRASE, a, b, n), (_V, _V, _I), _V),
    ("tw_tsquery_not", queries.negated, (_V,), _V),
    ("tw_tsquery_contains", queries.contains, (_V, _V), "BOOLEAN"),
    ("tw_numnode", queries.count, (_V,), _I),
    ("tw_querytree", queries.searchable, (_V,), _V),
    ("tw_ts_rank", lambda v, q, method: ranking.rank(v, q, None, method), (_V, _V, _I), _F),
    ("tw_ts_rank_by", lambda w, v, q, method: ranking.rank(v, q, w, method), ("FLOAT[]", _V, _V, _I), _F),
    ("tw_ts_rank_cd", lambda v, q, method: ranking.rank_cd(v, q, None, method), (_V, _V, _I), _F),
    (
        "tw_ts_rank_cd_by",
        lambda w, v, q, method: ranking.rank_cd(v, q, w, method),
        ("FLOAT[]", _V, _V, _I),
        _F,
    ),
]
