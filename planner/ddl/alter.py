"""ALTER TABLE (and RENAME, OWNER, SET SCHEMA of any relation): a list of actions over one table.

The actions work on a table in the making, one after the other. What happens to stored rows is remembered per
column as an expression over the old row; if any is not just the old column, the table gets a new shard and the
executor fills it with one query:

    ALTER TABLE t DROP a, ALTER b TYPE text, ADD c int DEFAULT 0
    ->  Rewrite(t16384 -> t16390, SELECT CAST(b AS text), CAST((0) AS integer) FROM t)

New constraints over existing rows become checks, run on the rewritten rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Final

from planner import statements as st
from planner import types
from planner.abc import Column, Constraint, PlanError, Table
from planner.catalog import (
    CatalogChange,
    Index,
    Relation,
    Sequence,
    View,
    domains,
    quote_identifier,
    quote_qualified,
)
from planner.catalog.stored_queries import stored_queries
from planner.ddl import constraints, drop, moves, sequences, standing, tables, unique_indexes
from planner.ddl.plan import Rewrite
from planner.ddl.retention import NAME, retention_us
from planner.ddl.scope import Scope
from planner.ddl.typenames import check_column_type, resolve_type


def alter_relation(scope: Scope, said: st.AlterTable) -> None:
    found = scope.find(said.name)
    if found is None and said.if_exists:
        scope.notice(f'relation "{said.name.name}" does not exist, skipping')
        return
    found = scope.relation(st.Name(said.name.name, said.name.schema))
    expected = {"view": View, "index": Index, "sequence": Sequence}.get(said.kind)
    if expected is not None and not isinstance(found, expected):
        article = "an" if said.kind == "index" else "a"
        raise PlanError("42809", f'"{said.name.name}" is not {article} {said.kind}')
    if isinstance(found, Table):
        _refuse_kind(found, said)
        alter_table(scope, found, said.actions)
        return
    if said.kind == "materialized view":
        raise PlanError("42809", f'"{said.name.name}" is not a materialized view')
    for action in said.actions:
        current = scope.catalog.get(found.oid)
        assert isinstance(current, Relation)
        _alter_other(scope, current, action)


_OF_MATERIALIZED: Final = frozenset(
    ("rename", "rename column", "set schema", "owner", "ignore", "set options", "reset options")
)


def _refuse_kind(table: Table, said: st.AlterTable) -> None:
    """ALTER MATERIALIZED VIEW is for materialized views, and these take few actions (42809)."""
    if table.materialized is None:
        if said.kind == "materialized view":
            raise PlanError("42809", f'"{table.name}" is not a materialized view')
        return
    for action in said.actions:
        if action.what not in _OF_MATERIALIZED:
            raise PlanError(
                "42809",
                f'ALTER action {action.what.upper()} cannot be performed on relation "{table.name}"',
                detail="This operation is not supported for materialized views.",
            )


def add_unique_index(scope: Scope, table: Table, index: Index) -> None:
    """The table with what enforces a unique index: its constraint, and columns where it needs some."""
    alteration = _Alteration(scope, table)
    alteration.table, alteration.sources = unique_indexes.hidden_columns(scope, table, index)
    alteration.reshaped = bool(alteration.sources)
    alteration.run(())


def settle_unique_indexes(scope: Scope, table: Table) -> None:
    """After indexes of the table were removed: what enforced them goes too."""
    _Alteration(scope, table).run(())


def alter_table(scope: Scope, table: Table, actions: tuple[st.AlterAction, ...]) -> None:
    """A list of actions over one table."""
    _Alteration(scope, table).run(actions)


def _alter_other(scope: Scope, found: Relation, action: st.AlterAction) -> None:
    """What can be done to a relation that is no table."""
    if action.what == "rename":
        moves.rename_relation(scope, found, action.new_name)
    elif action.what == "set schema" and isinstance(found, View | Sequence):
        if isinstance(found, Sequence) and found.table_oid:
            raise PlanError("0A000", "cannot move an owned sequence into another schema")
        moves.move_relation(scope, found, action.name)
    elif action.what == "owner" and not isinstance(found, Index):
        scope.replace(found, dataclasses.replace(found, owner=constraints.require_role(scope, action.name)))
    elif action.what in ("rename column", "set default", "drop default") and isinstance(found, View):
        if action.what != "rename column":
            raise PlanError("0A000", "defaults of view columns are not supported")
        names = [c.name for c in found.columns]
        if action.name not in names:
            raise PlanError("42703", f'column "{action.name}" does not exist')
        tables.refuse_column_name(action.new_name, names)
        columns = tuple(
            dataclasses.replace(c, name=action.new_name) if c.name == action.name else c
            for c in found.columns
        )
        scope.replace(found, dataclasses.replace(found, columns=columns))
    elif action.what not in ("ignore", "set options", "reset options"):
        raise PlanError("42809", f'ALTER action cannot be performed on relation "{found.name}"')


# --- ALTER TABLE ----------------------------------------------------------------------------------------


class _Alteration:
    """One table on its way through a list of actions."""

    def __init__(self, scope: Scope, table: Table) -> None:
        self.scope, self.before = scope, table
        self.sources: dict[int, str] = {}  # attnum -> expression over the old row, where it is not the column
        self.reshaped = False
        self.verify: list[Callable[[], None]] = []
        self.actions: Final[dict[str, Callable[[st.AlterAction], None]]] = {
            "add column": self.add_column,
            "drop column": self.drop_column,
            "set default": self.set_default,
            "drop default": self.drop_default,
            "set not null": self.set_not_null,
            "drop not null": self.drop_not_null,
            "set type": self.set_type,
            "add constraint": self.add_constraint,
            "drop constraint": self.drop_constraint,
            "validate constraint": self.validate_constraint,
            "rename": lambda a: moves.rename_relation(scope, self.table, a.new_name),
            "rename column": self.rename_column,
            "rename constraint": self.rename_constraint,
            "set schema": lambda a: moves.move_relation(scope, self.table, a.name),
            "owner": self.owner,
            "add identity": self.add_identity,
            "set identity": self.set_identity,
            "drop identity": self.drop_identity,
            "drop expression": self.drop_expression,
            "set options": self.set_options,
            "reset options": self.reset_options,
            "ignore": lambda a: None,
        }

    @property
    def table(self) -> Table:
        return self.scope.catalog.table(self.before.oid)

    @table.setter
    def table(self, new: Table) -> None:
        self.scope.replace(self.table, new)

    def run(self, actions: tuple[st.AlterAction, ...]) -> None:
        before_catalog = self.scope.catalog
        for action in actions:
            self.actions[action.what](action)
        kept = unique_indexes.settled(self.scope, self.table)
        self.reshaped = self.reshaped or kept.columns != self.table.columns
        self.table = kept
        if self.reshaped:
            self._rewrite(before_catalog)
        for verify in self.verify:
            verify()

    def _rewrite(self, catalog: object) -> None:
        """A new shard for the new shape, and the query that fills it from the old one."""
        scope = self.scope
        old_names = {c.attnum: c.name for c in self.before.columns}
        new = dataclasses.replace(self.table, shard=tables.shard_of(scope.allocate()))
        self.table = new
        outputs = [self.sources.get(c.attnum) or quote_identifier(old_names[c.attnum]) for c in new.columns]
        if not outputs:
            outputs = ["NULL"]
        # Sequences made here must be known where the query is planned; everything else is as it was before.
        added = [s for s in scope.catalog.sequences_of(new.oid) if scope.before.get(s.oid) is None]
        then = scope.before.with_changes([CatalogChange(None, s) for s in added], scope.catalog.version)
        source = quote_qualified(then.schema_of(self.before.schema_oid).name, self.before.name)
        sql = f"SELECT {', '.join(outputs)} FROM {source}"
        scope.rewrites.append(Rewrite(self.before, new, sql, then))
        scope.dropped.append(self.before.shard)
        scope.checks = [dataclasses.replace(c, table=new) if c.table is not None else c for c in scope.checks]

    # --- columns -------------------------------------------------------------------------------

    def column(self, name: str, position: int = 0) -> Column:
        found = constraints.find_column(self.table, name)
        if found is None:
            if name in tables.SYSTEM_COLUMNS:
                raise PlanError("0A000", f'cannot alter system column "{name}"')
            raise PlanError("42703", f'column "{name}" of relation "{self.table.name}" does not exist')
        return found

    def put(self, old: Column, new: Column) -> None:
        columns = tuple(new if c.attnum == old.attnum else c for c in self.table.columns)
        self.table = dataclasses.replace(self.table, columns=columns)

    def add_column(self, a: st.AlterAction) -> None:
        said = a.column
        assert said is not None
        table, scope = self.table, self.scope
        if constraints.find_column(table, said.name) is not None:
            if a.exists:
                scope.notice(
                    f'column "{said.name}" of relation "{table.name}" already exists, skipping', "42701"
                )
                return
            raise PlanError("42701", f'column "{said.name}" of relation "{table.name}" already exists')
        tables.refuse_column_name(said.name, [])
        if len(table.columns) >= tables.COLUMNS_MAX:
            raise PlanError("54011", f"tables can have at most {tables.COLUMNS_MAX} columns")
        schema = scope.catalog.schema_of(table.schema_oid)
        attnum = next_attnum(table)
        column, sequence, checks = tables.define_column(
            scope, said, schema, table.name, attnum, table.temporary
        )
        self.table = dataclasses.replace(table, columns=(*table.columns, column), last_attnum=attnum)
        if sequence is not None:
            scope.replace(sequence, dataclasses.replace(sequence, table_oid=table.oid))
        self.reshaped = True
        self.sources[attnum] = self._initial(column, sequence)
        if column.not_null and column.default is None and sequence is None:
            scope.checks.append(constraints.not_null_check(scope, self.table, column.name))
        scope.checks += constraints.domain_checks(scope, self.table, column)
        for check in checks:
            self._add(check)
        if said.default is not None:
            default = said.default
            self.verify.append(lambda: tables.verify_default(scope, self.table, column.name, default))

    def _initial(self, column: Column, sequence: Sequence | None) -> str:
        """The new column's value in rows that are there already."""
        shown = types.format_type(column.type)
        if column.filling is not None:
            return f"CAST(({column.filling}) AS {shown})"
        if sequence is not None:
            schema = self.scope.catalog.schema_of(sequence.schema_oid).name
            name = quote_qualified(schema, sequence.name).replace("'", "''")
            return f"CAST(nextval('{name}'::regclass) AS {shown})"
        return f"CAST(NULL AS {shown})"

    def drop_column(self, a: st.AlterAction) -> None:
        table, scope = self.table, self.scope
        column = constraints.find_column(table, a.name)
        if column is None:
            if a.exists:
                scope.notice(f'column "{a.name}" of relation "{table.name}" does not exist, skipping')
                return
            raise PlanError("42703", f'column "{a.name}" of relation "{table.name}" does not exist')
        for other in standing.free_column(scope, table, column, a.cascade):
            self.drop_column(st.AlterAction("drop column", other.name, cascade=True))
        table = self.table
        kept: list[Constraint] = []
        for c in table.constraints:
            if column.attnum in c.columns:
                self._remove_index(c)
            else:
                kept.append(c)
        for index in scope.catalog.indexes_of(table.oid):
            if not index.constraint_oid and (
                any(k.attnum == column.attnum for k in index.keys)
                or any(drop.mentions(k.expression, column.name) for k in index.keys if k.expression)
                or (index.predicate and drop.mentions(index.predicate, column.name))
            ):
                scope.remove(index)
        for sequence in scope.catalog.sequences_of(table.oid):
            if sequence.attnum == column.attnum:
                scope.remove(sequence)
        for comment in scope.catalog.comments_on(table.oid):
            if comment.sub == column.attnum:
                scope.remove(comment)
        columns = tuple(c for c in table.columns if c.attnum != column.attnum)
        self.table = dataclasses.replace(
            table, columns=columns, constraints=tuple(kept), last_attnum=next_attnum(table) - 1
        )
        self.sources.pop(column.attnum, None)
        self.reshaped = True

    def rename_column(self, a: st.AlterAction) -> None:
        scope, table = self.scope, self.table
        column = constraints.find_column(table, a.name)
        if column is None:
            raise PlanError("42703", f'column "{a.name}" does not exist')
        if constraints.find_column(table, a.new_name) is not None:
            raise PlanError("42701", f'column "{a.new_name}" of relation "{table.name}" already exists')
        tables.refuse_column_name(a.new_name, [])

        def renamed(expression: str) -> str:
            return constraints.rename_in_expression(expression, a.name, a.new_name)

        columns = tuple(
            dataclasses.replace(c, name=a.new_name)
            if c.attnum == column.attnum
            else (dataclasses.replace(c, default=renamed(c.default)) if c.generated and c.default else c)
            for c in table.columns
        )
        checks = tuple(
            dataclasses.replace(c, expression=renamed(c.expression))
            if c.kind == "c"
            else dataclasses.replace(c, shown=tuple(renamed(s) for s in c.shown))
            for c in table.constraints
        )
        self.table = dataclasses.replace(table, columns=columns, constraints=checks)
        for index in scope.catalog.indexes_of(table.oid):
            keys = tuple(
                dataclasses.replace(k, expression=renamed(k.expression)) if k.expression else k
                for k in index.keys
            )
            scope.replace(
                index,
                dataclasses.replace(
                    index, keys=keys, predicate=renamed(index.predicate) if index.predicate else ""
                ),
            )
        for view in list(stored_queries(scope.catalog)):
            if table.oid in view.depends and drop.mentions(view.query, a.name):
                if len(view.depends) > 1:
                    raise PlanError(
                        "0A000", "renaming a column that a view over several relations uses is not supported"
                    )
                scope.replace(view.holder, view.reworded(renamed(view.query)))

    def set_default(self, a: st.AlterAction) -> None:
        column = self.column(a.name)
        assert a.expression is not None
        self._refuse_special(column, "default")
        self.put(column, dataclasses.replace(column, default=a.expression.text, sequence_oid=0))
        tables.verify_default(self.scope, self.table, column.name, a.expression)

    def drop_default(self, a: st.AlterAction) -> None:
        column = self.column(a.name)
        self._refuse_special(column, "default")
        self.put(column, dataclasses.replace(column, default=None, sequence_oid=0))

    def _refuse_special(self, column: Column, what: str) -> None:
        if column.identity:
            raise PlanError(
                "42601",
                f'column "{column.name}" of relation "{self.table.name}" is an identity column',
                hint="Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead."
                if what == "default"
                else "",
            )
        if column.generated:
            raise PlanError(
                "42601",
                f'column "{column.name}" of relation "{self.table.name}" is a generated column',
                hint="Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead."
                if what == "default"
                else "",
            )

    def set_not_null(self, a: st.AlterAction) -> None:
        column = self.column(a.name)
        if not column.not_null:
            self.put(column, dataclasses.replace(column, not_null=True))
            self.scope.checks.append(constraints.not_null_check(self.scope, self.table, column.name))

    def drop_not_null(self, a: st.AlterAction) -> None:
        column = self.column(a.name)
        if column.identity:
            raise PlanError(
                "42601", f'column "{column.name}" of relation "{self.table.name}" is an identity column'
            )
        key = self.table.primary_key
        if key is not None and column.attnum in key.columns:
            raise PlanError("42P16", f'column "{column.name}" is in a primary key')
        self.put(column, dataclasses.replace(column, not_null=False))

    def set_type(self, a: st.AlterAction) -> None:
        scope, table = self.scope, self.table
        column = self.column(a.name)
        assert a.type is not None
        ref = resolve_type(a.type, scope.catalog, scope.search_path)
        check_column_type(ref, column.name, scope.catalog)
        ref, domain = domains.underneath(scope.catalog, ref)
        for view in stored_queries(scope.catalog):
            if table.oid in view.depends and drop.mentions(view.query, column.name):
                raise PlanError(
                    "0A000",
                    "cannot alter type of a column used by a view or rule",
                    detail=f'rule _RETURN on view {view.name} depends on column "{column.name}"',
                )
        if column.generated and a.expression is not None:
            raise PlanError("42611", "cannot specify USING when altering type of generated column")
        for c in table.columns:
            if (
                c.generated
                and c.attnum != column.attnum
                and c.default
                and drop.mentions(c.default, column.name)
            ):
                if c.hidden:
                    raise PlanError(
                        "0A000",
                        "altering the type of a column that a unique index on expressions uses is not supported",
                        hint="Drop the index, and create it again afterwards.",
                    )
                raise PlanError(
                    "0A000",
                    "cannot alter type of a column used by a generated column",
                    detail=f'Column "{column.name}" is used by generated column "{c.name}".',
                )
        if ref == column.type and domain == column.domain and a.expression is None:
            return
        shown = types.format_type(ref)
        if a.expression is None and not casts_automatically(column.type.oid, ref.oid):
            raise PlanError(
                "42804",
                f'column "{column.name}" cannot be cast automatically to type {shown}',
                hint=f'You might need to specify "USING {quote_identifier(column.name)}::{shown}".',
            )
        if (
            column.default is not None
            and not column.generated
            and not casts_automatically(column.type.oid, ref.oid)
        ):
            raise PlanError(
                "42804", f'default for column "{column.name}" cannot be cast automatically to type {shown}'
            )
        source = a.expression.text if a.expression is not None else quote_identifier(column.name)
        self.sources[column.attnum] = f"CAST(({source}) AS {shown})"
        self.reshaped = True
        changed = dataclasses.replace(column, type=ref, domain=domain)
        self.put(column, changed)
        scope.checks += constraints.domain_checks(scope, self.table, changed)
        names = {c.attnum: c for c in self.table.columns}
        for k in self.table.constraints:
            if column.attnum in k.columns and k.kind in "pu":
                keys = [names[n] for n in k.columns]
                scope.checks.append(
                    constraints.unique_check(scope, self.table, k.name, keys, k.nulls_not_distinct)
                )
        if column.sequence_oid:
            sequence = scope.catalog.get(column.sequence_oid)
            if isinstance(sequence, Sequence) and sequence.identity:
                if ref.oid not in (types.INT2, types.INT4, types.INT8):
                    raise PlanError("22023", "identity column type must be smallint, integer, or bigint")
                options = st.SequenceOptions(type=a.type)
                scope.replace(sequence, sequences.apply_options(sequence, options, scope, new=False))

    # --- constraints ---------------------------------------------------------------------------

    def add_constraint(self, a: st.AlterAction) -> None:
        assert a.constraint is not None
        self._add(a.constraint)

    def _add(self, said: st.ConstraintDef) -> None:
        self.table = constraints.add_constraint(self.scope, self.table, said, has_rows=True)
        if said.kind == "c":
            expression = said.expression
            assert expression is not None
            self.verify.append(
                lambda: constraints.verify_check(
                    self.scope, self.table, dataclasses.replace(expression, offset=0)
                )
            )

    def drop_constraint(self, a: st.AlterAction) -> None:
        scope, table = self.scope, self.table
        found = next((c for c in table.constraints if c.name == a.name and not c.index_only), None)
        if found is None:
            message = f'constraint "{a.name}" of relation "{table.name}" does not exist'
            if a.exists:
                scope.notice(message + ", skipping")
                return
            raise PlanError("42704", message)
        standing.free_key(scope, table, found, a.cascade)
        table = self.table
        kept = tuple(c for c in table.constraints if c.oid != found.oid)
        self._remove_index(found)
        self.table = dataclasses.replace(table, constraints=kept)

    def _remove_index(self, constraint: Constraint) -> None:
        index = self.scope.catalog.get(constraint.index_oid) if constraint.index_oid else None
        if index is not None:
            self.scope.remove(index)

    def validate_constraint(self, a: st.AlterAction) -> None:
        scope, table = self.scope, self.table
        found = next((c for c in table.constraints if c.name == a.name), None)
        if found is None:
            raise PlanError("42704", f'constraint "{a.name}" of relation "{table.name}" does not exist')
        if found.kind not in "cf":
            raise PlanError(
                "42809",
                f'constraint "{a.name}" of relation "{table.name}" is not a foreign key or check constraint',
            )
        if found.validated:
            return
        checked = dataclasses.replace(found, validated=True)
        self.table = dataclasses.replace(
            table, constraints=tuple(checked if c.oid == found.oid else c for c in table.constraints)
        )
        if found.kind == "c":
            scope.checks.append(constraints.check_check(scope, self.table, checked))
            return
        target = scope.catalog.table(found.foreign_table)
        mine = {c.attnum: c for c in table.columns}
        theirs = {c.attnum: c for c in target.columns}
        scope.checks.append(
            constraints.foreign_check(
                scope,
                self.table,
                checked,
                [mine[n] for n in found.columns],
                target,
                [theirs[n] for n in found.foreign_columns],
            )
        )

    def rename_constraint(self, a: st.AlterAction) -> None:
        scope, table = self.scope, self.table
        found = next((c for c in table.constraints if c.name == a.name), None)
        if found is None:
            raise PlanError("42704", f'constraint "{a.name}" for table "{table.name}" does not exist')
        if any(c.name == a.new_name for c in table.constraints):
            raise PlanError("42710", f'constraint "{a.new_name}" for relation "{table.name}" already exists')
        index = scope.catalog.get(found.index_oid) if found.index_oid else None
        if isinstance(index, Index):
            scope.refuse_duplicate(scope.catalog.schema_of(table.schema_oid), a.new_name)
            scope.replace(index, dataclasses.replace(index, name=a.new_name))
        self.table = dataclasses.replace(
            table,
            constraints=tuple(
                dataclasses.replace(c, name=a.new_name) if c.oid == found.oid else c
                for c in table.constraints
            ),
        )

    # --- owner, identity, generated ---------------------------------------------------------------

    def owner(self, a: st.AlterAction) -> None:
        role = constraints.require_role(self.scope, a.name)
        self.table = dataclasses.replace(self.table, owner=role)
        for sequence in self.scope.catalog.sequences_of(self.table.oid):
            self.scope.replace(sequence, dataclasses.replace(sequence, owner=role))

    def set_options(self, a: st.AlterAction) -> None:
        self.table = dataclasses.replace(
            self.table, retention_us=retention_us(a.options, self.table.retention_us)
        )

    def reset_options(self, a: st.AlterAction) -> None:
        if NAME in a.options:
            self.table = dataclasses.replace(self.table, retention_us=None)

    def add_identity(self, a: st.AlterAction) -> None:
        scope, table = self.scope, self.table
        column = self.column(a.name)
        if not column.not_null:
            raise PlanError(
                "55000",
                f'column "{column.name}" of relation "{table.name}" must be declared NOT NULL before identity can be added',
            )
        if column.identity:
            raise PlanError(
                "55000", f'column "{column.name}" of relation "{table.name}" is already an identity column'
            )
        if column.default is not None:
            raise PlanError(
                "55000", f'column "{column.name}" of relation "{table.name}" already has a default value'
            )
        if column.type.oid not in (types.INT2, types.INT4, types.INT8):
            raise PlanError("22023", "identity column type must be smallint, integer, or bigint")
        schema = scope.catalog.schema_of(table.schema_oid)
        made = sequences.owned(
            scope,
            schema,
            table.name,
            column.name,
            column.type,
            a.sequence,
            column.attnum,
            True,
            table.temporary,
        )
        scope.replace(made, dataclasses.replace(made, table_oid=table.oid))
        self.put(column, dataclasses.replace(column, identity=a.identity, sequence_oid=made.oid))

    def _identity(self, name: str) -> tuple[Column, Sequence]:
        column = self.column(name)
        sequence = self.scope.catalog.get(column.sequence_oid) if column.identity else None
        if not isinstance(sequence, Sequence):
            raise PlanError(
                "55000", f'column "{name}" of relation "{self.table.name}" is not an identity column'
            )
        return column, sequence

    def set_identity(self, a: st.AlterAction) -> None:
        column, sequence = self._identity(a.name)
        if a.identity:
            self.put(column, dataclasses.replace(column, identity=a.identity))
        if a.sequence is not None:
            changed = sequences.apply_options(sequence, a.sequence, self.scope, new=False)
            self.scope.replace(sequence, changed)

    def drop_identity(self, a: st.AlterAction) -> None:
        if a.exists and not self.column(a.name).identity:
            self.scope.notice(
                f'column "{a.name}" of relation "{self.table.name}" is not an identity column, skipping'
            )
            return
        column, sequence = self._identity(a.name)
        self.put(column, dataclasses.replace(column, identity="", sequence_oid=0))
        self.scope.remove(sequence)

    def drop_expression(self, a: st.AlterAction) -> None:
        column = self.column(a.name)
        if not column.generated:
            message = f'column "{a.name}" of relation "{self.table.name}" is not a stored generated column'
            if a.exists:
                self.scope.notice(message + ", skipping")
                return
            raise PlanError("55000", message)
        self.put(column, dataclasses.replace(column, generated=False, default=None))


