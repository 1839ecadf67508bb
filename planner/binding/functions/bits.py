"""Bit strings: operators and functions of chapter 9.6. Digits compare as bits do, so comparison is DuckDB's of texts."""

from __future__ import annotations

from planner.binding.functions.registry import template, templates

for _op in ("=", "<>", "<", "<=", ">", ">="):
    template(f"bit {_op} bit", f"({{0}} {_op} {{1}})")
    template(f"varbit {_op} varbit", f"({{0}} {_op} {{1}})")
for _op in ("IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
    template(f"bit {_op.lower()} bit", f"({{0}} {_op} {{1}})")
    template(f"varbit {_op.lower()} varbit", f"({{0}} {_op} {{1}})")
for _op in ("&", "|", "#"):
    template(f"bit {_op} bit", f"tw_bits_pairwise('{_op}', {{0}}, {{1}})")

templates("""
varbit || varbit => ({0} || {1})
~ bit => tw_bits_not({0})
bit << int4 => tw_bits_shifted({0}, {1})
bit >> int4 => tw_bits_shifted_right({0}, {1})
length(bit) => CAST(length({0}) AS INTEGER)
bit_length(bit) => CAST(length({0}) AS INTEGER)
octet_length(bit) => CAST((length({0}) + 7) // 8 AS INTEGER)
bit_count(bit) => CAST(length(replace({0}, '0', '')) AS BIGINT)
substring(bit, int4) => tw_bits_substring({0}, {1}, -1)
substring(bit, int4, int4) => CASE WHEN {2} < 0 THEN error('[22011] negative substring length not allowed') ELSE tw_bits_substring({0}, {1}, {2}) END
position(bit, bit) => CASE WHEN {0} = '' THEN 0 ELSE CAST(strpos({0}, {1}) AS INTEGER) END
overlay(bit, bit, int4) => tw_bits_overlaid({0}, {1}, {2}, CAST(length({1}) AS INTEGER))
overlay(bit, bit, int4, int4) => tw_bits_overlaid({0}, {1}, {2}, {3})
get_bit(bit, int4) => tw_bits_get({0}, {1})
set_bit(bit, int4, int4) => tw_bits_set({0}, {1}, {2})
""")
