"""A program at work: its steps one after another, each text planned when it is first reached.

    BEGIN INSERT INTO t VALUES (1); EXCEPTION WHEN unique_violation THEN n := n + 1; END

    savepoint  ->  INSERT  -> release
                      \\-- 23505 -> roll back to the savepoint, release, the handler's steps

All of it is done in the session's block, as parts of the statement that called it. A block with EXCEPTION is a subtransaction;
where it fails without a handler that takes the error, the statement fails. Steps answer how they ended: None goes on with the next
one, a word says what is being left.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from executor.abc import ExecutionError, Rows, Stream
from executor.procedural import diagnostics, raising
from executor.procedural.cursors import CursorSteps, Open
from executor.procedural.frame import Code, Frame
from executor.procedural.inside import INSIDE
from executor.procedural.loops import LoopSteps
from executor.procedural.misplaced import Misplaced
from executor.procedural.result_rows import columns_of, first_rows, rows_of
from executor.procedural.returns import Returns
from executor.procedural.texts import executed
from executor.session.blocks import transactions
from executor.session.values import statement_us
from planner import source_places
from planner import statements as st
from planner import types as t
from planner.abc import Plan, SqlError, TypeRef
from planner.binding.routines.variables import kind_of
from planner.statements import plpgsql as pl

if TYPE_CHECKING:
    from executor.session.session import Session

Ended = str | None
EXIT, CONTINUE, RETURN = "exit", "continue", "return"
YIELD_AFTER_S: Final = 0.005
"""A program that waits for nothing lets others have the loop after so long."""
_STEPS_BETWEEN_LOOKS: Final = 64
_PROGRAMS_BETWEEN_LOOKS: Final = 16
"""Short ones, such as triggers of thousands of rows, have no step at which to look."""
BOOL, TEXT, INT8 = TypeRef(t.BOOL), TypeRef(t.TEXT), TypeRef(t.INT8)


class Walk(CursorSteps, LoopSteps):
    """One execution of a program. `atomic`: its transaction is not its own to end."""

    def __init__(self, session: Session, code: Code, frame: Frame, *, atomic: bool = True) -> None:
        super().__init__(session, code, frame)
        self.atomic = atomic
        self.label = ""
        """What EXIT and CONTINUE are about."""
        self.line, self.what = 0, ""
        self.cursors: dict[str, Open] = {}
        self.tells_cursors = False
        """It returns a refcursor: its cursors outlive it."""
        self.result: Any = None
        self.emitted: list[Any] = []
        """RETURN NEXT's and RETURN QUERY's rows."""
        self.returns: Returns | None = None
        self.handled: list[SqlError] = []
        """The errors whose handlers run, the innermost last."""
        self._told: SqlError | None = None
        """The error that has this program's place in its context already."""
        self._subtransactions = 0
        self.left = _STEPS_BETWEEN_LOOKS
        """So many steps until it is time to breathe."""
        self.found = code.program.outer.slots["found"]
        frame.kinds[self.found] = BOOL
        frame.values[self.found] = False

    @property
    def in_subtransaction(self) -> bool:
        return self._subtransactions > 0

    async def whole(self) -> Ended:
        """The whole program. Raises what its steps raise, with where that was as context."""
        walks = self.session.walks
        walks.append(self)
        self.session.programs_begun += 1
        try:
            if not self.session.programs_begun % _PROGRAMS_BETWEEN_LOOKS:
                await self.breathe()
            ended = await self.nested(self.code.program.body)
            if self.cursors and self.tells_cursors:
                await self.leave_open()
            return ended
        except SqlError as error:
            raise self.at(error) from None
        finally:
            walks.remove(self)
            if self.cursors:
                await self.close_all()

    def at(self, error: SqlError) -> SqlError:
        """An error with this program's place in its context."""
        if error is not self._told:
            where = self.place()
            error.context = f"{error.context}\n{where}" if error.context else where
            self._told = error
        return error

    def place(self) -> str:
        """Where this program is."""
        where = f"PL/pgSQL function {self.code.shown}"
        if not self.what:
            return where
        if self.what.startswith("while"):
            return f"{where} {self.what}"
        at = "" if self.what.startswith("during") else "at "
        return f"{where} line {self.line} {at}{self.what}"

    async def breathe(self) -> None:
        """Between steps: others have the loop now and then, and a cancel request is heard."""
        self.left = _STEPS_BETWEEN_LOOKS
        if self.session.interrupted and INSIDE.get() == self.session.pid:
            raise ExecutionError("57014", "canceling statement due to user request")
        session = self.session
        if time.monotonic() - session.breathed_at > YIELD_AFTER_S:
            await asyncio.sleep(0)
            session.breathed_at = time.monotonic()

    async def steps(self, steps: Sequence[pl.Step]) -> Ended:
        for step in steps:
            self.left -= 1
            if not self.left:
                await self.breathe()
            ended = await _STEPS[type(step)](self, step)
            if ended is not None:
                return ended
        return None

    # --- blocks ------------------------------------------------------------------------------------------

    async def nested(self, block: pl.Nested) -> Ended:
        for v in block.variables:
            self.line, self.what = v.line, "during statement block local variable initialization"
            await self._declare(v)
        ended = await self._guarded(block) if block.handlers else await self.steps(block.steps)
        if ended is EXIT and self.label and self.label == block.label:
            self.label = ""
            return None
        return ended

    async def _declare(self, v: pl.Variable) -> None:
        frame, kind = self.frame, self.code.kinds[v.slot]
        frame.kinds[v.slot], frame.values[v.slot] = kind, None
        if v.query is not None:
            frame.values[v.slot] = v.name  # what the cursor will be called
        if v.default is None:
            if v.slot in self.code.domains:
                await self.obey(None, self.code.domains[v.slot])
            return
        line = self.line
        if isinstance(kind, TypeRef):
            value = await self.value(v.default, kind)
            if value is None:
                self.refuse_null(v.slot)
            await self.give(v.slot, value)
        else:
            await self.assign_record(v.slot, v.default, first=True)
            if frame.values[v.slot] is None:
                self.refuse_null(v.slot)
        self.line = line

    async def _guarded(self, block: pl.Nested) -> Ended:
        session = self.session
        assert session.block is not None
        self._subtransactions += 1
        name = f"\0pl {session.routine_depth} {self._subtransactions}"  # no name of SQL's
        transactions.savepoint(session, session.block, name)
        try:
            ended = await self.steps(block.steps)
        except (SqlError, asyncio.CancelledError) as raised:
            self._subtransactions -= 1
            stopped = not isinstance(raised, SqlError) or (raised.sqlstate == "57014" and session.interrupted)
            error = session.told_to_stop() if stopped else raised
            if not isinstance(error, SqlError):
                raise
            self.at(error)
            handler = next((h for h in block.handlers if raising.takes(h, error)), None)
            if handler is None:
                raise
            if stopped:
                await session.go_on()
            self.session.conceal(error)  # whoever handles it may say its DETAIL
            transactions.roll_back_to(session, session.block, name)
            transactions.release(session, session.block, name)
            self.handled.append(error)
            state, text = block.said
            self.frame.values[state], self.frame.values[text] = error.sqlstate, error.message
            try:
                return await self.steps(handler.steps)
            finally:
                self.handled.pop()
        transactions.release(session, session.block, name)
        self._subtransactions -= 1
        return ended

    # --- statements ------------------------------------------------------------------------------------------

    async def _sql(self, step: pl.RunSql) -> Ended:
        self.line, self.what = step.line, "SQL statement"
        plan, result = await self.statement(step.text)
        await self._taken(plan, result, step.into, lambda: diagnostics.given_to(self, step.text))
        return None

    async def _taken(
        self,
        plan: Plan,
        result: Any,
        into: pl.Into | None,
        given: Callable[[], diagnostics.Given],
        *,
        dynamic: bool = False,
    ) -> None:
        """A statement's rows go where they are to go, and are counted."""
        columns = columns_of(plan, result)
        if into is None:
            if columns is not None and not dynamic:
                if isinstance(result, Stream):
                    result.close()
                hint = "If you want to discard the results of a SELECT, use PERFORM instead."
                raise Misplaced(
                    "42601",
                    "query has no destination for result data",
                    hint=hint if plan.tag.startswith("SELECT") else "",
                )
            await self._counted(plan, result, found=not dynamic and columns is None)
            return
        if columns is None:
            raise Misplaced("42601", "INTO used with a command that cannot return data")
        writes = not plan.tag.startswith("SELECT")
        rows = await first_rows(result, 2)
        self.row_count = min(len(rows), 1) if not writes else _count(result.tag)
        if not dynamic:
            self.frame.values[self.found] = bool(rows)
        if into.strict and not rows:
            raise Misplaced("P0002", "query returned no rows", detail=diagnostics.parameters(self, given))
        if len(rows) > 1 and (into.strict or (writes and not dynamic)):
            hint = "Make sure the query returns a single row, or use LIMIT 1."
            detail = diagnostics.parameters(self, given) if into.strict else ""
            raise Misplaced(
                "P0003", "query returned more than one row", detail=detail, hint="" if dynamic else hint
            )
        if len(rows) > 1 and not dynamic and (setting := diagnostics.extra(self.session, "too_many_rows")):
            hint = "Make sure the query returns a single row, or use LIMIT 1."
            message = "query returned more than one row"
            diagnostics.suspect(self.session, setting, "P0003", message, "", hint)
        types = [c.type for c in columns]
        await self.put_into(into.targets, [c.name for c in columns], types, rows[0] if rows else None)

    async def _counted(self, plan: Plan, result: Any, *, found: bool) -> None:
        """How many rows there were, for ROW_COUNT and FOUND."""
        if isinstance(result, Rows):
            self.row_count = _count(result.tag)
        else:
            self.row_count = 0
            async for _ in rows_of(result):
                self.row_count += 1
        if found and plan.tag.split(" ")[0] in ("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE"):
            self.frame.values[self.found] = self.row_count > 0

    async def _any(self, step: pl.RunAny) -> Ended:
        self.line = step.line
        plan, result = await self.statement(step.text)
        await self._counted(plan, result, found=False)
        return None

    async def _last(self, step: pl.RunLast) -> Ended:
        self.line = step.line
        plan, result = await self.statement(step.text)
        assert self.returns is not None
        await self.returns.last(self, plan, result)
        return RETURN

    async def _perform(self, step: pl.Perform) -> Ended:
        self.line, self.what = step.line, "PERFORM"
        text = step.text
        query = pl.Text(f"SELECT {text.text}", text.start, text.number, text.names, text.seen)
        plan, result = await self.statement(query)
        await self._counted(plan, result, found=True)
        return None

    async def _execute(self, step: pl.Execute) -> Ended:
        self.line, self.what = step.line, "EXECUTE"
        sql, values, types = await self._string_of(step.what)
        pieces = self.pieces(sql)
        for piece, start in pieces[:-1]:
            plan, result = await self.dynamic(sql, start, piece, values, types)
            await self._counted(plan, result, found=False)
        if pieces:
            plan, result = await self.dynamic(sql, pieces[-1][1], pieces[-1][0], values, types)
            numbered = [(f"${i}", v, ref) for i, (v, ref) in enumerate(zip(values, types, strict=True), 1)]
            await self._taken(plan, result, step.into, lambda: numbered, dynamic=True)
            return None
        if step.into is not None:
            raise Misplaced("42601", "INTO used with a command that cannot return data")
        self.row_count = 0
        return None

    async def _string_of(self, what: pl.Dynamically) -> tuple[str, list[Any], list[TypeRef]]:
        """EXECUTE's string, and the values and types of its parameters. Raises 22004."""
        value = await self.value(what.query)
        sql = self.text_of(value, self.planned(what.query, expression=True).type)
        if sql is None:
            raise ExecutionError("22004", "query string argument of EXECUTE is null")
        values, types = [], []
        for text in what.using:
            values.append(await self.value(text))
            types.append(self.planned(text, expression=True).type)
        return sql, values, types

    async def dynamically(self, what: pl.Dynamically) -> tuple[Plan, Any]:
        """EXECUTE's only statement, run. Raises 42P11 if there are several, 22004."""
        sql, values, types = await self._string_of(what)
        pieces = self.pieces(sql) or [(sql, 0)]
        if len(pieces) > 1:
            raise Misplaced("42P11", "cannot open multi-query plan as cursor")
        return await self.dynamic(sql, pieces[0][1], pieces[0][0], values, types, drawn=1)

    async def _call(self, step: pl.Call) -> Ended:
        from executor.procedural import calls

        self.line, self.what = step.line, "CALL"
        await calls.call_in_body(self, step)
        return None

    async def _ends(self, step: pl.EndTransaction) -> Ended:
        self.line, self.what = step.line, "COMMIT" if step.commit else "ROLLBACK"
        session = self.session
        if self.atomic:
            raise ExecutionError("2D000", "invalid transaction termination")
        if self._subtransactions:
            verb = "commit" if step.commit else "roll back"
            raise ExecutionError("2D000", f"cannot {verb} while a subtransaction is active")
        block, begin = session.block, None
        if step.chain and block is not None:
            begin = st.Begin(block.isolation_name, block.read_only, block.deferrable)
        session.statement_before = session.statement_began_ns, statement_us(session)
        if step.commit:
            await session.commit()
            session.heed()
        else:
            session.rollback()
        session.open_block(implicit=True, begin=begin)
        return None

    # --- branches ----------------------------------------------------------------------------------------------

    async def _nothing(self, step: pl.Nothing) -> Ended:
        return None

    async def _if(self, step: pl.If) -> Ended:
        for condition, steps in step.branches:
            self.line, self.what = step.line, "IF"
            if await self.value(condition, BOOL):
                return await self.steps(steps)
        return await self.steps(step.otherwise)

    async def _case(self, step: pl.Case) -> Ended:
        self.line, self.what = step.line, "CASE"
        if step.subject is not None:
            value = await self.value(step.subject)
            self.frame.kinds[step.slot] = self.planned(step.subject, expression=True).type
            self.frame.values[step.slot] = value
        for condition, steps in step.branches:
            self.line, self.what = step.line, "CASE"
            if await self.value(condition, BOOL):
                return await self.steps(steps)
        if step.otherwise is None:
            raise ExecutionError("20000", "case not found", hint="CASE statement is missing ELSE part.")
        return await self.steps(step.otherwise)

    async def _exit(self, step: pl.Exit) -> Ended:
        if step.when is not None:
            self.line, self.what = step.line, "EXIT" if step.leaves else "CONTINUE"
            if not await self.value(step.when, BOOL):
                return None
        self.label = step.label
        return EXIT if step.leaves else CONTINUE

    # --- returning -----------------------------------------------------------------------------------------------

    async def _return(self, step: pl.Return) -> Ended:
        self.line, self.what = step.line, "RETURN"
        if step.value is not None and self.returns is not None:
            self.result = await self.returns.value(self, step.value, step.whole)
        return RETURN

    async def _return_next(self, step: pl.ReturnNext) -> Ended:
        self.line, self.what = step.line, "RETURN NEXT"
        assert self.returns is not None
        if step.value is None:
            self.emitted.append(self.returns.of_outputs(self))
        else:
            self.emitted.append(await self.returns.value(self, step.value, step.whole))
        return None

    async def _return_query(self, step: pl.ReturnQuery) -> Ended:
        self.line, self.what = step.line, "RETURN QUERY"
        assert self.returns is not None
        count = 0
        text = step.query
        try:
            if isinstance(text, pl.Dynamically):
                sql, values, types = await self._string_of(text)
                for piece, start in self.pieces(sql):
                    plan, result = await self.dynamic(sql, start, piece, values, types)
                    text = executed(sql)
                    count += await self.returns.rows(self, plan, result)
            else:
                plan, result = await self.statement(text)
                count += await self.returns.rows(self, plan, result)
        except Misplaced as error:
            if isinstance(text, pl.Text):
                error.context = self.shown(text, 0)
            raise
        self.row_count = count
        self.frame.values[self.found] = count > 0
        return None

    # --- saying ----------------------------------------------------------------------------------------------------

    async def _shown(self, text: pl.Text) -> str | None:
        value = await self.value(text)
        if value is None:
            return None
        return self.text_of(value, self.planned(text, expression=True).type)

    async def _raise(self, step: pl.Raise) -> Ended:
        self.line, self.what = step.line, "RAISE"
        if step.level == "again":
            if self.handled:
                raise self.handled[-1]
            message = "RAISE without parameters cannot be used outside an exception handler"
            raise ExecutionError("0Z002", message)
        values = [await self._shown(x) for x in step.arguments]
        options = {name: await self._shown(x) for name, x in step.options}
        error, named = raising.said(step, values, options)
        if step.level == "exception":
            raise error
        code = error.sqlstate if named else "01000" if step.level == "warning" else "00000"
        self.session.notice(
            step.level.upper(), code, error.message, error.detail, error.hint, lambda: diagnostics.stack(self),
            replace(source_places.calling(0), routine=raising.ROUTINE),
        )  # fmt: skip
        await self.session.tell_notices()
        return None

    async def _assert(self, step: pl.Assert) -> Ended:
        if not self.session.settings.switch("plpgsql.check_asserts", True):
            return None
        self.line, self.what = step.line, "ASSERT"
        if await self.value(step.condition, BOOL):
            return None
        message = await self._shown(step.message) if step.message is not None else None
        raise ExecutionError("P0004", "assertion failed" if message is None else message)

    async def _diagnostics(self, step: pl.GetDiagnostics) -> Ended:
        self.line = step.line
        self.what = "GET STACKED DIAGNOSTICS" if step.stacked else "GET DIAGNOSTICS"
        if step.stacked and not self.handled:
            message = "GET STACKED DIAGNOSTICS cannot be used outside an exception handler"
            raise ExecutionError("0Z002", message)
        for target, item in step.items:
            if item == "row_count":
                await self.put_into((target,), (item,), (INT8,), (self.row_count,))
                continue
            if item == "pg_context":
                await self.put_into((target,), (item,), (TEXT,), (diagnostics.stack(self),))
                continue
            await self.put_into(
                (target,), (item,), (TEXT,), (diagnostics.of_error(self.handled[-1], item, self),)
            )
        return None


