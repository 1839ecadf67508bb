"""A partitioned table in a query: the rows of its leaves, under its own columns.

    FROM t AS r1        FROM (SELECT "a", "b", _rid, 16390 AS _leaf FROM s1_16390 UNION ALL SELECT "a", "b", _rid, 16395 ... ) AS r1

So whoever runs the query (what it reads, what must be there, what it locks out) knows of leaves alone. `_leaf` is `tableoid`, and it
is by `_leaf` and `_rid` that a statement which writes knows its rows. Which leaves there are is read as well: a partition that comes later
may have rows that the query would have found, so it depends on the tables that deal rows out (`Query.dealing`).

Which leaves a query needs is said by its WHERE: a column of a key that is equal to, or below, or above a constant or a parameter.
Constants decide when a statement is planned, parameters each time that it runs (`executor.session.partitions.pruning`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from planner import types as t
from planner.abc import Column, Const, Lookup, Param, PartUse, PlanError, RelationUse, Slot, Table
from planner.binding import ir
from planner.binding.fragments import Item, Piece, quote_name
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed.searched import of_leaf
from planner.inheritance import spreads
from planner.leafwise import ByKey, Leafwise, possible
from planner.partitioning import dealing, leaves_of, router
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.scope import FromStep, Relation
    from planner.binding.state import QueryState

LEAF = "_leaf"
_TURNED = {"=": "=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_NUMBERS = (t.INT2, t.INT4, t.INT8)


def is_one(relation: Relation) -> bool:
    """Whether the relation's rows are those of leaves, or a parent's with its heirs'."""
    return relation.table is not None and spreads(relation.table, relation.only)


def home(relation: Relation) -> list[Item]:
    """Of a statement that writes: which leaf a row is of, behind all that its query yields."""
    return [f"r{relation.number}.{LEAF} AS {LEAF}"] if is_one(relation) else []


def leaf_keys(queries: QueryState, relation: Relation) -> tuple[int, ...] | None:
    """The columns of which keys of its leaves are made, by their positions in the table; None: it has no leaves."""
    table = relation.table
    if table is None or not is_one(relation):
        return None
    named = {leaf.columns[i].name for leaf in leaves_of(queries.ctx.catalog, table) for i in leaf.key_indexes}
    if foreign := sorted(named - {c.name for c in table.columns}):
        raise PlanError(
            "0A000",
            f'locking rows of table "{table.name}", of which a child has column "{foreign[0]}" of its own in its '
            "primary key, is not supported",
        )
    return tuple(i for i, c in enumerate(table.columns) if c.name in named)


def note(
    queries: QueryState,
    relations: Sequence[Relation],
    where: ir.Node | None,
    steps: Sequence[FromStep] = (),
) -> None:
    """Remembers what a WHERE, and the ONs of plain joins, ask of the keys of partitioned tables."""
    mine = [r for r in relations if is_one(r) and r.table is not None and r.table.partitioning is not None]
    if not mine:
        return
    pool = [c for n in (where, *(n for s in steps if not s.outer for n in s.on)) for c in keyed.conjuncts(n)]
    for relation in mine:
        own = [
            c for s in steps if s.outer and s.relation is relation for n in s.on for c in keyed.conjuncts(n)
        ]
        found = tuple(_asked(queries, relation, [*pool, *own, *_carried_over(relation, pool, own)]))
        if found:
            queries.parts_asked[relation.number] = found


def _carried_over(relation: Relation, pool: Sequence[ir.Node], own: Sequence[ir.Node]) -> Iterator[ir.Node]:
    """`l.order_no = $1`, where it is said that `o.id = $1` and `l.order_no = o.id`: of whole numbers, and of values of one type."""
    known: dict[tuple[int, int], ir.Call] = {}
    same: list[tuple[ir.Call, ir.Var, ir.Var]] = []
    for c in (*pool, *own):
        if not isinstance(c, ir.Call) or len(c.args) != 2 or c.op.split(" ")[1:2] != ["="]:
            continue
        a, b = c.args
        if isinstance(a, ir.Var) and isinstance(b, ir.Var):
            same.append((c, a, b))
        elif isinstance(a, ir.Var) and isinstance(b, ir.Lit | ir.Parm) and c in pool:
            known.setdefault((a.relation, a.column), c)
    said = set(known)
    for _ in same:  # each may make one more known
        for c, a, b in same:
            for x, y in ((a, b), (b, a)):
                at = known.get((x.relation, x.column))
                inner = c in pool or y.relation == relation.number
                if at is None or (y.relation, y.column) in known or not inner or not _alike(x, y):
                    continue
                known[y.relation, y.column] = replace(at, args=(y, at.args[1]))
    yield from (c for at, c in known.items() if at[0] == relation.number and at not in said)


def _alike(a: ir.Var, b: ir.Var) -> bool:
    return a.type.oid == b.type.oid or (a.type.oid in _NUMBERS and b.type.oid in _NUMBERS)


def _asked(
    queries: QueryState, relation: Relation, conjuncts: Sequence[ir.Node]
) -> Iterator[tuple[int, str, tuple[Any, ...]]]:
    """(position of a column, comparison, values of which one is it)."""
    table = relation.table
    assert table is not None
    places = router(queries.ctx.catalog, table).all_places()
    for c in map(ir.one_by_one, conjuncts):
        alternatives = [c]
        if isinstance(c, ir.Logic) and c.op == "or":
            alternatives = list(c.args)
        made = [_comparison(queries, relation.number, table, places, a) for a in alternatives]
        if any(m is None for m in made):
            continue
        compared = [m for m in made if m is not None]
        if len({(place, how) for place, how, _ in compared}) == 1 and (
            len(made) == 1 or compared[0][1] == "="
        ):
            yield compared[0][0], compared[0][1], tuple(v for _, _, v in compared)


