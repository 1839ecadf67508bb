"""The state of one DDL statement while it is being bound: a catalog in the making, and what was found out.

Every step changes the working catalog at once, so that the next step (a table's second constraint, the sequence of a
serial column, the view that a cascade has dropped already) sees it. At the end `plan` boils it down: each object's
first `old` and last `new`, and the counter if OIDs were taken.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from planner import records, source_places
from planner import statements as st
from planner.abc import Oid, Plan, PlanError, SqlError, Table, TypeRef
from planner.catalog import (
    Catalog,
    CatalogChange,
    CatalogObject,
    Comment,
    Counter,
    Grant,
    Index,
    Relation,
    Schema,
    rights,
)
from planner.catalog.catalog import meant_schema
from planner.catalog.names import missing_relation, missing_schema
from planner.catalog.system.relations import relations
from planner.ddl.plan import DataCheck, DdlNotice, DdlPlan, Rewrite
from planner.parse.placeholders import refuse_parameters
from planner.relations import TransitionTable
from storage.abc import Datum

if TYPE_CHECKING:
    from planner.plan_context import PlanContext
    from planner.planner import Planner

_TEMPORARY = "pg_temp"


class Scope:
    """One statement's working catalog, notices and tasks."""

    def __init__(
        self, ctx: PlanContext, planner: Planner, tag: str, computed: Mapping[int, Datum] | None = None
    ) -> None:
        self.ctx, self.planner, self.tag = ctx, planner, tag
        self.computed = computed or {}
        """Values of expressions in the statement, by their places, for who has asked for them (`bound_values`)."""
        self.before = ctx.catalog
        self.catalog = ctx.catalog
        self.search_path = ctx.search_path
        self.user = ctx.user
        self.notices: list[DdlNotice] = []
        self.created: list[Table] = []
        self.dropped: list[str] = []
        self.truncated: list[Table] = []
        self.rewrites: list[Rewrite] = []
        self.copies: list[tuple[CatalogObject, CatalogObject]] = []
        self.checks: list[DataCheck] = []
        self.query: Plan | None = None
        self.now_us = time.time_ns() // 1000
        """What `now` means in literals of the statement."""
        self._next = ctx.first_oid or ctx.catalog.counter.next_oid
        self._first: dict[Oid, CatalogObject | None] = {}

    def enter(self, schema: str, owner: str) -> None:
        """From here on names are looked up in this schema first, and things are made for its owner."""
        self.search_path = (schema, *self.search_path)
        self.user = owner
        self.ctx = records.replace(self.ctx, search_path=self.search_path, user=owner, partition=None)

    # --- changing --------------------------------------------------------------------------------

    def allocate(self) -> Oid:
        """An OID that was never used."""
        self._next += 1
        return self._next - 1

    def add(self, thing: CatalogObject) -> None:
        self._change(None, thing)
        if hasattr(thing, "owner"):
            from planner.ddl.rights.default_privileges import granted_by_default

            for grant in granted_by_default(self, thing):
                self._change(None, grant)

    def add_copies(self, copies: Iterable[tuple[CatalogObject, CatalogObject]]) -> None:
        """Adds what is like something that is there, all at once: nothing follows from it. Rows are to be copied, too."""
        copies = list(copies)
        self._first.update((new.oid, None) for _, new in copies)
        self.catalog = self.catalog.with_changes([CatalogChange(None, new) for _, new in copies])
        self.copies += copies
        self.created += [new for _, new in copies if isinstance(new, Table)]

    def replace(self, old: CatalogObject, new: CatalogObject) -> None:
        if old != new:
            self._change(old, new)
            before, after = getattr(old, "owner", None), getattr(new, "owner", None)
            if before != after:
                from planner.ddl.rights import grants

                grants.change_owner(self, new.oid, str(before), str(after))

    def put(self, old: CatalogObject, new: CatalogObject) -> None:
        """`replace`, where nothing follows from what is another: a role that has another name owns what it owned."""
        self._change(old, new)

    def remove(self, thing: CatalogObject) -> None:
        """Removes an object with its comments and grants."""
        attachments: list[Comment | Grant] = [
            *self.catalog.comments_on(thing.oid),
            *self.catalog.grants_on(thing.oid),
        ]
        for attached in attachments:
            self._change(attached, None)
        self._change(thing, None)
        if isinstance(thing, Table) and (analysis := self.catalog.analysis_of(thing.oid)) is not None:
            self._change(analysis, None)
        if isinstance(thing, Table | Schema):
            from planner.ddl.replication import published

            published.forget(self, thing)

    def forget_comments(self, oids: Iterable[Oid]) -> None:
        """Removes what was said of things that are no objects of their own: a relation's triggers, policies, rules."""
        for oid in oids:
            for comment in self.catalog.comments_on(oid):
                self.remove(comment)

    def _change(self, old: CatalogObject | None, new: CatalogObject | None) -> None:
        change = CatalogChange(old, new)
        self._first.setdefault(change.oid, old)
        self.catalog = self.catalog.with_changes([change])

    def first_states(self) -> list[tuple[Oid, CatalogObject | None]]:
        """Every object that was changed, with its state before the statement."""
        return list(self._first.items())

    def refresh(self) -> None:
        """The definitions in what is to be done become those of the catalog as it is now."""

        def newest(table: Table) -> Table:
            found = self.catalog.get(table.oid)
            return found if isinstance(found, Table) else table

        self.created = [newest(t) for t in self.created]
        self.rewrites = [records.replace(r, new=newest(r.new)) for r in self.rewrites]

    def made_here(self, table: Table) -> bool:
        """Whether the table is of this very statement (CREATE SCHEMA): it has no rows yet."""
        return any(made.oid == table.oid for made in self.created)

    def notice(self, message: str, sqlstate: str = "00000", **more: Any) -> None:
        self.notices.append(DdlNotice(message, sqlstate, place=source_places.calling(), **more))

    def plan(self) -> DdlPlan:
        """Everything that was decided."""
        if self._next > self.before.counter.next_oid:
            self._change(self.before.counter, Counter(self._next))
        changes = [
            CatalogChange(old, new)
            for oid, old in self._first.items()
            if (new := self.catalog.get(oid)) is not None or old is not None
            if new != old
        ]
        return DdlPlan(
            self.tag,
            self.catalog if changes else self.before,
            changes,
            [found for t in self.created if isinstance(found := self.catalog.get(t.oid), Table)],
            self.dropped,
            self.truncated,
            self.rewrites,
            self.checks,
            self.notices,
            self.query,
            {new.oid: old for old, new in self.copies},
            self._next,
        )

    # --- finding ---------------------------------------------------------------------------------

    def schema_for(
        self, name: st.Name, temporary: bool = False, unlogged: bool = False, *, at: int = 0
    ) -> Schema:
        """Where something with this name is to be made. Raises 3F000, 42501, 42P16; of CREATE TABLE alone errors say `at` which place."""
        if temporary or name.schema == _TEMPORARY:
            if name.schema and name.schema != _TEMPORARY and not name.schema.startswith(_TEMPORARY + "_"):
                self.catalog.schema(name.schema, at)
                raise PlanError(
                    "42P16",
                    "cannot create temporary relation in non-temporary schema",
                    position=at,
                )
            if unlogged:
                raise PlanError(
                    "42P16",
                    "only temporary relations may be created in temporary schemas",
                    position=at,
                )
            return self.temporary_schema()
        if not name.schema:
            return self.catalog.creation_schema(self.search_path, at)
        schema = self.catalog.schema(name.schema, at)
        if schema.database_oid == 0:
            raise PlanError(
                "42501",
                f'permission denied to create "{schema.name}.{name.name}"',
                detail="System catalog modifications are currently disallowed.",
            )
        return schema

    def temporary_schema(self) -> Schema:
        """The session's own schema for temporary things, which its search path names."""
        for part in self.search_path:
            if part.startswith(_TEMPORARY + "_"):
                found = self.catalog.find_schema(part)
                if found is None:
                    found = Schema(self.allocate(), part, database_oid=self.catalog.database_oid)
                    self.add(found)
                return found
        raise PlanError("0A000", "temporary tables are not supported in this session")

    def relation(self, name: st.Name, kind: str = "relation") -> Relation:
        """Raises 42P01 (with position), 3F000."""
        found = self.find(name)
        if found is None:
            if name.schema:
                self.catalog.schema(self.homed(name).schema, name.position)
            self.refuse_system(name)
            raise missing_relation(_shown(name), kind, name.position)
        return found

    def refuse_system(self, name: st.Name) -> None:
        """Raises 42501 where the name is of a relation of PostgreSQL's own: nobody changes those here."""
        system = relations().get((name.schema or "pg_catalog", name.name))
        if system is None:
            return
        if rights.is_superuser(self.catalog, self.user):
            raise PlanError("42501", f'permission denied: "{name.name}" is a system catalog')
        raise PlanError("42501", f"must be owner of {'view' if system.kind == 'v' else 'table'} {name.name}")

    def homed(self, name: st.Name) -> st.Name:
        """A name with the temporary schema's own name in the place of `pg_temp`."""
        schema = meant_schema(name.schema, self.search_path)
        return name if schema == name.schema else records.replace(name, schema=schema)

    def find(self, name: st.Name) -> Relation | None:
        schema = meant_schema(name.schema, self.search_path)
        if schema and self.catalog.find_schema(schema) is None:
            return None
        found = self.catalog.find_relation(name.name, schema, self.search_path)
        return behind(self.catalog, found, self.search_path) if isinstance(found, TransitionTable) else found

    def table(self, name: st.Name) -> Table:
        found = self.relation(name)
        if not isinstance(found, Table):
            raise PlanError("42809", f'"{name.name}" is not a table')
        return found

    def require_schema(self, name: st.Name) -> None:
        if name.schema and self.catalog.find_schema(name.schema) is None:
            raise missing_schema(name.schema)

    def passes_schema(self, name: st.Name, if_exists: bool) -> bool:
        """Whether a name is passed over for its schema is not there: with a NOTICE by IF EXISTS, else it raises 3F000."""
        if not name.schema or self.catalog.find_schema(self.homed(name).schema) is not None:
            return False
        if not if_exists:
            raise missing_schema(name.schema)
        self.notice(f'schema "{name.schema}" does not exist, skipping')
        return True

    def passes_relation(self, name: st.Name, if_exists: bool) -> bool:
        """The same for a relation; without IF EXISTS the caller finds out that it is missing. Raises 3F000."""
        if self.passes_schema(name, if_exists):
            return True
        if not if_exists or self.find(name) is not None:
            return False
        self.notice(f'relation "{name}" does not exist, skipping')
        return True

    def is_taken(self, schema: Schema, name: str) -> bool:
        return self.catalog.relation_in(schema.oid, name) is not None

    def refuse_duplicate(self, schema: Schema, name: str) -> None:
        """Raises 42P07, or 42710 for a type of that name."""
        if self.is_taken(schema, name):
            raise PlanError("42P07", f'relation "{name}" already exists')
        if self.catalog.type_in(schema.oid, name) is not None:
            raise PlanError(
                "42710",
                f'type "{name}" already exists',
                hint="A relation has an associated type of the same name, so you must use a name that doesn't "
                "conflict with any existing type.",
            )

    # --- planning expressions ----------------------------------------------------------------------

    def plan_expression(
        self,
        expression: st.Sql,
        source: str = "",
        clause: str = "",
        *,
        listed: bool = False,
        catalog: Catalog | None = None,
    ) -> Plan:
        """Binds an expression as SELECT's one column (over `source`), so that its errors are found now. `catalog`: not the working one.

        `clause` says what it is an expression of, and so what may not be in it (`planner.binding.clauses`); `listed`, that
        nothing ever computes it.

        Error positions are those of the statement that the slice was cut from.
        """
        head = "SELECT "
        tail = f" FROM {source}" if source else ""
        pad = max(expression.offset - len(head), 0)
        ctx = records.replace(
            self.context(), clause=clause, listed=listed, catalog=self.catalog if catalog is None else catalog
        )
        try:
            text = " " * pad + head + expression.text + tail
            if source and not source.startswith(
                "("
            ):  # of a table that is in the making: it will not be asked again
                plan = self.planner.plan_expression(text, ctx)
            else:
                plan, _ = self.planner.plan(text, ctx, normalise=False)
        except SqlError as e:
            beyond = pad + len(head) + len(expression.text)
            if e.position > beyond or not expression.offset:
                e.position = 0
            raise
        refuse_parameters(plan, " " * expression.offset + expression.text)
        return plan

    def rewrite(
        self,
        old: Table,
        new: Table,
        query: str,
        then: Catalog,
        *,
        plain: bool = False,
        cells: tuple[int | str, ...] = (),
        of_row: bool = False,
    ) -> None:
        """A query over rows of `old`, in the catalog `then`, makes those of `new`, in a shard of its own."""
        self.rewrites.append(Rewrite(old, new, query, then, plain=plain, cells=cells, of_row=of_row))
        self.dropped.append(old.shard)

    def context(self, *, trusted: bool = True) -> PlanContext:
        """The statement's context with the working catalog. Not `trusted`: its user's privileges are asked for."""

        return records.replace(self.ctx, catalog=self.catalog, partition=None, trusted=trusted)


