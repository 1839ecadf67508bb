"""The grammar of tables: CREATE TABLE with its columns and constraints, CREATE TABLE AS, ALTER TABLE.

    CREATE [TEMP | UNLOGGED] TABLE [IF NOT EXISTS] name ( element, ... ) [WITH (...)] [ON COMMIT ...]
    element     name type {column constraint}  |  table constraint  |  LIKE table {INCLUDING what}
    CREATE ... TABLE name [(columns)] AS query [WITH [NO] DATA]

DEFAULT, CHECK, GENERATED and USING are kept as slices of the text.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError
from planner.lexer import PUNCTUATION, QUOTED, WORD
from planner.parse.cursor import Cursor
from planner.parse.sequences import sequence_options

_AFTER_DEFAULT: Final = (
    "not", "null", "default", "primary", "unique", "check", "references", "constraint", "generated",
    "deferrable", "initially", "collate",
)  # fmt: skip
_TABLE_CONSTRAINTS: Final = ("constraint", "primary", "unique", "check", "foreign", "exclude")
_LIKE_OPTIONS: Final = frozenset(
    ("all", "comments", "compression", "constraints", "defaults", "generated", "identity", "indexes",
     "statistics", "storage")
)  # fmt: skip
_ACTIONS: Final = {"cascade": "c", "restrict": "r"}


def create_table(c: Cursor, temporary: bool, unlogged: bool) -> Any:
    """After CREATE ... TABLE."""
    exists = c.accept("if", "not", "exists")
    name = c.qualified()
    if c.accept("partition", "of") or c.accept("of"):
        c.unsupported("CREATE TABLE ... OF", c.tokens[c.at - 1])
    if _is_create_as(c):
        return _create_as(c, name, exists, temporary)
    c.expect_symbol("(")
    elements: list[Any] = []
    if not c.accept_symbol(")"):
        elements.append(_element(c, name.name))
        while c.accept_symbol(","):
            elements.append(_element(c, name.name))
        c.expect_symbol(")")
    inherits: tuple[st.Name, ...] = ()
    if c.accept("inherits"):
        c.unsupported("table inheritance", c.tokens[c.at - 1])
    if c.next_is("partition", "by"):
        c.unsupported("table partitioning")
    options, on_commit = _table_options(c)
    return st.CreateTable(name, tuple(elements), exists, temporary, unlogged, on_commit, options, inherits)


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


def _create_as(
    c: Cursor, name: st.Name, exists: bool, temporary: bool, materialized: bool = False
) -> st.CreateTableAs:
    columns = c.name_list() if c.symbol_is("(") else ()
    options, on_commit = _table_options(c)
    c.expect("as")
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


def _table_options(c: Cursor) -> tuple[dict[str, Any], str]:
    """USING method, WITH (storage), WITHOUT OIDS, ON COMMIT, TABLESPACE."""
    options: dict[str, Any] = {}
    on_commit = ""
    if c.accept("using"):
        c.name()
    if c.accept("with"):
        options = storage_options(c)
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
        c.name()
    return options, on_commit


def storage_options(c: Cursor) -> dict[str, Any]:
    """( name [= value], ... )"""
    options: dict[str, Any] = {}
    c.expect_symbol("(")
    while True:
        name = c.label()
        while c.accept_symbol("."):
            name += "." + c.label()
        value: Any = True
        if c.accept_symbol("="):
            sign = "-" if c.accept_symbol("-") else ""
            value = sign + c.advance().value
        options[name] = value
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")
    return options


def _element(c: Cursor, table: str) -> Any:
    if c.word in _TABLE_CONSTRAINTS and c.token.keyword:
        return table_constraint(c)
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
        c.name()
    if c.accept("options"):
        c.unsupported("column options", c.tokens[c.at - 1])
    return _column_constraints(c, column, table)


def _column_constraints(c: Cursor, column: st.ColumnDef, table: str) -> st.ColumnDef:
    constraints: list[st.ConstraintDef] = []
    changes: dict[str, Any] = {}

    def nullness(value: bool, position: int) -> None:
        if changes.get("not_null", value) != value:
            raise PlanError(
                "42601",
                f'conflicting NULL/NOT NULL declarations for column "{column.name}" of table "{table}"',
                position=position,
            )
        changes["not_null"] = value

    while True:
        position = c.position
        name = c.name() if c.accept("constraint") else ""
        if c.accept("not", "null"):
            nullness(True, position)
        elif c.accept("null"):
            nullness(False, position)
        elif c.accept("default"):
            if "default" in changes:
                raise PlanError(
                    "42601",
                    f'multiple default values specified for column "{column.name}" of table "{table}"',
                    position=position,
                )
            changes["default"] = c.balanced(*_AFTER_DEFAULT)
        elif c.accept("generated"):
            when = "a" if c.accept("always") else "d" if c.accept("by", "default") else c.fail()
            c.expect("as")
            if c.accept("identity"):
                changes["identity"] = when
                options = sequence_options(c, parenthesised=True) if c.symbol_is("(") else None
                changes["identity_options"] = options
            else:
                if when == "d":
                    raise PlanError(
                        "42601",
                        "for a generated column, GENERATED ALWAYS must be specified",
                        position=position,
                    )
                changes["generated"] = c.parenthesised()
                c.expect("stored")
        elif c.accept("collate"):
            changes["collation"], changes["collation_position"] = c.qualified().name, position
        elif c.word in ("primary", "unique", "check", "references") and c.token.keyword:
            found = _constraint(c, name, position, of_column=True)
            constraints.append(found)
        elif name:
            c.fail()
        else:
            break
    return dataclasses.replace(column, constraints=tuple(constraints), **changes)


def table_constraint(c: Cursor) -> st.ConstraintDef:
    position = c.position
    name = c.name() if c.accept("constraint") else ""
    return _constraint(c, name, position, of_column=False)


def _constraint(c: Cursor, name: str, position: int, of_column: bool) -> st.ConstraintDef:
    fields: dict[str, Any] = {"name": name, "position": position}
    if c.accept("primary", "key") or c.accept("unique"):
        fields["kind"] = "p" if c.tokens[c.at - 1].value == "key" else "u"
        if fields["kind"] == "u":
            if c.accept("nulls", "not", "distinct"):
                fields["nulls_not_distinct"] = True
            else:
                c.accept("nulls", "distinct")
        if not of_column:
            if c.accept("using", "index"):
                fields["using_index"] = c.name()
            else:
                fields["columns"] = c.name_list()
        if c.accept("include"):
            c.name_list()
        if c.accept("with"):
            storage_options(c)
        if c.accept("using", "index", "tablespace"):
            c.name()
    elif c.accept("check"):
        fields["kind"] = "c"
        fields["expression"] = c.parenthesised()
        if c.accept("no", "inherit"):
            pass
    elif c.next_is("references") or c.next_is("foreign", "key"):
        fields["kind"] = "f"
        if c.accept("foreign", "key"):
            if of_column:
                c.fail(c.tokens[c.at - 2])
            fields["columns"] = c.name_list()
        c.expect("references")
        fields["foreign"] = c.qualified()
        if c.symbol_is("("):
            fields["foreign_columns"] = c.name_list()
        _reference_options(c, fields)
    elif c.accept("exclude"):
        c.unsupported("EXCLUDE", c.tokens[c.at - 1])
    else:
        c.fail()
    _constraint_attributes(c, fields)
    return st.ConstraintDef(**fields)


def _reference_options(c: Cursor, fields: dict[str, Any]) -> None:
    while True:
        if c.accept("match"):
            how = c.accept_one("full", "partial", "simple")
            if how == "partial":
                c.unsupported("MATCH PARTIAL", c.tokens[c.at - 1])
            if not how:
                c.fail()
            fields["match"] = how[0]
        elif c.next_is("on", "delete") or c.next_is("on", "update"):
            c.advance()
            which = "on_" + c.advance().value
            if c.accept("no", "action"):
                fields[which] = "a"
            elif c.accept("set", "null"):
                fields[which] = "n"
            elif c.accept("set", "default"):
                fields[which] = "d"
            elif action := c.accept_one(*_ACTIONS):
                fields[which] = _ACTIONS[action]
            else:
                c.fail()
            if fields[which] in "nd" and c.symbol_is("("):
                c.unsupported("a column list in ON DELETE SET")
        else:
            return


def _constraint_attributes(c: Cursor, fields: dict[str, Any]) -> None:
    while True:
        if c.accept("deferrable"):
            fields["deferrable"] = True
        elif c.accept("not", "deferrable"):
            fields["deferrable"] = False
        elif c.accept("initially", "deferred"):
            fields["initially_deferred"] = fields["deferrable"] = True
        elif c.accept("initially", "immediate"):
            pass
        elif c.next_is("not", "valid"):
            c.at += 2
            fields["not_valid"] = True
        elif c.accept("no", "inherit"):
            pass
        else:
            return


# --- ALTER TABLE ------------------------------------------------------------------------------------


def alter_relation(c: Cursor, kind: str) -> Any:
    """After ALTER TABLE, VIEW, INDEX, MATERIALIZED VIEW."""
    if c.accept("all"):
        c.unsupported("ALTER ... ALL IN TABLESPACE", c.tokens[c.at - 1])
    exists = c.accept("if", "exists")
    c.accept("only")
    name = c.qualified()
    c.accept_symbol("*")
    actions = [_action(c, name.name)]
    while c.accept_symbol(","):
        actions.append(_action(c, name.name))
    return st.AlterTable(kind, name, tuple(actions), exists)


def _action(c: Cursor, table: str) -> st.AlterAction:
    position = c.position
    if c.accept("rename"):
        return _rename(c, position)
    if c.accept("owner", "to"):
        return st.AlterAction("owner", c.role(), position=position)
    if c.accept("set", "schema"):
        return st.AlterAction("set schema", c.name(), position=position)
    if c.accept("add"):
        return _add(c, position, table)
    if c.accept("drop"):
        return _drop(c, position)
    if c.accept("alter"):
        if c.accept("constraint"):
            c.unsupported("ALTER CONSTRAINT", c.tokens[c.at - 1])
        c.accept("column")
        return _alter_column(c, position)
    if c.accept("validate", "constraint"):
        return st.AlterAction("validate constraint", c.name(), position=position)
    sets = c.next_is("set")
    if c.accept("set") or c.accept("reset"):
        if c.symbol_is("("):
            what = "set options" if sets else "reset options"
            return st.AlterAction(what, position=position, options=storage_options(c))
        if (
            c.accept_one("logged", "unlogged")
            or c.accept("without", "cluster")
            or c.accept("without", "oids")
        ):
            pass
        elif c.accept("tablespace") or c.accept("access", "method"):
            c.name()
        else:
            c.fail()
        return st.AlterAction("ignore", position=position)
    if c.accept("cluster", "on"):
        return st.AlterAction("ignore", c.name(), position=position)
    if c.accept("replica", "identity"):
        if c.accept("using", "index"):
            c.name()
        elif not c.accept_one("full", "nothing", "default"):
            c.fail()
        return st.AlterAction("ignore", position=position)
    for words, feature in (
        (("enable", "row", "level", "security"), "row-level security"),
        (("force", "row", "level", "security"), "row-level security"),
        (("inherit",), "table inheritance"),
        (("attach", "partition"), "table partitioning"),
        (("detach", "partition"), "table partitioning"),
        (("of",), "typed tables"),
    ):
        if c.next_is(*words):
            c.unsupported(feature)
    if c.next_is("disable") or c.next_is("enable") or c.next_is("no") or c.next_is("not", "of"):
        while not c.ended and not c.symbol_is(","):
            c.advance()
        return st.AlterAction("ignore", position=position)
    c.fail()


def _rename(c: Cursor, position: int) -> st.AlterAction:
    if c.accept("to"):
        return st.AlterAction("rename", new_name=c.name(), position=position)
    if c.accept("constraint"):
        old = c.name()
        c.expect("to")
        return st.AlterAction("rename constraint", old, c.name(), position=position)
    c.accept("column")
    old_position = c.position
    old = c.name()
    c.expect("to")
    return st.AlterAction("rename column", old, c.name(), position=old_position)


def _add(c: Cursor, position: int, table: str) -> st.AlterAction:
    if c.word in _TABLE_CONSTRAINTS and c.token.keyword:
        return st.AlterAction("add constraint", constraint=table_constraint(c), position=position)
    c.accept("column")
    exists = c.accept("if", "not", "exists")
    return st.AlterAction("add column", column=column_definition(c, table), exists=exists, position=position)


def _drop(c: Cursor, position: int) -> st.AlterAction:
    what = "drop constraint" if c.accept("constraint") else "drop column"
    if what == "drop column":
        c.accept("column")
    exists = c.accept("if", "exists")
    name_position = c.position
    name = c.name()
    cascade = drop_behaviour(c)
    return st.AlterAction(what, name, exists=exists, cascade=cascade, position=name_position)


def _alter_column(c: Cursor, position: int) -> st.AlterAction:
    position = c.position
    name = c.name()
    if c.accept("set", "default"):
        return st.AlterAction("set default", name, expression=c.balanced(), position=position)
    if c.accept("drop", "default"):
        return st.AlterAction("drop default", name, position=position)
    if c.accept("set", "not", "null"):
        return st.AlterAction("set not null", name, position=position)
    if c.accept("drop", "not", "null"):
        return st.AlterAction("drop not null", name, position=position)
    if c.accept("drop", "expression"):
        exists = c.accept("if", "exists")
        return st.AlterAction("drop expression", name, exists=exists, position=position)
    if c.accept("drop", "identity"):
        exists = c.accept("if", "exists")
        return st.AlterAction("drop identity", name, exists=exists, position=position)
    if c.accept("type") or c.accept("set", "data", "type"):
        type_name = c.type_name()
        if c.accept("collate"):
            c.qualified()
        using = c.balanced() if c.accept("using") else None
        return st.AlterAction("set type", name, type=type_name, expression=using, position=position)
    if c.accept("add", "generated"):
        when = "a" if c.accept("always") else "d" if c.accept("by", "default") else c.fail()
        c.expect("as", "identity")
        options = sequence_options(c, parenthesised=True) if c.symbol_is("(") else None
        return st.AlterAction("add identity", name, identity=when, sequence=options, position=position)
    if c.next_is("set", "generated"):
        c.at += 2
        when = "a" if c.accept("always") else "d" if c.accept("by", "default") else c.fail()
        return st.AlterAction("set identity", name, identity=when, position=position)
    if c.next_is("restart") or (c.next_is("set") and c.ahead().value in (
        "increment", "minvalue", "maxvalue", "start", "cache", "cycle", "no", "sequence"
    )):  # fmt: skip
        options = sequence_options(c, with_set=True)
        return st.AlterAction("set identity", name, sequence=options, position=position)
    if c.accept("set", "statistics"):
        c.integer()
    elif c.accept("set", "storage") or c.accept("set", "compression"):
        c.label()
    elif c.accept("set") or c.accept("reset"):
        storage_options(c)
    else:
        c.fail()
    return st.AlterAction("ignore", name, position=position)


def drop_behaviour(c: Cursor) -> bool:
    """[CASCADE | RESTRICT]: whether CASCADE."""
    if c.accept("cascade"):
        return True
    c.accept("restrict")
    return False
