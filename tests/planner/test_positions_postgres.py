"""The tables of errors in these tests, said to PostgreSQL: same code, same words, same position."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.pq import DiagnosticField as Field

from planner.abc import PlanError
from planner.lexer import tokenize
from planner.parse import parse_query, parse_statement
from planner.statements import QueryStatement
from tests.planner import test_lexer, test_queries, test_statements
from tests.postgres import NoPostgres, running_postgres

ERRORS = [
    *(text for text, *_ in test_lexer.REFUSED),
    *(text for text, *_ in test_queries.SYNTAX_ERRORS),
    *(text for text, *_ in test_statements.SYNTAX_ERRORS),
]
VALID = [*test_statements.QUERIES, *(text for text, _ in test_statements.SAID)]
OURS = ("as of timestamp", "strict serializable")


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection[Any]]:
    try:
        with running_postgres() as url, psycopg.connect(url, autocommit=True) as c:
            yield c
    except NoPostgres as e:
        pytest.skip(f"no PostgreSQL to compare with: {e}")


def said_by_postgres(connection: psycopg.Connection[Any], text: str) -> tuple[str, str, int]:
    result = connection.pgconn.prepare(b"", text.encode())

    def field(which: Field) -> str:
        return (result.error_field(which) or b"").decode()

    return field(Field.SQLSTATE), field(Field.MESSAGE_PRIMARY), int(field(Field.STATEMENT_POSITION) or 0)


def said_here(text: str) -> tuple[str, str, int]:
    try:
        tokenize(text)
        statement = parse_statement(text)
        if isinstance(statement, QueryStatement):
            parse_query(text)
    except PlanError as e:
        return e.sqlstate, e.message, e.position
    return "", "", 0


@pytest.mark.postgres
def test_errors_are_postgresqls(postgres: psycopg.Connection[Any]) -> None:
    wrong = [
        f"{text!r}\n  here       {here}\n  PostgreSQL {there}"
        for text in ERRORS
        if (here := said_here(text)) != (there := said_by_postgres(postgres, text))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.postgres
def test_what_is_valid_here_is_valid_there(postgres: psycopg.Connection[Any]) -> None:
    """Also the statements that our tests of the grammar are made of: PostgreSQL's grammar takes them all."""
    wrong = [
        text
        for text in VALID
        if not any(o in text for o in OURS) and said_by_postgres(postgres, text)[0] == "42601"
    ]
    assert not wrong