def _shown(name: st.Name) -> str:
    return f"{name.schema}.{name.name}" if name.schema else name.name


def behind(catalog: Catalog, shown: TransitionTable, search_path: Sequence[str]) -> Relation | None:
    """The relation that would be found if there were no transition table of its name: definitions are of what stays."""
    there = (catalog.relation_in(s.oid, shown.name) for s in catalog.schemas_on(search_path))
    return next((x for x in there if x is not None and x is not shown), None)


@functools.cache
def _words() -> dict[type[Any], str]:
    """What messages call objects of each kind."""
    from planner import catalog as objects

    return {
        Table: "table",
        objects.View: "view",
        objects.Sequence: "sequence",
        Index: "index",
        objects.EnumType: "type",
        objects.Domain: "type",
        objects.BaseType: "type",
        objects.CompositeType: "type",
        objects.Function: "function",
        objects.Collation: "collation",
        objects.StatisticsObject: "statistics object",
        objects.TextSearchConfiguration: "text search configuration",
        objects.TextSearchDictionary: "text search dictionary",
        objects.Operator: "operator",
        objects.OperatorClass: "operator class",
        objects.Conversion: "conversion",
        objects.OperatorFamily: "operator family",
        objects.Cast: "cast",
        objects.EventTrigger: "event trigger",
        objects.ForeignDataWrapper: "foreign-data wrapper",
        objects.ForeignServer: "server",
        objects.UserMapping: "user mapping",
        objects.Publication: "publication",
        objects.Subscription: "subscription",
        objects.Extension: "extension",
        objects.RangeType: "type",
        objects.MultirangeType: "type",
        Schema: "schema",
        objects.Role: "role",
        objects.Database: "database",
        Comment: "comment",
        Grant: "privileges",
        objects.DefaultGrant: "default privileges",
        objects.SessionDefaults: "settings",
    }


