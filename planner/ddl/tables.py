"""CREATE TABLE.

A new table takes its OIDs in the order in which PostgreSQL makes things: sequences of serial columns, the table,
constraints and their indexes. Its shard is named by the table's own OID (`t16384`); a rewritten table gets a new one.
"""

from __future__ import annotations

import dataclasses
from typing import Final

from planner import statements as st
from planner import types
from planner.abc import Column, Oid, Plan, PlanError, SqlError, Table, TypeRef
from planner.binding.facts import type_name
from planner.binding.resolve import castable, own_cast
from planner.catalog import (
    Comment,
    CompositeType,
    Index,
    Schema,
    Sequence,
    StatisticsObject,
    View,
    domains,
    quote_qualified,
)
from planner.ddl import (
    collations,
    constraints,
    depends,
    exclusions,
    foreign_tables,
    inherits,
    moments,
    naming,
    partition_keys,
    partitions,
    sequences,
    statistics,
    table_constraints,
    typed_tables,
    unique_indexes,
)
from planner.ddl.named_types import with_schemas
from planner.ddl.retention import retention_us
from planner.ddl.scope import Scope
from planner.ddl.typenames import check_column_type, resolve_type, serial_type
from planner.lexer import STRING, tokenize, within_parentheses
from planner.parse.queries import position as first_position
from planner.parse.storage import kept

COLUMNS_MAX: Final = 1_600
HIDDEN_COLUMNS: Final = frozenset(("_rid", "_from", "_to", "_ts"))


def shard_of(oid: Oid) -> str:
    """The shard of a table's rows; the number is an OID that was allocated for it, so it is never used twice."""
    return f"t{oid}"


def create_table(scope: Scope, said: st.CreateTable) -> None:
    schema = scope.schema_for(said.name, said.temporary, said.unlogged, at=said.name.position)
    name = said.name.name
    if said.if_not_exists and scope.is_taken(schema, name):
        scope.notice(f'relation "{name}" already exists, skipping', "42P07")
        return
    made = typed_tables.type_of(scope, said.of_type) if said.of_type is not None else None
    scope.refuse_duplicate(schema, name)
    if said.on_commit and not schema.name.startswith("pg_temp_"):
        raise PlanError("42P16", "ON COMMIT can only be used on temporary tables")
    if said.foreign is not None:
        foreign_tables.refuse_elements(said)
    elif any(isinstance(e, st.ColumnDef) and e.options for e in said.elements):
        raise foreign_tables.not_foreign(name)
    builder = _Builder(scope, schema, name, schema.name.startswith("pg_temp_"))
    builder.unlogged = said.unlogged
    builder.retention_us = retention_us(said.options)
    builder.options = kept((), said.options.items())
    builder.on_commit = said.on_commit if said.on_commit in ("delete", "drop") else ""
    builder.partition_by = said.partition_by
    if said.partition_of is not None:
        builder.partition_of(said)
        if said.foreign is not None:
            foreign_tables.placed(scope, scope.catalog.table(builder.oid), said)
        return
    if made is not None:
        builder.typed(made, said.elements)
        return
    if said.inherits:
        if said.partition_by is not None:
            raise PlanError("42P16", "cannot create partitioned table as inheritance child")
        names = [e.name for e in said.elements if isinstance(e, st.ColumnDef)]
        for i, name in enumerate(names):
            refuse_column_name(name, names[:i])  # before the parents have a word
        builder.inherit(said.inherits)
    for element in said.elements:
        if isinstance(element, st.ColumnDef):
            builder.column(element)
        elif isinstance(element, st.LikeClause):
            builder.like(element)
        else:
            builder.constraints.append(element)
    builder.finish()
    if said.foreign is not None:
        foreign_tables.placed(scope, scope.catalog.table(builder.oid), said)


