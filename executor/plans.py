"""From plans to what runs: the keyed engine's compiled functions, or "the wide door".

prepared    text -> plan, shared by all who prepare the same       (bounded; for one catalog)
compile     plan -> CompiledPlan, kept with the plan               keyed functions if it can be, else DuckDB
rules       table definition -> its constraints, compiled          kept until the table is defined anew
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Collection, Hashable
from functools import partial
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError, PlanOutdated, aborted
from executor.catalogs import Catalogs
from executor.constraints.bound_checks import BoundChecks
from executor.constraints.references import referenced_key, same_datums, statement_concerns
from executor.constraints.rules import TableRules
from executor.keyed.autocommit import Parent, WriteTarget
from executor.keyed.compile import NotCompilable, compile_tuple
from executor.keyed.index_read import IndexRead
from executor.keyed.insert import InsertPlan
from executor.keyed.parts import PartsPlan, WritePart
from executor.keyed.parts_member import PartsTarget
from executor.keyed.plans import CompiledPlan, Door, Shortcut, either_way
from executor.keyed.read import ReadPlan
from executor.keyed.terms_read import TermsRead
from executor.keyed.write import UpdatePlan
from executor.lists_of_parameters import ListsOfParameters
from executor.session.catalog_reads import join_of
from executor.session.choices import CHOICES, ChosenPlans
from executor.session.drawing import Draws
from executor.session.partitions.leafwise import LeafPlans
from executor.session.secured_rules import SecuredRules
from executor.snapshot.store import SnapshotStore
from executor.statistics.counts import WHOLE, Counts, TableCounts, Way, WholeScan, way_of_step
from executor.triggers.table import Holder, TableTriggers, fires
from planner import triggers
from planner.abc import (
    DeleteQuery,
    Expr,
    InsertQuery,
    InsertValues,
    KeyedDelete,
    KeyedJoin,
    KeyedRead,
    KeyedUpdate,
    LockingQuery,
    Oid,
    Plan,
    SqlError,
    StatementKind,
    Table,
    UpdateQuery,
    Utility,
    WithWrites,
    statement_reads,
)
from planner.catalog import Catalog, Database, Schema
from planner.current_plans import is_current
from planner.listed_parameters import Listing, stated
from planner.plan_context import PlanContext
from planner.planner import Planner
from planner.relations import GuardedTable, TransitionTable
from planner.statements import Begin, Commit, Rollback
from storage.abc import Datum, ShardId
from txn.environment import Environment

if TYPE_CHECKING:
    from executor.session.session import Session

PREPARED_MAX = 2_000
PREPARED_TEXT_LENGTH_MAX = 65_536
SWEPT_MIN = 200
"""What is compiled of so many tables is kept without asking whether they are still there."""


class Plans:
    """What all sessions' plans are compiled by."""

    def __init__(self, env: Environment, planner: Planner, store: SnapshotStore, catalogs: Catalogs) -> None:
        self._env, self._planner, self._store, self._catalogs = env, planner, store, catalogs
        self._triggers: dict[tuple[int, int], TableTriggers] = {}
        self._rules: dict[tuple[int, int], TableRules] = {}
        self._swept_at = SWEPT_MIN
        self._checks = BoundChecks(planner)
        self.counts = Counts()
        self._prepared: dict[tuple[Any, ...], Plan] = {}
        self._lists = ListsOfParameters(self.prepared)

    def prepared(self, text: str, context: PlanContext, types: tuple[int, ...]) -> Plan:
        """The plan of a statement to be prepared: many clients prepare the same few again and again."""
        key = _key_of(text, context, types)
        plan = self._prepared.get(key)
        if plan is not None and is_current(plan, context.catalog):
            return plan
        plan, _ = self._planner.plan(text, context, types, normalise=False)
        moves = isinstance(plan.extra.get("as_of"), Plan)
        if plan.kind is not StatementKind.DDL and not moves and len(text) <= PREPARED_TEXT_LENGTH_MAX:
            if len(self._prepared) >= PREPARED_MAX:
                del self._prepared[next(iter(self._prepared))]
            self._prepared[key] = plan
        return plan

    def prepared_listed(
        self, text: str, context: PlanContext, types: tuple[int, ...]
    ) -> tuple[Plan, Listing | None]:
        """The same, or the plan for lists of parameters of every length, and how what is given becomes its parameters."""
        plan = self._prepared.get(_key_of(text, context, types))
        if plan is not None and is_current(plan, context.catalog):
            return plan, None
        return self._lists.prepared(text, context, types)

    def rows_of_literals(self, text: str, context: PlanContext) -> tuple[Plan, tuple[Datum, ...]] | None:
        """The plan of an INSERT of many rows of literals, and these; None: the statement is another one."""
        return self._planner.rows_of_literals(text, context)

    def rules(self, table: Table, catalog: Catalog | None = None) -> TableRules:
        """The compiled constraints of a table definition, as a catalog has what they call; None: the newest."""
        if isinstance(table, GuardedTable) and table.form is not None:
            table = table.form  # policies are asked elsewhere (`executor.session.row_security`)
        view = table.view_oid if isinstance(table, GuardedTable) else 0
        rules = self._rules.get((table.oid, view))
        if rules is None or rules.table is not table or rules.under is not None:
            seen = self._seen(table, catalog)
            if rules is None or rules.table is not table or rules.under != seen.meaning:
                called: set[Oid] = set()
                counts = self.counts_of(table, seen)
                rules = TableRules(table, partial(self._checks.bind, seen, called), seen, counts)
                rules.under = seen.meaning if called else None
                if len(self._rules) + len(self._triggers) >= self._swept_at:
                    self._sweep()
                self._rules[table.oid, view] = rules
        return rules

    def counts_of(self, table: Table, catalog: Catalog) -> TableCounts:
        """What is counted of a table in a catalog's database."""
        counts = self.counts.table(table.oid)
        counts.database_oid = catalog.database_oid
        return counts

    def over_rows(self, table: Table, text: str, catalog: Catalog) -> Expr | None:
        """An expression over a table's rows, if it is of built-in functions alone and the keyed engine has words for it."""
        called: set[Oid] = set()
        found, _ = self._checks.bind(self._seen(table, catalog), called, table, text)
        return found if called <= {c.type.oid for c in table.columns} else None

    def _sweep(self) -> None:
        """Lets go what was compiled of tables that have been dropped. (One that is still to be committed is compiled again.)"""
        there = self._catalogs.newest.get
        self._rules = {key: x for key, x in self._rules.items() if there(key[0]) is not None}
        self._triggers = {key: x for key, x in self._triggers.items() if there(key[0]) is not None}
        self._swept_at = max(SWEPT_MIN, 2 * (len(self._rules) + len(self._triggers)))

    def triggers_of(self, holder: Holder) -> TableTriggers:
        """The compiled triggers of a table's or view's definition."""
        key = holder.oid, holder.view_oid if isinstance(holder, GuardedTable) else 0
        known = self._triggers.get(key)
        if known is None or known.holder is not holder:
            bind = self._checks.bind
            known = TableTriggers(holder, lambda seen, table, text: bind(seen, set(), table, text))
            self._triggers[key] = known
        return known

    def _seen(self, table: Table, catalog: Catalog | None) -> Catalog:
        """The catalog in which a table's constraints are bound, seen from its database."""
        if catalog is not None:
            schema = catalog.get(table.schema_oid)
            home = schema.database_oid if isinstance(schema, Schema) else 0
            if home <= 0 or home == catalog.database_oid:
                return catalog
            database = catalog.get(home)
            return catalog.for_database(database.name) if isinstance(database, Database) else catalog
        newest = self._catalogs.newest
        schema = newest.get(table.schema_oid)
        database = newest.get(schema.database_oid) if isinstance(schema, Schema) else None
        return self._catalogs.of(database.name) if isinstance(database, Database) else newest

    def compile(self, plan: Plan, catalog: Catalog, session: Session) -> CompiledPlan:
        """What executing the plan takes; plans made for another catalog are made anew first."""
        current = plan
        known: CompiledPlan | None = plan.compiled
        if known is not None and self._lasts(known, catalog, session):
            known.catalog = catalog
            return known
        if not is_current(plan, catalog):
            if "places" in plan.extra:
                raise PlanOutdated("0A000", "the catalog has changed since this was planned")
            current = self.planned_again(plan, session)
        body = current.body
        if isinstance(body, Utility):
            ends = isinstance(body.statement, Begin | Commit | Rollback)
            return CompiledPlan(Door.END if ends else Door.WIDE, catalog, current, statement=body.statement)
        refuse_unpopulated(current)
        if not isinstance(body, KeyedRead | InsertValues | KeyedUpdate | KeyedDelete):
            found = CompiledPlan(
                Door.WIDE, catalog, current, shortcut=self._shortcut(current, catalog, session)
            )
            if "by_range" in current.extra:
                keyed = dataclasses.replace(current, body=current.extra["by_range"], extra={})
                with contextlib.suppress(ExecutionError):  # the keyed engine cannot compute it
                    found.by_range = self.compile(keyed, catalog, session)
            self._put_parts(found, catalog, session)
            if "leafwise" in current.extra and "runs" not in current.extra and not catalog.past:
                with contextlib.suppress(NotCompilable):
                    found.leaves = LeafPlans(catalog, current, current.extra["leafwise"])
            self._put_choices(found)
            if "act" in current.extra and "runs" not in current.extra:
                with contextlib.suppress(NotCompilable):
                    found.act = compile_tuple(current.extra["act"])
            if "constant" in current.extra:
                with contextlib.suppress(NotCompilable):
                    made = compile_tuple(current.extra["constant"])
                    if "runs" in current.extra:
                        found.running = made
                    else:
                        found.constant = made
            return found
        if catalog.past and not isinstance(body, KeyedRead):  # will be refused, whatever the table was
            return CompiledPlan(Door.WIDE, catalog, current)
        table = body.table
        created = session.block is not None and table.shard in session.block.created
        image = None if created else self._store.image(table.shard)
        try:
            if isinstance(body, KeyedRead):
                beyond = None
                if "beyond" in current.extra:
                    wide = dataclasses.replace(current, body=current.extra["beyond"], extra={})
                    few = self._shortcut(current, catalog, session)  # of which there are few, in no order
                    beyond = CompiledPlan(Door.WIDE, catalog, wide, shortcut=few)
                read = ReadPlan(body)
                way = self.counts_of(table, catalog).way(read.lookup.name)
                by_read = CompiledPlan(
                    Door.READ,
                    catalog,
                    current,
                    table,
                    image,
                    read=read,
                    lock=body.lock,
                    way=way,
                    beyond=beyond,
                )
                self._put_choices(by_read)
                return by_read
            rules = self.rules(table, catalog)
            if isinstance(table, GuardedTable) and table.row_checks is not None:
                rules = SecuredRules(rules, table)
            write = InsertPlan(body, rules) if isinstance(body, InsertValues) else UpdatePlan(body, rules)
        except NotCompilable as e:
            raise ExecutionError("0A000", f"the keyed engine cannot compute this: {e}") from None
        target = None
        refers, takes = statement_concerns(body)
        parents = self._parents(table, catalog, session) if refers else ()
        asks = bool(rules.asks) and not isinstance(body, KeyedDelete)
        fires = asks or (bool(table.triggers) and _fires(body))
        plain = not rules.wide_checks and not takes and parents is not None and not fires
        if image is not None and plain and not table.on_commit:
            assert parents is not None
            target = WriteTarget(
                write,
                rules,
                image,
                self._env.locks,
                self._env.held_keys,
                self._env.rids.next,
                plan.columns,
                self._is_current,
                parents,
            )
        return CompiledPlan(
            Door.WRITE,
            catalog,
            current,
            table,
            image,
            write=write,
            rules=rules,
            target=target,
            way=rules.counts.way(write.lookup.name) if isinstance(write, UpdatePlan) else None,
            related=refers or takes,
            fires=fires,
        )

    @staticmethod
    def _put_choices(found: CompiledPlan) -> None:
        """The plans that stand in for this one, by what parameters say."""
        made = found.plan.extra.get(CHOICES)
        if made is None or "runs" in found.plan.extra or found.catalog.past:
            return
        with contextlib.suppress(NotCompilable):
            found.leaves = ChosenPlans(found.plan, made)

    def _lasts(self, known: CompiledPlan, catalog: Catalog, session: Session) -> bool:
        """Whether what was compiled for another catalog is what would be compiled for this one: the tables are the same, which
        says what their constraints, triggers and images are, unless these call functions."""
        if known.leaves is not None or known.parts is not None or known.by_range is not None:
            return False
        if known.rules is not None and not self._rules_last(known, catalog):
            return False
        block = session.block
        if block is not None and block.catalog is not None and self._of_block(known.plan, block.created):
            return False
        return is_current(known.plan, catalog)

    def _rules_last(self, known: CompiledPlan, catalog: Catalog) -> bool:
        """Whether a write's constraints are still the same, and those of the tables that its rows refer to."""
        rules = known.rules
        assert rules is not None
        if rules.under is not None or type(known.table) is not Table:
            return False
        for rule in rules.references:
            parent = catalog.get(rule.constraint.foreign_table)
            if not isinstance(parent, Table) or parent.partitioning is not None:
                return False
        parents = known.target.parents if known.target is not None else ()
        return all(catalog.get(p.rules.table.oid) is p.rules.table for p in parents)

    def is_of_all(self, made: CompiledPlan) -> bool:
        """Whether what was compiled in a block that has changed the catalog is not about these changes: it is of tables as all see them."""
        newest = self._catalogs.newest
        return made.leaves is None and all(newest.get(x.oid) is x for x in statement_reads(made.plan))

    @staticmethod
    def _of_block(plan: Plan, created: Collection[ShardId]) -> bool:
        """Whether a plan is of tables that the block has made, which have no images yet."""
        return bool(created) and any(table.shard in created for table in statement_reads(plan))

    def _put_parts(self, found: CompiledPlan, catalog: Catalog, session: Session) -> None:
        """A statement that writes, or locks, rows that look-ups find, as one function, where it can be one."""
        body, extra = found.plan.body, found.plan.extra
        if (
            not isinstance(body, WithWrites | InsertQuery | UpdateQuery | DeleteQuery | LockingQuery)
            or catalog.past
            or not extra.keys().isdisjoint(("runs", "constants", "leafwise", "by_range"))
        ):
            return
        created = session.block.created if session.block is not None else {}
        try:
            parts = PartsPlan(body, lambda table: self.rules(table, catalog), Draws, fires)
            if any(table.shard in created for table in parts.tables):
                return
            found.parts = parts
            if not parts.writes:
                return
            targets: dict[ShardId, WriteTarget] = {}
            for _, part in parts.parts:
                if not isinstance(part, WritePart):
                    continue
                parents = self._parents(part.table, catalog, session) if part.refers else ()
                if parents is None:
                    return
                targets[part.table.shard] = WriteTarget(
                    part,
                    part.rules,
                    self._store.image(part.table.shard),
                    self._env.locks,
                    self._env.held_keys,
                    self._env.rids.next,
                    None,
                    self._is_current,
                    parents,
                )
            images = {table.shard: self._store.image(table.shard) for table in parts.tables}
            found.parts_target = PartsTarget(parts, images, targets, self._env.locks, self._is_defined)
        except NotCompilable:
            pass

    def _is_defined(self, table: Table) -> bool:
        """Whether the table is still so defined, by everything admitted: asked at each admission."""
        return self._catalogs.admitted.get(table.oid) is table

    def _parents(self, table: Table, catalog: Catalog, session: Session) -> tuple[Parent, ...] | None:
        """Where an autocommit write looks for the rows that it refers to; None: not as simply as that."""
        found: list[Parent] = []
        for rule in self.rules(table, catalog).references:
            c = rule.constraint
            parent = catalog.table(c.foreign_table)
            if parent.partitioning is not None:
                return None
            key, order = referenced_key(parent, c)
            simple = key.kind == "p" and not c.deferrable and c.match == "s" and parent.oid != table.oid
            if not simple or c.collations or not same_datums(table, parent, c):
                return None
            if session.block is not None and parent.shard in session.block.created:
                return None
            indexes = tuple(rule.indexes[i] for i in order)
            found.append(Parent(indexes, self._store.image(parent.shard), self.rules(parent, catalog)))
        return tuple(found)

    def _shortcut(self, plan: Plan, catalog: Catalog, session: Session) -> Shortcut | None:
        """The keyed way to a query's answer, for when it asks for little."""
        body = plan.extra.get("keyed")
        found = None if body is None else self._keyed_way(body, catalog, session)
        if found is None or not isinstance(body, KeyedRead) or body.otherwise is None:
            return found
        other = self._keyed_way(body.otherwise, catalog, session)
        return found if other is None else either_way(found, other)

    def _keyed_way(self, body: KeyedRead | KeyedJoin, catalog: Catalog, session: Session) -> Shortcut | None:
        try:
            join = join_of(body) if isinstance(body, KeyedJoin) else None
            tables = (body.table,) if isinstance(body, KeyedRead) else join.tables if join is not None else ()
            if any(isinstance(x, TransitionTable) for x in tables):
                return None
            if session.block is not None and any(x.shard in session.block.created for x in tables):
                return None
            images = tuple(self._store.image(x.shard) for x in tables)
            if not isinstance(body, KeyedRead):
                if join is None:
                    return None
                steps = [(x.table, way_of_step(x)) for x in join.steps if x.table is not None]
                ways = tuple(self._counted(table, name, catalog) for table, name in steps)
                return Shortcut(join.short, images, tables, join, ways=ways)
            counts = self.counts_of(body.table, catalog)
            if body.terms is not None:
                from executor.session.searching import led_to

                by_terms = TermsRead(body, led_to)
                return Shortcut(by_terms.rows, images[0], tables, by_terms, ways=(counts.way(WHOLE),))
            if body.index:
                by_index = IndexRead(body)
                return Shortcut(by_index.rows, images[0], tables, by_index, ways=(counts.way(body.index),))
            by_key = ReadPlan(body)
            way = counts.way(by_key.lookup.name)
            return Shortcut(by_key.short, images[0], tables, by_key, ways=(way,))
        except NotCompilable:
            return None

    def _counted(self, table: Table, name: Hashable, catalog: Catalog) -> Way | WholeScan:
        """Where a step of a join counts what it looks at."""
        way, image = self.counts_of(table, catalog).way(name), self._store.image(table.shard)
        return way if name is not WHOLE else WholeScan(way, lambda: image.physical.live_rows)

    def _is_current(self, rules: TableRules) -> bool:
        """Whether the table is still so defined, by everything admitted: asked at each admission."""
        return self._catalogs.admitted.get(rules.table.oid) is rules.defined

    def planned_again(self, plan: Plan, session: Session) -> Plan:
        """The plan of the same statement for the catalog as the session sees it. Raises PlanOutdated."""
        if not plan.text:  # of rows of literals, which the caller has
            raise PlanOutdated("0A000", "the catalog has changed since this was planned")
        try:
            made, _ = self._planner.plan(plan.text, session.context(), stated(plan), normalise=False)
        except SqlError:
            if session.block is not None and session.block.failed:
                raise aborted() from None  # where nothing is looked up any more
            raise
        require_same_columns(plan, made, session)
        return made


