"""The front door of this room: statement text in, plan out, and the cache that makes it cheap.

    text --normalise--> key --cache--> plan, parameter values            lookup(): microseconds, never parses
    text --lexer, parse--> statement --bind--> plan                      plan():   everything else

The cache has two kinds of keys. A **normalised** key (`... WHERE k = $i`) is the statement without its literals and
is used only for plans of the keyed engine, which take any value, and for queries whose rows keys lead to (`_of_few`), which that
engine mostly answers; every other plan is made with its literals in place, where the binder and DuckDB can see them, and cached by its
**exact** text. What a plan means depends on the
catalog, the search path and a few settings, so each combination of the latter has a partition of the
cache, and a plan keeps what the catalog was asked for it: where another one gives other answers it is made
anew (`planner.catalog.reads`). Partitions are bounded, oldest use first out.

A plan of a utility statement that contains a query carries that query's plan in `extra["query"]`, whose positions
(and those of errors) count from the beginning of the whole statement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

from planner import classify, cursors, literal_rows, partitioning, repeated_rows, types
from planner import statements as st
from planner.abc import (
    InsertValues,
    KeyedDelete,
    KeyedJoin,
    KeyedRead,
    KeyedUpdate,
    Plan,
    PlanError,
    Points,
    Range,
    ResultColumn,
    SqlError,
    StatementKind,
    Table,
    TypeRef,
    Utility,
)
from planner.binding import bind
from planner.binding.routines.variables import Variables
from planner.catalog import Catalog
from planner.catalog.reads import Reads, WatchedCatalog, watched, with_rows
from planner.catalog.system.context import SystemContext
from planner.catalog.system.reg_names import INPUT, RegNames
from planner.catalog.user_types import shown
from planner.ddl.binder import bind_ddl
from planner.ddl.plan import DdlPlan
from planner.ddl.types.typenames import resolve_type
from planner.keyed_plans import Either
from planner.lexer import quoted
from planner.normalise import LITERALS_MAX, UNKNOWN, Normalised, normalise, parameterised
from planner.parse.placeholders import named
from planner.parse.plpgsql.names import looked_up
from planner.parse.positioned import by_key
from planner.parse.queries import parse_query
from planner.parse.statement import parse_statement
from planner.patience import Patience
from planner.split import split
from planner.types import TypeSettings
from storage.abc import Datum

PLANS_MAX: Final = 2_000
"""Plans kept per partition."""
PARTITIONS_MAX: Final = 64
CACHED_TEXT_LENGTH_MAX: Final = 65_536

_KEYED: Final = (KeyedRead, InsertValues, KeyedUpdate, KeyedDelete)
_ROWS_KEPT: Final = 65_536
"""Literals or parameters of an INSERT of many rows whose plan is kept."""
_LONG: Final = "\0*"
"""The key of the last INSERT of many rows of parameters whose text is too long to be a key."""
_QUERY_DEPTH_MAX: Final = 8


@dataclass(slots=True)
class PlanContext:
    """What a statement is planned in. Make a new one when the catalog, the path or a setting changes."""

    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)
    user: str = "tidewire"
    database: str = "tidewire"
    settings: TypeSettings = field(default_factory=TypeSettings)
    trusted: bool = False
    """The text is the server's own, a check of a constraint for instance: nobody's privileges are asked for."""
    reading_at: Callable[[str], PlanContext] | None = None
    """The context of a time that an AS OF names; raises PlanError where it is not known yet which that is."""
    clause: str = ""
    """What a definition's expression is that is bound as the only column of a query (`planner.binding.clauses`)."""
    listed: bool = False
    """That definition is kept and shown, and never computed: an index that nobody searches."""
    variables: Any = None
    """What else names may mean, in a body of PL/pgSQL (`planner.binding.routines.variables`)."""
    calling: bool = False
    """The query is what CALL is followed by: its one column is a procedure's call."""
    check_bodies: bool = True
    password_encryption: str = "scram-sha-256"
    """Whether CREATE FUNCTION looks at what a body says."""
    row_security: bool = True
    """Whether policies are heeded where they restrict; else that is an error (the setting of this name)."""
    partition: Any = None  # the planner's: this context's part of the cache


