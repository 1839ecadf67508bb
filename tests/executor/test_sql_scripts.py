"""SQL sessions as golden scripts: see `tests.executor.sql` for what the lines mean."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.executor.sql import Server
from tests.golden import run_script_async, scripts

FOLDER = Path(__file__).parent / "scripts"


@pytest.mark.parametrize("script", scripts(FOLDER), ids=lambda p: p.stem)
def test_script(script: Path) -> None:
    async def run() -> None:
        async with Server() as server:
            await run_script_async(script, server.run)

    asyncio.run(run())
