"""Constraints: from what was said of a table to `Constraint`s with names, indexes and checks of existing rows.

PRIMARY KEY and UNIQUE bring an index of their own name; PRIMARY KEY makes its columns NOT NULL. CHECK is kept as text
after its columns and its type were verified. Over a table that has rows already (ALTER TABLE), each also becomes a
`DataCheck`: a query that looks for a row which breaks it. Foreign keys have a room of their own (`foreign_keys`).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import Final

from sqlglot import exp

from planner import statements as st
from planner import types
from planner.abc import Column, Constraint, PlanError, Table, TypeRef
from planner.catalog import Index, IndexKey, Role, domains, quote_identifier, quote_qualified
from planner.ddl import naming
from planner.ddl.constraints import indexes_taken, own_names
from planner.ddl.constraints import names as constraint_names
from planner.ddl.constraints.collated_keys import refuse_unordered
from planner.ddl.limits import refuse_index_columns
from planner.ddl.plan import DataCheck
from planner.ddl.scope import Scope
from planner.lexer import QUOTED, WORD, tokenize
from planner.parse.beginnings import position as first_position
from planner.parse.queries import parse_expression
from planner.records import replace

SYSTEM_COLUMNS: Final = frozenset(("tableoid", "cmax", "xmax", "cmin", "xmin", "ctid"))


def find_column(table: Table, name: str) -> Column | None:
    return next((c for c in table.columns if c.name == name and not c.hidden), None)


def qualified(scope: Scope, table: Table) -> str:
    """The rows of one table, in FROM: without those of its children."""
    name = quote_qualified(scope.catalog.schema_of(table.schema_oid).name, table.name)
    return f"ONLY {name}" if table.children else name


def refuse_key_without(table: Table, columns: tuple[int, ...], word: str) -> None:
    """Raises 0A000 for a key that lacks a column by which rows are dealt out: no partition could answer for it."""
    key = table.partitioning
    for attnum in key.columns if key is not None else ():
        if attnum not in columns:
            column = table.columns[table.index_of(attnum)]
            name = column.name
            if column.hidden:
                raise PlanError(
                    "0A000",
                    f"unsupported {word} constraint with partition key definition",
                    detail=f"{word} constraints cannot be used when partition keys include expressions.",
                )
            raise PlanError(
                "0A000",
                "unique constraint on partitioned table must include all partitioning columns",
                detail=f'{word} constraint on table "{table.name}" lacks column "{name}" which is part of the partition key.',
            )


# --- PRIMARY KEY, UNIQUE -----------------------------------------------------------------------------


def said_once(said: list[st.ConstraintDef]) -> list[st.ConstraintDef]:
    """The constraints of CREATE TABLE, of which PostgreSQL makes one where a key is said twice: the primary key, else the
    first, under the name that one of them has (`transformIndexConstraints`)."""
    kept: list[st.ConstraintDef] = []
    for c in sorted(said, key=lambda c: c.kind != "p"):
        at = next((i for i, k in enumerate(kept) if c.kind == "u" and _is_alike(k, c)), None)
        if at is None:
            kept.append(c)
        elif c.name and not kept[at].name:
            kept[at] = replace(kept[at], name=c.name)
    return kept


def _is_alike(a: st.ConstraintDef, b: st.ConstraintDef) -> bool:
    """Whether two keys would have the same index, looked at in the same moments."""
    return (
        a.kind in "pu"
        and a.columns == b.columns
        and a.include == b.include
        and a.nulls_not_distinct == b.nulls_not_distinct
        and a.deferrable == b.deferrable
        and a.initially_deferred == b.initially_deferred
    )


def add_key(scope: Scope, table: Table, said: st.ConstraintDef, has_rows: bool) -> Table:
    what = "primary key" if said.kind == "p" else "unique"
    if said.kind == "p" and table.primary_key is not None:
        raise PlanError(
            "42P16",
            f'multiple primary keys for table "{table.name}" are not allowed',
            position=0 if has_rows else said.position,
        )
    if said.using_index and table.partitioning is not None:
        raise PlanError(
            "0A000", "ALTER TABLE / ADD CONSTRAINT USING INDEX is not supported on partitioned tables"
        )
    if said.using_index:
        return _key_from_index(scope, table, said)
    columns: list[Column] = []
    for name in said.columns:
        column = find_column(table, name)
        if column is None:
            if has_rows and said.kind == "p":
                raise PlanError("42703", f'column "{name}" of relation "{table.name}" does not exist')
            position = 0 if has_rows else said.position
            raise PlanError("42703", f'column "{name}" named in key does not exist', position=position)
        if column in columns:
            raise PlanError(
                "42701", f'column "{name}" appears twice in {what} constraint', position=said.position
            )
        columns.append(column)
    for column in columns:
        refuse_unordered(column.type)
    included = [_included(table, name, said.position) for name in said.include]
    refuse_index_columns(len(columns) + len(included))
    attnums = tuple(c.attnum for c in columns)
    refuse_key_without(table, attnums, what.upper())
    if said.name:
        name = said.name
        scope.refuse_duplicate(scope.catalog.schema_of(table.schema_oid), name)
    elif said.kind == "p":
        name = naming.choose(table.name, "", "pkey", constraint_names.is_taken_for_key(scope, table))
    else:
        label = naming.joined(c.name for c in (*columns, *included))
        name = naming.choose(table.name, label, "key", constraint_names.is_taken_for_key(scope, table))
    constraint = Constraint(
        scope.allocate(),
        name,
        said.kind,
        attnums,
        index_oid=scope.allocate(),
        nulls_not_distinct=said.nulls_not_distinct,
        deferrable=said.deferrable,
        deferred=said.initially_deferred,
        by_value=True,
    )
    scope.add(
        Index(
            constraint.index_oid,
            table.schema_oid,
            name,
            table.oid,
            tuple(IndexKey(a) for a in attnums),
            unique=True,
            primary=said.kind == "p",
            include=tuple(c.attnum for c in included),
            nulls_not_distinct=said.nulls_not_distinct,
            constraint_oid=constraint.oid,
        )
    )
    if said.kind == "p":
        for column in columns:
            if not column.not_null and has_rows:
                scope.checks.append(not_null_check(scope, table, column.name))
        table = replace(
            table,
            columns=tuple(replace(c, not_null=True) if c.attnum in attnums else c for c in table.columns),
        )
    table = replace(table, constraints=(*table.constraints, constraint))
    if has_rows:
        scope.checks.append(unique_check(scope, table, name, columns, said.nulls_not_distinct))
        scope.checks += nan_checks(scope, table, columns)
    return table


def _included(table: Table, name: str, position: int) -> Column:
    column = find_column(table, name)
    if column is None:
        raise PlanError("42703", f'column "{name}" named in key does not exist', position=position)
    return column


def _key_from_index(scope: Scope, table: Table, said: st.ConstraintDef) -> Table:
    """ADD CONSTRAINT ... USING INDEX: a unique index becomes a constraint's."""
    index = next((i for i in scope.catalog.indexes_of(table.oid) if i.name == said.using_index), None)
    if index is None:
        raise PlanError("42704", f'index "{said.using_index}" does not exist', position=said.position)
    indexes_taken.refuse_unlike(table, index, said)
    name = said.name or index.name
    enforced = next(c for c in table.constraints if c.index_oid == index.oid)
    constraint = replace(
        enforced,
        name=name,
        kind=said.kind,
        index_only=False,
        deferrable=said.deferrable,
        deferred=said.initially_deferred,
    )
    table = replace(table, constraints=tuple(c for c in table.constraints if c != enforced))
    if name != index.name:
        scope.notice(f'ALTER TABLE / ADD CONSTRAINT USING INDEX will rename index "{index.name}" to "{name}"')
    scope.replace(
        index,
        replace(index, name=name, constraint_oid=constraint.oid, primary=said.kind == "p"),
    )
    columns = table.columns
    if said.kind == "p":
        for c in columns:
            if c.attnum in constraint.columns and not c.not_null:
                scope.checks.append(not_null_check(scope, table, c.name))
        columns = tuple(replace(c, not_null=True) if c.attnum in constraint.columns else c for c in columns)
    return replace(table, columns=columns, constraints=(*table.constraints, constraint))


