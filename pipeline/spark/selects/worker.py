"""The worker process: one Spark session, a socket, a thread per query.

It prints `ready` when it listens and ends when its standard input does: with the server, however that ended. A query
whose connection closes is cancelled; its job group has the connection's name.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import socket
import sys
import threading
import traceback
import uuid
from typing import Any

from pipeline.spark.selects.answer import CONF, blocks, make_view, register_functions, sql_error
from pipeline.spark.selects.frames import BrokenConversation, frame, receive
from pipeline.spark.session import spark_session


class Worker:
    """Answers one connection after the other, each in a thread."""

    def __init__(self, spark: Any) -> None:
        self._spark = spark
        self._registered: set[str] = set()
        self._lock = threading.Lock()

    def serve(self, listener: socket.socket) -> None:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=self._converse, args=(connection,), daemon=True).start()

    def _converse(self, connection: socket.socket) -> None:
        views: list[str] = []
        with connection:
            try:
                self._answer(connection, views)
            except BrokenConversation:
                pass  # nobody is there to be told
            except Exception as e:  # noqa: BLE001 - whatever it is, the server is told
                traceback.print_exc(file=sys.stderr)
                sqlstate, message = sql_error(str(e))
                self._say(connection, b"E", {"kind": "query", "sqlstate": sqlstate, "message": message})
            finally:
                for name in views:
                    self._spark.catalog.dropTempView(name)

    def _answer(self, connection: socket.socket, views: list[str]) -> None:
        from pyspark.errors import AnalysisException, ParseException

        kind, data = receive(connection)
        if kind != b"Q":
            raise BrokenConversation("no query")
        said = json.loads(data)
        rows = [receive(connection)[1] for _ in range(said["row_frames"])]
        group = f"select-{uuid.uuid4()}"
        context = self._spark.sparkContext
        context.setJobGroup(group, "a SELECT of a client", True)
        finished = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(connection, group, finished), daemon=True)
        try:
            with self._lock:
                new = [n for n in said["functions"] if n not in self._registered]
                register_functions(self._spark, new)
                self._registered.update(new)
            for relation in said["relations"]:
                make_view(self._spark, relation, rows)
                views.append(relation["name"])
            result = self._spark.sql(said["sql"])
            result.schema  # noqa: B018 - what cannot be analysed is told before anything runs
        except (AnalysisException, ParseException) as e:
            return self._say(connection, b"E", {"kind": "analysis", "message": str(e).split("\n")[0][:1_000]})
        watcher.start()
        self._send(connection, frame(b"A"))
        try:
            for block in blocks(result):
                self._send(connection, frame(b"B", block))
            self._send(connection, frame(b"D"))
        finally:
            finished.set()

    def _watch(self, connection: socket.socket, group: str, finished: threading.Event) -> None:
        """The server says nothing more: what can be read is the end of the connection."""
        with contextlib.suppress(OSError):
            connection.recv(1)
        if not finished.is_set():
            self._spark.sparkContext.cancelJobGroup(group)

    @staticmethod
    def _send(connection: socket.socket, data: bytes) -> None:
        try:
            connection.sendall(data)
        except OSError as e:
            raise BrokenConversation(str(e)) from e

    def _say(self, connection: socket.socket, kind: bytes, what: dict[str, str]) -> None:
        with contextlib.suppress(BrokenConversation):
            self._send(connection, frame(kind, json.dumps(what).encode()))


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os.killpg(os.getpgid(0), signal.SIGKILL)  # Java is in this process group


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("socket", "master", "driver-memory", "scratch"):
        parser.add_argument(f"--{name}", required=True)
    said = parser.parse_args()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    conf = dict(CONF) | {
        "spark.driver.memory": said.driver_memory,
        "spark.local.dir": said.scratch,
        "spark.sql.warehouse.dir": f"{said.scratch}/spark-warehouse",
    }
    if said.master.startswith("local"):
        conf |= {
            "spark.sql.shuffle.partitions": "8",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
        }
    spark = spark_session("tidewire selects", master=said.master, conf=conf)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(said.socket)
    listener.listen(32)
    print("ready", flush=True)
    Worker(spark).serve(listener)


if __name__ == "__main__":
    main()
