"""The grammar of EXPLAIN, COPY, and of what keeps a database in order: VACUUM, ANALYZE, CLUSTER, REINDEX, LOCK.

COPY's and EXPLAIN's options come in two spellings, the old words and the parenthesised list; both end as one
dictionary by name. What an option means is its executor's business, except where a wrong one is a syntax error.
"""

from __future__ import annotations

from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError
from planner.lexer import QUOTED, STRING, WORD, is_sign
from planner.parse.cursor import Cursor

# --- EXPLAIN, maintenance, locks ----------------------------------------------------------------------


_EXPLAINED: Final = frozenset(
    ("select", "values", "with", "table", "insert", "update", "delete", "merge", "declare", "create", "refresh", "execute")
)  # fmt: skip
_BOOLEAN: Final = (
    "analyze",
    "verbose",
    "costs",
    "settings",
    "buffers",
    "wal",
    "timing",
    "summary",
    "timestamp",
)
_FORMATS: Final = ("text", "json", "xml", "yaml")


def explain(c: Cursor) -> st.Explain:
    """After EXPLAIN. Raises 42601, 22023."""
    options: dict[str, Any] = {"format": "text"}
    if c.symbol_is("(") and c.ahead().value not in ("select", "with", "values", "table", "("):
        c.advance()
        while True:
            _explain_option(c, options)
            if not c.accept_symbol(","):
                break
        c.expect_symbol(")")
    else:
        if c.accept_one("analyze", "analyse"):
            options["analyze"] = True
        if c.accept("verbose"):
            options["verbose"] = True
        if c.accept("timestamp"):
            options["timestamp"] = True
    analyze, verbose = (options.setdefault(name, False) for name in ("analyze", "verbose"))
    for name in ("wal", "timing"):
        if options.get(name) and not analyze:
            raise PlanError("22023", f"EXPLAIN option {name.upper()} requires ANALYZE")
    if c.token.keyword not in _EXPLAINED and not c.symbol_is("("):
        c.fail()
    left = c.tokens[c.at :]
    if c.token.keyword == "create" and not any(t.keyword == "as" for t in left):
        opened = next((i for i, t in enumerate(left) if is_sign(t, "(")), -1)
        c.fail(
            left[min(opened + 2, len(left) - 1)]
        )  # no CREATE TABLE AS: the first column's type is the mistake
    return st.Explain(c.rest(), analyze, verbose, options["format"], options)


def _explain_option(c: Cursor, options: dict[str, Any]) -> None:
    """One of the list, of which each may be said again: the last one counts."""
    place = c.token.start + 1
    name = c.label()
    name = "analyze" if name == "analyse" else name
    value = _option_value(c)
    if name == "format":
        if value is True:
            raise PlanError("42601", "format requires a parameter")
        if str(value).lower() not in _FORMATS:
            message = f'unrecognized value for EXPLAIN option "format": "{value}"'
            raise PlanError("22023", message, position=place)
        options[name] = str(value).lower()
    elif name not in _BOOLEAN:
        raise PlanError("42601", f'unrecognized EXPLAIN option "{name}"', position=place)
    else:
        options[name] = on_or_off(name, value)


def on_or_off(name: str, value: Any) -> bool:
    """A definition's option that is on or off. Raises 42601."""
    words = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
    found = words.get(str(value).lower())
    if found is None:
        raise PlanError("42601", f"{name} requires a Boolean value")
    return found


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
        found = c.listed(Cursor.label)
        c.expect_symbol(")")
        return found
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
        if not names[0].schema and c.accept("on"):  # as it was written before USING: the index first
            options["using"] = names[0].name
            names = (c.qualified(),)
        elif c.accept("using"):
            options["using"] = c.name()
    return st.Vacuum("cluster", names, options)


def reindex(c: Cursor) -> st.Vacuum:
    places: dict[str, int] = {}
    said = generic_options(c, places) if c.symbol_is("(") else {}
    for option in said:
        if option not in ("verbose", "concurrently", "tablespace"):
            raise PlanError("42601", f'unrecognized REINDEX option "{option}"', position=places[option])
    kind = c.accept_one("table", "index", "schema", "database", "system")
    if not kind:
        c.fail()
    concurrently = c.accept("concurrently") or bool(said.get("concurrently"))
    name = c.qualified() if not c.ended else st.Name("")
    return st.Vacuum(
        "reindex",
        (name,) if kind in ("table", "index") else (),
        {"kind": kind, "name": str(name), "concurrently": concurrently, "verbose": bool(said.get("verbose"))},
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
    tables, alone = c.relations()
    mode = "access exclusive"
    if c.accept("in"):
        for known in _LOCK_MODES:
            if c.accept(*known.split(), "mode"):
                mode = known
                break
        else:
            c.fail()
    return st.LockTable(tables, mode, c.accept("nowait"), alone)


# --- COPY -------------------------------------------------------------------------------------------


_COPIED: Final = frozenset(("select", "values", "table", "with", "insert", "update", "delete", "merge"))


def copy(c: Cursor) -> st.Copy:
    binary = c.accept("binary")
    table: st.Name | None = None
    query: st.Sql | None = None
    columns: tuple[str, ...] = ()
    if c.symbol_is("("):
        _expect_query(c)
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
    places: dict[str, int] = {}
    options |= generic_options(c, places) if c.symbol_is("(") else _old_copy_options(c)
    where: st.Sql | None = None
    if c.next_is("where"):
        if not is_from:
            if query is not None:
                c.fail()
            raise PlanError("42601", "WHERE clause not allowed with COPY TO", position=c.position)
        c.advance()
        where = c.expression()
        c.expect_end()
    return st.Copy(table, columns, query, is_from, filename, program, where, options, places)


def _expect_query(c: Cursor) -> None:
    """What stands in brackets here are statements that give rows: neither EXPLAIN nor SHOW, which do so as well."""
    first = next(token for token in c.tokens[c.at :] if token.value != "(")
    if first.kind != WORD or first.value not in _COPIED:
        c.fail(first)


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
            options["force_quote"] = "*" if c.accept_symbol("*") else c.listed(Cursor.name)
        elif c.accept("force", "not", "null"):
            options["force_not_null"] = c.listed(Cursor.name)
        elif c.accept("force", "null"):
            options["force_null"] = c.listed(Cursor.name)
        else:
            return options
