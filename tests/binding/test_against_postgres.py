"""What a user relies on: a statement means here what it means in PostgreSQL 15.

Every line of `expressions.sql` (each expression of it alone) and of `queries.sql` runs on both; column names, types,
values as text and, for errors, SQLSTATE must be equal. Messages and positions of errors are compared too, but for those
listed in `WORDED_DIFFERENTLY`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.binding import tpch
from tests.binding.world import Answer, World

_HERE = Path(__file__).parent

WORDED_DIFFERENTLY = {
    "select 3000000000::int": "the executor words DuckDB's own overflow",
    "select 32768::int2": "the executor words DuckDB's own overflow",
    "select substring(1 from 2)": "PostgreSQL says pg_catalog.substring",
    "select extract(year from 5)": "PostgreSQL says pg_catalog.extract",
    "select 1 union select true": "no position",
    "with x(a, b) as (select 1) select * from x": "no position",
    "select text 'a'": "not parsed",
}


def _lines(name: str) -> list[str]:
    text = (_HERE / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("--")]


def split_expressions(line: str) -> list[str]:
    """The expressions of a comma-separated list, commas in parentheses, brackets and quotes aside."""
    out, current, depth, quoted = [], "", 0, False
    for c in line:
        quoted ^= c == "'"
        if not quoted:
            depth += (c in "([") - (c in ")]")
            if c == "," and not depth:
                out.append(current.strip())
                current = ""
                continue
        current += c
    return [*out, current.strip()]


def check(world: World, text: str) -> None:
    mine, theirs = world.tidewire(text), world.postgres(text)
    if theirs.sqlstate == "42601" and mine.sqlstate == "42601":
        return
    assert mine.same(theirs, ordered="order by" in text), _shown(text, mine, theirs)
    if theirs.sqlstate and text not in WORDED_DIFFERENTLY:
        assert mine.message == theirs.message, _shown(text, mine, theirs)


def _shown(text: str, mine: Answer, theirs: Answer) -> str:
    return f"{text}\n  tidewire:   {mine}\n  {mine.message}\n  PostgreSQL: {theirs}\n  {theirs.message}"


@pytest.mark.postgres
@pytest.mark.parametrize("line", _lines("expressions.sql"))
def test_expressions(company: World, line: str) -> None:
    for expression in split_expressions(line):
        text = "select " + expression
        if text not in WORDED_DIFFERENTLY or WORDED_DIFFERENTLY[text] != "not parsed":
            check(company, text)


@pytest.mark.postgres
@pytest.mark.parametrize("text", _lines("queries.sql"))
def test_queries(company: World, text: str) -> None:
    check(company, text)


@pytest.mark.postgres
@pytest.mark.parametrize("text", _lines("queries.sql"))
def test_error_positions(company: World, text: str) -> None:
    theirs = company.postgres(text)
    if not theirs.sqlstate or text in WORDED_DIFFERENTLY:
        assert theirs.sqlstate or theirs.names is not None
        return
    mine = company.tidewire(text)
    assert mine.position == theirs.position, _shown(text, mine, theirs)


@pytest.mark.postgres
@pytest.mark.parametrize("number", sorted(tpch.QUERIES))
def test_tpch(warehouse: World, number: int) -> None:
    check(warehouse, tpch.QUERIES[number])