def not_null_check(scope: Scope, table: Table, column: str) -> DataCheck:
    return DataCheck(
        f"SELECT 1 FROM {qualified(scope, table)} WHERE {quote_identifier(column)} IS NULL LIMIT 1",
        "23502",
        f'column "{column}" of relation "{table.name}" contains null values',
        table=table,
        column=column,
        plain=True,
        by_row=True,
    )


def unique_check(
    scope: Scope, table: Table, name: str, columns: list[Column], nulls_not_distinct: bool = False
) -> DataCheck:
    keys = [quote_identifier(c.name) for c in columns]
    where = "" if nulls_not_distinct else _all_not_null(columns)
    found = no_duplicates(scope, table, name, keys, where, ", ".join(keys), plain=True)
    return replace(found, by_row=True)


def literally(text: str) -> str:
    """Names and expressions as a part of a `DataCheck`'s detail, where braces mean values: `'{1,2}'` is no value."""
    return text.replace("{", "{{").replace("}", "}}")


def no_duplicates(
    scope: Scope, table: Table, name: str, keys: list[str], where: str, shown: str, *, plain: bool
) -> DataCheck:
    """What must find nothing where rows are to have a unique index. `keys`: columns and expressions; `shown`: as DETAIL has them.
    `plain`: these are columns alone, all rows'."""
    values = ", ".join(f"{{{i}}}" for i in range(len(keys)))
    shown = literally(shown)
    # Named first: GROUP BY would take a number for the place of a column.
    of = ", ".join(f"tw_{i}" for i in range(len(keys)))
    named = ", ".join(f"{k} AS tw_{i}" for i, k in enumerate(keys))
    rows = f"SELECT {named} FROM {qualified(scope, table)}{where}"
    return DataCheck(
        f"SELECT {of} FROM ({rows}) AS tw_rows GROUP BY {of} HAVING count(*) > 1 LIMIT 1",
        "23505",
        f'could not create unique index "{name}"',
        f"Key ({shown})=({values}) is duplicated.",
        table,
        name,
        plain=plain,
    )


