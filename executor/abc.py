"""The shapes that cross this room's walls: what pgwire sees of a session.

pgwire turns bytes into calls on a `Session` and the results into bytes. Two doors lead to the same
rooms. The **fast door** never leaves the caller's turn of the event loop: a keyed read answers at
once, a keyed write answers through a callback when its group is durable. The **wide door** is a
coroutine and can do everything.

    execute_now(plan, params, done)  ->  Rows      answered
                                     ->  PENDING   `done(Rows | Exception)` will be called
                                     ->  None      not for this door: await execute(...)

A session runs one statement at a time; pgwire holds later messages back while one is running.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

import pyarrow as pa

from planner.abc import Plan, ResultColumn, SqlError, TypeRef
from planner.source_places import NOWHERE, Place
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.replication.follower import Follower
    from executor.session.heard import Heard
    from planner.listed_parameters import Listing
    from planner.types import TypeSettings


class ExecutionError(SqlError):
    """A statement that failed while it ran: constraints, values, limits, transaction state."""

    taken: tuple[int, Any] | None = None
    """Of 23505: the constraint (0: the primary key) and the key that another row has, as conflicts and locks name it."""


def aborted() -> ExecutionError:
    """25P02, which a failed block answers to whatever does not end it."""
    return ExecutionError(
        "25P02", "current transaction is aborted, commands ignored until end of transaction block"
    )


class PlanOutdated(ExecutionError):
    """The catalog has changed since the statement was planned, and so has the shape of its result.

    `routine`: asyncpg and JDBC know by PostgreSQL's name of it that they may prepare anew and try again.
    """

    routine = "RevalidateCachedQuery"


@dataclass(frozen=True, slots=True)
class Encryption:
    """What a TLS handshake came to; names and number are those of the client's certificate, if it has shown one."""

    version: str
    cipher: str
    bits: int
    client: str | None = None
    serial: int | None = None
    issuer: str | None = None


@dataclass(slots=True)
class Notice:
    severity: str  # NOTICE, WARNING, INFO, LOG, DEBUG
    sqlstate: str
    message: str
    detail: str = ""
    hint: str = ""
    context: str = ""  # of a program that says it: where it is, and who has called it
    place: Place = NOWHERE  # in our source
    position: int = 0  # in the text that was sent, in characters from 1 (0: of no place)


@dataclass(slots=True)
class Rows:
    """A complete result: `rows` as tuples of datums (empty for commands), and the whole tag."""

    tag: str  # "SELECT 1", "INSERT 0 1", "UPDATE 3", "BEGIN"
    columns: tuple[ResultColumn, ...] | None = None
    rows: Sequence[tuple[Datum, ...]] = ()


@dataclass(slots=True)
class RowsAfterOthers(Rows):
    """A command's result behind those of SELECTs that rules have added to it. A simple query is sent these; who prepares a statement has
    never heard of them."""

    before: Sequence[Rows] = ()
    """In the order in which they ran, each with its columns (never None). Their tags are not sent: the statement has one CommandComplete."""


