"""The one place where all rooms meet.

    Config -> DataDir -> (blob, consensus) -> Environment -> Executor -> Server -> ready line
                                                     <- SIGTERM: the same way back

Everything that is opened is closed in reverse, also when a later step fails to open.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import math
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
import uvloop

from executor.columnar.parallel import usable_cores
from executor.executor import Executor
from executor.limits import ExecutorLimits
from executor.session.settings.written_settings import FILE
from pgwire.server import Server, WireLimits
from pipeline.spark.selects.engine import SparkEngine
from planner.abc import SqlError
from planner.textsearch import files
from storage.abc import StorageError
from tidewire import __version__, logs
from tidewire.config import Config
from tidewire.credentials import (
    Credentials,
    authentication_of,
    certificate_files,
    credentials_of,
    read_again,
)
from tidewire.datadir import DataDir, DataDirError
from tidewire.open_files import places_for_clients
from tidewire.starting import CLOSE_LIMIT_S, READY, StartError, refuse_address
from txn.abc import TxnError
from txn.environment import Environment
from txn.limits import Limits
from txn.shared import SharedEnvironment

if TYPE_CHECKING:
    from tidewire.processes.seat import Seat

_log = structlog.get_logger("tidewire")


LEASE_S = 3.0
"""The leader's lease on a consensus outside of the data directory, and so about how long a new leader waits."""

YOUNG_OBJECTS = 200_000
"""So many more objects than the last time, and the cycle collector looks at them. INSERTs of 32 clients beside other load: a round took 80 ms
(190 at worst), one in 30,000 rows; with 50,000 objects 30 ms (175), one in 5,500 rows, and twice the CPU in all."""

_REFUSALS = (DataDirError, SqlError, StorageError, TxnError)
"""What keeps a server from starting and is explained by its message, without a traceback."""


def run(config: Config, seat: Seat | None = None) -> None:
    """Serves until SIGTERM or SIGINT. `seat`: this is one of several processes on a port. Raises StartError."""
    logs.configure(config.log_level, config.log_format)
    uvloop.run(serve(config, seat))


async def serve(config: Config, seat: Seat | None = None) -> None:
    """Opens everything, prints the ready line, waits for the signal, drains, closes."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    lost: list[TxnError] = []

    def log_lost(error: TxnError) -> None:
        """Fenced by another leader, or a commit's outcome unknown: what this process believes may be wrong."""
        if not stop.is_set():  # else it is this process that closes
            lost.append(error)
            stop.set()

    async with contextlib.AsyncExitStack() as stack:
        try:
            server, address = await assemble(config, stack, log_lost, seat)
        except _REFUSALS as error:
            raise StartError(str(error)) from error
        calm_collector()
        print(f"{READY}{address}", flush=True)
        _log.info("ready", address=address, version=__version__)
        await stop.wait()
        if lost:
            _log.error("the log is lost to this process: stopping", error=str(lost[0]))
            what = "terminating connection because the log is lost to this server"
            server.ending = SqlError("57P02", what, detail=str(lost[0]))
        else:
            _log.info("draining", connections=server.connection_count)
        overdue = _forced_end(2 * config.drain_timeout_s + CLOSE_LIMIT_S)
    overdue.cancel()
    if lost:
        raise StartError(f"stopped, because the log is lost to this process: {lost[0]}")


def _forced_end(after_s: float) -> threading.Timer:
    """Ends the process if it has not ended by then: DuckDB cannot be interrupted while it binds a query.

    What was acknowledged is in the log, so nothing is lost.
    """

    def end() -> None:
        _log.error("a statement cannot be stopped: ending without it", after_s=after_s)
        os._exit(1)

    timer = threading.Timer(after_s, end)
    timer.daemon = True
    timer.start()
    return timer


def calm_collector() -> None:
    """Tells Python's cycle collector that what is there now stays, and to look less often.

    Rows and versions are tuples of plain values, which reference counting frees; a full collection over
    millions of them finds nothing and holds every client up meanwhile. Nor is there one now: it would take a tenth of
    a second and find little. What is young is mostly rows on their way to DuckDB and Parquet: the longer a round waits, the more of
    it is gone by itself. So what lives long must not hold itself: the cache takes plans and their compiled forms apart.
    """
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, 20, 100)


