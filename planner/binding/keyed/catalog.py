"""What clients ask of pg_catalog and information_schema, in the keyed engine's words.

    SELECT a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a
    WHERE a.attrelid = 'orders'::regclass AND a.attnum > 0 ORDER BY a.attnum

    pg_attribute   its rows whose attrelid is 16384  -->  attnum > 0  -->  in order  -->  attname, format_type(...)

System relations are small or are asked for what belongs to one object, and a query of DuckDB's costs milliseconds before the first
row. So their rows are steps of a `KeyedJoin` like those of tables (`planner.binding.keyed.joins`), found by any column of theirs, best
by one that few rows share; and the functions over the catalog, which are Python's anyway, are called on the spot. What both have no
word for stays DuckDB's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final

from planner import types as t
from planner.binding import ir
from planner.binding.collating import matters, uncollated
from planner.binding.facts import type_name
from planner.binding.functions.catalog import arities
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import functions
from planner.catalog.system.reg_names import INPUT, OUTPUT
from planner.keyed_plans import Call, Const, Expr, SystemRows
from planner.relations import Oid, TypeRef

NARROW: Final = frozenset(
    (
        "oid", "attrelid", "adrelid", "indexrelid", "indrelid", "conrelid", "contypid", "confrelid", "conindid", "seqrelid",
        "enumtypid", "rngtypid", "typrelid", "inhrelid", "inhparent", "objid", "refobjid", "objoid", "ev_class", "tgrelid", "polrelid",
        "partrelid", "stxrelid", "prrelid", "roleid", "member", "castsource", "umuser", "ftrelid", "srrelid",
        "relname", "typname", "nspname", "proname", "conname", "rolname", "datname", "amname", "collname", "extname", "opcname",
        "tablename", "viewname", "matviewname", "sequencename", "indexname", "table_name", "sequence_name", "constraint_name", "usename",
        "schema_name", "name", "domain_name", "routine_name", "specific_name", "cfgname", "tgname", "oprname", "evtname", "lanname",
    )
)  # fmt: skip
"""Columns of system relations that few rows have the same value in."""

_REG: Final = frozenset(OUTPUT)
_OIDS: Final = _REG | {t.OID}
_INTS: Final = frozenset((t.INT2, t.INT4))
_TEXTS: Final = frozenset((t.TEXT, t.VARCHAR))
_NODE_TREE, _XID = 194, 28
_NAMED_MAX: Final = 1_000
"""Names whose objects are remembered, of one way to look at the catalog."""
ELEMENTS: Final = frozenset((t.INT2, t.INT4, t.INT8, t.OID, t.TEXT, t.VARCHAR, t.NAME, t.CHAR)) | _REG
"""Types of elements that an array's text has as they are, or as numbers."""
_TEXTUAL: Final = frozenset((*_TEXTS, t.NAME, t.CHAR))
VALUES: Final = frozenset((t.INT2, t.INT4, t.INT8, t.OID, t.TEXT, t.VARCHAR, t.NAME, t.CHAR, t.BOOL)) | _REG
"""Columns of system relations that are looked up by value."""
VECTORS: Final = frozenset((t.INT2VECTOR, t.OIDVECTOR))
ALIKE: Final = frozenset(
    (
        *VALUES, *VECTORS, t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ, t.UUID, t.BYTEA, t.NUMERIC, t.FLOAT4, t.FLOAT8, t.BPCHAR, t.CITEXT,
        t.INTERVAL, t.TIME,
    )
)  # fmt: skip
"""Types that the keyed engine knows the equality of,"""


def is_alike(oid: Oid) -> bool:
    """and arrays of what is equal if its datums are: they are texts, which show bounds as well."""
    return oid in ALIKE or t.element_of(oid) in ELEMENTS


