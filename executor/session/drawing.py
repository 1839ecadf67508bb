"""What each row that INSERT ... SELECT finds by keys draws: a serial's number, an identity, `gen_random_uuid()`.

    INSERT INTO log (job, what) SELECT id, 'done' FROM jobs WHERE id = $1        log.id is a serial

    look-ups     (NULL, 7, 'done')          how many rows there are is known first
    drawn        (41, 7, 'done')            so as many numbers are reserved, and none is lost when a block of them ends in between

A look-up that turns out to be DuckDB's after all has drawn nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from executor.keyed.compile import compile_tuple
from executor.session.commands import NeedsLease
from planner.abc import Call, Const, Expr
from storage.abc import Datum, Row

if TYPE_CHECKING:
    from executor.session.session import Session


class Draws:
    """What the rows of one query draw, compiled."""

    def __init__(self, said: Sequence[tuple[int, Expr]]) -> None:
        """Raises NotCompilable."""
        self.said = id(said)
        """Tells what one query of a plan draws from what another does, whoever has compiled it."""
        values = [e for _, e in said]
        self._places = [i for i, _ in said]
        self._make = compile_tuple(values)
        self._sequences = Counter(_sequences(values))

    async def beside(self, session: Session, params: Sequence[Datum], rows: Sequence[Row]) -> Sequence[Row]:
        """The rows with what each of them draws, in order, or has drawn before the statement came to the wide door. Raises what `nextval`
        raises."""
        drawn = session.drawn_in_parts.pop(self.said, None)
        if drawn is not None and len(drawn) == len(rows):
            return self.again(rows, drawn)
        while True:
            try:
                return self.at_once(session, params, rows)
            except NeedsLease as lease:
                await session.executor.sequences.lease(session, lease.sequence_oid, lease.count)

    def at_once(self, session: Session, params: Sequence[Datum], rows: Sequence[Row]) -> Sequence[Row]:
        """The same without waiting. Raises NeedsLease before anything is drawn."""
        for oid, count in self._sequences.items() if rows else ():
            session.reserve_values(oid, count * len(rows))
        out: list[Row] = []
        for row in rows:
            made: list[Any] = list(row)
            for i, value in zip(self._places, self._make(params, None, session), strict=True):
                made[i] = value
            out.append(tuple(made))
        return out

    def again(self, rows: Sequence[Row], drawn: Sequence[Row]) -> Sequence[Row]:
        """Rows with what as many others have drawn before."""
        out: list[Row] = []
        for row, before in zip(rows, drawn, strict=True):
            made: list[Any] = list(row)
            for i in self._places:
                made[i] = before[i]
            out.append(tuple(made))
        return out


def _sequences(values: Iterable[Expr]) -> Iterable[int]:
    for e in values:
        if isinstance(e, Call):
            if e.op == "nextval" and isinstance(e.args[0], Const):
                yield e.args[0].value
            yield from _sequences(e.args)


__all__ = ["Draws"]
