"""`options` of the start-up message, as PostgreSQL reads its command line."""

from __future__ import annotations

import pytest

from pgwire.startup_options import parse_options
from planner.abc import SqlError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("-c work_mem=4MB", {"work_mem": "4MB"}),
        ("-cwork_mem=4MB  -c  search_path=a,b", {"work_mem": "4MB", "search_path": "a,b"}),
        ("--statement-timeout=5", {"statement_timeout": "5"}),
        (r"-c tidewire.as_of=2026-01-01\ 12:00", {"tidewire.as_of": "2026-01-01 12:00"}),
        (r"-c application_name=a\\b=c", {"application_name": "a\\b=c"}),
        ("-c work_mem=1MB -c work_mem=2MB", {"work_mem": "2MB"}),
        ("-c search_path=", {"search_path": ""}),
    ],
)
def test_switches_set_parameters(text: str, expected: dict[str, str]) -> None:
    assert parse_options(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-c", "invalid command-line argument for server process: -c"),
        ("-c work_mem", "-c work_mem requires a value"),
        ("--work_mem", "--work_mem requires a value"),
        ("-B 12", "invalid command-line argument for server process: -B"),
        ("word", "invalid command-line argument for server process: word"),
    ],
)
def test_what_sets_nothing_is_refused(text: str, message: str) -> None:
    with pytest.raises(SqlError) as refused:
        parse_options(text)
    assert (refused.value.sqlstate, refused.value.message) == ("42601", message)
