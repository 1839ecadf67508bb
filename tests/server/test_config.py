"""Flags over environment over file over defaults; a data directory has one owner and one format."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from storage.abc import Determinate
from tidewire.config import ConfigError, load, split_address
from tidewire.datadir import DataDir, DataDirError


def test_the_defaults() -> None:
    config = load({})
    assert config.address == ("127.0.0.1", 5488)
    assert config.data_dir == Path("tidewire-data")
    assert config.blob_url.startswith("file:///") and config.blob_url.endswith("/tidewire-data/blob")
    assert config.consensus_url.startswith("log:////")
    assert load({"processes": 2}).consensus_url.startswith("sqlite:////")
    assert not config.in_memory


def test_flags_over_environment_over_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "tidewire.toml"
    file.write_text('listen = "127.0.0.1:1"\nlog_level = "debug"\nconnections_max = 7\n')
    monkeypatch.setenv("TIDEWIRE_LISTEN", "127.0.0.1:2")
    monkeypatch.setenv("TIDEWIRE_LOG_LEVEL", "error")
    config = load({"listen": "127.0.0.1:3", "log_level": None}, file)
    assert (config.listen, config.log_level, config.connections_max) == ("127.0.0.1:3", "error", 7)


def test_a_name_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tidewire.toml"
    file.write_text('lisen = "127.0.0.1:1"\n')
    with pytest.raises(ConfigError, match="lisen"):
        load({}, file)


@pytest.mark.parametrize("missing", ["blob", "consensus"])
def test_shared_servers_share_something(missing: str) -> None:
    both = {"shared": True, "blob": "file:///srv/blob", "consensus": "sqlite:////srv/log.sqlite"}
    assert load(both).shared
    with pytest.raises(ConfigError, match=r"a consensus and a blob that all of them can reach"):
        load({name: value for name, value in both.items() if name != missing})


@pytest.mark.parametrize("several", [{"shared": True}, {"processes": 2}])
def test_a_log_file_is_one_servers(several: dict[str, object]) -> None:
    stores = {"blob": "file:///srv/blob", "consensus": "log:////srv/log"}
    assert load(stores).consensus_url == "log:////srv/log"
    with pytest.raises(ConfigError, match=r"several servers cannot share it: use sqlite:///"):
        load(stores | several)


def test_a_file_that_is_no_toml(tmp_path: Path) -> None:
    file = tmp_path / "tidewire.toml"
    file.write_text("listen = \n")
    with pytest.raises(ConfigError, match=r"tidewire\.toml"):
        load({}, file)


@pytest.mark.parametrize(
    ("text", "address"),
    [("127.0.0.1:5488", ("127.0.0.1", 5488)), ("[::1]:1", ("::1", 1)), (":0", ("", 0)), ("db:1", ("db", 1))],
)
def test_addresses(text: str, address: tuple[str, int]) -> None:
    assert split_address(text) == address


def test_one_owner_at_a_time(tmp_path: Path) -> None:
    with DataDir(tmp_path / "d") as first:
        first.announce("127.0.0.1:5488")
        with pytest.raises(DataDirError, match=r"in use by another server \(pid \d+, 127\.0\.0\.1:5488\)"):
            DataDir(tmp_path / "d")
    with DataDir(tmp_path / "d"):
        pass


def test_a_killed_owner_may_have_left_the_lock_to_what_it_was_starting(tmp_path: Path) -> None:
    owner = """
import os, sys, time
from pathlib import Path
from tidewire.datadir import DataDir
DataDir(Path(sys.argv[1]))
if os.fork() == 0:  # has what was open, until it runs a program of its own
    time.sleep(1)
    os.execvp("true", ["true"])
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", owner, str(tmp_path / "d")], check=False, timeout=60)
    with DataDir(tmp_path / "d"):
        pass


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (json.dumps({"format": 3, "created_by": "8.0"}), "format 3, written by Tidewire 8.0"),
        ("{", "is damaged"),
        ("[]", "is damaged"),
        ("", "is damaged"),
    ],
)
def test_a_format_that_cannot_be_read_is_left_alone(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "format").write_text(content)
    with pytest.raises(DataDirError, match=words):
        DataDir(tmp_path)
    assert (tmp_path / "format").read_text() == content
    (tmp_path / "format").unlink()
    with DataDir(tmp_path):  # the lock was let go
        pass


@pytest.mark.parametrize("name", ["consensus.log", "consensus.sqlite"])
def test_the_kind_of_log_is_remembered(tmp_path: Path, name: str) -> None:
    """By the file itself: a directory that was begun with SQLite goes on with it."""
    (tmp_path / name).touch()
    for processes in (1, 2):
        url = load({"data_dir": tmp_path, "processes": processes}).consensus_url
        assert url == f"{name.rpartition('.')[2]}:///{tmp_path / name}"


def test_two_logs_are_one_too_many(tmp_path: Path) -> None:
    (tmp_path / "consensus.log").touch()
    (tmp_path / "consensus.sqlite").touch()
    with pytest.raises(Determinate, match="two logs"):
        _ = load({"data_dir": tmp_path}).consensus_url


@pytest.mark.parametrize("name", ["consensus.log", "consensus.sqlite"])
def test_data_without_a_format_is_not_guessed_at(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"something")
    with pytest.raises(DataDirError, match="no format file"):
        DataDir(tmp_path)


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataDirError, match="cannot use the data directory"):
        DataDir(tmp_path / "file" / "below")
