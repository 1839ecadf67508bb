"""What the parent of several processes does while one of them is long in starting again."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from tests.server.process import ServerProcess, wait_until
from tidewire.config import Config
from tidewire.processes import supervisor


class _Family(supervisor._Family):
    """Children that die when they are told to; one is never ready again."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.dying = {i: asyncio.Event() for i in range(config.processes)}
        self.started: list[int] = []
        self.never: set[int] = set()

    async def start(self, ordinal: int, config: Config) -> str:
        dying = self.dying[ordinal] = asyncio.Event()

        class Process:
            async def wait(self) -> int:
                await dying.wait()
                return -9

        process: Any = Process()
        self.children[ordinal] = supervisor._Child(ordinal, process)
        if ordinal in self.never:
            await asyncio.Event().wait()
        self.started.append(ordinal)
        return ""


def test_who_is_long_in_starting_keeps_nobody_waiting(tmp_path: Path) -> None:
    """Neither another one that has died, nor the signal to stop."""

    async def run() -> None:
        config = Config(data_dir=tmp_path, processes=3)
        family, stop = _Family(config), asyncio.Event()
        for i in range(3):
            await family.start(i, config)
        watch = asyncio.create_task(supervisor._watch(family, config, 1, stop))
        family.never.add(0)
        for i in (0, 1):
            family.dying[i].set()
        async with asyncio.timeout(20):
            while family.started.count(1) < 2:
                await asyncio.sleep(0.01)
            assert family.started == [0, 1, 2, 1]
            stop.set()
            await watch
        family.close()
        for child in family.children.values():
            child.ended.cancel()

    asyncio.run(run())


def test_the_signal_to_stop_while_processes_start_again(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", "--processes", "2") as server:
        told = subprocess.run(
            ["pgrep", "-P", str(server.pid)], capture_output=True, text=True, check=True
        ).stdout
        children = [int(pid) for pid in told.split()]
        for pid in children:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: server.log.read_text().count("a process died") == 2)
        assert server.stop() == 0
        for pid in children:
            assert not os.path.exists(f"/proc/{pid}")
        server.start()
        with server.connect() as client:
            assert client.execute("SELECT 1").fetchall() == [(1,)]
