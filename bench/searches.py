"""What applications search for: documents by what is in them, words, tags, parts of names. By indexes (gin) on both sides."""

from __future__ import annotations

import time
from collections.abc import Callable

from bench.peers import Peer
from bench.pgbench import script_run
from bench.workload import Workload, at_least

ROWS = 1_000_000
KNOWN_S_MAX = 300.0

_FOUND = {
    "documents by containment": ('doc @> \'{"customer": {"name": "c:a"}}\'', 200),
    "tags": ("tags @> ARRAY['g:a', 'h:b']", None),
    "words": ("ts @@ to_tsquery('simple', 'w:a & other:b')", None),
    "part of a name": ("name ILIKE '%ME :a:b %'", None),
}


def _prepare(peer: Peer) -> None:
    with peer.connect() as conn:
        conn.execute("DROP TABLE IF EXISTS bench_search")
        conn.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        conn.execute(
            "CREATE TABLE bench_search (id int PRIMARY KEY, doc jsonb, tags text[], ts tsvector, name text)"
        )
        conn.execute(
            "INSERT INTO bench_search SELECT i, jsonb_build_object('id', i, 'state', 'open', 'customer', jsonb_build_object("
            "'name', 'c' || i % 5000, 'age', i % 90)), ARRAY['g' || i % 5000, 'h' || i % 70, 'all'],"
            " to_tsvector('simple', 'w' || i % 5000 || ' other' || i % 70 || ' fat'), 'Name ' || i * 37 || ' of one'"
            f" FROM generate_series(1, {ROWS}) g(i)"
        )
        for key in ("doc jsonb_path_ops", "tags", "ts", "name gin_trgm_ops"):
            conn.execute(f"CREATE INDEX ON bench_search USING gin ({key})")
        conn.execute("ANALYZE bench_search")
        if peer.name != "postgres":  # an index is made when a query first asks for it
            for condition, _ in _FOUND.values():
                conn.execute(f"SELECT count(*) FROM bench_search WHERE {_with(condition, 17, 17)}")
            until = time.monotonic() + KNOWN_S_MAX
            sizes = "SELECT min(pg_relation_size(indexrelid)) FROM pg_index WHERE indrelid = 'bench_search'::regclass AND NOT indisprimary"
            while time.monotonic() < until:
                smallest = conn.execute(sizes).fetchone()
                if smallest is not None and smallest[0]:
                    break
                time.sleep(0.2)


def _with(text: str, a: int, b: int) -> str:
    return text.replace(":a", str(a)).replace(":b", str(b))


def _search(clients: int, condition: str, count: int | None) -> Callable[[Peer, float], float]:
    sql = f"SELECT count(*), sum(id) FROM bench_search WHERE {condition}"
    measure = script_run(clients, f"\\set a random(0, 4999)\n\\set b random(0, 69)\n{sql};\n", "simple")

    def run(peer: Peer, seconds: float) -> float:
        with peer.connect() as conn:
            for a, b in ((17, 17), (4321, 51)):
                found = conn.execute(_with(sql, a, b)).fetchone()
                assert found is not None, (peer.name, sql)
                looked = conn.execute(
                    f"SELECT count(*), sum(id) FROM (SELECT * FROM bench_search OFFSET 0) x WHERE {_with(condition, a, b)}"
                ).fetchone()
                assert found == looked and (count is None or found[0] == count), (
                    peer.name,
                    sql,
                    found,
                    looked,
                )
        return measure(peer, seconds)

    return run


def workloads() -> list[Workload]:
    return [
        Workload(
            f"search: {name} of 1M c{clients}",
            "tps",
            _search(clients, condition, count),
            _prepare,
            "searches",
            at_least(1.0),
            quick=clients == 8,
        )
        for name, (condition, count) in _FOUND.items()
        for clients in (1, 8)
    ]
