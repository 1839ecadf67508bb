"""One relation's rows for each row of those before it: the steps of a join by keys.

    points (o.customer)     one row, by the primary key, a UNIQUE constraint or an index
    a range                 of the primary key, or of an index's keys
    either                  the rows that any of several ways leads to, each once
    whole                   all rows of a small table, by a key of theirs or not
    a query's, handed on, the system's, spread lists

Where they are many (`ROWS_MAX`) it is DuckDB's turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from executor.keyed import whole_tables
from executor.keyed.compile import compile_condition, compile_expression, compile_key, compile_tuple
from executor.keyed.lookup import LookupPlan, compile_range, key_positions, of_list
from executor.keyed.ordering import alike_in
from executor.keyed.overlay import OverlayView
from executor.keyed.system_steps import of_system, spread
from executor.snapshot.abc import TooFarToLook
from planner.abc import Ask, Handed, JoinStep, Produced, Range, Table
from planner.keyed_plans import Either, Iterated, Recursed, Spread, SystemRows, Whole, key_types
from storage.abc import Row

if TYPE_CHECKING:
    from executor.keyed.join import Run

ROWS_MAX: Final = 1_000
"""Rows of a step that are looked up one by one sooner than DuckDB has begun."""


class Step:
    """One relation's rows for each row of those before it."""

    __slots__ = ("_ask", "_condition", "_find", "_nulls", "_passes")

    def __init__(self, step: JoinStep, number: int, *, first_step: bool) -> None:
        """`number`: of its table, if it is one."""
        self._condition = compile_condition(step.condition)
        self._passes = compile_condition(step.passes)
        self._nulls: Row | None = (None,) * step.width if step.outer else None
        self._ask: Callable[[Sequence[Any], Any, Row], Any]
        """(params, session, row so far) -> what is looked up; None: nothing can be found."""
        self._find: Callable[[Any, Run], Sequence[Row]]
        """Raises NoKeyedAnswer."""
        table, lookup = step.table, step.lookup
        if isinstance(lookup, Produced):
            given, produced = compile_tuple(lookup.given), lookup.number
            self._ask = lambda p, s, r: given(p, r, s)
            self._find = lambda asked, run: run.rows(produced, asked)
            return
        if isinstance(lookup, Recursed):
            recursed = lookup.number, lookup.base[0], lookup.step[0]
            alike = alike_in(lookup.types) if lookup.once else None
            self._ask = lambda _p, _s, _r: ()
            self._find = lambda _asked, run: run.recursed(*recursed, alike)
            return
        if isinstance(lookup, Iterated):
            iterated = lookup.number
            self._ask = lambda _p, _s, _r: ()
            self._find = lambda _asked, run: run.iterated[iterated]
            return
        if isinstance(lookup, Handed):
            slot = lookup.slot
            self._ask = lambda _p, _s, _r: ()
            self._find = lambda _asked, run: run.handed[slot]
            return
        if isinstance(lookup, SystemRows | Spread):
            self._ask, self._find = of_system(lookup) if isinstance(lookup, SystemRows) else spread(lookup)
            return
        assert table is not None
        with_rid = table if step.rid else None
        if isinstance(lookup, Whole):
            if lookup.columns:
                self._ask = compile_key(lookup.key, key_types(table, lookup.columns), arguments="p, s, r")
                self._find = whole_tables.of_key(lookup.columns, number, with_rid)
            else:
                self._ask = lambda _p, _s, _r: ()
                self._find = whole_tables.all_of(number, with_rid)
            return
        if isinstance(lookup, Either):
            ways = [
                Step(
                    replace(step, lookup=w.lookup, unique=w.unique, index=w.index),
                    number,
                    first_step=first_step,
                )
                for w in lookup.ways
            ]
            self._ask = lambda p, s, r: tuple([way._ask(p, s, r) for way in ways])
            self._find = _each_once([way._find for way in ways], itemgetter(*table.key_indexes))
            return
        if isinstance(lookup, Range):
            self._ask = compile_range(lookup, table, step.index or None)
            self._find = _in_index(table, step, number) if step.index else _in_range(number, with_rid)
            return
        positions = step.index or key_positions(table, step.unique)
        types = key_types(table, positions)
        one = _by_key(table, step, number)
        if isinstance(lookup.listed, Ask) and lookup.listed.kind == "list":  # keys; others are one array
            listed = compile_expression(lookup.listed)
            keys = of_list(lookup.beside, types, listed) if lookup.beside else listed
            self._ask = lambda p, s, r: tuple(keys(p, r, s))
        elif lookup.listed is not None or (first_step and len(lookup.keys) > 1):
            several = LookupPlan(table, lookup, step.unique, step.index or None)
            self._ask = lambda p, s, _r: tuple(several.asked_keys(p, s))
        else:
            self._ask = compile_key(lookup.keys[0], types, arguments="p, s, r")
            self._find = one
            return
        self._find = _by_keys(one)

    def joined(self, found: list[Row], run: Run, *, inner: bool) -> list[Row]:
        """The rows with this relation's beside them. Raises TooFarToLook where they are many, or were chosen from many. `inner`: of a
        subquery."""
        ask, find, condition, nulls = self._ask, self._find, self._condition, self._nulls
        params, session = run.params, run.session
        out: list[Row]
        if len(found) == 1 and nulls is None:  # as for the first relation, and most that a key leads to
            row = found[0]
            asked = ask(params, session, row)
            there: Sequence[Row] = () if asked is None else find(asked, run)
            out = [(*row, *hit) for hit in there]
            if condition is not None:
                out = [made for made in out if condition(params, made, session)]
            if len(out) > run.most or len(there) > (run.left if inner else run.looks):
                raise TooFarToLook
            if inner:
                run.looked_at(len(there))
            passes = self._passes
            return out if passes is None else [row for row in out if passes(params, row, session)]
        known: dict[Any, Sequence[Row]] = {}
        out = []
        looked_at, most, rows_max = 0, run.left if inner else run.looks, run.most
        for row in found:
            asked = ask(params, session, row)
            hits = () if asked is None else known.get(asked)
            if hits is None:
                hits = known[asked] = find(asked, run)
            before = len(out)
            for hit in hits:
                made = (*row, *hit)
                if condition is None or condition(params, made, session):
                    out.append(made)
            if nulls is not None and len(out) == before:
                out.append((*row, *nulls))
            looked_at += len(hits)
            if len(out) > rows_max or looked_at > most:
                raise TooFarToLook
        if inner:
            run.looked_at(looked_at)
        passes = self._passes
        return out if passes is None else [row for row in out if passes(params, row, session)]