class _Builder:
    """A table while its elements are being read."""

    def __init__(self, scope: Scope, schema: Schema, name: str, temporary: bool) -> None:
        self.scope, self.schema, self.name, self.temporary = scope, schema, name, temporary
        self.oid = 0
        self.on_commit = ""
        self.unlogged = False
        self.retention_us: int | None = None
        self.options: tuple[str, ...] = ()
        self.columns: list[Column] = []
        self.constraints: list[st.ConstraintDef] = []
        self.expressions: list[tuple[str, st.Sql]] = []
        self.generated: list[tuple[str, st.Sql]] = []
        self.sequences: list[Sequence] = []
        self.comments: list[tuple[int, str]] = []
        self.like_indexes: list[tuple[Index, Table]] = []
        self.like_statistics: list[tuple[StatisticsObject, dict[int, int]]] = []
        self.statistics_comments: dict[int, str] = {}
        self.partition_by: st.PartitionBy | None = None
        self.inherited: inherits.Inherited | None = None
        self.of_type: Oid = 0

    def inherit(self, names: tuple[st.Name, ...]) -> None:
        """The columns of the parents stand first."""
        self.inherited = inherits.Inherited(self.scope, names, self.name, temporary=self.temporary)
        self.columns += self.inherited.columns

    def column(self, said: st.ColumnDef) -> None:
        at = self._place(said.name)
        column, sequence, checks = define_column(
            self.scope, said, self.schema, self.name, at + 1, self.temporary
        )
        self._put_column(at, column)
        if sequence is not None:
            self.sequences.append(sequence)
        self.constraints += checks
        if said.default is not None:
            self.expressions.append((column.name, said.default))
        if said.generated is not None:
            self.generated.append((column.name, said.generated))

    def _place(self, name: str) -> int:
        """Where a column that is said here belongs: where a parent has it, or behind all others. Raises 42701, 54011."""
        at = self.inherited.place(name) if self.inherited is not None else None
        if at is not None:
            return at
        self._refuse(name)
        return len(self.columns)

    def _put_column(self, at: int, column: Column) -> None:
        if at == len(self.columns):
            self.columns.append(column)
        else:
            assert self.inherited is not None
            self.columns[at] = self.inherited.merged(at, column)

    def _refuse(self, name: str) -> None:
        names = [c.name for c in self.columns]
        refuse_column_name(name, names)
        refuse_alike(name, names)
        if len(self.columns) >= COLUMNS_MAX:
            raise PlanError("54011", f"tables can have at most {COLUMNS_MAX} columns")

    def like(self, said: st.LikeClause) -> None:
        source = self.scope.relation(said.table)
        if not isinstance(source, Table | View | CompositeType):
            raise PlanError(
                "42809",
                f'relation "{said.table.name}" is invalid in LIKE clause',
                detail=f"This operation is not supported for {'indexes' if isinstance(source, Index) else 'sequences'}.",
                position=said.table.position,
            )
        want = said.including
        attnums: dict[int, int] = {}
        for column in source.visible if isinstance(source, Table) else source.columns:
            at = self._place(column.name)
            attnum = at + 1
            attnums[column.attnum] = attnum
            keep = column.generated and "generated" in want
            default = column.default if keep or ("defaults" in want and not column.generated) else None
            made = Column(
                column.name,
                column.type,
                attnum,
                column.not_null,
                default,
                generated=keep,
                domain=column.domain,
                collation=column.collation,
            )
            if column.identity and "identity" in want:
                sequence = self._copy_sequence(column, attnum)
                made = dataclasses.replace(made, identity=column.identity, sequence_oid=sequence.oid)
            self._put_column(at, made)
        if not isinstance(source, Table):
            return
        by_attnum = {c.attnum: c.name for c in source.columns}
        for constraint in source.constraints:
            if constraint.kind == "c" and "constraints" in want:
                self.constraints.append(
                    st.ConstraintDef(
                        "c",
                        constraint.name,
                        expression=st.Sql(constraint.expression),
                        no_inherit=constraint.no_inherit,
                    )
                )
            elif constraint.kind in "pu" and not constraint.index_only and "indexes" in want:
                index = self.scope.catalog.get(constraint.index_oid)
                assert isinstance(index, Index)
                self.constraints.append(
                    st.ConstraintDef(
                        constraint.kind,
                        columns=tuple(by_attnum[a] for a in constraint.columns),
                        include=tuple(by_attnum[a] for a in index.include),
                        nulls_not_distinct=constraint.nulls_not_distinct,
                        deferrable=constraint.deferrable,
                        initially_deferred=constraint.deferred,
                    )
                )
            elif constraint.kind == "x" and "indexes" in want:
                self.constraints.append(exclusions.said_again(self.scope.catalog, source, constraint))
        if "indexes" in want:
            for index in self.scope.catalog.indexes_of(source.oid):
                if not index.constraint_oid:
                    keys = tuple(
                        dataclasses.replace(k, attnum=attnums[k.attnum]) if k.attnum else k
                        for k in index.keys
                    )
                    include = tuple(attnums[a] for a in index.include)
                    self.like_indexes.append((dataclasses.replace(index, keys=keys, include=include), source))
        if "statistics" in want:
            for counted in self.scope.catalog.statistics_of(source.oid):
                self.like_statistics.append((counted, attnums))
                if "comments" in want:
                    self.statistics_comments |= {
                        len(self.like_statistics): c.text for c in self.scope.catalog.comments_on(counted.oid)
                    }
        if "comments" in want:
            for comment in self.scope.catalog.comments_on(source.oid):
                if comment.sub:
                    self.comments.append((attnums[comment.sub], comment.text))

    def partition_of(self, said: st.CreateTable) -> None:
        """The columns of the table above, and what is said of them here; constraints and indexes follow in the end."""
        scope = self.scope
        assert said.partition_of is not None and said.bound is not None
        parent = partitions.parent_of(scope, said.partition_of)
        if parent.temporary != self.temporary:
            what, of = ("temporary", "permanent") if self.temporary else ("permanent", "temporary")
            raise PlanError(
                "42809", f'cannot create a {what} relation as partition of {of} relation "{parent.name}"'
            )
        bound = partitions.bound_of(scope, parent, said.bound, self.name)
        if said.foreign is not None:
            foreign_tables.refuse_partition(scope, parent)
        for c in parent.visible:
            default = None if c.identity else c.default
            self.columns.append(
                dataclasses.replace(
                    c, attnum=len(self.columns) + 1, default=default, identity="", sequence_oid=0
                )
            )
        for element in said.elements:
            if isinstance(element, st.ColumnDef):
                self._of_partition(element)
            else:
                assert isinstance(element, st.ConstraintDef)
                self.constraints.append(element)
        self.finish()
        partitions.refuse_overlap(scope, parent, bound, self.name, said.bound)
        partitions.made_partition(scope, parent, scope.catalog.table(self.oid), bound)

    def _of_partition(self, said: st.ColumnDef) -> None:
        """What a partition says of a column that it has from above."""
        at = next((i for i, c in enumerate(self.columns) if c.name == said.name), None)
        if at is None:
            raise PlanError("42703", f'column "{said.name}" does not exist')
        if said.identity or said.generated is not None or said.collation:
            what = "identity columns are" if said.identity else "such options of a partition's columns are"
            raise PlanError("0A000", f"{what} not supported{' on partitions' if said.identity else ''}")
        self._say_of(at, said)

    def typed(
        self, made: CompositeType, elements: tuple[st.ColumnDef | st.ConstraintDef | st.LikeClause, ...]
    ) -> None:
        """The columns of a type, and what is said of them here."""
        self.of_type = made.oid
        self.columns += typed_tables.columns_of(made)
        said = [e for e in elements if isinstance(e, st.ColumnDef)]
        self.constraints += [e for e in elements if isinstance(e, st.ConstraintDef)]
        typed_tables.refuse_options(made, said)
        for element in said:
            self._say_of(next(i for i, c in enumerate(self.columns) if c.name == element.name), element)
        self.finish()

    def _say_of(self, at: int, said: st.ColumnDef) -> None:
        """Default, NOT NULL and constraints of a column that is there already."""
        column = self.columns[at]
        if said.default is not None:
            if column.generated:
                raise PlanError(
                    "42601",
                    f'column "{said.name}" inherits from generated column but specifies default',
                )
            default = depends.qualified_constants(self.scope, said.default)
            column = dataclasses.replace(
                column,
                default=with_schemas(
                    self.scope, moments.frozen(self.scope, default, column.type), column.type
                ),
            )
            self.expressions.append((column.name, said.default))
        self.columns[at] = dataclasses.replace(column, not_null=column.not_null or bool(said.not_null))
        self.constraints += [
            c if c.kind == "c" else dataclasses.replace(c, columns=(said.name,)) for c in said.constraints
        ]

    def _copy_sequence(self, column: Column, attnum: int) -> Sequence:
        source = self.scope.catalog.get(column.sequence_oid)
        assert isinstance(source, Sequence)
        name = naming.choose(self.name, column.name, "seq", lambda n: self.scope.is_taken(self.schema, n))
        made = dataclasses.replace(
            source, oid=self.scope.allocate(), schema_oid=self.schema.oid, name=name, table_oid=0,
            attnum=attnum, restarts=0, restarted_at=None, called=False, temporary=self.temporary,
        )  # fmt: skip
        self.scope.add(made)
        self.sequences.append(made)
        return made

    def finish(self) -> None:
        scope = self.scope
        if self.inherited is not None:
            self.inherited.settled()
        self.oid = scope.allocate()
        table = Table(
            self.oid,
            self.schema.oid,
            self.name,
            tuple(self.columns),
            (),
            shard_of(self.oid),
            scope.user,
            self.temporary,
            on_commit=self.on_commit,
            retention_us=self.retention_us,
            options=self.options,
            unlogged=self.unlogged,
            of_type=self.of_type,
        )
        table = with_dates_of_generated(scope, table)
        if self.partition_by is not None:
            table = partition_keys.keyed(scope, table, self.partition_by)
            if excluded := [c for c in self.constraints if c.kind == "x"]:
                raise PlanError(
                    "0A000",
                    "exclusion constraints are not supported on partitioned tables",
                    position=excluded[0].position,
                )
        for sequence in self.sequences:
            scope.replace(sequence, dataclasses.replace(sequence, table_oid=self.oid, unlogged=self.unlogged))
        checks = [c.name for c in self.constraints if c.kind == "c" and c.name]
        for i, check in enumerate(checks):
            if check in checks[:i]:
                raise PlanError("42710", f'check constraint "{check}" already exists')
        # Keys first and the primary key before all: foreign keys to this very table need them.
        if self.inherited is not None:
            table = self.inherited.given(table)
        order = {"p": 0, "u": 1, "c": 2, "f": 3}
        bare = constraints.said_once([c for c in self.constraints if c.kind != "x"])
        for said in sorted(bare, key=lambda c: order[c.kind]):
            merged = inherits.merged_check(scope, table, said) if self.inherited is not None else None
            table = merged or table_constraints.add(scope, table, said, has_rows=False)
        scope.add(table)
        scope.created.append(table)
        if self.inherited is not None:
            self.inherited.known(table)
        table = self._exclude(table)
        for index, _ in self.like_indexes:
            names = {c.attnum: c.name for c in table.columns}
            labels = [
                *(names[k.attnum] if k.attnum else naming.of_expression(k.expression) for k in index.keys),
                *(names[a] for a in index.include),
            ]
            label = naming.joined(naming.distinct(labels))
            name = naming.choose(self.name, label, "idx", constraints.is_free(scope, table))
            made = dataclasses.replace(
                index, oid=scope.allocate(), schema_oid=self.schema.oid, name=name, table_oid=table.oid
            )
            scope.add(made)
            if made.unique:
                self._enforce(made)
        for i, (counted, attnums) in enumerate(self.like_statistics, 1):
            alike = statistics.copied(scope, counted, table, attnums)
            scope.add(alike)
            if text := self.statistics_comments.get(i):
                scope.add(Comment(scope.allocate(), alike.oid, 0, text))
        for attnum, text in self.comments:
            scope.add(Comment(scope.allocate(), table.oid, attnum, text))
        for said in self.constraints:
            if said.kind == "c" and said.expression is not None and said.expression.offset:
                constraints.verify_check(scope, table, said.expression)
        for name, expression in self.expressions:
            verify_default(scope, table, name, expression)
        for name, expression in self.generated:
            verify_generated(scope, table, name, expression)

    def _exclude(self, table: Table) -> Table:
        """Exclusion constraints: what their operators are of is asked of the table."""
        met: list[st.ConstraintDef] = []
        for said in self.constraints:
            alike = exclusions.placeless(said)
            if said.kind == "x" and (
                said.name or alike not in met
            ):  # PostgreSQL makes one of what is said twice
                met.append(alike)
                changed = table_constraints.add(self.scope, table, said, has_rows=False)
                self._put(table, changed)
                table = changed
        return table

    def _put(self, table: Table, changed: Table) -> None:
        self.scope.replace(table, changed)
        self.scope.created[:] = [changed if t.oid == self.oid else t for t in self.scope.created]

    def _enforce(self, index: Index) -> None:
        """A unique index that LIKE has brought: the table has no rows yet, so its columns need no filling."""
        table = self.scope.catalog.table(self.oid)
        changed, _ = unique_indexes.hidden_columns(self.scope, table, index)
        self._put(table, changed)


