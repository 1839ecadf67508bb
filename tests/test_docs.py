"""What the docs name is there: files, folders and modules in backticks, links, make's targets, and the environment's own settings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "bench").glob("*.md")])
ROOMS = ("bench", "docker", "docs", "executor", "pgwire", "pipeline", "planner", "slt", "storage", "tests", "tidewire", "txn")  # fmt: skip
PATH = re.compile(rf"(?<![\w/.…-])((?:{'|'.join(ROOMS)})/[\w/.*-]*\w/?)(?![\w…])")
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
TARGET = re.compile(r"`make (\w[\w-]*)|^ +make (\w[\w-]*)", re.MULTILINE)


def _named(doc: Path) -> set[str]:
    """Paths that the text names by a file's ending or as a folder, and patterns (`tests/clients/*.sql`)."""
    found = {p.rstrip(".") for p in PATH.findall(doc.read_text())}
    return {
        p for p in found if re.search(r"\.(py|md|sql|toml|json|tsv|yml|yaml|test)$", p) or p.endswith("/")
    }


@pytest.mark.parametrize("doc", DOCS, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_that_docs_name_are_there(doc: Path) -> None:
    missing = [p for p in sorted(_named(doc)) if not any(ROOT.glob(p.rstrip("/")))]
    assert missing == []


@pytest.mark.parametrize("doc", DOCS, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(doc: Path) -> None:
    missing = [t for t in LINK.findall(doc.read_text()) if not (doc.parent / t).exists()]
    assert missing == []


def test_targets_of_make_are_there() -> None:
    targets = set(re.findall(r"^([\w.-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {a or b for doc in DOCS for a, b in TARGET.findall(doc.read_text())}
    assert named - targets == set()
