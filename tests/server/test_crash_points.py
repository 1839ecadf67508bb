"""The crash matrix: a real server dies (SIGKILL) before and after every step that lasts, and comes back.

One case is one fail point (`storage.failpoints`) and how many times it is passed first. The server works hard at
everything at once, dies there, and is started again; then everything that clients were told must be true
(`tests.server.crash_load`), `tidewire verify` must find nothing wrong, and what the dead one left lying about is collected.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from pathlib import Path

import pytest

from pipeline.jobs.verify import VerifyReport, verify_stores
from storage.failpoints import POINTS
from tests.server.consensus import consensus
from tests.server.crash_load import Load, check_evidence, prepare
from tests.server.process import ServerProcess, wait_until

ROOT = Path(__file__).parents[2]
DEATH_LIMIT_S = 300.0


class HastyServer(ServerProcess):
    """`tests.server.hasty`, with a fail point or without. `stores`: flags that name blob and consensus."""

    def __init__(self, data_dir: Path, *stores: str, fail_at: str = "", orphans: bool = False) -> None:
        environment = {"PYTHONPATH": str(ROOT)}
        if fail_at:
            environment["TIDEWIRE_FAIL_AT"] = fail_at
        if orphans:
            environment["HASTY_ORPHANS"] = "1"
        self.fail_at = fail_at
        super().__init__(data_dir, *stores, environment=environment)

    def command(self) -> list[str]:
        return [sys.executable, "-m", "tests.server.hasty", *super().command()[3:]]


IN_A_ROUND = {
    "txns.append.before": 60,
    "txns.append.sent": 5,
    "txns.append.after": 60,
    "txns.staged.before": 2,
    "txns.staged.after": 3,
    "txns.register.before": 2,
    "txns.register.after": 2,
    "txns.forget.before": 2,
    "txns.forget.after": 2,
    "txns.leases.before": 2,
    "txns.leases.after": 2,
    "txns.reserve.before": 5,
    "txns.reserve.after": 5,
    "txns.rids.before": 2,
    "txns.rids.after": 2,
}
BEHIND = {
    "txns.tidy.before": 3,
    "txns.tidy.after": 3,
    "txns.retract.before": 1,
    "txns.retract.after": 1,
    "txns.bury.before": 1,
    "txns.bury.after": 1,
    "txns.since.before": 2,
    "txns.since.after": 2,
    "txns.rollup.before": 2,
    "txns.rollup.untruncated": 2,
    "txns.rollup.after": 2,
    "shard.append.before": 5,
    "shard.append.after": 5,
    "shard.evolve.before": 2,
    "shard.evolve.after": 2,
    "shard.allowsince.before": 3,
    "shard.allowsince.after": 3,
    "shard.replace.before": 2,
    "shard.replace.after": 2,
    "shard.collect.before": 1,
    "shard.collect.after": 1,
    "shard.rollup.before": 2,
    "shard.rollup.after": 2,
    "shard.drop.before": 1,
    "shard.drop.after": 1,
    "blob.put.before": 4,
    "blob.put.unnamed": 4,
    "blob.put.after": 4,
    "blob.delete.before": 2,
    "blob.delete.after": 2,
}
AT_START = ["txns.takeover.before", "txns.takeover.after"]
OF_THE_APPEND_PROCESS = {"append_process.before": 3, "append_process.after": 3}
OF_THE_LOG_FILE = {f"logfile.replace.{when}" for when in ("before", "unnamed", "after")}
"""Their cases are in `tests/storage/test_logfile.py`: a log that grows and is truncated is all that they need."""
OF_SHARED_SERVERS = {
    "members.write.before": 3,
    "members.write.after": 3,
    "txns.append.before": 60,
    "txns.append.after": 60,
    "txns.staged.before": 2,
    "txns.staged.after": 2,
    "txns.register.after": 2,
}
OF_THE_STEWARD = {
    "txns.tidy.after": 6,
    "txns.rollup.untruncated": 3,
    "shard.append.after": 6,
}
"""What one of several servers does for all of them: the one that is there the longest."""
QUICK = ["txns.staged.after", "shard.replace.before"]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with the load's tables in it."""
    folder = tmp_path_factory.mktemp("crash") / "template"
    with HastyServer(folder) as server:
        prepare(server)
        assert server.stop() == 0
    return folder


def stores_of(folder: Path) -> VerifyReport:
    return verify_stores((folder / "blob").as_uri(), f"log:///{folder / 'consensus.log'}")


def verified(folder: Path) -> None:
    """Of a server that was stopped."""
    report = stores_of(folder)
    assert report.problems == [], str(report)


def dies_and_comes_back(doomed: HastyServer, *stores: str) -> HastyServer:
    """Under load, at its fail point; the server that it returns was started after that, and has passed all checks."""
    heir = HastyServer(doomed.data_dir, *stores, orphans=True)
    load = Load(doomed, seed=sum(map(ord, doomed.fail_at)))
    try:
        load.start()
        assert doomed.wait(DEATH_LIMIT_S) == -9, "it was to be killed"
        heir.port = doomed.port
        heir.start()
        evidence = load.end()
        check_evidence(heir, evidence)
        assert heir.unexpected() == []
        return heir
    except BaseException:
        load.plan.stop.set()
        for server in (doomed, heir):
            if server.running:
                server.kill()
        raise


