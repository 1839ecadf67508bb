"""Mappers and drivers of other languages: what a program on them prints here is what it prints on PostgreSQL.

Each program takes libpq's variables and prints a line for each step, errors too. It begins in an empty database. What its language
or packages lack is said by the probe, and the program is passed over.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.server.process import ServerProcess

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
TIMEOUT_S = 600
NODE_PATH = os.pathsep.join([os.environ.get("NODE_PATH", ""), str(HERE / "node_modules")])


@dataclass(frozen=True)
class Program:
    """`probe` succeeds where everything is installed that the program needs."""

    file: str
    command: tuple[str, ...]
    probe: tuple[str, ...]
    last: str
    """How the line of its last step begins."""


def _node(file: str, last: str, *packages: str) -> Program:
    needed = "".join(f"require.resolve({name!r});" for name in packages)
    return Program(file, ("node",), ("node", "-e", needed), last)


ALL = (
    _node("sequelize.js", "drop", "sequelize", "pg"),
    _node("typeorm.js", "dropDatabase", "typeorm", "pg", "pg-query-stream"),
    _node("knex.js", "drop", "knex", "objection", "pg", "pg-query-stream"),
    _node("drizzle.js", "d err", "postgres", "drizzle-orm"),
    _node("query_builders.js", "done", "kysely", "pg-promise", "pg"),
    _node("mikro_orm.js", "done", "@mikro-orm/postgresql", "@mikro-orm/migrations"),
    _node("graphile_worker.js", "done", "graphile-worker", "pg"),
    _node("postgraphile.js", "done", "postgraphile", "graphql", "pg"),
    Program("sequel.rb", ("ruby",), ("ruby", "-e", "require 'sequel'; require 'pg'"), "drop"),
    Program(
        "pdo.php",
        ("php",),
        ("php", "-r", "exit(extension_loaded('pdo_pgsql') && extension_loaded('pgsql') ? 0 : 1);"),
        "drop",
    ),
    Program("dbi.pl", ("perl",), ("perl", "-MDBD::Pg", "-e", "1"), "drop"),
    Program(
        "database_sql.go",
        ("go", "run"),
        ("go", "list", "github.com/jackc/pgx/v4", "github.com/lib/pq"),
        "pool",
    ),
)


def _run(command: Sequence[str], more: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
        env={**os.environ, "NODE_PATH": NODE_PATH, "PGTZ": "UTC", "PGOPTIONS": "", **more},
    )  # fmt: skip


def _played(program: Program, host: str, port: int) -> str:
    name = Path(program.file).stem
    with psycopg.connect(f"host={host} port={port} user=tidewire dbname=tidewire", autocommit=True) as c:
        c.execute(f"CREATE DATABASE {name}")
    where = {"PGHOST": host, "PGPORT": str(port), "PGUSER": "tidewire", "PGDATABASE": name}
    done = _run([*program.command, str(PROGRAMS / program.file)], where)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("program", ALL, ids=lambda p: p.file)
def test_a_program_prints_what_it_prints_on_postgresql(
    server: ServerProcess, postgres: str, program: Program
) -> None:
    if shutil.which(program.command[0]) is None:
        pytest.skip(f"{program.command[0]} is not installed")
    if _run(program.probe, {}).returncode != 0:
        pytest.skip(f"{program.file} needs packages that are not installed: {' '.join(program.probe)}")
    there = conninfo_to_dict(postgres)
    with psycopg.connect(postgres, autocommit=True) as c:
        if c.info.server_version // 10000 != 15:
            pytest.skip("what programs see is compared with PostgreSQL 15")
        if c.execute("SELECT 1 FROM pg_roles WHERE rolname = 'tidewire'").fetchone() is None:
            c.execute("CREATE ROLE tidewire SUPERUSER LOGIN")
        if c.execute("SELECT 1 FROM pg_database WHERE datname = 'tidewire'").fetchone() is None:
            c.execute("CREATE DATABASE tidewire OWNER tidewire")
    expected = _played(program, str(there["host"]), int(str(there["port"])))
    assert expected.rstrip().splitlines()[-1].startswith(program.last), "the program came to its end"
    assert _played(program, server.host, server.port).splitlines() == expected.splitlines()
