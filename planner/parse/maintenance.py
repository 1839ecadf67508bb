"""The grammar of EXPLAIN, COPY, and of what keeps a database in order: VACUUM, ANALYZE, CLUSTER, REINDEX, LOCK.

COPY's and EXPLAIN's options come in two spellings, the old words and the parenthesised list; both end as one
dictionary by name. What an option means is its executor's business, except where a wrong one is a syntax error.
"""

from __future__ import annotations

from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError
from planner.lexer import QUOTED, STRING, WORD
from planner.parse.cursor import Cursor

# --- EXPLAIN, maintenance, locks ----------------------------------------------------------------------


def explain(c: Cursor) -> st.Explain:
    options: dict[str, Any] = {}
    if c.symbol_is("(") and c.ahead().value not in ("select", "with", "values", "table", "("):
        options = generic_options(c)
    else:
        if c.accept_one("analyze", "analyse"):
            options["analyze"] = True
        if c.accept("verbose"):
            options["verbose"] = True
        if c.accept("timestamp"):
            options["timestamp"] = True
    known = (
        "analyze", "verbose", "costs", "settings", "buffers", "wal", "timing", "summary", "format", "timestamp",
    )  # fmt: skip
    for name in options:
        if name not in known:
            raise PlanError("42601", f'unrecognized EXPLAIN option "{name}"')
    how = str(options.get("format", "text")).lower()
    if how not in ("text", "json", "xml", "yaml"):
        raise PlanError("22023", f'unrecognized value for EXPLAIN option "format": "{how}"')
    return st.Explain(c.rest(), _truth(options, "analyze"), _truth(options, "verbose"), how, options)


_FALSE: Final = ("off", "false", "0", "no")


def _truth(options: dict[str, Any], name: str) -> bool:
    value = options.get(name, False)
    if isinstance(value, str):
        value = value.lower() not in _FALSE
    options[name] = bool(value)
    return bool(value)


def generic_options(c: Cursor, places: dict[str, int] | None = None) -> dict[str, Any]:
    """( name [value], ... ): values are booleans, words, strings, numbers, `*` or lists of names. `places`: takes where
    the names stand, from 1."""
    options: dict[str, Any] = {}
    c.expect_symbol("(")
    while True:
        at = c.token
        name = c.label()
        if name == "analyse":
            name = "analyze"
        if name in options:
            raise PlanError("42601", "conflicting or redundant options", position=at.start + 1)
        options[name] = _option_value(c)
        if places is not None:
            places[name] = at.start + 1
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")
    return options


def _option_value(c: Cursor) -> Any:
    if c.symbol_is(",") or c.symbol_is(")"):
        return True
    if c.accept_symbol("*"):
        return "*"
    if c.accept_symbol("("):
        found = [c.label()]
        while c.accept_symbol(","):
            found.append(c.label())
        c.expect_symbol(")")
        return tuple(found)
    if c.token.kind in (WORD, QUOTED, STRING):
        token = c.advance()
        if token.keyword in ("true", "on"):
            return True
        if token.keyword in ("false", "off"):
            return False
        return token.value
    return c.number()


def vacuum(c: Cursor) -> st.Vacuum:
    options: dict[str, Any] = {}
    places: dict[str, int] = {}
    if c.symbol_is("("):
        options = generic_options(c, places)
        if options.get("full") is True and options.get("process_toast") is False:
            raise PlanError("0A000", "PROCESS_TOAST required with VACUUM FULL")
    else:
        for word in ("full", "freeze", "verbose", "analyze"):
            if c.accept(word) or (word == "analyze" and c.accept("analyse")):
                options[word] = True
    return st.Vacuum("vacuum", *_tables(c, options), places)


def analyze(c: Cursor) -> st.Vacuum:
    options: dict[str, Any] = {}
    places: dict[str, int] = {}
    if c.symbol_is("("):
        options = generic_options(c, places)
    elif c.accept("verbose"):
        options["verbose"] = True
    return st.Vacuum("analyze", *_tables(c, options), places)


def _tables(
    c: Cursor, options: dict[str, Any]
) -> tuple[tuple[st.Name, ...], dict[str, Any], tuple[tuple[str, ...], ...]]:
    names: list[st.Name] = []
    columns: list[tuple[str, ...]] = []
    if not c.ended:
        while True:
            names.append(c.qualified())
            columns.append(c.name_list() if c.symbol_is("(") else ())
            if not c.accept_symbol(","):
                break
    return tuple(names), options, tuple(columns)


def checkpoint(c: Cursor) -> st.Vacuum:
    return st.Vacuum("checkpoint")


