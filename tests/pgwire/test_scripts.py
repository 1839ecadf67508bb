"""Every conversation in `scripts/`, whole and cut into single bytes.

To write a new one: put down the > lines, run with TIDEWIRE_RECORD=1, and read what came.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.pgwire.script import play

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.txt"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.stem)
def test_conversation(path: Path) -> None:
    for chapter in path.read_text().split("\n----\n"):
        lines = chapter.splitlines()
        seen = asyncio.run(play(lines))
        if os.environ.get("TIDEWIRE_RECORD"):
            continue
        assert [s for s in seen if s.strip()] == [line for line in lines if line.strip()]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.stem)
def test_conversation_a_byte_at_a_time(path: Path) -> None:
    """How the network cuts the stream must not change a single reply."""
    for chapter in path.read_text().split("\n----\n"):
        lines = [line for line in chapter.splitlines() if not line.startswith("~ ") or "session" in line]
        seen = asyncio.run(play(chapter.splitlines(), piece=1))
        assert [s for s in seen if s[:2] in ("< ", "> ", "! ")] == [
            s for s in lines if s[:2] in ("< ", "> ", "! ")
        ]


@pytest.fixture(scope="session", autouse=True)
def _record() -> None:
    if os.environ.get("TIDEWIRE_RECORD"):
        for path in SCRIPTS:
            chapters = path.read_text().split("\n----\n")
            path.write_text(
                "\n----\n".join("\n".join(asyncio.run(play(c.splitlines()))) for c in chapters).rstrip()
                + "\n"
            )
