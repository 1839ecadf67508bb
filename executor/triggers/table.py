"""The triggers of one definition of a table or view, compiled: by event and time, with their conditions.

They hang on the definition, so whoever defines the table anew gets new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from executor.constraints.rules import Bound
from executor.keyed.compile import NotCompilable, compile_condition, compile_tuple
from executor.session import queries, relations
from executor.session.returned import versions
from executor.snapshot.columns import rows_to_arrays
from planner import triggers
from planner import types as t
from planner.abc import Table, Trigger, TypeRef
from planner.binding.writes import trigger_conditions
from planner.catalog import Catalog, View
from planner.catalog.reads import Remembered
from storage.abc import Row

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

import pyarrow as pa

Holder = Table | View

_EVENTS: Final = (triggers.INSERT, triggers.DELETE, triggers.UPDATE, triggers.TRUNCATE)
_BOOL: Final = TypeRef(t.BOOL)
_CONDITIONS_MAX: Final = 1_000


def fires(holder: Holder, event: int, columns: Collection[int] = ()) -> bool:
    """Whether a statement may fire any trigger. `columns`: the row positions that an UPDATE sets."""
    return any(
        x.bits & event and x.enabled != "D" and (event != triggers.UPDATE or names(holder, x, columns))
        for x in holder.triggers
    )


def names(holder: Holder, trigger: Trigger, columns: Collection[int]) -> bool:
    """Whether UPDATE OF lets a trigger fire where these row positions are set."""
    if not trigger.columns:
        return True
    return any(holder.columns[i].attnum in trigger.columns for i in columns)


class TableTriggers:
    """See the module."""

    def __init__(self, holder: Holder, bind: Callable[[Catalog, Table, str], Bound]) -> None:
        self.holder = holder
        self.rows = trigger_conditions.rows_of(holder)
        """What its rows are."""
        self._compiled: Remembered[Any] = Remembered(_CONDITIONS_MAX)
        """What tests each trigger's WHEN, as long as what it calls and reads is as it was."""
        self._places = tuple(i for i, c in enumerate(self.rows.columns) if not c.hidden)
        self._all_shown = len(self._places) == len(self.rows.columns)
        self.seen = self.rows if self._all_shown else replace(self.rows, columns=self.rows.visible)
        """What they are to trigger functions, to which nobody shows the columns that unique indexes are made of."""
        self.generated = tuple(i for i, c in enumerate(self.rows.columns) if c.generated)
        self._bind = bind
        self._computes: Remembered[Any] = Remembered(1)

    def heeded(
        self, event: int, when: int, *, row: bool, replica: bool, columns: Collection[int] = ()
    ) -> tuple[Trigger, ...]:
        """Those that fire for an event, in their order."""
        return tuple(
            x
            for x in triggers.of(self.holder.triggers, event, when, row)
            if triggers.is_heeded(x, replica) and (event != triggers.UPDATE or names(self.holder, x, columns))
        )

    def shown(self, row: Row | None) -> Row | None:
        """A row as functions see it."""
        if self._all_shown or row is None:
            return row
        return tuple(row[i] for i in self._places)

    def whole(self, row: Row | None) -> Row | None:
        """A row of a function's with the columns that it has not seen: generated ones, which `completed` computes."""
        if self._all_shown or row is None:
            return row
        values = dict(zip(self._places, row, strict=True))
        return tuple(values.get(i) for i in range(len(self.rows.columns)))

    # --- WHEN ------------------------------------------------------------------------------

    async def passes(
        self, session: Session, block: Block, trigger: Trigger, old: Row | None, new: Row | None
    ) -> bool:
        """Whether WHEN lets the trigger fire for a row, or for the statement where there is none."""
        if not trigger.condition:
            return True
        test = self._compiled.of(
            session.catalog, trigger.oid, lambda seen: self._test(session, trigger, seen)
        )
        nulls = (None,) * len(self.rows.columns)
        if callable(test):
            return bool(test((), (old or nulls) + (new or nulls), session))
        extra = {slot: (self.rows, self._given(row or nulls)) for slot, row in (("old", old), ("new", new))}
        found = await queries.arrow(session, block, test, (), [_BOOL], extra, begins=False)
        return bool(found.num_rows and found.column(0)[0].as_py())

    def _test(self, session: Session, trigger: Trigger, seen: Catalog) -> Any:
        """A function of the row `old + new`, or a query."""
        context = replace(session.trusted_context(), catalog=seen)
        made = trigger_conditions.planned(context, self.rows, trigger.condition)
        if made.expression is not None:
            try:
                return compile_condition(made.expression)
            except NotCompilable:
                pass
            made = trigger_conditions.planned(context, self.rows, trigger.condition, prefer_keyed=False)
        assert made.query is not None
        return made.query

    def _given(self, row: Row) -> pa.Table:
        schema = relations.physical_schema(self.rows)
        arrays = rows_to_arrays([row], schema.types[:-1])
        rids = pa.array([0], pa.int64())
        return versions(pa.table([*arrays, rids], schema=schema), rids, False)

    # --- generated columns -----------------------------------------------------------------

    def without_generated(self, row: Row) -> Row:
        """NEW as BEFORE triggers see it: its generated columns are not computed yet."""
        if not self.generated:
            return row
        return tuple(None if i in self.generated else v for i, v in enumerate(row))

    def computes(self, session: Session) -> bool:
        """Whether `completed` asks no query."""
        return self._computed(session) is not False

    def _computed(self, session: Session) -> Any:
        return self._computes.of(session.catalog, (), self._computing)

    async def completed(self, session: Session, block: Block, row: Row) -> Row:
        """The row with its generated columns computed."""
        if not self.generated:
            return row
        computed = self._computed(session)
        if computed is not False:
            for places, compute in computed:
                values = iter(compute((), row, session))
                row = tuple(next(values) if i in places else v for i, v in enumerate(row))
            return row
        from executor.columnar.rows import batch_rows
        from executor.session.copying.staging import written_rows
        from executor.session.row_queries import recomputed

        made = await recomputed(session, block, self.rows, written_rows(self.rows, [row]))
        return batch_rows(made, [c.type for c in self.rows.columns])[0]

    def _computing(self, seen: Catalog) -> Any:
        """What computes the generated columns of a row, and from these what unique indexes are made of; False where only DuckDB can."""
        computing = []
        for hidden in (False, True):
            places = tuple(i for i in self.generated if self.rows.columns[i].hidden is hidden)
            expressions = []
            for i in places:
                column = self.rows.columns[i]
                text = f"CAST(({column.default}) AS {t.format_type(column.type)})"
                expression, _ = self._bind(seen, self.rows, text)
                if expression is None:
                    return False
                expressions.append(expression)
            try:
                computing += [(places, compile_tuple(tuple(expressions)))] if places else []
            except NotCompilable:
                return False
        return computing


def wants_transition(found: Iterable[Trigger]) -> bool:
    """Whether some of them look at all rows of the statement."""
    return any(x.old_table or x.new_table for x in found)
