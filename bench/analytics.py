"""TPC-H: the 22 queries through the wire, beside PostgreSQL and beside DuckDB without a server.

    peers      tidewire, postgres    tables with their primary keys, loaded by COPY, analyzed; answers compared
               duckdb                native tables of the same data in this process, as many threads as the server uses
    figure     the sum of the queries' seconds, each after it has run once; medians of three passes (PostgreSQL: one)

PostgreSQL has no index for some of them and would take hours: a query is stopped after a limit and counted with it, so its
sum is at least what it would be. Then the same on Tidewire alone, as multiples of itself: after a tenth of the line items and
orders was updated and a twentieth deleted, and while eight clients update rows. Last, the other way about: what `pgbench -N`
feels of an endless stream of such queries.
"""

from __future__ import annotations

import contextlib
import re
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import psycopg

from bench.peers import Peer, pgbench_program
from bench.pgbench import initialised
from bench.workload import BOTH, NOTED, OURS, Aim, Curve, Workload, at_most
from executor.columnar.parallel import usable_cores
from tests.binding.tpch import DDL, QUERIES
from tests.tpch.data import TABLE_NAMES, answer, generated, load

SCALE = 1.0
PASSES = 3
DUCKDB_THREADS = usable_cores()
"""The server's default (`duckdb_threads`)."""
_GROUP = f"tpch-{SCALE:g}"
POSTGRES_LIMIT_S = 20.0
"""Of one query at scale 1: what takes longer there is stopped, and counted with it."""
CLIENTS = 8
UPDATES_PER_S = 1_000
"""Where updates come at a fixed rate, whatever the server could take."""
CHANGES = (
    "UPDATE lineitem SET l_quantity = l_quantity + 1 WHERE l_orderkey % 10 = 3",
    "UPDATE orders SET o_totalprice = o_totalprice + 1 WHERE o_orderkey % 10 = 3",
    "DELETE FROM lineitem WHERE l_orderkey % 20 = 7",
)

_bare: dict[float, duckdb.DuckDBPyConnection] = {}
_loaded_s: dict[str, float] = {}
"""How long each peer took to load the tables that it has now, until somebody has asked."""
_answers: dict[tuple[float, int], object] = {}
"""What the first server answered: the second one's must be the same."""


def _folder(scale: float) -> Path:
    return generated(scale, Path(tempfile.gettempdir()))


def _prepare(scale: float) -> Callable[[Peer], None]:
    def prepare(peer: Peer) -> None:
        if peer.name == "duckdb":
            _load_bare(scale)
            return
        folder = _folder(scale)
        with peer.connect() as conn:
            _loaded_s[peer.name] = _timed(lambda: load(conn, folder))
            for settling in ("VACUUM ANALYZE", "CHECKPOINT"):  # or a peer does it while the other is measured
                conn.execute(settling)

    return prepare


def _load_bare(scale: float) -> None:
    for other in list(_bare):
        _bare.pop(other).close()
    con = duckdb.connect(config={"threads": DUCKDB_THREADS})
    for statement in re.sub(r", PRIMARY KEY \([^)]*\)", "", DDL).split(";"):
        con.execute(statement)
    for name in TABLE_NAMES:
        con.execute(
            f"INSERT INTO {name} SELECT * FROM read_csv('{_folder(scale)}/{name}.csv', header = true)"
        )
    _bare[scale] = con


Taken = dict[int, float]
"""Seconds of each query, by its number."""


def _bare_pass(scale: float) -> Taken:
    return {n: _timed(lambda n=n: _bare[scale].sql(QUERIES[n]).to_arrow_table()) for n in sorted(QUERIES)}  # type: ignore[misc]


def _pass(conn: psycopg.Connection[tuple[object, ...]]) -> Taken:
    """All queries, whose answers are taken to be right."""

    def query(number: int) -> None:
        result = conn.pgconn.exec_(QUERIES[number].encode())
        assert result.status == psycopg.pq.ExecStatus.TUPLES_OK, result.error_message

    return {number: _timed(lambda n=number: query(n)) for number in sorted(QUERIES)}  # type: ignore[misc]


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _sum_s(conn: psycopg.Connection[tuple[object, ...]]) -> float:
    """Of all queries, each the median of its passes."""
    return sum(_medians([_pass(conn) for _ in range(PASSES)]).values())


