"""Bounds of partitions as PostgreSQL shows them, and the conditions that they mean.

Bound(lower=("1",), upper=("10",))      FOR VALUES FROM (1) TO (10)            relpartbound, by pg_get_expr
                                        ((a IS NOT NULL) AND (a >= 1) AND (a < 10))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planner import types as t
from planner.abc import Column, Table, TypeRef
from planner.catalog.catalog import Catalog
from planner.catalog.names import quote_identifier
from planner.catalog.system.definitions import expression_shown
from planner.partitioning import Placing
from planner.partitions import WORDS, Bound
from planner.records import replace
from planner.types.oids import BOOL, INT4, NUMERIC

Named = Callable[[TypeRef], str]
"""What types are called: as they are shown, or so that each is found on any path."""
_ENDS = {-1: "MINVALUE", 1: "MAXVALUE"}


def _literal(text: str, column: Column) -> str:
    """A constant as PostgreSQL's get_const_expr has it where nobody asks for its type."""
    oid = t.base_of(column.type).oid
    if text[:1].isdigit() and (oid == INT4 or (oid == NUMERIC and any(c in "eE." for c in text))):
        return text
    if oid == BOOL:
        return "true" if text == "t" else "false"
    return "'" + text.replace("'", "''") + "'"


def bound_text(bound: Bound, columns: Sequence[Column], strategy: str) -> str:
    """FOR VALUES ..., or DEFAULT."""
    if bound.default:
        return "DEFAULT"
    if strategy == "h":
        return f"FOR VALUES WITH (modulus {bound.modulus}, remainder {bound.remainder})"
    if strategy == "l":
        shown = ("NULL" if v is None else _literal(v, columns[0]) for v in bound.values)
        return f"FOR VALUES IN ({', '.join(shown)})"

    def edge(texts: Sequence[str], ends: Sequence[int]) -> str:
        return ", ".join(
            _ENDS.get(end) or _literal(text, c) for text, end, c in zip(texts, ends, columns, strict=True)
        )

    return (
        f"FOR VALUES FROM ({edge(bound.lower, bound.lower_ends)}) TO ({edge(bound.upper, bound.upper_ends)})"
    )


def shown_bound(catalog: Catalog, table: Table) -> str | None:
    """A partition's, as \\d shows it."""
    if table.partition is None:
        return None
    parent = catalog.table(table.partition.parent)
    key = parent.partitioning
    assert key is not None
    columns = [parent.columns[parent.index_of(n)] for n in key.columns]
    return bound_text(table.partition.bound, columns, key.strategy)


def _typed(text: str, column: Column, named: Named) -> str:
    """A constant in a condition, with its type where the text alone does not say it."""
    literal = _literal(text, column)
    oid = t.base_of(column.type).oid
    if literal[0] != "'" or oid == BOOL:
        return literal
    return f"{literal}::{named(t.base_of(column.type))}"


def asked_of_rows(column: Column) -> str:
    """A column of a key in SQL over the rows: one that nobody can name is its expression."""
    return f"({column.default})" if column.hidden else quote_identifier(column.name)


def shown_keys(catalog: Catalog | None, table: Table, *, pretty: bool = False) -> list[str]:
    """The columns and expressions of a partitioned table's key, as PostgreSQL writes them."""
    assert table.partitioning is not None
    columns = [table.columns[table.index_of(n)] for n in table.partitioning.columns]
    return [
        expression_shown(table, c.default or "", catalog, pretty) if c.hidden else quote_identifier(c.name)
        for c in columns
    ]


def condition_text(
    bound: Bound,
    columns: Sequence[Column],
    strategy: str,
    shown: Sequence[str] | None = None,
    named: Named = t.format_type,
) -> str:
    """What a bound asks of a row, LIST's and RANGE's, as SQL over the key's columns. `shown`: how they are written."""
    names = shown or [asked_of_rows(c) for c in columns]
    if strategy == "l":
        values = [_typed(v, columns[0], named) for v in bound.values if v is not None]
        tests = []
        if len(values) == 1:
            tests = [f"{names[0]} = {values[0]}"]
        elif values:
            tests = [f"{names[0]} = ANY (ARRAY[{', '.join(values)}])"]
        if None in bound.values:
            return f"(({names[0]} IS NULL) OR ({tests[0]}))" if tests else f"({names[0]} IS NULL)"
        return f"(({names[0]} IS NOT NULL) AND ({tests[0]}))"
    return f"({' AND '.join([*_present(names), *_edges(bound, columns, names, named)])})"


def _present(names: Sequence[str]) -> list[str]:
    return [f"({n} IS NOT NULL)" for n in names]