@lru_cache(maxsize=1)
def called() -> Mapping[str, Callable[..., Any]]:
    """The functions over the catalog that give one value, by signature: of a context and datums, NULLs too."""
    found: dict[str, Callable[..., Any]] = {}
    for f in functions():
        if f.columns or any(t.element_of(a) or a in VECTORS for a in f.arguments):
            continue
        for count in arities(f):
            types = ", ".join(type_name(oid) for oid in f.arguments[:count])
            found[f"{f.name}({types})"] = _with_datum(f.call, f.result) if t.element_of(f.result) else f.call
    for oid, shown in OUTPUT.items():
        found[f"out {type_name(oid)}"] = shown
    for oid, read in INPUT.items():
        found[f"in {type_name(oid)}"] = partial(_named, oid, read)
    return found


def _with_datum(call: Callable[..., Any], oid: int) -> Callable[..., Any]:
    return lambda *args: t.array_datum(call(*args), oid)


def _named(
    oid: Oid, read: Callable[[SystemContext, str], Oid], context: SystemContext, text: str | None
) -> Oid | None:
    if text is None:
        return None
    known = context.named.get((oid, text))
    if known is None:
        if len(context.named) >= _NAMED_MAX:
            context.named.clear()
        known = context.named[oid, text] = read(context, text)
    return known


Inner = Callable[[ir.Node], Expr]


def expression(node: ir.Node, inner: Inner) -> Expr | None:
    """An expression of catalog queries; None if it is none of these. `inner`: what its arguments are. Raises NotKeyed."""
    if isinstance(node, ir.Call):
        return _call(node, inner)
    if isinstance(node, ir.Cast):
        return _cast(node, inner)
    if isinstance(node, ir.AnyAll):
        return among(node, inner, elements)
    if isinstance(node, ir.Session) and node.name in ("search_path", "search_path_all"):
        return Call(
            "catalog names", (Call("session", (Const(node.name, TypeRef(t.TEXT)),), node.type),), node.type
        )
    return None


def _call(node: ir.Call, inner: Inner) -> Expr | None:
    if node.op in called():
        return Call(f"catalog {node.op}", tuple(map(inner, node.args)), node.type)
    if node.op in _MATCHES:
        return _match(node, inner)
    if node.op in _LIKES:
        return Call(node.op.replace("name", "text"), tuple(map(inner, node.args)), node.type)
    if node.op in _MORE and not matters(node):
        return Call(node.op, tuple(map(inner, node.args)), node.type)
    first = node.args[0] if node.args else None
    if node.op == "vector subscript" and first is not None and first.type.oid in VECTORS:
        return Call(node.op, tuple(map(inner, node.args)), node.type)
    if node.op == "array subscript" and first is not None and len(node.args) == 2:
        element = t.element_of(first.type.oid)
        if element not in ELEMENTS:
            return None
        kind = "text" if element in _TEXTUAL else "integer"
        return Call(f"catalog {kind} at", (inner(first), inner(node.args[1])), node.type)
    if (
        node.op == "array_to_string(anyarray, text)"
        and first is not None
        and t.element_of(first.type.oid) in SHOWN - _REG
    ):
        texts = Call("catalog texts", (inner(first),), first.type)
        return Call("catalog strung", (texts, inner(node.args[1])), node.type)
    if node.op in _ARRAYS and all(t.element_of(a.type.oid) in SHOWN for a in node.args):
        return Call(f"catalog {_ARRAYS[node.op]}", tuple(map(inner, node.args)), node.type)
    if node.op == "current_setting(text)":
        return Call("catalog setting", tuple(map(inner, node.args)), node.type)
    if node.op == "json_build_object(any)" and all(a.type.oid in _IN_JSON for a in node.args):
        return Call("catalog json", tuple(map(inner, node.args)), node.type)
    return None


