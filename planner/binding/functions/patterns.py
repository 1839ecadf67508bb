"""regexp_* with a start, a number and flags; names, letters, bytes, angles in degrees: less used corners of chapter 9."""

from __future__ import annotations

from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, join, sql
from planner.binding.functions.registry import register, templates

templates("""
regexp_count(text, text, int4) => tw_regexp_count_from({0}, {1}, {2}, '')
regexp_count(text, text, int4, text) => tw_regexp_count_from({0}, {1}, {2}, {3})
regexp_instr(text, text) => tw_regexp_instr({0}, {1}, 1, 1, 0, '', 0)
regexp_instr(text, text, int4) => tw_regexp_instr({0}, {1}, {2}, 1, 0, '', 0)
regexp_instr(text, text, int4, int4) => tw_regexp_instr({0}, {1}, {2}, {3}, 0, '', 0)
regexp_instr(text, text, int4, int4, int4) => tw_regexp_instr({0}, {1}, {2}, {3}, {4}, '', 0)
regexp_instr(text, text, int4, int4, int4, text) => tw_regexp_instr({0}, {1}, {2}, {3}, {4}, {5}, 0)
regexp_instr(text, text, int4, int4, int4, text, int4) => tw_regexp_instr({0}, {1}, {2}, {3}, {4}, {5}, {6})
regexp_substr(text, text, int4) => tw_regexp_substr_from({0}, {1}, {2}, 1, '', 0)
regexp_substr(text, text, int4, int4) => tw_regexp_substr_from({0}, {1}, {2}, {3}, '', 0)
regexp_substr(text, text, int4, int4, text) => tw_regexp_substr_from({0}, {1}, {2}, {3}, {4}, 0)
regexp_substr(text, text, int4, int4, text, int4) => tw_regexp_substr_from({0}, {1}, {2}, {3}, {4}, {5})
regexp_replace(text, text, text, int4) => tw_regexp_replace_from({0}, {1}, {2}, {3}, 1, '')
regexp_replace(text, text, text, int4, int4) => tw_regexp_replace_from({0}, {1}, {2}, {3}, {4}, '')
regexp_replace(text, text, text, int4, int4, text) => tw_regexp_replace_from({0}, {1}, {2}, {3}, {4}, {5})
string_to_table(text, text, text) => list_transform(tw_string_to_array({0}, coalesce({1}, chr(0))), lambda tw_x: nullif(tw_x, {2}))
parse_ident(text) => tw_parse_ident({0}, true)
parse_ident(text, bool) => tw_parse_ident({0}, {1})
unistr(text) => tw_unistr({0})
normalize(text) => tw_normalize({0}, 'NFC')
normalize(text, text) => tw_normalize({0}, {1})
is_normalized(text) => tw_is_normalized({0}, 'NFC')
is_normalized(text, text) => tw_is_normalized({0}, {1})
similar_escape(text, text) => tw_similar({0}, coalesce({1}, chr(92)))
btrim(bytea, bytea) => tw_bytes_trim({0}, {1})
ltrim(bytea, bytea) => tw_bytes_ltrim({0}, {1})
rtrim(bytea, bytea) => tw_bytes_rtrim({0}, {1})
position(bytea, bytea) => tw_bytes_position({1}, {0})
overlay(bytea, bytea, int4) => tw_bytes_overlay({0}, {1}, {2}, CAST(octet_length({1}) AS INTEGER))
overlay(bytea, bytea, int4, int4) => tw_bytes_overlay({0}, {1}, {2}, {3})
bit_length(bytea) => CAST(octet_length({0}) * 8 AS INTEGER)
gcd(numeric, numeric) => tw_num_gcd({0}, {1})
lcm(numeric, numeric) => tw_num_lcm({0}, {1})
asind(float8) => tw_asind({0})
acosd(float8) => tw_acosd({0})
atand(float8) => tw_atand({0})
atan2d(float8, float8) => tw_atan2d({0}, {1})
tand(float8) => tw_tand({0})
cotd(float8) => tw_cotd({0})
gen_random_uuid() => CAST(uuid() AS VARCHAR)
jsonb_set_lax(jsonb, _text, jsonb) => tw_jsonb_set({0}, {1}, coalesce({2}, 'null'), true)
jsonb_set_lax(jsonb, _text, jsonb, bool) => tw_jsonb_set({0}, {1}, coalesce({2}, 'null'), {3})
jsonb_set_lax(jsonb, _text, jsonb, bool, text) => CASE WHEN {2} IS NOT NULL THEN tw_jsonb_set({0}, {1}, {2}, {3}) WHEN {4} = 'use_json_null' THEN tw_jsonb_set({0}, {1}, 'null', {3}) WHEN {4} = 'delete_key' THEN tw_jsonb_minus_path({0}, {1}) WHEN {4} = 'return_target' THEN {0} WHEN {4} = 'raise_exception' THEN error('[22004] JSON value must not be null [DETAIL] Exception was raised because null_value_treatment is "raise_exception". [HINT] To avoid, either change the null_value_treatment argument or ensure that an SQL NULL is not passed.') ELSE error('[22023] null_value_treatment must be "delete_key", "return_target", "use_json_null", or "raise_exception"') END
bytea ~~ bytea => tw_bytes_like({0}, {1})
bytea !~~ bytea => (NOT tw_bytes_like({0}, {1}))
like(bytea, bytea) => tw_bytes_like({0}, {1})
notlike(bytea, bytea) => (NOT tw_bytes_like({0}, {1}))
like_escape(bytea, bytea) => tw_bytes_like_escape({0}, {1})
timestamp(date, time) => ({0} + {1})
textlen(text) => CAST(length({0}) AS INTEGER)
like(text, text) => ({0} LIKE {1} ESCAPE '\\')
like(name, text) => ({0} LIKE {1} ESCAPE '\\')
notlike(name, text) => ({0} NOT LIKE {1} ESCAPE '\\')
notlike(text, text) => ({0} NOT LIKE {1} ESCAPE '\\')
dround(float8) => round_even({0}, 0)
dtrunc(float8) => trunc({0})
overlaps(time, interval, time, interval) => tw_overlaps({0}, {0} + {1}, {2}, {2} + {3})
overlaps(time, time, time, interval) => tw_overlaps({0}, {1}, {2}, {2} + {3})
overlaps(time, interval, time, time) => tw_overlaps({0}, {0} + {1}, {2}, {3})
""")


def _nulls(name: str, test: str) -> None:
    def made(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        each = [sql("CAST(", a, f" {test} AS INTEGER)") for a in args]
        return sql("CAST(", join(" + ", each), " AS INTEGER)")

    register(f"{name}(any)", made)


_nulls("num_nulls", "IS NULL")
_nulls("num_nonnulls", "IS NOT NULL")
