"""The grammar of extensions: CREATE, ALTER, DROP.

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public VERSION '1.6' CASCADE
ALTER EXTENSION pg_trgm SET SCHEMA s;   ALTER EXTENSION pg_trgm UPDATE TO '1.6'

CREATE OR REPLACE TRUSTED PROCEDURAL LANGUAGE plpgsql       an extension since PostgreSQL 13, IF NOT EXISTS with OR REPLACE
"""

from __future__ import annotations

from typing import Any

from planner import statements as st
from planner.abc import PlanError
from planner.lexer import STRING, Token
from planner.parse import clauses
from planner.parse.cursor import Cursor


def create(c: Cursor) -> Any:
    """After CREATE EXTENSION."""
    exists = c.accept("if", "not", "exists")
    name = c.name()
    c.accept("with")
    said: dict[str, str] = {}
    while not c.ended:
        at = c.token
        word = c.accept_one("schema", "version", "cascade")
        if not word:
            if c.accept("from"):
                raise PlanError("0A000", "CREATE EXTENSION ... FROM is no longer supported")
            c.fail()
        if word in said:
            raise PlanError("42601", "conflicting or redundant options", position=at.start + 1)
        said[word] = "" if word == "cascade" else c.name() if word == "schema" else _version(c)
    return st.CreateExtension(
        name, exists, said.get("schema", ""), said.get("version", ""), "cascade" in said
    )


def create_language(c: Cursor, replace: bool, at: Token) -> Any:
    """After CREATE [OR REPLACE] [TRUSTED] [PROCEDURAL] LANGUAGE: a language without a handler is an extension."""
    name = c.name()
    if c.accept("handler"):
        c.unsupported("CREATE LANGUAGE ... HANDLER", at)
    return st.CreateExtension(name, replace)


def alter(c: Cursor) -> Any:
    """After ALTER EXTENSION."""
    name = c.name()
    if c.accept("update"):
        version = _version(c) if c.accept("to") else ""
        return st.AlterExtension(name, version=version)
    if c.accept("set"):
        c.expect("schema")
        return st.AlterExtension(name, schema=c.name())
    if c.next_is("add") or c.next_is("drop"):
        c.unsupported(f"ALTER EXTENSION ... {c.word.upper()}")
    c.fail()


def drop(c: Cursor) -> Any:
    """After DROP EXTENSION."""
    exists = c.accept("if", "exists")
    names = c.listed(lambda c: st.Name(c.name()))
    return st.Drop("extension", names, exists, clauses.drop_behaviour(c))


def _version(c: Cursor) -> str:
    return c.string() if c.token.kind == STRING else c.label()
