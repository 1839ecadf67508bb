"""Who speaks, with which settings, over which catalog: what every statement of a session is seen through.

    settings, role, database  --+
    newest catalog, or the    --+-->  context()   one object until one of them is another, which plans are made in
    block's own                 |
    temporary schema          --+

Interruption is here, too: whatever runs on behalf of the session is told through one door (`_interrupt`).
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from executor.abc import ExecutionError, Notice
from executor.columnar.errors import canceled
from executor.session import permissions, read_only
from executor.session.settings.guc_table import MESSAGE_LEVELS
from executor.session.state import SessionState
from executor.temporary import lost_tables
from planner import source_places
from planner.abc import Plan, SqlError, Table, TypeRef
from planner.catalog import Sequence as SequenceObject
from planner.catalog import large_objects, policies, rights
from planner.catalog.by_name import OWN_TEMPORARY
from planner.catalog.system.context import SystemContext
from planner.catalog.system.definitions import type_name
from planner.catalog.system.reg_names import RegNames
from planner.catalog.user_types import shown
from planner.escaped_strings import Warned, standard
from planner.plan_context import PlanContext
from planner.source_places import Place
from planner.types import TypeSettings
from storage.abc import Datum, Row

if TYPE_CHECKING:
    from executor.constraints.rules import TableRules
    from executor.keyed.plans import CompiledPlan


NOTICES_KEPT_MAX: Final = 100
SILENT_NS_MAX: Final = 200_000_000
"""So many notices, or so long, a program's statement is silent: most end before, and are told with their answer."""


