"""Aggregates of users at work: one group's rows, one after the other, through the transition function.

    state := initcond                       NULL without one; then a strict function begins with its first argument
    state := sfunc(state, arguments)        for each row; a strict one passes by those with NULLs
    finalfunc(state)

In a window a row's frame is mostly the last row's and more, so a batch of them goes on from the state that the last one ended with, as
PostgreSQL does while a frame's beginning stays where it is. Where frames are whole partitions, whose rows come in any order, it has the values of
those that it has met.

The calls are expressions over variables, as a program's are: Python's functions where the keyed engine knows what is in them, and runs of
the routine otherwise. What PostgreSQL's own functions are called for here is said by operators where they have no call of their own.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from executor.abc import ExecutionError
from executor.procedural.frame import Code, Frame
from executor.procedural.texts import Texts
from planner import types as t
from planner.abc import Oid, TypeRef
from planner.binding.facts import procs
from planner.binding.routines.own_aggregates import OVER, said_otherwise
from planner.catalog import AggregateParts, Function, quote_qualified, rights
from planner.statements import plpgsql as pl
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session

_ROWS_BETWEEN_LOOKS: Final = 64
_YIELD_AFTER_S: Final = 0.005
_ARRAY_APPEND: Final = 378
_FRAMES_KEPT: Final = 256
"""Whose values are remembered within a batch."""


@lru_cache(maxsize=1)
def _own() -> dict[Oid, tuple[str, bool]]:
    """PostgreSQL's functions: the name, and whether it is strict."""
    return {p.oid: (name, p.strict) for name, found in procs().items() for p in found}


def _call(session: Session, oid: Oid, arguments: Sequence[str]) -> tuple[str, bool]:
    """The text of a call, and whether the function is strict."""
    f = session.catalog.get(oid)
    if isinstance(f, Function):
        name = quote_qualified(session.catalog.schema_of(f.schema_oid).name, f.name)
        given = [f"VARIADIC {a}" if f.is_variadic and a is arguments[-1] else a for a in arguments]
        return f"{name}({', '.join(given)})", f.strict
    name, strict = _own()[oid]
    return said_otherwise(name, arguments) or f"pg_catalog.{name}({', '.join(arguments)})", strict


State = tuple[Datum, bool]
"""What a transition function has made, and whether there is anything yet: a strict one without initcond begins with its argument."""


class _Fold(Texts):
    """One aggregate's calls in one session."""

    folding = True

    def __init__(self, session: Session, code: Code, parts: AggregateParts, strict: bool) -> None:
        super().__init__(session, code, Frame(code))
        self.parts, self.strict, self.meant = parts, strict, parts.functions

    def listed(self, rows: Sequence[Sequence[Datum]]) -> Datum:
        """What array_append makes of all rows, at once."""
        return t.array_datum([row[0] for row in rows], self.parts.state.oid) if rows else self.parts.initial

    def at_once(self) -> bool:
        return self.parts.transition == _ARRAY_APPEND and self.parts.initial in (None, "{}")

    def first(self) -> State:
        parts = self.parts
        if parts.initial is None:
            return None, False
        return t.input_text(parts.initial, parts.state, self.session.type_settings), True

    async def state(self, step: pl.Text, rows: Sequence[Sequence[Datum]], before: State) -> State:
        """The state after these rows."""
        parts, values = self.parts, self.frame.values
        state, begun = before
        left, since = _ROWS_BETWEEN_LOOKS, time.monotonic()
        for row in rows:
            left -= 1
            if not left:
                left = _ROWS_BETWEEN_LOOKS
                if self.session.interrupted:
                    raise ExecutionError("57014", "canceling statement due to user request")
                if time.monotonic() - since > _YIELD_AFTER_S:
                    await asyncio.sleep(0)
                    since = time.monotonic()
            if self.strict:
                if None in row:
                    continue
                if not begun:
                    state, begun = row[0], True
                    continue
                if state is None:
                    break  # and stays so
            values[0], values[1 : 1 + len(row)] = state, row
            state = await self.value(step, parts.state)
        return state, begun


