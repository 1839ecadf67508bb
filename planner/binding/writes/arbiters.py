"""ON CONFLICT (...): which unique index is meant by columns and expressions.

    ON CONFLICT (email)                          UNIQUE (email), or a unique index on it
    ON CONFLICT (lower(email))                   CREATE UNIQUE INDEX ... (lower(email))
    ON CONFLICT (email COLLATE "C")              the same, where that is the index's collation
    ON CONFLICT (email) WHERE active AND x > 1   ... (email) WHERE active: every conjunct of the index's predicate
                                                 must be among those of the clause
    ON CONFLICT (key) WHERE status = 'new'       ... (key) WHERE status IN ('new', 'taken'): or a column is among fewer values
    ON CONFLICT (key) WHERE x > 7                ... (key) WHERE x > 5: or follow from one (`arbiter_predicates`)

Expressions are compared as trees, names folded, parentheses, operator classes, and casts that change nothing apart:
`lower(email)` over a varchar is what PostgreSQL's catalog, and so an ORM that has read it, spells `lower((email)::text)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from sqlglot import exp

from planner import types as t
from planner.abc import Constraint, PlanError, Table
from planner.binding.naming import identifier
from planner.binding.writes.arbiter_predicates import NO_ARBITER, ClausePredicate
from planner.catalog import Catalog, Index
from planner.catalog.type_objects import EnumType
from planner.errors import AfterAnalysis
from planner.parse import parse_expression

_TEXTS = (t.TEXT, t.VARCHAR)


def inferred(
    catalog: Catalog,
    search_path: Sequence[str],
    table: Table,
    keys: Sequence[exp.Expression],
    predicate: exp.Expression | None,
    given: ClausePredicate | None,
) -> Constraint:
    """The constraint that the clause means; of several, one over all rows. Raises 42P10.

    `given` is asked for what does not stand in `predicate`, and keeps what hangs on the parameters' values.
    """

    def said(node: exp.Expression) -> exp.Expression:
        return _with_schemas(catalog, search_path, node)

    asked = [part for k in keys for part in _parts(said(k))]
    wanted = {_spelled(table, _bare(part)) for part in asked}
    kinds = _kinds(catalog, table)
    stated = (
        {_conjunct(table, n, kinds) for n in _conjuncts(said(predicate.this))}
        if predicate is not None
        else set()
    )
    collated = {_spelled(table, _bare(part)): name for part in asked if (name := _collation(part))}
    partial: Constraint | None = None
    hanging: list[exp.Expression] = []
    for c in table.constraints:
        if c.kind not in "pu":
            continue
        index = catalog.get(c.index_oid)
        if not isinstance(index, Index) or set(spelled := _keys(table, index)) != wanted:
            continue
        if not index.valid:  # a partition lacks its part
            continue
        if any(
            catalog.collation_key(name, schema, search_path) != spelled[key]
            for key, (schema, name) in collated.items()
        ):
            continue
        refuse_deferrable(table, (c,))
        if not index.predicate:
            return c
        if predicate is None or (partial is not None and not hanging):
            continue
        open_ones = [
            n
            for n in _conjuncts(parse_expression(index.predicate))
            if not _follows(_conjunct(table, n, kinds), stated)
        ]
        if not open_ones:
            partial, hanging = c, []
            continue
        left = given.leaves(open_ones) if given is not None else None
        if left is not None and (not left or partial is None):
            partial, hanging = c, left
    if given is not None and hanging:
        given.hang_on(hanging)
    if partial is None:
        raise AfterAnalysis("42P10", NO_ARBITER)
    return partial


def refuse_deferrable(table: Table, constraints: Sequence[Constraint]) -> None:
    """Raises 55000: what is checked at the end of a transaction says nothing of a row that is about to come."""
    found = next((c for c in constraints if c.kind in "pux" and c.deferrable), None)
    if found is not None:
        raise PlanError(
            "55000",
            "ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters",
            table=table.name,
            constraint=found.name,
            about_oid=table.oid,
        )


def _with_schemas(catalog: Catalog, search_path: Sequence[str], node: exp.Expression) -> exp.Expression:
    """Users' functions with their schemas, as indexes keep them."""
    copy = node.copy()
    for call in reversed(list(copy.find_all(exp.Anonymous))):  # inner ones first
        homes = {f.schema_oid for f in catalog.functions(str(call.this), "", search_path)}
        if len(homes) == 1 and not isinstance(call.parent, exp.Dot):
            home = exp.to_identifier(catalog.schema_of(homes.pop()).name, quoted=True)
            named = exp.Dot(this=home, expression=call.copy())
            if call is copy:
                return named
            call.replace(named)
    return copy


def _parts(key: exp.Expression) -> list[exp.Expression]:
    bare = _bare(key)
    return list(bare.expressions) if isinstance(bare, exp.Tuple) else [key]


def _collation(part: exp.Expression) -> tuple[str, str] | None:
    """Schema and name of the collation that is said of a key."""
    while isinstance(part, exp.Ordered | exp.Opclass | exp.Paren):
        part = part.this
    if not isinstance(part, exp.Collate):
        return None
    named = part.expression
    schema = named.args.get("table") if isinstance(named, exp.Column) else None
    last = named.this if isinstance(named, exp.Column) else named
    return ("" if schema is None else identifier(schema)), identifier(last)


