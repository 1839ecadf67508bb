"""Which collation an expression has, and what is done under one that is not the order of bytes.

    name                       the column's: implicit
    name COLLATE "sv-x-icu"    explicit, and wins
    lower(name) || 'x'         that of the arguments

Only ICU's collations leave a mark in the tree (`ir.Collated`): everything else is ordered by bytes, as DuckDB and the
keyed engine order text anyway. Where order matters, a text is compared by ICU's sort key, then by its bytes, as
PostgreSQL's deterministic collations do: both in one string, for a space sorts before the digits of a key.

    icu_sort_key(name, 'sv') || ' ' || name

Under a nondeterministic one the sort key is all, and texts are equal whose keys are; under others equality is that of bytes. Upper and
lower case are the language's (`prelude.languages`), classes of characters in regular expressions ICU's (`regexps`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, ResultColumn, TypeRef
from planner.binding import ir
from planner.binding.collations_met import derived, met, sorted_by
from planner.binding.fragments import Frag, join, sql
from planner.binding.naming import identifier
from planner.binding.prelude.languages import OF_THEIR_OWN
from planner.binding.regexps.translation import ICU
from planner.catalog.collations import (
    NONE,
    attributes,
    by_bytes,
    duckdb_locale,
    is_collatable,
    language_of,
    levels,
    nondeterministic,
    shown,
)
from planner.catalog.names import missing_schema
from planner.parse import position as first_position

if TYPE_CHECKING:
    from planner.binding.expressions import ExpressionBinder
    from planner.binding.queries import QueryBinder
    from planner.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Said:
    """A column's collation, whether COLLATE says so, and where."""

    name: str
    explicit: bool = False
    position: int = 0


_SIGNS: Final = ("<", "<=", ">", ">=")
COMPARISONS: Final = {f"{a} {sign} {a}": sign for a in ("text", "bpchar", "name") for sign in _SIGNS}
EXTREMES: Final = {f"{of}({a})": f"arg_{of}" for of in ("min", "max") for a in ("text", "bpchar")}
_BY_LANGUAGE: Final = frozenset(
    ("lower", "upper", "initcap", "regexp_count", "regexp_instr", "regexp_like", "regexp_match", "regexp_matches",
     "regexp_replace", "regexp_split_to_array", "regexp_split_to_table", "regexp_substr")
)  # fmt: skip
_LARGER: Final = frozenset(("text_larger", "text_smaller", "bttextcmp"))
_CASES: Final = frozenset(("lower", "upper", "initcap"))
_SIGNS_BY_LANGUAGE: Final = frozenset(("~", "!~", "~*", "!~*", "~~*", "!~~*"))
_EQUAL: Final = ("=", "<>", "is distinct from", "is not distinct from")
EQUALITIES: Final = {f"{a} {sign} {a}": sign.upper() for a in ("text", "bpchar", "name") for sign in _EQUAL}
_REFUSED: Final = (
    ("LIKE", ("~~", "!~~", "textlike", "textnlike", "like", "notlike")),
    ("ILIKE", ("~~*", "!~~*", "texticlike", "texticnlike")),
    (
        "regular expressions",
        ("~", "!~", "~*", "!~*", *(f"regexp_{x}" for x in ("count", "instr", "like", "match", "matches", "replace",
         "split_to_array", "split_to_table", "substr"))),
    ),
    ("substring searches", ("position", "strpos", "replace", "split_part", "starts_with", "^@", "string_to_array",
     "string_to_table")),
)  # fmt: skip
_NO_COMPARISON: Final = frozenset(
    ("length", "char_length", "character_length", "octet_length", "bit_length", "concat", "concat_ws", "md5", "substr",
     "left", "right", "repeat", "reverse", "to_json", "to_jsonb", "json_build_object", "jsonb_build_object",
     "quote_literal", "quote_ident", "quote_nullable", "ascii", "array_length", "cardinality", "array subscript",
     "overlay", "lpad", "rpad", "format", "count", "array_agg", "string_agg", "json_agg", "jsonb_agg", "unnest")
)  # fmt: skip
_FIRST_LEVELS: Final = {1: "^(?:..)*?01", 2: "^(?:..)*?01(?:..)*?01"}
_ARRAYS: Final = frozenset(f"anyarray {sign} anyarray" for sign in _SIGNS)


