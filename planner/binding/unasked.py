"""Columns of queries in FROM that nobody asks for, where each of them would be a query of its own.

    SELECT count(*) FROM (SELECT id, (SELECT name FROM users u WHERE u.id = p.author) AS name FROM posts p) x
    SELECT count(*) FROM (SELECT r1.id AS c0, NULL AS c1 FROM ...) AS r3

PostgreSQL leaves them out: their queries are not asked, nor can they fail. To DuckDB such a query is a join, which is made for nothing.
Whether anybody asks shows when the statement is finished, so the text of such a column stands between two marks (`Unasked`) until then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.binding import ir
from planner.binding.fragments import Frag, Piece, Ref, Unasked, sql

if TYPE_CHECKING:
    from planner.binding.emit import Emitter
    from planner.binding.state import Parts


def marked(
    emitter: Emitter, parts: Parts, outputs: Sequence[Frag]
) -> tuple[list[Frag], list[tuple[int, int]]]:
    """The columns' texts, queries among them between marks, and which column has which mark."""
    made, marks = list(outputs), list[tuple[int, int]]()
    within = set(emitter.marks.values())
    for i, x in enumerate(parts.targets):
        walked = list(ir.walk(x.node))
        if not any(
            isinstance(n, ir.SubQuery) or (isinstance(n, ir.Var) and Ref(n.relation, n.column) in within)
            for n in walked
        ):
            continue
        if any(isinstance(n, ir.SetReturning) for n in walked):
            continue
        emitter.marked += 1
        mark = emitter.marked
        marks.append((i, mark))
        made[i] = sql(Unasked(mark, True), outputs[i], Unasked(mark, False), form=outputs[i].form)
    return made, marks


def named(emitter: Emitter, marks: Sequence[tuple[int, int]], relation: int) -> None:
    """The columns are those of this relation."""
    for column, mark in marks:
        emitter.marks[mark] = Ref(relation, column)


def without(emitter: Emitter, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """A finished text without such columns, and without the marks. What one column left out had asked for may be another."""
    if not emitter.marked:
        return pieces
    left = set(emitter.marks)
    while True:
        asked = {p for p in pieces if isinstance(p, Ref)}
        gone = {m for m in left if emitter.marks[m] not in asked}
        if not gone:
            return tuple(p for p in pieces if not isinstance(p, Unasked))
        left -= gone
        pieces = _cut(pieces, gone)


def _cut(pieces: tuple[Piece, ...], gone: set[int]) -> tuple[Piece, ...]:
    kept: list[Piece] = []
    within = -1  # the mark whose end is looked for
    for p in pieces:
        if within >= 0:
            if isinstance(p, Unasked) and p.mark == within:
                within = -1
        elif isinstance(p, Unasked) and p.mark in gone:
            kept.append("NULL")
            within = p.mark
        else:
            kept.append(p)
    return tuple(kept)


__all__ = ["marked", "named", "without"]
