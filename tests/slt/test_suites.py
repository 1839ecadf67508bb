"""The sqllogictest suites, against a server as it is deployed.

    slt/suites/*.slt        ours, by feature: in the simple and in the extended protocol, every record
    ../shared/slt/*.slt     a sample of four other projects' suites: some files by default,
                            all of them with SLT=all (minutes)

Every record of either was taken from, or passes on, PostgreSQL 15.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from slt.runner import run_files
from tests.server.process import ServerProcess

ROOT = Path(__file__).parents[2]
SUITES = sorted((ROOT / "slt" / "suites").glob("*.slt"))
SHARED = ROOT.parent / "shared" / "slt"
SAMPLE = (
    "cockroach__cascade",
    "cockroach__fk",
    "cockroach__sequences",
    "serene__any__pg__ddl__drop_cascade_views",
    "serene__any__pg__ddl__sequence_cascade",
    "serene__any__pg__index__secondary_index_unique",
    "serene__any__pg__simple__serial",
    "serene__any__pg__txn__variables",
    "sqlite__evidence__slt_lang_droptable",
)
"""Files of each family that are quick and pass whole."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("slt") / "data") as process:
        yield process
        assert process.unexpected() == []


def passes(server: ServerProcess, path: Path, *, extended: bool) -> None:
    def connect() -> psycopg.Connection[tuple[object, ...]]:
        return server.connect()

    (outcome,) = run_files([path], connect, extended=extended)
    assert outcome.total, "a file without records says nothing"
    failed = [f"{f.file}:{f.line}: {f.reason}\n    {f.sql}" for f in outcome.failures]
    assert not failed, f"{len(failed)} of {outcome.total} records fail\n" + "\n".join(failed[:20])


@pytest.mark.parametrize("extended", [False, True], ids=["simple", "extended"])
@pytest.mark.parametrize("path", SUITES, ids=lambda p: p.stem)
def test_suite(server: ServerProcess, path: Path, extended: bool) -> None:
    passes(server, path, extended=extended)


def shared_files() -> list[str]:
    if os.environ.get("SLT") == "all" and SHARED.is_dir():
        return [p.stem for p in sorted(SHARED.glob("*.slt"))]
    return list(SAMPLE)


@pytest.mark.skipif(
    not SHARED.is_dir(), reason="the sample of other projects' suites is not beside the repository"
)
@pytest.mark.parametrize("name", shared_files())
def test_shared_file(server: ServerProcess, name: str) -> None:
    passes(server, SHARED / f"{name}.slt", extended=False)