def key(node: exp.Collate, catalog: Catalog, search_path: Sequence[str]) -> str:
    """What the collation is called inside (`planner.catalog.collations`); empty where there is none."""
    said = node.expression
    if not isinstance(said, exp.Column):
        return catalog.collation_key(identifier(said), "", search_path)
    schema = said.args.get("table")
    return catalog.collation_key(
        identifier(said.this), identifier(schema) if schema is not None else "", search_path
    )


def named(node: exp.Collate, position: int, queries: QueryBinder) -> str:
    """The collation, by its key. Raises 42704, and for its schema 3F000 and 42501."""
    said = node.expression
    schema = identifier(said.args["table"]) if isinstance(said, exp.Column) and said.args.get("table") else ""
    if schema and queries.ctx.catalog.find_schema(schema) is None:
        raise missing_schema(schema, position)
    if schema:
        queries.accesses.enters(schema, position)
    found = key(node, queries.ctx.catalog, queries.search_path)
    if not found:
        name = identifier(said.this) if isinstance(said, exp.Column) else identifier(said)
        shown = f"{schema}.{name}" if schema else name
        raise PlanError("42704", f'collation "{shown}" for encoding "UTF8" does not exist', position=position)
    return found


def collated(node: ir.Node, name: str, position: int, kept: bool = False) -> ir.Node:
    """`node COLLATE name`, also where it changes nothing, if it is to be `kept`. Raises 42804."""
    if not is_collatable(node.type.oid):
        shown = t.format_type(node.type)
        state = "0A000" if node.type.oid == t.CITEXT else "42804"
        raise PlanError(state, f"collations are not supported by type {shown}", position=position)
    if not met(name) and by_bytes(name) and not kept and not _of(node)[0]:
        return node
    return ir.Collated(node.type, node, name, True, position)


def standing_for(node: ir.Node, var: ir.Var) -> ir.Node:
    """The column that holds an expression's value, in the expression's collation."""
    told = derived(node)
    if told is not None:
        return ir.Collated(var.type, var, told) if told else var
    names, explicit = _of(node)
    return ir.Collated(var.type, var, next(iter(names)), explicit) if len(names) == 1 else var


def collation_of(*nodes: ir.Node) -> str:
    """The collation that a comparison of these is done by; empty: by bytes. Raises 42P21, 42P22."""
    names, _ = _merged(nodes)
    if len(names) > 1:
        raise PlanError(
            "42P22",
            "could not determine which collation to use for string comparison",
            hint="Use the COLLATE clause to set the collation explicitly.",
        )
    return next((name for name in names if not by_bytes(name)), "")


def carried(*nodes: ir.Node) -> str:
    """The collation that a query's column has by this expression, or by one for each row; where two meet, none."""
    told = derived(*nodes)
    if told is not None:
        return told
    names, _ = _merged(nodes)
    return next(iter(names)) if len(names) == 1 else ""


def given_to(args: Sequence[ir.Node]) -> list[str]:
    """The collation of each parameter in the body of a function that is called with these: the call's, or the default one."""
    told = derived(*args)
    if told is None:
        return [carried(a) for a in args]
    return ["" if told == NONE or not is_collatable(a.type.oid) else told for a in args]


def said(expressions: ExpressionBinder, query: exp.Expression, columns: Sequence[ResultColumn]) -> list[Said]:
    """The collation of each column of a query that UNION and its kin put together with another one's."""
    while isinstance(query, exp.Subquery | exp.Paren):
        query = query.this
    items = query.expressions if isinstance(query, exp.Select) else []
    if len(items) != len(columns) or any(item.is_star for item in items):
        return [Said(c.collation) for c in columns]
    out = []
    for item, column in zip(items, columns, strict=True):
        item = item.unalias()
        while isinstance(item, exp.Paren):
            item = item.this
        if isinstance(item, exp.Collate):
            position = expressions.operator_position(item, "collate")
            out.append(Said(named(item, position, expressions.queries), True, position))
        else:
            out.append(Said(column.collation, False, first_position(item)))
    return out


def united(a: Said, b: Said, *, may_be_none: bool) -> str:
    """The collation of two columns as one; where none is needed, perhaps none. Raises 42P21."""
    if a.explicit != b.explicit:
        return (a if a.explicit else b).name
    if a.name == NONE or b.name == NONE:
        return b.name if a.name == NONE else a.name
    if a.name == b.name or not a.name or not b.name:
        return a.name or b.name
    if a.explicit or not may_be_none:
        kind = "explicit" if a.explicit else "implicit"
        raise PlanError(
            "42P21",
            f'collation mismatch between {kind} collations "{shown(a.name)}" and "{shown(b.name)}"',
            hint=""
            if a.explicit
            else "You can choose the collation by applying the COLLATE clause to one or both expressions.",
            position=b.position,
        )
    return NONE


