"""CREATE TABLE.

A new table takes its OIDs in the order in which PostgreSQL makes things: sequences of serial columns, the table,
constraints and their indexes. Its shard is named by the table's own OID (`t16384`); a rewritten table gets a new one.
"""

from __future__ import annotations

from planner import statements as st
from planner.abc import Column, Oid, PlanError, Table
from planner.catalog import (
    Comment,
    CompositeType,
    Index,
    Schema,
    Sequence,
    StatisticsObject,
    View,
    rights,
)
from planner.catalog.system.attributes import storage_of
from planner.ddl import limits, moments, naming, statistics
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import exclusions, own_names, table_constraints, unique_indexes
from planner.ddl.constraints import names as constraint_names
from planner.ddl.dependencies import depends
from planner.ddl.foreign import tables as foreign_tables
from planner.ddl.partitions import creation as partitions
from planner.ddl.partitions import keys as partition_keys
from planner.ddl.retention import retention_us
from planner.ddl.scope import Scope
from planner.ddl.sequences import tell_implicit
from planner.ddl.tables import inherits, like_comments, typed_tables
from planner.ddl.tables.columns import (
    define_column,
    refuse_alike,
    refuse_column_name,
    verify_default,
    verify_generated,
    with_generated_kept,
)
from planner.ddl.types import used_types
from planner.ddl.types.named_types import with_schemas
from planner.parse.storage import kept
from planner.records import replace


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
            raise PlanError("42P17", "cannot create partitioned table as inheritance child")
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
        self.index_comments: dict[Oid, str] = {}
        """By the index that LIKE copies."""
        self.constraint_comments: list[like_comments.Remark] = []
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
        limits.refuse_columns(len(self.columns) + 1)

    def like(self, said: st.LikeClause) -> None:
        source = self.scope.relation(said.table)
        if not isinstance(source, Table | View | CompositeType):
            raise PlanError(
                "42809",
                f'relation "{said.table.name}" is invalid in LIKE clause',
                detail=f"This operation is not supported for {'indexes' if isinstance(source, Index) else 'sequences'}.",
                position=said.table.position,
            )
        wanted = "usage" if isinstance(source, CompositeType) else "select"
        rights.require(self.scope.catalog, self.scope.user, source, wanted)
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
                storage=storage_of(column) if "storage" in want else "",
                compression=column.compression if "compression" in want else "",
            )
            if column.identity and "identity" in want:
                sequence = self._copy_sequence(column, attnum)
                made = replace(made, identity=column.identity, sequence_oid=sequence.oid)
            self._put_column(at, made)
        if not isinstance(source, Table):
            return
        by_attnum = {c.attnum: c.name for c in source.columns}
        for constraint in source.constraints:
            if constraint.kind == "c" and "constraints" in want:
                own_names.refuse_whole_rows(self.scope, source, constraint)
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
                    keys = tuple(replace(k, attnum=attnums[k.attnum]) if k.attnum else k for k in index.keys)
                    include = tuple(attnums[a] for a in index.include)
                    self.like_indexes.append((replace(index, keys=keys, include=include), source))
                    if "comments" in want and (text := like_comments.text_of(self.scope.catalog, index.oid)):
                        self.index_comments[index.oid] = text
        if "statistics" in want:
            for counted in self.scope.catalog.statistics_of(source.oid):
                self.like_statistics.append((counted, attnums))
                if "comments" in want:
                    self.statistics_comments |= {
                        len(self.like_statistics): c.text for c in self.scope.catalog.comments_on(counted.oid)
                    }
        if "comments" in want:
            self.constraint_comments += like_comments.of_constraints(self.scope.catalog, source, want)
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
                replace(c, attnum=len(self.columns) + 1, default=default, identity="", sequence_oid=0)
            )
        named = [e.name for e in said.elements if isinstance(e, st.ColumnDef)]
        for i, name in enumerate(named):
            if name in named[:i]:
                raise PlanError("42701", f'column "{name}" specified more than once')
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
        """What a partition says of a column that it has from above, collation and all: a COLLATE of its own says nothing."""
        at = next((i for i, c in enumerate(self.columns) if c.name == said.name), None)
        if at is None:
            raise PlanError("42703", f'column "{said.name}" does not exist')
        if said.identity or said.generated is not None:
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
            column = replace(
                column,
                default=with_schemas(
                    self.scope, moments.frozen(self.scope, default, column.type), column.type
                ),
            )
            self.expressions.append((column.name, said.default))
        self.columns[at] = replace(column, not_null=column.not_null or bool(said.not_null))
        self.constraints += [
            c if c.kind == "c" else replace(c, columns=(said.name,)) for c in said.constraints
        ]

    def _copy_sequence(self, column: Column, attnum: int) -> Sequence:
        source = self.scope.catalog.get(column.sequence_oid)
        assert isinstance(source, Sequence)
        name = naming.choose(self.name, column.name, "seq", lambda n: self.scope.is_taken(self.schema, n))
        made = replace(
            source, oid=self.scope.allocate(), schema_oid=self.schema.oid, name=name, table_oid=0,
            attnum=attnum, restarts=0, restarted_at=None, called=False, temporary=self.temporary,
        )  # fmt: skip
        self.scope.add(made)
        tell_implicit(self.scope, name, self.name, column.name)
        self.sequences.append(made)
        return made

    def finish(self) -> None:
        scope = self.scope
        if self.inherited is not None:
            self.inherited.settled()
        for column in self.columns:
            used_types.require(scope, column.declared.oid)
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
        table = with_generated_kept(scope, table)
        if self.partition_by is not None:
            table = partition_keys.keyed(scope, table, self.partition_by)
            if excluded := [c for c in self.constraints if c.kind == "x"]:
                raise PlanError(
                    "0A000",
                    "exclusion constraints are not supported on partitioned tables",
                    position=excluded[0].position,
                )
        for sequence in self.sequences:
            scope.replace(sequence, replace(sequence, table_oid=self.oid, unlogged=self.unlogged))
        checks = [c.name for c in self.constraints if c.kind == "c" and c.name]
        for i, check in enumerate(checks):
            if check in checks[:i]:
                raise PlanError("42710", f'check constraint "{check}" already exists')
        # Keys first and the primary key before all: foreign keys to this very table need them.
        if self.inherited is not None:
            table = self.inherited.given(table)
        order = {"p": 0, "u": 1, "c": 2, "f": 3}
        bare = constraints.said_once([c for c in self.constraints if c.kind != "x"])
        if any(c.kind == "p" and not c.position for c in bare):  # LIKE's, which comes when the table is there
            bare = [replace(c, position=0) if c.kind == "p" else c for c in bare]
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
            name = naming.choose(self.name, label, "idx", constraint_names.is_taken_for_index(scope, table))
            made = replace(
                index, oid=scope.allocate(), schema_oid=self.schema.oid, name=name, table_oid=table.oid
            )
            scope.add(made)
            if text := self.index_comments.get(index.oid):
                scope.add(Comment(scope.allocate(), made.oid, 0, text))
            if made.unique:
                self._enforce(made)
        for i, (counted, attnums) in enumerate(self.like_statistics, 1):
            alike = statistics.copied(scope, counted, table, attnums)
            scope.add(alike)
            if text := self.statistics_comments.get(i):
                scope.add(Comment(scope.allocate(), alike.oid, 0, text))
        like_comments.put(scope, scope.catalog.table(self.oid), self.constraint_comments)
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