_MORE: Final = frozenset(
    (
        "quote_ident(text)", "name = text", "name <> text", "text = name", "text <> name", "char = char", "char <> char",
        "quote_literal(text)",
    )
)  # fmt: skip
_LIKES: Final = frozenset(("name ~~ text", "name !~~ text", "name ~~* text", "name !~~* text"))
"""Names are texts whose small letters are as in others."""
_IN_JSON: Final = frozenset((t.BOOL, t.INT2, t.INT4, t.INT8, t.TEXT, t.VARCHAR, t.NAME))
_ARRAYS: Final = {
    "anyarray = anyarray": "equal",
    "anyarray <> anyarray": "unequal",
    "anyarray is distinct from anyarray": "distinct",
    "anyarray is not distinct from anyarray": "alike",
}
_MATCHES: Final = {f"{kind} {op} text": op for kind in ("text", "name") for op in ("~", "!~")}
_PATTERN: Final = re.compile(r"\^?(?:[A-Za-z0-9_ ()|-]|\.\*|\.)*\$?")
_WHOLE: Final = re.compile(r"\^\(([A-Za-z0-9_]+)\)\$")


def _pattern(node: ir.Call) -> str | None:
    """The pattern of `x ~ 'pattern'`, if it is one that all dialects read alike."""
    said = node.args[1]
    said = uncollated(said)
    if isinstance(said, ir.Lit) and isinstance(said.value, str) and _PATTERN.fullmatch(said.value):
        if not _is_soon_known(said.value, node.op.startswith("name ")):
            return None
        try:
            re.compile(said.value)
        except re.error:
            return None
        return said.value
    return None


def _is_soon_known(pattern: str, of_name: bool) -> bool:
    """Python tries all ways to divide a text among `.*` and to choose alternatives, and all sessions wait: there may be few of them
    where a name is looked through, which has 63 bytes, and one where a text is."""
    many = pattern.count(".*")
    if pattern.count("(") > 2:
        return False
    return many <= 2 if of_name else not many or (many == 1 and pattern[0] == "^" and "|" not in pattern)


def _match(node: ir.Call, inner: Inner) -> Expr | None:
    pattern = _pattern(node)
    if pattern is None:
        return None
    value = node.args[0]
    value = uncollated(value)
    # PostgreSQL's $ is the very end; Python's passes a last line feed.
    text = Const(pattern[:-1] + r"\Z" if pattern.endswith("$") else pattern, TypeRef(t.TEXT))
    made = Call("catalog matches", (inner(value), text), node.type)
    return made if _MATCHES[node.op] == "~" else Call("not", (made,), node.type)


def listed(node: ir.Node, inner: Inner) -> Expr:
    """The list of what a function returns in FROM or among the targets. Raises NotKeyed."""
    from planner.binding.keyed import arrays as keyed_arrays
    from planner.binding.keyed import calls as keyed_calls
    from planner.binding.keyed.expressions import NotKeyed

    made: Expr | None = None
    if isinstance(node, ir.SetReturning):
        name = node.op
        if name == "unnest(anyarray)":
            made = elements(node.args[0], inner) or keyed_arrays.items(node.args[0], inner, unnested=True)
        elif name == "generate_subscripts(anyarray, int4)":
            array = _vector(node.args[0])
            op = "catalog vector places" if array.type.oid in VECTORS else "catalog places"
            made = Call(op, (inner(array), inner(node.args[1])), node.type)
        elif name == "generate_series(int4, int4)":
            made = Call("catalog series", tuple(map(inner, node.args)), node.type)
        else:
            made = keyed_calls.listed(node, inner)
    if made is None:
        raise NotKeyed("rows of a function")
    return made


def _in_language(*nodes: ir.Node) -> bool:
    """Whether the order of a text may be another than its bytes'."""
    return any(isinstance(n, ir.Collated) for node in nodes for n in ir.walk(node))


