"""A standalone cluster: a master and two workers in processes of their own, each worker a host to Spark.

Spark runs a second attempt at a task on another host only, and none at all with a local master. Every address of
127.0.0.0/8 is this machine, so two of them are two hosts.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyspark

from pipeline.spark.java import java_home

HOSTS = ("127.0.0.1", "127.0.0.2")
START_TIMEOUT_S = 300
_MASTER = re.compile(r"Starting Spark master at (spark://\S+)")
_REGISTERED = re.compile(r"Successfully registered with master")


def why_not() -> str:
    """Why there can be no such cluster here; empty if there can."""
    for host in HOSTS:
        try:
            socket.create_server((host, 0)).close()
        except OSError as e:
            return f"{host} is no address of this machine: {e}"
    return ""


@contextlib.contextmanager
def running_cluster(folder: Path) -> Iterator[str]:
    """A master and two workers of one core each; yields the master's URL. They end with the block."""
    with contextlib.ExitStack() as stack:
        master = _started(stack, folder, "master", HOSTS[0], "--port", "0")
        url = _said(master, folder / "master.log", _MASTER)[1]
        for i, host in enumerate(HOSTS):
            name = f"worker-{i}"
            options = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder / name), url)
            worker = _started(stack, folder, name, host, *options)
            _said(worker, folder / f"{name}.log", _REGISTERED)
        yield url


def _started(
    stack: contextlib.ExitStack, folder: Path, name: str, host: str, *arguments: str
) -> subprocess.Popen[bytes]:
    kind = "master.Master" if name == "master" else "worker.Worker"
    program = Path(pyspark.__file__).parent / "bin" / "spark-class"
    environment = os.environ | {
        "SPARK_LOCAL_IP": host,
        "SPARK_DAEMON_MEMORY": "256m",
        # Executors have their worker's environment: their Python finds what this one finds.
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    }
    home = java_home()
    if home is not None:
        environment["JAVA_HOME"] = home
    log = stack.enter_context((folder / f"{name}.log").open("wb"))
    process = subprocess.Popen(
        [str(program), f"org.apache.spark.deploy.{kind}", "--host", host, "--webui-port", "0", *arguments],
        stdout=log,
        stderr=log,
        env=environment,
    )
    stack.callback(_end, process)
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    """A worker takes its executors with it."""
    process.terminate()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _said(process: subprocess.Popen[bytes], log: Path, pattern: re.Pattern[str]) -> re.Match[str]:
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        text = log.read_text(errors="replace")
        found = pattern.search(text)
        if found is not None:
            return found
        assert process.poll() is None and time.monotonic() < deadline, text[-4000:]
        time.sleep(0.1)