def cluster(c: Cursor) -> st.Vacuum:
    if c.symbol_is("("):
        generic_options(c)
    c.accept("verbose")
    names: tuple[st.Name, ...] = ()
    options: dict[str, Any] = {}
    if not c.ended:
        names = (c.qualified(),)
        if c.accept("using"):
            options["using"] = c.name()
    return st.Vacuum("cluster", names, options)


def reindex(c: Cursor) -> st.Vacuum:
    if c.symbol_is("("):
        generic_options(c)
    kind = c.accept_one("table", "index", "schema", "database", "system")
    if not kind:
        c.fail()
    concurrently = c.accept("concurrently")
    name = c.qualified() if not c.ended else st.Name("")
    return st.Vacuum(
        "reindex",
        (name,) if kind in ("table", "index") else (),
        {"kind": kind, "name": str(name), "concurrently": concurrently},
    )


def refresh(c: Cursor) -> st.RefreshMaterializedView:
    c.expect("materialized", "view")
    concurrently = c.accept("concurrently")
    name = c.qualified()
    with_data = True
    if c.accept("with", "no", "data"):
        with_data = False
    else:
        c.accept("with", "data")
    return st.RefreshMaterializedView(name, concurrently, with_data)


_LOCK_MODES: Final = (
    "access share", "row share", "row exclusive", "share update exclusive", "share row exclusive", "share",
    "exclusive", "access exclusive",
)  # fmt: skip


def lock(c: Cursor) -> st.LockTable:
    c.accept("table")
    tables: list[st.Name] = []
    alone: set[int] = set()
    while True:
        name, only = c.relation()
        if only:
            alone.add(len(tables))
        tables.append(name)
        if not c.accept_symbol(","):
            break
    mode = "access exclusive"
    if c.accept("in"):
        for known in _LOCK_MODES:
            if c.accept(*known.split(), "mode"):
                mode = known
                break
        else:
            c.fail()
    return st.LockTable(tuple(tables), mode, c.accept("nowait"), frozenset(alone))


# --- COPY -------------------------------------------------------------------------------------------


def copy(c: Cursor) -> st.Copy:
    binary = c.accept("binary")
    table: st.Name | None = None
    query: st.Sql | None = None
    columns: tuple[str, ...] = ()
    if c.symbol_is("("):
        query = c.parenthesised()
    else:
        table = c.qualified()
        if c.symbol_is("("):
            columns = c.name_list()
    direction = c.accept_one("from", "to")
    if not direction or (query is not None and direction == "from"):
        c.fail() if not direction else c.fail(c.tokens[c.at - 1])
    is_from = direction == "from"
    program = c.accept("program")
    filename: str | None = None
    if c.token.kind == STRING:
        filename = c.string()
    elif program or not c.accept_one("stdin", "stdout"):
        c.fail()
    options: dict[str, Any] = {"format": "binary"} if binary else {}
    if c.accept("using"):
        c.expect("delimiters")
        options["delimiter"] = c.string()
    elif c.accept("delimiters"):
        options["delimiter"] = c.string()
    c.accept("with")
    options |= generic_options(c) if c.symbol_is("(") else _old_copy_options(c)
    where: st.Sql | None = None
    if c.next_is("where"):
        if not is_from:
            if query is not None:
                c.fail()
            raise PlanError("42601", "WHERE clause not allowed with COPY TO", position=c.position)
        c.advance()
        where = c.rest()
    return st.Copy(table, columns, query, is_from, filename, program, where, options)


def _old_copy_options(c: Cursor) -> dict[str, Any]:
    """The options as they were before 9.0, which psql's \\copy and many tools still send."""
    options: dict[str, Any] = {}
    while True:
        if c.accept("binary"):
            options["format"] = "binary"
        elif c.accept("csv"):
            options["format"] = "csv"
        elif c.accept("freeze"):
            options["freeze"] = True
        elif c.accept("header"):
            options["header"] = True
        elif word := c.accept_one("delimiter", "null", "quote", "escape", "encoding"):
            c.accept("as")
            options[word] = c.string()
        elif c.accept("force", "quote"):
            options["force_quote"] = "*" if c.accept_symbol("*") else _plain_names(c)
        elif c.accept("force", "not", "null"):
            options["force_not_null"] = _plain_names(c)
        elif c.accept("force", "null"):
            options["force_null"] = _plain_names(c)
        else:
            return options


def _plain_names(c: Cursor) -> tuple[str, ...]:
    names = [c.name()]
    while c.accept_symbol(","):
        names.append(c.name())
    return tuple(names)
