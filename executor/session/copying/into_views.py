"""COPY FROM into a view that INSTEAD OF triggers write: each row is an INSERT into the view, in the COPY's transaction.

    COPY seen (a, b) FROM STDIN        INSERT INTO seen (a, b) VALUES ($1, $2), planned once and run for each row

A view has no rows of its own to be written in bulk: what becomes of a row its triggers say. Triggers of whole statements would fire for
each row, so a view that has any is refused.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from executor.abc import CopyIn, CopyOptions, ExecutionError
from executor.columnar.rows import batch_rows, canonical_batch
from executor.session.copying.loads import Load, refuse_read_only
from planner import triggers
from planner.abc import ResultColumn, SqlError
from planner.catalog import View
from planner.lexer import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from executor.session.blocks.block import Block
    from executor.session.session import Session


def is_written_by_triggers(view: View) -> bool:
    return any(x.bits & triggers.INSTEAD and x.bits & triggers.INSERT for x in view.triggers)


def begin(session: Session, view: View, names: Sequence[str], options: CopyOptions) -> CopyIn:
    """Raises 0A000 for a view with triggers of whole statements, 42701, and 25006 in a block that only reads."""
    if any(x.bits & triggers.INSERT and not x.bits & triggers.ROW for x in view.triggers):
        raise ExecutionError(
            "0A000", "COPY FROM into a view with triggers of whole statements is not supported"
        )
    shown = {c.name: c for c in view.columns}
    for i, name in enumerate(names):
        if name in names[:i]:
            raise ExecutionError("42701", f'column "{name}" specified more than once')
    columns = tuple(ResultColumn(n, shown[n].type) for n in names or shown)
    own = session.block is None
    block = session.block or session.open_block(implicit=True)
    if block.read_only:
        refuse_read_only(session, own=own)
    load = _Load(session, block, view, columns, own=own)
    return CopyIn(columns, options, load.write, load.finish, load.abort, view.name, progress=load.progress)


class _Load(Load):
    """Each is written when it has come."""

    def __init__(
        self, session: Session, block: Block, view: View, columns: tuple[ResultColumn, ...], *, own: bool
    ) -> None:
        super().__init__(session, block, view.oid, own=own)
        self._types = [c.type for c in columns]
        schema = session.catalog.schema_of(view.schema_oid).name
        names = ", ".join(quoted(c.name) for c in columns)
        values = ", ".join(f"${i + 1}" for i in range(len(columns)))
        self._text = f"INSERT INTO {quoted(schema)}.{quoted(view.name)} ({names}) VALUES ({values})"

    async def _take(self, batch: pa.RecordBatch) -> None:
        session, oids = self._session, [ref.oid for ref in self._types]
        for row in batch_rows(canonical_batch(batch, self._types), self._types):
            plan, _ = session.executor.planner.plan(self._text, session.context(), oids, normalise=False)
            try:
                await session.run_plan(plan, tuple(row), autocommit=False)
            except SqlError as error:
                error.which = partial(int, self.progress.tuples_processed)
                raise
            self.progress.tuples_processed += 1


__all__ = ["begin", "is_written_by_triggers"]