def refuse_column_name(name: str, others: list[str]) -> None:
    """Raises 42701 for a name that is taken by another column, by PostgreSQL or by this server."""
    if name in others:
        raise PlanError("42701", f'column "{name}" specified more than once')
    if name in constraints.SYSTEM_COLUMNS:
        raise PlanError("42701", f'column name "{name}" conflicts with a system column name')
    if name in HIDDEN_COLUMNS:
        raise PlanError("42939", f'column name "{name}" is reserved')


def refuse_alike(name: str, others: list[str]) -> None:
    """Raises 0A000 for a table's column "a" beside "A": DuckDB, which tables are read by, would take one for the other."""
    if name.lower() in map(str.lower, others):
        raise PlanError("0A000", f'columns whose names differ in capitals only are not supported: "{name}"')


def define_column(
    scope: Scope, said: st.ColumnDef, schema: Schema, table_name: str, attnum: int, temporary: bool
) -> tuple[Column, Sequence | None, list[st.ConstraintDef]]:
    """A column, the sequence that comes with it, and its constraints as constraints of the table."""
    sequence: Sequence | None = None
    default = depends.qualified_constants(scope, said.default) if said.default is not None else None
    not_null = bool(said.not_null)
    integer = serial_type(said.type)
    if integer and scope.catalog.find_type(said.type.names[0], "", scope.search_path) is None:
        ref = TypeRef(integer)
        if said.default is not None:
            raise PlanError(
                "42601",
                f'multiple default values specified for column "{said.name}" of table "{table_name}"',
            )
        if said.not_null is False:
            raise PlanError(
                "42601",
                f'conflicting NULL/NOT NULL declarations for column "{said.name}" of table "{table_name}"',
            )
        for what, present in (("identity", said.identity), ("generation expression", said.generated)):
            if present:
                raise PlanError(
                    "42601",
                    f'both default and {what} specified for column "{said.name}" of table "{table_name}"',
                )
        sequence = sequences.owned(scope, schema, table_name, said.name, ref, None, attnum, False, temporary)
        shown = quote_qualified(schema.name, sequence.name).replace("'", "''")
        default, not_null = f"nextval('{shown}'::regclass)", True
    else:
        ref = resolve_type(said.type, scope.catalog, scope.search_path)
    check_column_type(ref, said.name, scope.catalog)
    ref, domain = domains.underneath(scope.catalog, ref)
    collation = collations.resolved(scope, said.collation, ref, said.collation_position)
    default = with_schemas(scope, moments.frozen(scope, default, ref), ref) if default is not None else None
    if said.identity:
        if ref.oid not in (types.INT2, types.INT4, types.INT8):
            raise PlanError("22023", "identity column type must be smallint, integer, or bigint")
        sequence = sequences.owned(
            scope, schema, table_name, said.name, ref, said.identity_options, attnum, True, temporary
        )
        not_null = True
    if said.generated is not None:
        constraints.refuse_subqueries(said.generated, "column generation expression")
        default = with_schemas(scope, said.generated.text)
    checks = [c if c.kind == "c" else dataclasses.replace(c, columns=(said.name,)) for c in said.constraints]
    column = Column(
        said.name,
        ref,
        attnum,
        not_null,
        default,
        said.identity,
        said.generated is not None,
        sequence.oid if sequence is not None else 0,
        domain,
        collation=collation,
    )
    return column, sequence, checks


