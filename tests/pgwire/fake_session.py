"""A session without an executor: enough SQL to test the wire alone.

It answers a handful of statements from a table, so that a test of the protocol fails only for the
protocol's sake. Statements that begin with `slow` take the wide door, `later` the callback.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import pyarrow as pa

from executor.abc import (
    PENDING,
    CopyIn,
    CopyOptions,
    CopyOut,
    Notice,
    Portal,
    Prepared,
    Rows,
    Stream,
)
from executor.session.heard import Heard
from planner.abc import Plan, ResultColumn, SqlError, StatementKind, TypeRef, Utility
from planner.types import bare_type
from planner.types.settings import DEFAULT_SETTINGS

INT4, TEXT = 23, 25


class FakeSession:
    """`log` tells a test what the wire asked for, in order."""

    _next_pid = 1000

    def __init__(self, user: str = "tidewire", database: str = "tidewire") -> None:
        FakeSession._next_pid += 1
        self.pid = FakeSession._next_pid
        self.secret = b"\x01\x02\x03\x04"
        self.user, self.database = user, database
        self.statements: dict[str, Prepared] = {}
        self.portals: dict[str, Portal] = {}
        self.notices: list[Notice] = []
        self.parameter_changes: list[tuple[str, str]] = []
        self.type_settings = DEFAULT_SETTINGS
        self.escapes_in_strings = False
        self.transaction_status = b"I"
        self.in_implicit = False
        self.heard = Heard()
        self.on_notification: Callable[[], None] | None = None
        self.on_notices: Callable[[], Awaitable[None]] | None = None
        self.on_interrupt: Callable[[Exception], None] | None = None
        self.watched = False
        self.duration_logged_ms, self.statement_began_ns = -1, 0
        self.log: list[str] = []
        self.closed = False
        self.copied: list[tuple[Any, ...]] = []
        self.cancelled: asyncio.Event = asyncio.Event()
        self._plans: dict[str, Plan] = {}
        self.waiting: list[tuple[Callable[..., None], Rows | Exception]] = []
        self.answer_later = True
        self.streams_open = 0
        self.has_at_hand, self.asked_at_hand = False, 0

    behind = False
    block = None

    def call_type(self, ref: TypeRef) -> str:
        return bare_type(ref)

    def reader(self, plan: Plan) -> None:
        return None

    def runner(self, plan: Plan) -> None:
        return None

    def outside_block(self, statement: Any) -> None:
        return None

    def takes_batches(self, plan: Plan) -> None:
        return None

    async def insert_batch(self, plan: Plan, given: Sequence[pa.Array], *, executions: int) -> bool:
        raise AssertionError("no INSERT takes batches here")

    async def caught_up(self) -> bool:
        return False

    def looks_after_client(self) -> bool:
        return False

    def startup_parameters(self) -> tuple[tuple[str, str], ...]:
        return (
            ("server_version", "15.0"),
            ("client_encoding", "UTF8"),
            ("standard_conforming_strings", "on"),
        )

    # --- planning

    def transaction_began_us(self) -> int:
        return 0

    def input_now_us(self) -> int:
        return 0

    def standard(self, text: str) -> str:
        raise AssertionError("strings have no escapes here")

    def split(self, text: str) -> list[tuple[str, int]]:
        found = []
        for match in re.finditer(r"(?:--[^\n]*\n?|\s)*([^;]*?)\s*(?:;|$)", text):
            if match.group(1):
                found.append((match.group(1), match.start(1)))
        return found

    def plan_simple(self, text: str) -> list[tuple[Plan, tuple[Any, ...]]] | None:
        plan = self._plans.get(text.rstrip("; "))
        return [(plan, ())] if plan is not None else None

    def plan(
        self, text: str, parameter_types: Sequence[int] = (), offset: int = 0
    ) -> tuple[Plan, tuple[Any, ...]]:
        first = text.split()[0].lower()
        if self.transaction_status == b"E" and first not in ("commit", "rollback"):
            raise SqlError(
                "25P02", "current transaction is aborted, commands ignored until end of transaction block"
            )
        if first == "syntax":
            raise SqlError("42601", 'syntax error at or near "syntax"', position=1)
        tag, columns, parameters = self._shape(text, first)
        plan = Plan(StatementKind.SESSION, tag, parameters, columns, Utility(text), 1, text, offset)
        if first in ("select", "later"):
            self._plans[text] = plan
        return plan, ()

    def _shape(self, text: str, first: str) -> tuple[str, Any, tuple[TypeRef, ...]]:
        count = len(set(re.findall(r"\$\d+", text)))
        parameters = (TypeRef(INT4),) * count
        if first in ("select", "slow", "stream", "fail_in_stream"):
            width = len(re.sub(r"^\w+", "", text).split(","))
            return "SELECT", tuple(ResultColumn("?column?", TypeRef(INT4)) for _ in range(width)), parameters
        if first == "returning":
            return "INSERT", (ResultColumn("id", TypeRef(INT4)),), parameters
        tag = {"insert": "INSERT", "later": "INSERT", "set": "SET"}.get(first, first.upper())
        return tag, None, parameters

    def prepare(self, name: str, text: str, parameter_types: Sequence[int]) -> Prepared:
        if len(self.split(text)) > 1:
            raise SqlError("42601", "cannot insert multiple commands into a prepared statement")
        plan, _ = self.plan(text, parameter_types)
        self.log.append(f"prepare {name or '-'}: {text}")
        return Prepared(name, text, plan, plan.parameters)

    def surroundings(self) -> object:
        return self.type_settings

    # --- running

    def execute_now(self, plan: Plan, params: tuple[Any, ...], done: Any, autocommit: bool) -> Any:
        first = plan.text.split()[0].lower()
        if first in ("select", "later") and self.transaction_status == b"E":
            raise SqlError("25P02", "current transaction is aborted")
        if first == "select":
            self._log(plan, params, autocommit)
            return Rows("SELECT 1", plan.columns, [self._row(plan, params)])
        if first == "later":
            self._log(plan, params, autocommit)
            answer: Rows | Exception = Rows("INSERT 0 1")
            if "duplicate" in plan.text:
                answer = SqlError("23505", "duplicate key value violates unique constraint")
            if "at once" in plan.text:
                done(answer)
            elif self.answer_later:
                asyncio.get_running_loop().call_soon(done, answer)
            else:
                self.waiting.append((done, answer))
            return PENDING
        return None

    def _log(self, plan: Plan, params: tuple[Any, ...], autocommit: bool) -> None:
        how = "auto" if autocommit else "implicit" if self.transaction_status == b"I" else "block"
        if not autocommit and self.transaction_status == b"I":
            self.in_implicit = True
        shown = f" {params}" if params else ""
        self.log.append(f"{how}: {plan.text}{shown}")

    def _row(self, plan: Plan, params: tuple[Any, ...]) -> tuple[Any, ...]:
        cells = re.sub(r"^\w+", "", plan.text).split(",")
        row = []
        for cell in cells:
            cell = cell.strip()
            if cell == "1/0":
                raise SqlError("22012", "division by zero")
            if cell.startswith("$"):
                row.append(params[int(cell[1:]) - 1])
            else:
                row.append(None if cell == "null" else int(cell) if cell.isdigit() else cell)
        return tuple(row)

    async def execute(self, plan: Plan, params: tuple[Any, ...], *, autocommit: bool) -> Any:
        text = plan.text
        words = text.split()
        first = words[0].lower()
        self._log(plan, params, autocommit)
        await asyncio.sleep(0)
        if first == "begin":
            self.transaction_status = b"T"
            self.in_implicit = False
            return Rows("BEGIN")
        if first in ("commit", "rollback"):
            failed = self.transaction_status == b"E"
            self.transaction_status = b"I"
            self.in_implicit = False
            return Rows("ROLLBACK" if failed or first == "rollback" else "COMMIT")
        if first == "set":
            self.parameter_changes.append((words[1], words[-1]))
            return Rows("SET")
        if first == "notice":
            self.notices.append(Notice("NOTICE", "00000", "hear, hear"))
            return Rows("NOTICE")
        if first == "bug":
            raise ZeroDivisionError("a bug")
        if first == "sleep":
            await self.cancelled.wait()
            self.cancelled.clear()
            raise SqlError("57014", "canceling statement due to user request")
        if first in ("select", "slow"):
            return Rows("SELECT 1", plan.columns, [self._row(plan, params)])
        if first == "returning":
            return Rows("INSERT 0 3", plan.columns, [(1,), (2,), (3,)])
        if first in ("stream", "fail_in_stream"):
            return self._stream(plan, int(words[1]), fail=first != "stream")
        if first == "copyin":
            return self._copy_in()
        if first == "copyout":
            return CopyOut(CopyOptions(), self._stream(plan, int(words[1]), ("a", "b")))
        if first in ("insert", "later"):
            return Rows("INSERT 0 1")
        return Rows(first.upper())

    def _stream(self, plan: Plan, count: int, names: Sequence[str] = ("n",), fail: bool = False) -> Stream:
        columns = plan.columns or tuple(ResultColumn(n, TypeRef(INT4)) for n in names)
        self.streams_open += 1

        made = iter(range(0, count, 1000))

        def batch(start: int) -> pa.RecordBatch:
            values = pa.array(range(start, min(start + 1000, count)), pa.int32())
            return pa.record_batch([values] * len(columns), names=[f"c{i}" for i in range(len(columns))])

        async def batches() -> AsyncIterator[pa.RecordBatch]:
            for start in made:
                yield batch(start)
                await asyncio.sleep(0)
            if fail:
                raise SqlError("22012", "division by zero")

        def at_hand() -> pa.RecordBatch | None:
            """Every second batch need not be waited for."""
            self.asked_at_hand += 1
            start = next(made, None) if self.asked_at_hand % 2 and self.has_at_hand else None
            return None if start is None else batch(start)

        def close() -> None:
            nonlocal opened
            if opened:
                opened = False
                self.streams_open -= 1

        opened = True
        return Stream("SELECT", columns, batches(), close, at_hand)

    def _copy_in(self) -> CopyIn:
        columns = (ResultColumn("a", TypeRef(INT4)), ResultColumn("b", TypeRef(TEXT)))
        rows: list[tuple[Any, ...]] = []

        async def write(batch: pa.RecordBatch) -> None:
            await asyncio.sleep(0)
            rows.extend(tuple(r.values()) for r in batch.to_pylist())

        async def finish() -> Rows:
            self.copied += rows
            return Rows(f"COPY {len(rows)}")

        return CopyIn(columns, CopyOptions(), write, finish, lambda: self.log.append("copy aborted"))

    async def end_implicit(self, *, commit: bool) -> None:
        self.log.append("commit" if commit else "roll back")
        self.in_implicit = False

    def statement_failed(self, error: Exception) -> None:
        if self.transaction_status == b"T":
            self.transaction_status = b"E"
        self.in_implicit = False

    def cancel(self) -> None:
        if self.on_interrupt is not None:
            self.on_interrupt(SqlError("57014", "canceling statement due to user request"))
        self.cancelled.set()

    def stop(self) -> None:
        self.cancel()

    def close(self) -> None:
        self.closed = True
        for portal in self.portals.values():
            portal.close()


class FakeExecutor:
    def __init__(self) -> None:
        self.sessions: list[FakeSession] = []

    def open_session(self, user: str, database: str, options: dict[str, str]) -> FakeSession:
        if database == "nowhere":
            raise SqlError("3D000", 'database "nowhere" does not exist')
        session = FakeSession(user, database)
        self.sessions.append(session)
        return session

    def admit(self, user: str, database: str | None) -> None: ...

    def role_secret(self, user: str) -> str | None:
        return None

    def look_at_log(self) -> None:
        return None

    def roles_of(self, user: str) -> frozenset[str]:
        return frozenset((user,))

    def cancel(self, pid: int, secret: bytes) -> None: ...

    async def close(self) -> None: ...
