"""UPDATE and DELETE ... WHERE CURRENT OF cursor: writes of the row on which a cursor stands.

A row is found again by its primary key, as everywhere else. So the clause is read as a condition on the key's columns
whose values are parameters, after those that the statement has itself; the executor takes them from the cursor's row:

    UPDATE films SET kind = $1 WHERE CURRENT OF c
    UPDATE films SET kind = $1 WHERE (films.code = $2)          $2: the code in the row of c

which makes it a statement by key like any other, planned once. Where a table has no such key, or others below it that share it with
nobody, a row is found by its place, and a row that is updated says where it has gone, so that the cursor stands on it still:

    UPDATE notes SET kind = $1 WHERE (notes.ctid = $2) RETURNING notes.ctid

See "Positioned" in PostgreSQL's manual pages of UPDATE
and DECLARE.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planner import statements as st
from planner.abc import Table
from planner.lexer import PARAMETER, Token, quoted
from planner.parse.cursor import Cursor

_WRITES: Final = frozenset(("update", "delete"))


def positioned_write(text: str, tokens: list[Token], at: int) -> st.PositionedWrite:
    """What a statement with CURRENT OF says; `at` is the place of CURRENT among its tokens."""
    cursor = Cursor(text, tokens)
    if cursor.advance().keyword == "delete":
        cursor.expect("from")
    table, _ = cursor.relation()
    cursor.accept("as")
    named = cursor.is_name() and not cursor.next_is("set")
    alias = cursor.name() if named else ""
    cursor.at = at + 2
    name = cursor.name()
    if not (cursor.ended or cursor.next_is("returning")):
        cursor.fail()
    numbers = [int(token.value) for token in tokens if token.kind == PARAMETER]
    return st.PositionedWrite(
        table, alias, name, (tokens[at].start, tokens[cursor.at - 1].end), max(numbers, default=0)
    )


def by_key(
    text: str, said: st.PositionedWrite, table: Table, given: Callable[[int], str] | None = None
) -> str:
    """The statement with a condition on the primary key in place of the clause.

    `given`: what stands for the key's columns, from 0, if not parameters.
    """
    key = table.primary_key
    assert key is not None
    prefix = quoted(said.alias or table.name)
    value = given or (lambda i: f"${said.parameters + 1 + i}")
    condition = " AND ".join(
        f"{prefix}.{quoted(table.columns[table.index_of(attnum)].name)} = {value(i)}"
        for i, attnum in enumerate(key.columns)
    )
    start, end = said.place
    return f"{text[:start]}({condition}){text[end:]}"


def placed_write(
    text: str, said: st.PositionedWrite, table: Table, given: Callable[[int], str] | None = None
) -> str:
    """The statement with a condition on the row's place, and where the row is afterwards, in a last column of its own."""
    prefix = quoted(said.alias or table.name)
    value = given or (lambda i: f"${said.parameters + 1 + i}")
    start, end = said.place
    returned = text[end:].rstrip().rstrip(";")
    more = f"{returned}, " if returned.strip() else " RETURNING "
    return f"{text[:start]}({prefix}.ctid = {value(0)}){more}{prefix}.ctid"


def place_of(tokens: list[Token], word: str) -> int:
    """Where CURRENT OF stands in an UPDATE or DELETE; -1 if nowhere."""
    if word not in _WRITES:
        return -1
    for i, token in enumerate(tokens[:-2]):
        if token.keyword == "where" and tokens[i + 1].keyword == "current" and tokens[i + 2].keyword == "of":
            return i + 1
    return -1
