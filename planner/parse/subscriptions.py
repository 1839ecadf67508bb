"""The grammar of subscriptions.

CREATE SUBSCRIPTION name CONNECTION 'conninfo' PUBLICATION name, ... [WITH (option [= value], ...)]
ALTER SUBSCRIPTION name CONNECTION 'conninfo' | ADD | SET | DROP PUBLICATION name, ... [WITH (...)] | REFRESH PUBLICATION [WITH (...)]
    | ENABLE | DISABLE | SET (option [= value], ...) | SKIP (lsn = value) | OWNER TO role | RENAME TO other
"""

from __future__ import annotations

from planner import statements as st
from planner.parse.cursor import Cursor
from planner.parse.publications import definition


def create(c: Cursor) -> st.CreateSubscription:
    """After CREATE SUBSCRIPTION."""
    name = c.name()
    c.expect("connection")
    connection = c.string()
    c.expect("publication")
    return st.CreateSubscription(name, connection, c.listed(Cursor.name), _with(c))


def alter(c: Cursor) -> st.AlterSubscription:
    """After ALTER SUBSCRIPTION."""
    name = c.name()
    if c.accept("rename", "to"):
        return st.AlterSubscription(name, "rename", c.name())
    if c.accept("owner", "to"):
        return st.AlterSubscription(name, "owner", c.role())
    if c.accept("connection"):
        return st.AlterSubscription(name, "connection", c.string())
    if word := c.accept_one("enable", "disable"):
        return st.AlterSubscription(name, word)
    if c.accept("refresh"):
        c.expect("publication")
        return st.AlterSubscription(name, "refresh", options=_with(c))
    if c.accept("skip"):
        return st.AlterSubscription(name, "skip", options=definition(c))
    what = c.accept_one("add", "set", "drop")
    if not what:
        c.fail()
    if what == "set" and c.symbol_is("("):
        return st.AlterSubscription(name, "options", options=definition(c))
    c.expect("publication")
    return st.AlterSubscription(name, what, publications=c.listed(Cursor.name), options=_with(c))


def _with(c: Cursor) -> tuple[st.PublicationOption, ...]:
    return definition(c) if c.accept("with") else ()


__all__ = ["alter", "create"]
