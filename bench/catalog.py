"""Questions about the catalog of 200 tables: what an ORM asks of one of them, and what a schema dump asks of all.

Answers are compared by their number of rows: names, types and definitions are `tests/clients`' business.
"""

from __future__ import annotations

import time

import psycopg

from bench.peers import Peer
from bench.workload import Workload

TABLES, COLUMNS, INDEXES = 200, 6, 2


def _prepare(peer: Peer) -> None:
    with peer.connect() as conn:
        conn.execute("DROP SCHEMA IF EXISTS bench_catalog CASCADE")
        conn.execute("CREATE SCHEMA bench_catalog")
        conn.execute("SET search_path = bench_catalog")
        conn.execute("CREATE TABLE people (id int PRIMARY KEY)")
        for i in range(TABLES):
            conn.execute(
                f"CREATE TABLE t{i} (id bigint PRIMARY KEY, person int NOT NULL REFERENCES people, title varchar(120) NOT NULL,"
                " price numeric(10,2) DEFAULT 0 CHECK (price >= 0), tags text[], made timestamptz DEFAULT now())"
            )
            conn.execute(f"CREATE INDEX by_person_{i} ON t{i} (person, made)")


_DUMP = {
    "SELECT a.attname, format_type(a.atttypid, a.atttypmod), pg_get_expr(d.adbin, d.adrelid), a.attnotnull,"
    " col_description(a.attrelid, a.attnum) FROM pg_attribute a LEFT JOIN pg_attrdef d ON a.attrelid = d.adrelid AND"
    " a.attnum = d.adnum LEFT JOIN pg_type t ON a.atttypid = t.oid WHERE a.attrelid = '{table}'::regclass AND a.attnum > 0"
    " AND NOT a.attisdropped ORDER BY a.attnum": COLUMNS,
    "SELECT a.attname FROM (SELECT indrelid, indkey, generate_subscripts(indkey, 1) idx FROM pg_index WHERE indrelid ="
    " '{table}'::regclass AND indisprimary) i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[i.idx]"
    " ORDER BY i.idx": 1,
    "SELECT i.relname, d.indisunique, d.indkey, pg_get_indexdef(d.indexrelid), obj_description(i.oid, 'pg_class') FROM pg_class t"
    " JOIN pg_index d ON t.oid = d.indrelid JOIN pg_class i ON d.indexrelid = i.oid LEFT JOIN pg_namespace n ON"
    " n.oid = t.relnamespace WHERE t.relname = '{table}' AND n.nspname = ANY (current_schemas(false)) ORDER BY 1": INDEXES,
    "SELECT t2.oid::regclass::text, a1.attname, c.conname, c.confdeltype FROM pg_constraint c JOIN pg_class t1 ON c.conrelid ="
    " t1.oid JOIN pg_class t2 ON c.confrelid = t2.oid JOIN pg_attribute a1 ON a1.attnum = c.conkey[1] AND a1.attrelid = t1.oid"
    " WHERE c.contype = 'f' AND t1.relname = '{table}' ORDER BY c.conname": 1,
    "SELECT conname, pg_get_constraintdef(c.oid, true) FROM pg_constraint c JOIN pg_class t ON c.conrelid = t.oid"
    " WHERE c.contype = 'c' AND t.relname = '{table}'": 1,
}  # fmt: skip
"""What Rails asks of each table, and how many rows there are to tell."""


def _dump(peer: Peer, _seconds: float) -> float:
    with psycopg.connect(peer.dsn, autocommit=True, cursor_factory=psycopg.ClientCursor) as conn:
        conn.execute("SET search_path = bench_catalog")
        start = time.perf_counter()
        for i in range(TABLES):
            for question, count in _DUMP.items():
                found = conn.execute(question.replace("{table}", f"t{i}")).fetchall()  # type: ignore[arg-type]
                assert len(found) == count, (peer.name, question, found)
        return time.perf_counter() - start


def _one_table(peer: Peer, seconds: float) -> float:
    """How often in a second SQLAlchemy's inspector learns all of one table, which is another each time."""
    import sqlalchemy

    engine = sqlalchemy.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(peer.dsn))
    n, start = 0, time.perf_counter()
    with engine.connect() as conn:
        while time.perf_counter() < start + seconds:
            inspector, table = sqlalchemy.inspect(conn), f"t{n % TABLES}"
            found = [
                len(inspector.get_columns(table, "bench_catalog")),
                len(inspector.get_pk_constraint(table, "bench_catalog")["constrained_columns"]),
                len(inspector.get_foreign_keys(table, "bench_catalog")),
                len(inspector.get_indexes(table, "bench_catalog")),
                len(inspector.get_check_constraints(table, "bench_catalog")),
            ]
            assert found == [COLUMNS, 1, 1, 1, 1], (peer.name, found)
            n += 1
    taken = time.perf_counter() - start
    engine.dispose()
    return n / taken


def workloads() -> list[Workload]:
    return [
        Workload("catalog: what SQLAlchemy asks of one table", "per s", _one_table, _prepare, "catalog"),
        Workload("catalog: schema dump of 200 tables", "s", _dump, _prepare, "catalog", lower_is_better=True),
    ]
