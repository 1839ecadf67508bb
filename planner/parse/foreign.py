"""The grammar of foreign data.

CREATE FOREIGN DATA WRAPPER w [HANDLER f | NO HANDLER] [VALIDATOR f | NO VALIDATOR] [OPTIONS (name 'value', ...)]
CREATE SERVER [IF NOT EXISTS] s [TYPE 't'] [VERSION 'v'] FOREIGN DATA WRAPPER w [OPTIONS (...)]
CREATE USER MAPPING [IF NOT EXISTS] FOR role SERVER s [OPTIONS (...)]
ALTER ... OPTIONS ([ADD | SET] name 'value', DROP name), RENAME TO, OWNER TO
IMPORT FOREIGN SCHEMA r [LIMIT TO | EXCEPT (t, ...)] FROM SERVER s INTO l [OPTIONS (...)]
"""

from __future__ import annotations

from planner import statements as st
from planner.lexer import STRING
from planner.parse.cursor import Cursor


def options(c: Cursor, *, alter: bool = False) -> tuple[st.ForeignOption, ...]:
    """After OPTIONS."""
    return c.bracketed(lambda c: _option(c, alter))


def _option(c: Cursor, alter: bool) -> st.ForeignOption:
    action = "add"
    if alter and c.word in ("add", "set", "drop") and c.ahead().kind != STRING:
        action = c.advance().value
    name = c.label()
    return st.ForeignOption(action, name, "" if action == "drop" else c.string())


def _functions(c: Cursor) -> tuple[st.WrapperFunction, ...]:
    found: list[st.WrapperFunction] = []
    while True:
        position = c.position
        if word := c.accept_one("handler", "validator"):
            found.append(st.WrapperFunction(word, c.qualified(), position))
        elif c.next_is("no", "handler") or c.next_is("no", "validator"):
            c.advance()
            found.append(st.WrapperFunction(c.advance().value, None, position))
        else:
            return tuple(found)


def create_wrapper(c: Cursor) -> st.CreateWrapper:
    """After CREATE FOREIGN DATA WRAPPER."""
    name = c.name()
    functions = _functions(c)
    return st.CreateWrapper(name, functions, options(c) if c.accept("options") else ())


def alter_wrapper(c: Cursor) -> st.AlterWrapper:
    """After ALTER FOREIGN DATA WRAPPER."""
    name = c.name()
    if c.accept("rename", "to"):
        return st.AlterWrapper(name, "rename", c.name())
    if c.accept("owner", "to"):
        return st.AlterWrapper(name, "owner", c.role())
    functions = _functions(c)
    said = options(c, alter=True) if c.accept("options") else ()
    if not functions and not said:
        c.fail()
    return st.AlterWrapper(name, "options", "", functions, said)


def create_server(c: Cursor) -> st.CreateServer:
    """After CREATE SERVER."""
    exists = c.accept("if", "not", "exists")
    name = c.name()
    kind = c.string() if c.accept("type") else None
    version = _version(c) if c.accept("version") else None
    c.expect("foreign", "data", "wrapper")
    wrapper = c.name()
    return st.CreateServer(name, wrapper, kind, version, options(c) if c.accept("options") else (), exists)


def _version(c: Cursor) -> str | None:
    return None if c.accept("null") else c.string()


def alter_server(c: Cursor) -> st.AlterServer:
    """After ALTER SERVER."""
    name = c.name()
    if c.accept("rename", "to"):
        return st.AlterServer(name, "rename", c.name())
    if c.accept("owner", "to"):
        return st.AlterServer(name, "owner", c.role())
    versioned = c.accept("version")
    version = _version(c) if versioned else None
    said = options(c, alter=True) if c.accept("options") else ()
    if not versioned and not said:
        c.fail()
    return st.AlterServer(name, "options", "", versioned, version, said)


def user_mapping(c: Cursor, verb: str) -> st.UserMappingStatement:
    """After CREATE, ALTER, DROP USER MAPPING."""
    exists = (verb == "create" and c.accept("if", "not", "exists")) or (
        verb == "drop" and c.accept("if", "exists")
    )
    c.expect("for")
    user = "current_user" if c.accept("user") else "" if c.accept("public") else c.role()
    c.expect("server")
    server = c.name()
    said: tuple[st.ForeignOption, ...] = ()
    if verb == "alter":
        c.expect("options")
        said = options(c, alter=True)
    elif verb == "create" and c.accept("options"):
        said = options(c)
    return st.UserMappingStatement(verb, user, server, said, exists)


def import_schema(c: Cursor) -> st.ImportForeignSchema:
    """After IMPORT."""
    c.expect("foreign", "schema")
    remote = c.name()
    if c.accept("limit", "to") or c.accept("except"):
        c.expect_symbol("(")
        c.relation()
        while c.accept_symbol(","):
            c.relation()
        c.expect_symbol(")")
    c.expect("from", "server")
    server = c.name()
    c.expect("into")
    into = c.name()
    if c.accept("options"):
        options(c)
    return st.ImportForeignSchema(remote, server, into)


__all__ = [
    "alter_server",
    "alter_wrapper",
    "create_server",
    "create_wrapper",
    "import_schema",
    "options",
    "user_mapping",
]
