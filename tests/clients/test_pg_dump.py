"""pg_dump: a Tidewire database becomes SQL that PostgreSQL takes, and that Tidewire takes."""

from __future__ import annotations

import shutil
from pathlib import Path

import psycopg
import pytest

from tests.clients.dumps import dumped, restored
from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess, needs_psql

SHOP = Path(__file__).with_name("shop.sql")
ROWS = [
    "SELECT id, email, name, balance, tags, active FROM shop.customers ORDER BY id",
    "SELECT id, customer_id, amount, qty, code FROM shop.orders ORDER BY id",
    "SELECT conname, contype FROM pg_constraint WHERE connamespace = 'shop'::regnamespace ORDER BY 1",
    "SELECT indexrelid::regclass::text, indisunique FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid "
    "WHERE c.relnamespace = 'shop'::regnamespace ORDER BY 1",
    "SELECT obj_description('shop.orders'::regclass), col_description('shop.orders'::regclass, 4)",
    "SELECT enumlabel FROM pg_enum JOIN pg_type t ON t.oid = enumtypid WHERE typname = 'mood' ORDER BY enumsortorder",
    "SELECT shop.spent(1), shop.most(1, 3, 2), shop.most(VARIADIC array['a', 'b'])",
    "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'shop'::regnamespace ORDER BY 1",
    "SELECT id, share, obj_description('shop.%/(numeric,numeric)'::regoperator, 'pg_operator') FROM shop.shares ORDER BY id",
    "SELECT id, tall::text, wide::text FROM spans.sizes",
    "SELECT definition FROM pg_rules WHERE schemaname = 'shop'",
    "SELECT relname, reloftype::regtype::text, (SELECT count(*) FROM shop.branches WHERE street = 'unknown') FROM pg_class "
    "WHERE reloftype <> 0 ORDER BY 1",
    "SELECT ftrelid::regclass::text, ftoptions, attname, attfdwoptions FROM pg_foreign_table JOIN pg_attribute a ON attrelid = ftrelid "
    "WHERE attnum > 0 ORDER BY 1, attnum",
    "SELECT s.srvname, srvtype, srvversion, srvoptions, fdwoptions, usename, umoptions, obj_description(s.oid, 'pg_foreign_server') "
    "FROM pg_foreign_server s JOIN pg_foreign_data_wrapper w ON w.oid = srvfdw JOIN pg_user_mappings ON srvid = s.oid",
    "SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext WHERE stxnamespace = 'shop'::regnamespace",
]
NEXT = "INSERT INTO shop.customers (email) VALUES ('c@x') RETURNING id > 2, name"


@needs_psql
@pytest.mark.skipif(shutil.which("pg_dump") is None, reason="pg_dump is not installed")
def test_a_dump_is_restored_in_postgres_and_here(server: ServerProcess) -> None:
    try:
        with running_postgres({"fsync": "off"}) as dsn, psycopg.connect(dsn, autocommit=True) as there:
            if server.connect().info.server_version < 150000:
                pytest.skip("pg_dump is compared with version 15")
            with server.connect() as here:
                here.execute("CREATE DATABASE dumped")
                here.execute("CREATE DATABASE restored")
            assert (
                server.psql(
                    "-d", "dumped", "-v", "ON_ERROR_STOP=1", "-q", "-f", str(_without_roles(server))
                ).stderr
                == ""
            )
            dump = dumped(server, "--no-owner", "-d", "dumped")
            restored(server, dump, "restored", dsn)
            with server.connect(dbname="dumped") as ours, server.connect(dbname="restored") as copy:
                for query in [*ROWS, NEXT]:
                    expected = ours.execute(query).fetchall()
                    assert there.execute(query).fetchall() == expected, query
                    assert copy.execute(query).fetchall() == expected, query
    except NoPostgres as e:
        pytest.skip(str(e))


def _without_roles(server: ServerProcess) -> Path:
    """The schema of the shop without its roles, which belong to the cluster and are not dumped."""
    made = server.data_dir.parent / "shop.sql"
    lines = SHOP.read_text().splitlines(keepends=True)
    made.write_text("".join(x for x in lines if not x.startswith(("CREATE ROLE", "GRANT"))))
    return made


@pytest.mark.skipif(shutil.which("pg_dump") is None, reason="pg_dump is not installed")
def test_a_new_database_has_no_privileges_to_tell_of(server: ServerProcess) -> None:
    with server.connect() as here:
        here.execute("CREATE DATABASE bare")
    dump = dumped(server, "-d", "bare")
    assert "GRANT" not in dump and "REVOKE" not in dump