class SessionContext(SessionState):
    """What `executor.session.session.Session` is made of before it does anything."""

    def routine_value(self, oid: int, arguments: tuple[Datum, ...]) -> Datum:
        """A routine's value, where it is known already. Raises `Asked` (internal) where it is to be run first."""
        return self.answers.next(oid, arguments)

    def drawn_by(self, compiled: CompiledPlan) -> Sequence[Row] | None:
        """The rows that the same INSERT has made before it came to the wide door, with the numbers that it has drawn; once."""
        drawn, self.drawn = self.drawn, None
        return drawn[1] if drawn is not None and drawn[0] is compiled.write else None

    def nextval(self, sequence_oid: int) -> int:
        """Raises NeedsLease (internal) when a block of values must be leased first."""
        self.refuse_read_only("nextval()", sequence_oid)
        if not self.superuser:
            permissions.require_next(self, sequence_oid)
        value = self.executor.sequences.next_now(self, sequence_oid)
        self.currval[sequence_oid] = value
        self.last_sequence = sequence_oid
        if self.block is not None:
            self.block.drew_from(sequence_oid)
        return value

    def refuse_read_only(self, what: str, sequence_oid: int) -> None:
        """Raises 25006 in a read-only transaction, but for a sequence that is temporary."""
        block = self.block
        if block.read_only if block is not None else self.settings.read_only:
            sequence = self.catalog.get(sequence_oid)
            if isinstance(sequence, SequenceObject) and read_only.is_temporary(self.catalog, sequence):
                return
            raise ExecutionError("25006", f"cannot execute {what} in a read-only transaction")

    def reserve_values(self, sequence_oid: int, count: int) -> None:
        """Before a statement takes so many values, that it may take them all or none. Raises NeedsLease."""
        self.executor.sequences.reserve(self, sequence_oid, count)

    @property
    def catalog(self) -> Any:
        block = self.block
        if block is not None and block.catalog is not None:
            return block.catalog
        return self.newest_catalog()

    def rules(self, table: Table) -> TableRules:
        """A table's compiled constraints, which call what this session's transaction has."""
        found: TableRules = self.executor.rules(table, self.catalog)
        return found

    def system_context(self) -> SystemContext:
        """What functions over the catalog are asked about."""
        context: SystemContext = self.executor.system.seen.of(self).context
        return context

    def system_rows(self, name: tuple[str, str]) -> Sequence[Row]:
        """All rows of a system relation that this session sees."""
        rows: Sequence[Row] = self.executor.system.seen.rows(self, name)
        return rows

    def system_rows_with(self, name: tuple[str, str], column: int, value: Datum) -> Sequence[Row]:
        """Those that have this value in a column."""
        rows: Sequence[Row] = self.executor.system.seen.with_value(self, name, column, value)
        return rows

    def schema_name(self, oid: int) -> str:
        """What the schema of a table or type is called here and now; nothing where it has gone."""
        thing = self.catalog.get(oid)
        if thing is None:
            return ""
        if isinstance(thing, Table) and large_objects.is_readable(thing) is not None:
            return "pg_catalog"
        schema: str = self.catalog.schema_of(thing.schema_oid).name
        return schema

    def conceal(self, error: SqlError) -> None:
        """Takes out of DETAIL the values of columns that the user may not read, as PostgreSQL does.

        Once, as who met it: within a function that may be somebody else than whom the error reaches.
        """
        told, error.told = error.told, None
        thing = self.catalog.get(told.relation_oid) if told is not None else None
        if told is None or not isinstance(thing, Table) or large_objects.is_readable(thing):
            return

        if thing.row_security and policies.restricts(self.catalog, thing, self.user):
            error.detail = told.instead(frozenset())
            return

        def may_read(attnum: int) -> bool:
            return rights.holds(self.catalog, self.user, thing, "SELECT", attnum)

        if not may_read(0):
            readable = frozenset(filter(may_read, told.attnums))
            if len(readable) < len(told.attnums):
                error.detail = told.instead(readable)

    def newest_catalog(self) -> Any:
        """The newest committed catalog as this session's database sees it."""
        base = self.executor.catalogs.newest
        if base is not self._base:
            if self.pinned is not None:
                self._seen = self._catalog_then()
                return self._seen
            self._base, self._seen = base, self.executor.catalogs.of(self.database)
            if self.keeps_temporary and self._seen.find_schema(self.temporary_schema) is None:
                self.keeps_temporary, self.lost_temporary = False, True
        return self._seen

    def _catalog_then(self) -> Any:
        """Of a pinned session: that of then, once it has been read. Statements that read nothing do without."""
        assert self.pinned is not None
        found = None
        with contextlib.suppress(SqlError):  # there was no such database: whoever reads is told
            found = self.executor.past.known(self.pinned, self.database)
        return self.executor.catalogs.of(self.database) if found is None else found

    def context(self) -> PlanContext:
        catalog, settings = self.catalog, self.settings
        if self._context is not None and not self.has_temporary and not self.lost_temporary:
            of = self._context_of  # the very same, as programs mostly find when they ask with each step
            if (
                of[0] is catalog
                and of[1] is settings.types
                and of[2] is settings.search_path
                and of[3] is settings.row_security
            ):
                return self._context
        self.meet_temporary(catalog)
        path = self.whole_path()
        key = (catalog, settings.types, path, settings.row_security)
        if self._context is None or self._context_of != key:
            self._context_of = key
            own = self.has_temporary or (self.block is not None and self.block.catalog is not None)
            self.type_settings = self._types_here() if own else settings.types
            self.superuser = rights.is_superuser(catalog, self.user)
            self._context = PlanContext(
                catalog, rights.usable(catalog, self.user, path), self.user, self.database, settings.types, reading_at=self.reading_at,
                row_security=settings.row_security,
            )  # fmt: skip
        return self._context

    def meet_temporary(self, catalog: Any) -> None:
        """The session's temporary schema is on its path as soon as it is there: what was planned without it is planned again.

        Raises 57P01, and ends the session, when others have dropped it: its names would mean everybody's relations from now on.
        """
        if self.lost_temporary:
            lost = lost_tables()
            if self.on_terminate is not None:
                self.on_terminate(lost)
            raise lost
        if not self.has_temporary and catalog.find_schema(self.temporary_schema) is not None:
            self.has_temporary = True
            self._plan_anew()

    def _types_here(self) -> TypeSettings:
        """The settings of types where names are not everybody's, for the session has temporary relations or its block has changed
        the catalog: regclass and its kin have the names that they have there, and composite types the attributes."""
        base = self.settings.types
        if self._types_of_block is None or self._types_of_block[0] is not base:
            here = weakref.ref(self)

            def context() -> SystemContext:
                session = here()
                assert session is not None  # what outlives it are encoders that nobody uses any more
                return SystemContext(session.catalog, session.search_path())

            def types_shown() -> contextlib.AbstractContextManager[None]:
                session = here()
                assert session is not None
                return shown(session.catalog)

            names = RegNames(context)
            made = dataclasses.replace(
                base, reg_output=names.output, reg_input=names.input, shown=types_shown
            )
            self._types_of_block = base, made
        return self._types_of_block[1]

    def context_on(self, path: tuple[str, ...]) -> PlanContext:
        """The context, with names looked up elsewhere."""
        here = self.context()
        if (
            self._context_on is None
            or self._context_on[0] is not here
            or self._context_on[1].search_path != path
        ):
            self._context_on = here, dataclasses.replace(here, search_path=path, partition=None)
        return self._context_on[1]

    def surroundings(self) -> PlanContext | None:
        """What the meaning of a text depends on, in one object: the same one, the same meaning. None: not to be relied on.

        That is where Parse would be refused, reads the catalog first, or finds the catalog of a block that has changed it.
        """
        block = self.block
        if self.behind or self.pinned is not None:
            return None
        if block is not None and (block.failed or block.catalog is not None):
            return None
        context = self._context
        if context is None or context.catalog is not self.newest_catalog():
            context = self.context()
        return context

    @property
    def behind(self) -> bool:
        """See `executor.abc.Session`."""
        raise NotImplementedError

    def reading_at(self, text: str) -> PlanContext:
        """In which context a query is planned that is AS OF this. Raises PlanError until that is known."""
        raise NotImplementedError

    def become(self, user: str) -> None:
        """Another role's name and privileges: statements that were prepared are planned anew when they run."""
        if user == self.user:
            return
        self.user = user
        self._context = None
        self._plan_anew()

    def kept_context(self) -> tuple[PlanContext | None, tuple[Any, ...]]:
        """The context as it is kept, and what it was made of."""
        return self._context, self._context_of

    def act_as(self, user: str, kept: tuple[PlanContext | None, tuple[Any, ...]] | None) -> None:
        """Somebody else's name and privileges for a while: prepared statements are left alone. `kept`: a context of this user's."""
        self.user = user
        self._context, self._context_of = kept if kept is not None else (None, ())
        self.path_set, self.type_settings = self.settings.search_path, self.settings.types
        self.secured_set = self.settings.row_security
        self.superuser = rights.is_superuser(self.catalog, user)

    def _plan_anew(self) -> None:
        """Statements that were prepared are planned again when they run: names may mean other things now."""
        for prepared in self.statements.values():
            prepared.plan = dataclasses.replace(prepared.plan, catalog_version=-1, compiled=None)

    def drop_named_statements(self) -> None:
        """DEALLOCATE ALL: the unnamed statement, which may be the one that says so, stays."""
        unnamed = self.statements.get("")
        self.statements.clear()
        if unnamed is not None:
            self.statements[""] = unnamed

    def trusted_context(self) -> PlanContext:
        """For texts of the server's own, over tables that the statement at hand may touch anyway."""
        return dataclasses.replace(self.context(), trusted=True, partition=None)

    @contextlib.contextmanager
    def under_way_with(self, plan: Plan) -> Iterator[None]:
        """While a query's rows are gone through, or its functions run."""
        self.under_way.append(plan)
        try:
            yield
        finally:
            self.under_way.pop()  # each ends before the one that it began in

    def call_type(self, ref: TypeRef) -> str:
        """What this session hears a type called: with its schema where it would not find it by its name alone."""
        return type_name(self.catalog, ref, self.search_path())

    def search_path(self) -> tuple[str, ...]:
        """Where names are looked up: the schemas of the setting that the user may use."""
        return rights.usable(self.catalog, self.user, self.whole_path())

    def whole_path(self) -> tuple[str, ...]:
        """The setting, with the temporary schema where it says pg_temp, or else in front, once there is one."""
        return self._with_temporary() if self.has_temporary else self.named_path()

    def named_path(self) -> tuple[str, ...]:
        """The setting, with the schema that pg_temp means."""
        path: tuple[str, ...] = self.settings.search_path
        if OWN_TEMPORARY not in path:
            return path
        return tuple(self.temporary_schema if n == OWN_TEMPORARY else n for n in path)

    def _with_temporary(self) -> tuple[str, ...]:
        """A path that names pg_temp last does so for safety: nobody's temporary table is taken for another one then."""
        path = self.named_path()
        return path if self.temporary_schema in path else (self.temporary_schema, *path)

    def ddl_context(self, catalog: Any, first_oid: int = 0) -> PlanContext:
        """A context in which DDL may make temporary tables."""
        return PlanContext(
            catalog,
            rights.usable(catalog, self.user, self._with_temporary()),
            self.user,
            self.database,
            self.settings.types,
            reading_at=self.reading_at,
            row_security=self.settings.row_security,
            check_bodies=self.settings.raw("check_function_bodies") == "on",
            shadowing=self._shadowing(),
            password_encryption=self.settings.raw("password_encryption"),
            first_oid=first_oid,
        )

    def _shadowing(self) -> str:
        """What a variable of PL/pgSQL that shadows another is to who makes a function: the settings say so."""
        looked_for = {"shadowed_variables", "all"}
        levels = ("error", "warning")
        return next((x for x in levels if self.settings.listed(f"plpgsql.extra_{x}s") & looked_for), "")

    def settings_changed(self) -> None:
        """After every SET and at the end of every transaction: what is derived from settings is renewed."""
        self._context = None
        settings = self.settings
        role = settings.raw("role")
        acting = settings.acting or (role if role != "none" else settings.raw("session_authorization"))
        if acting != self.user:  # SET LOCAL ROLE, or SET in a transaction that was undone
            self.become(acting)
        if settings.search_path != self.path_set or settings.row_security != self.secured_set:
            self.path_set, self.secured_set = settings.search_path, settings.row_security
            self._plan_anew()
        self.type_settings = settings.types
        self.escapes_in_strings = settings.escapes_in_strings
        self.duration_logged_ms = settings.duration_logged_ms
        self.watch()
        pinned, block = self.settings.as_of, self.block
        if block is not None and not block.begun and pinned != self.pinned and pinned is not None:
            block.as_of, block.read_only = pinned, True  # set before the first query: for this block too
        if pinned != self.pinned:
            self._base = None
        self.pinned = pinned

    def watch(self) -> None:
        """Finds out whether anything is to be done after each statement."""
        settings = self.settings
        self.watched = bool(
            settings.idle_in_transaction_timeout_ms
            or settings.idle_session_timeout_ms
            or settings.duration_logged_ms >= 0
            or self.executor.statements.is_on
        )

    def silence_limit(self) -> tuple[float, Exception] | None:
        settings = self.settings
        if self.block is not None and settings.idle_in_transaction_timeout_ms:
            return settings.idle_in_transaction_timeout_ms / 1000, ExecutionError(
                "25P03", "terminating connection due to idle-in-transaction timeout"
            )
        if self.block is None and settings.idle_session_timeout_ms:
            return settings.idle_session_timeout_ms / 1000, ExecutionError(
                "57P05", "terminating connection due to idle-session timeout"
            )
        return None

    def looks_after_client(self) -> bool:
        return self.settings.looks_after_client

    def startup_parameters(self) -> tuple[tuple[str, str], ...]:
        return self.settings.reported

    def notice(
        self,
        severity: str,
        sqlstate: str,
        message: str,
        detail: str = "",
        hint: str = "",
        context: Callable[[], str] = str,
        place: Place | None = None,
        position: int = 0,
    ) -> None:
        """To be told to the client before the answer, unless it wants to hear of nothing so slight (client_min_messages).

        `place`: where in our source it was found, if that is not who calls.
        """
        least = MESSAGE_LEVELS.index(self.settings.raw("client_min_messages"))
        level = "debug1" if severity == "DEBUG" else severity.lower()
        if severity == "INFO" or MESSAGE_LEVELS.index(level) >= least:
            where = place or source_places.calling()
            self.notices.append(Notice(severity, sqlstate, message, detail, hint, context(), where, position))

    async def tell_notices(self) -> None:
        """A program that says much, or works for long, is heard before it ends: what it says is not kept, and who does not listen keeps it
        waiting. What AFTER triggers say of rows that COPY is to send waits for these, as long as it is not too much."""
        behind_rows = self.copy_progress is not None and self.said_of_rows is not None
        if self.on_notices is not None and (
            len(self.notices) >= NOTICES_KEPT_MAX
            or (not behind_rows and time.time_ns() - self.statement_began_ns > SILENT_NS_MAX)
        ):
            await self.on_notices()
            self.said_of_rows = self.said_of_rows and 0

    def standard(self, text: str) -> str:
        """See `executor.abc.Session`. Warns of each such string where `escape_string_warning` is on."""
        warns = self.settings.raw("escape_string_warning") == "on"

        def warn(said: Warned) -> None:
            if warns:
                self.notice("WARNING", "22P06", said.message, hint=said.hint, position=said.position)

        return standard(text, warn)

    # --- interruption ----------------------------------------------------------------------

    def cancel(self) -> None:
        self._interrupt(canceled())

    def stop(self) -> None:
        """Cancels what is running for good: no program that handles the error goes on."""
        self.ends = True
        self.cancel()

    def timed_out(self) -> None:
        self._interrupt(canceled("canceling statement due to statement timeout"))

    def _interrupt(self, reason: SqlError) -> None:
        for query in self.streams:
            query.cancel(reason.message)
        if self.on_interrupt is not None:
            self.on_interrupt(reason)
        if self.lock_wait is not None:
            self.lock_wait.interrupt(reason)
        for asking in self.askings.values():
            asking.cancel()
        task = self._running
        if self._committing:
            self._told_late = self._told_late or reason
        elif task is not None and self._cancel_reason is None:
            self._cancel_reason = reason
            task.cancel()
