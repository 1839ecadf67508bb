"""The members of extensions: what they are computed by. Who may call them is `planner.binding.offered`'s."""

from __future__ import annotations

from typing import Final

from planner import types as t
from planner.abc import SessionValue, TypeRef
from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, sql
from planner.binding.functions.registry import implementation, register, templates
from planner.binding.functions.sequences import PID
from planner.extensions.uuids import NAMESPACES

templates("""
uuid_generate_v1() => tw_uuid_v1(random())
uuid_generate_v1mc() => tw_uuid_v1mc(random())
uuid_generate_v3(uuid, text) => tw_uuid_v3({0}, {1})
uuid_generate_v4() => CAST(uuid() AS VARCHAR)
uuid_generate_v5(uuid, text) => tw_uuid_v5({0}, {1})
digest(bytea, text) => tw_digest({0}, {1})
digest(text, text) => tw_digest_text({0}, {1})
hmac(bytea, bytea, text) => tw_hmac({0}, {1}, {2})
hmac(text, text, text) => tw_hmac_text({0}, {1}, {2})
encrypt(bytea, bytea, text) => tw_encrypt({0}, {1}, {2})
encrypt_iv(bytea, bytea, bytea, text) => tw_encrypt_iv({0}, {1}, {2}, {3})
decrypt(bytea, bytea, text) => tw_decrypt({0}, {1}, {2})
decrypt_iv(bytea, bytea, bytea, text) => tw_decrypt_iv({0}, {1}, {2}, {3})
gen_random_bytes(int4) => tw_random_bytes({0}, random())
crypt(text, text) => tw_crypt({0}, {1})
gen_salt(text) => tw_gen_salt({0}, random())
gen_salt(text, int4) => tw_gen_salt_rounds({0}, {1}, random())
unaccent(text) => tw_unaccent({0})
levenshtein(text, text) => tw_levenshtein({0}, {1})
levenshtein(text, text, int4, int4, int4) => tw_levenshtein_costs({0}, {1}, {2}, {3}, {4})
levenshtein_less_equal(text, text, int4) => tw_levenshtein_less({0}, {1}, {2})
levenshtein_less_equal(text, text, int4, int4, int4, int4) => tw_levenshtein_costs_less({0}, {1}, {2}, {3}, {4}, {5})
soundex(text) => tw_soundex({0})
text_soundex(text) => tw_soundex({0})
difference(text, text) => tw_sounds_alike({0}, {1})
show_trgm(text) => tw_show_trgm({0})
similarity(text, text) => tw_similarity({0}, {1})
word_similarity(text, text) => tw_word_similarity({0}, {1})
strict_word_similarity(text, text) => tw_strict_word_similarity({0}, {1})
similarity_dist(text, text) => CAST(1 - CAST(tw_similarity({0}, {1}) AS DOUBLE) AS FLOAT)
word_similarity_dist_op(text, text) => CAST(1 - CAST(tw_word_similarity({0}, {1}) AS DOUBLE) AS FLOAT)
word_similarity_dist_commutator_op(text, text) => CAST(1 - CAST(tw_word_similarity({1}, {0}) AS DOUBLE) AS FLOAT)
strict_word_similarity_dist_op(text, text) => CAST(1 - CAST(tw_strict_word_similarity({0}, {1}) AS DOUBLE) AS FLOAT)
strict_word_similarity_dist_commutator_op(text, text) => CAST(1 - CAST(tw_strict_word_similarity({1}, {0}) AS DOUBLE) AS FLOAT)
text <-> text => CAST(1 - CAST(tw_similarity({0}, {1}) AS DOUBLE) AS FLOAT)
text <<-> text => CAST(1 - CAST(tw_word_similarity({0}, {1}) AS DOUBLE) AS FLOAT)
text <->> text => CAST(1 - CAST(tw_word_similarity({1}, {0}) AS DOUBLE) AS FLOAT)
text <<<-> text => CAST(1 - CAST(tw_strict_word_similarity({0}, {1}) AS DOUBLE) AS FLOAT)
text <->>> text => CAST(1 - CAST(tw_strict_word_similarity({1}, {0}) AS DOUBLE) AS FLOAT)
""")

templates("""
normal_rand(int4, float8, float8) => tw_normal_rand({0}, {1}, {2}, random())
moddatetime() => error('[XX000] moddatetime: not fired by trigger manager')
insert_username() => error('[XX000] insert_username: not fired by trigger manager')
triggered_change_notification() => error('[39P01] triggered_change_notification: must be called as trigger')
""")
for _name, _value in NAMESPACES.items():
    templates(f"{_name}() => '{_value}'")

# --- pg_trgm: alike enough ------------------------------------------------------------------------------------

_THRESHOLDS: Final = {"similarity": "0.3", "word_similarity": "0.6", "strict_word_similarity": "0.5"}


def _threshold(function: str) -> Frag:
    """What the session has set, or what everybody begins with."""
    said = SessionValue(f"setting_or_null:pg_trgm.{function}_threshold", TypeRef(t.TEXT))
    return sql("CAST(coalesce(nullif(", said, f", ''), '{_THRESHOLDS[function]}') AS DOUBLE)")


def _alike(function: str, sign: str, turned: bool, name: str) -> None:
    def made(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        a, b = reversed(args) if turned else args
        return sql(f"(CAST(tw_{function}(", a, ", ", b, ") AS DOUBLE) >= ", _threshold(function), ")")

    register(f"text {sign} text", made)
    register(f"{name}(text, text)", made)


_alike("similarity", "%", False, "similarity_op")
_alike("word_similarity", "<%", False, "word_similarity_op")
_alike("word_similarity", "%>", True, "word_similarity_commutator_op")
_alike("strict_word_similarity", "<<%", False, "strict_word_similarity_op")
_alike("strict_word_similarity", "%>>", True, "strict_word_similarity_commutator_op")


def _show_limit(_emitter: Emitter, _call: ir.Call, _args: list[Frag]) -> Frag:
    return sql("CAST(", _threshold("similarity"), " AS FLOAT)")


def _set_limit(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    said = sql("CAST(", args[0], " AS VARCHAR)")
    return sql("CAST(tw_set_config('pg_trgm.similarity_threshold', ", said, ", false, ", PID, ") AS FLOAT)")


register("show_limit()", _show_limit)
register("set_limit(float4)", _set_limit)

# --- btree_gist: how far apart ---------------------------------------------------------------------------------


def _distance(kind: str, function: str, difference: str = "") -> None:
    """The greater one without the smaller one, with the errors that the subtraction has."""

    def made(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        minus = implementation(difference or f"{kind} - {kind}")
        assert minus is not None, kind
        a, b = args
        there, back = minus(emitter, call, [a, b]), minus(emitter, call, [b, a])
        return sql("CASE WHEN ", a, " >= ", b, " THEN ", there, " ELSE ", back, " END", form=there.form)

    register(f"{kind} <-> {kind}", made)
    register(f"{function}({kind}, {kind})", made)


for _kind, _function in (
    ("int2", "int2_dist"),
    ("int4", "int4_dist"),
    ("int8", "int8_dist"),
    ("float4", "float4_dist"),
    ("float8", "float8_dist"),
    ("date", "date_dist"),
    ("time", "time_dist"),
    ("timestamp", "ts_dist"),
    ("timestamptz", "tstz_dist"),
):
    _distance(_kind, _function)
