"""Which conditions of a WHERE an index of parts serves: `doc @> '{"a": 1}'` of CREATE INDEX ... USING gin (doc).

    ... USING gin (to_tsvector('english', body))      to_tsvector(r1.body) as a tree, and as DuckDB's text
    WHERE to_tsvector('english', r7.body) @@ $1       the same tree over r7: a condition that the index serves

What the plan keeps (`planner.searches`) are the conditions of each relation, joined by the AND and OR that they stand in. Conditions of
which nothing is known are left out of an AND, and an OR with one of them is none. The query goes on asking all of them.

GiST's classes for vectors and trigrams find the same rows here as gin's: how an index is kept is nobody's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import Const, Param, PlanError, Search, Sought, Table
from planner.binding import ir
from planner.binding.fragments import Ref
from planner.binding.keyed import expressions as keyed
from planner.catalog import Catalog
from planner.catalog.classes_of_operators import has_own_order
from planner.catalog.objects import Index
from planner.catalog.reads import Remembered
from planner.records import replace
from planner.searches import ARRAY, JSONB, TRIGRAMS, WORDS, TermsIndex
from planner.types.facts import FIRST_USER_OID

if TYPE_CHECKING:
    from planner.binding.scope import Relation
    from planner.binding.state import QueryState

_METHODS: Final = ("gin", "gist")
_SAME_TEXT: Final = frozenset(
    (
        t.INT2, t.INT4, t.INT8, t.TEXT, t.VARCHAR, t.UUID, t.BOOL, t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ,
    )
)  # fmt: skip
"""Types of elements that are equal where their texts are."""
_TEXTS: Final = (t.TEXT, t.VARCHAR)
_TURNED: Final = {"<@": "@>", "@@": "@@", "&&": "&&", "=": "="}
"""What a sign says where the index's value is on its right."""
_SERVED: Final = {
    JSONB: frozenset(("@>", "?", "?|", "?&")),
    ARRAY: frozenset(("@>", "&&", "=")),
    WORDS: frozenset(("@@", "@@@")),
    TRIGRAMS: frozenset(("~~", "~~*")),
}
_OF_TREES_MAX: Final = 64
"""Conditions of one relation."""
_KNOWN_MAX: Final = 2_000

Key = tuple[TermsIndex, ir.Node, frozenset[str]]
"""An index's key: its terms, its tree over a relation of its own, the signs that it serves."""

_known: Remembered[tuple[Index, Table, tuple[Key, ...]]] = Remembered(_KNOWN_MAX)
"""By the definitions of an index and of its table, which are kept: their ids are their own."""
_making: set[int] = set()
"""The indexes whose keys are being bound: what is bound may look for them, and finds none."""


def note(queries: QueryState, relations: Sequence[Relation], where: ir.Node | None) -> None:
    """Remembers what a WHERE asks of each table that an index of parts serves."""
    if where is None:
        return
    catalog = queries.ctx.catalog
    for relation in relations:
        if type(relation.table) is not Table:
            continue
        keys = keys_of(catalog, relation.table)
        if not keys:
            continue
        parts = [search_of(c, relation.number, keys) for c in keyed.conjuncts(where)[:_OF_TREES_MAX]]
        found = tuple(p for p in parts if p is not None)
        if found:
            queries.searches[relation.number] = found[0] if len(found) == 1 else Search("and", found)


def of_leaf(catalog: Catalog, leaf: Table, search: Search | Sought | None) -> Search | Sought | None:
    """The same of a partition, whose indexes are parts of its parent's. None where it has none."""
    if isinstance(search, Search):
        parts = [of_leaf(catalog, leaf, part) for part in search.parts]
        known = tuple(p for p in parts if p is not None)
        return (
            Search(search.op, known) if known and (search.op == "and" or len(known) == len(parts)) else None
        )
    if search is None:
        return None
    for index, *_ in keys_of(catalog, leaf):
        above = catalog.get(index.oid)
        while isinstance(above, Index) and above.oid != search.index.oid:
            above = catalog.get(above.parent) if above.parent else None
        if above is not None and index.key == search.index.key:
            return replace(search, index=index)
    return None


# --- conditions ------------------------------------------------------------------------------------------


def search_of(node: ir.Node, number: int, keys: Sequence[Key]) -> Search | Sought | None:
    """What a condition on relation `number` asks that these serve; None: nothing."""
    if isinstance(node, ir.Logic) and node.op in ("and", "or"):
        parts = [search_of(a, number, keys) for a in node.args[:_OF_TREES_MAX]]
        known = tuple(p for p in parts if p is not None)
        if not known or (node.op == "or" and len(known) < len(node.args)):
            return None
        return known[0] if len(known) == 1 else Search(node.op, known)
    if not isinstance(node, ir.Call) or len(node.args) != 2 or node.op.count(" ") != 2:
        return None
    sign = node.op.split(" ")[1]
    a, b = node.args
    for own, other, how in ((a, b, sign), (b, a, _TURNED.get(sign, ""))):
        for index, tree, signs in keys:
            if how in signs and bare(own) == over(tree, number):
                value = _value(other, index, how)
                if value is not None:
                    return value
    return None


