"""What a WHERE says of keys: which rows of one table it pins, and what is left to ask of these.

    a = 1 AND b IN (2, 3) AND c > 4     key (a, b)    Points((1, 2), (1, 3)), left over: c > 4
    a = 1 AND b > $1 AND b <= $2        key (a, b)    Range((1,), low=$1, high=$2)
    a = 1 AND b = ANY ($1)              key (a, b)    Points(listed=$1, beside=(1, None))
    (a, b) > (1, 2)                     key (a, b)    Range((), low=1), left over: all of it

`known` are relations whose rows are there before this one's (joins): keys may be made of their columns. What cannot be
told, or computed by the keyed engine, raises NotKeyed.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from planner import types as t
from planner.abc import Ask, Const, Expr, Lookup, Param, Points, Range, Table, TypeRef
from planner.binding import ir
from planner.binding.keyed import beginnings
from planner.binding.keyed.expressions import (
    ELEMENT,
    NONE_KNOWN,
    NotKeyed,
    WithQueries,
    comparison,
    conjuncts,
    expression,
    in_groups,
    query_type,
)

_STEPS_MAX: Final = 8
"""Columns of a page's beginning, written out."""
POINTS_MAX: Final = 1000
"""Key combinations of one statement; more are read by DuckDB."""


def _alternatives(
    node: ir.Node, relation: int, key: Sequence[int], known: Mapping[int, int]
) -> dict[tuple[int, ...], list[tuple[ir.Node, ...]]] | None:
    """Which key columns a conjunct pins, and to which values: `a = 1`, `a IN (1, 2)`, `(a, b) IN ((1, 2))`."""
    options = list(node.args) if isinstance(node, ir.Logic) and node.op == "or" else [node]
    columns: tuple[int, ...] | None = None
    values: list[tuple[ir.Node, ...]] = []
    for option in options:
        found: dict[int, ir.Node] = {}
        for c in conjuncts(option):
            made = comparison(c, relation, known, of_key=True)
            if made is None or made[1] != "=" or made[0] not in key or made[0] in found:
                return None
            found[made[0]] = made[2]
        ordered = tuple(sorted(found))
        if columns is not None and ordered != columns:
            return None
        columns = ordered
        values.append(tuple(found[c] for c in ordered))
    return None if columns is None else {columns: values}


def mentioned(where: ir.Node | None, relation: int) -> frozenset[int]:
    """The columns of a relation that anything is asked of: keys of others need not be looked for."""
    if where is None:
        return frozenset()
    return frozenset([n.column for n in ir.walk(where) if type(n) is ir.Var and n.relation == relation])


def find_points(
    table: Table,
    relation: int,
    where: ir.Node | None,
    unique: Sequence[int] | None = None,
    known: Mapping[int, int] = NONE_KNOWN,
) -> tuple[Points, list[ir.Node]]:
    """The keys that a WHERE pins, and the conjuncts that are left over. Raises NotKeyed.

    `unique`: the positions of another key than the primary one. `known`: where the columns of the relations that have
    their rows already begin in the row: the keys may be made of them.
    """
    key = tuple(unique) if unique is not None else table.key_indexes
    if not key or where is None:
        raise NotKeyed("no key")
    pinned: dict[int, None] = {}
    groups: list[tuple[tuple[int, ...], list[tuple[ir.Node, ...]]]] = []
    rest: list[ir.Node] = []
    for c in conjuncts(where):
        found = _alternatives(c, relation, key, known)
        if found is None or any(x in pinned for columns in found for x in columns):
            rest.append(c)
            continue
        for columns, values in found.items():
            pinned.update(dict.fromkeys(columns))
            groups.append((columns, values))
    if set(pinned) != set(key):
        raise NotKeyed("the key is not pinned")
    total = 1
    for _, values in groups:
        total *= len(values)
    if total > POINTS_MAX:
        raise NotKeyed("too many keys")
    keys: list[tuple[Expr, ...]] = []
    for combination in itertools.product(*(values for _, values in groups)):
        row: dict[int, ir.Node] = {}
        for (columns, _), chosen in zip(groups, combination, strict=True):
            row.update(zip(columns, chosen, strict=True))
        keys.append(tuple([expression(row[k], known) for k in key]))
    return Points(_each_once(keys)), rest


def _each_once(keys: Sequence[tuple[Expr, ...]]) -> tuple[tuple[Expr, ...], ...]:
    if all(type(e) in (Param, Const) for key in keys for e in key):
        return tuple(dict.fromkeys(keys))
    found: list[tuple[Expr, ...]] = []
    for key in keys:  # what may be whole queries is compared, which ends soon
        if key not in found:
            found.append(key)
    return tuple(found)


