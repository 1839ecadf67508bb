"""The grammar of statements that are about the session: transactions, settings, prepared statements,
cursors, notifications.

Each function stands after the words that chose it (the table is in `statement.py`) and returns a dataclass of
`planner.statements`.
"""

from __future__ import annotations

from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError
from planner.keywords import RESERVED
from planner.lexer import END, INTEGER, QUOTED, STRING, WORD
from planner.parse.cursor import Cursor

_QUERIES: Final = ("select", "values", "with", "table")
_PREPARABLE: Final = (*_QUERIES, "insert", "update", "delete", "merge")

# --- transactions -----------------------------------------------------------------------------------


def begin(c: Cursor) -> st.Begin:
    c.accept_one("work", "transaction")
    return _begin(c, start=False)


def start_transaction(c: Cursor) -> st.Begin:
    c.expect("transaction")
    return _begin(c, start=True)


def _begin(c: Cursor, start: bool) -> st.Begin:
    modes = transaction_modes(c)
    as_of: st.Sql | None = None
    if c.accept("as", "of", "timestamp"):
        as_of = c.rest()
    return st.Begin(modes.isolation, modes.read_only, modes.deferrable, as_of, start)


def transaction_modes(c: Cursor, required: bool = False) -> st.SetTransaction:
    """ISOLATION LEVEL ..., READ ONLY, READ WRITE, [NOT] DEFERRABLE, with or without commas."""
    isolation: str | None = None
    read_only: bool | None = None
    deferrable: bool | None = None
    while True:
        if c.accept("isolation", "level"):
            isolation = _isolation(c)
        elif c.accept("read", "only"):
            read_only = True
        elif c.accept("read", "write"):
            read_only = False
        elif c.accept("deferrable"):
            deferrable = True
        elif c.accept("not", "deferrable"):
            deferrable = False
        else:
            if required:
                c.fail()
            break
        required = c.accept_symbol(",")
    return st.SetTransaction(isolation, read_only, deferrable)


def _isolation(c: Cursor) -> str:
    for words in (
        ("strict", "serializable"),
        ("serializable",),
        ("repeatable", "read"),
        ("snapshot",),
        ("read", "committed"),
        ("read", "uncommitted"),
    ):
        if c.accept(*words):
            return " ".join(words)
    c.fail()


def _chain(c: Cursor) -> bool:
    c.accept_one("work", "transaction")
    if c.accept("and", "no", "chain"):
        return False
    return c.accept("and", "chain")


def commit(c: Cursor) -> Any:
    if c.accept("prepared"):
        return st.EndPrepared(c.string(), commits=True)
    return st.Commit(_chain(c))


def rollback(c: Cursor) -> Any:
    if c.accept("prepared"):
        return st.EndPrepared(c.string(), commits=False)
    at = c.at
    c.accept_one("work", "transaction")
    if c.accept("to"):
        c.accept("savepoint")
        return st.RollbackTo(c.name())
    c.at = at
    return st.Rollback(_chain(c))


def abort(c: Cursor) -> st.Rollback:
    return st.Rollback(_chain(c))


def savepoint(c: Cursor) -> st.Savepoint:
    return st.Savepoint(c.name())


def release(c: Cursor) -> st.ReleaseSavepoint:
    c.accept("savepoint")
    return st.ReleaseSavepoint(c.name())


# --- settings ---------------------------------------------------------------------------------------


