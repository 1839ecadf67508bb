"""Text: concatenation, patterns, and the string functions of chapter 9.4."""

from __future__ import annotations

from collections.abc import Sequence

from planner import types as t
from planner.binding import ir
from planner.binding.dimensions import SHAPED
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, Item, join, quote_text, sql
from planner.binding.functions.registry import implements, register, same, templates
from planner.binding.functions.value_texts import to_text
from planner.binding.regexps.plain import plain_pattern

templates(r"""
text || text => ({0} || {1})
bytea || bytea => ({0} || {1})
length(text) => CAST(length({0}) AS INTEGER)
length(bpchar) => CAST(length(rtrim({0}, ' ')) AS INTEGER)
char_length(text) => CAST(length({0}) AS INTEGER)
char_length(bpchar) => CAST(length(rtrim({0}, ' ')) AS INTEGER)
character_length(text) => CAST(length({0}) AS INTEGER)
character_length(bpchar) => CAST(length(rtrim({0}, ' ')) AS INTEGER)
octet_length(text) => CAST(strlen({0}) AS INTEGER)
octet_length(bpchar) => CAST(strlen({0}) AS INTEGER)
octet_length(bytea) => CAST(octet_length({0}) AS INTEGER)
length(bytea) => CAST(octet_length({0}) AS INTEGER)
bit_length(text) => CAST(strlen({0}) * 8 AS INTEGER)
substr(text, int4) => tw_substr({0}, {1})
substr(text, int4, int4) => tw_substr_for({0}, {1}, {2})
substring(text, int4) => tw_substr({0}, {1})
substring(text, int4, int4) => tw_substr_for({0}, {1}, {2})
substring(text, text) => tw_regexp_substring({0}, {1})
substring(text, text, text) => tw_regexp_substring({0}, tw_similar({1}, {2}))
left(text, int4) => left({0}, {1})
right(text, int4) => right({0}, if({1} = -2147483648, 2147483647, {1}))
position(text, text) => CAST(strpos({0}, {1}) AS INTEGER)
strpos(text, text) => CAST(strpos({0}, {1}) AS INTEGER)
replace(text, text, text) => replace({0}, {1}, {2})
overlay(text, text, int4) => tw_overlay({0}, {1}, {2}, CAST(length({1}) AS INTEGER))
overlay(text, text, int4, int4) => tw_overlay({0}, {1}, {2}, {3})
btrim(text) => trim({0}, ' ')
ltrim(text) => ltrim({0}, ' ')
rtrim(text) => rtrim({0}, ' ')
btrim(text, text) => trim({0}, {1})
ltrim(text, text) => ltrim({0}, {1})
rtrim(text, text) => rtrim({0}, {1})
lpad(text, int4) => tw_lpad({0}, {1}, ' ')
rpad(text, int4) => tw_rpad({0}, {1}, ' ')
lpad(text, int4, text) => tw_lpad({0}, {1}, {2})
rpad(text, int4, text) => tw_rpad({0}, {1}, {2})
repeat(text, int4) => tw_repeat({0}, {1})
split_part(text, text, int4) => tw_split_part({0}, {1}, {2})
upper(text) => tw_upper({0})
reverse(text) => tw_reverse({0})
initcap(text) => tw_initcap({0})
chr(int4) => tw_chr({0})
to_hex(int4) => tw_to_hex(CAST({0} AS BIGINT) & 4294967295)
to_hex(int8) => tw_to_hex({0})
starts_with(text, text) => starts_with({0}, {1})
text ^@ text => starts_with({0}, {1})
md5(text) => md5({0})
md5(bytea) => md5({0})
sha256(bytea) => unhex(sha256({0}))
quote_ident(text) => tw_quote_ident({0})
quote_literal(text) => tw_quote_literal({0})
quote_nullable(text) => coalesce(tw_quote_literal({0}), 'NULL')
encode(bytea, text) => tw_encode({0}, {1})
decode(text, text) => tw_decode({0}, {1})
convert_from(bytea, name) => tw_convert_from({0}, {1})
convert_to(text, name) => tw_convert_to({0}, {1})
convert(bytea, name, name) => tw_convert({0}, {1}, {2})
length(bytea, name) => tw_length_in({0}, {1})
get_byte(bytea, int4) => tw_get_byte({0}, {1})
set_byte(bytea, int4, int4) => tw_set_byte({0}, {1}, {2})
get_bit(bytea, int8) => tw_get_bit({0}, {1})
set_bit(bytea, int8, int4) => tw_set_bit({0}, {1}, {2})
bit_count(bytea) => tw_bit_count({0})
substr(bytea, int4) => tw_substr_bytes({0}, greatest({1}, CASE WHEN {1} IS NOT NULL THEN 1 END), 2147483647)
substr(bytea, int4, int4) => tw_substr_bytes({0}, {1}, {2})
substring(bytea, int4) => tw_substr_bytes({0}, greatest({1}, CASE WHEN {1} IS NOT NULL THEN 1 END), 2147483647)
substring(bytea, int4, int4) => tw_substr_bytes({0}, {1}, {2})
sha224(bytea) => tw_sha224({0})
sha384(bytea) => tw_sha384({0})
sha512(bytea) => tw_sha512({0})
like_escape(text, text) => tw_like_escape({0}, {1})
similar_to_escape(text) => tw_similar({0}, chr(92))
similar_to_escape(text, text) => tw_similar({0}, {1})
regexp_replace(text, text, text) => tw_regexp_replace({0}, {1}, {2}, '')
regexp_replace(text, text, text, text) => tw_regexp_replace({0}, {1}, {2}, {3})
regexp_match(text, text) => tw_regexp_match({0}, {1}, '')
regexp_match(text, text, text) => tw_regexp_match({0}, {1}, {2})
regexp_split_to_array(text, text) => tw_regexp_split({0}, {1}, '')
regexp_split_to_array(text, text, text) => tw_regexp_split({0}, {1}, {2})
regexp_split_to_table(text, text) => tw_regexp_split({0}, {1}, '')
regexp_split_to_table(text, text, text) => tw_regexp_split_to_table({0}, {1}, {2})
regexp_count(text, text) => tw_regexp_count({0}, {1})
regexp_like(text, text) => tw_regexp_like({0}, {1}, '')
regexp_like(text, text, text) => tw_regexp_like({0}, {1}, {2})
regexp_substr(text, text) => tw_regexp_substr({0}, {1})
string_to_array(text, text) => tw_string_to_array({0}, coalesce({1}, chr(0)))
string_to_array(text, text, text) => list_transform(tw_string_to_array({0}, coalesce({1}, chr(0))), lambda tw_x: nullif(tw_x, {2}))
string_to_table(text, text) => tw_string_to_array({0}, coalesce({1}, chr(0)))
text(bpchar) => rtrim({0}, ' ')
text ~<~ text => ({0} < {1})
text ~<=~ text => ({0} <= {1})
text ~>~ text => ({0} > {1})
text ~>=~ text => ({0} >= {1})
bpchar ~<~ bpchar => (rtrim({0}, ' ') < rtrim({1}, ' '))
bpchar ~<=~ bpchar => (rtrim({0}, ' ') <= rtrim({1}, ' '))
bpchar ~>~ bpchar => (rtrim({0}, ' ') > rtrim({1}, ' '))
bpchar ~>=~ bpchar => (rtrim({0}, ' ') >= rtrim({1}, ' '))
""")
same("""
lower(text)
translate(text, text, text)
ascii(text)
""")