def _bare(node: exp.Expression) -> exp.Expression:
    while isinstance(node, exp.Ordered | exp.Opclass | exp.Collate | exp.Paren):
        node = node.this
    return node


def _keys(table: Table, index: Index) -> dict[str, str]:
    """The keys of an index, and their collations."""
    columns = {c.attnum: c for c in table.columns}
    found = {}
    for k in index.keys:
        column = columns.get(k.attnum)
        node = (
            _bare(parse_expression(k.expression)) if column is None else exp.column(column.name, quoted=True)
        )
        own = "" if column is None else column.collation
        found[_spelled(table, node)] = k.collation or own or "default"
    return found


class _Among(NamedTuple):
    """A column that equals one of these literals."""

    column: str
    values: frozenset[tuple[bool, str]]
    """(is it a string, its text)"""


def _conjuncts(node: exp.Expression) -> list[exp.Expression]:
    node = _bare(node)
    if isinstance(node, exp.And):
        return [*_conjuncts(node.this), *_conjuncts(node.expression)]
    return [node]


def _conjunct(table: Table, node: exp.Expression, kinds: Mapping[str, str]) -> str | _Among:
    return _among(node, kinds) or _spelled(table, node)


def _follows(needed: str | _Among, given: Set[str | _Among]) -> bool:
    if isinstance(needed, str):
        return needed in given
    return any(
        isinstance(g, _Among) and g.column == needed.column and g.values <= needed.values for g in given
    )


def _kinds(catalog: Catalog, table: Table) -> dict[str, str]:
    """What the types of columns are called to whose values a literal's cast changes nothing: texts, and users' types."""
    kinds = {}
    for column in table.columns:
        made = catalog.get(column.type.oid)
        if column.type.oid in _TEXTS:
            kinds[column.name] = "text"
        elif isinstance(made, EnumType):
            kinds[column.name] = made.name
        else:
            kinds[column.name] = ""
    return kinds


def _among(node: exp.Expression, kinds: Mapping[str, str]) -> _Among | None:
    """`c = 'a'`, `c IN ('a', 'b')`, `c = ANY (ARRAY['a', 'b'])`; None: it is none of these."""
    if not isinstance(node, exp.EQ | exp.In) or (isinstance(node, exp.In) and not node.expressions):
        return None
    side, said = node.this, node.args.get("expression")
    if said is not None and not isinstance(_uncast(side, "text"), exp.Column):
        side, said = said, side
    column = _uncast(side, "text")
    if not isinstance(column, exp.Column):
        return None
    name = column.name if column.this.args.get("quoted") else column.name.lower()
    if name not in kinds or (column is not _bare(side) and kinds[name] != "text"):
        return None
    values: Sequence[exp.Expression] = node.expressions if said is None else [said]
    if isinstance(said, exp.Any):
        array = _bare(said.this)
        if isinstance(array, exp.Cast) and array.to.this == exp.DataType.Type.ARRAY and array.to.expressions:
            array = _bare(array.this) if _named(array.to.expressions[0]) == kinds[name] else array
        if not isinstance(array, exp.Array):
            return None
        values = array.expressions
    bare = [_uncast(v, kinds[name]) for v in values]
    literals = [v for v in bare if isinstance(v, exp.Literal)]
    if len(literals) < len(values):
        return None
    return _Among(name, frozenset((v.is_string, str(v.this)) for v in literals))


def _uncast(node: exp.Expression, kind: str) -> exp.Expression:
    """What stands below casts to `kind`."""
    node = _bare(node)
    while kind and isinstance(node, exp.Cast) and _named(node.to) == kind:
        node = _bare(node.this)
    return node


def _named(to: exp.DataType) -> str:
    if _is_text(to):
        return "text"
    last = to.args.get("kind")
    last = last.expression if isinstance(last, exp.Dot) else last
    if not isinstance(last, exp.Identifier):
        return ""
    return str(last.this) if last.args.get("quoted") else str(last.this).lower()


def _spelled(table: Table, node: exp.Expression) -> str:
    """The same text for the same expression: unquoted names folded and then all quoted, no table names."""
    copy = node.copy()
    for name in copy.find_all(exp.Identifier):
        name.set("this", name.this if name.args.get("quoted") else str(name.this).lower())
        name.set("quoted", True)
    for column in copy.find_all(exp.Column):
        column.set("table", None)
    texts = {c.name for c in table.columns if c.type.oid in _TEXTS}
    for cast in list(copy.find_all(exp.Cast)):
        inner = _bare(cast.this)
        named = isinstance(inner, exp.Column) and inner.name in texts
        if (named or (isinstance(inner, exp.Literal) and inner.is_string)) and _is_text(cast.to):
            if cast.parent is None:
                copy = inner
            cast.replace(inner)
    for paren in list(copy.find_all(exp.Paren)):
        if paren.parent is not None and not isinstance(paren.this, exp.Binary | exp.Connector):
            paren.replace(paren.this)
    return str(copy.sql("postgres", normalize_functions="lower"))


def _is_text(to: exp.DataType) -> bool:
    return to.this in (exp.DataType.Type.TEXT, exp.DataType.Type.VARCHAR) and not to.expressions
