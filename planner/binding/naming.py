"""What PostgreSQL calls an output column that has no AS: the last word that names its value.

A column by its name, a call by its function, a cast of a constant by its type (`int4`), CASE by its ELSE if
that has a name of its own; what has none is `?column?`.
"""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp

from planner import types as t
from planner.catalog.names import split_name
from planner.parse.dialect import BEHIND_PLUS
from planner.parse.xml_forms import IS_DOCUMENT

_FIXED: dict[type[exp.Expression], str] = {
    exp.Coalesce: "coalesce", exp.Nullif: "nullif", exp.Greatest: "greatest", exp.Least: "least",
    exp.Exists: "exists", exp.Array: "array", exp.Extract: "extract", exp.StrPosition: "position",
    exp.Overlay: "overlay", exp.Overlaps: "overlaps", exp.AtTimeZone: "timezone", exp.CurrentDate: "current_date",
    exp.CurrentTimestamp: "current_timestamp", exp.CurrentTime: "current_time", exp.Localtime: "localtime",
    exp.Localtimestamp: "localtimestamp", exp.CurrentUser: "current_user", exp.SessionUser: "session_user",
    exp.CurrentSchema: "current_schema", exp.CurrentCatalog: "current_catalog", exp.CurrentRole: "current_role",
}  # fmt: skip
COLUMN = "column"
"""Where a query in an expression notes how its column is called, once that is known."""
_TRIMS = {"LEADING": "ltrim", "TRAILING": "rtrim"}


@lru_cache(maxsize=16)
def lowered(text: str) -> str:
    """A statement's text in small letters: asked for at each of its operators, of which it may have thousands."""
    return text.lower()


@lru_cache(maxsize=16)
def writes_operator(text: str) -> bool:
    """Whether a statement has the word OPERATOR: asked for as often."""
    return "operator" in text.lower()


def figure_name(node: exp.Expression) -> str:
    name, _ = _figure(node)
    return name or "?column?"


def _figure(node: exp.Expression | None) -> tuple[str, int]:
    """The name and how good it is: 2 for a real one, 1 for a type's or CASE's, 0 for none."""
    if node is None:
        return "", 0
    if node._meta is not None and BEHIND_PLUS in node._meta:
        return "", 0
    if isinstance(node, exp.Column):
        named = node.args.get("table") if isinstance(node.this, exp.Star) else node.this
        return (identifier(named), 2) if named is not None else ("", 0)
    if isinstance(node, exp.Dot):
        if isinstance(node.expression, exp.Identifier):
            return identifier(node.expression), 2
        return _figure(node.expression)
    if isinstance(node, exp.Anonymous):
        return function_name(node), 2
    kind = type(node)
    if kind is exp.CurrentUser and node.this is not None:  # USER, which is the same thing under another name
        return node.name, 2
    if kind in _FIXED:
        return _FIXED[kind], 2
    if isinstance(node, exp.Substring):
        return "substring", 2
    if isinstance(node, exp.Trim):
        return _TRIMS.get(str(node.args.get("position") or "").upper(), "btrim"), 2
    if isinstance(node, exp.Cast):
        name, strength = _figure(node.this)
        return (name, strength) if strength > 1 else (_type_word(node), 1)
    if isinstance(node, exp.Interval):
        return "interval", 1
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Column):  # IS NORMALIZED, IS DOCUMENT
        return ("", 0) if node.expression.name == IS_DOCUMENT else ("is_normalized", 2)
    if isinstance(node, exp.Case):
        name, strength = _figure(node.args.get("default"))
        return (name, strength) if strength > 1 else ("case", 1)
    if isinstance(
        node,
        exp.Window
        | exp.Filter
        | exp.WithinGroup
        | exp.Paren
        | exp.Collate
        | exp.IgnoreNulls
        | exp.RespectNulls,
    ):
        return _figure(node.this)
    if isinstance(node, exp.Bracket):
        return _figure(node.this)
    if isinstance(node, exp.Tuple):
        return "row", 2
    if COLUMN in node.meta:
        return str(node.meta[COLUMN]), 2
    if isinstance(node, exp.Subquery):
        inner = node.this
        while isinstance(inner, exp.Subquery):
            inner = inner.this
        if isinstance(inner, exp.SetOperation):
            inner = inner.this
        if isinstance(inner, exp.Select) and inner.expressions:
            first = inner.expressions[0]
            if isinstance(first, exp.Alias):
                return identifier(first.args["alias"]), 2
            return _figure(first)
        if isinstance(inner, exp.Values):
            return "column1", 2
    return "", 0


def _type_word(node: exp.Cast) -> str:
    from planner.binding.typenames import type_of

    try:
        ref = type_of(node.args["to"])
    except Exception:  # noqa: BLE001 - a user's type: its own name; errors are reported where it is bound
        return _own_word(node.args["to"])
    found = t.BY_OID.get(ref.oid)
    if found is None:
        return "?column?"
    return found.typname.removeprefix("_")


def _own_word(named: exp.Expression) -> str:
    """A user's type by its name alone, without its schema; arrays by their elements."""
    while isinstance(named, exp.DataType) and named.this == exp.DataType.Type.ARRAY and named.expressions:
        named = named.expressions[0]
    said = named.args.get("kind") if isinstance(named, exp.DataType) else None
    return split_name(str(said or named.sql()))[1]


def identifier(node: object) -> str:
    """An identifier's name; our lexer has folded unquoted ones already."""
    if isinstance(node, exp.Identifier):
        return str(node.this)
    if isinstance(node, exp.Expression):
        return str(node.name)
    return str(node)


def function_name(node: exp.Anonymous) -> str:
    this = node.this
    return identifier(this) if isinstance(this, exp.Identifier) else str(this).lower()