def _comparison(
    queries: QueryState, number: int, table: Table, places: set[int], node: ir.Node
) -> tuple[int, str, Any] | None:
    if not isinstance(node, ir.Call) or len(node.args) != 2:
        return None
    how = node.op.split(" ")[1] if node.op.count(" ") == 2 else ""  # `date = date`
    a, b = node.args
    if isinstance(b, ir.Var) and not isinstance(a, ir.Var):
        a, b, how = b, a, _TURNED.get(how, "")
    if how not in _TURNED or not isinstance(a, ir.Var) or a.relation != number or a.column not in places:
        return None
    mine = t.base_of(table.columns[a.column].type).oid
    if isinstance(b, ir.Lit):
        theirs: int = b.type.oid
        value: Const | Param = Const(b.value, b.type)
    elif isinstance(b, ir.Parm):
        theirs, value = b.type.oid, Param(b.number, b.type)
    else:
        return None
    if mine != theirs and not (mine in _NUMBERS and theirs in _NUMBERS):
        return None
    return a.column, how, value


def written(
    queries: QueryState, relation: Relation, use: RelationUse
) -> tuple[list[Piece], list[RelationUse]]:
    """The text in the place of the relation's slot, and the leaves that it names."""
    table, catalog = use.table, queries.ctx.catalog
    asked = queries.parts_asked.get(relation.number, ())
    leaves = leaves_of(catalog, table)
    if asked:
        fixed = tuple((p, how, v) for p, how, v in asked if all(isinstance(x, Const) for x in v))
        if fixed:
            wanted = router(catalog, table).wanted([(p, how, [x.value for x in v]) for p, how, v in fixed])
            leaves = [leaf for leaf in leaves if leaf.oid in wanted]
    later = tuple(a for a in asked if any(isinstance(x, Param) for x in a[2]))
    part = PartUse(table, later and asked)
    positions = use.columns if use.columns is not None else tuple(range(len(table.columns)))
    names = [table.columns[i].name for i in positions]
    pieces: list[Piece] = ["("]
    uses: list[RelationUse] = []
    for leaf in leaves:
        where = {c.name: i for i, c in enumerate(leaf.columns)}
        slot = f"{use.slot}_{leaf.oid}"
        mine = tuple(sorted(where[n] for n in names if n in where))
        made = replace(
            use,
            slot=slot,
            table=leaf,
            columns=mine,
            ranges=_ranges(table, leaf, use.ranges),
            part=part,
            terms=of_leaf(catalog, leaf, use.terms),
            asked=use.asked if _has_places_of(leaf, table) else (),
        )
        uses.append(made)
        outputs = [
            quote_name(table.columns[i].name) if table.columns[i].name in where else _absent(table.columns[i])
            for i in positions
        ]
        shown = "".join(f"{x}, " for x in (*outputs, *(("_rid",) if use.with_rid else ())))
        pieces += [
            " UNION ALL " if len(pieces) > 1 else "",
            f"SELECT {shown}{leaf.oid} AS {LEAF} FROM ", Slot(slot), " AS tw_leaf",
        ]  # fmt: skip
    if not leaves:
        empty = [_absent(table.columns[i]) for i in positions]
        empty.append(f"CAST(NULL AS BIGINT) AS _rid, 0 AS {LEAF}")
        pieces.append(f"SELECT {', '.join(empty)} WHERE false")
    pieces.append(")")
    return [p for p in pieces if p != ""], uses


def _absent(column: Column) -> str:
    """A column without values: where there is no leaf; or what enforces a parent's own unique index, which children do not have."""
    return f"CAST(NULL AS {t.duckdb_type(column.type)}) AS {quote_name(column.name)}"


def _ranges(table: Table, leaf: Table, ranges: tuple[Lookup, ...] | None) -> tuple[Lookup, ...] | None:
    """What is read of the primary key, where the leaf's is the same."""
    if not ranges:
        return ranges
    mine = [leaf.columns[i].name for i in leaf.key_indexes]
    return ranges if mine == [table.columns[i].name for i in table.key_indexes] else None


def _has_places_of(leaf: Table, table: Table) -> bool:
    """Whether the leaf's columns begin with the table's, in the same places."""
    return [c.name for c in leaf.columns[: len(table.columns)]] == [c.name for c in table.columns]


def leafwise(
    queries: QueryState, relations: Sequence[Relation], by_key: ByKey, *, whole: bool = False
) -> dict[str, Any]:
    """What a plan says of its keyed form where leaves are put in the places of partitioned tables; nothing where they cannot be."""
    uses: list[PartUse] = []
    for relation in relations:
        if is_one(relation):
            if relation.table is not None and relation.table.children:
                return {}
            asked = queries.parts_asked.get(relation.number)
            if asked is None or relation.table is None:
                return {}
            uses.append(PartUse(relation.table, asked))
    if len({use.table.oid for use in uses}) < len(uses):
        return {}  # one is named twice: its leaves may be different ones
    made = Leafwise(by_key, tuple(uses), whole)
    return {"leafwise": made} if possible(queries.ctx.catalog, made) else {}


__all__ = ["LEAF", "dealing", "home", "is_one", "leafwise", "note", "written"]