def _merged(nodes: Sequence[ir.Node]) -> tuple[frozenset[str], bool]:
    """The names that meet in these, and whether they are explicit: those win."""
    names: frozenset[str] = frozenset()
    explicit = False
    for node in nodes:
        more, said = _of(node)
        if said and explicit and more != names:
            a, b = sorted(names)[0], sorted(more)[0]
            raise PlanError(
                "42P21",
                f'collation mismatch between explicit collations "{shown(a)}" and "{shown(b)}"',
                position=node.position if isinstance(node, ir.Collated) else 0,
            )
        if said and not explicit:
            names, explicit = more, True
        elif said == explicit:
            names |= more
    return names, explicit


def _of(node: ir.Node) -> tuple[frozenset[str], bool]:
    if not is_collatable(node.type.oid):
        return frozenset(), False
    if isinstance(node, ir.Collated):
        return frozenset((node.collation,)) if node.collation else frozenset(), node.explicit
    if isinstance(node, ir.Cast | ir.DomainCheck):
        return _of(node.arg)
    if isinstance(node, ir.Call | ir.Logic | ir.Aggregate):
        return _merged(node.args)
    if isinstance(node, ir.Window):
        return _of(node.call)
    return frozenset(), False


def sort_key(text: Frag, node: ir.Node) -> Frag | None:
    """What orders a text as its collation does; None: its bytes. `text` is the node's own."""
    sorted_by((node,))
    name = collation_of(node) if is_collatable(node.type.oid) else ""
    return _key(text, name, node) if name else None


def _key(text: Frag, name: str, node: ir.Node) -> Frag:
    if t.element_of(node.type.oid):
        raise PlanError("0A000", f'arrays ordered by collation "{shown(name)}" are not supported')
    if node.type.oid == t.BPCHAR:
        text = sql("rtrim(", text, ", ' ')")
    said = text
    if otherwise := attributes(name):
        said = sql("tw_collated_text(", text, f", '{' '.join(otherwise)}')")
    order = sql("icu_sort_key(", said, f", '{duckdb_locale(name)}')")
    if levels(name) < 3:  # of what is between the bytes 01, two digits each
        order = sql("regexp_extract(", order, ", '" + _FIRST_LEVELS[levels(name)] + "')")
    return order if name in nondeterministic else sql("(", order, " || ' ' || ", text, ")")


def uncollated(node: ir.Node) -> ir.Node:
    """The text itself, where nobody compares it."""
    while isinstance(node, ir.Collated):
        node = node.arg
    return node


def told_apart(node: ir.Node) -> str:
    """The nondeterministic collation by which values of an expression are equal or not; empty: by their own."""
    if not nondeterministic or not is_collatable(node.type.oid):
        return ""
    return next((name for name in _of(node)[0] if name in nondeterministic), "")


def equality_key(text: Frag, name: str, ref: TypeRef) -> Frag:
    """What is equal where texts are under a nondeterministic collation."""
    return _key(text, name, ir.Lit(ref, None))


def refuse_nondeterministic(nodes: Sequence[ir.Node], what: str) -> None:
    """Raises 0A000 for what would tell values apart by their bytes, or cannot say."""
    name = next(filter(None, map(told_apart, nodes)), "") if nondeterministic else ""
    if name:
        raise PlanError("0A000", f'{what} with nondeterministic collation "{shown(name)}" is not supported')


def _under_nondeterministic(node: ir.Call | ir.Logic | ir.Aggregate, name: str) -> bool:
    """Whether it is an equality. Raises 0A000 for all but what does not compare."""
    op = node.op
    if op in EQUALITIES:
        return bool(collation_of(*node.args))
    words = op.split(" ")
    sign = words[1] if len(words) == 3 else ""
    function = op.partition("(")[0]
    for what, refused in _REFUSED:
        if sign in refused or function in refused:
            raise PlanError("0A000", f"nondeterministic collations are not supported for {what}")
    counts = isinstance(node, ir.Aggregate) and node.distinct
    if function in _CASES:
        return True
    if isinstance(node, ir.Logic):
        allowed = op not in ("greatest", "least")
    else:
        allowed = sign == "||" or (function == "count" if counts else function in _NO_COMPARISON)
    if not allowed:
        what = sign or function
        raise PlanError("0A000", f'{what} with nondeterministic collation "{shown(name)}" is not supported')
    return False


