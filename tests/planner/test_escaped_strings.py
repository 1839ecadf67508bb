"""`standard_conforming_strings = off`: what is read is as long as what came, and its tokens mean what PostgreSQL's lexer makes of the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.abc import PlanError
from planner.escaped_strings import Warned, standard
from planner.lexer import STRING, tokenize


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("select 'a'", "select 'a'"),
        (r"select 'a\'b', 1", "select 'a''b', 1"),
        (r"select 'a\''''", "select 'a'''''"),
        (r"select '\\', '\n' x", "select '\\' , '\n'  x"),
        (r"select N'\101'", "select N'A'   "),
        (r"select E'\n', e'\'' '\''", r"select E'\n', e'\'' ''''"),
        (r"select $$\$$, $a$'\'$a$, '\x41'", r"select $$\$$, $a$'\'$a$, 'A'   "),
        ("select \"c\\d\" -- '\\'\n, '\\t'", "select \"c\\d\" -- '\\'\n, '\t' "),
        (r"/* '\' /* */ */ select '\b'", "/* '\\' /* */ */ select '\b' "),
        ("select E'a'\n  '\\'', '\\''", "select E'a'\n  '\\'', ''''"),
        (r"select x'\'", r"select x'\'"),
        (r"select '\a", r"select '\a"),
    ],
)
def test_said_by_the_standard(text: str, made: str) -> None:
    assert standard(text, lambda _: None) == made


def test_what_is_warned_of() -> None:
    warned: list[Warned] = []
    standard(r"select '\'', 'plain', '\\', 'a\n\''", warned.append)
    assert [(w.position, w.message.split(" of ")[1].split(" in ")[0]) for w in warned] == [
        (8, r"\'"), (23, r"\\"), (29, "escape"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sqlstate", "position"),
    [(r"select U&'\0041'", "0A000", 8), (r"select '\u12'", "22025", 9), (r"select 'a\xff'", "22021", 0)],
)
def test_refused(text: str, sqlstate: str, position: int) -> None:
    with pytest.raises(PlanError) as e:
        standard(text, lambda _: None)
    assert e.value.sqlstate == sqlstate
    assert not position or e.value.position == position


@given(st.text("'\\nab\n-$/*", max_size=12))
def test_a_string_is_what_it_is_as_an_escape_string(inside: str) -> None:
    try:
        wanted = next((t.value, t.start) for t in tokenize(f"E'{inside}'") if t.kind == STRING)
    except PlanError:
        return
    made = standard(f"'{inside}'", lambda _: None)
    assert next((t.value, t.start) for t in tokenize(made) if t.kind == STRING) == wanted