def verify_default(scope: Scope, table: Table, name: str, expression: st.Sql) -> None:
    """Binds a DEFAULT on its own: unknown names and functions, and references to columns, are errors now."""
    constraints.refuse_subqueries(expression, "DEFAULT expression")
    constraints.refuse_columns(expression)
    column = constraints.find_column(table, name)
    assert column is not None
    tokens = within_parentheses(tokenize(expression.text))
    if len(tokens) == 2 and tokens[0].kind == STRING:
        try:
            types.input_text(tokens[0].value, column.type, scope.ctx.settings)
        except SqlError as e:
            e.position = expression.offset + tokens[0].start + 1
            raise
        return
    if len(tokens) == 2 and tokens[0].keyword == "null":
        return
    if [t.value for t in tokens[:2]] == ["nextval", "("]:
        return  # evaluated by the executor, not by a query
    _verify_type(scope.plan_expression(expression, clause="DEFAULT expressions"), column)


def with_dates_of_generated(scope: Scope, table: Table) -> Table:
    """The table, its generated columns' dates as values: of what type a literal is, the other columns say."""
    if not any(c.generated for c in table.columns):
        return table
    columns = (
        dataclasses.replace(c, default=moments.frozen(scope, c.default, c.type, table))
        if c.generated and c.default is not None
        else c
        for c in table.columns
    )
    return dataclasses.replace(table, columns=tuple(columns))


