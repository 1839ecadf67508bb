"""The grammar of roles and of what is said about objects: GRANT, REVOKE, COMMENT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError
from planner.lexer import PUNCTUATION, WORD
from planner.parse import aggregates, casts, clauses, operator_classes, operators, routines, text_search
from planner.parse.cursor import Cursor
from planner.parse.first_settings import first_settings

# --- roles, databases -----------------------------------------------------------------------------------

_ROLE_FLAGS: Final = {
    word: (option, value)
    for option in ("superuser", "createdb", "createrole", "inherit", "login", "replication", "bypassrls")
    for word, value in ((option, True), ("no" + option, False))
}


def role_options(c: Cursor) -> dict[str, Any]:
    options: dict[str, Any] = {}
    c.accept("with")
    while not c.ended:
        at = c.token
        name: str
        value: Any
        if c.token.kind == WORD and c.token.value in _ROLE_FLAGS:
            name, value = _ROLE_FLAGS[c.advance().value]
        elif c.accept("encrypted", "password") or c.accept("password"):
            name, value = "password", None if c.accept("null") else c.string()
        elif c.accept("connection", "limit"):
            name, value = "connection_limit", c.integer()
        elif c.accept("valid", "until"):
            name, value = "valid_until", c.string()
        elif c.accept("in", "role") or c.accept("in", "group"):
            name, value = "in_role", c.listed(_grantee)
        elif c.accept_one("role", "admin", "user"):
            name, value = c.tokens[c.at - 1].value, c.listed(_grantee)
        elif c.accept("sysid"):
            name, value = "sysid", c.integer()
        else:
            c.fail()
        if name in options:
            raise PlanError("42601", "conflicting or redundant options", position=at.start + 1)
        options[name] = value
    return options


def _grantee(c: Cursor) -> str:
    c.accept("group")
    if c.accept("public"):
        return ""
    return c.role()


def alter_role(c: Cursor) -> Any:
    if c.accept("all"):
        name = ""
    else:
        name = c.role()
    if c.accept("rename", "to"):
        return st.AlterRole(name, new_name=c.name())
    if c.accept("add", "user") or c.accept("drop", "user"):  # ALTER GROUP's way to say GRANT and REVOKE
        leaves = c.tokens[c.at - 2].value == "drop"
        return st.GrantRole((name,), c.listed(_grantee), revoke=leaves, of_group=True)
    database = c.name() if c.accept("in", "database") else ""
    if database or c.word in ("set", "reset"):
        return first_settings(c, st.AlterSettings("ALTER ROLE", name, database))
    return st.AlterRole(name, role_options(c))


# --- COMMENT, GRANT -----------------------------------------------------------------------------------------


def comment(c: Cursor) -> Any:
    c.expect("on")
    at = c.token
    column = ""
    if c.accept("column"):
        parts = [c.name()]
        while c.accept_symbol("."):
            parts.append(c.label())
        if len(parts) < 2:
            raise PlanError("42601", "column name must be qualified")
        kind, column = "column", parts[-1]
        *qualified, relation = parts[:-1]
        schema, database = ["", "", *qualified][:-3:-1]
        name = st.Name(relation, schema, at.end + 2, database)
    elif c.accept("constraint"):
        kind, column = "constraint", c.name()
        c.expect("on")
        if c.accept("domain"):
            kind = "domain constraint"
        name = c.qualified()
    elif word := c.accept_one("trigger", "policy", "rule"):
        kind, column = word, c.name()
        c.expect("on")
        name = c.qualified()
    elif c.accept("materialized", "view"):
        kind, name = "materialized view", c.qualified()
    elif word := c.accept_one(
        "table", "view", "index", "sequence", "type", "domain", "collation", "conversion", "statistics"
    ):
        kind, name = word, c.qualified()
    elif c.accept("text", "search"):
        kind = text_search.kind(c)
        name = c.qualified()
    elif c.accept("foreign", "table"):
        kind, name = "foreign table", c.qualified()
    elif c.accept("foreign", "data", "wrapper"):
        kind, name = "foreign-data wrapper", st.Name(c.name())
    elif c.accept("server"):
        kind, name = "server", st.Name(c.name())
    elif c.accept("event", "trigger"):
        kind, name = "event trigger", st.Name(c.name())
    elif word := c.accept_one("publication", "subscription"):
        kind, name = word, st.Name(c.name())
    elif word := c.accept_one("schema", "database", "role"):
        kind, name = word, st.Name(c.name(), "", c.tokens[c.at - 1].start + 1)
    elif word := c.accept_one("function", "procedure", "routine"):
        signature = routines.signature(c)
        c.expect("is")
        text = None if c.accept("null") else c.string()
        return st.Comment(word, signature.name, text or None, signature=signature)
    elif c.accept("aggregate"):
        signature = aggregates.signature(c)
        c.expect("is")
        text = None if c.accept("null") else c.string()
        return st.Comment("aggregate", signature.name, text or None, signature=signature)
    elif c.accept("cast"):
        of = st.CastSignature(*casts.pair(c))
        c.expect("is")
        text = None if c.accept("null") else c.string()
        return st.Comment("cast", st.Name(""), text or None, signature=of)
    elif c.accept("operator"):
        if of_operators := operator_classes.kind_ahead(c):
            named = operator_classes.signature(c, of_operators)
            c.expect("is")
            text = None if c.accept("null") else c.string()
            return st.Comment(of_operators, named.name, text or None, signature=named)
        said = operators.signature(c)
        c.expect("is")
        text = None if c.accept("null") else c.string()
        return st.Comment("operator", said.name, text or None, signature=said)
    elif c.accept("extension"):
        kind, name = "extension", st.Name(c.name())
    elif c.accept("procedural", "language") or c.accept("language"):
        kind, name = "language", st.Name(c.name())
    elif c.accept("access", "method"):
        kind, name = "access method", st.Name(c.name())
    elif c.accept("tablespace"):
        kind, name = "tablespace", st.Name(c.name())
    elif c.accept("large", "object"):
        kind, name = "large object", st.Name(str(c.integer()))
    else:
        c.fail()
    c.expect("is")
    text = None if c.accept("null") else c.string()
    return st.Comment(kind, name, text or None, column)


_PRIVILEGES: Final = frozenset(
    ("select", "insert", "update", "delete", "truncate", "references", "trigger", "usage", "create", "connect",
     "temporary", "temp", "execute", "set", "all")
)  # fmt: skip
_GRANT_KINDS: Final = (
    "table", "sequence", "schema", "database", "function", "procedure", "routine", "language", "domain", "type",
    "tablespace", "parameter",
)  # fmt: skip


def grant(c: Cursor) -> Any:
    return _grant(c, revoke=False)


def revoke(c: Cursor) -> Any:
    return _grant(c, revoke=True)


def _grant(c: Cursor, revoke: bool) -> Any:
    option = revoke and (c.accept("grant", "option", "for") or c.accept("admin", "option", "for"))
    privileges: list[tuple[str, tuple[str, ...]]] = []
    is_role = False
    while True:
        token = c.token
        word = c.accept_one("all", "create", "references", "select") or c.name()
        if token.value == "all" and word == "all":
            c.accept("privileges")
        elif word == "alter" and c.accept("system"):
            word = "alter system"
        elif word not in _PRIVILEGES:
            is_role = True
        columns = c.name_list() if c.symbol_is("(") else ()
        privileges.append(("temporary" if word == "temp" else word, columns))
        if not c.accept_symbol(","):
            break
    if not c.next_is("on"):
        if not is_role and not c.next_is("to") and not c.next_is("from"):
            c.fail()
        c.expect("from" if revoke else "to")
        grantees = c.listed(_grantee)
        admin = c.accept("with", "admin", "option") or option
        by = _granted_by(c)
        if revoke:
            clauses.drop_behaviour(c)
        return st.GrantRole(tuple(p for p, _ in privileges), grantees, revoke, admin, granted_by=by)
    if is_role:
        raise PlanError("42601", f'unrecognized privilege type "{privileges[0][0]}"')
    c.advance()
    kind = "table"
    names: tuple[st.Name, ...]
    if c.accept("large", "object"):
        numbers = c.listed(Cursor.integer)
        of = _to_whom(c, privileges, "large object", [], revoke, option)
        return st.GrantLargeObject(
            numbers, of.privileges, of.grantees, revoke, of.grant_option, of.cascade, of.granted_by
        )
    if c.accept("foreign", "data", "wrapper") or c.accept("foreign", "server"):
        kind = "foreign server" if c.tokens[c.at - 1].value == "server" else "foreign-data wrapper"
        names = c.listed(lambda c: st.Name(c.name()))
        return _to_whom(c, privileges, kind, names, revoke, option)
    if c.accept("all"):
        what = c.accept_one("tables", "sequences", "functions", "procedures", "routines")
        if not what:
            c.fail()
        c.expect("in", "schema")
        kind = f"all {what} in schema"
        names = c.listed(lambda c: st.Name(c.name()))
    else:
        for known in _GRANT_KINDS:
            if c.next_is(known) and (c.ahead().kind != PUNCTUATION or c.ahead().value == "."):
                after = c.ahead()
                if after.value not in ("to", "from", ",", "."):
                    c.advance()
                    kind = known
                    break
        if kind in ("language", "tablespace", "parameter"):
            names = c.listed(lambda c: st.Name(_setting(c)))
            return _to_whom(c, privileges, kind, names, revoke, option)
        if kind in ("function", "procedure", "routine"):
            signatures = c.listed(routines.signature)
            return _to_whom(c, privileges, kind, [s.name for s in signatures], revoke, option, signatures)
        names = c.listed(Cursor.qualified)
    return _to_whom(c, privileges, kind, names, revoke, option)


def _setting(c: Cursor) -> str:
    """A setting's name, which may have dots in it."""
    parts = [c.name()]
    while c.accept_symbol("."):
        parts.append(c.label())
    return ".".join(parts)


