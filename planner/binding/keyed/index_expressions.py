"""What an index computes of a row, as the keyed engine has it: the predicates of partial indexes, expressions among the keys.

    CREATE INDEX ON users (lower(email))       positions (4,) of ComputedColumns: a column more than the table has, lower(c1)
    ... WHERE lower(email) = $1                column 4 = $1: a key like any other

What a query asks is looked through for the index's expression; where it stands, there stands the column for as long as keys are looked
for. So whatever makes keys of columns makes keys of expressions: `=`, IN, `= ANY`, ranges, joins.

An index is kept up for each row that is written, when it is too late to refuse one. So only what has a value for every row is taken:
functions of text that never fail (`NEVER_FAIL`). Others are listed, and used by nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Final

from planner.abc import Call, Col, Const, Constraint, Expr, KeyedRead, PlanError, Table
from planner.binding import ir
from planner.binding.keyed import closed_set, ordered_forms
from planner.binding.keyed import expressions as keyed
from planner.catalog import Catalog, CatalogChange, quote_identifier, quote_qualified
from planner.catalog.classes_of_operators import has_own_order
from planner.catalog.objects import Index
from planner.catalog.reads import Remembered
from planner.keyed_plans import ComputedColumns
from planner.records import replace
from planner.types import DEFAULT_SETTINGS

NEVER_FAIL: Final = frozenset(
    (
        "lower(text)", "lower(varchar)", "upper(text)", "upper(varchar)", "btrim(text)", "trim(text)", "ltrim(text)",
        "rtrim(text)", "reverse(text)", "length(text)", "length(varchar)", "coalesce",
    )
)  # fmt: skip
_BYTES: Final = ("", "default", "C", "POSIX", "C.utf8")
"""Collations in which text is in the order of its bytes."""
_KNOWN_MAX: Final = 2_000

_BINDING: Final[ContextVar[bool]] = ContextVar("binding what an index computes", default=False)
"""It is bound over a stand-in of its table: no such index serves that, or there were no end."""

_known: Remembered[tuple[Index, Table, tuple[ComputedColumns, ...]]] = Remembered(_KNOWN_MAX)
"""By the definitions of an index and of its table, which are kept: their ids are their own."""


def is_binding() -> bool:
    """Whether what an index computes is being bound in this context."""
    return _BINDING.get()


def of_rows(catalog: Catalog, table: Table, text: str) -> Expr | None:
    """An expression that an index, or a publication, has of rows, over the table's rows; None where the keyed engine has no word for it."""
    token = _BINDING.set(True)
    try:
        return _bound(catalog, table, text)
    finally:
        _BINDING.reset(token)


def _bound(catalog: Catalog, table: Table, text: str) -> Expr | None:
    """Bound as the output of a keyed read of a table that has the same columns and surely a key."""
    from planner.binding import bind
    from planner.parse import parse_query
    from planner.plan_context import PlanContext

    key = Constraint(0, "", "p", (table.columns[0].attnum,))
    plain = {"constraints": (key,), "children": (), "policies": (), "row_security": False, "triggers": ()}
    stand_in = replace(table, name=f"predicate {table.oid}", **plain)  # type: ignore[arg-type]
    seen = catalog.with_changes([CatalogChange(catalog.get(table.oid), stand_in)])
    schema = seen.schema_of(table.schema_oid).name
    source = f"{quote_qualified(schema, stand_in.name)} AS {quote_identifier(table.name)}"
    asked = f"SELECT ({text}) FROM {source} WHERE {quote_identifier(table.columns[0].name)} = $1"
    context = PlanContext(seen, (schema, "public"), user=table.owner, settings=DEFAULT_SETTINGS, trusted=True)
    try:
        plan = bind(parse_query(asked), context, text=asked)
    except PlanError:
        return None
    if not isinstance(plan.body, KeyedRead) or plan.extra:
        return None
    return plan.body.outputs[0]


def computed_prefixes(catalog: Catalog, table: Table) -> Iterator[ComputedColumns]:
    """Columns that indexes begin with, of those that compute some of them; most of them first."""
    if is_binding() or type(table) is not Table:
        return
    found: dict[ComputedColumns, None] = {}
    for index in catalog.indexes_of(table.oid):
        whole = not index.predicate and index.method == "btree" and has_own_order(index)
        if whole and any(_is_made(k.attnum, table) for k in index.keys):
            found.update(dict.fromkeys(_prefixes(catalog, index, table)))
    yield from sorted(found, key=lambda c: (-len(c), tuple(c)))


def _prefixes(catalog: Catalog, index: Index, table: Table) -> tuple[ComputedColumns, ...]:
    return _known.of(catalog, (id(index), id(table)), lambda seen: (index, table, _made(seen, index, table)))[
        2
    ]


def _made(catalog: Catalog, index: Index, table: Table) -> tuple[ComputedColumns, ...]:
    width = len(table.columns)
    positions: list[int] = []
    keys: list[Expr] = []
    found: list[ComputedColumns] = []
    for key in index.keys:
        if key.attnum:
            position = table.index_of(key.attnum)
            column = Col(position, table.columns[position].type)
            form = ordered_forms.form_of(column)
            keys.append(column if form is None else form)
            position = position if form is None else width + len(positions)
        else:
            position = width + len(positions)
            made = of_rows(catalog, table, key.expression) if key.collation in _BYTES else None
            if made is None or not _never_fails(made):
                break
            keys.append(made)
        if keys[-1].type.oid not in closed_set.KEY_TYPES:
            break
        positions.append(position)
        if position >= width or found:
            found.append(ComputedColumns(tuple(positions), width, tuple(keys)))
    return tuple(found)


def _is_made(attnum: int, table: Table) -> bool:
    """Whether an index's column is an expression, or a form of one of the table's."""
    return not attnum or table.columns[table.index_of(attnum)].type.oid in ordered_forms.FORMED


def _never_fails(e: Expr) -> bool:
    if isinstance(e, Call):
        return e.op in NEVER_FAIL and all(map(_never_fails, e.args))
    return isinstance(e, Col | Const)


def in_columns(
    index: ComputedColumns, number: int, where: ir.Node | None
) -> tuple[ir.Node | None, Callable[[Sequence[ir.Node]], list[ir.Node]]]:
    """What is asked of relation `number` with the index's columns in the places of its expressions, and the way back for conjuncts."""
    before = keyed.conjuncts(where)
    after = [_put(c, index, number) for c in before]
    back = {id(new): old for new, old in zip(after, before, strict=True)}

    def as_they_were(rest: Sequence[ir.Node]) -> list[ir.Node]:
        return [back[id(c)] for c in rest]

    if not after:
        return None, as_they_were
    whole = after[0] if len(after) == 1 else ir.Logic(after[0].type, "and", tuple(after))
    return whole, as_they_were


def _put(node: ir.Node, index: ComputedColumns, number: int) -> ir.Node:
    formed = ordered_forms.compared(node, index, number)
    if formed is not None:
        return formed
    if isinstance(node, ir.Call | ir.Logic):
        try:
            said = keyed.expression(node, {number: 0})
        except keyed.NotKeyed:
            said = None
        for position, key in zip(index, index.keys, strict=True):
            if position >= index.width and said == key:
                return ir.Var(node.type, number, position)
    return ir.replace_children(node, lambda n: _put(n, index, number))


__all__ = ["computed_prefixes", "in_columns", "is_binding", "of_rows"]