def gathered(node: ir.Aggregate, inner: Inner) -> tuple[Expr, str] | None:
    """(what is taken of each row, the fold) of array_agg and string_agg, ORDER BY included; None for others."""
    kind = _GATHERED.get(node.op)
    if kind is None or node.direct or _in_language(*node.args):
        return None
    values = _gathered(node, kind, inner)
    if values is None:
        return None
    kind, *given = values
    order = node.order
    if node.distinct:  # the values in their order, each once
        same = len(order) == 1 and order[0].expr == node.args[0]
        if kind not in ("array", "string") or (order and not same) or node.args[0].type.oid not in _ORDERED:
            return None
        order = order or (ir.SortKey(node.args[0]),)
        kind = f"{kind}-once"
    orders = []
    for key in order:
        if key.expr.type.oid not in _ORDERED or _in_language(key.expr):
            return None
        orders.append(f"{int(key.descending)}{int(key.nulls_first)}{key.expr.type.oid}")
    taken: Expr = Call("catalog tuple", (*given, *(inner(k.expr) for k in order)), node.type)
    if node.filter is not None:
        taken = Call("case", (inner(node.filter), taken), node.type)
    return taken, " ".join(("gather", kind, str(node.type.oid), *orders))


_GATHERED: Final = {
    "array_agg(anynonarray)": "array",
    "string_agg(text, text)": "string",
    "json_agg(anyelement)": "json",
    "jsonb_agg(anyelement)": "jsonb",
    "json_object_agg(any, any)": "json-object",
    "jsonb_object_agg(any, any)": "jsonb-object",
}


def _gathered(node: ir.Aggregate, kind: str, inner: Inner) -> tuple[Any, ...] | None:
    """(the kind, what is taken of a row besides what it is in the order of); None for values that are not gathered here."""
    from planner.binding.keyed import json as keyed_json

    first = node.args[0]
    if not kind.startswith("json"):
        plain = first.type.oid in (*ELEMENTS, *_ORDERED)
        return (kind, *map(inner, node.args)) if plain else None
    word, _, as_object = kind.partition("-")
    text = keyed_json.embedded(node.args[-1], inner, word)
    if text is None:
        return None
    if as_object:
        name = keyed_json.named(first, inner)
        return None if name is None else (kind, name, text)
    whole = first.type.oid == t.RECORD or t.element_of(first.type.oid)
    return ("json-rows" if whole and kind == "json" else kind, text)


_ORDERED: Final = frozenset(
    (
        t.INT2, t.INT4, t.INT8, t.OID, t.TEXT, t.VARCHAR, t.NAME, t.FLOAT4, t.BOOL, t.FLOAT8, t.NUMERIC, t.DATE, t.TIMESTAMP,
        t.TIMESTAMPTZ, t.UUID,
    )
)  # fmt: skip
"""Types whose order the folds know."""
SHOWN: Final = frozenset((*(x for x in ELEMENTS), 1033))
"""Elements that array_to_string shows as an array's text does: aclitem, too."""


def _cast(node: ir.Cast, inner: Inner) -> Expr | None:
    a, b = node.arg.type.oid, node.type.oid
    if node.type.typmod >= 0:
        return None
    op = _cast_op(a, b)
    return None if not op else Call(op, (inner(node.arg),), node.type)


def _cast_op(a: int, b: int) -> str:
    same = (
        (a in _OIDS and b in (*_OIDS, t.INT8))
        or (a in (t.NAME, t.CHAR, _NODE_TREE) and b in _TEXTS)
        or (a == b and a in (t.NAME, t.CHAR))
        or (a == t.NAME_ARRAY and b == t.TEXT_ARRAY)
    )
    if same:
        return "catalog same"
    if a in _INTS and b in _OIDS:
        return "catalog unsigned"
    if a in _TEXTS and b == t.NAME:
        return f"cast {type_name(a)} name"
    if b in _TEXTS:
        if a in _REG:
            return f"catalog out {type_name(a)}"
        if a in (t.OID, _XID):
            return "catalog digits"
        if a == t.BOOL:
            return "catalog truth"
    if a in _TEXTS and b in INPUT:
        return f"catalog in {type_name(b)}"
    return ""


def among(node: ir.AnyAll, inner: Inner, items: Callable[[ir.Node, Inner], Expr | None]) -> Expr | None:
    """`x = ANY (array)` and `x <> ALL (array)` of values that are equal if their datums are; `items` lists an array's elements."""
    said = member(node)
    listed = items(node.array, inner) if said is not None else None
    if said is None or listed is None:
        return None
    found = Call("catalog among", (inner(said), listed), TypeRef(t.BOOL))
    return Call("not", (found,), node.type) if node.all else found