def nan_checks(scope: Scope, table: Table, columns: Iterable[Column]) -> list[DataCheck]:
    """That rows which are there have no NaN where a key is to be: a key that is not even equal to itself finds no row."""
    floats = (types.FLOAT4, types.FLOAT8)
    return [
        DataCheck(
            f"SELECT 1 FROM {qualified(scope, table)} WHERE {quote_identifier(c.name)} = 'NaN' LIMIT 1",
            "0A000",
            types.NAN_IN_KEY,
        )
        for c in columns
        if types.base_of(c.type).oid in floats
    ]


_HEADERS = {types.VARCHAR: 4, types.BPCHAR: 4, types.BIT: 0, types.VARBIT: 0}
"""What a type's modifier counts before its length."""


_STRING: Final = re.compile(r"'((?:[^'\\]|'')*)'(?:::(?:text|character varying|character|bpchar))?")
"""A string that stands for itself; with quotes in it, it is shorter than it looks."""


def is_cut(ref: TypeRef) -> bool:
    """Whether a cast to the type may cut off what an assignment refuses."""
    return ref.typmod >= 0 and (ref.oid in _HEADERS or bool(types.element_of(ref.oid)))


def length_checks(source: str, ref: TypeRef, rows: str) -> list[DataCheck]:
    """That an expression over rows, a table's as they were, fits a type of limited length.

    The rows are converted by a cast, which cuts off what is too long; an assignment, which this is, may only drop blanks.
    """
    element = types.element_of(ref.oid)
    if element:  # of arrays: each element
        rows = f"{rows}, unnest(CAST(({source}) AS text[])) AS tw_elements(tw_element)"
        return length_checks("tw_element", TypeRef(element, ref.typmod), rows)
    name = types.format_type(ref)
    value, header = f"CAST(({source}) AS text)", _HEADERS.get(ref.oid)
    if header is None or ref.typmod < header:
        return []
    limit = ref.typmod - header
    plainly = _STRING.fullmatch(source)
    if plainly is not None and ref.oid in (types.VARCHAR, types.BPCHAR) and len(plainly[1]) <= limit:
        return []
    if ref.oid == types.BIT:
        test, sqlstate, message = (
            f"length({value}) <> {limit}",
            "22026",
            f"bit string length does not match type {name}",
        )
    elif ref.oid == types.VARBIT:
        test, sqlstate, message = (
            f"length({value}) > {limit}",
            "22001",
            f"bit string too long for type {name}",
        )
    else:
        test = f"rtrim(substr({value}, {limit + 1}), ' ') <> ''"
        sqlstate, message = "22001", f"value too long for type {name}"
    return [DataCheck(f"SELECT 1 FROM {rows} WHERE {test} LIMIT 1", sqlstate, message, before=True)]