def _medians(passes: list[Taken]) -> Taken:
    return {n: statistics.median(p[n] for p in passes) for n in passes[0]}


def _queries(scale: float, limit_s: float) -> Callable[[Peer, float], Curve]:
    def taken(peer: Peer) -> Taken:
        if peer.name == "duckdb":
            return _medians([_bare_pass(scale) for _ in range(PASSES + 1)][1:])
        with peer.connect() as conn:
            if peer.name == "postgres":
                return _limited_pass(conn, scale, limit_s)
            for number in sorted(QUERIES):
                _same(peer.name, scale, number, answer(conn, number))
            return _medians([_pass(conn) for _ in range(PASSES)])

    def run(peer: Peer, seconds: float) -> Curve:
        found = taken(peer)
        points = [(float(n), s) for n, s in found.items()]
        return Curve(sum(found.values()), "query", "seconds", {"": points})

    return run


def _limited_pass(conn: psycopg.Connection[tuple[object, ...]], scale: float, limit_s: float) -> Taken:
    taken: Taken = {}
    stopped = []
    conn.execute(f"SET statement_timeout = '{int(limit_s * 1000)}'")
    for number in sorted(QUERIES):
        start = time.perf_counter()
        try:
            found = answer(conn, number)
        except AssertionError as error:
            if "statement timeout" not in str(error):
                raise
            stopped.append(number)
            taken[number] = limit_s
            continue
        took_s = time.perf_counter() - start
        _same("postgres", scale, number, found)
        if took_s < limit_s / 4:  # once more, now that it is warm
            start = time.perf_counter()
            answer(conn, number)
            took_s = time.perf_counter() - start
        taken[number] = took_s
    if stopped:
        queries = ", ".join(f"Q{n}" for n in stopped)
        NOTED.lines.append(f"postgres: {queries} stopped after {limit_s:g} s")
    return taken


def _same(whose: str, scale: float, number: int, found: object) -> None:
    assert _answers.setdefault((scale, number), found) == found, f"query {number}: {whose} answers otherwise"


def _load(peer: Peer, seconds: float) -> float:
    """The seconds of the load that has just made the tables, or of one more."""
    if peer.name not in _loaded_s:
        _prepare(SCALE)(peer)
    with peer.connect() as conn:
        for name in TABLE_NAMES:
            row = conn.execute(f"SELECT count(*) FROM {name}").fetchone()
            with (_folder(SCALE) / f"{name}.csv").open("rb") as file:
                assert row == (sum(1 for _ in file) - 1,), (peer.name, name, row)
    return _loaded_s.pop(peer.name)


# --- the same under changes ------------------------------------------------------------------------


def _after_changes(peer: Peer, seconds: float) -> float:
    with peer.connect() as conn:
        _pass(conn)
        before = _sum_s(conn)
        for change in CHANGES:
            conn.execute(change)
        _pass(conn)
        after = _sum_s(conn)
    NOTED.lines.append(f"{before:.2f} s before, {after:.2f} s after")
    return after / before


_UPDATES = """\\set o random(1, 6000000)
UPDATE orders SET o_totalprice = o_totalprice + 1 WHERE o_orderkey = :o;
UPDATE lineitem SET l_quantity = l_quantity + 1 WHERE l_orderkey = :o AND l_linenumber = 1;
"""


@contextlib.contextmanager
def _running_pgbench(peer: Peer, *arguments: str) -> Iterator[None]:
    program = pgbench_program()
    assert program is not None, "pgbench is not installed"
    command = [program, *peer.pg_arguments, "-n", "-M", "prepared", "-c", str(CLIENTS), "-T", "36000"]
    process = subprocess.Popen(
        [*command, *arguments, peer.dbname], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        time.sleep(1)
        yield
        assert process.poll() is None, "the updates ended before the queries did"
    finally:
        process.kill()
        process.wait()


def _while_updating(*rate: str) -> Callable[[Peer, float], float]:
    """`rate`: what keeps pgbench from updating as fast as it is answered."""

    def run(peer: Peer, seconds: float) -> float:
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as script, peer.connect() as conn:
            script.write(_UPDATES)
            script.flush()
            _pass(conn)
            alone = _sum_s(conn)
            with _running_pgbench(peer, "-f", script.name, *rate):
                beside = _sum_s(conn)
        NOTED.lines.append(f"{peer.name}: {alone:.2f} s alone, {beside:.2f} s beside the updates")
        return beside / alone

    return run


# --- point transactions beside queries without end -------------------------------------------------


def _latencies_ms(peer: Peer, seconds: float) -> list[float]:
    """Of `pgbench -N` with eight clients, from its log of every transaction."""
    program = pgbench_program()
    assert program is not None, "pgbench is not installed"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                *(program, *peer.pg_arguments, "-n", "-N", "-M", "prepared", "-c", str(CLIENTS)),
                *("-T", str(max(1, round(seconds))), "-l", f"--log-prefix={folder}/log", peer.dbname),
            ],
            check=True,
            capture_output=True,
            timeout=seconds + 600,
        )
        lines = "".join(f.read_text() for f in Path(folder).glob("log*")).splitlines()
    return [int(line.split(" ")[2]) / 1000 for line in lines]


