"""A query string falls apart at the semicolons that are tokens."""

from __future__ import annotations

import pytest

from planner.abc import PlanError
from planner.split import split

CASES = [
    ("select 1", [("select 1", 0)]),
    (" select 1 ; ", [("select 1", 1)]),
    ("", []),
    (" ;; -- nothing\n ;", []),
    ("select 1; -- one\n ;select ';'", [("select 1", 0), ("select ';'", 19)]),
    ("select $$;$$;select 2", [("select $$;$$", 0), ("select 2", 13)]),
    ('select ";" ; select /* ; */ 2', [('select ";"', 0), ("select /* ; */ 2", 13)]),
    ("select E'\\';';select 2", [("select E'\\';'", 0), ("select 2", 14)]),
    ("-- only\nselect 1 -- tail", [("select 1", 8)]),
    ("select 'it''s'", [("select 'it''s'", 0)]),
    (
        "begin;insert into t values (1);commit",
        [("begin", 0), ("insert into t values (1)", 6), ("commit", 31)],
    ),
]


@pytest.mark.parametrize(("text", "statements"), CASES)
def test_split(text: str, statements: list[tuple[str, int]]) -> None:
    assert split(text) == statements
    for statement, offset in statements:
        assert text[offset:].startswith(statement)


@pytest.mark.parametrize(
    ("text", "position"),
    [("select 1; select 'x", 18), ("select 'x;", 8), ("select 1 /* ; ", 10), ('select "a;', 8)],
)
def test_an_open_quote_anywhere_refuses_the_whole_string(text: str, position: int) -> None:
    with pytest.raises(PlanError) as caught:
        split(text)
    assert (caught.value.sqlstate, caught.value.position) == ("42601", position)
