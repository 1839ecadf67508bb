"""What becomes of a few rows that were found by key: GROUP BY and aggregates, ORDER BY, DISTINCT, OFFSET and LIMIT.

rows  -->                                in order  -->  outputs  -->  once each  -->  some of them
rows  -->  keys, arguments  -->  groups  -->  in order  -->  what is made of them  -->  some        max(n) + 1

A group is what is alike in its keys: as SQL says, not as datums are (`normal_form`); NULL is like NULL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any, Final

from executor.abc import ExecutionError
from executor.keyed.compile import Compiled, compile_condition, compile_expression, compile_tuple
from executor.keyed.folds import columns_of, fold_of, folded
from executor.keyed.ordering import Alike, alike_in, compiled_order, in_order
from executor.keyed.windows import Windows
from executor.snapshot.abc import TooFarToLook
from planner.abc import Expr, Groups, KeyedJoin, KeyedRead
from storage.abc import Row

PROJECTED_S_MAX: Final = 0.5
_AT_ONCE: Final = 32
"""Rows between looks at the clock."""


class Ending:
    """The compiled end of a read by key."""

    __slots__ = ("_firsts", "_groups", "_limit", "_offset", "_once", "_order", "_windows", "plain")

    def __init__(self, body: KeyedRead | KeyedJoin) -> None:
        """Raises NotCompilable."""
        self._groups = _Grouping(body.groups, body.outputs) if body.groups is not None else None
        self._order = compiled_order(body.order)
        self._windows: Windows | None = None
        """What is computed of all rows together, before they are put in order."""
        outputs = body.groups.outputs or body.outputs if body.groups is not None else body.outputs
        self._once = alike_in([e.type for e in outputs]) if body.distinct else None
        self._limit = compile_expression(body.limit) if body.limit is not None else None
        self._offset = compile_expression(body.offset) if body.offset is not None else None
        if isinstance(body, KeyedJoin) and body.windows:
            self._windows = Windows(body.windows)
        firsts = body.firsts if isinstance(body, KeyedJoin) else ()
        self._firsts = compile_tuple(firsts) if firsts else None
        parts = self._groups, self._windows, self._once, self._limit, self._offset, self._firsts
        self.plain = not self._order and all(part is None for part in parts)
        """Nothing becomes of the rows but outputs."""

    def rows(
        self,
        found: list[Row],
        project: Compiled | None,
        params: Sequence[Any],
        session: Any,
        left_out: int = 0,
        *,
        grouped: bool = False,
    ) -> Sequence[Row]:
        """The result's rows. `project`: None if the rows are the outputs already. `left_out`: so many before them are not among them.

        `grouped`: what is grouped is groups already (`groups`).
        """
        if self.plain and not left_out:
            return found if project is None else _projected(found, project, params, session)
        groups = self._groups
        if groups is not None:
            found = found if grouped else groups.rows(found, project, params, session)
            project = groups.project
        return self._ended(found, project, params, session, left_out)

    @property
    def is_one_group(self) -> bool:
        """Whether all rows are folded into one."""
        return self._groups is not None and self._groups.is_one

    def of_columns(
        self, columns: Sequence[Sequence[Any]], count: int, params: Sequence[Any], session: Any
    ) -> Sequence[Row]:
        """The same of `count` rows, where all are one group, that stand in columns."""
        groups = self._groups
        assert groups is not None
        return self._ended(
            groups.of_columns(columns, count, params, session), groups.project, params, session
        )

    def _ended(
        self,
        found: list[Row],
        project: Compiled | None,
        params: Sequence[Any],
        session: Any,
        left_out: int = 0,
    ) -> Sequence[Row]:
        if self._windows is not None:
            found = self._windows.rows(found, params, session)
        found = in_order(found, self._order, params, session)
        if self._firsts is not None:
            firsts = self._firsts
            found = _firsts(found, lambda row: firsts(params, row, session))
        if self._once is None:
            found = self._some(found, params, session, left_out)
        if project is not None:
            found = _projected(found, project, params, session)
        return found if self._once is None else self._some(_firsts(found, self._once), params, session)

    def groups(
        self, found: list[Row], project: Compiled | None, params: Sequence[Any], session: Any
    ) -> list[Row]:
        """The groups that these rows are, if rows are grouped: all of each."""
        return found if self._groups is None else self._groups.rows(found, project, params, session)

    def _some(self, rows: list[Row], params: Sequence[Any], session: Any, left_out: int = 0) -> list[Row]:
        start, stop = bounds(self._offset, self._limit, params, session)
        if left_out:
            start, stop = start - left_out, None if stop is None else stop - left_out
        return rows if start == 0 and stop is None else rows[start:stop]


def _projected(found: list[Row], project: Compiled, params: Sequence[Any], session: Any) -> list[Row]:
    """What is computed of the rows. Raises TooFarToLook where that takes long: documents may be large, and all sessions wait."""
    if len(found) <= _AT_ONCE:
        return [project(params, row, session) for row in found]
    end = perf_counter() + PROJECTED_S_MAX
    made: list[Row] = []
    for i in range(0, len(found), _AT_ONCE):
        made += [project(params, row, session) for row in found[i : i + _AT_ONCE]]
        if perf_counter() > end:
            raise TooFarToLook
    return made


def _firsts(rows: list[Row], alike: Alike) -> list[Row]:
    """Of rows that are alike the first one."""
    found: dict[Any, Row] = {}
    for row in rows:
        found.setdefault(alike(row), row)
    return list(found.values())


class _Grouping:
    """Rows into groups, and what is folded of each."""

    __slots__ = ("_alike", "_condition", "_folds", "_keys", "_sets", "_single", "project")

    def __init__(self, groups: Groups, outputs: Sequence[Expr]) -> None:
        self._keys, self._single = groups.keys, groups.single
        self._sets = tuple(frozenset(places) for places in groups.sets)
        self._folds = tuple(fold_of(name) for name in groups.folds)
        self._alike = alike_in([e.type for e in outputs[: groups.keys]])
        self._condition = compile_condition(groups.condition)
        self.project = compile_tuple(groups.outputs) if groups.outputs else None

    def rows(
        self, found: list[Row], project: Compiled | None, params: Sequence[Any], session: Any
    ) -> list[Row]:
        made = found if project is None else _projected(found, project, params, session)
        keys, folds, out = self._keys, self._folds, []
        if not keys:
            return self.of_columns(columns_of(made, len(folds)), len(made), params, session)
        alike = self._alike
        for rows_of_set, alone in self._by_sets(made):
            groups: dict[Any, list[Row]] = {}
            for row in rows_of_set:
                groups.setdefault(alike(row), []).append(row)
            for rows in groups.values():
                row = folded(folds, columns_of([r[keys:] for r in rows], len(folds)))
                out.append((*rows[0][:keys], *row))
            if alone and not groups:
                out.append((*(None,) * keys, *folded(folds, columns_of([], len(folds)))))
        return self._passed(out, params, session)

    def _by_sets(self, made: Sequence[Row]) -> Iterator[tuple[Sequence[Row], bool]]:
        """The rows for each grouping set, with null in place of keys that it does not have, and whether it has none: all rows are
        one group then, also where there is none."""
        if not self._sets:
            yield made, False
            return
        for places in self._sets:
            missing = [i for i in range(self._keys) if i not in places]
            if not missing:
                yield made, False
                continue
            rows = [list(row) for row in made]
            for row in rows:
                for i in missing:
                    row[i] = None
            yield [tuple(row) for row in rows], not places

    @property
    def is_one(self) -> bool:
        """Whether there are no keys."""
        return not self._keys

    def of_columns(
        self, columns: Sequence[Sequence[Any]], count: int, params: Sequence[Any], session: Any
    ) -> list[Row]:
        """The one group of `count` rows that stand in columns."""
        return self._passed([folded(self._folds, columns)] if count or self._single else [], params, session)

    def _passed(self, out: list[Row], params: Sequence[Any], session: Any) -> list[Row]:
        condition = self._condition
        return out if condition is None else [row for row in out if condition(params, row, session)]


def bounds(
    offset: Compiled | None, limit: Compiled | None, params: Sequence[Any], session: Any
) -> tuple[int, int | None]:
    """Which rows OFFSET and LIMIT leave: from, to (None: all that follow). Raises 2201W, 2201X."""
    count = limit(params, None, session) if limit is not None else None
    if count is not None and count < 0:
        raise ExecutionError("2201W", "LIMIT must not be negative")
    skipped = offset(params, None, session) if offset is not None else None
    if skipped is not None and skipped < 0:
        raise ExecutionError("2201X", "OFFSET must not be negative")
    start = skipped or 0
    return start, None if count is None else start + count


__all__ = ["Ending", "bounds"]