class SideBySide:
    """Rows that stand side by side somewhere and never change: `read(start, stop)` makes tuples of some, `one(i)` of one.

    `serial` is nobody else's, ever: what is remembered of these rows goes by it, and holds nothing. `columns` are the
    same rows, if they stand in columns, and `row_bytes` what one takes there (0: they do not).
    """

    __slots__ = ("columns", "count", "one", "read", "row_bytes", "serial")

    _serials = itertools.count()

    def __init__(
        self,
        read: Callable[[int, int], list[tuple[Datum, ...]]],
        one: Callable[[int], tuple[Datum, ...]],
        count: int,
        columns: Sequence[pa.Array] = (),
    ) -> None:
        self.read, self.one, self.count, self.columns = read, one, count, columns
        self.row_bytes = -(-sum(c.nbytes for c in columns) // count) if count else 0
        self.serial = next(SideBySide._serials)


class RowSpan(Sequence[tuple["Datum", ...]]):
    """Some of them, as a result's rows: made when somebody looks at them, for who has seen them before need not."""

    __slots__ = ("source", "start", "stop")

    def __init__(self, source: SideBySide, start: int, stop: int) -> None:
        self.source, self.start, self.stop = source, start, stop

    def __len__(self) -> int:
        return self.stop - self.start

    def __iter__(self) -> Iterator[tuple[Datum, ...]]:
        return iter(self.source.read(self.start, self.stop))

    def __getitem__(self, index: Any) -> Any:
        return self.source.read(self.start, self.stop)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


class RowPicks(Sequence[tuple["Datum", ...]]):
    """Single ones of them, in some order."""

    __slots__ = ("places", "source")

    def __init__(self, source: SideBySide, places: list[int]) -> None:
        self.source, self.places = source, places

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[tuple[Datum, ...]]:
        return map(self.source.one, self.places)

    def __getitem__(self, index: Any) -> Any:
        return list(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass(slots=True)
class Stream:
    """A result too large to hold: Arrow batches as they come, canonical Arrow types per column.

    pgwire counts the rows for the tag. `close` releases the engine and the read hold; it must be
    called, also after the last batch and after an error.
    """

    tag: str  # "SELECT": pgwire appends the count
    columns: tuple[ResultColumn, ...]
    batches: AsyncIterator[pa.RecordBatch]
    close: Callable[[], None]
    at_hand: Callable[[], pa.RecordBatch | None] = lambda: None
    """The next of `batches`, if it need not be waited for. Nobody may be waiting for one meanwhile."""


@dataclass(slots=True)
class CopyProgress:
    """How far a COPY has come, as `pg_stat_progress_copy` has it. Who moves the bytes counts them, who has the rows counts these."""

    command: str = "COPY FROM"
    type: str = "PIPE"
    relation_oid: int = 0
    bytes_processed: int = 0
    bytes_total: int = 0
    tuples_processed: int = 0
    tuples_excluded: int = 0


@dataclass(slots=True)
class CopyIn:
    """COPY FROM STDIN: pgwire decodes the format and writes Arrow batches, then finishes or fails.

    `columns` are the columns being copied (name, type). `write` takes batches with those columns in
    that order in canonical Arrow types and applies backpressure by being awaited.
    `finish` commits (or adds to the open transaction) and returns the tag ("COPY 5").
    """

    columns: tuple[ResultColumn, ...]
    options: CopyOptions
    write: Callable[[pa.RecordBatch], Any]  # async
    finish: Callable[[], Any]  # async -> Rows
    abort: Callable[[], None]
    table: str = ""  # for the context of errors: COPY t, line 3
    path: str = ""
    """A file of the server's to read instead of the client's messages."""
    progress: CopyProgress = field(default_factory=CopyProgress)
    refused: SqlError | None = None
    """What is said once the client has been told to send, as there: clients that read their data from a script skip it then."""


@dataclass(slots=True)
class CopyOut:
    """COPY TO STDOUT: pgwire encodes the stream in the format asked for."""

    options: CopyOptions
    stream: Stream
    path: str = ""
    """A file of the server's to write instead of messages to the client."""
    progress: CopyProgress = field(default_factory=lambda: CopyProgress("COPY TO"))
    said_before: int | None = None
    """So many of the session's notices come before the rows, of a statement that writes: what its AFTER triggers say comes behind them. None: all do."""


@dataclass(slots=True)
class CopyOptions:
    """COPY's options with PostgreSQL's defaults for the format."""

    format: str = "text"  # text, csv, binary
    delimiter: str = "\t"
    null: str = "\\N"
    header: bool | str = False  # True, False, "match"
    quote: str = '"'
    escape: str = '"'
    force_quote: tuple[str, ...] | str = ()  # "*" for all
    force_not_null: tuple[str, ...] = ()
    freeze: bool = False
    force_null: tuple[str, ...] = ()
    encoding: str = ""
    """Empty: the client's."""
    on_error: str = "stop"  # stop, ignore


class _Pending:
    __slots__ = ()


PENDING: Final = _Pending()
Result = Rows | Stream | CopyIn | CopyOut
Done = Callable[[Rows | Exception], None]


@dataclass(slots=True)
class Prepared:
    """A prepared statement, of Parse or PREPARE (they share one namespace)."""

    name: str
    text: str
    plan: Plan
    parameter_types: tuple[TypeRef, ...]
    """As clients are told them: domains, where those of the plan are the types underneath."""
    from_sql: bool = False
    express: Any = None
    """What pgwire knows of how it is usually bound."""
    literals: tuple[Datum, ...] | None = None
    """Its plan's parameters, where these are literals of the text (an INSERT of many rows): who binds it has none to give."""
    listing: Listing | None = None
    """How the values that it is given become its plan's parameters, where lists of them are one each."""


@dataclass(slots=True)
class Portal:
    """A bound statement, of Bind or DECLARE CURSOR (they share one namespace).

    pgwire runs it through `Session.execute_now/execute` on first Execute and keeps what is left
    over between Executes in `pending` (a place in the rows, or the batch at hand without the rows that were sent)
    and `result`.
    """

    name: str
    prepared: Prepared
    params: tuple[Datum, ...]
    formats: tuple[int, ...] = ()  # per column: 0 text, 1 binary (pgwire's)
    result: Result | None = None
    pending: Any = None
    encoded: Any = None
    """pgwire's: the first rows of `pending` as they will be sent."""
    finished: bool = False
    row_count: int = 0
    from_sql: bool = False
    advance: Callable[[Portal, int], Awaitable[Sequence[tuple[Datum, ...]]]] | None = None
    """Of a cursor that DECLARE made: its next rows, up to so many (0: all that are left)."""
    extra: dict[str, Any] = field(default_factory=dict)

    def close(self) -> None:
        if isinstance(self.result, Stream):
            self.result.close()
        elif isinstance(self.result, CopyOut):
            self.result.stream.close()
        self.result = None


class Session(Protocol):
    """One client's SQL session: settings, transaction block, prepared statements, portals."""

    pid: int
    secret: bytes
    user: str
    database: str
    statements: dict[str, Prepared]
    portals: dict[str, Portal]
    notices: list[Notice]  # drained by pgwire before ReadyForQuery and before CommandComplete
    parameter_changes: list[tuple[str, str]]  # drained by pgwire as ParameterStatus
    type_settings: TypeSettings  # replaced, never mutated: pgwire's caches hang off its identity

    heard: Heard  # notifications, drained by pgwire when idle
    on_notification: Callable[[], None] | None  # pgwire's: something was heard
    on_notices: Callable[[], Awaitable[None]] | None  # pgwire's: sends the notices there are
    on_terminate: Callable[[Exception], None] | None  # pgwire's: ends the conversation with a FATAL error
    on_interrupt: (
        Callable[[Exception], None] | None
    )  # pgwire's: what a statement waits for from the client comes no more

    statement_text: str  # pgwire's: what the client has sent last, for pg_stat_activity
    statement_began_ns: int  # pgwire's: when it came, nanoseconds since 1970 (0: nothing came yet)
    rows_wanted: int  # pgwire's: how many rows at a time the client asks for of what is executed now (0: all)
    peer: tuple[str, int] | str  # pgwire's: the client's address and port, or what its socket is called
    local: tuple[str, int] | str  # the end of the connection that is here
    encryption: Encryption | None  # pgwire's: what the TLS handshake came to; None: none

    watched: bool  # whether anything is to be done after a statement, `silence_limit` or a log of durations: asked each time
    duration_logged_ms: int  # statements that take so long are logged; -1: none

    escapes_in_strings: (
        bool  # whether backslashes in plain strings are escapes: then texts go through `standard`
    )

    transaction_status: bytes  # b"I" idle, b"T" in a block, b"E" in a failed block
    in_implicit: bool  # several statements are one transaction, up to Sync or the end of the string

    follows_database: bool | None  # on a replication connection: whether it is one of a database

    def call_type(self, ref: TypeRef) -> str:
        """What messages to this session call a type: `format_type`'s name, with a schema where its search path asks for it."""
        ...

    def follows(self, *, of_database: bool) -> None:
        """The connection is one of replication. Raises 42501."""

    def transaction_began_us(self) -> int:
        """When the block began, or the statement under way that is a transaction of its own."""

    def input_now_us(self) -> int:
        """What `now` is in a value that comes before its statement."""

    def standard(self, text: str) -> str:
        """A text whose plain strings have escapes, by the standard, as long as it was. Raises 42601, 22025, 22021, 0A000."""

    def follower(self) -> Follower:
        """What such a session asks of slots. Raises 42501."""

    @property
    def sender_timeout_s(self) -> float:
        """How long a follower may say nothing (`wal_sender_timeout`); 0: for ever."""

    def silence_limit(self) -> tuple[float, Exception] | None:
        """For how many seconds the client may now be silent, and why the session ends if it is for longer."""

    def looks_after_client(self) -> bool:
        """Whether a statement is to end when its client has closed its side of the connection (`client_connection_check_interval`)."""

    def executed(self, text: str, began_ns: int, tag: str) -> None:
        """A statement was answered with this tag. To be told where `watched` is true."""

    def startup_parameters(self) -> tuple[tuple[str, str], ...]:
        """The ParameterStatus pairs to send at start-up, spelled as PostgreSQL spells them."""

    def plan_simple(self, text: str) -> list[tuple[Plan, tuple[Datum, ...]]] | None:
        """All statements of a query string from the cache, literals taken out; None: not all cached.

        Never parses with sqlglot and never raises: the hot path of the simple protocol. Only for
        strings of exactly one statement is it required to ever return something.
        """

    def split(self, text: str) -> list[tuple[str, int]]:
        """A query string's statements with the character offset of each. Raises SqlError."""

    def plan(
        self, text: str, parameter_types: Sequence[int] = (), offset: int = 0
    ) -> tuple[Plan, tuple[Datum, ...]]:
        """Plans one statement. In the simple protocol the second item holds the normalised literals."""

    def renewed(self, prepared: Prepared) -> Prepared:
        """A statement whose literals were read for another catalog, or other settings: read anew. Else itself. So is one with a
        `listing`. Raises SqlError."""
        ...

    def prepare(self, name: str, text: str, parameter_types: Sequence[int]) -> Prepared:
        """Parse: plans without executing, infers parameter types (0: unspecified). Raises SqlError.

        In a failed block everything but COMMIT and ROLLBACK raises 25P02.
        """

    def surroundings(self) -> object | None:
        """What the meaning of a text depends on, in one object: the same one, the same meaning. None: not to be relied on."""

    @property
    def behind(self) -> bool:
        """Whether the catalog that statements are planned with may lack what another server has committed."""

    async def caught_up(self) -> bool:
        """Learns it; whether the catalog is another one now, so that planning may succeed where it has failed."""

    def execute_now(
        self, plan: Plan, params: tuple[Datum, ...], done: Done, autocommit: bool
    ) -> Rows | _Pending | None:
        """The fast door. `autocommit`: this statement is its whole implicit transaction.

        Raises SqlError (and TxnError) for errors found at once.
        """

    def reader(self, plan: Plan) -> Callable[[tuple[Datum, ...]], Sequence[tuple[Datum, ...]] | None] | None:
        """What answers a plan that has just been executed, if it is a read that needs no more than a look: parameters -> rows.

        Each call is a statement of its own outside of blocks. None instead of rows: not this time, execute it as usual.
        """

    def runner(self, plan: Plan) -> Callable[[tuple[Datum, ...], Done], Rows | _Pending | None] | None:
        """What runs a plan that has just been executed as `execute_now` would, each time as a statement of its own.

        None instead of an answer: not this time, ask the fast door.
        """

    async def execute(self, plan: Plan, params: tuple[Datum, ...], *, autocommit: bool) -> Result:
        """The wide door. A CopyIn is finished by its own `finish`.

        With `autocommit` false and no block open, it joins (or opens) the implicit transaction that
        `end_implicit` ends: several statements in one string, a pipeline up to Sync.
        """

    def outside_block(self, statement: Any) -> None:
        """Before the wide door, of a pipeline: the implicit transaction up to Sync is no block. Warns, or raises 25P01, where
        the statement needs one; several statements in one string are a block for it, so only pgwire can tell.
        """

    def takes_batches(self, plan: Plan) -> Sequence[TypeRef] | None:
        """Whether rows of this INSERT may come by columns, here and now: what the parameters of one row are to be read as."""

    async def insert_batch(self, plan: Plan, given: Sequence[pa.Array], *, executions: int) -> bool:
        """Inserts the rows of so many executions of it, `given` by its parameters in canonical Arrow.

        They join the block or the implicit transaction. If this is false or raises, none was inserted, and the executions
        one by one say what there is to be said.
        """

    async def end_implicit(self, *, commit: bool) -> None:
        """Ends the implicit transaction if one is open; raises if its commit fails."""

    def schema_name(self, oid: int) -> str:
        """What the schema of a table or type is called, for an error's fields; "" where it has gone."""

    def conceal(self, error: SqlError) -> None:
        """Takes out of an error's DETAIL what the session's user may not read."""

    def statement_failed(self, error: Exception) -> None:
        """An error was reported: an open block becomes failed, the implicit transaction rolls back."""

    def cancel(self) -> None:
        """Cancels what is running, from another connection or a time-out: it raises 57014."""

    def stop(self) -> None:
        """The same for good: the session is about to end, and no handler of a program's goes on."""

    def close(self) -> None:
        """The client is gone: rolls back, releases locks, holds, streams and temporary tables. Idempotent."""


class Executor(Protocol):
    """The server's one executor, shared by its sessions."""

    def open_session(self, user: str, database: str | None, options: dict[str, str]) -> Session:
        """Of no database: for physical replication, which speaks no SQL. Raises SqlError for an unknown role or database, or bad options."""

    def admit(self, user: str, database: str | None) -> None:
        """Whether a client that has proved to be this role may come in. Raises SqlError."""

    access_rules: Callable[[], list[dict[str, Any]]]
    """Who may come in, as rows of pg_hba_file_rules: the server that asks for proofs says it here."""

    def reloaded(self) -> None:
        """What the operator has written for the server has been read anew just now."""

    def look_at_log(self) -> asyncio.Future[None] | None:
        """Done when this server knows what others have acknowledged by now; None: it does."""

    def role_secret(self, user: str) -> str | None:
        """What is kept of a role's password (`planner.catalog.passwords`); None: no password fits."""

    def roles_of(self, user: str) -> frozenset[str]:
        """The role and those that it is in, directly or through others."""

    def cancel(self, pid: int, secret: bytes) -> None:
        """Cancels the statement of the session with this key; silent when there is none."""

    async def close(self) -> None: ...