def find_listed(
    table: Table,
    relation: int,
    where: ir.Node | None,
    unique: Sequence[int] | None = None,
    known: Mapping[int, int] = NONE_KNOWN,
) -> tuple[Points, list[ir.Node]]:
    """The same for `a = ANY (array)`, where `a` is the key, or its other columns are equal to one value each: `tenant = $1 AND id = ANY ($2)`.

    Raises NotKeyed. `known`: of no rows, but there may be subqueries.
    """
    key = tuple(unique) if unique is not None else table.key_indexes

    def in_array(c: ir.Node) -> tuple[int, Expr] | None:
        said = _in_array(c, relation, key)
        if said is None:
            return None
        if isinstance(c, ir.SubQuery) and not isinstance(said[1], ir.Parm | ir.Lit):
            return None
        return said[0], expression(said[1], known)

    return _listed(relation, where, key, known, in_array)


def _in_array(c: ir.Node, relation: int, key: Sequence[int]) -> tuple[int, ir.Node] | None:
    """(column of the key, the array that it has to be in) of `a = ANY (array)` and `a IN (SELECT unnest(array))`."""
    array: ir.Node | None = None
    elements = ELEMENT
    if isinstance(c, ir.AnyAll) and not c.all:
        array = c.array
    elif isinstance(c, ir.SubQuery) and c.kind == "any" and c.by_key is not None and not c.outer:
        array, elements = c.by_key.array(), {c.relation: 0}
    if array is None or c.compare is None:  # type: ignore[attr-defined]
        return None
    made = comparison(c.compare, relation, elements)  # type: ignore[attr-defined]
    if made is None or made[0] not in key or made[1] != "=" or not isinstance(made[2], ir.Var):
        return None
    return made[0], array


def _listed(
    relation: int,
    where: ir.Node | None,
    key: Sequence[int],
    known: Mapping[int, int],
    list_of: Callable[[ir.Node], tuple[int, Expr] | None],
) -> tuple[Points, list[ir.Node]]:
    """The keys of which one column is in a list. Raises NotKeyed. `list_of`: that column and the list, if a conjunct says it."""
    found: tuple[int, Expr] | None = None
    equal: dict[int, ir.Node] = {}
    rest: list[ir.Node] = []
    for c in conjuncts(where):
        one = list_of(c) if found is None else None
        if one is not None:
            found = one
            continue
        made = comparison(c, relation, known, of_key=True) if len(key) > 1 else None
        if made is not None and made[1] == "=" and made[0] in key and made[0] not in equal:
            equal[made[0]] = made[2]
        else:
            rest.append(c)
    if found is None or found[0] in equal or {found[0], *equal} != set(key):
        raise NotKeyed("no list of keys")
    if len(key) == 1:
        return Points((), found[1]), rest
    beside = tuple(None if k == found[0] else expression(equal[k], known) for k in key)
    return Points((), found[1], beside), rest


def _implied(node: ir.Node, relation: int, known: Mapping[int, int]) -> tuple[int, str, ir.Node] | None:
    """`a <= 1` of `a < 1 OR a = 1 AND b < 2`, which is what `(a, b) < (1, 2)` says; of `a < $1 OR a = $2 AND b < $3` the greater."""
    if not isinstance(node, ir.Logic) or node.op != "or" or not 2 <= len(node.args) <= _STEPS_MAX:
        return None
    heads = (comparison(a, relation, known) for a in node.args)
    first = next((h for h in heads if h is not None and h[1] not in ("=", "<>")), None)
    if first is None:
        return None
    column, op, value = first
    bounds = [value]
    for arg in node.args:
        said = [c for c in (comparison(x, relation, known) for x in conjuncts(arg)) if c is not None]
        mine = [c[2] for c in said if c[0] == column and c[1] in ("=", op[0], op[0] + "=")]
        if not mine or mine[0].type != value.type:
            return None
        if mine[0] not in bounds:
            bounds.append(mine[0])
    if len(bounds) > 1:
        value = ir.Logic(value.type, "greatest" if op[0] == "<" else "least", tuple(bounds))
    return column, op[0] + "=", value


