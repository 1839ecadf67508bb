"""The grammar of tables: CREATE TABLE with its columns, CREATE TABLE AS.

    CREATE [TEMP | UNLOGGED] TABLE [IF NOT EXISTS] name ( element, ... ) [WITH (...)] [ON COMMIT ...]
    CREATE ... TABLE name OF type [( what is said of its columns, table constraints )] ...
    element     name type {column constraint}  |  table constraint  |  LIKE table {INCLUDING what}
    CREATE ... TABLE name [(columns)] AS query [WITH [NO] DATA]

DEFAULT and GENERATED are kept as slices of the text.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError
from planner.lexer import PUNCTUATION, QUOTED, WORD
from planner.parse import clauses, column_constraints, constraints, foreign, partitions
from planner.parse.cursor import Cursor
from planner.parse.storage import storage_options

_LIKE_OPTIONS: Final = frozenset(
    ("all", "comments", "compression", "constraints", "defaults", "generated", "identity", "indexes",
     "statistics", "storage")
)  # fmt: skip


def create_table(c: Cursor, temporary: bool, unlogged: bool) -> Any:
    """After CREATE ... TABLE."""
    exists = c.accept("if", "not", "exists")
    name = c.qualified()
    if c.accept("partition", "of"):
        parent = c.qualified()
        typed = partitions.typed_elements(c, name.name)
        bound = partitions.bound(c)
        by = partitions.partition_by(c)
        options, on_commit = _table_options(c, partitioned=by is not None)
        return st.CreateTable(
            name, typed, exists, temporary, unlogged, on_commit, options,
            partition_by=by, partition_of=parent, bound=bound,
        )  # fmt: skip
    if c.accept("of"):
        of_type = c.qualified()
        typed = partitions.typed_elements(c, name.name)
        by = partitions.partition_by(c)
        options, on_commit = _table_options(c, partitioned=by is not None)
        return st.CreateTable(
            name, typed, exists, temporary, unlogged, on_commit, options, partition_by=by, of_type=of_type
        )
    if _is_create_as(c):
        return dataclasses.replace(_create_as(c, name, exists, temporary), unlogged=unlogged)
    _refuse_names_alone(c)
    elements, inherits = _elements(c, name.name)
    by = partitions.partition_by(c)
    options, on_commit = _table_options(c, partitioned=by is not None)
    return st.CreateTable(name, elements, exists, temporary, unlogged, on_commit, options, inherits, by)


def _elements(c: Cursor, table: str) -> tuple[tuple[Any, ...], tuple[st.Name, ...]]:
    """The columns and constraints of a table, and whom it inherits from."""
    c.expect_symbol("(")
    elements: tuple[Any, ...] = ()
    if not c.accept_symbol(")"):
        elements = c.listed(lambda c: _element(c, table))
        c.expect_symbol(")")
    if not c.accept("inherits"):
        return elements, ()
    names = c.bracketed(Cursor.qualified)
    return elements, names


def create_foreign_table(c: Cursor) -> st.CreateTable:
    """After CREATE FOREIGN TABLE."""
    exists = c.accept("if", "not", "exists")
    name = c.qualified()
    parent: st.Name | None = None
    inherits: tuple[st.Name, ...] = ()
    bound: st.BoundDef | None = None
    if c.accept("partition", "of"):
        parent = c.qualified()
        elements = partitions.typed_elements(c, name.name)
        bound = partitions.bound(c)
    else:
        elements, inherits = _elements(c, name.name)
    c.expect("server")
    server = c.name()
    place = st.ForeignTableOf(server, foreign.options(c) if c.accept("options") else ())
    return st.CreateTable(
        name, elements, exists, inherits=inherits, partition_of=parent, bound=bound, foreign=place
    )


def _is_create_as(c: Cursor) -> bool:
    """Whether AS comes after the name, its columns and options: `(a, b) AS`, but not `(a int)`."""
    i = c.at
    if c.symbol_is("("):
        i += 1
        while c.tokens[i].kind in (WORD, QUOTED):
            after = c.tokens[i + 1]
            if after.kind != PUNCTUATION or after.value not in ",)":
                return False
            i += 2
            if after.value == ")":
                break
        else:
            return False
    token = c.tokens[i]
    return token.kind == WORD and token.value in ("as", "using", "with", "without", "on", "tablespace")


def _refuse_names_alone(c: Cursor) -> None:
    """`(a, b)` without types is the beginning of CREATE TABLE ... AS: what is wrong stands behind it. Raises 42601."""
    if not c.symbol_is("("):
        return
    i = c.at + 1
    while (
        c.tokens[i].kind in (WORD, QUOTED)
        and c.tokens[i + 1].kind == PUNCTUATION
        and c.tokens[i + 1].value == ","
    ):
        i += 2
    last, after = c.tokens[i], c.tokens[i + 1] if i + 1 < len(c.tokens) else c.tokens[i]
    if last.kind in (WORD, QUOTED) and after.kind == PUNCTUATION and after.value == ")":
        c.fail(c.tokens[i + 2])
    if i > c.at + 1:
        c.fail(after if last.kind in (WORD, QUOTED) else last)


def _create_as(
    c: Cursor, name: st.Name, exists: bool, temporary: bool, materialized: bool = False
) -> st.CreateTableAs:
    columns = c.name_list() if c.symbol_is("(") else ()
    options, on_commit = _table_options(c)
    c.expect("as")
    c.refuse_writes()
    query, with_data = query_with_data(c)
    return st.CreateTableAs(
        name, query, columns, with_data, exists, temporary, on_commit, materialized, options
    )


def create_materialized_view(c: Cursor) -> st.CreateTableAs:
    exists = c.accept("if", "not", "exists")
    return _create_as(c, c.qualified(), exists, False, materialized=True)


def query_with_data(c: Cursor) -> tuple[st.Sql, bool]:
    """The rest as a query, without WITH [NO] DATA at its end."""
    last = len(c.tokens) - 1
    with_data = True
    words = [t.value if t.kind == WORD else "" for t in c.tokens[max(c.at, last - 3) : last]]
    if words[-3:] == ["with", "no", "data"]:
        last, with_data = last - 3, False
    elif words[-2:] == ["with", "data"]:
        last -= 2
    if last <= c.at:
        c.fail()
    query = c.slice(c.at, last)
    c.at = len(c.tokens) - 1
    return query, with_data


def _table_options(c: Cursor, *, partitioned: bool = False) -> tuple[dict[str, Any], str]:
    """USING method, WITH (storage), WITHOUT OIDS, ON COMMIT, TABLESPACE."""
    options: dict[str, Any] = {}
    on_commit = ""
    if c.accept("using"):
        method = c.name()
        if partitioned:
            raise PlanError(
                "0A000", "specifying a table access method is not supported on a partitioned table"
            )
        clauses.table_method(method)
    if c.accept("with"):
        options = storage_options(c, "table")
    elif c.accept("without", "oids"):
        pass
    if c.accept("on", "commit"):
        if c.accept("preserve", "rows"):
            on_commit = "preserve"
        elif c.accept("delete", "rows"):
            on_commit = "delete"
        elif c.accept("drop"):
            on_commit = "drop"
        else:
            c.fail()
    if c.accept("tablespace"):
        clauses.tablespace(c)
    return options, on_commit


def _element(c: Cursor, table: str) -> Any:
    if constraints.begins(c):
        return constraints.table_constraint(c)
    if c.next_is("like"):
        c.advance()
        source = c.qualified()
        including: set[str] = set()
        while how := c.accept_one("including", "excluding"):
            what = c.label()
            if what not in _LIKE_OPTIONS:
                c.fail(c.tokens[c.at - 1])
            named = _LIKE_OPTIONS - {"all"} if what == "all" else {what}
            including = including | named if how == "including" else including - named
        return st.LikeClause(source, frozenset(including))
    return column_definition(c, table)


def column_definition(c: Cursor, table: str) -> st.ColumnDef:
    position = c.position
    name = c.name()
    column = st.ColumnDef(name, c.type_name(), position=position)
    if c.accept("compression"):
        column = dataclasses.replace(column, compression=c.label())
    if c.accept("options"):
        column = dataclasses.replace(column, options=foreign.options(c))
    return column_constraints.read(c, column, table)
