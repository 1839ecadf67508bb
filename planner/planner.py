"""The front door of this room: statement text in, plan out, and the cache that makes it cheap.

    text --normalise--> key --cache--> plan, parameter values            lookup(): microseconds, never parses
    text --lexer, parse--> statement --bind--> plan                      plan():   everything else

The cache has two kinds of keys. A **normalised** key (`... WHERE k = $i`) is the statement without its literals and
is used only for plans of the keyed engine, which take any value, and for statements whose literals tell the planner nothing (`planner.few_rows`),
most of which that engine answers; lists in it may be of any length (`planner.listed_literals`). Where that is true of some of the literals, it is a key without these (`... WHERE doc->>'k' = $s`),
from the second time on that the statement comes with others. Every other plan is made with its literals in place, where the binder and DuckDB can see them, and cached by its
**exact** text. What a plan means depends on the
catalog, the search path and a few settings, so each combination of the latter has a partition of the
cache, and a plan keeps what the catalog was asked for it: where another one gives other answers it is made
anew (`planner.catalog.reads`). Partitions are bounded, oldest use first out.

A plan of a utility statement that contains a query carries that query's plan in `extra["query"]`, whose positions
(and those of errors) count from the beginning of the whole statement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final

from planner import classify, few_rows, literal_rows, repeated_rows, truncated_names
from planner import statements as st
from planner.abc import (
    InsertValues,
    KeyedDelete,
    KeyedRead,
    KeyedUpdate,
    Plan,
    PlanError,
    SqlError,
    StatementKind,
    Utility,
)
from planner.binding import bind, other_databases
from planner.binding.routines.variables import Variables
from planner.catalog.system.reg_names import INPUT
from planner.catalog.user_types import shown
from planner.current_plans import is_current, of_reads, watching
from planner.ddl.binder import bind_ddl
from planner.ddl.plan import DdlPlan
from planner.inner_queries import InnerQueries
from planner.listed_literals import folded
from planner.literals import Convert, converter, naming, readers
from planner.normalise import LITERALS_MAX, NUMERIC, Normalised, normalise, parameterised, partly, scaled
from planner.parse.queries import parse_query
from planner.parse.statement import parse_statement
from planner.patience import Patience
from planner.plan_context import PlanContext
from planner.split import split
from storage.abc import Datum

PLANS_MAX: Final = 2_000
"""Plans kept per partition."""
PARTITIONS_MAX: Final = 64
CACHED_TEXT_LENGTH_MAX: Final = 65_536
READ_MAX: Final = 256
"""Definitions that are kept as they were read, each of at most so many characters:"""
READ_LENGTH_MAX: Final = 4_096
_QUERY_DEPTH_MAX: Final = 8

_KEYED: Final = (KeyedRead, InsertValues, KeyedUpdate, KeyedDelete)
_ROWS_KEPT: Final = 65_536
"""Literals or parameters of an INSERT of many rows whose plan is kept."""
_LONG: Final = "\0*"
"""The key of the last INSERT of many rows of parameters whose text is too long to be a key."""
_DEFINES: Final = re.compile(
    r"(?i:(?:alter|drop|comment|create\s+(?:schema|(?:unique\s+)?index|sequence|trigger|type|(?:or\s+replace\s+)?function))\b"
    r"|create\s+table\s+[^\s(]+\s*\()"
)
"""How most statements begin that define something."""


class _Cached:
    """A plan with what turns raw literals into its parameters."""

    __slots__ = ("convert", "plan")

    def __init__(self, plan: Plan, convert: Convert | None) -> None:
        self.plan, self.convert = plan, convert


def _unbound(read: Plan, text: str, ctx: PlanContext, offset: int) -> Plan:
    """A plan of its own for a definition that has been read before."""
    return Plan(read.kind, read.tag, (), read.columns, read.body, ctx.catalog.version, text, offset)


Partition = dict[str, _Cached]


def _let_go(cached: _Cached) -> None:
    """A plan and its compiled form hold each other: apart, both are gone with whoever still runs them.

    Python's cycle collector would find them too, but it hardly ever looks at what is old, as plans are that had to make room.
    """
    cached.plan.compiled = None
    if isinstance(query := cached.plan.extra.get("query"), Plan):
        query.compiled = None


class Planner(InnerQueries):
    """Shared by all sessions of a server. Not thread-safe: it lives on the event loop."""

    def __init__(self, plans_max: int = PLANS_MAX) -> None:
        self._plans_max = plans_max
        self.patience = Patience()
        self._partitions: dict[tuple[Any, ...], Partition] = {}
        self._exact_only: dict[str, tuple[bool, ...] | None] = {}
        """Normalised keys that are better planned exactly, or with those literals in place that are not only compared (`few_rows.lifted`),"""
        self._by_scale: dict[str, None] = {}  # and those that are planned for each scale of their numerics
        self._read: dict[str, Plan] = {}
        """Definitions by their texts, which are read without a catalog: tests and jobs make the same things again and again."""

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
                for old in self._partitions.pop(next(iter(self._partitions))).values():
                    _let_go(old)
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
            key = normal[0]
            cached = partition.get(key)
            if cached is None:
                key, normal, cached = self._otherwise_alike(normal, partition)
            if cached is not None:
                if not is_current(cached.plan, ctx.catalog):
                    _let_go(partition.pop(key))
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

    def _otherwise_alike(
        self, normal: Normalised, partition: Partition
    ) -> tuple[str, Normalised, _Cached | None]:
        """The plan for a key that has none as it stands: that of its numerics' scales, or of lists of any length; its key and literals."""
        for form in (normal, folded(normal)):
            if form is not None:
                key = _scaled_key(form) if form[0] in self._by_scale else form[0]
                cached = partition.get(key)
                if cached is not None:
                    return key, form, cached
        lifted = self._exact_only.get(normal[0])
        if lifted is not None:
            form = partly(normal, lifted)
            if form is not None:
                return form[0], form, partition.get(form[0])
        return normal[0], normal, None

    def _exact(self, key: str, ctx: PlanContext) -> Plan | None:
        """The plan under an exact key, if it is of this catalog."""
        partition: Partition = ctx.partition if ctx.partition is not None else self.partition(ctx)
        cached = partition.get(key)
        if cached is None:
            return None
        if not is_current(cached.plan, ctx.catalog):
            _let_go(partition.pop(key))
            return None
        return cached.plan

    def _remember(self, ctx: PlanContext, key: str, cached: _Cached) -> None:
        if len(key) > CACHED_TEXT_LENGTH_MAX:
            return
        partition = ctx.partition if ctx.partition is not None else self.partition(ctx)
        before = partition.pop(key, None)
        if before is not None and before.plan is not cached.plan:
            _let_go(before)
        while len(partition) >= self._plans_max:
            _let_go(partition.pop(next(iter(partition))))
        partition[key] = cached

    def _keep_read(self, plan: Plan, ctx: PlanContext) -> None:
        if plan.parameters or len(plan.text) > READ_LENGTH_MAX:
            return
        if len(self._read) >= READ_MAX:
            del self._read[next(iter(self._read))]
        self._read[plan.text] = _unbound(plan, plan.text, ctx, 0)  # of which nobody's forms hang

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
        plan, params = self._planned(text, ctx, parameter_types, normalise, offset)
        truncated_names.note(plan, text)
        return plan, params

    def _planned(
        self, text: str, ctx: PlanContext, parameter_types: Sequence[int], normalise: bool, offset: int
    ) -> tuple[Plan, tuple[Datum, ...]]:
        if _DEFINES.match(text) is not None:
            read = self._read.get(text)
            if read is not None:
                return _unbound(read, text, ctx, offset), ()
            with self.patience.planning(), shown(ctx.catalog):
                plan = self._plan_exact(text, ctx, parameter_types, offset)
            if plan.kind is StatementKind.DDL and not plan.extra:
                self._keep_read(plan, ctx)
                return plan, ()  # parsed, and bound whenever it runs: nothing was asked of the catalog
        key = text
        if normalise and not parameter_types:
            cached = self.lookup(text, ctx)
            if cached is not None:
                return cached
            seen = watching(ctx)
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
            seen = watching(ctx)
        with self.patience.planning(), shown(ctx.catalog):
            try:
                plan = of_reads(self._plan_exact(text, seen, parameter_types, offset), seen)
            except SqlError:
                if key is text:
                    self._unlearn(text)
                raise
        if plan.parameters and key is text:
            key = f"\0\0{text}"  # in the simple protocol, which has no values for them, it is an error
        if plan.kind is not StatementKind.DDL and not isinstance(plan.extra.get("as_of"), Plan):
            self._remember(ctx, key, _Cached(plan, None))  # a moving time may come to another catalog
        return plan, ()

    def plan_in_routine(self, text: str, ctx: PlanContext, variables: Variables, key: str) -> Plan:
        """Plans a text of PL/pgSQL, whose variables become parameters: `extra["places"]` says which.

        `key` is the text's and its place's, "" where it will not come again; records that were made of other things at that time,
        or were NULL, make another plan.
        """
        known = self._exact(f"\0\0\0{key}", ctx) if key else None
        if known is not None:
            used: dict[int, Any] = known.extra["variables"]
            kinds = variables.kinds
            for slot, kind in used.items():
                if kinds[slot] is not kind and kinds[slot] != kind:
                    break
            else:
                wholes: dict[int, bool] = known.extra["wholes"]
                if all((variables.values[slot] is None) is null for slot, null in wholes.items()):
                    return known
        inner = watching(ctx, variables)
        with self.patience.planning(), shown(ctx.catalog):
            plan = of_reads(self._plan_exact(text, inner, (), 0), inner)
        plan.extra["places"], plan.extra["variables"] = tuple(variables.places), variables.used
        plan.extra["wholes"] = variables.wholes
        if key and plan.kind is not StatementKind.DDL and not isinstance(plan.extra.get("as_of"), Plan):
            self._remember(ctx, f"\0\0\0{key}", _Cached(plan, None))
        return plan

    def _plan_normalised(
        self, text: str, ctx: PlanContext, seen: PlanContext, offset: int
    ) -> tuple[Plan, tuple[Datum, ...]] | None:
        """The plan for all statements that differ in literals only, if it is one that keys lead to the rows of."""
        normal: Normalised | None = normalise(text)
        if normal is None:
            return None
        listless = folded(normal)
        if listless is not None:
            taken = self._plan_key(listless, normal[0], ctx, seen, offset)
            if taken is not None:
                return taken
        lifted = self._exact_only.get(normal[0])
        if lifted is None:
            return self._plan_key(normal, normal[0], ctx, seen, offset)
        # It comes with other literals, so what they have in common is worth a plan.
        form = partly(normal, lifted)
        if form is None:
            return None
        taken = self._plan_key(form, form[0], ctx, seen, offset)
        if taken is None and form[0] in self._exact_only:
            self._exact_only[normal[0]] = None
        return taken

    def _plan_key(
        self, normal: Normalised, said: str, ctx: PlanContext, seen: PlanContext, offset: int
    ) -> tuple[Plan, tuple[Datum, ...]] | None:
        """The same for a statement without its literals, or without lists of them. `said`: with all its marks."""
        if normal[0] in self._exact_only:
            return None
        key, kinds, values = normal
        text, lists = parameterised(key), key is not said
        if key in self._by_scale:
            key, kinds = _scaled_key(normal), scaled(kinds, values)
        if key in (ctx.partition or ()) or key in self._exact_only:
            return None  # `lookup` has found it: these literals do not fit
        try:
            plan = of_reads(self._bind(text, seen, (), kinds), seen)
            keyed = _is_keyed(plan)
            if not keyed and NUMERIC in kinds and few_rows.by_scale(plan, said) and key == normal[0]:
                if len(self._by_scale) >= self._plans_max:
                    del self._by_scale[next(iter(self._by_scale))]
                self._by_scale[key] = None
                key, kinds = _scaled_key(normal), scaled(kinds, values)
                plan = of_reads(self._bind(text, seen, (), kinds), seen)
                keyed = _is_keyed(plan)
            if keyed or few_rows.is_shared(plan, said, seen.catalog, lists):
                convert = converter(plan.parameters, kinds, ctx.settings)
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
        self._exact_only[key] = few_rows.lifted(key) if key == said else None
        return None

    def _unlearn(self, text: str) -> None:
        """What cannot be planned at all says nothing of how it is planned best: the table may be made in a moment."""
        normal = normalise(text)
        for form in (normal, folded(normal)) if normal is not None else ():
            if form is not None:
                self._exact_only.pop(form[0], None)

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
                    seen = watching(ctx)
                    with self.patience.planning(), shown(ctx.catalog):
                        first = of_reads(self._bind(parameterised(said.key), seen, (), said.kinds), seen)
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
            settings = naming(ctx) if any(ref.oid in INPUT for ref in refs) else ctx.settings
            read = readers(refs, said.kinds, settings)
            columns = [
                [None if v is None else reader(v) for v in values]
                for reader, values in zip(read, said.columns, strict=True)
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
            other_databases.refuse_in(statement, text, ctx.catalog)
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

    def plan_expression(self, text: str, ctx: PlanContext) -> Plan:
        """A query that nobody runs, of one expression in a definition: what is wrong with it, of what type it is, what it calls.

        So no way by keys is looked for, and the plan is not kept."""
        statement = parse_statement(text)
        if not isinstance(statement, st.QueryStatement):
            return self.plan(text, ctx, normalise=False)[0]
        with self.patience.planning(), shown(ctx.catalog):
            return bind(parse_query(text, list(statement.tokens)), ctx, (), text, None, prefer_keyed=False)

    def plan_stored(self, text: str, ctx: PlanContext) -> Plan:
        """A view's query: the same of a whole one. Views are dropped and made again as they were, so the plan is kept."""
        key = f"\0view\0{text}"
        known = self._exact(key, ctx)
        if known is not None:
            return known
        statement = parse_statement(text)
        if not isinstance(statement, st.QueryStatement):
            return self.plan(text, ctx, normalise=False)[0]
        seen = watching(ctx)
        with self.patience.planning(), shown(ctx.catalog):
            tree = parse_query(text, list(statement.tokens))
            plan = of_reads(bind(tree, seen, (), text, None, prefer_keyed=False), seen)
        self._remember(ctx, key, _Cached(plan, None))
        return plan

    def bind_ddl(
        self, statement: Any, ctx: PlanContext, computed: Mapping[int, Datum] | None = None
    ) -> DdlPlan:
        """What a DDL statement changes, in the catalog of the transaction that executes it."""
        with shown(ctx.catalog):
            return bind_ddl(statement, ctx, self, computed)


def _is_keyed(plan: Plan) -> bool:
    """Whether it is the keyed engine's, which takes any value."""
    of_system = "meaning" in plan.extra and "keyed" in plan.extra
    return isinstance(plan.body, _KEYED) or of_system or "leafwise" in plan.extra


def _scaled_key(normal: Normalised) -> str:
    """The key of a plan for the scales that a statement's numerics have."""
    key, kinds, values = normal
    return f"{key}\0{scaled(kinds, values)}"


__all__ = ["Planner"]