def member(node: ir.AnyAll) -> ir.Node | None:
    """What is compared with the elements, if it is asked to be one of them (or, of ALL, none)."""
    made = node.compare
    if not isinstance(made, ir.Call) or len(made.args) != 2 or matters(made):
        return None
    left, op, right = (*made.op.split(" "), "", "")[:3]
    if op != ("<>" if node.all else "=") or not {left, right} <= _COMPARED:
        return None
    sides = [_bare(a) for a in made.args]
    for i, side in enumerate(sides):
        if isinstance(side, ir.Var) and side.relation == -1:
            return made.args[1 - i]
    return None


_COMPARED: Final = frozenset(("int2", "int4", "int8", "oid", "text", "name", "char"))


def _bare(node: ir.Node) -> ir.Node:
    """Without casts that leave a datum as it is."""
    while isinstance(node, ir.Collated) or (
        isinstance(node, ir.Cast)
        and (
            (node.arg.type.oid in (*_TEXTS, t.NAME) and node.type.oid in _TEXTS and node.type.typmod < 0)
            or (node.arg.type.oid in _OIDS and node.type.oid in _OIDS)
            or (node.arg.type.oid in (t.INT2, t.INT4) and node.type.oid in (t.INT4, t.INT8))
        )
    ):
        node = node.arg
    return node


def _vector(array: ir.Node) -> ir.Node:
    """The vector that an array is made of, which keeps where it begins."""
    if isinstance(array, ir.Cast) and array.arg.type.oid in VECTORS:
        return array.arg
    return array


def elements(array: ir.Node, inner: Inner) -> Expr | None:
    """The list of an array's elements, as datums; None for arrays of other types."""
    array = _vector(array)
    oid = array.type.oid
    if oid in VECTORS:
        return inner(array)
    if t.element_of(oid) not in ELEMENTS:
        return None
    if isinstance(array, ir.Logic) and array.op == "array":
        plain = all(a.type.oid == t.element_of(oid) for a in array.args)
        return Call("catalog tuple", tuple(map(inner, array.args)), array.type) if plain else None
    op = "catalog texts" if t.element_of(oid) in _TEXTUAL else "catalog integers"
    return Call(op, (inner(array),), array.type)


def equality(node: ir.Node, relation: int) -> tuple[int, ir.Node] | None:
    """(column, value) of `column = value`, either way round, where the datums of both are alike if they are equal."""
    if not isinstance(node, ir.Call) or len(node.args) != 2 or matters(node):
        return None
    if node.op in _MATCHES and (pattern := _pattern(node)) is not None and (m := _WHOLE.fullmatch(pattern)):
        column = column_of(node.args[0], relation) if _MATCHES[node.op] == "~" else None
        return None if column is None else (column, ir.Lit(TypeRef(t.TEXT), m[1]))
    left, op, right = (*node.op.split(" "), "", "")[:3]
    if op != "=" or not ({left, right} <= _COMPARED or left == right == "bool"):
        return None
    a, b = node.args
    for one, other in ((a, b), (b, a)):
        column = column_of(one, relation)
        if column is not None:
            return column, other
    return None


def column_of(node: ir.Node, relation: int) -> int | None:
    """Which column of the relation this is, if it is one that is looked up by value."""
    column = _bare(node)
    if isinstance(column, ir.Var) and column.relation == relation and column.type.oid in VALUES:
        return column.column
    return None


def rows_of(
    name: tuple[str, str], column: int | None = None, keys: Sequence[Expr] = (), listed: Expr | None = None
) -> SystemRows:
    return SystemRows(*name, column, tuple(keys), listed)


__all__ = [
    "NARROW",
    "VALUES",
    "VECTORS",
    "among",
    "called",
    "column_of",
    "elements",
    "equality",
    "expression",
    "rows_of",
]
