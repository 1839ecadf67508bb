"""Calls that may take long: patterns, SQL/JSON paths and text search, of values that nobody knows before the statement runs.

    title ~* $2                                              Call("long matches", (title, $2, 'i'))
    data @? $1                                               Call("long path exists", (data, $1, '-', true, ''))
    to_tsvector('english', body) @@ plainto_tsquery($1)      Call("long text has", ('english', body, query))

For a few rows that are found by a key each is a matter of microseconds, DuckDB's of milliseconds. But a pattern may try forever, and a text
may be a book, and repeat('x', $1) a gigabyte, while all sessions wait. So the keyed engine begins, and gives up (`TooFarToLook`) once a statement has been at it for some
milliseconds: only where DuckDB has the same query (`expressions.WithAnother`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planner import types as t
from planner.binding import ir
from planner.keyed_plans import Call, Const, Expr
from planner.relations import TypeRef
from planner.types.facts import FIRST_USER_OID

_TEXT: Final = TypeRef(t.TEXT)
_BOOL: Final = TypeRef(t.BOOL)
_REAL: Final = TypeRef(t.FLOAT4)
_MATCHES: Final = {"~": "", "~*": "i", "!~": "", "!~*": "i"}
_PATHS: Final = {
    f"jsonb_path_{name}{zoned}": name
    for name in ("exists", "match", "query_array", "query_first")
    for zoned in ("", "_tz")
}
_ZONE: Final = Call("session", (Const("time_zone", _TEXT),), _TEXT)
_DEFAULT: Final = Call("session", (Const("text_search:", _TEXT),), _TEXT)
"""The configuration of the session's setting."""
_QUERIES: Final = ("to_tsquery", "plainto_tsquery", "phraseto_tsquery", "websearch_to_tsquery")
_HAS: Final = ("@@", "@@@")
_RANKS: Final = ("ts_rank", "ts_rank_cd")
_HEADLINES: Final = frozenset(
    f"{said}text, tsquery{options}" for said in ("", "regconfig, ") for options in ("", ", text")
)
_BY_PATTERN: Final = {
    "regexp_replace(text, text, text)": ("replace", ("",)),
    "regexp_replace(text, text, text, text)": ("replace", ()),
    "regexp_match(text, text)": ("match", ("",)),
    "regexp_match(text, text, text)": ("match", ()),
    "substring(text, text)": ("substring", ()),
}
"""What is made of the places where a pattern is found, and the options that are not said."""
_PLAIN: Final = {
    "tsvector || tsvector": "long tsvector ||",
    "setweight(tsvector, char)": "long setweight",
    "tsquery && tsquery": "tsquery &&",
    "tsquery || tsquery": "tsquery ||",
    "!! tsquery": "!! tsquery",
}
_Operand = Callable[[ir.Node], Expr]


def expression(node: ir.Call, operand: _Operand) -> Expr | None:
    """The call for the keyed engine; None where it is none of these. `operand`: what its arguments are; raises NotKeyed."""
    name, _, declared = node.op.partition("(")
    if declared:
        return _function(name, declared[:-1], node, operand)
    words = node.op.split(" ")
    if node.op in _PLAIN:
        return Call(_PLAIN[node.op], tuple(map(operand, node.args)), node.type)
    if len(words) != 3:
        return None
    left, sign, right = words
    if left == right == "text" and sign in _MATCHES:
        found = Call("long matches", (*map(operand, node.args), Const(_MATCHES[sign], _TEXT)), _BOOL)
        return Call("not", (found,), node.type) if sign.startswith("!") else found
    if (left, right) == ("jsonb", "jsonpath") and sign in ("@?", "@@"):
        word = "exists" if sign == "@?" else "match"
        told = Const("-", _TEXT), Const(True, _BOOL), Const("", _TEXT)
        return Call(f"long path {word}", (*map(operand, node.args), *told), node.type)
    if sign in _HAS:
        return _search(left, right, node, operand)
    return None