def nothing_is_left_lying_about(heir: HastyServer, folder: Path) -> None:
    """What the dead server had staged goes when it is old enough, and shards are looked after again."""

    def collected() -> bool:
        with heir.connect() as connection:
            # Two commits: `since` goes on, and all shards are looked after.
            connection.execute("INSERT INTO bulk VALUES (-1, 1)")
            connection.execute("DELETE FROM bulk WHERE batch = -1")
        time.sleep(0.5)
        # Its problems are not asked for: this server collects faster than anybody can read.
        return stores_of(folder).unnamed_blobs == 0

    wait_until(collected, 300)


def _case(data: Path, fail_at: str) -> None:
    doomed = HastyServer(data, fail_at=fail_at)
    doomed.start()
    heir = dies_and_comes_back(doomed)
    try:
        nothing_is_left_lying_about(heir, data)
        assert heir.stop() == 0
        verified(data)
    finally:
        if heir.running:
            heir.kill()


def _ids(points: dict[str, int]) -> list[str]:
    return [f"{name}:{times}" for name, times in points.items()]


@pytest.mark.parametrize("name", QUICK)
def test_killed_at(template: Path, tmp_path: Path, name: str) -> None:
    data = Path(shutil.copytree(template, tmp_path / "data"))
    _case(data, f"{name}:{(IN_A_ROUND | BEHIND)[name]}")


@pytest.mark.soak
@pytest.mark.parametrize("fail_at", _ids(IN_A_ROUND | BEHIND))
def test_killed_at_every_step(template: Path, tmp_path: Path, fail_at: str) -> None:
    _case(Path(shutil.copytree(template, tmp_path / "data")), fail_at)


@pytest.mark.soak
@pytest.mark.parametrize("name", AT_START)
def test_killed_while_it_takes_over(template: Path, tmp_path: Path, name: str) -> None:
    data = Path(shutil.copytree(template, tmp_path / "data"))
    doomed = HastyServer(data, fail_at=name)
    with pytest.raises(AssertionError, match="did not start"):
        doomed.start()
    with HastyServer(data) as heir:
        with heir.connect() as connection:
            connection.execute("INSERT INTO bulk VALUES (1, 1)")
        assert heir.stop() == 0
    verified(data)


@pytest.mark.soak
@pytest.mark.parametrize("fail_at", _ids(OF_THE_APPEND_PROCESS))
def test_the_append_process_killed(template: Path, tmp_path: Path, fail_at: str) -> None:
    """Only that one dies, again and again; the server finds out what became of each append, and goes on."""
    data = Path(shutil.copytree(template, tmp_path / "data"))
    with HastyServer(data, fail_at=fail_at) as server:
        load = Load(server, seed=7)
        load.start()
        wait_until(lambda: len(load.ledger.batches) > 6 or load.builder.failure, 300)
        evidence = load.end()
        check_evidence(server, evidence)
        assert all(t.outcome != "unknown" for t in evidence.history.txns)
        assert server.unexpected() == []
        assert server.stop() == 0
    verified(data)


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.parametrize("fail_at", _ids(OF_SHARED_SERVERS | OF_THE_STEWARD))
def test_a_shared_server_killed_beside_another(tmp_path: Path, kind: str, fail_at: str) -> None:
    with consensus(kind, tmp_path) as url:
        blob = (tmp_path / "blob").as_uri()
        stores = ["--shared", "--consensus", url, "--blob", blob]
        doomed = HastyServer(tmp_path / "data", *stores, fail_at=fail_at)
        beside = HastyServer(tmp_path / "beside", *stores)
        with contextlib.ExitStack() as running:
            if fail_at.split(":")[0] in OF_THE_STEWARD:
                doomed.start()
            running.enter_context(beside)
            prepare(beside)
            if not doomed.running:
                doomed.start()
            heir = dies_and_comes_back(doomed, *stores)
            try:
                with beside.connect() as here, heir.connect() as there:
                    question = "SELECT count(*), sum(batch) FROM bulk"
                    assert here.execute(question).fetchone() == there.execute(question).fetchone()
                assert heir.stop() == 0
                assert beside.unexpected() == []
                assert beside.stop() == 0
            finally:
                if heir.running:
                    heir.kill()
        report = verify_stores(blob, url)
        assert report.problems == [], str(report)


def test_the_matrix_is_whole() -> None:
    """Every fail point has a case."""
    covered = {
        *IN_A_ROUND,
        *BEHIND,
        *AT_START,
        *OF_THE_APPEND_PROCESS,
        *OF_SHARED_SERVERS,
        *OF_THE_STEWARD,
    } | OF_THE_LOG_FILE
    assert covered == POINTS
