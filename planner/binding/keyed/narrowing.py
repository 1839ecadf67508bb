"""What is asked of a join's rows makes the join smaller before it is made: of outer joins inner ones, of a query's rows those of a key.

    posts p LEFT JOIN comments c ON c.post_id = p.id WHERE c.author_id = $1      no row that c has nothing for passes: JOIN

    users u LEFT JOIN (SELECT author_id, count(*) FROM posts GROUP BY author_id) n ON n.author_id = u.id WHERE u.id = $1
                      (SELECT author_id, count(*) FROM posts WHERE author_id = [u.id] GROUP BY author_id)

Mappers write both by the dozen: what belongs to a row is joined to it by LEFT JOIN whatever else is asked, and counted in a subquery
of its own. PostgreSQL's planner does the first; the second it answers with the whole grouping, or not at all by key.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from planner import types as t
from planner.binding import ir
from planner.binding.keyed import closed_set
from planner.binding.keyed import expressions as keyed
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.scope import FromStep
    from planner.binding.state import Parts

PUSHED: Final = -15
"""The values that a query's columns are asked to be equal to, as a relation."""


def inner_where_asked(steps: Sequence[FromStep], where: ir.Node | None) -> tuple[FromStep, ...]:
    """The steps, of which those are no outer joins any more whose rows of nulls would not pass."""
    made = list(steps)
    asked = keyed.conjuncts(where)
    asked += [c for s in made if not s.outer for n in s.on for c in keyed.conjuncts(n)]
    changed = any(s.outer for s in made)
    while changed:
        changed = False
        for i, step in enumerate(made):
            if step.outer and any(_refuses_nulls(c, step.relation.number) for c in asked):
                made[i] = replace(step, outer=False)
                asked += [c for n in step.on for c in keyed.conjuncts(n)]
                changed = True
    return tuple(made)


def _refuses_nulls(node: ir.Node, relation: int) -> bool:
    """Whether a condition is not true of a row in which the relation's columns are all null, as can be seen."""
    if isinstance(node, ir.Logic) and node.op in ("is not null", "is true", "is false"):
        return _is_null_then(node.args[0], relation)
    if isinstance(node, ir.Logic) and node.op == "or":
        return all(_refuses_nulls(a, relation) for a in node.args)
    if isinstance(node, ir.Logic) and node.op == "and":
        return any(_refuses_nulls(a, relation) for a in node.args)
    if isinstance(node, ir.AnyAll):
        return not node.all and _refuses_nulls(node.compare, relation)
    return isinstance(node, ir.Call | ir.Var) and _is_null_then(node, relation)


def _is_null_then(node: ir.Node, relation: int) -> bool:
    """Whether it is null where the relation's columns are."""
    if isinstance(node, ir.Var):
        return node.relation == relation
    if isinstance(node, ir.Cast | ir.Collated):
        return node.type.oid not in (t.RECORD, t.RECORD_ARRAY) and _is_null_then(node.arg, relation)
    if isinstance(node, ir.Call) and node.op in closed_set.KEYED_OPS and "distinct" not in node.op:
        return any(_is_null_then(a, relation) for a in node.args)
    return False


class Equality(NamedTuple):
    """What is asked of a query's rows: a comparison of one of its columns with a value that is known before."""

    column: int
    compare: ir.Call
    value: ir.Node


def equalities(asked: Iterable[ir.Node], relation: int, known: dict[int, int]) -> list[Equality]:
    """Those among what is asked, one for each column, by column."""
    found: dict[int, Equality] = {}
    for c in asked:
        said = keyed.comparison(c, relation, known)
        if said is not None and said[1] == "=" and isinstance(c, ir.Call):
            column = said[0]
            sides = [
                any(isinstance(n, ir.Var) and n.relation == relation for n in ir.walk(a)) for a in c.args
            ]
            if sides.count(True) == 1:
                found.setdefault(column, Equality(column, c, c.args[sides.index(False)]))
    return [found[column] for column in sorted(found)]


def narrowed(
    parts: Parts, relation: int, wanted: Sequence[Equality]
) -> tuple[Parts, tuple[Equality, ...]] | None:
    """A query of which only the rows are asked for that have such values, and by which of them; None: what it has of each row depends
    on others."""
    below = parts.below
    if parts.limit is not None or parts.offset is not None or parts.distinct_on is not None or parts.ties:
        return None
    if (below is None and parts.grouped) or (below is not None and len(below.sets) != 1):
        return None
    nodes = [n for x in parts.targets for n in ir.walk(x.node)]
    windows = [n for n in nodes if isinstance(n, ir.Window)]
    if any(isinstance(n, ir.SetReturning) for n in nodes):
        return None
    tests: list[ir.Node] = []
    used: list[Equality] = []
    for one in wanted:
        node: ir.Node | None = parts.targets[one.column].node
        if any(node not in w.partition for w in windows):
            continue
        if below is not None:
            key = isinstance(node, ir.Var) and node.relation == parts.grouping and node.column < below.keys
            node = below.columns[node.column] if key else None  # type: ignore[union-attr]
        if node is not None:
            tests.append(_compared(one, relation, node, len(used)))
            used.append(one)
    if not used:
        return None
    where = parts.asked_of_rows
    return parts.asking_of_rows(ir.all_of(tests if where is None else [where, *tests])), tuple(used)


def _compared(one: Equality, relation: int, node: ir.Node, place: int) -> ir.Call:
    """The comparison, of what the column is in the query with the value that it is given."""

    def of_column(n: ir.Node) -> ir.Node:
        if isinstance(n, ir.Var) and n.relation == relation:
            return node
        return ir.replace_children(n, of_column)

    value = ir.Var(one.value.type, PUSHED, place)
    return replace(
        one.compare, args=tuple(value if a is one.value else of_column(a) for a in one.compare.args)
    )


__all__ = ["PUSHED", "Equality", "equalities", "inner_where_asked", "narrowed"]
