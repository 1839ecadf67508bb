"""FROM: tables, views, CTEs, subqueries, functions and joins become relations with names, and DuckDB text.

    t JOIN u USING (k)   ->   (SLOT AS r1 JOIN SLOT AS r2 ON (r1."k" = r2."k"))

Every relation has a number, by which typed trees refer to it, and the alias `r<number>` in the text; names
of users' choosing are resolved here and never reach DuckDB, but for the columns of base tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, ResultColumn, Slot, Table, TypeRef
from planner.binding import (
    changes,
    expanded,
    ir,
    locked_rows,
    ordinality,
    routine_rows,
    row_security,
    rows_from,
    sampling,
    series,
    system_columns,
)
from planner.binding.clauses import refuse_sets_below
from planner.binding.collating import carried
from planner.binding.comparable import comparable
from planner.binding.emit import EmittedColumn
from planner.binding.facts import procs, type_name, type_oid
from planner.binding.fragments import Form, Frag, Item, join, quote_name, sql
from planner.binding.functions import sequences
from planner.binding.keyed_joins import joined_steps
from planner.binding.missing_names import missing_table
from planner.binding.naming import figure_name, function_name, identifier
from planner.binding.numeric_forms import column_form
from planner.binding.records import fields_of
from planner.binding.scope import FromStep, Relation, RelationColumn, Scope, StarColumn, duplicate_alias
from planner.binding.system import system_relation
from planner.catalog import Sequence as SequenceObject
from planner.catalog import View, policies
from planner.catalog.catalog import TEMPORARY_PREFIX
from planner.parse import parse_query
from planner.parse import position as first_position
from planner.parse.column_lists import SEPARATOR
from planner.relations import TransitionTable

if TYPE_CHECKING:
    from planner.binding.keyed_selects import BoundSelect
    from planner.binding.queries import QueryBinder
    from planner.binding.state import BoundQuery

_SYSTEM_SCHEMAS = ("pg_catalog", "information_schema")


@dataclass(slots=True)
class CommonTable:
    """A WITH query: the DuckDB name (or slot) of it, and its columns. A write may return none (None)."""

    sql_name: str | Slot
    columns: list[RelationColumn] | None
    forms: list[Form]
    by_key: BoundSelect | None = None
    locked: tuple[tuple[int, int] | None, ...] = ()
    """Of a locking query: (table, attribute number) of its columns of locked rows."""


@dataclass(slots=True)
class Source:
    """A FROM item or a join of some: its text, what names see of it, and its relations."""

    frag: Frag
    relations: list[Relation]
    columns: list[StarColumn]
    steps: tuple[FromStep, ...] = ()
    """The same as relations that are looked up one after another; none if it is more than plain joins."""


class SourceBinder:
    def __init__(self, queries: QueryBinder) -> None:
        self.queries = queries

    # --- the clause ------------------------------------------------------------------------------

    def from_clause(self, node: exp.Expression, scope: Scope) -> Frag | None:
        """Binds FROM into the scope; the text without the word FROM. None when there is none."""
        first = node.args.get("from_")
        joins = list(node.args.get("joins") or ())
        if first is None:
            return None
        groups = [self.item(first.this, scope)]
        scope.relations, scope.columns = list(groups[0].relations), list(groups[0].columns)
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
                if len(groups) > 1 and _may_look_left(j):
                    groups = [_crossed(groups)]
                groups[-1] = self.joined(groups[-1], j, scope)
            scope.relations = [r for g in groups for r in g.relations]
            scope.columns = [c for g in groups for c in g.columns]
            again = duplicate_alias(scope.relations)
            if again is not None:
                raise PlanError("42712", f'table name "{again}" specified more than once')
        if all(g.steps for g in groups):
            scope.steps = [s for g in groups for s in g.steps]
        return join(", ", [g.frag for g in groups])

    def item(self, node: exp.Expression, scope: Scope) -> Source:
        source = self._item(node, scope)
        for j in node.args.get("joins") or ():
            source = self.joined(source, j, scope)
        return source

    def _item(self, node: exp.Expression, scope: Scope) -> Source:
        if isinstance(node, exp.Table):
            if isinstance(node.this, exp.Identifier):
                return self.named(node, scope)
            if isinstance(node.this, exp.Values):
                return self.derived(node.this, node.args.get("alias"), scope, lateral=False)
            if node.args.get("rows_from"):
                return self.function(rows_from.side_by_side(node), node, scope)
            return self.function(node.this, node, scope)
        if isinstance(node, exp.Lateral):
            inner = node.this
            if isinstance(inner, exp.Subquery):
                return self.derived(inner, node.args.get("alias"), scope, lateral=True)
            return self.function(inner, node, scope)
        if isinstance(node, exp.Unnest):
            return self.function(node, node, scope)
        if isinstance(node, exp.Subquery):
            if isinstance(node.this, exp.Table | exp.Lateral | exp.Unnest) or (
                isinstance(node.this, exp.Subquery) and (node.this.args.get("joins"))
            ):
                source = self.item(node.this, scope)
                return self._aliased_join(source, node.args.get("alias"))
            return self.derived(node, node.args.get("alias"), scope, lateral=False)
        if isinstance(node, exp.Values):
            return self.derived(node, node.args.get("alias"), scope, lateral=False)
        if isinstance(node, exp.Anonymous):
            return self.function(node, node, scope)
        if isinstance(node, exp.Paren):
            return self.item(node.this, scope)
        raise PlanError(
            "0A000", f"{type(node).__name__} in FROM is not supported", position=first_position(node)
        )

    def _aliased_join(self, source: Source, alias: exp.Expression | None) -> Source:
        if alias is None:
            return source
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
            columns.append(
                RelationColumn(
                    names[i] if i < len(names) else c.name, c.column.type, collation=c.column.collation
                )
            )
        relation = Relation(number, name, columns)
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
        catalog = self.queries.ctx.catalog
        for home in [schema] if schema else self._path():
            if home in _SYSTEM_SCHEMAS and (columns := system_relation(home, name)) is not None:
                return self._system(home, name, columns, alias)
            at_home = None if schema else catalog.find_schema(home)
            if at_home is not None and catalog.relation_in(at_home.oid, name) is not None:
                break
        home = self.queries.called_schema(schema)
        if home and catalog.find_schema(home) is None:
            raise PlanError("42P01", f'relation "{schema}.{name}" does not exist', position=position)
        if schema:
            self.queries.accesses.enters(home, position)
        relation = catalog.find_relation(name, home, self.queries.search_path)
        if isinstance(relation, Table):
            if relation.materialized is not None and not relation.materialized.populated:
                raise PlanError(
                    "55000",
                    f'materialized view "{name}" has not been populated',
                    hint="Use the REFRESH MATERIALIZED VIEW command.",
                )
            source = self.table(relation, name, schema, alias, only=bool(node.args.get("only")))
            if sample is not None:
                source = sampling.sampled(self.queries, source, sample, scope)
            if relation.row_security and row_security.restricted(self.queries, relation):
                source = self._by_policies(source, locks=self._locks(source.relations[0]))
            return source
        if sample is not None and relation is not None:
            raise sampling.not_a_table(position)
        if isinstance(relation, View):
            return self._view(relation, name, schema, alias)
        if isinstance(relation, SequenceObject):
            return self._sequence(relation, name, schema, alias)
        shown = f"{schema}.{name}" if schema else name
        raise missing_table(scope, name, shown, position)

    def _path(self) -> list[str]:
        """The schemas in which a name is looked up: pg_catalog before all that are named, but for temporary ones."""
        path = list(self.queries.search_path)
        if "pg_catalog" not in path:
            path.insert(int(bool(path) and path[0].startswith(TEMPORARY_PREFIX)), "pg_catalog")
        return path

    def table(
        self, table: Table, name: str, schema: str, alias: exp.Expression | None, *, only: bool = False
    ) -> Source:
        number = self.queries.next_relation()
        columns = [
            RelationColumn(c.name, c.type, table.oid, c.attnum, c.hidden, c.collation) for c in table.columns
        ]
        shown = identifier(alias.this) if alias is not None and alias.this is not None else name
        slot = f"s{number}"
        if not isinstance(table, TransitionTable):
            columns += system_columns.columns(table)
        relation = Relation(
            number, shown, columns, table, "" if alias is not None else schema, slot, only=only
        )
        self.rename(relation, alias)
        written = [EmittedColumn(quote_name(c.name), column_form(c.type)) for c in table.columns]
        self.queries.declare(number, written + system_columns.emitted(table, only=only))
        self.queries.tables.append(relation)
        self.queries.accesses.reads(table, relation)
        steps = (FromStep(relation),) if table.partitioning is None else ()
        return Source(sql(Slot(slot), f" AS r{number}"), [relation], star_of(relation), steps)

    def _by_policies(self, source: Source, *, locks: bool) -> Source:
        """A table as its policies show it. Who locks rows is under UPDATE's as well."""
        commands = (policies.SELECT, policies.UPDATE) if locks else (policies.SELECT,)
        frag = row_security.shown(self.queries, source.relations[0], source.frag, commands)
        return Source(frag, source.relations, source.columns)

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
        self.rename(relation, alias)
        self.queries.accesses.system(name, "view" if name == "pg_shadow" else "table")
        slot = self.queries.system_use(schema, name, relation)
        self.queries.declare(number, [EmittedColumn(quote_name(c.name), column_form(c.type)) for c in made])
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
        return Source(sql(sequences.relation(sequence.oid), f" AS r{number}"), [relation], star_of(relation))

    def _common(
        self, found: CommonTable, known: list[RelationColumn], name: str, alias: exp.Expression | None
    ) -> Source:
        number = self.queries.next_relation()
        columns = [RelationColumn(c.name, c.type, collation=c.collation) for c in known]
        relation = Relation(number, identifier(alias.this) if alias is not None else name, columns)
        self.rename(relation, alias)
        self.queries.declare(number, [EmittedColumn(f"c{i}", f) for i, f in enumerate(found.forms)])
        if found.locked:
            self.queries.locked_relations[number] = found.locked
        steps = (FromStep(relation, made_of=(found.by_key,)),) if found.by_key is not None else ()
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
                c.name, b.type if b.type.oid in (t.RECORD, t.RECORD_ARRAY) else c.type, collation=b.collation
            )
            for c, b in zip(view.columns, bound.columns, strict=True)
        ] or None
        if view.security_barrier:
            bound = row_security.behind_barrier(self.queries, bound)
        made = self._subquery(bound, shown, alias, columns)
        locked_rows.marked(self.queries, made.relations[0], bound, reads=len(self.queries.tables) > before)
        made.relations[0].schema = "" if alias is not None else schema
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
        beyond = (*scope.relations, *scope.beyond)
        return Scope(scope.parent, scope.number, ctes=scope.ctes, beyond=beyond)

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
        return Source(sql(f"{word}(", bound.frag, f") AS r{number}"), [relation], star_of(relation), steps)

    def function(self, call: exp.Expression, node: exp.Expression, scope: Scope) -> Source:
        """A function in FROM: set-returning ones give rows, others one row."""
        if isinstance(call, exp.Anonymous) and function_name(call) == changes.NAME:
            return changes.source(self.queries, call, node.args.get("alias"), self)
        in_sql = routine_rows.source(self, call, node, scope)
        if in_sql is not None:
            return in_sql
        if isinstance(node, exp.Table) and node.args.get("db") is not None:
            call = exp.Dot(this=node.args["db"], expression=call)
        position = first_position(call)
        alias = node.args.get("alias")
        numbered = bool(node.args.get("ordinality") or node.args.get("offset"))
        clause, scope.clause = scope.clause, "functions in FROM"
        lists: list[ir.Node] = []
        names: list[str] = []
        several = (
            isinstance(call, exp.Anonymous) and function_name(call) == "unnest" and len(call.expressions) > 1
        )
        if isinstance(call, exp.Unnest) or several:
            for e in call.expressions:
                array = self.queries.expressions.bind(e, scope)
                rows_from.refuse_arrays(e, array)
                lists.append(self.queries.expressions.function("unnest", [array], position))
                names.append(rows_from.called(e))
        else:
            made = self.queries.expressions.bind(call, scope)
            refuse_sets_below(made)
            lists.append(made)
            names.append(function_name(call) if isinstance(call, exp.Anonymous) else figure_name(call))
        scope.clause = clause
        number = self.queries.next_relation()
        own = names[0]
        shown = identifier(alias.this) if alias is not None and alias.this is not None else own
        columns: list[RelationColumn] = []
        items: list[Item] = []
        emitted: list[EmittedColumn] = []
        emit = self.queries.emitter
        given = expanded.definitions(alias)
        wide = None
        if len(lists) == 1:
            wide = (
                expanded.by_definition(self.queries, lists[0], given, numbered)
                if given
                else expanded.by_fields(self.queries, lists[0], numbered)
            )
        if wide is not None:
            fields, forms, text = wide
            relation = Relation(number, shown, [RelationColumn(n, ref) for n, ref in fields])
            emitted = [EmittedColumn(f"c{i}", f) for i, f in enumerate(forms)]
            if numbered:
                relation.columns.append(RelationColumn("ordinality", TypeRef(t.INT8)))
                emitted.append(EmittedColumn(ordinality.NUMBER))
            if not given:
                self.rename(relation, alias)
            self.queries.declare(number, emitted)
            return Source(sql("LATERAL (", text, f") AS r{number}"), [relation], star_of(relation))
        listed: list[tuple[Frag, str]] = []
        split: list[Item] = []  # the columns of composite values
        for made, name in zip(lists, names, strict=True):
            outs = self._record_columns(made)
            if outs is not None:
                if isinstance(made, ir.SetReturning):
                    frag = emit.set_returning_list(made)
                else:
                    frag = sql("[", emit.frag(made), "]")
                i0 = len(columns)
                listed.append((frag, f"u{i0}"))
                items.append(sql("unnest(", frag, f") AS u{i0}"))
                for out_name, out_type in outs:
                    columns.append(RelationColumn(out_name, TypeRef(type_oid(out_type))))
                    emitted.append(EmittedColumn(f"u{i0}.{out_name}"))
                continue
            attributes = t.composite_fields(made.type.oid) if len(lists) > 1 else None
            if attributes is not None and isinstance(made, ir.SetReturning):
                first = len(columns)
                frag = emit.set_returning_list(made)
                listed.append((frag, f"u{first}"))
                items.append(sql("unnest(", frag, f") AS u{first}"))
                for i, cell in enumerate(expanded.cells(f"u{first}", attributes), first):
                    split.append(sql(cell, f" AS c{i}"))
                    columns.append(RelationColumn(attributes[i - first][0], attributes[i - first][1]))
                    emitted.append(EmittedColumn(f"c{i}", cell.form))
                continue
            if isinstance(made, ir.SetReturning):
                frag = emit.set_returning_list(made)
                listed.append((frag, f"c{len(columns)}"))
                items.append(sql("unnest(", frag, f") AS c{len(columns)}"))
                form = emit.set_returning_form(made)
            else:
                frag = emit.frag(made)
                items.append(sql(frag, f" AS c{len(columns)}"))
                form = frag.form
            one = len(lists) == 1
            own_name = self._single_column(made)
            columns.append(
                RelationColumn(own_name or (shown if one and alias is not None else name), made.type)
            )
            emitted.append(EmittedColumn(f"c{len(columns) - 1}", form))
        if numbered:
            columns.append(RelationColumn("ordinality", TypeRef(t.INT8)))
            emitted.append(EmittedColumn(ordinality.NUMBER))
        if node.args.get("schema") is not None or (
            alias is not None and any(isinstance(c, exp.ColumnDef) for c in alias.args.get("columns") or ())
        ):
            raise PlanError("0A000", "column definition lists are not supported", position=position)
        relation = Relation(number, shown, columns, scalar=len(columns) == 1)
        self.rename(relation, alias)
        self.queries.declare(number, emitted)
        inner = series.streamed(emit, lists[0]) if len(lists) == 1 else None
        if inner is not None and numbered:  # of no outer row: they come in their order
            inner = sql(f"SELECT *, row_number() OVER () AS {ordinality.NUMBER} FROM (", inner, ")")
        elif listed and numbered:
            inner = ordinality.unnested(listed)
        elif inner is None:
            if numbered:
                items.append(f"CAST(1 AS BIGINT) AS {ordinality.NUMBER}")
            inner = sql("SELECT ", join(", ", items))
        if split:
            inner = sql("SELECT *, ", join(", ", split), " FROM (", inner, ")")
        plain = len(columns) == len(lists) + numbered and not split
        steps = (FromStep(relation, spread=tuple(lists), numbered=numbered),) if plain else ()
        return Source(sql("LATERAL (", inner, f") AS r{number}"), [relation], star_of(relation), steps)

    def _single_column(self, made: ir.Node) -> str:
        """The name of a function's only OUT parameter (`value` of json_array_elements)."""
        if not isinstance(made, ir.SetReturning):
            return ""
        name, _, declared = made.op[:-1].partition("(")
        for p in procs().get(name, ()):
            if ", ".join(p.args) == declared and len(p.out) == 1:
                return p.out[0][0]
        return ""

    def _record_columns(self, made: ir.Node) -> list[tuple[str, str]] | None:
        if not isinstance(made, ir.SetReturning | ir.Call) or made.type.oid != t.RECORD:
            return None
        fields = fields_of(made.type)
        return None if fields is None else [(n, type_name(ref.oid)) for n, ref in fields]

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

    # --- joins ---------------------------------------------------------------------------------------

    def joined(self, left: Source, node: exp.Join, scope: Scope) -> Source:
        side = str(node.args.get("side") or "").upper()
        kind = str(node.args.get("kind") or "").upper()
        natural = str(node.args.get("method") or "").upper() == "NATURAL"
        inner = Scope(scope.parent, scope.number, ctes=scope.ctes, windows=scope.windows)
        if side in ("RIGHT", "FULL"):
            inner.barred = left.relations
        else:
            inner.relations, inner.columns = list(left.relations), list(left.columns)
        inner.beyond = [r for r in scope.relations if r not in left.relations]
        right = self.item(node.this, inner)
        scope.outer += inner.outer
        for r in [
            *(right.relations if side in ("LEFT", "FULL") else ()),
            *(left.relations if side in ("RIGHT", "FULL") else ()),
        ]:
            r.nullable = True
        again = duplicate_alias([*left.relations, *right.relations])
        if again is not None:
            raise PlanError("42712", f'table name "{again}" specified more than once')
        using = [identifier(u) for u in node.args.get("using") or ()]
        alias = ""
        if using:
            using[-1], _, alias = using[-1].partition(SEPARATOR)
        for i, name in enumerate(using):
            if name in using[:i]:
                raise PlanError("42701", f'column name "{name}" appears more than once in USING clause')
        if natural:
            names = [c.name for c in right.columns]
            using = [c.name for c in left.columns if c.name in names]
        relations = [*left.relations, *right.relations]
        columns = [*left.columns, *right.columns]
        word = f"{side} JOIN" if side else "JOIN"
        if kind == "CROSS" or (natural and not using and not side):
            frag = sql("(", left.frag, " CROSS JOIN ", right.frag, ")")
            return Source(frag, relations, columns, joined_steps(left.steps, right.steps, "", ()))
        emitter = self.queries.emitter
        on: tuple[ir.Node, ...] = ()
        if using:
            merged, tests = [], []
            for name in using:
                a, b = (
                    self._merge_column(left, name, "left", node),
                    self._merge_column(right, name, "right", node),
                )
                equal = self.queries.expressions.infix("=", a.node, b.node, first_position(node))
                for n in ir.walk(equal):
                    if isinstance(n, ir.Var):
                        self.queries.use(n)
                assert isinstance(equal, ir.Call)
                on += (equal,)
                tests.append(emitter.frag(equal))
                place = first_position(node)
                (x, y), _ = self.queries.expressions.to_common([a.node, b.node], "JOIN/USING", [place, place])
                if side == "FULL":
                    value: ir.Node = ir.Logic(x.type, "coalesce", (x, y))
                else:
                    value = y if side == "RIGHT" else x
                merged.append(
                    StarColumn(name, value, RelationColumn(name, value.type, collation=carried(value)))
                )
            condition = join(" AND ", tests)
            if alias:
                relations = [*relations, self._merged(alias, merged)]
            columns = merged + [c for c in left.columns if c.name not in using]
            columns += [c for c in right.columns if c.name not in using]
        else:
            condition_node = node.args.get("on")
            if condition_node is None:
                condition = sql("true")
            else:
                on_scope = Scope(
                    scope.parent, scope.number, relations, columns, scope.ctes, clause="JOIN conditions"
                )
                on_scope.beyond = [r for r in scope.relations if r not in relations]
                bound = self.queries.expressions.boolean(condition_node, on_scope, "JOIN/ON")
                scope.outer += on_scope.outer
                on = (bound,)
                condition = emitter.frag(bound)
        return Source(
            sql("(", left.frag, f" {word} ", right.frag, " ON (", condition, "))"),
            relations,
            columns,
            joined_steps(left.steps, right.steps, side, on),
        )

    def _merged(self, alias: str, merged: Sequence[StarColumn]) -> Relation:
        """What `JOIN ... USING (...) AS alias` calls the merged columns: a relation without rows of its own."""
        columns = [RelationColumn(c.name, c.column.type) for c in merged]
        return Relation(self.queries.next_relation(), alias, columns, values=[c.node for c in merged])

    def _merge_column(self, source: Source, name: str, side: str, node: exp.Join) -> StarColumn:
        found = [c for c in source.columns if c.name == name]
        if not found:
            raise PlanError(
                "42703",
                f'column "{name}" specified in USING clause does not exist in {side} table',
            )
        if len(found) > 1:
            raise PlanError("42702", f'common column name "{name}" appears more than once in {side} table')
        return found[0]


