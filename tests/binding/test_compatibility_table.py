"""docs/functions.md says what is registered: it is written anew whenever a function is added (`make compat`)."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "compatibility" / "functions.py"))


def test_the_table_is_up_to_date(table: dict[str, Any]) -> None:
    assert (ROOT / "docs" / "functions.md").read_text("utf-8") == table["document"](), "run `make compat`"


def test_every_signature_is_in_one_list_only(table: dict[str, Any]) -> None:
    for section in table["sections"]():
        assert not set(section.there) & set(section.missing), section.title


def test_what_everybody_uses_is_there(table: dict[str, Any]) -> None:
    there = {s for section in table["sections"]() for s in section.there}
    assert {
        "lower(text)",
        "int4 + int4",
        "sum(int8)",
        "row_number()",
        "now()",
        "jsonb -> text",
        "unnest(anyarray)",
    } <= there