def _code(session: Session, f: Function) -> tuple[Code, pl.Text, pl.Text | None, bool]:
    """The calls of an aggregate as texts of a program without steps.

    As in PostgreSQL, who calls the aggregate needs no right to call its parts; who owns it does. Raises 42501.
    """
    key = "fold", f.oid
    catalog, path = session.catalog, session.search_path()
    known = session.programs.get(key)
    if known is not None and known[0] is f and known[1] is catalog and known[2] == path:
        return known[3]  # type: ignore[no-any-return]
    parts = f.aggregate
    assert parts is not None
    for oid in (parts.final, parts.transition):
        part = catalog.get(oid) if oid else None
        if isinstance(part, Function):
            rights.require(catalog, f.owner, part, "execute")
    names = ["state", *(f"argument{i}" for i in range(1, len(f.inputs) + 1))]
    level = pl.Level("", {name: i for i, name in enumerate(names)})
    text, strict = _call(session, parts.transition, names)
    step, final = pl.Text(text, 0, 0, level, len(names)), None
    if parts.final:
        text, _ = _call(session, parts.final, names if parts.final_extra else names[:1])
        final = pl.Text(text, 0, 1, level, len(names))
    body = pl.Nested(1, "", (), ())
    kinds = [parts.state, *(TypeRef(p.type.oid) for p in f.inputs)]
    code = Code(pl.Program("", body, len(names), 2, level), f.name, list(kinds), names, {})
    found = code, step, final, strict
    session.programs[key] = (f, catalog, path, found)
    return found


class Folds:
    """The folds of one batch, one after the other."""

    def __init__(self) -> None:
        self._last: tuple[int, pa.Array, State, str | None] | None = None
        """The aggregate, its rows, and what they came to."""
        self._met: OrderedDict[tuple[Any, ...], tuple[pa.Array, str | None]] = OrderedDict()
        """Frames by aggregate, length and ends: their rows, and the value."""

    async def folded(self, session: Session, f: Function, declared: str, rows: Any) -> str | None:
        """The aggregate's value of rows of texts, as text. Raises what its functions raise."""
        code, step, final, strict = _code(session, f)
        assert f.aggregate is not None
        fold = _Fold(session, code, f.aggregate, strict)
        more: Any = rows or ()
        before, over = fold.first(), declared == OVER
        if over and rows is not None and self._last is not None and not fold.at_once():
            oid, had, state, value = self._last
            if oid == f.oid and len(had) <= len(rows) and rows.slice(0, len(had)).equals(had):
                if len(had) == len(rows):
                    return value
                before, more = state, rows.slice(len(had)).to_pylist()
        key: tuple[Any, ...] = ()
        if over and rows is not None and len(rows):
            ends = (tuple(rows[i].as_py() or ()) for i in (0, len(rows) - 1))
            key = (f.oid, len(rows), *ends)
            met = self._met.get(key)
            if met is not None and met[0].equals(rows):
                self._met.move_to_end(key)
                return met[1]
        if over and rows is not None and more is rows:
            more = rows.to_pylist()
        settings, types = session.type_settings, [TypeRef(p.type.oid) for p in f.inputs]
        read = [
            [None if x is None else t.input_text(x, ref, settings) for x, ref in zip(row, types, strict=True)]
            for row in more
        ]
        after = (fold.listed(read), True) if fold.at_once() else await fold.state(step, read, before)
        result = TypeRef(f.result.oid)
        made = after[0]
        if final is not None:
            fold.frame.values[:] = [made, *([None] * len(types))]
            made = await fold.value(final, result)
        text = None if made is None else t.output_text(made, result, settings.exact)
        if over and rows is not None:
            self._last = f.oid, rows, after, text
        if key:
            self._met[key] = rows, text
            if len(self._met) > _FRAMES_KEPT:
                self._met.popitem(last=False)
        return text


__all__ = ["Folds"]