def is_there(value: str, column: Column | None) -> str:
    """Whether there is a value. Of a composite one IS NOT NULL asks whether all of its fields have one."""
    fields = column is not None and types.composite_fields(types.base_of(column.type).oid) is not None
    return f"{value} IS DISTINCT FROM NULL" if fields else f"{value} IS NOT NULL"


def _all_not_null(columns: list[Column]) -> str:
    tests = [is_there(quote_identifier(c.name), c) for c in columns if not c.not_null]
    return " WHERE " + " AND ".join(tests) if tests else ""


# --- CHECK ------------------------------------------------------------------------------------------


def columns_of(expression: st.Sql, table: Table | None) -> list[Column]:
    """The table's columns that an expression names. Raises 42703, 0A000, 42803 for what may not be in it."""
    found: list[Column] = []
    for node in columns_named(expression):
        column = find_column(table, node.name) if table is not None else None
        if column is not None and column not in found:
            found.append(column)
    return found


def columns_named(expression: st.Sql) -> list[exp.Column]:
    """Where an expression names a column, whether there is one or not."""
    return [n for n in parsed(expression).find_all(exp.Column) if not isinstance(n.this, exp.Star)]


def system_columns_of(expression: st.Sql, table: Table) -> list[exp.Column]:
    """Where an expression names a system column that no column of the table hides."""
    return [
        n
        for n in columns_named(expression)
        if n.name in SYSTEM_COLUMNS and find_column(table, n.name) is None
    ]


def parsed(expression: st.Sql) -> exp.Expression:
    """The expression's tree; syntax errors point into the whole statement."""
    return _parsed(" " * expression.offset + expression.text)


@functools.lru_cache(maxsize=4)
def _parsed(text: str) -> exp.Expression:
    """For who reads the tree: several ask one after the other."""
    return parse_expression(text)


def refuse_subqueries(expression: st.Sql, where: str, *, windows: bool = True) -> None:
    """Raises 0A000 `cannot use subquery in check constraint`, and, if asked to, 42P20 for window functions."""
    tokens = tokenize(expression.text)
    for i, token in enumerate(tokens):
        if token.value == "(" and tokens[i + 1].keyword in ("select", "values", "with", "table"):
            before = [""] * 2 + [t.keyword for t in tokens[:i]]
            back = {"exists": 1, "in": 1 + (before[-2] == "not"), "any": 2, "some": 2, "all": 2}.get(
                before[-1], 0
            )
            at = tokens[i - back]
            raise PlanError(
                "0A000", f"cannot use subquery in {where}", position=expression.offset + at.start + 1
            )
    windows = windows and any(t.value == "over" for t in tokens)
    for node in parsed(expression).find_all(exp.Window) if windows else ():
        raise PlanError(
            "42P20", f"window functions are not allowed in {where}s", position=first_position(node)
        )


def refuse_columns(expression: st.Sql) -> None:
    """Raises 0A000 `cannot use column reference in DEFAULT expression`, known column or not."""
    for node in parsed(expression).find_all(exp.Column):
        raise PlanError(
            "0A000", "cannot use column reference in DEFAULT expression", position=first_position(node)
        )