def _value(node: ir.Node, index: TermsIndex, how: str) -> Sought | None:
    """What a condition compares with, if that is there before any row is."""
    given = _given(node)
    if given is not None:
        if isinstance(given, Const) and given.type.oid == t.UNKNOWN:
            return None
        return Sought(index, how, (given,), "", node.type)
    if isinstance(node, ir.Cast) and t.element_of(node.type.oid) and _is_array(node.arg):
        node = replace(node.arg, type=node.type) if _element(node.arg) == _element(node) else node
    if _is_array(node) and isinstance(node, ir.Logic):
        items = [_given(a) for a in node.args]
        known = tuple(i for i in items if i is not None)
        return Sought(index, how, known, "array", node.type) if len(known) == len(items) else None
    if index.kind == WORDS and isinstance(node, ir.Call) and node.op in _QUERIES:
        said, text = ("", node.args[0]) if len(node.args) == 1 else (_number(node.args[0]), node.args[1])
        given = _given(text)
        if given is not None and said is not None:
            return Sought(index, how, (given,), f"{node.op.partition('(')[0]} {said}", node.type)
    return None


_QUERIES: Final = frozenset(
    f"{name}({given})"
    for name in ("to_tsquery", "plainto_tsquery", "phraseto_tsquery", "websearch_to_tsquery")
    for given in ("text", "regconfig, text")
)


def _given(node: ir.Node) -> Const | Param | None:
    node = bare(node)
    if isinstance(node, ir.Lit):
        return Const(node.value, node.type)
    return Param(node.number, node.type) if isinstance(node, ir.Parm) else None


def _number(node: ir.Node) -> str | None:
    return str(node.value) if isinstance(node, ir.Lit) and isinstance(node.value, int) else None


def _is_array(node: ir.Node) -> bool:
    return isinstance(node, ir.Logic) and node.op == "array" and bool(t.element_of(node.type.oid))


def _element(node: ir.Node) -> int:
    element = t.element_of(node.type.oid)
    return t.TEXT if element in _TEXTS else element


def bare(node: ir.Node) -> ir.Node:
    """Without what leaves a text as it is."""
    while (
        isinstance(node, ir.Cast)
        and node.type.oid in _TEXTS
        and node.arg.type.oid in _TEXTS
        and node.type.typmod < 0
    ):
        node = node.arg
    return node


def over(node: ir.Node, number: int) -> ir.Node:
    """An index's tree, over relation `number`."""
    if isinstance(node, ir.Var):
        return replace(node, relation=number)
    return ir.replace_children(node, lambda n: over(n, number))


# --- indexes -----------------------------------------------------------------------------------------------


def keys_of(catalog: Catalog, table: Table) -> list[Key]:
    """The keys of a table's indexes that are searched by terms."""
    return [
        key
        for index in catalog.indexes_of(table.oid)
        if index.method in _METHODS
        and not index.predicate
        and not index.constraint_oid
        and has_own_order(index)
        for key in _keys(catalog, index, table)
    ]


def _keys(catalog: Catalog, index: Index, table: Table) -> tuple[Key, ...]:
    if index.oid in _making:
        return ()
    _making.add(index.oid)
    try:
        return _known.of(
            catalog, (id(index), id(table)), lambda seen: (index, table, tuple(_made(seen, index, table)))
        )[2]
    finally:
        _making.discard(index.oid)


def _made(catalog: Catalog, index: Index, table: Table) -> Iterator[Key]:
    from planner.binding.parameters import Parameters
    from planner.binding.queries import QueryBinder
    from planner.binding.writes.dml import DmlBinder
    from planner.plan_context import PlanContext

    schema = catalog.schema_of(table.schema_oid).name
    context = PlanContext(
        catalog, (schema, "public"), user=table.owner, settings=t.DEFAULT_SETTINGS, trusted=True
    )
    for n, key in enumerate(index.keys):
        queries = QueryBinder(context, key.expression, Parameters((), None))
        binder = DmlBinder(queries)
        relation = binder.relation(table, table.name, of_table=False)
        try:
            if key.attnum:
                at = table.index_of(key.attnum)
                node: ir.Node = relation.value(at)
            else:
                node = bare(binder.stored_expression(key.expression, binder.scope_of(relation)))
            kind = _kind(node, key.opclass)
            parts = queries.emitter.frag(node).parts if kind and not ir.varies(node) else ()
        except PlanError:  # nobody searches by what cannot be bound any more
            continue
        text = "".join(str(queries.emitter.written(p)) if isinstance(p, Ref) else str(p) for p in parts)
        if not parts or not all(isinstance(p, str | Ref) for p in parts):
            continue
        named = {v.column for v in ir.walk(node) if isinstance(v, ir.Var) and v.relation == relation.number}
        if min(named, default=-1) < 0:
            continue
        columns = tuple(table.columns[i].attnum for i in sorted(named))
        made = TermsIndex(index.oid, index.name, n, kind, f"r{relation.number}", text, columns)
        whole = _SERVED[kind] if not key.opclass.endswith("jsonb_path_ops") else frozenset(("@>",))
        yield made, node, whole


def _kind(node: ir.Node, opclass: str) -> str:
    """What its terms are; empty: it has none."""
    oid = node.type.oid
    if oid == t.JSONB:
        return JSONB
    if oid == t.TSVECTOR:
        return WORDS
    if oid in _TEXTS and opclass.endswith("_trgm_ops"):
        return TRIGRAMS
    element = t.element_of(oid)
    return ARRAY if element and (element in _SAME_TEXT or _is_enum(element)) else ""


@lru_cache(maxsize=1024)
def _is_enum(oid: int) -> bool:
    from planner.types.enums import EnumSqlType

    return oid >= FIRST_USER_OID and isinstance(t.TYPES.get(oid), EnumSqlType)


__all__ = ["Key", "bare", "keys_of", "note", "of_leaf", "over", "search_of"]