def _count(tag: str) -> int:
    last = tag.rsplit(" ", 1)[-1]
    return int(last) if last.isdigit() else 0


_STEPS: Final[dict[type[pl.Step], Callable[[Walk, Any], Awaitable[Ended]]]] = {
    pl.Nothing: Walk._nothing,
    pl.Assign: Walk.assign,
    pl.RunSql: Walk._sql,
    pl.Perform: Walk._perform,
    pl.RunAny: Walk._any,
    pl.RunLast: Walk._last,
    pl.Execute: Walk._execute,
    pl.Call: Walk._call,
    pl.EndTransaction: Walk._ends,
    pl.If: Walk._if,
    pl.Case: Walk._case,
    pl.Exit: Walk._exit,
    pl.Return: Walk._return,
    pl.ReturnNext: Walk._return_next,
    pl.ReturnQuery: Walk._return_query,
    pl.Raise: Walk._raise,
    pl.Assert: Walk._assert,
    pl.GetDiagnostics: Walk._diagnostics,
    pl.Nested: Walk.nested,
    pl.Loop: Walk.loop,
    pl.ForRange: Walk.for_range,
    pl.ForRows: Walk.for_rows,
    pl.ForEach: Walk.for_each,
    pl.OpenCursor: Walk.open_cursor,
    pl.FetchCursor: Walk.fetch_cursor,
    pl.CloseCursor: Walk.close_cursor,
}

__all__ = ["CONTINUE", "EXIT", "RETURN", "Returns", "Walk", "kind_of"]