def _to_whom(
    c: Cursor, privileges: list[tuple[str, tuple[str, ...]]], kind: str, names: Sequence[st.Name], revoke: bool,
    option: bool, signatures: Sequence[st.Signature] = (),
) -> st.Grant:  # fmt: skip
    c.expect("from" if revoke else "to")
    grantees = c.listed(_grantee)
    with_option = c.accept("with", "grant", "option") or option
    by = _granted_by(c)
    cascade = clauses.drop_behaviour(c) if revoke else False
    return st.Grant(
        tuple(privileges), kind, tuple(names), grantees, revoke, with_option, cascade, tuple(signatures), by
    )


def _granted_by(c: Cursor) -> str:
    return c.role() if c.accept("granted", "by") else ""


def alter_default_privileges(c: Cursor) -> st.AlterDefaultPrivileges:
    """After ALTER DEFAULT PRIVILEGES."""
    roles: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    while True:
        if c.accept("for", "role") or c.accept("for", "user"):
            roles = c.listed(Cursor.role)
        elif c.accept("in", "schema"):
            schemas = c.listed(Cursor.name)
        else:
            break
    revoke = not c.accept("grant")
    if revoke:
        c.expect("revoke")
    option = revoke and c.accept("grant", "option", "for")
    wanted: list[str] = []
    while True:
        word = c.label()
        if word == "all":
            c.accept("privileges")
        elif word not in _PRIVILEGES:
            raise PlanError("42601", f'unrecognized privilege type "{word}"')
        wanted.append(word)
        if not c.accept_symbol(","):
            break
    c.expect("on")
    kind = c.accept_one("tables", "sequences", "functions", "routines", "types", "schemas")
    if not kind:
        c.fail()
    c.expect("from" if revoke else "to")
    grantees = c.listed(_grantee)
    with_option = c.accept("with", "grant", "option") or option
    if revoke:
        clauses.drop_behaviour(c)
    return st.AlterDefaultPrivileges(tuple(wanted), kind, grantees, roles, schemas, revoke, with_option)


def reassign(c: Cursor) -> st.ReassignOwned:
    c.expect("owned", "by")
    roles = c.listed(Cursor.role)
    c.expect("to")
    return st.ReassignOwned(roles, c.role())
