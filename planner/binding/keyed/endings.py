"""What a SELECT makes of the rows that keys have found: groups and aggregates, and an order, as the keyed engine does them.

    SELECT status, count(*) + 1 FROM orders WHERE customer = $1 GROUP BY status HAVING sum(price) > 9 ORDER BY 2

    of each row     status, 1, price                 keys, then what is folded
    of each group   status, count, sum               HAVING, ORDER BY and the targets are about these

Above the grouping a query is bound over the grouping's relation already (`planner.binding.grouping`), so that row is all there
is to be known of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from planner.abc import Call, Expr, Groups, OrderKey
from planner.binding import ir
from planner.binding.keyed import catalog as keyed_catalog
from planner.binding.keyed import closed_set, key_conditions, ordered_sets
from planner.binding.keyed import expressions as keyed

if TYPE_CHECKING:
    from planner.binding.scope import FromStep
    from planner.binding.state import Parts


WINDOWS: Final = -13
"""What windows come to, as a relation (`planner.binding.keyed.windows`)."""
_DEVIATIONS: Final = ("stddev_samp", "stddev_pop", "var_samp", "var_pop")


def _folds() -> dict[str, str]:
    found = {"count()": "count", "count(any)": "count", "sum(int8)": "sum big", "sum(numeric)": "sum numeric"}
    found |= dict.fromkeys(("sum(int2)", "sum(int4)"), "sum")
    found |= dict.fromkeys(("avg(int2)", "avg(int4)", "avg(int8)", "avg(numeric)"), "avg")
    found |= {"bool_and(bool)": "all", "every(bool)": "all", "bool_or(bool)": "any"}
    found |= {"sum(float8)": "sum float8", "avg(float8)": "avg float8", "sum(interval)": "sum interval"}
    for name, kind in (("stddev", "stddev_samp"), ("variance", "var_samp"), *((k, k) for k in _DEVIATIONS)):
        found |= {f"{name}({x})": kind for x in ("int2", "int4", "int8", "numeric")}
        found[f"{name}(float8)"] = f"{kind} float8"
    for way in ("min", "max"):
        for kind in ("int2", "int4", "int8", "oid", "text", "date", "time", "timestamp", "timestamptz"):
            found[f"{way}({kind})"] = way
        for kind in ("numeric", "float4", "float8", "interval"):
            found[f"{way}({kind})"] = f"{way} {kind}"
    return found


_FOLDS: Final = _folds()
"""Aggregates that are computed over a few values with no overflow in sight."""


def grouped(
    parts: Parts, offsets: Mapping[int, int], counted: Expr
) -> tuple[tuple[Expr, ...], Groups, Mapping[int, int]]:
    """(what is taken of each row, its groups, where the grouping's columns are in their rows). Raises NotKeyed.

    `counted`: what is never null, for `count(*)`.
    """
    below = parts.below
    if below is None or (len(below.sets) != 1 and not below.keys):
        raise keyed.NotKeyed("grouping sets without a key")
    sets = below.sets if len(below.sets) > 1 else ()
    if not below.columns:
        raise keyed.NotKeyed("HAVING alone")  # one group whatever the rows are, which are not read
    taken: list[Expr] = []
    folds: list[str] = []
    for i, node in enumerate(below.columns):
        if i < below.keys:
            assert node is not None
            if not keyed_catalog.is_alike(node.type.oid):
                raise keyed.NotKeyed("equality of the key")
            taken.append(keyed.expression(node, offsets))
        elif isinstance(node, ir.Aggregate):
            argument, name = fold(node, offsets, counted)
            taken.append(argument)
            folds.append(name)
        elif node is None:
            raise keyed.NotKeyed("GROUPING")
        else:
            taken.append(keyed.expression(node, offsets))
            folds.append("first")
    places = {parts.grouping: 0, WINDOWS: len(taken)}
    above = keyed.WithQueries(places) if isinstance(offsets, keyed.WithQueries) else places
    condition = key_conditions.condition([] if parts.where is None else [parts.where], above)
    outputs = tuple(keyed.expression(x.node, above) for x in parts.targets)
    if not outputs:
        raise keyed.NotKeyed("no outputs")
    return tuple(taken), Groups(below.keys, tuple(folds), condition, outputs, not below.keys, sets), above


def fold(node: ir.Aggregate, offsets: Mapping[int, int], counted: Expr) -> tuple[Expr, str]:
    """(what is taken of each row, the name of the fold). `counted`: as above. Raises NotKeyed."""
    gathered = keyed_catalog.gathered(node, lambda n: keyed.expression(n, offsets))
    if gathered is not None and isinstance(offsets, keyed.WithQueries):
        return gathered
    in_order = ordered_sets.within(node, lambda n: keyed.expression(n, offsets))
    if in_order is not None:
        return in_order
    if node.op not in _FOLDS or any(isinstance(n, ir.Collated) for n in ir.walk(node)):
        raise keyed.NotKeyed(node.op)
    if node.order or node.direct:
        raise keyed.NotKeyed("an ordered aggregate")
    name = _FOLDS[node.op]
    if node.distinct:
        if name != "count" or node.args[0].type.oid not in closed_set.KEY_TYPES:
            raise keyed.NotKeyed("a distinct aggregate")
        name = "count distinct"
    argument = keyed.expression(node.args[0], offsets) if node.args else counted
    if node.filter is not None:  # all these pass nulls by
        argument = Call("case", (keyed.expression(node.filter, offsets), argument), argument.type)
    return argument, name


def order_keys(keys: Sequence[ir.SortKey], offsets: Mapping[int, int]) -> tuple[OrderKey, ...]:
    """ORDER BY of values whose order is that of their datums. Raises NotKeyed."""
    made = []
    for k in keys:
        if k.expr.type.oid not in closed_set.SORTED_TYPES or any(
            isinstance(n, ir.Collated) for n in ir.walk(k.expr)
        ):
            raise keyed.NotKeyed("order")
        made.append(OrderKey(keyed.expression(k.expr, offsets), k.descending, k.nulls_first))
    return tuple(made)


def telling_apart(steps: Sequence[FromStep], parts: Parts) -> Sequence[ir.Node]:
    """The outputs that say whether rows of a DISTINCT are the same: of a table's columns its key, if that is among them, says what all are,
    of whatever types. Raises NotKeyed."""
    outputs = [x.node for x in parts.targets]
    returned = {(n.relation, n.column) for n in outputs if isinstance(n, ir.Var)}
    keys = {
        s.relation.number: s.relation.table.key_indexes
        for s in steps
        if s.relation.table is not None and s.relation.table.key_indexes and not s.handed
    }
    told = {n: key for n, key in keys.items() if all((n, i) in returned for i in key)}
    found = [
        n
        for n in outputs
        if not isinstance(n, ir.Var) or n.relation not in told or n.column in told[n.relation]
    ]
    if not all(map(equal_as_datums, found)):
        raise keyed.NotKeyed("equality of outputs")
    return found


def equal_as_datums(node: ir.Node) -> bool:
    """Whether values of it are equal if their datums are."""
    return node.type.oid in closed_set.KEY_TYPES and not any(
        isinstance(n, ir.Collated) for n in ir.walk(node)
    )


__all__ = ["WINDOWS", "equal_as_datums", "fold", "grouped", "order_keys", "telling_apart"]
