"""psql's backslash commands: none fails, and what they show of a schema is what PostgreSQL's shows.

psql asks the system catalogs with queries of its own, dozens of relations and functions wide, so this is a test of
`planner.catalog.system` by its most demanding reader.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess, needs_psql

SHOP = Path(__file__).with_name("shop.sql")

EVERY_COMMAND = [
    r"\d", r"\d *.*", r"\d+ shop.*", r"\da", r"\dA", r"\dA+", r"\dAc", r"\dAf", r"\dAo", r"\dAp", r"\db", r"\db+", r"\dc",
    r"\dconfig", r"\dC", r"\dC+", r"\dd", r"\dD", r"\dD+", r"\ddp", r"\dE", r"\des", r"\det", r"\deu", r"\dew", r"\df",
    r"\df+", r"\dfn abs", r"\dF", r"\dFd", r"\dFp", r"\dFt", r"\dg", r"\dg+", r"\di", r"\di+ shop.*", r"\dl", r"\dL",
    r"\dm", r"\dn", r"\dn+", r"\do", r"\do+ ||", r"\dO", r"\dp", r"\dp shop.*", r"\dP", r"\drds", r"\dRp", r"\dRs", r"\ds",
    r"\dS", r"\dt", r"\dt+ *.*", r"\dT", r"\dT+", r"\du", r"\dv", r"\dv+", r"\dx", r"\dX", r"\dy", r"\l", r"\l+", r"\sf pg_typeof",
    r"\z", r"\z shop.*", r"\encoding", r"\conninfo", r"\lo_list", r"\d pg_catalog.pg_class", r"\d+ information_schema.tables",
]  # fmt: skip

SAME_AS_POSTGRES = [
    r"\d shop.*", r"\d shop.customers", r"\d shop.orders", r"\d shop.compound", r"\d shop.refs", r"\d shop.counter",
    r"\d shop.orders_placed", r"\d shop.orders_note", r"\d shop.customers_pkey", r"\dt shop.*", r"\di shop.*", r"\ds shop.*",
    r"\dT shop.*", r"\dT+ shop.mood", r"\dp shop.*", r"\dd shop.*", r"\dn shop", r"\dfn abs", r"\do shop.*", r"\dC shop.*",
    r"\df upper", r"\dA", r"\dv shop.*", r"\dm shop.*", r"\dconfig search_path", r"\d nothing",
    r"\dc shop.*", r"\dx shop*", r"\du reader", r"\du alice",
    r"SELECT id, name::varchar(5), amount FROM shop.customers JOIN shop.orders USING (id) \gdesc",
    r"SELECT 1 AS one \gset", r"\echo :one", r"SELECT * FROM shop.compound \gx",
    r"SELECT format('SELECT %s', i) FROM generate_series(1, 3) i \gexec",
    r"SELECT x, y, z FROM (VALUES (1, 'a', 2), (2, 'b', 3)) t(x, y, z) \crosstabview",
    r"\copy (SELECT x FROM shop.compound) TO STDOUT CSV HEADER",
]  # fmt: skip

# Differences that are right: names of the superuser, and expressions with casts that only PostgreSQL spells out.
SAME_BUT_FOR = [("postgres", "tidewire")]


@pytest.fixture(scope="module")
def shop(server: ServerProcess) -> ServerProcess:
    done = server.psql("-v", "ON_ERROR_STOP=1", "-q", "-f", str(SHOP))
    assert done.returncode == 0, done.stderr
    return server


@needs_psql
@pytest.mark.parametrize("command", EVERY_COMMAND)
def test_a_backslash_command_fails_nowhere(shop: ServerProcess, command: str) -> None:
    done = shop.psql("-c", command)
    assert "ERROR" not in done.stderr, f"{command}\n{done.stderr}"


@pytest.fixture(scope="module")
def reference() -> Iterator[dict[str, str]]:
    """The environment for psql on a PostgreSQL with the same schema."""
    try:
        with running_postgres({"fsync": "off", "timezone": "UTC"}) as dsn:
            with psycopg.connect(dsn, autocommit=True) as c:
                major = c.info.server_version // 10000
                if major != 15:
                    pytest.skip(f"this PostgreSQL is {major}, and psql's output is compared with 15")
                c.execute(SHOP.read_bytes())
            parts = conninfo_to_dict(dsn)
            yield {
                **os.environ,
                "PGHOST": str(parts["host"]),
                "PGPORT": str(parts["port"]),
                "PGUSER": str(parts["user"]),
                "PGDATABASE": str(parts["dbname"]),
            }
    except NoPostgres as e:
        pytest.skip(str(e))


@needs_psql
@pytest.mark.parametrize("command", SAME_AS_POSTGRES)
def test_a_backslash_command_shows_what_it_shows_on_postgres(
    shop: ServerProcess, reference: dict[str, str], command: str
) -> None:
    psql = shutil.which("psql")
    assert psql is not None
    script = command + "\n"
    expected = subprocess.run(
        [psql, "-X", "-P", "pager=off"], input=script, env=reference, capture_output=True, text=True, timeout=600,
        check=False,
    )  # fmt: skip
    ours = shop.psql(stdin=script)
    out, err = expected.stdout, expected.stderr
    for theirs, here in SAME_BUT_FOR:
        out, err = out.replace(theirs, here), err.replace(theirs, here)
    assert (ours.stdout, ours.stderr) == (out, err)


@needs_psql
def test_a_password_is_changed_as_psql_does_it(shop: ServerProcess) -> None:
    """`\\password` sends ALTER ROLE with the SCRAM verifier that it made itself."""
    with shop.connect() as c:
        verifier = c.pgconn.encrypt_password(b"secret", b"alice", b"scram-sha-256").decode()
        c.execute(f"ALTER USER alice PASSWORD '{verifier}'")


@needs_psql
def test_large_objects_are_imported_and_exported(shop: ServerProcess, tmp_path: Path) -> None:
    """By FunctionCall messages in a transaction of psql's own: 40 pages and a part of one come back as they were."""
    blob, back = tmp_path / "blob", tmp_path / "back"
    blob.write_bytes(random.Random(7).randbytes(40 * 2048 + 100))
    script = rf"""
\lo_import {blob}
\lo_export :LASTOID {back}
\lo_list
SELECT count(*), sum(length(data)) FROM pg_largeobject WHERE loid = :LASTOID;
\lo_unlink :LASTOID
SELECT count(*) FROM pg_largeobject;
"""
    done = shop.psql("-At", stdin=script)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert back.read_bytes() == blob.read_bytes()
    number = lines[0].removeprefix("lo_import ")
    assert lines == [
        f"lo_import {number}",
        "lo_export",
        f"{number}|tidewire|",
        "41|82020",
        f"lo_unlink {number}",
        "0",
    ]
