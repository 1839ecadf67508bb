"""citext: text whose comparisons do not tell capitals from small letters. Its functions are those of text, with the flag `i`.

email = 'Ann@Example.com'      lower(email) = lower('Ann@Example.com')
"""

from __future__ import annotations

from typing import Final

from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, sql
from planner.binding.functions.registry import register, template, templates

_OPERATORS: Final = ("=", "<>", "<", "<=", ">", ">=")
_FLAGS: Final = "CASE WHEN strpos({n}, 'c') = 0 THEN {n} || 'i' ELSE {n} END"
_LITERALLY: Final = r"tw_regexp_replace({1}, '([^a-zA-Z_0-9])', '\\\1', 'g')"
"""A text as a pattern that only it matches."""

for _op in _OPERATORS:
    template(f"citext {_op} citext", f"(lower({{0}}) {_op} lower({{1}}))")
for _words in ("IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
    template(f"citext {_words.lower()} citext", f"(lower({{0}}) {_words} lower({{1}}))")
for _sign, _op in (("~<~", "<"), ("~<=~", "<="), ("~>~", ">"), ("~>=~", ">=")):
    template(f"citext {_sign} citext", f"(lower({{0}}) {_op} lower({{1}}))")
for _name in ("citext_cmp", "citext_pattern_cmp"):
    template(
        f"{_name}(citext, citext)",
        "CASE WHEN lower({0}) < lower({1}) THEN -1 WHEN lower({0}) > lower({1}) THEN 1 WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN 0 END",
    )

templates("""
citext(bpchar) => rtrim({0}, ' ')
citext(bool) => CAST({0} AS VARCHAR)
citext(inet) => tw_inet_text({0})
citext_larger(citext, citext) => CASE WHEN lower({0}) > lower({1}) THEN {0} WHEN {0} IS NOT NULL THEN {1} END
citext_smaller(citext, citext) => CASE WHEN lower({0}) < lower({1}) THEN {0} WHEN {0} IS NOT NULL THEN {1} END
citextsend(citext) => encode({0})
citext_hash(citext) => tw_hash_text(lower({0}))
citext_hash_extended(citext, int8) => tw_hash_text_extended(lower({0}), {1})
regexp_match(citext, citext) => tw_regexp_match({0}, {1}, 'i')
regexp_matches(citext, citext) => tw_regexp_matches({0}, {1}, 'i')
regexp_replace(citext, citext, text) => tw_regexp_replace({0}, {1}, {2}, 'i')
regexp_split_to_array(citext, citext) => tw_regexp_split({0}, {1}, 'i')
regexp_split_to_table(citext, citext) => tw_regexp_split({0}, {1}, 'i')
strpos(citext, citext) => CAST(strpos(lower({0}), lower({1})) AS INTEGER)
translate(citext, citext, text) => translate(translate({0}, lower({1}), {2}), upper({1}), {2})
""")
for _name, _made in (
    ("regexp_match(citext, citext, text)", "tw_regexp_match({0}, {1}, FLAGS)"),
    ("regexp_matches(citext, citext, text)", "tw_regexp_matches({0}, {1}, FLAGS)"),
    ("regexp_split_to_array(citext, citext, text)", "tw_regexp_split({0}, {1}, FLAGS)"),
    ("regexp_split_to_table(citext, citext, text)", "tw_regexp_split_to_table({0}, {1}, FLAGS)"),
):
    template(_name, _made.replace("FLAGS", _FLAGS.replace("{n}", "{2}")))
template(
    "regexp_replace(citext, citext, text, text)",
    f"tw_regexp_replace({{0}}, {{1}}, {{2}}, {_FLAGS.replace('{n}', '{3}')})",
)
template("replace(citext, citext, citext)", f"tw_regexp_replace({{0}}, {_LITERALLY}, {{2}}, 'gi')")
template("split_part(citext, citext, int4)", f"(tw_regexp_split({{0}}, {_LITERALLY}, 'i'))[{{2}}]")


def _patterns(sign: str, function: str, right: str) -> None:
    negated = sign.startswith("!")

    def made(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        if "~~" in sign:
            return sql("(", args[0], f" {'NOT ' if negated else ''}ILIKE ", args[1], " ESCAPE '\\')")
        found = sql("tw_regexp_like(", args[0], ", ", args[1], ", 'i')")
        return sql("(NOT ", found, ")") if negated else found

    for each in (sign, f"{sign}*"):
        register(f"citext {each} {right}", made)
    register(f"{function}(citext, {right})", made)


for _right in ("citext", "text"):
    _patterns("~~", "texticlike", _right)
    _patterns("!~~", "texticnlike", _right)
    _patterns("~", "texticregexeq", _right)
    _patterns("!~", "texticregexne", _right)
