"""FROM: tables, views, CTEs, subqueries, functions and joins become relations with names, and DuckDB text.

    t JOIN u USING (k)   ->   (SLOT AS r1 JOIN SLOT AS r2 ON (r1."k" = r2."k"))

Every relation has a number, by which typed trees refer to it, and the alias `r<number>` in the text; names
of users' choosing are resolved here and never reach DuckDB, but for the columns of base tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, ResultColumn, Slot, Table, TypeRef
from planner.binding import effects, ir, locked_rows, rows_from, sampling, system_columns, told_rows, unasked
from planner.binding.emit import EmittedColumn
from planner.binding.fragments import Frag, Item, join, quote_name, sql
from planner.binding.from_items import CommonTable, Source, star_of
from planner.binding.function_rows import function
from planner.binding.functions import sequences
from planner.binding.joins import crossed, joined, may_look_left
from planner.binding.missing_names import missing_table
from planner.binding.naming import identifier
from planner.binding.numeric_forms import column_form
from planner.binding.rights import row_security
from planner.binding.scope import FromStep, Relation, RelationColumn, Scope, duplicate_alias
from planner.binding.system import system_relation, whole_path
from planner.catalog import Sequence as SequenceObject
from planner.catalog import View, large_objects, policies
from planner.catalog.system.found import HIDDEN
from planner.parse import parse_expression
from planner.parse import position as first_position
from planner.records import replace
from planner.relations import TransitionTable, typed
from planner.remembered import RememberedPath

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder
    from planner.binding.state import BoundQuery

_SYSTEM_SCHEMAS = ("pg_catalog", "information_schema")

# Of a system relation: hidden, and put there by the executor beside its columns.
_SYSTEM_COLUMNS = tuple(zip(HIDDEN, (t.OID, t.XID, t.CID, t.XID, t.CID, t.TID), strict=True))

_CALLED_BY_NAME: Final = frozenset(
    (
        "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_user", "current_role",
        "session_user", "user", "current_catalog", "current_schema",
    )
)  # fmt: skip
"""Functions that are called without parentheses, in FROM too: no table has one of these names, but in quotation marks."""


def is_called_by_name(node: exp.Table) -> bool:
    """Whether it is a function that is called without parentheses."""
    return (
        isinstance(node.this, exp.Identifier)
        and not node.this.args.get("quoted")
        and node.args.get("db") is None
        and node.name.lower() in _CALLED_BY_NAME
    )


_COMPUTED_MAX: Final = 50
"""DuckDB plans that many in seven seconds, twice as many in minutes, and hears nobody meanwhile."""


def _count_computed(scope: Scope) -> None:
    """Another `LATERAL (SELECT a + 1 AS b)`. Raises 54001."""
    scope.computed += 1
    if scope.computed > _COMPUTED_MAX:
        raise PlanError(
            "54001",
            "statement too complex",
            detail=f"There are more than {_COMPUTED_MAX} LATERAL subqueries without a FROM of their own in one FROM.",
            hint="Compute several columns in each of them.",
        )


_emitted: dict[tuple[str, str], tuple[tuple[ResultColumn, ...], list[EmittedColumn]]] = {}
"""System relations' columns in texts: the same in each, and clients ask of several with dozens."""


def _in_texts(schema: str, name: str, columns: tuple[ResultColumn, ...]) -> list[EmittedColumn]:
    known = _emitted.get((schema, name))
    if known is None or known[0] is not columns:
        said = [(c.name, c.type) for c in columns] + [(n, TypeRef(oid)) for n, oid in _SYSTEM_COLUMNS]
        made = [EmittedColumn(quote_name(n), column_form(ref)) for n, ref in said]
        known = _emitted[schema, name] = columns, made
    return list(known[1])