def _key_of(text: str, context: PlanContext, types: tuple[int, ...]) -> tuple[Any, ...]:
    """What a text's meaning depends on, but for what the catalog says."""
    settings = context.settings
    return (
        text,
        types,
        context.catalog.past,
        context.search_path,
        context.user,
        context.database,
        settings.date_style,
        settings.interval_style,
        settings.time_zone,
        context.row_security,
    )


def refuse_unpopulated(plan: Plan, rewritten: Oid = 0) -> None:
    """Raises 55000 for a materialized view WITH NO DATA: definitions may name it, and none of them is asked before it is refreshed.
    One that is itself `rewritten` has no rows to be moved."""
    for table in statement_reads(plan):
        if table.materialized is not None and not table.materialized.populated and table.oid != rewritten:
            raise ExecutionError(
                "55000",
                f'materialized view "{table.name}" has not been populated',
                hint="Use the REFRESH MATERIALIZED VIEW command.",
            )


def require_same_columns(plan: Plan, made: Plan, session: Session) -> None:
    """Raises 0A000 where a plan that was made again has other columns: the client has been told of these."""
    if plan.columns is not None and made.columns is not None:
        before = [(c.name, c.type) for c in plan.columns]
        if before != [(c.name, c.type) for c in made.columns]:
            if session.block is not None and session.block.failed:
                raise aborted()  # whatever the statement may be: it is not the one that ends the block
            raise PlanOutdated("0A000", "cached plan must not change result type")


def _fires(body: InsertValues | KeyedUpdate | KeyedDelete) -> bool:
    """Whether the statement may fire a trigger of its table."""
    if isinstance(body, KeyedUpdate):
        return fires(body.table, triggers.UPDATE, [i for i, _ in body.assignments])
    if isinstance(body, KeyedDelete):
        return fires(body.table, triggers.DELETE)
    conflict = body.on_conflict
    updates = conflict is not None and conflict.assignments is not None
    return fires(body.table, triggers.INSERT) or (
        updates
        and conflict is not None
        and fires(body.table, triggers.UPDATE, [i for i, _ in conflict.assignments or ()])
    )


__all__ = ["Plans", "require_same_columns"]
