"""Several servers on one environment as golden scripts: see `tests.executor.shared` for what the lines mean.

Each script runs twice: where a look at the log's end is to be had on the spot, and where it takes a round trip.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.executor.shared import Servers
from tests.golden import run_script_async, scripts

FOLDER = Path(__file__).parent / "shared_scripts"


@pytest.mark.parametrize("synchronous", [True, False], ids=["look at once", "look by round trip"])
@pytest.mark.parametrize("script", scripts(FOLDER), ids=lambda p: p.stem)
def test_script(script: Path, synchronous: bool) -> None:
    async def run() -> None:
        async with Servers(synchronous=synchronous) as servers:
            await run_script_async(script, servers.run)

    asyncio.run(run())
