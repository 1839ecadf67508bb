"""The grammar of ALTER TABLE and of what is altered like a table: views, indexes, materialized views.

    ALTER TABLE [IF EXISTS] [ONLY] name action, ...

USING and the expressions of SET DEFAULT are kept as slices of the text.
"""

from __future__ import annotations

from typing import Any

from planner import statements as st
from planner.abc import PlanError
from planner.lexer import INTEGER
from planner.parse import clauses, constraints, foreign, partitions
from planner.parse.cursor import Cursor
from planner.parse.sequences import sequence_options
from planner.parse.storage import check as check_storage
from planner.parse.storage import storage_pairs
from planner.parse.tables import column_definition


def alter_relation(c: Cursor, kind: str) -> Any:
    """After ALTER TABLE, VIEW, INDEX, MATERIALIZED VIEW."""
    if c.accept("all"):
        c.expect("in", "tablespace")
        c.unsupported("ALTER ... ALL IN TABLESPACE", c.tokens[c.at - 3])
    exists = c.accept("if", "exists")
    name, only = c.relation()
    actions = c.listed(lambda c: _action(c, name.name))
    return st.AlterTable(kind, name, actions, exists, only)


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
            return _alter_constraint(c)
        c.accept("column")
        return _alter_column(c, position)
    if c.accept("attach", "partition"):
        return partitions.attach(c, position)
    if c.accept("detach", "partition"):
        return partitions.detach(c, position)
    if c.accept("validate", "constraint"):
        return st.AlterAction("validate constraint", c.name(), position=position)
    sets = c.next_is("set")
    if c.accept("set") or c.accept("reset"):
        if c.symbol_is("("):
            what = "set options" if sets else "reset options"
            pairs = tuple(storage_pairs(c))
            if not sets and any(value is not True for _, value in pairs):
                raise PlanError("42601", "RESET must not include values for parameters")
            return st.AlterAction(what, position=position, options=pairs)
        if logged := c.accept_one("logged", "unlogged"):
            return st.AlterAction("set logged", logged, position=position)
        if c.accept("without", "cluster"):
            return st.AlterAction("without cluster", position=position)
        if c.accept("without", "oids"):
            pass
        elif c.accept("tablespace"):
            clauses.tablespace(c)
        elif c.accept("access", "method"):
            return st.AlterAction("set access method", c.name(), position=position)
        else:
            c.fail()
        return st.AlterAction("ignore", position=position)
    if c.accept("cluster", "on"):
        return st.AlterAction("cluster on", c.name(), position=position)
    if c.accept("replica", "identity"):
        if c.accept("using", "index"):
            return st.AlterAction("replica identity", c.name(), position=position, which="index")
        said = c.accept_one("full", "nothing", "default")
        if not said:
            c.fail()
        return st.AlterAction("replica identity", position=position, which=said)
    if c.accept("options"):
        return st.AlterAction("foreign options", foreign=foreign.options(c, alter=True), position=position)
    if c.accept("of"):
        return st.AlterAction("of", relation=c.qualified(), position=position)
    if c.accept("inherit"):
        return st.AlterAction("inherit", relation=c.qualified(), position=position)
    for words in (("enable",), ("disable",), ("force",), ("no", "force")):
        if c.accept(*words, "row", "level", "security"):
            return st.AlterAction("row security", which=" ".join(words), position=position)
    if switch := c.accept_one("disable", "enable"):
        return _switch(c, switch, position)
    if c.accept("no", "inherit"):
        return st.AlterAction("no inherit", relation=c.qualified(), position=position)
    if c.accept("not", "of"):
        return st.AlterAction("not of", position=position)
    c.fail()


def _switch(c: Cursor, switch: str, position: int) -> st.AlterAction:
    """ENABLE | DISABLE TRIGGER name | ALL | USER, RULE name."""
    how = c.accept_one("replica", "always") if switch == "enable" else ""
    if c.accept("rule"):
        enabled = {"replica": "R", "always": "A"}.get(how, "D" if switch == "disable" else "O")
        return st.AlterAction("switch rule", c.name(), position=position, enabled=enabled)
    c.expect("trigger")
    which = "" if how else c.accept_one("all", "user")
    return st.AlterAction(
        "switch triggers",
        "" if which else c.name(),
        which=which,
        off=switch == "disable",
        position=position,
        enabled={"replica": "R", "always": "A"}.get(how, "D" if switch == "disable" else "O"),
    )


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
    if constraints.begins(c):
        return st.AlterAction("add constraint", constraint=constraints.table_constraint(c), position=position)
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
    cascade = clauses.drop_behaviour(c)
    return st.AlterAction(what, name, exists=exists, cascade=cascade, position=name_position)


def _alter_constraint(c: Cursor) -> st.AlterAction:
    name = c.name()
    position, said = constraints.attributes(c)
    for field, shown in (("not_valid", "NOT VALID"), ("no_inherit", "NO INHERIT")):
        if said.pop(field, False):
            raise PlanError("0A000", f"FOREIGN KEY constraints cannot be marked {shown}")
    changed = st.ConstraintDef(
        "f",
        name,
        deferrable=said.get("deferrable", False),
        initially_deferred=said.get("initially_deferred", False),
    )
    return st.AlterAction("alter constraint", name, constraint=changed, position=position)


def _alter_column(c: Cursor, position: int) -> st.AlterAction:
    position = c.position
    if c.token.kind == INTEGER:
        return _numbered(c, position)
    name = c.name()
    if c.accept("set", "default"):
        return st.AlterAction("set default", name, expression=c.expression(), position=position)
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
        collation = c.collation() if c.accept("collate") else ""
        using = c.expression() if c.accept("using") else None
        return st.AlterAction(
            "set type", name, type=type_name, collation=collation, expression=using, position=position
        )
    if c.accept("add", "generated"):
        when = "a" if c.accept("always") else "d" if c.accept("by", "default") else c.fail()
        c.expect("as", "identity")
        options = sequence_options(c, parenthesised=True) if c.symbol_is("(") else None
        return st.AlterAction("add identity", name, identity=when, sequence=options, position=position)
    if c.next_is("restart") or (c.next_is("set") and c.ahead().value in (
        "generated", "increment", "minvalue", "maxvalue", "start", "cache", "cycle", "no", "sequence"
    )):  # fmt: skip
        options = sequence_options(c, with_set=True)
        return st.AlterAction(
            "set identity", name, identity=options.generated, sequence=options, position=position
        )
    if c.accept("set", "statistics"):
        target = c.integer()
        return st.AlterAction("set statistics", name, position=position, options=(("statistics", target),))
    for what in ("storage", "compression"):
        if c.accept("set", what):
            return st.AlterAction(f"set {what}", name, position=position, options=((what, c.label()),))
    if c.accept("options"):
        said = foreign.options(c, alter=True)
        return st.AlterAction("foreign column options", name, foreign=said, position=position)
    how = c.accept_one("set", "reset") or c.fail()
    pairs = tuple(storage_pairs(c))
    if how == "set":
        check_storage("column", pairs)
    return st.AlterAction(f"{how} column options", name, position=position, options=pairs)


def _numbered(c: Cursor, position: int) -> st.AlterAction:
    """ALTER COLUMN 2 SET STATISTICS n. Raises 22023."""
    number = c.integer()
    c.expect("set", "statistics")
    c.integer()
    if not 0 < number <= 32767:
        raise PlanError("22023", "column number must be in range from 1 to 32767", position=position)
    return st.AlterAction("set statistics", which=str(number), position=position)