def describe(thing: CatalogObject, catalog: Catalog, search_path: tuple[str, ...]) -> str:
    """An object as PostgreSQL names it in messages: `table t`, `view s.v`, `constraint c on table t`."""
    from planner import catalog as objects
    from planner.catalog.system.definitions import type_name
    from planner.catalog.system.routines import signature_shown

    word = _words()[type(thing)]
    if isinstance(thing, objects.Cast):
        kinds = (type_name(catalog, TypeRef(x), search_path) for x in (thing.source, thing.target))
        return "cast from {} to {}".format(*kinds)
    if isinstance(thing, objects.UserMapping):
        return f"user mapping for {thing.user or 'public'} on server {getattr(catalog.get(thing.server), 'name', '')}"
    if isinstance(thing, Table):
        word = rights.table_word(thing)
    name = getattr(thing, "name", "")
    schema_oid = getattr(thing, "schema_oid", 0)
    bare = isinstance(
        thing,
        objects.Extension
        | objects.Operator
        | objects.ForeignDataWrapper
        | objects.ForeignServer
        | objects.Publication
        | objects.Subscription
        | objects.EventTrigger
        | objects.Role
        | objects.Database
        | Schema,
    )
    shown = name if bare else objects.quote_identifier(name)
    if schema_oid and not isinstance(thing, objects.Extension):
        schema = catalog.schema_of(schema_oid)
        if schema.name != "pg_catalog" and not catalog.sees(thing, search_path):
            quoted = objects.quote_qualified(schema.name, name)
            shown = f"{objects.quote_identifier(schema.name)}.{name}" if bare else quoted
    if isinstance(thing, objects.Operator):
        types = (type_name(catalog, TypeRef(x)) if x else "NONE" for x in thing.signature)
        shown += f"({','.join(types)})"
    if isinstance(thing, objects.Function):
        shown += f"({signature_shown(catalog, thing, search_path)})"
    if isinstance(thing, objects.OperatorClass | objects.OperatorFamily):
        shown += f" for access method {thing.method}"
    return f"{word} {shown}"


def describe_part(word: str, name: str, of: CatalogObject, scope: Scope) -> str:
    """What belongs to a relation, as messages call it: `constraint c on table s.t`, `column x of view v`.

    PostgreSQL quotes the names of relations there, not those of their parts.
    """
    between = "of" if word.endswith("column") else "on"
    return f"{word} {name} {between} {describe(of, scope.catalog, scope.search_path)}"