def _function(name: str, declared: str, node: ir.Call, operand: _Operand) -> Expr | None:
    if name in ("similar_to_escape", "similar_escape"):
        given = tuple(map(operand, node.args))
        if len(given) == 1 or name == "similar_escape":
            given = (given[0], Const("\\", _TEXT)) if len(given) == 1 else (given[0], _or_backslash(given[1]))
        return Call("similar pattern", given, _TEXT)
    if node.op in _BY_PATTERN:
        word, more = _BY_PATTERN[node.op]
        made = Call(f"long {word}", (*map(operand, node.args), *(Const(x, _TEXT) for x in more)), _TEXT)
        if t.element_of(node.type.oid):
            return Call("array of", (Const(node.type.oid, TypeRef(t.OID)), made), node.type)
        return Call(made.op, made.args, node.type)
    if name in _PATHS:
        given = tuple(map(operand, node.args))
        given += (Const("{}", _TEXT), Const(False, _BOOL))[len(given) - 2 :]
        zone = _ZONE if name.endswith("_tz") else Const("", _TEXT)
        return Call(f"long path {_PATHS[name]}", (*given, zone), node.type)
    if declared in ("text", "regconfig, text"):
        if name == "to_tsvector":
            said = _configuration(node)
            return None if said is None else Call("long tsvector", (said, operand(node.args[-1])), node.type)
        if name in _QUERIES:
            said = _configuration(node)
            return None if said is None else Call(name, (said, operand(node.args[-1])), node.type)
    if name == "ts_headline" and declared in _HEADLINES:
        said = _configuration(node) if declared.startswith("regconfig") else _DEFAULT
        given = tuple(map(operand, node.args[1:] if declared.startswith("regconfig") else node.args))
        given += () if len(given) == 3 else (Const("", _TEXT),)
        return None if said is None else Call("long headline", (said, *given), _TEXT)
    if name in _RANKS and declared in ("tsvector, tsquery", "tsvector, tsquery, int4"):
        given = tuple(map(operand, node.args))
        return Call(
            f"long {name}", (*given, *(() if len(given) == 3 else (Const(0, TypeRef(t.INT4)),))), _REAL
        )
    return None


def _or_backslash(escape: Expr) -> Expr:
    return (
        escape
        if isinstance(escape, Const) and escape.value is not None
        else Call("coalesce", (escape, Const("\\", _TEXT)), _TEXT)
    )


def _configuration(node: ir.Call) -> Expr | None:
    """What a function of text search reads texts by: a configuration that is said, or the setting's; None: who knows."""
    if len(node.args) == 1:
        return _DEFAULT
    said = node.args[0]
    if not isinstance(said, ir.Lit) or not isinstance(said.value, int):
        return None
    if said.value < FIRST_USER_OID:
        return Const(str(said.value), _TEXT)
    return Call("session", (Const(f"text_search:{said.value}", _TEXT),), _TEXT)


def _search(left: str, right: str, node: ir.Call, operand: _Operand) -> Expr | None:
    """Whether a vector, or a text, has what a query asks."""
    a, b = node.args
    if (left, right) == ("tsquery", "tsvector"):
        left, right, a, b = right, left, b, a
    if left == "text" and right in ("tsquery", "text"):
        query = operand(b)
        if right == "text":
            query = Call("plainto_tsquery", (_DEFAULT, query), TypeRef(t.TSQUERY))
        return Call("long text has", (_DEFAULT, operand(a), query), node.type)
    if (left, right) != ("tsvector", "tsquery"):
        return None
    if isinstance(a, ir.Call) and a.op in ("to_tsvector(text)", "to_tsvector(regconfig, text)"):
        said = _configuration(a)  # what has to be made of a text is looked into as it is made
        return (
            None
            if said is None
            else Call("long text has", (said, operand(a.args[-1]), operand(b)), node.type)
        )
    return Call("long tsvector has", (operand(a), operand(b)), node.type)


_LENGTHS: Final = {"repeat(text, int4)": "long repeat", "tw_lpad": "long lpad", "tw_rpad": "long rpad"}
"""What makes a text as long as a number says."""
_TEMPLATES: Final = (
    "tw_to_char_numeric",
    "tw_to_char_float",
    "tw_to_char_timestamp",
    "tw_to_char_timestamptz",
)
"""What goes through a template letter by letter."""
_SHORT: Final = 1000


def limited(made: Expr) -> Expr:
    """The same of a call that takes long only where a number is large or a template long, which is seen in constants."""
    if not isinstance(made, Call):
        return made
    if made.op in _LENGTHS and not _is_small(made.args[1]):
        return Call(_LENGTHS[made.op], made.args, made.type)
    if made.op in _TEMPLATES and not _is_small(made.args[1]):
        return Call(f"long {made.op}", made.args, made.type)
    return made


def may_hold_up(made: Expr) -> bool:
    """Whether a call goes letter by letter through a template that is made on the way, as long as somebody says: not on the loop."""
    if not isinstance(made, Call):
        return False
    if made.op in _TEMPLATES and isinstance(made.args[1], Call):
        return True
    return any(map(may_hold_up, made.args))


def _is_small(given: Expr) -> bool:
    value = given.value if isinstance(given, Const) else None
    return (isinstance(value, int) and value <= _SHORT) or (isinstance(value, str) and len(value) <= _SHORT)


__all__ = ["expression", "limited", "may_hold_up"]
