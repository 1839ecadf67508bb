"""A load with a name: killed at any moment, it goes on where it was; no row twice, none left out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pipeline.jobs import load as load_module
from pipeline.jobs.load import LoadError, LoadOptions, load
from tests.server.process import wait_until

Client = psycopg.Connection[Any]


class Killed(BaseException):
    """Stands for the end of the process: nothing handles it."""


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def numbers(path: Path, first: int, count: int, bad: tuple[int, ...] = ()) -> str:
    lines = [f"x{i},t{i}" if i in bad else f"{i},t{i}" for i in range(first, first + count)]
    return write(path, "id,name\n" + "\n".join(lines) + "\n")


def found(client: Client, table: str) -> list[int]:
    return [r[0] for r in client.execute(f"SELECT id FROM {table} ORDER BY id").fetchall()]  # type: ignore[arg-type]


def killed_after(monkeypatch: pytest.MonkeyPatch, batches: int, *, committed: bool) -> None:
    """The process ends in the middle of a batch, or right after its commit, before it knows of it."""
    left = [batches]
    name = "_copied" if not committed else "_send"
    original = getattr(load_module._Loader, name)

    def dying(self: Any, *args: Any) -> None:
        original(self, *args)
        left[0] -= 1
        if left[0] == 0:
            raise Killed

    monkeypatch.setattr(load_module._Loader, name, dying)


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("batches", [1, 3, 6])
def test_a_killed_load_goes_on_where_it_was(
    client: Client, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batches: int, committed: bool
) -> None:
    name = f"r{batches}{int(committed)}"
    client.execute(f"CREATE TABLE {name} (id int, name text)")  # type: ignore[arg-type]
    files = [numbers(tmp_path / "a.csv", 0, 35), numbers(tmp_path / "b.csv", 100, 25)]
    options = LoadOptions(resume=name, batch_rows=10)
    with monkeypatch.context() as patched:
        killed_after(patched, batches, committed=committed)
        with pytest.raises(Killed):
            load(url, name, files, options)
    before = found(client, name)
    summary = load(url, name, files, options)
    assert found(client, name) == [*range(35), *range(100, 125)]
    assert (summary.before, summary.rows) == (len(before), 60 - len(before))
    again = load(url, name, files, options)
    assert (again.before, again.rows) == (60, 0)
    assert "60 were there already" in str(again)


def test_rejects_are_written_once(
    client: Client, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.execute("CREATE TABLE rejected (id int, name text)")
    file = numbers(tmp_path / "a.csv", 0, 40, bad=(3, 22))
    rejects = tmp_path / "rejects.jsonl"
    options = LoadOptions(resume="rejected", batch_rows=10, skip_bad=True, reject_file=rejects)
    original = load_module._Loader._advance

    def dying(self: Any, file: str, rows: int, rejects: int, **more: Any) -> None:
        if rejects and self._rejects.count == 2:
            raise Killed  # the reject is in the file, and nothing says so yet
        original(self, file, rows, rejects, **more)

    with monkeypatch.context() as patched:
        patched.setattr(load_module._Loader, "_advance", dying)
        with pytest.raises(Killed):
            load(url, "rejected", [file], options)
    assert len(rejects.read_text().splitlines()) == 2
    summary = load(url, "rejected", [file], options)
    assert summary.rejected == 2
    assert [json.loads(line)["values"]["id"] for line in rejects.read_text().splitlines()] == ["x3", "x22"]
    assert found(client, "rejected") == [i for i in range(40) if i not in (3, 22)]


def test_lines_that_are_no_rows_are_told_once(client: Client, url: str, tmp_path: Path) -> None:
    client.execute("CREATE TABLE ragged (id int, name text)")
    file = write(tmp_path / "a.csv", "id,name\n1,a\n2,b,c,d\n3,c\n")
    rejects = tmp_path / "rejects.jsonl"
    options = LoadOptions(resume="ragged", skip_bad=True, reject_file=rejects)
    for _ in range(2):
        summary = load(url, "ragged", [file], options)
        assert (summary.rejected, found(client, "ragged")) == (1, [1, 3])
        assert len(rejects.read_text().splitlines()) == 1


def test_a_bad_row_ends_it_until_it_is_mended(client: Client, url: str, tmp_path: Path) -> None:
    """Without --on-error skip the rows before it stay; a file that was changed is another file."""
    client.execute("CREATE TABLE mended (id int, name text)")
    file = numbers(tmp_path / "a.csv", 0, 30, bad=(15,))
    options = LoadOptions(resume="mended", batch_rows=10)
    with pytest.raises(
        LoadError,
        match=r'a.csv, row 16, column id: invalid input syntax for type integer: "x15"; 10 rows stay loaded',
    ):
        load(url, "mended", [file], options)
    numbers(tmp_path / "a.csv", 0, 30)
    with pytest.raises(LoadError, match="is not the file any more"):
        load(url, "mended", [file], options)
    with pytest.raises(LoadError, match='is one into table "mended"'):
        load(url, "other", [file], LoadOptions(resume="mended", create=True))


def test_a_process_that_was_killed(client: Client, url: str, tmp_path: Path) -> None:
    client.execute("CREATE TABLE killed (id int, name text)")
    numbers(tmp_path / "a.csv", 0, 60_000)
    command = [
        sys.executable, "-m", "tidewire", "load", "killed", str(tmp_path / "a.csv"),
        "--url", url, "--resume", "killed", "--batch-rows", "500",
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: process.poll() is not None or len(found(client, "killed")) > 0, 60)
    finally:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.wait(30)
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert found(client, "killed") == list(range(60_000))