def matters(node: ir.Call | ir.Logic | ir.Aggregate) -> bool:
    """Whether the operation is done otherwise than under the default collation. Raises 0A000 for one that is not there under ICU."""
    op = node.op
    if nondeterministic and op not in COMPARISONS:
        name = next(filter(None, map(told_apart, node.args)), "")
        if name:
            return _under_nondeterministic(node, name)
    depends, refused = _by_collation(op)
    if not depends and not refused:
        return False
    name = collation_of(*node.args)
    if name and refused:
        raise PlanError("0A000", f'{refused} in collation "{shown(name)}" is not supported')
    return depends and bool(name)


@lru_cache(4_096)
def _by_collation(op: str) -> tuple[bool, str]:
    """Whether an operation is done by the collation of its arguments, and what it is called if it is not there under ICU."""
    if op in COMPARISONS or op in EXTREMES:
        return True, ""
    words = op.split(" ")
    sign = words[1] if len(words) == 3 else ""
    function = op.partition("(")[0]
    refused = (sign or function) if op in _ARRAYS or function in _LARGER else ""
    depends = op in ("greatest", "least") or sign in _SIGNS_BY_LANGUAGE or function in _BY_LANGUAGE
    return depends, refused


def done(node: ir.Call, args: Sequence[Frag], usual: Callable[[Sequence[Frag]], Frag]) -> Frag:
    """What `matters`: a comparison, a change of letters, a pattern. `usual`: as it is by bytes, of other arguments."""
    if node.op in COMPARISONS or node.op in EQUALITIES:
        return comparison(node, args)
    name = collation_of(*node.args) or next(filter(None, map(told_apart, node.args)), "")
    function, call, _ = node.op.partition("(")
    sign = "" if call else node.op.split(" ")[1]
    if function in _CASES:
        return _in_case(function, args[0], name)
    if sign in ("~~*", "!~~*"):
        small = [_in_case("lower", a, name) for a in args]
        return sql("(", small[0], " LIKE " if sign == "~~*" else " NOT LIKE ", small[1], " ESCAPE '\\')")
    asked = sql(f"('{ICU}' || ", args[1], ")")
    if sign:
        flags = "'i'" if sign.endswith("*") else "''"
        return sql(
            "(NOT " if sign.startswith("!") else "(", "tw_regexp_like(", args[0], ", ", asked, f", {flags}))"
        )
    return usual([args[0], asked, *args[2:]])


def _in_case(how: str, text: Frag, name: str) -> Frag:
    language = language_of(name)
    if language in OF_THEIR_OWN[how]:
        raise PlanError("0A000", f'{how} in collation "{shown(name)}" is not supported')
    return sql(f"tw_{how}_as(", text, f", '{language}')")


def extreme_of(node: ir.Logic, frags: Sequence[Frag]) -> Frag:
    """greatest and least where they `matter`: by the collation's key, the first among equals."""
    name = collation_of(*node.args)
    which, place = ("max", "-tw_i") if node.op == "greatest" else ("min", "tw_i")
    packed = sql("struct_pack(k := ", _key(sql("tw_v"), name, node), f", n := {place}, v := tw_v)")
    made = sql(
        "list_transform([", join(", ", frags), "], lambda tw_v, tw_i: CASE WHEN tw_v IS NOT NULL THEN "
    )
    return sql(f"list_{which}(", made, packed, " END)).v")


def comparison(node: ir.Call, args: Sequence[Frag]) -> Frag:
    """A comparison that `matters`."""
    name = collation_of(*node.args)
    left, right = (_key(a, name, n) for a, n in zip(args, node.args, strict=True))
    sign = COMPARISONS.get(node.op) or EQUALITIES[node.op]
    return sql("(", left, f" {sign} ", right, ")")


def extreme(node: ir.Aggregate, arg: Frag) -> tuple[str, list[Frag]]:
    """The aggregate that min or max becomes where it `matters`, and its arguments."""
    return EXTREMES[node.op], [arg, _key(arg, collation_of(*node.args), node.args[0])]