async def assemble(
    config: Config,
    stack: contextlib.AsyncExitStack,
    log_lost: Callable[[TxnError], None],
    seat: Seat | None = None,
) -> tuple[Server, str]:
    """A listening server and its address; `stack` closes all of it. `log_lost` hears when the log is."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGHUP, changed.set)  # some may have been read by then
    authentication = authentication_of(config)  # what cannot be is refused before anything is opened
    files.look_in(config.tsearch_data)
    data_dir = None
    if not config.in_memory:
        data_dir = stack.enter_context(DataDir(config.data_dir))
    credentials = credentials_of(config, authentication, *certificate_files(config, stack))
    # A consensus of the data directory's own is behind its lock; any other may have had another leader.
    lease_s = LEASE_S if config.consensus_is_elsewhere else 0.0
    kind = SharedEnvironment if config.shared else Environment
    environment = await kind.open(
        blob=config.blob_url, consensus=config.consensus_url, limits=Limits(lease_s=lease_s)
    )
    stack.push_async_callback(environment.close)
    environment.on_fenced.append(log_lost)
    scratch = scratch_folder(config, stack)
    executor = await Executor.open(
        environment,
        scratch=str(scratch),
        functions_beside=True,
        limits=replace(
            ExecutorLimits(),
            sessions_max=config.connections_max,
            duckdb_threads=config.duckdb_threads or max(1, usable_cores() // config.processes),
            duckdb_memory_limit_bytes=config.duckdb_memory_limit_bytes,
            columnar_threads=config.columnar_threads,
            transaction_bytes_max=config.transaction_bytes_max,
            slot_kept_bytes_max=config.slot_kept_bytes_max,
        ),
    )
    stack.push_async_callback(executor.close)
    executor.planner.patience.begun()
    executor.distributed = SparkEngine(
        scratch / "spark", master=config.spark_master, driver_memory=config.spark_driver_memory
    )
    stack.push_async_callback(executor.distributed.close)
    server = Server(
        executor,
        limits=WireLimits(
            connections=config.connections_max,
            reserved_connections=config.reserved_connections,
            message_size_limit_bytes=config.message_size_limit_bytes,
            authentication_timeout_s=config.authentication_timeout_s,
            drain_timeout_s=config.drain_timeout_s,
            files=places_for_clients(config.connections_max),
            stay_awake_s=config.stay_awake_us * 1e-6 if config.processes < usable_cores() else 0.0,
        ),
        authentication=credentials.authentication,
        tls=credentials.tls,
        certificate_hash=credentials.certificate_hash,
    )
    if seat is not None:
        credentials.authentication.mock_key = seat.mock_key
        seat.number(executor)
        seat.join(server, executor)
    host, port = config.address
    try:
        host, port = await server.listen(host, port, shared=seat is not None)
    except OSError as error:
        refuse_address(config.listen, error)
    stack.push_async_callback(server.drain)
    # Several processes have one file, in the directory of them all.
    folder = config.data_dir.absolute() if seat is None else config.data_dir.absolute().parent.parent
    executor.configure(
        settings_told(config, credentials, host, port), None if config.in_memory else folder / FILE
    )
    reload = partial(read_again, config, server, credentials)
    loop.add_signal_handler(signal.SIGHUP, reload)
    if changed.is_set():
        reload()
    # Of several processes the parent is told, which tells all.
    executor.reload = reload if seat is None else partial(os.kill, os.getppid(), signal.SIGHUP)
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if data_dir is not None:
        data_dir.announce(address)
    return server, address


def settings_told(config: Config, credentials: Credentials, host: str, port: int) -> dict[str, str]:
    """What SHOW and pg_settings say of this server's own configuration, by PostgreSQL's names."""
    files = {
        "data_directory": None if config.in_memory else config.data_dir,
        "hba_file": config.hba_file,
        "ssl_cert_file": credentials.certificate,
        "ssl_key_file": credentials.key,
        "ssl_ca_file": config.tls_client_ca,
    }
    return {
        "listen_addresses": config.address[0] or "*",
        "port": str(port),
        "max_connections": str(config.connections_max),
        "superuser_reserved_connections": str(config.reserved_connections),
        "authentication_timeout": str(math.ceil(config.authentication_timeout_s)),
        "ssl": "on" if credentials.tls is not None else "off",
        **{name: str(path.absolute()) for name, path in files.items() if path is not None},
    }


def scratch_folder(config: Config, stack: contextlib.AsyncExitStack) -> Path:
    """Where the disposable image of the shards is kept: nothing in it is needed after this process."""
    if config.in_memory:
        return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tidewire-")))
    folder = config.data_dir.absolute() / "scratch"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    return folder
