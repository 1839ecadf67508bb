"""The table of other projects' suites is what was counted, and counting counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.compatibility.suites import django, regress, table
from docs.compatibility.suites.servers import POSTGRES, TIDEWIRE
from docs.compatibility.suites.suite import Broken, Counts, junit_counts

REPORT = """<testsuites><testsuite>
  <testcase classname="tests.test_pool.TestPool" name="test_a"/>
  <testcase classname="tests.test_pool.TestPool" name="test_b"><failure/></testcase>
  <testcase classname="tests.test_pool.TestPool" name="test_b"><error/></testcase>
  <testcase classname="tests.test_pool.TestPool" name="test_c"><skipped/></testcase>
</testsuite></testsuites>"""

UNITTEST = """
ERROR: test_one (queries.tests.Queries.test_one)
FAIL: test_two (queries.tests.Queries.test_two) (value=1)
FAIL: test_two (queries.tests.Queries.test_two) (value=2)
----------------------------------------------------------------------
Ran 12 tests in 1.5s

FAILED (failures=2, errors=1, skipped=3, expected failures=1)
"""


def test_the_documented_table_is_what_was_counted() -> None:
    text = table.DOCUMENT.read_text()
    documented = text.partition(table.BEGIN)[2].partition(table.END)[0]
    assert documented.strip().splitlines()[0].startswith("| suite |")
    assert set(table.written(table.load()).splitlines()) == set(documented.strip().splitlines())


def test_counting_a_junit_report(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    with pytest.raises(Broken):
        junit_counts(report, "said nothing")
    report.write_text(REPORT)
    assert junit_counts(report, "") == Counts(1, 1, ("TestPool.test_b",))


def test_counting_what_unittest_says() -> None:
    failures = ("queries.tests.Queries.test_one", "queries.tests.Queries.test_two")
    assert django.counts(UNITTEST) == Counts(6, 4, failures)


def test_only_what_passes_there_is_named_as_failing_here() -> None:
    line = table.Line("A suite", "suite 1.0", {POSTGRES: "15.9"})
    line.counts = {TIDEWIRE: Counts(5, 0, ("a", "b")), POSTGRES: Counts(6, 0, ("b",))}
    written = table.written({"suite": line}).splitlines()
    assert (
        written[2]
        == "| A suite | suite 1.0 | 5 passed, 2 failed, 0 skipped | - | 6 passed, 1 failed, 0 skipped (15.9) | - |"
    )
    assert written[-1] == "A suite, what fails here and passes on PostgreSQL: `a`."


SCRIPT = "-- numbers\nselect 1;\n\nselect 2,\n  3;\ncopy t from stdin;\n1\n2\n\\.\nselect 4;\n"


def test_an_answer_is_what_psql_prints_after_the_line_that_asked() -> None:
    printed = "-- numbers\nselect 1;\n 1\nselect 2,\n  3;\n 2 | 3\n\ncopy t from stdin;\nselect 4;\n 4\n"
    asked = ["-- numbers", "select 1;", "select 2,", "  3;", "copy t from stdin;", "select 4;"]
    assert regress.echoed(SCRIPT) == asked
    assert regress.answered(SCRIPT, printed) == [[], [" 1"], [], [" 2 | 3", ""], [], [" 4"]]


@pytest.mark.parametrize(
    ("printed", "equal"),
    [
        ("select 1;\n 1\nselect 2,\n  3;\n 2 | 3\ncopy t from stdin;\nselect 4;\n 4\n", (3, 3)),
        ("select 1;\n 1\nselect 2,\n  3;\n 2 | 4\ncopy t from stdin;\nselect 4;\n 4\n", (2, 3)),
        ("select 1;\n 1\nselect 2,\n  3;\n 2 | 3\ncopy t from stdin;\nERROR:  no\nselect 4;\n 4\n", (3, 4)),
        ("select 1;\n 1\n", (1, 3)),
    ],
    ids=["all", "another answer", "an answer where none is expected", "broken off"],
)
def test_counting_the_answers_that_are_as_expected(printed: str, equal: tuple[int, int]) -> None:
    expected = "select 1;\n 1\nselect 2,\n  3;\n 2 | 3\ncopy t from stdin;\nselect 4;\n 4\n"
    assert regress.compared(SCRIPT.partition("\n")[2], printed, expected) == equal
