"""Python functions of extensions (`planner.extensions`).

Those that vary take a random number that they do not look at: of the same arguments DuckDB computes a function once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planner.extensions import (
    accents,
    chances,
    ciphers,
    hstores,
    ltree_patterns,
    ltrees,
    number_queries,
    numbers,
    passwords,
    sounds,
    trigrams,
    uuids,
    vector_columns,
    vectors,
)
from planner.types import embeddings

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V, _B, _I, _CHANCE, _L, _N = "VARCHAR", "BLOB", "INTEGER", "DOUBLE", "VARCHAR[]", "INTEGER[]"


def _anew(function: Callable[..., Any]) -> Callable[..., Any]:
    """Without the last argument."""
    return lambda *given: function(*given[:-1])


def _found(function: Callable[..., Any]) -> Callable[..., bool]:
    """Whether there is one."""
    return lambda *given: function(*given) is not None


FUNCTIONS: list[Entry] = [
    ("tw_uuid_v1", _anew(uuids.v1), (_CHANCE,), _V),
    ("tw_uuid_v1mc", _anew(uuids.v1mc), (_CHANCE,), _V),
    ("tw_uuid_v3", uuids.v3, (_V, _V), _V),
    ("tw_uuid_v5", uuids.v5, (_V, _V), _V),
    ("tw_digest", ciphers.digest, (_B, _V), _B),
    ("tw_digest_text", ciphers.digest_text, (_V, _V), _B),
    ("tw_hmac", ciphers.hmac, (_B, _B, _V), _B),
    ("tw_hmac_text", ciphers.hmac_text, (_V, _V, _V), _B),
    ("tw_encrypt", ciphers.encrypt, (_B, _B, _V), _B),
    ("tw_encrypt_iv", ciphers.encrypt_iv, (_B, _B, _B, _V), _B),
    ("tw_decrypt", ciphers.decrypt, (_B, _B, _V), _B),
    ("tw_decrypt_iv", ciphers.decrypt_iv, (_B, _B, _B, _V), _B),
    ("tw_random_bytes", _anew(ciphers.random_bytes), (_I, _CHANCE), _B),
    ("tw_crypt", passwords.crypt, (_V, _V), _V),
    ("tw_gen_salt", _anew(passwords.gen_salt), (_V, _CHANCE), _V),
    ("tw_gen_salt_rounds", _anew(passwords.gen_salt_rounds), (_V, _I, _CHANCE), _V),
    ("tw_unaccent", accents.unaccent, (_V,), _V),
    ("tw_levenshtein", sounds.levenshtein, (_V, _V), _I),
    ("tw_levenshtein_costs", sounds.levenshtein, (_V, _V, _I, _I, _I), _I),
    ("tw_levenshtein_less", sounds.levenshtein_less_equal, (_V, _V, _I), _I),
    ("tw_levenshtein_costs_less", sounds.levenshtein_costs_less_equal, (_V, _V, _I, _I, _I, _I), _I),
    ("tw_soundex", sounds.soundex, (_V,), _V),
    ("tw_sounds_alike", sounds.difference, (_V, _V), _I),
    ("tw_similarity", trigrams.similarity, (_V, _V), "FLOAT"),
    ("tw_word_similarity", trigrams.word_similarity, (_V, _V), "FLOAT"),
    ("tw_strict_word_similarity", trigrams.strict_word_similarity, (_V, _V), "FLOAT"),
    ("tw_in_hstore", hstores.hstore_in, (_V,), _V),
    ("tw_hstore_value", hstores.value_of, (_V, _V), _V),
    ("tw_hstore_values", hstores.values_of, (_V, _L), _L),
    ("tw_hstore_values_text", hstores.values_of_text, (_V, _V), _V),
    ("tw_hstore_array_text", hstores.of_array_text, (_V,), _V),
    ("tw_hstore_has", hstores.has, (_V, _V), "BOOLEAN"),
    ("tw_hstore_has_all", hstores.has_all, (_V, _L), "BOOLEAN"),
    ("tw_hstore_has_any", hstores.has_any, (_V, _L), "BOOLEAN"),
    ("tw_hstore_defined", hstores.is_defined, (_V, _V), "BOOLEAN"),
    ("tw_hstore_contains", hstores.contains, (_V, _V), "BOOLEAN"),
    ("tw_hstore_concat", hstores.concatenated, (_V, _V), _V),
    ("tw_hstore_minus", hstores.without, (_V, _V), _V),
    ("tw_hstore_minus_all", hstores.without_all, (_V, _L), _V),
    ("tw_hstore_minus_pairs", hstores.without_pairs, (_V, _V), _V),
    ("tw_hstore_slice", hstores.slice_of, (_V, _L), _V),
    ("tw_hstore_flat", hstores.flat, (_V,), _L),
    ("tw_hstore_matrix", hstores.matrix, (_V,), _V),
    ("tw_hstore_keys", hstores.keys_of, (_V,), _L),
    ("tw_hstore_all_values", hstores.all_values, (_V,), _L),
    ("tw_hstore_pair", hstores.of_pair, (_V, _V), _V),
    ("tw_hstore_null", lambda key: hstores.of_pair(key, None), (_V,), _V),
    ("tw_hstore_arrays", hstores.of_arrays, (_L, _L), _V),
    ("tw_hstore_nulls", lambda keys: hstores.of_arrays(keys, None), (_L,), _V),
    ("tw_hstore_array", hstores.of_array, (_L,), _V),
    ("tw_hstore_json", hstores.to_json, (_V,), _V),
    ("tw_hstore_json_loose", hstores.to_json_loose, (_V,), _V),
    ("tw_hstore_key", hstores.order_key, (_V,), _B),
    ("tw_send_hstore", hstores.to_binary, (_V,), _B),
    ("tw_in_ltree", ltrees.ltree_in, (_V,), _V),
    ("tw_in_lquery", ltree_patterns.lquery_in, (_V,), _V),
    ("tw_in_ltxtquery", ltree_patterns.ltxtquery_in, (_V,), _V),
    ("tw_ltree_compared", ltrees.compared, (_V, _V), _I),
    ("tw_ltree_part", ltrees.part, (_V, _I, _I), _V),
    ("tw_ltree_part_of_length", ltrees.part_of_length, (_V, _I, _I), _V),
    ("tw_ltree_part_from", ltrees.part_from, (_V, _I), _V),
    ("tw_ltree_place", ltrees.place, (_V, _V, _I), _I),
    ("tw_ltree_joined", ltrees.joined, (_V, _V), _V),
    ("tw_ltree_in_common", ltrees.in_common, (_L,), _V),
    ("tw_ltree_matches", ltree_patterns.matches, (_V, _V), "BOOLEAN"),
    ("tw_ltree_matches_any", ltree_patterns.matches_any, (_V, _L), "BOOLEAN"),
    ("tw_ltree_contains", ltree_patterns.contains, (_V, _V), "BOOLEAN"),
    ("tw_ltree_first_above", ltree_patterns.first_above, (_L, _V), _V),
    ("tw_ltree_first_below", ltree_patterns.first_below, (_L, _V), _V),
    ("tw_ltree_first_match", ltree_patterns.first_match, (_L, _V), _V),
    ("tw_ltree_first_holding", ltree_patterns.first_holding, (_L, _V), _V),
    ("tw_ltree_any_above", _found(ltree_patterns.first_above), (_L, _V), "BOOLEAN"),
    ("tw_ltree_any_below", _found(ltree_patterns.first_below), (_L, _V), "BOOLEAN"),
    ("tw_ltree_any_match", _found(ltree_patterns.first_match), (_L, _V), "BOOLEAN"),
    ("tw_ltree_any_holding", _found(ltree_patterns.first_holding), (_L, _V), "BOOLEAN"),
    ("tw_ltree_any_any", ltree_patterns.any_matches_any, (_L, _L), "BOOLEAN"),
    ("tw_send_ltree", ltrees.to_binary, (_V,), _B),
    ("tw_int_ordered", numbers.ordered, (_V, _V), _V),
    ("tw_int_uniq", numbers.uniq, (_V,), _V),
    ("tw_int_without", numbers.without, (_V, _I), _V),
    ("tw_int_part", numbers.part, (_N, _I, _I), _N),
    ("tw_int_holds", number_queries.holds, (_N, _V), "BOOLEAN"),
    ("tw_int_querytree", numbers.querytree, (_V,), _V),
    ("tw_normal_rand", _anew(chances.normal), (_I, _CHANCE, _CHANCE, _CHANCE), "DOUBLE[]"),
    ("tw_in_vector", embeddings.vector_in, (_V,), _B),
    ("tw_out_vector", embeddings.vector_out, (_B,), _V),
    ("tw_send_vector", embeddings.to_binary, (_B,), _B),
    ("tw_vector_fitted", embeddings.fitted, (_B, _I), _B),
    ("tw_vector_of_numbers", embeddings.of_numbers, ("DOUBLE[]",), _B),
    ("tw_vector_items", embeddings.items, (_B,), "FLOAT[]"),
    ("tw_vector_compared", vectors.compared, (_B, _B), _I),
    ("tw_vector_norm", vectors.norm, (_B,), _CHANCE),
    ("tw_vector_normalized", vectors.normalized, (_B,), _B),
    ("tw_vector_quantized", vectors.quantized, (_B,), _V),
    ("tw_vector_part", vectors.part, (_B, _I, _I), _B),
    ("tw_vector_added", vectors.added, (_B, _B), _B),
    ("tw_vector_subtracted", vectors.subtracted, (_B, _B), _B),
    ("tw_vector_multiplied", vectors.multiplied, (_B, _B), _B),
    ("tw_vector_joined", vectors.joined, (_B, _B), _B),
    ("tw_vector_summed", vectors.summed, ("BLOB[]",), _B),
    ("tw_vector_averaged", vectors.averaged, ("BLOB[]",), _B),
    *((name, vector_columns.of_values(name), (_B, _B), _CHANCE) for name in vector_columns.BY_COLUMN),
    ("tw_show_trgm", trigrams.show_trgm, (_V,), "VARCHAR[]"),
]
