"""COPY from and to files of the server: what superusers may, what others are told, and what is said of bad files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import errors, sql

from tests.server.process import ServerProcess

Client = psycopg.Connection[Any]

FORMATS = [
    ("(format text)", b"1\tone\n2\t\\N\n3\tna\xc3\xafve\n"),
    ("(format csv, header)", b"n,s\n1,one\n2,\n3,na\xc3\xafve\n"),
    ("(format csv, encoding 'latin1')", b"1,one\n2,\n3,na\xefve\n"),
    ("(format binary)", None),
]


@pytest.fixture
def client(server: ServerProcess) -> Iterator[Client]:
    with server.connect(autocommit=True) as connection:
        connection.execute("drop table if exists filed; create table filed (n int primary key, s text)")
        yield connection
        connection.execute("drop table filed")


def copy(client: Client, what: str, path: Path | str, more: str = "") -> int:
    return client.execute(sql.SQL(f"copy {what} {{}} {more}").format(sql.Literal(str(path)))).rowcount  # type: ignore[arg-type]


@pytest.mark.parametrize(("options", "expected"), FORMATS, ids=[f for f, _ in FORMATS])
def test_a_table_goes_to_a_file_and_comes_back(
    client: Client, tmp_path: Path, options: str, expected: bytes | None
) -> None:
    client.execute("insert into filed values (1, 'one'), (2, null), (3, 'naïve')")
    assert copy(client, "(select * from filed order by n) to", tmp_path / "file", options) == 3
    if expected is not None:
        assert (tmp_path / "file").read_bytes() == expected
    before = client.execute("table filed order by n").fetchall()
    client.execute("truncate filed")
    assert copy(client, "filed from", tmp_path / "file", options) == 3
    assert client.execute("table filed order by n").fetchall() == before


def test_many_rows_in_a_block_that_is_rolled_back(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "many"
    path.write_text("".join(f"{i}\trow {i}\n" for i in range(200_000)))
    with client.transaction(force_rollback=True):
        assert copy(client, "filed from", path) == 200_000
        assert client.execute("select count(*), max(n) from filed").fetchone() == (200_000, 199_999)
    assert client.execute("select count(*) from filed").fetchone() == (0,)


BAD = [
    ("filed from", "/nowhere/at/all", "58P01", 'could not open file "/nowhere/at/all" for reading: No such file or directory'),
    ("filed from", "/", "42809", '"/" is a directory'),
    ("filed to", "/nowhere/at/all", "58P01", 'could not open file "/nowhere/at/all" for writing: No such file or directory'),
    ("filed to", "relative", "42602", "relative path not allowed for COPY to file"),
    ("filed to program", "cat", "0A000", "COPY TO PROGRAM is not supported"),
    ("filed from program", "cat", "0A000", "COPY FROM PROGRAM is not supported"),
]  # fmt: skip


def test_what_is_no_regular_file_holds_nobody_up(client: Client, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for way in ("from", "to"):
        with pytest.raises(errors.WrongObjectType) as refused:
            copy(client, f"filed {way}", tmp_path / "pipe")
        assert refused.value.diag.message_primary == f'"{tmp_path}/pipe" is not a regular file'


@pytest.mark.parametrize(("what", "path", "sqlstate", "message"), BAD)
def test_what_cannot_be_opened(client: Client, what: str, path: str, sqlstate: str, message: str) -> None:
    with pytest.raises(psycopg.Error) as refused:
        copy(client, what, path)
    assert (refused.value.sqlstate, refused.value.diag.message_primary) == (sqlstate, message)
    assert client.execute("select count(*) from filed").fetchone() == (0,)


def test_a_bad_row_leaves_nothing_and_is_named(client: Client, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("1\tone\ntwo\ttwo\n")
    with pytest.raises(errors.InvalidTextRepresentation) as refused:
        copy(client, "filed from", tmp_path / "file")
    assert refused.value.diag.context == 'COPY filed, line 2, column n: "two"'
    assert client.execute("select count(*) from filed").fetchone() == (0,)


def test_only_superusers_reach_files_of_the_server(server: ServerProcess, tmp_path: Path) -> None:
    with server.connect(autocommit=True) as client:
        client.execute("drop table if exists filed; create table filed (n int primary key, s text)")
        client.execute("drop role if exists filing; create role filing login; grant all on filed to filing")
        client.execute("set role filing")
        for what, way, role in (("from", "from", "read"), ("to", "to", "write")):
            with pytest.raises(errors.InsufficientPrivilege) as refused:
                copy(client, f"filed {what}", tmp_path / "file")
            expected = f"must be superuser or have privileges of the pg_{role}_server_files role to COPY {way} a file"
            assert refused.value.diag.message_primary == expected
            assert "\\copy" in str(refused.value.diag.message_hint)
        client.execute("reset role; drop table filed; drop role filing")
    assert not (tmp_path / "file").exists()
