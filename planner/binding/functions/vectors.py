"""vector (pgvector): operators and functions of vectors (`planner.extensions.vectors`, `vector_columns`). Each operator is the function that it calls."""

from __future__ import annotations

from planner.binding.functions.registry import template, templates
from planner.extensions import facts

_MADE = {
    "l2_distance(vector, vector)": "tw_vector_euclid({0}, {1})",
    "inner_product(vector, vector)": "tw_vector_product({0}, {1})",
    "cosine_distance(vector, vector)": "tw_vector_cosine({0}, {1})",
    "l1_distance(vector, vector)": "tw_vector_taxicab({0}, {1})",
    "vector_l2_squared_distance(vector, vector)": "tw_vector_squared({0}, {1})",
    "vector_negative_inner_product(vector, vector)": "tw_vector_negative_product({0}, {1})",
    "vector_spherical_distance(vector, vector)": "tw_vector_spherical({0}, {1})",
    "vector_dims(vector)": "CAST(octet_length({0}) // 4 AS INTEGER)",
    "vector_norm(vector)": "tw_vector_norm({0})",
    "l2_normalize(vector)": "tw_vector_normalized({0})",
    "binary_quantize(vector)": "tw_vector_quantized({0})",
    "subvector(vector, int4, int4)": "tw_vector_part({0}, {1}, {2})",
    "vector_add(vector, vector)": "tw_vector_added({0}, {1})",
    "vector_sub(vector, vector)": "tw_vector_subtracted({0}, {1})",
    "vector_mul(vector, vector)": "tw_vector_multiplied({0}, {1})",
    "vector_concat(vector, vector)": "tw_vector_joined({0}, {1})",
    "vector_lt(vector, vector)": "(tw_vector_items({0}) < tw_vector_items({1}))",
    "vector_le(vector, vector)": "(tw_vector_items({0}) <= tw_vector_items({1}))",
    "vector_eq(vector, vector)": "(tw_vector_items({0}) = tw_vector_items({1}))",
    "vector_ne(vector, vector)": "(tw_vector_items({0}) <> tw_vector_items({1}))",
    "vector_ge(vector, vector)": "(tw_vector_items({0}) >= tw_vector_items({1}))",
    "vector_gt(vector, vector)": "(tw_vector_items({0}) > tw_vector_items({1}))",
    "vector_cmp(vector, vector)": "tw_vector_compared({0}, {1})",
    "vector_send(vector)": "tw_send_vector({0})",
    "hamming_distance(bit, bit)": "tw_bits_hamming({0}, {1})",
    "jaccard_distance(bit, bit)": "tw_bits_jaccard({0}, {1})",
}
for _signature, _text in _MADE.items():
    template(_signature, _text)
for _extension, _sign, _left, _right, _, _function in facts("operators"):
    if _extension == "vector":
        template(f"{_left} {_sign} {_right}", _MADE[f"{_function}({_left}, {_right})"])
templates("""
vector is distinct from vector => (tw_vector_items({0}) IS DISTINCT FROM tw_vector_items({1}))
vector is not distinct from vector => (tw_vector_items({0}) IS NOT DISTINCT FROM tw_vector_items({1}))
""")