def verify_generated(scope: Scope, table: Table, name: str, expression: st.Sql) -> None:
    """Binds a generation expression over the finished table: its columns, its functions, its type."""
    generated = {c.name for c in table.columns if c.generated}
    for node in constraints.system_columns_of(expression, table):
        if node.name == "tableoid":
            raise PlanError(
                "0A000",
                "tableoid in column generation expressions is not supported",
                position=first_position(node),
            )
        raise PlanError(
            "42P10",
            f'cannot use system column "{node.name}" in column generation expression',
            position=first_position(node),
        )
    for node in constraints.columns_named(expression):
        if node.name == table.name and not node.table and constraints.find_column(table, node.name) is None:
            raise PlanError(
                "42P17",
                "cannot use whole-row variable in column generation expression",
                detail="This would cause the generated column to depend on its own value.",
                position=first_position(node),
            )
        if node.name in generated:
            raise PlanError(
                "42P17",
                f'cannot use generated column "{node.name}" in column generation expression',
                detail="A generated column cannot reference another generated column.",
                position=first_position(node),
            )
    column = constraints.find_column(table, name)
    assert column is not None
    source = constraints.qualified(scope, table)
    _verify_type(scope.plan_expression(expression, source, "column generation expressions"), column)


def _verify_type(plan: Plan, column: Column) -> None:
    """Raises 42804 for what cannot be stored in the column."""
    assert plan.columns is not None
    source = plan.columns[0].type
    if not _assignable(source.oid, column.type.oid):
        raise PlanError(
            "42804",
            f'column "{column.name}" is of type {types.format_type(column.type)} '
            f"but default expression is of type {types.format_type(source)}",
            hint="You will need to rewrite or cast the expression.",
        )


_NUMERIC: Final = frozenset((types.INT2, types.INT4, types.INT8, types.FLOAT4, types.FLOAT8, types.NUMERIC))
_STRINGS: Final = frozenset((types.TEXT, types.VARCHAR, types.BPCHAR, types.NAME, types.CITEXT))
_DATES: Final = frozenset((types.DATE, types.TIMESTAMP, types.TIMESTAMPTZ))


def _assignable(source: int, target: int) -> bool:
    """Whether a default of one type can surely not be stored in a column of the other is what this refuses."""
    if source == target or source == types.UNKNOWN or target in _STRINGS:
        return True
    if own_cast(source, target, "a") is not None:
        return True
    if types.MONEY in (source, target):
        return castable(type_name(source), type_name(target), "a")
    for group in (_NUMERIC, _DATES):
        if source in group:
            return target in group or (source in _DATES and target in (types.TIME, types.TIMETZ))
    return not (source == types.BOOL or source in _STRINGS) or target not in _NUMERIC | _DATES | {types.BOOL}