def set_(c: Cursor) -> Any:
    local = False
    if c.next_is("local") and not _assigns(c, 1):
        c.advance()
        local = True
    elif c.next_is("session", "characteristics"):
        c.at += 2
        c.expect("as", "transaction")
        modes = transaction_modes(c, required=True)
        return st.SetTransaction(modes.isolation, modes.read_only, modes.deferrable, None, True)
    elif c.next_is("session") and not _assigns(c, 1) and not c.next_is("session", "authorization"):
        c.advance()
    if c.accept("session", "authorization"):
        if c.accept("default"):
            return st.SetSessionAuthorization(None, local)
        return st.SetSessionAuthorization(_text_or_name(c), local)
    if c.next_is("transaction") and not _assigns(c, 1):
        c.advance()
        if c.accept("snapshot"):
            return st.SetTransaction(snapshot=c.string())
        return transaction_modes(c, required=True)
    if c.next_is("constraints") and not _assigns(c, 1):
        c.advance()
        names = None if c.accept("all") else c.qualified_list()
        which = c.accept_one("deferred", "immediate")
        if not which:
            c.fail()
        return st.SetConstraints(names, which == "deferred")
    if c.accept("role"):
        assigned = c.accept("to") or c.accept_symbol("=")
        if c.accept("none") or (assigned and c.accept("default")):
            return st.SetRole(None, local)
        return st.SetRole(_text_or_name(c), local)
    if c.accept("time", "zone"):
        return st.SetVariable("timezone", _time_zone(c), local)
    if c.accept("names"):
        value = None if c.accept("default") or c.ended else (c.string(),)
        return st.SetVariable("client_encoding", value, local)
    if c.accept("schema"):
        return st.SetVariable("search_path", (c.string(),), local)
    if c.accept("xml", "option"):
        return st.SetVariable("xmloption", (c.label(),), local)
    if c.accept("catalog"):
        c.unsupported("current database cannot be changed; SET CATALOG", c.tokens[c.at - 1])
    return st.SetVariable(variable_name(c), values_assigned(c), local)


def values_assigned(c: Cursor) -> tuple[str, ...] | None:
    """`= value, ...`; None for DEFAULT."""
    if not (c.accept("to") or c.accept_symbol("=")):
        c.fail()
    if c.accept("default"):
        return None
    return c.listed(_value)


def _assigns(c: Cursor, distance: int) -> bool:
    token = c.ahead(distance)
    return token.value in ("=", "to", ".") and token.kind != STRING


def variable_name(c: Cursor) -> str:
    parts = [c.name()]
    while c.accept_symbol("."):
        parts.append(c.name())
    return ".".join(parts)


def _value(c: Cursor) -> str:
    token = c.token
    if token.kind in (STRING, WORD, QUOTED):
        if token.kind == WORD and token.keyword in RESERVED and token.keyword not in ("true", "false", "on"):
            c.fail()
        return c.advance().value
    return c.number()


def _text_or_name(c: Cursor) -> str:
    return c.advance().value if c.token.kind == STRING else c.role()


def _time_zone(c: Cursor) -> tuple[str, ...] | None:
    if c.accept_one("default", "local"):
        return None
    if c.accept("interval"):
        if c.symbol_is("("):
            c.parenthesised()
        value = c.string()
        while c.accept_one("hour", "to", "minute"):
            pass
        return ("interval " + value,)
    if c.token.kind in (STRING, QUOTED) or (c.token.kind == WORD and not c.token.keyword):
        return (c.advance().value,)
    return (c.number(),)


def reset(c: Cursor) -> Any:
    if c.accept("all"):
        return st.ResetVariable(None)
    if c.accept("session", "authorization"):
        return st.SetSessionAuthorization(None, reset=True)
    if c.accept("time", "zone"):
        return st.ResetVariable("timezone")
    if c.accept("transaction", "isolation", "level"):
        return st.ResetVariable("transaction_isolation")
    if c.next_is("role"):
        c.advance()
        return st.SetRole(None, reset=True)
    return st.ResetVariable(variable_name(c))


def show(c: Cursor) -> st.ShowVariable:
    if c.accept("all"):
        return st.ShowVariable(None)
    if c.accept("time", "zone"):
        return st.ShowVariable("timezone")
    if c.accept("transaction", "isolation", "level"):
        return st.ShowVariable("transaction_isolation")
    if c.accept("session", "authorization"):
        return st.ShowVariable("session_authorization")
    return st.ShowVariable(variable_name(c))


# --- prepared statements, cursors, notifications ------------------------------------------------------


def prepare(c: Cursor) -> st.Prepare | st.PrepareTransaction:
    if c.accept("transaction"):
        if not (c.symbol_is("(") or c.next_is("as")):
            return st.PrepareTransaction(c.string())
        c.at -= 1  # a statement of that name
    name = c.name()
    types: tuple[st.TypeName, ...] = ()
    if c.accept_symbol("("):
        types = c.listed(Cursor.type_name)
        c.expect_symbol(")")
    c.expect("as")
    return st.Prepare(name, types, _query(c, _PREPARABLE))


