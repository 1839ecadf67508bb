"""The server's side of big SELECTs: starts the worker, asks it, reads its answers."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

import pyarrow as pa

from executor.abc import ExecutionError
from executor.distributed.abc import NotAnswerable, Request
from pipeline.spark.java import NoJava, java_home
from pipeline.spark.selects.frames import BrokenConversation, read_frame, request_frames, table_of

START_TIMEOUT_S: Final = 600.0
QUERIES_MAX: Final = 16
"""At once; one more is 53300."""
_LOG_BYTES: Final = 4_000


class SparkEngine:
    """`executor.distributed.abc.Engine` on a Spark of its own."""

    def __init__(self, scratch: Path, *, master: str = "local[*]", driver_memory: str = "1g") -> None:
        self._scratch, self._master, self._memory = scratch, master, driver_memory
        self._folder: Path | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._starting = asyncio.Lock()
        self._running: set[SparkRun] = set()
        self._missing: str | None = None

    def missing(self) -> str:
        if self._missing is None:
            if importlib.util.find_spec("pyspark") is None:
                self._missing = "Install it: pip install 'tidewire[spark]' (and Java 17 or newer)."
            else:
                try:
                    java_home()
                    self._missing = ""
                except NoJava as e:
                    self._missing = str(e)
        return self._missing

    async def start(self, request: Request) -> SparkRun:
        if len(self._running) >= QUERIES_MAX:
            raise ExecutionError("53300", "too many queries are at the distributed engine")
        run = SparkRun(self)
        self._running.add(run)
        try:
            await self._ready()
            assert self._folder is not None
            run.reader, run.writer = await asyncio.open_unix_connection(str(self._folder / "worker"))
            for data in request_frames(request):
                run.writer.write(data)
                await run.writer.drain()
            kind, data = await read_frame(run.reader)
            if kind != b"A":
                self._raise(kind, data)
        except (BrokenConversation, OSError) as e:
            run.close()
            raise self._gone() from e
        except BaseException:
            run.close()
            raise
        return run

    def _raise(self, kind: bytes, data: bytes) -> None:
        said = json.loads(data) if kind == b"E" else {"kind": "engine", "message": f"frame {kind!r}"}
        if said["kind"] == "analysis":
            raise NotAnswerable(said["message"])
        raise ExecutionError(said.get("sqlstate") or "58000", said["message"], detail=said.get("detail", ""))

    def _gone(self) -> ExecutionError:
        return ExecutionError(
            "58000",
            "the distributed engine ended unexpectedly",
            detail=self._log_tail(),
            hint="The next query starts it again.",
        )

    def _log_tail(self) -> str:
        with contextlib.suppress(OSError):
            if self._folder is not None:
                return (self._folder / "log").read_text(errors="replace")[-_LOG_BYTES:].strip()
        return ""

    # --- the worker process ----------------------------------------------------------------------

    async def _ready(self) -> None:
        """The worker runs and listens. Raises SqlError."""
        async with self._starting:
            if self._process is not None and self._process.returncode is None:
                return
            await self._stop()
            # A socket's path is short by law, and the scratch folder's may be long.
            self._folder = Path(tempfile.mkdtemp(prefix="tw-spark-"))
            environment = {k: v for k, v in os.environ.items() if not k.startswith("TIDEWIRE_")}
            if self._master.startswith("local"):
                environment.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            with open(self._folder / "log", "wb") as log:
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable, "-m", "pipeline.spark.selects.worker", "--socket", str(self._folder / "worker"),
                    "--master", self._master, "--driver-memory", self._memory, "--scratch", str(self._scratch),
                    stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=log, env=environment,
                    start_new_session=True,
                )  # fmt: skip
            assert self._process.stdout is not None
            try:
                line = await asyncio.wait_for(self._process.stdout.readline(), START_TIMEOUT_S)
            except TimeoutError:
                line = b""
            except BaseException:
                await self._stop()
                raise
            if line.strip() != b"ready":
                tail = self._log_tail()
                await self._stop()
                raise ExecutionError("58000", "the distributed engine did not start", detail=tail)

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            # The worker ends when its standard input does, Java with it.
            if process.stdin is not None:
                process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), 10)
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, 9)
                await process.wait()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    async def close(self) -> None:
        for run in list(self._running):
            run.close()
        await self._stop()

    def ended(self, run: SparkRun) -> None:
        self._running.discard(run)


class SparkRun:
    """One query: a connection."""

    def __init__(self, engine: SparkEngine) -> None:
        self._engine = engine
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None
        self._done = self._closed = False

    async def read(self) -> pa.RecordBatch | None:
        assert self.reader is not None
        while not self._done:
            try:
                kind, data = await read_frame(self.reader)
            except BrokenConversation as e:
                if self._closed:
                    raise ExecutionError("57014", "canceling statement due to user request") from e
                raise self._engine._gone() from e
            if kind == b"D":
                self._done = True
            elif kind == b"B":
                batches = table_of(data).combine_chunks().to_batches()
                if batches:
                    return batches[0]
            else:
                self._done = True
                self._engine._raise(kind, data)
        return None

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._engine.ended(self)
        if self.writer is not None:
            self.writer.close()