class _Cached:
    """A plan with what turns raw literals into its parameters."""

    __slots__ = ("convert", "plan")

    def __init__(self, plan: Plan, convert: _Convert | None) -> None:
        self.plan, self.convert = plan, convert


_Convert = Callable[[list[str], PlanContext], tuple[Datum, ...]]


def is_current(plan: Plan, catalog: Catalog) -> bool:
    """Whether the plan is one for this catalog: made in it, or of a statement that means the same here as where it was made,
    or of answers that this one gives as well."""
    if plan.catalog_version == catalog.version:
        return True
    if plan.catalog_version < 0:
        return False
    only_parsed = plan.kind is StatementKind.DDL and not plan.extra  # it is bound whenever it runs
    if not only_parsed and plan.extra.get("meaning") != catalog.meaning:
        reads: Reads | None = plan.reads
        if reads is None or not reads.hold(catalog):
            return False
    plan.catalog_version = catalog.version
    return True


Partition = dict[str, _Cached]


class Planner:
    """Shared by all sessions of a server. Not thread-safe: it lives on the event loop."""

    def __init__(self, plans_max: int = PLANS_MAX) -> None:
        self._plans_max = plans_max
        self.patience = Patience()
        self._partitions: dict[tuple[Any, ...], Partition] = {}
        self._exact_only: dict[str, None] = {}  # normalised keys that are better planned exactly

    def split(self, text: str) -> list[tuple[str, int]]:
        """A query string's statements with the character offset of each. Raises PlanError 42601."""
        return split(text)

    # --- the cache -------------------------------------------------------------------------------

    def partition(self, ctx: PlanContext) -> Partition:
        """The part of the cache that statements of this context may use."""
        s = ctx.settings
        key = (
            ctx.catalog.past,
            ctx.trusted,
            ctx.database,
            ctx.user,
            ctx.search_path,
            s.date_style,
            s.interval_style,
            s.time_zone,
            ctx.clause,
            ctx.row_security,
        )
        found = self._partitions.get(key)
        if found is None:
            if len(self._partitions) >= PARTITIONS_MAX:
                del self._partitions[next(iter(self._partitions))]
            found = self._partitions[key] = {}
        ctx.partition = found
        return found

    def lookup(self, text: str, ctx: PlanContext) -> tuple[Plan, tuple[Datum, ...]] | None:
        """The cached plan of one statement and its literals as parameters; None: ask `plan`.

        Never parses all of it, never raises: a literal that does not fit its parameter's type is for `plan` to refuse.
        """
        partition: Partition = ctx.partition
        if partition is None:
            partition = self.partition(ctx)
        normal = normalise(text)
        if normal is not None:
            cached = partition.get(normal[0])
            if cached is not None:
                if not is_current(cached.plan, ctx.catalog):
                    del partition[normal[0]]
                    return None
                assert cached.convert is not None
                try:
                    return cached.plan, cached.convert(normal[2], ctx)
                except (SqlError, ValueError):
                    pass  # it may have been planned with its literals in place
        plan = self._exact(text, ctx)
        if plan is None and text[-1:] == ";":  # which is no part of the statement: it was planned without
            plan = self._exact(text[:-1].rstrip(), ctx)
        if plan is not None:
            return plan, ()
        return self.rows_of_literals(text, ctx)

    def _exact(self, key: str, ctx: PlanContext) -> Plan | None:
        """The plan under an exact key, if it is of this catalog."""
        partition: Partition = ctx.partition if ctx.partition is not None else self.partition(ctx)
        cached = partition.get(key)
        if cached is None:
            return None
        if not is_current(cached.plan, ctx.catalog):
            del partition[key]
            return None
        return cached.plan

    def _remember(self, ctx: PlanContext, key: str, cached: _Cached) -> None:
        if len(key) > CACHED_TEXT_LENGTH_MAX:
            return
        partition = ctx.partition if ctx.partition is not None else self.partition(ctx)
        partition.pop(key, None)
        while len(partition) >= self._plans_max:
            del partition[next(iter(partition))]
        partition[key] = cached

    # --- planning --------------------------------------------------------------------------------

    def plan(
        self,
        text: str,
        ctx: PlanContext,
        parameter_types: Sequence[int] = (),
        normalise: bool = True,
        offset: int = 0,
    ) -> tuple[Plan, tuple[Datum, ...]]:
        """Plans one statement; the second item holds the literals that were taken out of it.

        `normalise` is for the simple protocol, where a statement has no parameters of its own.
        `parameter_types` are OIDs, 0 for unspecified. `offset` is where the statement begins in its string.
        Raises PlanError; positions count from the beginning of `text`.
        """
        key = text
        if normalise and not parameter_types:
            cached = self.lookup(text, ctx)
            if cached is not None:
                return cached
            seen = _watching(ctx)
            with self.patience.planning(), shown(ctx.catalog):
                taken = self._plan_normalised(text, ctx, seen, offset)
            if taken is not None:
                return taken
            known = self._exact(f"\0\0{text}", ctx)
            if known is not None:
                if (
                    not known.parameters
                ):  # prepared by somebody: the same statement here, and found at once from now on
                    self._remember(ctx, text, _Cached(known, None))
                return known, ()
        else:
            # No statement begins with NUL, so these keys cannot meet those of the simple protocol.
            key = f"\0{','.join(map(str, parameter_types))}\0{text}"
            known = self._exact(key, ctx)
            if known is not None:
                return known, ()
            many = self._plan_repeated(text, ctx, parameter_types, len(key) > CACHED_TEXT_LENGTH_MAX)
            if many is not None:
                self._remember(ctx, key, _Cached(many, None))
                return many, ()
            seen = _watching(ctx)
        with self.patience.planning(), shown(ctx.catalog):
            plan = _of_reads(self._plan_exact(text, seen, parameter_types, offset), seen)
        if plan.parameters and key is text:
            key = f"\0\0{text}"  # in the simple protocol, which has no values for them, it is an error
        if plan.kind is not StatementKind.DDL and not isinstance(plan.extra.get("as_of"), Plan):
            self._remember(ctx, key, _Cached(plan, None))  # a moving time may come to another catalog
        return plan, ()

    def plan_in_routine(self, text: str, ctx: PlanContext, variables: Variables, key: str) -> Plan:
        """Plans a text of PL/pgSQL, whose variables become parameters: `extra["places"]` says which.

        `key` is the text's and its place's, "" where it will not come again; records that were made of other things at that time
        make another plan.
        """
        known = self._exact(f"\0\0\0{key}", ctx) if key else None
        if known is not None:
            used: dict[int, Any] = known.extra["variables"]
            kinds = variables.kinds
            for slot, kind in used.items():
                if kinds[slot] is not kind and kinds[slot] != kind:
                    break
            else:
                return known
        inner = _watching(ctx, variables)
        with self.patience.planning(), shown(ctx.catalog):
            plan = _of_reads(self._plan_exact(text, inner, (), 0), inner)
        plan.extra["places"], plan.extra["variables"] = tuple(variables.places), variables.used
        if key and plan.kind is not StatementKind.DDL and not isinstance(plan.extra.get("as_of"), Plan):
            self._remember(ctx, f"\0\0\0{key}", _Cached(plan, None))
        return plan

    def _plan_normalised(
        self, text: str, ctx: PlanContext, seen: PlanContext, offset: int
    ) -> tuple[Plan, tuple[Datum, ...]] | None:
        """The plan for all statements that differ in literals only, if it is one that keys lead to the rows of."""
        normal: Normalised | None = normalise(text)
        if normal is None or normal[0] in self._exact_only:
            return None
        key, kinds, values = normal
        if key in (ctx.partition or ()):
            return None  # `lookup` has found it: these literals do not fit
        try:
            plan = _of_reads(self._bind(parameterised(key), seen, (), kinds), seen)
            of_system = "meaning" in plan.extra and "keyed" in plan.extra
            if isinstance(plan.body, _KEYED) or of_system or "leafwise" in plan.extra or _of_few(plan):
                convert = _converter(plan.parameters, kinds, ctx.settings)
                plan.position_offset = offset
                self._remember(ctx, key, _Cached(plan, convert))
                try:
                    return plan, convert(values, ctx)
                except (SqlError, ValueError):
                    return None  # other literals fit; these are planned in place, which finds the error's position
        except (SqlError, ValueError):
            pass  # planned again with its literals in place, which finds the error's right position
        if len(self._exact_only) >= self._plans_max:
            del self._exact_only[next(iter(self._exact_only))]
        self._exact_only[key] = None
        return None

    def _plan_repeated(
        self, text: str, ctx: PlanContext, parameter_types: Sequence[int], long: bool
    ) -> Plan | None:
        """The plan of an INSERT that writes one row again and again, if this is one. `long`: it cannot be a key."""
        if long:
            last = self._exact(_LONG, ctx)
            if last is not None and last.text == text and last.extra["declared"] == tuple(parameter_types):
                return last
        said = repeated_rows.first_row(text)
        forms = repeated_rows.forms(parameter_types, said) if said is not None else None
        if said is None or forms is None:
            return None
        try:
            plans = [self.plan(said.text, ctx, types, normalise=False)[0] for types in forms.types]
        except SqlError:
            return None  # planned as a whole, which finds the error's right position
        plan = repeated_rows.multiplied(plans, said, forms.which, text)
        if plan is not None and long and len(plan.parameters) <= _ROWS_KEPT:
            plan.extra["declared"] = tuple(parameter_types)
            self._remember(ctx, _LONG, _Cached(plan, None))
        return plan

    def rows_of_literals(self, text: str, ctx: PlanContext) -> tuple[Plan, tuple[Datum, ...]] | None:
        """The plan of an INSERT of many rows of literals, if this is one, and these."""
        said = literal_rows.read(text) if len(text) >= literal_rows.LENGTH_MIN else None
        if said is None or said.key in self._exact_only:
            return None
        many = len(said.kinds) * said.row_count
        key = f"\0{said.row_count if many <= LITERALS_MAX else '*'}\0{said.key}"
        plan = self._exact(key, ctx)
        if plan is not None and len(plan.parameters) != many:
            plan = None
        try:
            if plan is None:
                first = self._exact(said.key, ctx)
                if first is None:
                    seen = _watching(ctx)
                    with self.patience.planning(), shown(ctx.catalog):
                        first = _of_reads(self._bind(parameterised(said.key), seen, (), said.kinds), seen)
                if not isinstance(first.body, InsertValues) or "leafwise" in first.extra:
                    return None
                plan = repeated_rows.multiplied(
                    [first], repeated_rows.Repeated("", len(said.kinds), said.row_count), b"", ""
                )
                if plan is None:
                    return None
                if many <= _ROWS_KEPT:  # of larger ones the last: each number of rows is another plan
                    self._remember(ctx, key, _Cached(plan, None))
            refs = plan.parameters[: len(said.kinds)]
            settings = _naming(ctx) if any(ref.oid in INPUT for ref in refs) else ctx.settings
            readers = _readers(refs, said.kinds, settings)
            columns = [
                [None if v is None else reader(v) for v in values]
                for reader, values in zip(readers, said.columns, strict=True)
            ]
        except (SqlError, ValueError):
            return None  # planned as a whole, which finds the error's right position
        return plan, tuple(chain.from_iterable(zip(*columns, strict=True)))

    def _plan_exact(
        self, text: str, ctx: PlanContext, parameter_types: Sequence[int], offset: int, depth: int = 0
    ) -> Plan:
        if depth > _QUERY_DEPTH_MAX:
            raise PlanError("54001", "statements are nested too deeply")
        statement = parse_statement(text)
        if isinstance(statement, st.QueryStatement):
            plan = self._bind(text, ctx, parameter_types, None, statement)
        elif isinstance(statement, st.PositionedWrite) and ctx.variables is not None:
            plan = self._positioned_in_routine(text, statement, ctx, ctx.variables)
        else:
            kind, tag = classify.classify(statement)
            plan = Plan(kind, tag, (), None, Utility(statement), ctx.catalog.version, text)
            self._plan_inner(plan, statement, ctx, parameter_types, depth)
            if plan.columns is None:
                plan.columns = classify.columns_of(statement)
        plan.position_offset = offset
        return plan

    def _bind(
        self,
        text: str,
        ctx: PlanContext,
        parameter_types: Sequence[int],
        kinds: str | None,
        statement: st.QueryStatement | None = None,
    ) -> Plan:
        tree = parse_query(text, list(statement.tokens) if statement is not None else None)
        return bind(tree, ctx, parameter_types, text, kinds)

    def _plan_inner(
        self, plan: Plan, statement: Any, ctx: PlanContext, parameter_types: Sequence[int], depth: int
    ) -> None:
        """Plans the query inside a utility statement."""
        if isinstance(statement, st.PositionedWrite):
            self._plan_positioned(plan, statement, ctx, parameter_types)
            return
        if isinstance(statement, st.Call):
            self._plan_call(plan, statement, ctx, parameter_types)
            return
        if isinstance(statement, st.CreateTableAs):
            self._plan_filled(plan, statement, ctx, parameter_types, depth)
            return
        query: st.Sql | None = getattr(statement, "query", None)
        if query is None or isinstance(statement, st.CreateView):
            # What a client states types of it may bind, and it is nobody's: `$1` in a definition is 42P02 when it is made.
            plan.parameters = tuple(TypeRef(oid or types.UNKNOWN) for oid in parameter_types)
            return
        if isinstance(statement, st.Prepare):
            parameter_types = [
                types.base_of(resolve_type(t, ctx.catalog, ctx.search_path)).oid for t in statement.types
            ]
        if isinstance(statement, st.Copy):
            cursors.refuse_rules(query, ctx)
        inner = self._plan_inner_query(statement, query, plan.text, ctx, parameter_types, depth)
        plan.extra["query"] = inner
        plan.parameters = inner.parameters if not isinstance(statement, st.Prepare) else ()
        if isinstance(statement, st.SelectAsOf):
            if "runs" in inner.extra:
                raise PlanError("0A000", "functions that run in a query AS OF are not supported")
            plan.kind, plan.tag, plan.columns = inner.kind, inner.tag, inner.columns
            at = statement.at.text.strip()
            plan.extra["as_of"] = (
                int(at)
                if at.isdigit()
                else self._plan_exact(f"SELECT CAST({at} AS timestamptz)", ctx, parameter_types, 0, depth + 1)
            )
        elif isinstance(statement, st.DeclareCursor):
            cursors.refuse(statement, inner)
        elif isinstance(statement, st.Copy):
            cursors.refuse_copied(query, inner)

    def _plan_filled(
        self,
        plan: Plan,
        said: st.CreateTableAs,
        ctx: PlanContext,
        parameter_types: Sequence[int],
        depth: int,
    ) -> None:
        """Which parameters the query of CREATE TABLE AS has: it is planned again when the table is made. Raises 0A000."""
        if (
            ctx.variables is not None
            or said.query.text[:7].lower() == "execute"
            or not named(said.query.text)
        ):
            return
        plan.parameters = self._plan_part(said.query, plan.text, ctx, parameter_types, depth).parameters
        if plan.parameters and said.materialized:
            raise PlanError("0A000", "materialized views may not be defined using bound parameters")

    def _plan_call(self, plan: Plan, said: st.Call, ctx: PlanContext, parameter_types: Sequence[int]) -> None:
        """The query of a procedure's arguments. Raises 42883, 42809."""
        before = said.query.offset - len("SELECT ")
        text = f"SELECT {said.query.text}"
        try:
            inner = self._bind(text, replace(ctx, calling=True), parameter_types, None)
        except SqlError as e:
            e.position = e.position + before if e.position else 0
            if e.sqlstate == "42883" and e.message.startswith("function "):
                e.message = "procedure " + e.message.removeprefix("function ")
                e.args = (e.message,)
                e.hint = e.hint.replace("No function", "No procedure")
            raise
        plan.extra["query"] = inner
        plan.parameters = inner.parameters
        procedure = inner.extra["procedure"]
        if procedure.outputs:
            plan.columns = tuple(
                ResultColumn(p.name or f"column{i + 1}", TypeRef(p.type.oid))
                for i, p in enumerate(procedure.outputs)
            )

    def _plan_positioned(
        self, plan: Plan, said: st.PositionedWrite, ctx: PlanContext, parameter_types: Sequence[int]
    ) -> None:
        """The write by key that the executor runs with the cursor's key."""
        table = _written_at_cursor(said, ctx)
        inner = self._bind(by_key(plan.text, said, table), ctx, parameter_types, None)
        plan.extra["query"], plan.extra["table"] = inner, table
        plan.parameters = inner.parameters[: said.parameters]
        plan.kind, plan.tag, plan.columns = inner.kind, inner.tag, inner.columns

    def _positioned_in_routine(
        self, text: str, said: st.PositionedWrite, ctx: PlanContext, variables: Variables
    ) -> Plan:
        """The write by key itself: `extra["current"]` says which cursor's row has the key, by a variable's slot or by name."""
        table = _written_at_cursor(said, ctx)
        names = [f"........current.{i}........" for i in range(len(table.key_indexes))]
        kinds = [table.columns[i].type for i in table.key_indexes]
        variables.current = {n: (i, ref) for i, (n, ref) in enumerate(zip(names, kinds, strict=True))}
        plan = self._bind(by_key(text, said, table, lambda i: quoted(names[i])), ctx, (), None)
        plan.text = text
        at = looked_up(variables.level, (said.cursor,), variables.seen)
        plan.extra["current"] = (at[0] if at is not None else -1, said.cursor, table)
        return plan

    def _plan_inner_query(
        self,
        statement: Any,
        query: st.Sql,
        text: str,
        ctx: PlanContext,
        parameter_types: Sequence[int],
        depth: int,
    ) -> Plan:
        """The plan of the query in a statement, over the catalog of the time that it is to be read at."""
        if not isinstance(statement, st.SelectAsOf) or ctx.reading_at is None:
            return self._plan_part(query, text, ctx, parameter_types, depth)
        then = ctx.reading_at(statement.at.text)
        with shown(then.catalog):
            return self._plan_part(query, text, then, parameter_types, depth)

    def _plan_part(
        self, part: st.Sql, text: str, ctx: PlanContext, parameter_types: Sequence[int], depth: int
    ) -> Plan:
        """Plans a slice of a statement, blanks before it, so that every position is right in the whole."""
        if part.offset:
            return self._plan_exact(" " * part.offset + part.text, ctx, parameter_types, 0, depth + 1)
        return self._plan_exact(part.text, ctx, parameter_types, 0, depth + 1)

    def bind_ddl(
        self, statement: Any, ctx: PlanContext, computed: Mapping[int, Datum] | None = None
    ) -> DdlPlan:
        """What a DDL statement changes, in the catalog of the transaction that executes it."""
        with shown(ctx.catalog):
            return bind_ddl(statement, ctx, self, computed)