class SourceBinder:
    def __init__(self, queries: QueryBinder) -> None:
        self.queries = queries

    # --- the clause ------------------------------------------------------------------------------

    def from_clause(self, node: exp.Expression, scope: Scope) -> Frag | None:
        """Binds FROM into the scope; the text without the word FROM. None when there is none."""
        groups = self.from_items(node, scope)
        return join(", ", [g.frag for g in groups]) if groups else None

    def from_items(self, node: exp.Expression, scope: Scope) -> list[Source]:
        """Binds FROM into the scope: what its commas part."""
        first = node.args.get("from_")
        joins = list(node.args.get("joins") or ())
        if first is None:
            return []
        groups = [self.item(first.this, scope)]
        scope.relations, scope.columns = list(groups[0].relations), list(groups[0].columns)
        scope.before = groups
        for j in joins:
            if (
                not j.args.get("kind")
                and not j.args.get("side")
                and not j.args.get("on")
                and not j.args.get("using")
                and not j.args.get("method")
            ):
                source = self.item(j.this, scope)
                groups.append(source)
            else:
                if len(groups) > 1 and may_look_left(j):
                    groups[:] = [crossed(groups)]
                groups[-1] = joined(self, groups[-1], j, scope)
            scope.relations = [r for g in groups for r in g.relations]
            scope.columns = [c for g in groups for c in g.columns]
            again = duplicate_alias(scope.relations)
            if again is not None:
                raise PlanError("42712", f'table name "{again}" specified more than once')
        scope.before = groups
        if all(g.steps for g in groups):
            scope.steps = [s for g in groups for s in g.steps]
        return groups

    def item(self, node: exp.Expression, scope: Scope) -> Source:
        before = self.queries.next_relation()
        source = told_rows.marked_source(self.queries.emitter, self._item(node, scope), before)
        for j in node.args.get("joins") or ():
            source = joined(self, source, j, scope)
        return source

    def _item(self, node: exp.Expression, scope: Scope) -> Source:
        if isinstance(node, exp.Table):
            if isinstance(node.this, exp.Identifier):
                if not is_called_by_name(node):
                    return self.named(node, scope)
                return function(self, parse_expression(node.name), node, scope)
            if isinstance(node.this, exp.Values):
                return self.derived(node.this, node.args.get("alias"), scope, lateral=False)
            if node.args.get("rows_from"):
                return function(self, rows_from.side_by_side(node), node, scope)
            return function(self, node.this, node, scope)
        if isinstance(node, exp.Lateral):
            inner = node.this
            if isinstance(inner, exp.Subquery):
                if isinstance(inner.this, exp.Select) and inner.this.args.get("from_") is None:
                    _count_computed(scope)
                return self.derived(inner, node.args.get("alias"), scope, lateral=True)
            return function(self, inner, node, scope)
        if isinstance(node, exp.Unnest):
            return function(self, node, node, scope)
        if isinstance(node, exp.Subquery):
            if isinstance(node.this, exp.Table | exp.Lateral | exp.Unnest) or (
                isinstance(node.this, exp.Subquery) and (node.this.args.get("joins"))
            ):
                source = self.item(node.this, scope)
                return self._aliased_join(source, node.args.get("alias"), scope)
            return self.derived(node, node.args.get("alias"), scope, lateral=False)
        if isinstance(node, exp.Values):
            return self.derived(node, node.args.get("alias"), scope, lateral=False)
        if isinstance(node, exp.Anonymous):
            return function(self, node, node, scope)
        if isinstance(node, exp.Paren):
            return self.item(node.this, scope)
        raise PlanError(
            "0A000", f"{type(node).__name__} in FROM is not supported", position=first_position(node)
        )

    def _aliased_join(self, source: Source, alias: exp.Expression | None, scope: Scope) -> Source:
        if alias is None:
            return source
        scope.beyond = (*scope.beyond, *(r for r in source.relations if not r.values))
        name = identifier(alias.this)
        number = self.queries.next_relation()
        columns = []
        names = [identifier(c) for c in alias.args.get("columns") or ()]
        if len(names) > len(source.columns):
            raise PlanError(
                "42P10",
                f'join expression "{name}" has {len(source.columns)} columns available '
                f"but {len(names)} columns specified",
            )
        for i, c in enumerate(source.columns):
            own, called = c.column, names[i] if i < len(names) else c.name
            columns.append(
                RelationColumn(called, own.type, own.table_oid, own.attnum, collation=own.collation)
            )
        relation = Relation(number, name, columns, parts=source.relations)
        items: list[Item] = []
        forms = []
        for i, c in enumerate(source.columns):
            for n in ir.walk(c.node):
                if isinstance(n, ir.Var):
                    self.queries.use(n)
            frag = self.queries.emitter.frag(c.node)
            forms.append(frag.form)
            items.append(sql(frag, f" AS c{i}"))
        frag = sql("(SELECT ", join(", ", items), " FROM ", source.frag, f") AS r{number}")
        self.queries.declare(number, [EmittedColumn(f"c{i}", f) for i, f in enumerate(forms)])
        return Source(frag, [relation], star_of(relation))

    # --- named relations ---------------------------------------------------------------------------

    def named(self, node: exp.Table, scope: Scope) -> Source:
        name = identifier(node.this)
        schema_node = node.args.get("db")
        schema = identifier(schema_node) if schema_node is not None else ""
        position = first_position(schema_node if schema_node is not None else node.this)
        alias = node.args.get("alias")
        sample = node.args.get("sample")
        if not schema:
            at: Scope | None = scope
            while at is not None:
                found = at.ctes.get(name)
                if found is not None:
                    assert isinstance(found, CommonTable)
                    if found.columns is None:
                        raise PlanError(
                            "0A000",
                            f'WITH query "{name}" does not have a RETURNING clause',
                            position=position,
                        )
                    if sample is not None:
                        raise sampling.not_a_table(position)
                    return self._common(found, found.columns, name, alias)
                at = at.parent
        catalog, path = self.queries.ctx.catalog, self.queries.search_path
        known = isinstance(path, RememberedPath) and (schema, name) in path.found
        for home in () if known else [schema] if schema else whole_path(self.queries.search_path):
            if home in _SYSTEM_SCHEMAS and (columns := system_relation(home, name)) is not None:
                if home == "pg_catalog" and (kept := large_objects.table_of(catalog, name)) is not None:
                    return self.table(kept, name, schema, alias)
                return self._system(home, name, columns, alias)
            at_home = None if schema else catalog.find_schema(home)
            if at_home is not None and catalog.relation_in(at_home.oid, name) is not None:
                break
        home = schema if known else self.queries.called_schema(schema)
        if home and not known and catalog.find_schema(home) is None:
            raise PlanError("42P01", f'relation "{schema}.{name}" does not exist', position=position)
        if schema and not known:
            self.queries.accesses.enters(home, position)
        relation = catalog.find_relation(name, home, self.queries.search_path)
        if isinstance(relation, Table):
            source = self.table(relation, name, schema, alias, only=bool(node.args.get("only")))
            if known and _says_its_name(alias, name):
                source.relations[0].called_now = relation.name
            if sample is not None:
                if relation.foreign is not None:
                    raise sampling.not_a_table(position)
                source = sampling.sampled(self.queries, source, sample, scope)
            if relation.row_security and row_security.restricted(self.queries, relation):
                source = self._by_policies(source, locks=self._locks(source.relations[0]))
            return source
        if sample is not None and relation is not None:
            raise sampling.not_a_table(position)
        if isinstance(relation, View):
            source = self._view(relation, name, schema, alias)
            if known and _says_its_name(alias, name):
                source.relations[0].called_now = relation.name
            return source
        if isinstance(relation, SequenceObject):
            return self._sequence(relation, name, schema, alias)
        shown = f"{schema}.{name}" if schema else name
        raise missing_table(scope, name, shown, position)

    def table(
        self, table: Table, name: str, schema: str, alias: exp.Expression | None, *, only: bool = False
    ) -> Source:
        number, shown_oid = self.queries.next_relation(), large_objects.shown_oid(table)
        columns = [
            RelationColumn(c.name, typed(c), shown_oid, c.attnum, c.hidden, c.collation)
            for c in table.columns
        ]
        shown = identifier(alias.this) if alias is not None and alias.this is not None else name
        slot = f"s{number}"
        if not isinstance(table, TransitionTable):
            columns += system_columns.columns(table)
        relation = Relation(
            number, shown, columns, table, "" if alias is not None else schema, slot, only=only
        )
        relation.own_names = tuple(c.name for c in table.columns if not c.hidden)
        self.rename(relation, alias)
        written = [EmittedColumn(quote_name(c.name), column_form(c.type)) for c in table.columns]
        self.queries.declare(number, written + system_columns.emitted(table, only=only))
        self.queries.tables.append(relation)
        self.queries.accesses.reads(table, relation)
        alone = (only and table.partitioning is None) or not (only or table.children)
        steps = (FromStep(relation),) if alone else ()
        return Source(sql(Slot(slot), f" AS r{number}"), [relation], star_of(relation), steps)

    def _by_policies(self, source: Source, *, locks: bool) -> Source:
        """A table as its policies show it. Who locks rows is under UPDATE's as well."""
        commands = (policies.SELECT, policies.UPDATE) if locks else (policies.SELECT,)
        frag, tests = row_security.shown(self.queries, source.relations[0], source.frag, commands)
        steps = tuple(replace(s, guards=tests) for s in source.steps)
        return Source(frag, source.relations, source.columns, steps)

    def _locks(self, relation: Relation) -> bool:
        return any(asked.of(relation.name) is not None for asked in self.queries.asked)

    def _system(
        self, schema: str, name: str, columns: tuple[ResultColumn, ...], alias: exp.Expression | None
    ) -> Source:
        number = self.queries.next_relation()
        made = [RelationColumn(c.name, c.type, c.table_oid, c.attnum) for c in columns]
        made += [RelationColumn(n, TypeRef(oid), hidden=True) for n, oid in _SYSTEM_COLUMNS]
        shown = identifier(alias.this) if alias is not None else name
        relation = Relation(number, shown, made, None, "" if alias is not None else schema)
        relation.own_names = tuple(c.name for c in columns)
        self.rename(relation, alias)
        self.queries.accesses.system(schema, name, relation)
        slot = self.queries.system_use(schema, name, relation)
        self.queries.declare(number, _in_texts(schema, name, columns))
        steps = (FromStep(relation, system=(schema, name)),)
        return Source(sql(Slot(slot), f" AS r{number}"), [relation], star_of(relation), steps)

    def _sequence(
        self, sequence: SequenceObject, name: str, schema: str, alias: exp.Expression | None
    ) -> Source:
        self.queries.named_objects = True
        number = self.queries.next_relation()
        kinds = (("last_value", t.INT8), ("log_cnt", t.INT8), ("is_called", t.BOOL))
        columns = [RelationColumn(n, TypeRef(o), sequence.oid, i) for i, (n, o) in enumerate(kinds, 1)]
        shown = identifier(alias.this) if alias is not None else name
        relation = Relation(number, shown, columns, None, "" if alias is not None else schema)
        self.rename(relation, alias)
        self.queries.declare(number, [EmittedColumn(n) for n, _ in kinds])
        self.queries.accesses.reads(sequence)
        return Source(sql(sequences.relation(sequence.oid), f" AS r{number}"), [relation], star_of(relation))

    def _common(
        self, found: CommonTable, known: list[RelationColumn], name: str, alias: exp.Expression | None
    ) -> Source:
        number = self.queries.next_relation()
        columns = [
            RelationColumn(c.name, c.type, c.table_oid, c.attnum, c.hidden, c.collation) for c in known
        ]
        relation = Relation(number, identifier(alias.this) if alias is not None else name, columns)
        self.rename(relation, alias)
        self.queries.declare(number, [EmittedColumn(f"c{i}", f) for i, f in enumerate(found.forms)])
        if found.locked:
            self.queries.locked_relations[number] = found.locked
        steps = (FromStep(relation, made_of=(found.by_key,)),) if found.by_key is not None else ()
        steps = (FromStep(relation, iterated=found.iterated),) if found.iterated else steps
        return Source(sql(found.sql_name, f" AS r{number}"), [relation], star_of(relation), steps)

    def _view(self, view: View, name: str, schema: str, alias: exp.Expression | None) -> Source:
        before = len(self.queries.tables)
        self.queries.named_objects = True
        shown = identifier(alias.this) if alias is not None else name
        with locked_rows.inside(self.queries, shown):
            locked = bool(self.queries.passed)
            bound = self.queries.view_query(view)
        if locked:
            self.queries.accesses.locks(view)
        columns = [
            # Whole rows are records within statements: their fields are those that the query finds now.
            RelationColumn(
                c.name,
                b.type if b.type.oid in (t.RECORD, t.RECORD_ARRAY) else typed(c),
                view.oid,
                i,
                collation=b.collation,
            )
            for i, (c, b) in enumerate(zip(view.columns, bound.columns, strict=True), 1)
        ] or None
        if view.security_barrier:
            bound = row_security.behind_barrier(self.queries, bound)
        made = self._subquery(bound, shown, alias, columns)
        locked_rows.marked(self.queries, made.relations[0], bound, reads=len(self.queries.tables) > before)
        made.relations[0].schema = "" if alias is not None else schema
        made.relations[0].own_names = tuple(c.name for c in view.columns)
        made.relations[0].view = view.oid
        self.queries.views[made.relations[0].number] = made.relations[0]
        self.queries.accesses.reads(view, made.relations[0])
        return made

    # --- subqueries and functions ----------------------------------------------------------------------

    def derived(
        self, node: exp.Expression, alias: exp.Expression | None, scope: Scope, *, lateral: bool
    ) -> Source:
        inner = node.this if isinstance(node, exp.Subquery) else node
        if alias is None or alias.this is None:
            what = "VALUES in FROM" if isinstance(inner, exp.Values) else "subquery in FROM"
            hint = (
                "For example, FROM (VALUES ...) [AS] foo."
                if isinstance(inner, exp.Values)
                else "For example, FROM (SELECT ...) [AS] foo."
            )
            raise PlanError(
                "42601",
                f"{what} must have an alias",
                hint=hint,
                position=self.queries.parenthesis_before(first_position(inner)),
            )
        outer = scope if lateral else self._without_siblings(scope)
        before = len(self.queries.tables)
        name = identifier(alias.this)
        outer.forming = True
        with locked_rows.inside(self.queries, name):
            bound = self.queries.nested(inner, outer)
        outer.forming = False
        if bound.outer:
            for v in bound.outer:
                if not any(r.number == v.relation for r in scope.relations):
                    scope.outer.append(v)
        made = self._subquery(bound, name, alias, None, lateral=lateral)
        locked_rows.marked(self.queries, made.relations[0], bound, reads=len(self.queries.tables) > before)
        return made

    def _without_siblings(self, scope: Scope) -> Scope:
        """What a subquery of FROM sees that is not LATERAL: the scopes outside, and this one's WITH."""
        target = () if scope.target is None else (scope.target,)
        beyond = (*target, *scope.relations, *scope.beyond)
        return Scope(scope.parent, scope.number, ctes=scope.ctes, beyond=beyond, standing=scope.standing)

    def _subquery(
        self, bound: BoundQuery, name: str, alias: exp.Expression | None,
        columns: list[RelationColumn] | None, *, lateral: bool = False,
    ) -> Source:  # fmt: skip
        number = self.queries.next_relation()
        columns = columns or [
            RelationColumn(c.name, c.type, c.table_oid, c.attnum, collation=c.collation)
            for c in bound.columns
        ]
        relation = Relation(number, name, columns)
        self.rename(relation, alias)
        self.queries.declare(number, [EmittedColumn(f"c{i}", f) for i, f in enumerate(bound.forms)])
        if bound.frag in self.queries.locked_texts:
            self.queries.locked_relations[number] = self.queries.locked_texts[bound.frag]
        word = "LATERAL " if lateral else ""
        steps: tuple[FromStep, ...] = ()
        if bound.by_key is not None:
            steps = (FromStep(relation, (), False, (bound.by_key,), bound.outer, bound.outer),)
        unasked.named(self.queries.emitter, bound.unasked, number)
        text = effects.computed(bound, number)
        return Source(sql(f"{word}(", text, f") AS r{number}"), [relation], star_of(relation), steps)

    def subquery_source(self, bound: BoundQuery, name: str, alias: exp.Expression | None) -> Source:
        """What stands in FROM as a subquery of its own, which sees nothing of the items beside it."""
        return self._subquery(bound, name, alias, None)

    def rename(self, relation: Relation, alias: exp.Expression | None) -> None:
        """`AS name (a, b)`: new names for the first columns. Raises 42P10 for too many."""
        names = [identifier(c) for c in (alias.args.get("columns") or ())] if alias is not None else []
        available = sum(not c.hidden for c in relation.columns)
        if len(names) > available:
            raise PlanError(
                "42P10",
                f'table "{relation.name}" has {available} columns available but {len(names)} columns specified',
            )
        for i, name in enumerate(names):
            c = relation.columns[i]
            relation.columns[i] = RelationColumn(name, c.type, c.table_oid, c.attnum, collation=c.collation)


def _says_its_name(alias: exp.Expression | None, name: str) -> bool:
    """Whether a relation is called what it is, be it with names for its columns, as one is that was written anew."""
    return alias is None or alias.this is None or identifier(alias.this) == name


__all__ = ["SourceBinder"]