def _query(c: Cursor, words: tuple[str, ...]) -> st.Sql:
    """All that is left: a statement that begins with one of these words, or a query in parentheses."""
    if not (c.symbol_is("(") or any(c.next_is(word) for word in words)):
        c.fail()
    return c.rest()


def execute(c: Cursor) -> st.Execute:
    name = c.name()
    arguments: tuple[st.Sql, ...] = ()
    if c.accept_symbol("("):
        arguments = c.listed(Cursor.expression)
        c.expect_symbol(")")
    return st.Execute(name, arguments)


def deallocate(c: Cursor) -> st.Deallocate:
    if c.next_is("prepare") and c.ahead().kind != END:
        c.advance()
    return st.Deallocate(None) if c.accept("all") else st.Deallocate(c.name())


def declare(c: Cursor) -> st.DeclareCursor:
    name = c.name()
    binary = insensitive = asensitive = False
    scroll: bool | None = None
    while True:
        if c.accept("no", "scroll"):
            scroll = False
        elif c.accept("binary"):
            binary = True
        elif c.accept("insensitive"):
            insensitive = True
        elif c.accept("asensitive"):
            asensitive = True
        elif c.accept("scroll"):
            scroll = True
        else:
            break
        if insensitive and asensitive:
            raise PlanError("42P11", "cannot specify both ASENSITIVE and INSENSITIVE")
    c.expect("cursor")
    hold = c.accept("with", "hold")
    if not hold:
        c.accept("without", "hold")
    c.expect("for")
    c.refuse_writes()
    return st.DeclareCursor(name, _query(c, _QUERIES), scroll, hold, binary, insensitive)


def fetch(c: Cursor) -> st.Fetch:
    return _fetch(c, move=False)


def move(c: Cursor) -> st.Fetch:
    return _fetch(c, move=True)


def _fetch(c: Cursor, move: bool) -> st.Fetch:
    direction, count = "forward", 1
    counted: int | None = count
    # A direction word may itself be the cursor's name: it is one if nothing follows it.
    alone = c.ahead().kind == END
    if not alone:
        if word := c.accept_one("next", "prior", "first", "last"):
            if word == "prior":
                direction = "backward"
            elif word != "next":
                direction = word
        elif word := c.accept_one("absolute", "relative"):
            direction, counted = word, c.integer()
        elif word := c.accept_one("forward", "backward"):
            direction = word
            if c.accept("all"):
                counted = None
            elif c.token.kind == INTEGER or c.symbol_is("-") or c.symbol_is("+"):
                counted = c.integer()
        elif c.accept("all"):
            counted = None
        elif c.token.kind == INTEGER or c.symbol_is("-") or c.symbol_is("+"):
            counted = c.integer()
    c.accept_one("from", "in")
    return st.Fetch(c.name(), direction, counted, move)


def close(c: Cursor) -> st.CloseCursor:
    return st.CloseCursor(None) if c.accept("all") else st.CloseCursor(c.name())


def discard(c: Cursor) -> st.Discard:
    what = c.accept_one("all", "plans", "sequences", "temp", "temporary")
    if not what:
        c.fail()
    return st.Discard("temp" if what == "temporary" else what)


def listen(c: Cursor) -> st.Listen:
    return st.Listen(c.name())


def unlisten(c: Cursor) -> st.Unlisten:
    return st.Unlisten(None) if c.accept_symbol("*") else st.Unlisten(c.name())


def load(c: Cursor) -> st.Load:
    return st.Load(c.string())


def security_label(c: Cursor) -> st.SecurityLabel:
    """Of what it is a label does not matter: PostgreSQL looks for who provides labels before it looks for that."""
    c.expect("label")
    provider = ""
    if c.accept("for"):
        provider = c.string() if c.token.kind == STRING else c.name()
    c.expect("on")
    while c.token.kind != END and not c.next_is("is"):
        c.advance()
    c.expect("is")
    if not c.accept("null"):
        c.string()
    return st.SecurityLabel(provider)


def notify(c: Cursor) -> st.Notify:
    channel = c.name()
    return st.Notify(channel, c.string() if c.accept_symbol(",") else "")