def _watching(ctx: PlanContext, variables: Variables | None = None) -> PlanContext:
    """A context whose catalog notes what it is asked."""
    return replace(ctx, catalog=watched(ctx.catalog), variables=variables or ctx.variables)


def _of_reads(plan: Plan, ctx: PlanContext) -> Plan:
    """The plan, and those in it, with what the catalog was asked for them."""
    assert isinstance(ctx.catalog, WatchedCatalog)
    _note(plan, with_rows(ctx.catalog))
    return plan


def _note(plan: Plan, reads: Reads) -> None:
    if "as_of" in plan.extra:
        return  # what it reads was asked of another catalog
    plan.reads = reads
    if isinstance(query := plan.extra.get("query"), Plan):
        _note(query, reads)
    if isinstance(plan.body, Utility) and isinstance(plan.body.statement, st.Rewritten):
        for step in plan.body.statement.steps:
            _note(step.plan, reads)


def _written_at_cursor(said: st.PositionedWrite, ctx: PlanContext) -> Table:
    name = said.table
    table = ctx.catalog.resolve_table(name.name, name.schema, ctx.search_path, name.position)
    if table.partitioning is None:  # the key of a partitioned table is one of all its rows, a parent's is not
        partitioning.refuse(table, "WHERE CURRENT OF")
    return table


