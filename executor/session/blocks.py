"""DO at work: the steps of a block one after another, each planned when it is reached.

    BEGIN CREATE TYPE mood AS ENUM ('ok'); EXCEPTION WHEN duplicate_object THEN NULL; END

    savepoint  ->  CREATE TYPE  -> release
                        \\-- 42710 -> roll back to the savepoint, release, the handler's steps

All of it is one statement of the transaction that it is in, or a transaction of its own. A block with EXCEPTION is a subtransaction,
as in PostgreSQL; where it fails without a handler that takes the error, the whole DO fails. What cannot be undone for certain (a
conflict with another transaction, the end of the session) no handler takes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from executor.abc import ExecutionError, PlanOutdated, Rows, Stream
from executor.columnar.rows import batch_rows
from executor.session import transactions
from planner import statements as st
from planner.abc import Plan, SqlError, Utility
from planner.alone import refuse_with_others
from planner.parse.blocks import conditions
from planner.statements.blocks import (
    Handler,
    If,
    Nested,
    Nothing,
    Raise,
    Return,
    RunComputed,
    RunSql,
    Step,
)

if TYPE_CHECKING:
    from executor.session.block import Block
    from executor.session.session import Session

PLANNED_MAX: Final = 3
"""Times that a step is planned while others change the catalog."""
_TRANSACTIONAL: Final = (st.Begin, st.Commit, st.Rollback, st.Savepoint, st.ReleaseSavepoint, st.RollbackTo)
_QUERY: Final = re.compile(r"SELECT \((.*)\)::(?:text|boolean)\Z", re.DOTALL)
_NEVER_TAKEN: Final = ("40", "57", "08", "25P0")


async def run(session: Session, plan: Plan, s: st.Do, params: Sequence[Any], autocommit: bool) -> Rows:
    """Runs the block. Raises what its steps raise, with where it was as context."""
    alone = session.block is None
    block = session.block or session.open_block(implicit=True)
    walk = _Walk(session, block)
    try:
        await walk.nested(s.body)
        if alone and autocommit:
            await session.commit()
    except BaseException:
        if alone and autocommit:
            session.rollback()
        raise
    return Rows("DO")


class _Misplaced(ExecutionError):
    """A statement that a block must not have: what is wrong is not in the statement itself."""


class _Walk:
    """One execution of a DO."""

    def __init__(self, session: Session, block: Block) -> None:
        self._session, self._block = session, block
        self._depth = 0
        self._handled: list[SqlError] = []
        """The errors whose handlers run, the innermost last."""

    async def nested(self, body: Nested) -> bool:
        """Whether it went to its end; not, after RETURN."""
        if not body.handlers:
            return await self._steps(body.steps)
        self._depth += 1
        name = f"\0do {self._depth}"  # no name of SQL's
        transactions.savepoint(self._session, self._block, name)
        try:
            ended = await self._steps(body.steps)
        except SqlError as error:
            handler = next((h for h in body.handlers if _takes(h, error)), None)
            if handler is None:
                raise
            transactions.roll_back_to(self._session, self._block, name)
            transactions.release(self._session, self._block, name)
            self._depth -= 1
            self._handled.append(error)
            try:
                return await self._steps(handler.steps)
            finally:
                self._handled.pop()
        transactions.release(self._session, self._block, name)
        self._depth -= 1
        return ended

    async def _steps(self, steps: Sequence[Step]) -> bool:
        for step in steps:
            match step:
                case Return():
                    return False
                case Nothing():
                    pass
                case Nested():
                    if not await self.nested(step):
                        return False
                case If():
                    if not await self._if(step):
                        return False
                case RunSql():
                    await self._run(step.text, step.line, discards=step.discards)
                case RunComputed():
                    text = await self._value(step.query, step.line, "EXECUTE")
                    if text is None:
                        raise _at(
                            ExecutionError("22004", "query string argument of EXECUTE is null"),
                            step.line,
                            "EXECUTE",
                        )
                    await self._run(str(text), step.line, discards=True, what="EXECUTE")
                case Raise():
                    await self._raise(step)
                case _:
                    raise AssertionError(step)
        return True

    async def _if(self, step: If) -> bool:
        for condition, steps in step.branches:
            if await self._value(condition, step.line, "IF"):
                return await self._steps(steps)
        return await self._steps(step.otherwise)

    async def _value(self, query: str, line: int, what: str) -> Any:
        rows = await self._run(query, line, discards=True, what=what)
        return rows[0][0] if rows else None

    async def _run(
        self, text: str, line: int, *, discards: bool = False, what: str = "SQL statement"
    ) -> Sequence[Sequence[Any]]:
        """A statement's rows. Raises 42601 where there are some and nobody wants them."""
        what = "PERFORM" if discards and what == "SQL statement" else what
        try:
            return await self._planned_and_run(text, discards)
        except SqlError as error:
            inner = _QUERY.match(text)
            shown = inner[1] if inner is not None else text
            if error.position and not error.query:
                error.query = shown
                error.position = max(error.position - (len("SELECT (") if inner is not None else 0), 1)
            elif not isinstance(error, _Misplaced):
                kind = "SQL expression" if inner is not None else "SQL statement"
                error.context = "\n".join(filter(None, (error.context, f'{kind} "{shown}"')))
            raise _at(error, line, what) from None

    async def _planned_and_run(self, text: str, discards: bool) -> Sequence[Sequence[Any]]:
        session = self._session
        for tries_left in reversed(range(PLANNED_MAX)):
            try:
                plan, params = session.plan(text)
                if isinstance(plan.body, Utility):
                    self._refuse(plan.body.statement)
                result = await session.run_plan(plan, params, autocommit=False)
            except PlanOutdated:
                if not tries_left:
                    raise
                continue
            return await self._rows(plan, result, discards)
        raise AssertionError("unreachable")

    def _refuse(self, statement: Any) -> None:
        if isinstance(statement, _TRANSACTIONAL):
            raise _Misplaced("0A000", "unsupported transaction command in PL/pgSQL")
        if isinstance(statement, st.Copy):
            raise _Misplaced("0A000", "cannot COPY to/from client in PL/pgSQL")
        refuse_with_others(statement)

    async def _rows(self, plan: Plan, result: Any, discards: bool) -> Sequence[Sequence[Any]]:
        if isinstance(result, Rows):
            rows: Sequence[Sequence[Any]] = result.rows
            has_columns = result.columns is not None
        else:
            assert isinstance(result, Stream), "COPY is refused before"
            rows, has_columns = [], True
            types = [c.type for c in result.columns]
            try:
                async for batch in result.batches:
                    if not rows:
                        rows = batch_rows(batch.slice(0, 1), types)
            finally:
                result.close()
        if has_columns and not discards:
            hint = "If you want to discard the results of a SELECT, use PERFORM instead."
            raise _Misplaced(
                "42601",
                "query has no destination for result data",
                hint=hint if plan.tag.startswith("SELECT") else "",
            )
        return rows

    async def _raise(self, step: Raise) -> None:
        if step.level == "again":
            if self._handled:
                raise self._handled[-1]
            message = "RAISE without parameters cannot be used outside an exception handler"
            raise _at(ExecutionError("0Z002", message), step.line, "RAISE")
        values = [await self._value(query, step.line, "RAISE") for query in step.arguments]
        said = {name: await self._value(query, step.line, "RAISE") for name, query in step.options}
        if any(value is None for value in said.values()):
            raise _at(ExecutionError("22004", "RAISE statement option cannot be null"), step.line, "RAISE")
        sqlstate, shown = step.sqlstate or "P0001", step.condition
        if "errcode" in said:
            shown = str(said["errcode"])
            sqlstate = _code(shown)
        text = said.get("message")
        if text is None:
            text = _filled(step.template, values) if step.template is not None else shown or sqlstate
        if step.level != "exception":
            code = sqlstate if shown else "01000" if step.level == "warning" else "00000"
            self._session.notice(step.level.upper(), code, text, said.get("detail", ""), said.get("hint", ""))
            return
        error = ExecutionError(
            sqlstate,
            text,
            detail=said.get("detail", ""),
            hint=said.get("hint", ""),
            table=said.get("table", ""),
            column=said.get("column", ""),
            constraint=said.get("constraint", ""),
            datatype=said.get("datatype", ""),
        )
        raise _at(error, step.line, "RAISE")


def _at(error: SqlError, line: int, what: str) -> SqlError:
    where = f"PL/pgSQL function inline_code_block line {line} at {what}"
    error.context = f"{error.context}\n{where}" if error.context else where
    return error


def _takes(handler: Handler, error: SqlError) -> bool:
    code = error.sqlstate
    if code.startswith(_NEVER_TAKEN):
        return False
    if not handler.sqlstates:
        return code != "P0004"
    return code in handler.sqlstates or f"{code[:2]}000" in handler.sqlstates


def _code(said: str) -> str:
    if re.fullmatch("[0-9A-Z]{5}", said):
        return said
    known = conditions().get(said.lower())
    if known is None:
        raise ExecutionError("42704", f'unrecognized exception condition "{said}"')
    return min(known)


def _filled(template: str, values: Sequence[Any]) -> str:
    left = iter(values)

    def one(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        value = next(left)
        return "<NULL>" if value is None else str(value)

    return re.sub("%%|%", one, template)


__all__ = ["run"]