_Find = Callable[[Any, Any], Sequence[Row]]


def _by_key(table: Table, step: JoinStep, number: int) -> _Find:
    """The rows of one key."""
    if step.index:
        columns, positions, rid = tuple(range(len(table.columns))), step.index, step.rid

        def by_index(key: Any, run: Run) -> Sequence[Row]:
            view = run.views[number]
            if isinstance(view, OverlayView):
                found = view.by_index(positions, key, run.ts, ROWS_MAX)
            else:
                found = run.images[number].index(positions).find(key, run.ts, ROWS_MAX, columns)
            if found is None:
                raise TooFarToLook
            return _with_rids(found, view, run, table) if rid else found

        return by_index
    oid = step.unique

    def by_unique(key: Any, run: Run) -> Sequence[Row]:
        held = run.views[number].find_unique(oid, key, run.ts)
        return () if held is None else (run.with_rid(table, *held[1:]) if step.rid else held[2],)

    def by_primary(key: Any, run: Run) -> Sequence[Row]:
        hit = run.views[number].get(key, run.ts)
        return () if hit is None else (run.with_rid(table, *hit) if step.rid else hit[1],)

    return by_unique if oid else by_primary


def _by_keys(one: _Find) -> _Find:
    def by_keys(keys: Sequence[Any], run: Run) -> Sequence[Row]:
        if len(keys) > ROWS_MAX:
            raise TooFarToLook
        found: list[Row] = []
        for key in keys:
            found += one(key, run)
            if len(found) > ROWS_MAX:
                raise TooFarToLook
        return found

    return by_keys


def _each_once(finds: Sequence[_Find], key_of: Callable[[Row], Any]) -> _Find:
    """The rows that any way leads to; each is known by its primary key."""

    def each_once(asked: Sequence[Any], run: Run) -> Sequence[Row]:
        found: dict[Any, Row] = {}
        for find, one in zip(finds, asked, strict=True):
            if one is not None:
                for row in find(one, run):
                    found[key_of(row)] = row
        return list(found.values())

    return each_once


def _in_range(number: int, with_rid: Table | None) -> _Find:
    def in_range(bounds: Any, run: Run) -> Sequence[Row]:
        low, high, low_inclusive, high_inclusive = bounds
        view, image = run.views[number], run.images[number]
        own = isinstance(view, OverlayView)
        if (view.count_at_most(bounds) if own else image.count_at_most(*bounds)) > ROWS_MAX:  # type: ignore[attr-defined]
            raise TooFarToLook
        hits = view.scan(low, high, run.ts, low_inclusive=low_inclusive, high_inclusive=high_inclusive)
        found = islice(hits, ROWS_MAX + 1)
        if with_rid is not None:
            rows = [run.with_rid(with_rid, rid, row) for _, rid, row in found]
        else:
            rows = [row for _, _, row in found]
        if len(rows) > ROWS_MAX:
            raise TooFarToLook
        return rows

    return in_range


def _in_index(table: Table, step: JoinStep, number: int) -> _Find:
    """The rows of a range of an index's keys."""
    positions, columns = step.index, tuple(range(len(table.columns)))

    def in_index(bounds: Any, run: Run) -> Sequence[Row]:
        view = run.views[number]
        if isinstance(view, OverlayView):
            found = view.between(positions, bounds, run.ts, ROWS_MAX)
        else:
            found = run.images[number].index(positions).between(bounds, run.ts, ROWS_MAX, columns)
        if found is None:
            raise TooFarToLook
        return _with_rids(found, view, run, table) if step.rid else found

    return in_index


def _with_rids(found: Sequence[Row], view: Any, run: Run, table: Table) -> Sequence[Row]:
    """Rows that an index has found, with their ids."""
    hits = (view.get(view.key_of(row), run.ts) for row in found)
    return [run.with_rid(table, *hit) for hit in hits if hit is not None]


__all__ = ["ROWS_MAX", "Step"]