@implements("text || anynonarray")
def _text_any(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("(", args[0], " || ", to_text(args[1], call.args[1].type, t.TEXT), ")")


@implements("anynonarray || text")
def _any_text(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("(", to_text(args[0], call.args[0].type, t.TEXT), " || ", args[1], ")")


def shown(nodes: Sequence[ir.Node], args: Sequence[Frag]) -> list[Frag]:
    """Arguments of a `variadic "any"` function as their texts; booleans as concat shows them (t, f)."""
    out = []
    for frag, node in zip(args, nodes, strict=True):
        if node.type.oid == t.BOOL:
            out.append(sql("CASE WHEN ", frag, " THEN 't' WHEN NOT ", frag, " THEN 'f' END"))
        else:
            out.append(to_text(frag, node.type, t.CSTRING))
    return out


@implements("concat(any)")
def _concat(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("concat(", join(", ", [*shown(call.args, args), sql("''")]), ")")


@implements("concat_ws(text, any)")
def _concat_ws(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    rest = shown(call.args[1:], args[1:])
    return sql("concat_ws(", args[0], ", ", join(", ", rest), ")")


@implements("format(text, any)")
def _format(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    rest = shown(call.args[1:], args[1:])
    return sql("tw_format(", args[0], ", CAST([", join(", ", rest), "] AS VARCHAR[]))")


@implements("quote_literal(anyelement)")
def _quote_any(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_quote_literal(", to_text(args[0], call.args[0].type, t.TEXT), ")")


@implements("quote_nullable(anyelement)")
def _quote_any_nullable(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("coalesce(tw_quote_literal(", to_text(args[0], call.args[0].type, t.TEXT), "), 'NULL')")


@implements("format(text)")
def _format_alone(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_format(", args[0], ", CAST([] AS VARCHAR[]))")


# --- patterns ----------------------------------------------------------------------------------------


def _like(op: str, word: str, kinds: tuple[str, ...]) -> None:
    negated = op.startswith("!")

    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        pattern = call.args[1]
        known = pattern.value if isinstance(pattern, ir.Lit) and isinstance(pattern.value, str) else None
        plain = known is not None and "\\" not in known
        if known is not None and (len(known) - len(known.rstrip("\\"))) % 2:
            # DuckDB looks at what the escape takes before it looks whether there is any more of the text.
            found = sql(f"tw_{word.lower()}_unfinished(", args[0], ", ", args[1], ")")
            return sql("(NOT ", found, ")") if negated else found
        asked = sql("(", args[0], f" {'NOT ' if negated else ''}{word} ", args[1])
        if plain:
            return sql(asked, ")")
        escaped = sql(asked, " ESCAPE '\\')")
        if known is not None or not _is_given(pattern) or not _may_be_repeated(call.args[0]):
            return escaped
        # DuckDB finds what a pattern begins with, or contains, only where no escape is named; which of both it is, it knows when it plans.
        return sql("if(contains(", args[1], ", '\\'), ", escaped, ", ", sql(asked, ")"), ")")

    for kind in kinds:
        register(f"{kind} {op} text", made)


for _op, _word in (("~~", "LIKE"), ("!~~", "NOT LIKE"), ("~~*", "ILIKE"), ("!~~*", "NOT ILIKE")):
    _like(_op, _word.removeprefix("NOT "), ("text", "bpchar", "name"))


def _is_given(node: ir.Node) -> bool:
    """Whether it is made of parameters and constants, the same for all rows."""
    found = list(ir.walk(node))
    return not ir.varies(node) and not any(isinstance(n, ir.Var | ir.SubQuery | ir.Session) for n in found)


def _may_be_repeated(node: ir.Node) -> bool:
    """Whether it is the same, and costs nothing more, when a text names it twice of which one is left out."""
    return not ir.varies(node) and not any(isinstance(n, ir.SubQuery) for n in ir.walk(node))


def _regexp(op: str, kinds: tuple[str, ...]) -> None:
    negated, folded = op.startswith("!"), op.endswith("*")

    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        pattern = call.args[1]
        flags = "i" if folded else ""
        items: list[Item] = ["tw_regexp_like(", args[0], ", ", args[1], f", '{flags}')"]
        if isinstance(pattern, ir.Lit) and isinstance(pattern.value, str):
            known = plain_pattern(pattern.value, flags)
            if known is not None:
                items = ["regexp_matches(", args[0], ", ", quote_text(known), ", 's')"]
        elif _is_given(pattern):
            # DuckDB knows what it is when it plans the execution, and leaves one of both out.
            plain = sql("tw_plain_pattern(", args[1], f", '{flags}')")
            there = "regexp_matches(", args[0], ", ", plain, ", 's')"
            items = ["(CASE WHEN ", plain, " IS NULL THEN ", *items, " ELSE ", *there, " END)"]
        return sql("(NOT ", *items, ")") if negated else sql(*items)

    for kind in kinds:
        register(f"{kind} {op} text", made)


for _op in ("~", "!~", "~*", "!~*"):
    _regexp(_op, ("text", "bpchar", "name"))
templates("""
regexp_matches(text, text) => tw_regexp_matches({0}, {1}, '')
regexp_matches(text, text, text) => tw_regexp_matches({0}, {1}, {2})
""")


SHAPED.update(
    (
        "concat(any)",
        "concat_ws(text, any)",
        "format(text, any)",
        "quote_literal(anyelement)",
        "quote_nullable(anyelement)",
    )
)
