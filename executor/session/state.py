"""What a session remembers, and what can be told from that alone.

    until it ends       settings, prepared statements, portals, channels, notices, currval, counts
    while a statement   the block, the programs that run inside of each other, what they ask for, rows that
    is at work          were drawn before it came to another door, who wants it to stop

Nothing here looks into the catalog: that is `executor.session.context`, which this is made to carry.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from executor.abc import CopyProgress, Encryption, Notice, Portal, Prepared
from executor.session.blocks.block import Block
from executor.session.chance import Chance
from executor.session.heard import Heard
from executor.session.locks.lock_wait import LockWait
from executor.statistics.counts import SessionCounts
from planner.abc import Plan, SqlError
from planner.plan_context import PlanContext
from planner.types import TypeSettings
from storage.abc import Row

if TYPE_CHECKING:
    from executor.executor import Executor
    from executor.keyed.plans import WritePlan
    from executor.procedural.cursors import Open
    from executor.session.blocks.looking_back import Earlier


def _nothing() -> None:
    return None


class SessionState:
    """The fields of a session (see the module)."""

    def __init__(
        self, executor: Executor, pid: int, user: str, database: str, options: dict[str, str]
    ) -> None:
        self.executor = executor
        self.pid = pid
        self._base: Any = None
        self._seen: Any = None
        self.temporary_schema = f"{executor.temporary_prefix}{pid}"
        """Where this session's temporary tables are."""
        self.secret = secrets.token_bytes(4)
        self.database = database
        self.settings = executor.first_settings.of(user, database, options)
        role = self.settings.raw("role")
        self.user = role if role != "none" else self.settings.raw("session_authorization")
        self.type_settings: TypeSettings = self.settings.types
        self.escapes_in_strings = self.settings.escapes_in_strings
        self.path_set, self.secured_set = self.settings.search_path, self.settings.row_security
        self.parameter_changes = self.settings.changes
        self.statements: dict[str, Prepared] = {}
        self.portals: dict[str, Portal] = {}
        self.holding: list[str] = []
        """Cursors WITH HOLD of the commit that is under way."""
        self.notices: list[Notice] = []
        self.said_of_rows: int | None = None
        """So many of them came up before the client's statement began to fire AFTER triggers; None: it has fired none."""
        self.channels: dict[str, None] = {}
        self.chance: Chance | None = None
        """What random() draws from; None: DuckDB's generator, for nobody has said a seed."""
        self.heard = Heard()
        """Notifications not sent to the client yet."""
        self.on_notification: Callable[[], None] | None = None
        self.on_terminate: Callable[[Exception], None] | None = None
        self.on_notices: Callable[[], Awaitable[None]] | None = None
        self.on_interrupt: Callable[[Exception], None] | None = None
        self.watched, self.duration_logged_ms = False, -1
        self._transaction_timer: asyncio.TimerHandle | None = None
        self.statement_text, self.statement_began_ns = "", 0
        self.statement_before = -1, 0
        """Of a statement that has ended a transaction: when it began, as clocks count, and as the first of its transactions saw it."""
        self.copy_progress: CopyProgress | None = None
        self.programs: dict[Any, Any] = {}
        """What this session knows of routines in PL/pgSQL (`executor.procedural.routines`)."""
        self.unnamed_portals = 0
        """So many cursors of functions have been given names."""
        self.under_way: list[Plan] = []
        """Queries whose rows somebody goes through, or waits for, while other statements run: no definition may take their tables."""
        self.routine_cursors: dict[str, dict[str, Open]] = {}
        """By name: the open cursors of the program that has opened it."""
        self.walks: list[Any] = []
        """The programs in PL/pgSQL that run inside of each other, the innermost last (`executor.procedural.walk`)."""
        self.routine_depth = 0
        """How many routines run inside of each other."""
        self.programs_begun = 0
        """Programs in PL/pgSQL that this session has run."""
        self.breathed_at = 0.0
        """When one of them last let others have the loop."""
        self.routines_inside = 0
        """How many of them DuckDB waits for."""
        self.asking: Any = None
        """The statement whose query asks for routines now, the innermost (`executor.procedural.calls.Asking`)."""
        self.askings: dict[int, Any] = {}
        """All of them, by their numbers; negative ones are of statements that do not wait for them."""
        self.askings_begun = 0
        self.writing: frozenset[int] = frozenset()
        """Tables whose rows statements are about to write when the routines that they call have run."""
        self.routine_error: Exception | None = None
        """What one of them raised, which DuckDB tells in its own words."""
        self.earlier: Earlier | None = None
        """The block's writes when the statement began, if a function of it looks back at them."""
        self.answers: Any = None
        """What the routines of the statement at hand have come to (`executor.procedural.calls`)."""
        self.numbered = (0, 0)
        """When the query by itself began that last told its transaction's number, and the number."""
        self.rows_wanted = 0
        self.peer: tuple[str, int] | str = ""
        self.local: tuple[str, int] | str = ""
        self.encryption: Encryption | None = None
        self.follows_database: bool | None = None
        """On a replication connection: whether it is one of a database, which follows changes and speaks SQL as well."""
        self.began_us = executor.env.clock.now_us()
        self.counts = SessionCounts()
        self.streams: set[Any] = set()
        """Results under way: each has `cancel(reason)`."""
        self.currval: dict[int, int] = {}
        self.last_sequence: int = 0
        self.dealt: dict[int, list[int]] = {}
        """By sequence, what the query under way has dealt to the rows that it makes just now; empty: it has asked what came last."""
        self.block: Block | None = None
        self.trigger_depth = 0
        """How many triggers' functions run inside of one another."""
        self.transition: dict[int, Any] = {}
        """Rows by the OIDs of the transition tables that the innermost of them sees, physical column names and `_rid`."""
        self.transaction_status, self.in_implicit = b"I", False
        """What pgwire asks of the block with every message: said anew when it begins, fails and ends (`stands`)."""
        self.closed = False
        self.alone_since_us = 0
        """When the statement that is its own transaction began; 0: nobody has asked yet."""
        self._context: PlanContext | None = None
        self.superuser = False
        self._context_of: tuple[Any, ...] = ()
        self._context_on: tuple[PlanContext, PlanContext] | None = None
        self._types_of_block: tuple[TypeSettings, TypeSettings] | None = None
        """The settings of types, and the same in a block that has changed the catalog."""
        self.own: object | None = None
        """A function that acts as its owner or has settings of its own runs: one object for each call of such (`acting`)."""
        self.contexts_of_functions: dict[tuple[int, str], tuple[PlanContext | None, tuple[Any, ...]]] = {}
        """Contexts that such functions planned in, by their OIDs and users."""
        self.seen: Any = _nothing
        """What this session has seen of the system relations last (`executor.columnar.seen`), or nothing if that is forgotten."""
        self.has_temporary = False
        self.keeps_temporary = False
        """Whether its temporary schema has been committed, and nobody but this session is to drop it (`executor.temporary`)."""
        self.lost_temporary = False
        self.pinned: int | None = self.settings.as_of
        """Transactions that begin now read the past at this timestamp (`tidewire.as_of`)."""
        self.wanted: str | None = None
        """An AS OF that could not be planned, for want of its catalog (`as_of`)."""
        self.reached: Any = None
        """That catalog, once it is there."""
        self._running: asyncio.Task[Any] | None = None
        self.unsettled = False
        """The statement that runs has changed settings, and they end with it (`transactions.settle`)."""
        self.drawn: tuple[WritePlan, Sequence[Row]] | None = None
        """The rows of an INSERT that goes on at the wide door (`drawn_by`)."""
        self.drawn_in_parts: dict[int, Sequence[Row]] = {}
        """The same of the INSERTs of a statement of several parts, by what they draw (`Draws.said`)."""
        self.restarted = False
        """The sequence of the statement that is being computed has begun anew (`executor.session.acts.restarted`)."""
        self.acts = False
        """A statement is answered on the spot that may change settings (`executor.session.acts`)."""
        self._cancel_reason: SqlError | None = None
        self.ends = False
        """It has been told to end, or its client is gone: its statement is not to go on."""
        self._committing = False
        self._told_late: SqlError | None = None
        """Why it would have been stopped, had it not been committing."""
        self.lock_wait: LockWait | None = None
        """The statement that waits for a row without a task."""

    @property
    def in_statement(self) -> bool:
        """A statement is being executed; its results may go on when it no longer is."""
        return self._running is not None or self.acts

    @property
    def is_running(self) -> bool:
        """Whether a statement is under way that others can see: one that waits, computes or streams."""
        return self._running is not None or self.lock_wait is not None or bool(self.streams)

    def stands(self) -> None:
        """The block is another one, or has become something else."""
        block = self.block
        self.in_implicit = block is not None and block.implicit
        if block is None or block.implicit:
            self.transaction_status = b"I"
        else:
            self.transaction_status = b"E" if block.failed else b"T"

    @property
    def interrupted(self) -> bool:
        """Whether what runs has been told to stop. May be asked from any thread."""
        return self.closed or self._cancel_reason is not None

    def told_to_stop(self) -> SqlError | None:
        """Why the task at hand is to end what it does; None: it is not, or the whole session ends."""
        mine = self._running is not None and self._running is asyncio.current_task()
        return self._cancel_reason if mine and not self.closed and not self.ends else None

    async def go_on(self) -> None:
        """Somebody has answered for what the task at hand was told to stop for. Raises that where the session is to end by now."""
        assert self._running is not None
        self._running.uncancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0)  # where it was told in other words first, it hears of it here
        if self.ends and self._cancel_reason is not None:  # meanwhile
            raise self._cancel_reason
        self._cancel_reason = None

    def heed(self) -> None:
        """Behind a commit, or one that has failed, when the statement is to go on. Raises what would have stopped it meanwhile."""
        late, self._told_late = self._told_late, None
        if late is not None:
            raise late

    @property
    def types(self) -> TypeSettings:
        """The settings that casts of the keyed engine read."""
        return self.type_settings

    def transaction_began_us(self) -> int:
        """transaction_timestamp(): of the block, or of the statement that is its own transaction."""
        if self.block is not None:
            return self.block.start_us
        if not self.alone_since_us:
            self.alone_since_us = self.executor.env.clock.now_us()
        return self.alone_since_us

    def input_now_us(self) -> int:
        """What `now` is in a value that comes before its statement: the block's time, or the clock's."""
        return self.block.start_us if self.block is not None else self.clock_us()

    def clock_us(self) -> int:
        """clock_timestamp()."""
        return self.executor.env.clock.now_us()

    def number_of_chance(self) -> float:
        """random(): the next of its own seed, where somebody has said one."""
        return random.random() if self.chance is None else self.chance.number()
