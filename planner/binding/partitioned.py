"""A partitioned table in a query: the rows of its leaves, under its own columns.

    FROM t AS r1        FROM (SELECT "a", "b", _rid, 16390 AS _leaf FROM s1_16390 UNION ALL SELECT "a", "b", _rid, 16395 ... ) AS r1

So whoever runs the query (what it reads, what must be there, what it locks out) knows of leaves alone. `_leaf` is `tableoid`, and it
is by `_leaf` and `_rid` that a statement which writes knows its rows.

Which leaves a query needs is said by its WHERE: a column of a key that is equal to, or below, or above a constant or a parameter.
Constants decide when a statement is planned, parameters each time that it runs (`executor.session.pruning`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planner import types as t
from planner.abc import Const, Lookup, Param, PartUse, RelationUse, Slot, Table
from planner.binding import ir, keyed
from planner.binding.fragments import Item, Piece, quote_name
from planner.partitioning import leaves_of, router

if TYPE_CHECKING:
    from planner.binding.scope import Relation
    from planner.binding.state import QueryState

LEAF = "_leaf"
_TURNED = {"=": "=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_NUMBERS = (t.INT2, t.INT4, t.INT8)


def is_one(relation: Relation) -> bool:
    """Whether the relation's rows are those of leaves."""
    return relation.table is not None and relation.table.partitioning is not None and not relation.only


def home(relation: Relation) -> list[Item]:
    """Of a statement that writes: which leaf a row is of, behind all that its query yields."""
    return [f"r{relation.number}.{LEAF} AS {LEAF}"] if is_one(relation) else []


def note(queries: QueryState, relations: Sequence[Relation], where: ir.Node | None) -> None:
    """Remembers what a WHERE asks of the keys of partitioned tables."""
    for relation in relations:
        if is_one(relation) and where is not None:
            found = tuple(_asked(queries, relation, where))
            if found:
                queries.parts_asked[relation.number] = found


def _asked(
    queries: QueryState, relation: Relation, where: ir.Node
) -> Iterator[tuple[int, str, tuple[Any, ...]]]:
    """(position of a column, comparison, values of which one is it)."""
    table = relation.table
    assert table is not None
    places = router(queries.ctx.catalog, table).all_places()
    for c in keyed.conjuncts(where):
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
    outputs = ", ".join([*(quote_name(n) for n in names), *(("_rid",) if use.with_rid else ())])
    pieces: list[Piece] = ["("]
    uses: list[RelationUse] = []
    for leaf in leaves:
        where = {c.name: i for i, c in enumerate(leaf.columns)}
        slot = f"{use.slot}_{leaf.oid}"
        mine = tuple(sorted(where[n] for n in names))
        made = replace(
            use, slot=slot, table=leaf, columns=mine, ranges=_ranges(table, leaf, use.ranges), part=part
        )
        uses.append(made)
        shown = f"{outputs}, " if outputs else ""
        pieces += [
            " UNION ALL " if len(pieces) > 1 else "",
            f"SELECT {shown}{leaf.oid} AS {LEAF} FROM ", Slot(slot), " AS tw_leaf",
        ]  # fmt: skip
    if not leaves:
        empty = [
            f"CAST(NULL AS {t.duckdb_type(table.columns[i].type)}) AS {quote_name(table.columns[i].name)}"
            for i in positions
        ]
        empty.append(f"CAST(NULL AS BIGINT) AS _rid, 0 AS {LEAF}")
        pieces.append(f"SELECT {', '.join(empty)} WHERE false")
    pieces.append(")")
    return [p for p in pieces if p != ""], uses


def _ranges(table: Table, leaf: Table, ranges: tuple[Lookup, ...] | None) -> tuple[Lookup, ...] | None:
    """What is read of the primary key, where the leaf's is the same."""
    if not ranges:
        return ranges
    mine = [leaf.columns[i].name for i in leaf.key_indexes]
    return ranges if mine == [table.columns[i].name for i in table.key_indexes] else None


__all__ = ["LEAF", "home", "is_one", "note", "written"]