def _may_look_left(node: exp.Join) -> bool:
    """Whether what is joined may name relations of FROM items before the one that it is joined to."""
    item = node.this
    if str(node.args.get("side") or "").upper() in ("RIGHT", "FULL"):
        return False
    return isinstance(item, exp.Lateral | exp.Unnest) or (
        isinstance(item, exp.Table) and not isinstance(item.this, exp.Identifier | exp.Values)
    )


def _crossed(groups: list[Source]) -> Source:
    """FROM items as one: what is joined to the last may then look at all of them."""
    return Source(
        sql("(", join(" CROSS JOIN ", [g.frag for g in groups]), ")"),
        [r for g in groups for r in g.relations],
        [c for g in groups for c in g.columns],
        tuple(s for g in groups for s in g.steps) if all(g.steps for g in groups) else (),
    )


# Of a system relation: hidden, and put there by the executor beside its columns.
_SYSTEM_COLUMNS = (("tableoid", t.OID), ("xmin", t.XID))


def star_of(relation: Relation) -> list[StarColumn]:
    return [
        StarColumn(c.name, c.value(relation.number, i), c)
        for i, c in enumerate(relation.columns)
        if not c.hidden
    ]


__all__ = ["CommonTable", "Source", "SourceBinder", "comparable", "parse_query"]