def add_check(
    scope: Scope, table: Table, said: st.ConstraintDef, has_rows: bool, *, added: bool = False
) -> Table:
    """A CHECK. `added`: to a table that is there already, whose partitions may have rows where it has none itself."""
    assert said.expression is not None
    refuse_subqueries(said.expression, "check constraint")
    named = columns_of(said.expression, table)
    system = system_columns_of(said.expression, table)
    for node in system:
        if node.name != "tableoid":
            raise PlanError(
                "42P10",
                f'system column "{node.name}" reference in check constraint is invalid',
                position=first_position(node),
            )
    label = named[0].name if len(named) == 1 and not system else ""
    name = said.name or naming.choose(
        table.name, label, "check", constraint_names.is_taken_for_condition(scope, table)
    )
    constraint = Constraint(
        scope.allocate(),
        name,
        "c",
        tuple(c.attnum for c in named),
        expression=own_names.kept(scope, table, said.expression.text),
        validated=not (said.not_valid and (has_rows or added)),
        no_inherit=said.no_inherit,
    )
    if has_rows and not said.not_valid:
        scope.checks.append(check_check(scope, table, constraint))
    return replace(table, constraints=(*table.constraints, constraint))


def check_check(scope: Scope, table: Table, constraint: Constraint) -> DataCheck:
    return DataCheck(
        f"SELECT 1 FROM {qualified(scope, table)} WHERE NOT ({constraint.expression}) LIMIT 1",
        "23514",
        f'check constraint "{constraint.name}" of relation "{table.name}" is violated by some row',
        table=table,
        constraint=constraint.name,
        by_row=True,
    )


def domain_checks(scope: Scope, table: Table, column: Column) -> list[DataCheck]:
    """What finds a value of the column that its domain does not have."""
    if column.domain is None and not types.composite_conditions(column.type.oid):
        return []
    alone = replace(table, columns=(column,))
    found = []
    for condition in domains.conditions(alone):
        code, message = domains.violation(column, condition)
        found.append(
            DataCheck(
                f"SELECT 1 FROM {qualified(scope, table)} WHERE NOT ({condition.expression}) LIMIT 1",
                code,
                message,
                table=table,
                constraint=condition.name,
            )
        )
    return found


def verify_check(scope: Scope, table: Table, expression: st.Sql) -> None:
    """Binds a CHECK over the finished table: unknown names, 42804 unless boolean."""
    verify_boolean(scope, table, expression, "CHECK", "check constraints")


def verify_boolean(
    scope: Scope, table: Table, expression: st.Sql, where: str, clause: str, *, listed: bool = False
) -> None:
    """Binds a condition over a table. Raises what binding raises, and 42804 unless it is boolean."""
    plan = scope.plan_expression(expression, qualified(scope, table), clause, listed=listed)
    assert plan.columns is not None
    kind = plan.columns[0].type.oid
    if kind not in (types.BOOL, types.UNKNOWN):
        raise PlanError(
            "42804",
            f"argument of {where} must be type boolean, not type {types.type_in_words(kind)}",
            position=expression.offset + 1,
        )


# --- text that names columns ---------------------------------------------------------------------------


def rename_in_expression(expression: str, old: str, new: str) -> str:
    """The expression with a column's name replaced, everything else as it was written."""
    parts: list[str] = []
    last = 0
    tokens = tokenize(expression)
    for i, token in enumerate(tokens):
        if (
            token.kind not in (WORD, QUOTED)
            or token.value != old
            or (token.kind == WORD and token.keyword and token.keyword != old)
        ):
            continue
        after = tokens[i + 1] if i + 1 < len(tokens) else None
        if after is not None and after.value == "(" and token.end == after.start:
            continue
        parts.append(expression[last : token.start])
        parts.append(quote_identifier(new))
        last = token.end
    parts.append(expression[last:])
    return "".join(parts)


def require_role(scope: Scope, name: str) -> str:
    """A role's name, the session's own for CURRENT_USER. Raises 42704."""
    if name in ("current_user", "session_user"):
        return scope.user
    role: Role | None = scope.catalog.role(name)
    if role is None:
        raise PlanError("42704", f'role "{name}" does not exist')
    return role.name
