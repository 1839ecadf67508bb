"""ltree: operators and functions of labels from the root (`planner.extensions.ltrees`).

What is above what is asked of texts, so that DuckDB asks it of many rows at once; patterns are matched in Python. Each
operator is the function that PostgreSQL says it calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from planner.abc import TypeRef
from planner.binding import ir
from planner.binding.dimensions import SHAPED, as_list, is_text
from planner.binding.emit import Emitter, Implementation
from planner.binding.fragments import Frag, sql
from planner.binding.functions.registry import register, template
from planner.extensions import facts

_ABOVE: Final = "({0} = '' OR {1} = {0} OR starts_with({1}, {0} || '.'))"
_BELOW: Final = "({1} = '' OR {0} = {1} OR starts_with({0}, {1} || '.'))"
_MADE: Final = {
    "ltree_eq(ltree, ltree)": "({0} = {1})",
    "ltree_ne(ltree, ltree)": "({0} <> {1})",
    "ltree_lt(ltree, ltree)": "({0} < {1})",
    "ltree_le(ltree, ltree)": "({0} <= {1})",
    "ltree_gt(ltree, ltree)": "({0} > {1})",
    "ltree_ge(ltree, ltree)": "({0} >= {1})",
    "ltree_cmp(ltree, ltree)": "tw_ltree_compared({0}, {1})",
    "ltree_isparent(ltree, ltree)": _ABOVE,
    "ltree_risparent(ltree, ltree)": _BELOW,
    "ltree_addltree(ltree, ltree)": "tw_ltree_joined({0}, {1})",
    "ltree_addtext(ltree, text)": "tw_ltree_joined({0}, tw_in_ltree({1}))",
    "ltree_textadd(text, ltree)": "tw_ltree_joined(tw_in_ltree({0}), {1})",
    "ltq_regex(ltree, lquery)": "tw_ltree_matches({0}, {1})",
    "ltq_rregex(lquery, ltree)": "tw_ltree_matches({1}, {0})",
    "lt_q_regex(ltree, _lquery)": "tw_ltree_matches_any({0}, {1})",
    "lt_q_rregex(_lquery, ltree)": "tw_ltree_matches_any({1}, {0})",
    "ltxtq_exec(ltree, ltxtquery)": "tw_ltree_contains({0}, {1})",
    "ltxtq_rexec(ltxtquery, ltree)": "tw_ltree_contains({1}, {0})",
    "_ltree_extract_isparent(_ltree, ltree)": "tw_ltree_first_above({0}, {1})",
    "_ltree_extract_risparent(_ltree, ltree)": "tw_ltree_first_below({0}, {1})",
    "_ltq_extract_regex(_ltree, lquery)": "tw_ltree_first_match({0}, {1})",
    "_ltxtq_extract_exec(_ltree, ltxtquery)": "tw_ltree_first_holding({0}, {1})",
    "_ltree_isparent(_ltree, ltree)": "tw_ltree_any_above({0}, {1})",
    "_ltree_r_isparent(ltree, _ltree)": "tw_ltree_any_above({1}, {0})",
    "_ltree_risparent(_ltree, ltree)": "tw_ltree_any_below({0}, {1})",
    "_ltree_r_risparent(ltree, _ltree)": "tw_ltree_any_below({1}, {0})",
    "_ltq_regex(_ltree, lquery)": "tw_ltree_any_match({0}, {1})",
    "_ltq_rregex(lquery, _ltree)": "tw_ltree_any_match({1}, {0})",
    "_lt_q_regex(_ltree, _lquery)": "tw_ltree_any_any({0}, {1})",
    "_lt_q_rregex(_lquery, _ltree)": "tw_ltree_any_any({1}, {0})",
    "_ltxtq_exec(_ltree, ltxtquery)": "tw_ltree_any_holding({0}, {1})",
    "_ltxtq_rexec(ltxtquery, _ltree)": "tw_ltree_any_holding({1}, {0})",
    "subltree(ltree, int4, int4)": "tw_ltree_part({0}, {1}, {2})",
    "subpath(ltree, int4, int4)": "tw_ltree_part_of_length({0}, {1}, {2})",
    "subpath(ltree, int4)": "tw_ltree_part_from({0}, {1})",
    "index(ltree, ltree)": "tw_ltree_place({0}, {1}, 0)",
    "index(ltree, ltree, int4)": "tw_ltree_place({0}, {1}, {2})",
    "nlevel(ltree)": "CAST(CASE WHEN {0} = '' THEN 0 ELSE length({0}) - length(replace({0}, '.', '')) + 1 END AS INTEGER)",
    "ltree2text(ltree)": "{0}",
    "text2ltree(text)": "tw_in_ltree({0})",
    "lca(_ltree)": "tw_ltree_in_common({0})",
    "ltree_send(ltree)": "tw_send_ltree({0})",
    "lquery_send(lquery)": "tw_send_ltree({0})",
    "ltxtq_send(ltxtquery)": "tw_send_ltree({0})",
}


def _line(frag: Frag, ref: TypeRef) -> Frag:
    """The elements of an array, as a list. What is no array, and what is a list, stays. Raises 2202E for more dimensions."""
    if not is_text(frag):
        return frag
    return as_list(sql("tw_array_one_dimension(", frag, ", 'paths')", form=frag.form), ref)


def _over_lines(text: str) -> Implementation:
    pieces = text.replace("{0}", "\0{0}\0").replace("{1}", "\0{1}\0").split("\0")

    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        given = {f"{{{i}}}": _line(f, a.type) for i, (f, a) in enumerate(zip(args, call.args, strict=True))}
        return sql(*(given.get(piece, piece) for piece in pieces))

    return made


def _declare(signature: str, of: Sequence[str], text: str) -> None:
    if {"_ltree", "_lquery"} & set(of):
        SHAPED.add(signature)
        register(signature, _over_lines(text))
    else:
        template(signature, text)


for _signature, _text in _MADE.items():
    _declare(_signature, _signature[_signature.index("(") + 1 : -1].split(", "), _text)
for _count in range(2, 9):
    _given = [f"{{{i}}}" for i in range(_count)]
    _known = " OR ".join(f"{g} IS NULL" for g in _given)
    template(
        f"lca({', '.join(['ltree'] * _count)})",
        f"CASE WHEN NOT ({_known}) THEN tw_ltree_in_common([{', '.join(_given)}]) END",
    )
for _extension, _sign, _left, _right, _, _function in facts("operators"):
    if _extension == "ltree":
        _declare(f"{_left} {_sign} {_right}", (_left, _right), _MADE[f"{_function}({_left}, {_right})"])
for _words in ("IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
    template(f"ltree {_words.lower()} ltree", f"({{0}} {_words} {{1}})")