def next_attnum(table: Table) -> int:
    return max([table.last_attnum, *(c.attnum for c in table.visible)], default=0) + 1


_NUMERIC: Final = frozenset((types.INT2, types.INT4, types.INT8, types.FLOAT4, types.FLOAT8, types.NUMERIC))
_STRINGS: Final = frozenset((types.TEXT, types.VARCHAR, types.BPCHAR, types.NAME))
_DATES: Final = frozenset((types.DATE, types.TIMESTAMP, types.TIMESTAMPTZ))


def casts_automatically(source: int, target: int) -> bool:
    """Whether an assignment cast leads from one type to the other."""
    return (
        source == target
        or target in _STRINGS
        or any(source in group and target in group for group in (_NUMERIC, _DATES))
        or (source in (types.TIMESTAMP, types.TIMESTAMPTZ) and target in (types.TIME, types.TIMETZ))
        or (source, target)
        in (
            (types.TIME, types.TIMETZ), (types.TIMETZ, types.TIME), (types.TIME, types.INTERVAL),
            (types.INTERVAL, types.TIME), (types.JSON, types.JSONB), (types.JSONB, types.JSON),
            (types.INT4, types.OID), (types.INT8, types.OID), (types.OID, types.INT8), (types.OID, types.INT4),
        )
    )  # fmt: skip