def _edges(
    bound: Bound, columns: Sequence[Column], names: Sequence[str], named: Named = t.format_type
) -> list[str]:
    """What a range asks at its lower and its upper edge; an edge that is open asks nothing.

    Where both edges begin with the same values, every row of the range has these: `a = 1 AND b >= 5 AND b < 9`.
    """
    placing, same = Placing(columns), 0
    low, high = placing.lower(bound), placing.upper(bound)
    while same < len(names) and low[same] == high[same] and not bound.lower_ends[same]:
        same += 1
    alike = [f"({names[i]} = {_typed(bound.lower[i], columns[i], named)})" for i in range(same)]
    names, columns = names[same:], columns[same:]
    lower = _beyond(names, columns, bound.lower[same:], bound.lower_ends[same:], ">", named)
    upper = _beyond(names, columns, bound.upper[same:], bound.upper_ends[same:], "<", named)
    return [*alike, *(test for test in (lower, upper) if test)]


def _outside_ranges(others: Sequence[Bound], columns: Sequence[Column], names: Sequence[str]) -> str:
    """What the default among ranges asks: that the keys are NULL is said once, then each range's edges."""
    ranges = []
    for bound in sorted(others, key=Placing(columns).lower):
        edges = _edges(bound, columns, names) or ["true"]
        ranges.append(edges[0] if len(edges) == 1 else f"({' AND '.join(edges)})")
    inside = ranges[0] if len(ranges) == 1 else f"({' OR '.join(ranges)})"
    return f"(NOT ({' AND '.join([*_present(names), inside])}))"


def _outside_lists(others: Sequence[Bound], columns: Sequence[Column], names: Sequence[str]) -> str:
    """What the default among lists asks: none of the values that any other lists, in their order."""
    listed = sorted(
        {v for o in others for v in o.values if v is not None}, key=lambda v: Placing(columns).value(0, v)
    )
    nulls = (None,) if any(None in o.values for o in others) else ()
    taken = replace(others[0], values=(*nulls, *listed))
    return f"(NOT {condition_text(taken, columns, 'l', names)})"


def _beyond(
    names: Sequence[str],
    columns: Sequence[Column],
    texts: Sequence[str],
    ends: Sequence[int],
    sign: str,
    named: Named,
) -> str:
    """The comparison with one edge of a range, column by column; empty: nothing is asked."""
    alternatives: list[str] = []
    before: list[str] = []
    for i, (name, column, text, end) in enumerate(zip(names, columns, texts, ends, strict=True)):
        if end:
            if (end < 0) == (sign == ">"):  # all values of this column are beyond
                alternatives.append(" AND ".join(before) if before else "true")
            break
        last = i == len(names) - 1
        # All rows with this value are within, if the next column's bound is open to that side.
        all_within = not last and (ends[i + 1] < 0) == (sign == ">") and ends[i + 1] != 0
        operator = sign + ("=" if all_within or (last and sign == ">") else "")
        value = _typed(text, column, named)
        alternatives.append(" AND ".join([*before, f"({name} {operator} {value})"]))
        before.append(f"({name} = {value})")
        if all_within:
            break
    if not alternatives:
        return "false"
    if "true" in alternatives:
        return ""
    if len(alternatives) == 1:
        return alternatives[0]
    return "(" + " OR ".join(f"({a})" if " AND " in a else a for a in alternatives) + ")"


def key_text(catalog: Catalog, table: Table) -> str | None:
    """pg_get_partkeydef."""
    if table.partitioning is None:
        return None
    names = shown_keys(catalog, table)
    for place, said in enumerate(table.partitioning.collations):
        names[place] += f" COLLATE {quote_identifier(said)}" if said else ""
    return f"{WORDS[table.partitioning.strategy]} ({', '.join(names)})"


def _bare(shown: str) -> str:
    """A key's expression where it is one among others: in one pair of parentheses, not in two."""
    return shown[1:-1] if shown.startswith("((") and shown.endswith("))") else shown


def constraint_text(catalog: Catalog, table: Table) -> str | None:
    """pg_get_partition_constraintdef: what all tables above ask of the rows."""
    if table.partition is None:
        return None
    tests: list[str] = []
    at = table
    while at.partition is not None:
        parent = catalog.table(at.partition.parent)
        key = parent.partitioning
        assert key is not None
        columns = [parent.columns[parent.index_of(n)] for n in key.columns]
        bound, shown = at.partition.bound, [_bare(x) for x in shown_keys(catalog, parent)]
        if key.strategy == "h":
            cells = ", ".join(shown)
            test = (
                f"satisfies_hash_partition('{parent.oid}'::oid, {bound.modulus}, {bound.remainder}, {cells})"
            )
        elif bound.default:
            others = [
                o.partition.bound
                for o in catalog.partitions_of(parent.oid)
                if o.partition is not None and not o.partition.bound.default
            ]
            if not others:
                at = parent
                continue
            outside = _outside_ranges if key.strategy == "r" else _outside_lists
            test = outside(others, columns, shown)
        else:
            test = condition_text(bound, columns, key.strategy, shown)
        tests.insert(0, test)
        at = parent
    flat = [x[1:-1] if x.startswith("((") and len(tests) > 1 and " OR " not in x else x for x in tests]
    return None if not flat else flat[0] if len(flat) == 1 else f"({' AND '.join(flat)})"