def find_range(
    table: Table,
    relation: int,
    where: ir.Node | None,
    known: Mapping[int, int] = NONE_KNOWN,
    index: Sequence[int] | None = None,
) -> tuple[Range, list[ir.Node]]:
    """A prefix of the key pinned, and bounds on the next column; the rest of WHERE. Raises NotKeyed.

    `index`: the positions of an index's columns, instead of the primary key's.
    """
    key = tuple(index) if index is not None else table.key_indexes
    if not key:
        raise NotKeyed("no key")
    equal: dict[int, ir.Node] = {}
    bounds: dict[tuple[int, str], tuple[ir.Node, bool]] = {}
    claimed: dict[int, list[ir.Node]] = {}
    alike: dict[int, tuple[str, ir.Node]] = {}
    """Columns of texts that begin alike."""
    rest: list[ir.Node] = []
    asked = conjuncts(where)
    for c in asked:
        made = comparison(c, relation, known, of_key=index is None)
        if made is None or made[0] not in key:
            rest.append(c)
            implied = _implied(c, relation, known)
            if implied is not None and implied[0] in key:
                column, op, value = implied
                bounds.setdefault((column, "high" if op == "<=" else "low"), (value, True))
            start = beginnings.begun(c, relation, known)
            if start is not None and start[0] in key:
                alike.setdefault(start[0], start[1:])
            continue
        column, op, value = made
        side = {"<": "high", "<=": "high", ">": "low", ">=": "low"}.get(op)
        if op == "=" and column not in equal:
            equal[column] = value
        elif side is not None and (column, side) not in bounds:
            bounds[column, side] = (value, op.endswith("="))
        else:
            rest.append(c)
            continue
        claimed.setdefault(column, []).append(c)
    places = {id(c): i for i, c in enumerate(asked)}
    prefix: list[Expr] = []
    for k in key:
        if k not in equal:
            break
        prefix.append(expression(equal[k], known))
    used = set(key[: len(prefix)])
    low = high = None
    low_in = high_in = True
    if len(prefix) < len(key):
        at = key[len(prefix)]
        if (at, "low") in bounds:
            low, low_in = expression(bounds[at, "low"][0], known), bounds[at, "low"][1]
        if (at, "high") in bounds:
            high, high_in = expression(bounds[at, "high"][0], known), bounds[at, "high"][1]
        if low is None and high is None and at in alike:
            low, high = beginnings.ends(*alike[at], known)
            low_in, high_in = True, False
        if at not in equal:
            used.add(at)
    for column, nodes in claimed.items():
        for c in nodes:
            made = comparison(c, relation, known, of_key=index is None)
            assert made is not None
            pinned_equal = column in key[: len(prefix)] and made[1] == "="
            bounded = len(prefix) < len(key) and column == key[len(prefix)] and made[1] not in ("=", "<>")
            if not pinned_equal and not bounded:
                rest.append(c)
    rest.sort(key=lambda c: places[id(c)])  # what policies ask comes before what the statement asks
    return Range(tuple(prefix), low, low_in, high, high_in), rest


def find_lookup(table: Table, relation: int, where: ir.Node | None) -> tuple[Lookup, list[ir.Node]]:
    """Points, or else a range that begins and ends with a pinned column or between two bounds. Raises NotKeyed."""
    try:
        return find_points(table, relation, where)
    except NotKeyed:
        found, rest = find_range(table, relation, where)
        if not found.prefix and (found.low is None or found.high is None):
            raise NotKeyed("an open range") from None
        return found, rest


def condition(rest: Sequence[ir.Node], offsets: Mapping[int, int]) -> Expr | None:
    """What WHERE asks beyond the key."""
    made = [expression(r, offsets) for r in rest]
    if not made:
        return None
    return made[0] if len(made) == 1 else in_groups("and", tuple(made), TypeRef(t.BOOL))


def read_ranges(table: Table, relation: int, where: ir.Node | None) -> tuple[Lookup, ...] | None:
    """What a columnar query reads of a table, for conflict detection; None: all of it."""
    try:
        points, _ = find_points(table, relation, where)
    except NotKeyed:
        with contextlib.suppress(NotKeyed):
            listed, _ = find_listed(table, relation, where)
            if isinstance(listed.listed, Param | Const) and not any(
                isinstance(e, Ask) for e in listed.beside
            ):
                return (listed,)
        try:
            found, _ = find_range(table, relation, where)
        except NotKeyed:
            return None
        if not found.prefix and found.low is None and found.high is None:
            return None
        return (found,)
    return (points,)


def find_members(
    relation: int, where: ir.Node | None, key: Sequence[int], known: Mapping[int, int]
) -> tuple[Points, list[ir.Node]]:
    """The same for `a IN (subquery)`. Raises NotKeyed."""

    def in_query(c: ir.Node) -> tuple[int, Expr] | None:
        if not isinstance(c, ir.SubQuery) or c.kind != "any" or c.compare is None:
            return None
        made = comparison(c.compare, relation, {c.relation: 0})
        if made is None or made[0] not in key or made[1] != "=" or not isinstance(made[2], ir.Var):
            return None
        among = _list(c, known)
        return None if among is None else (made[0], among)

    return _listed(relation, where, key, known, in_query)


def _list(node: ir.SubQuery, known: Mapping[int, int]) -> Ask | None:
    if node.by_key is None or not isinstance(known, WithQueries):
        return None
    query = node.by_key.plan(node.outer_from)
    given = tuple(expression(o, known) for o in node.outer)
    return Ask("list", node.by_key.number, query, given, query_type(node))