def _converter(parameters: Sequence[TypeRef], kinds: str, settings: TypeSettings) -> _Convert:
    """What turns raw literals of these kinds into datums of the parameters' types."""
    if any(ref.oid in INPUT for ref in parameters):
        return lambda values, ctx: _read(_readers(parameters, kinds, _naming(ctx)), values)
    readers = _readers(parameters, kinds, settings)
    if all(r is int for r in readers):
        return lambda values, _: tuple(map(int, values))
    if len(readers) == 1:
        one = readers[0]
        return lambda values, _: (one(values[0]),)
    return lambda values, _: _read(readers, values)


_Readers = Sequence[Callable[[str], Datum]]


def _read(readers: _Readers, values: list[str]) -> tuple[Datum, ...]:
    return tuple([read(v) for read, v in zip(readers, values, strict=True)])


def _readers(parameters: Sequence[TypeRef], kinds: str, settings: TypeSettings) -> _Readers:
    readers: list[Callable[[str], Datum]] = []
    for ref, kind in zip(parameters, kinds, strict=True):
        if kind != UNKNOWN and ref.oid in (types.INT4, types.INT8):
            readers.append(int)  # the lexer has seen digits, and not too many; a string may hold anything
        elif ref.oid in (types.TEXT, types.UNKNOWN) or (ref.oid == types.VARCHAR and ref.typmod < 0):
            readers.append(str)
        else:
            readers.append(types.text_input(ref, settings))
    return readers


def _of_few(plan: Plan) -> bool:
    """Whether keys lead to a query's rows, so that it hardly matters what else DuckDB would know of its literals.

    Where it is to look at many rows it does: a numeric that is no literal has no scale, and a pattern that is none is read for each row.
    """
    body = plan.extra.get("keyed")
    if isinstance(body, KeyedJoin):
        led = bool(body.steps) and _is_narrow(body.steps[0].lookup)
    else:
        led = isinstance(body, KeyedRead) and (body.terms is not None or _is_narrow(body.lookup))
    return led and all(p.oid != types.NUMERIC for p in plan.parameters)


def _is_narrow(lookup: object) -> bool:
    return isinstance(lookup, Points | Either) or (isinstance(lookup, Range) and bool(lookup.prefix))


def _naming(ctx: PlanContext) -> TypeSettings:
    """Settings in which names of regclass and its kin are those of the context, which may be a transaction's own."""
    names = RegNames(lambda: SystemContext(ctx.catalog, ctx.search_path))
    return replace(ctx.settings, reg_output=names.output, reg_input=names.input)


__all__ = ["PlanContext", "Planner"]