def _mixed(peer: Peer, seconds: float) -> float:
    """p99 beside the queries, as a multiple of the p99 alone."""
    seconds = 5 * seconds
    initialised(10)(peer)
    alone = statistics.quantiles(_latencies_ms(peer, seconds), n=100)[98]
    over = threading.Event()
    done = 0
    failures: list[BaseException] = []

    def analyst() -> None:
        nonlocal done
        try:
            with psycopg.connect(peer.dsn, autocommit=True) as conn:
                conn.execute("SET statement_timeout = '60s'")
                while not over.is_set():
                    for number in sorted(QUERIES):
                        if not over.is_set() and (peer.name != "postgres" or number not in (17, 20)):
                            result = conn.pgconn.exec_(QUERIES[number].encode())
                            assert result.status == psycopg.pq.ExecStatus.TUPLES_OK, result.error_message
                            done += 1
        except BaseException as error:  # noqa: BLE001 - raised again below
            failures.append(error)

    thread = threading.Thread(target=analyst)
    thread.start()
    try:
        beside = statistics.quantiles(_latencies_ms(peer, seconds), n=100)[98]
    finally:
        over.set()
        thread.join()
    if failures:
        raise failures[0]
    assert done > 0, "no query ended beside the updates"
    NOTED.lines.append(f"{peer.name}: p99 {alone:.1f} ms alone, {beside:.1f} ms beside {done} queries")
    return beside / alone


def _times(name: str, run: Callable[[Peer, float], float], bound: float) -> Workload:
    return Workload(
        name,
        "times",
        run,
        _prepare(SCALE),
        _GROUP,
        at_most(bound),
        lower_is_better=True,
        quick=False,
        peers=OURS,
        rounds=1,
        time_limit_s=1800,
    )


def _all_queries(scale: float, limit_s: float, quick: bool) -> Workload:
    return Workload(
        f"TPC-H SF {scale:g}: 22 queries",
        "s",
        _queries(scale, limit_s),
        _prepare(scale),
        f"tpch-{scale:g}",
        () if quick else (Aim("postgres", ratio=10.0), Aim("duckdb", ratio=round(1 / 1.15, 2))),
        lower_is_better=True,
        quick=quick,
        peers=(*BOTH, "duckdb"),
        rounds=1,
        time_limit_s=1800,
    )


def workloads() -> list[Workload]:
    """The tables of scale 1 are loaded once for all that use them, those that change them last."""
    return [
        _all_queries(0.1, 5.0, quick=True),
        _all_queries(SCALE, POSTGRES_LIMIT_S, quick=False),
        Workload(
            "TPC-H SF 1: loaded by COPY",
            "s",
            _load,
            _prepare(SCALE),
            _GROUP,
            lower_is_better=True,
            quick=False,
            rounds=1,
            time_limit_s=1800,
        ),
        _times("p99 of pgbench -N c8 beside TPC-H, over alone", _mixed, 5.0),
        _times("TPC-H SF 1 after 10 % was changed, over before", _after_changes, 1.5),
        _times(
            "TPC-H SF 1 beside 1,000 updates a second of 8 clients in all, over alone",
            _while_updating("-R", str(UPDATES_PER_S // 2)),  # a script has two
            1.5,
        ),
        _times("TPC-H SF 1 while 8 clients update, over alone", _while_updating(), 1.5),
    ]
