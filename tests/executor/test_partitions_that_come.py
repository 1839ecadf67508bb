"""What is read of a partitioned table, or of a parent, is read of its partitions and heirs to come as well.

    a   BEGIN   reads t                                  writes what b has read   COMMIT
    b             BEGIN   reads   CREATE TABLE t2 PARTITION OF t   INSERT INTO t ...      COMMIT

Neither has seen what the other has written: one of them is refused, or waits. Who has asked for nothing that the new partition could
have goes on beside it.
"""

from __future__ import annotations

import asyncio

import pytest

from tests.executor.sql import Client, Failed, Server

SETUP = """
CREATE TABLE t (id int, n int) PARTITION BY RANGE (id);
CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (10);
INSERT INTO t VALUES (1, 1), (2, 2);
CREATE TABLE loose (id int, n int);
INSERT INTO loose VALUES (15, 5);
CREATE TABLE k (id int PRIMARY KEY, n int) PARTITION BY RANGE (id);
CREATE TABLE k1 PARTITION OF k FOR VALUES FROM (0) TO (10);
CREATE TABLE nobodys (id int PRIMARY KEY, n int) PARTITION BY HASH (id);
CREATE TABLE l (k int PRIMARY KEY, n int) PARTITION BY LIST (k);
CREATE TABLE l1 PARTITION OF l FOR VALUES IN (1);
CREATE TABLE ld PARTITION OF l DEFAULT;
CREATE TABLE s (id int, n int) PARTITION BY RANGE (id);
CREATE TABLE s1 PARTITION OF s FOR VALUES FROM (0) TO (100) PARTITION BY RANGE (n);
CREATE TABLE h (id int, n int);
CREATE TABLE h1 () INHERITS (h);
CREATE VIEW v AS SELECT * FROM t WHERE n > 0;
CREATE TABLE parent (id int PRIMARY KEY);
INSERT INTO parent VALUES (1);
CREATE TABLE child (id int, of int REFERENCES parent) PARTITION BY RANGE (id);
CREATE TABLE of_k (id int, k int REFERENCES k);
CREATE TABLE out (n int)
"""

NEW = "CREATE TABLE new PARTITION OF t FOR VALUES FROM (10) TO (20); INSERT INTO t VALUES (11, 7)"
NEW_K = "CREATE TABLE new PARTITION OF k FOR VALUES FROM (10) TO (20); INSERT INTO k VALUES (11, 7)"
NEW_L = "CREATE TABLE new PARTITION OF l FOR VALUES IN (5); INSERT INTO l VALUES (5, 7)"
ATTACHED = "ALTER TABLE t ATTACH PARTITION loose FOR VALUES FROM (10) TO (20)"
FAILED = "SAVEPOINT s; !INSERT INTO t VALUES (11, 1); ROLLBACK TO s"

REFUSED = [
    ("SELECT sum(n) FROM t", NEW),
    ("SELECT sum(n) FROM t", ATTACHED),
    ("SELECT sum(n) FROM v", NEW),
    ("SELECT n FROM t WHERE id = 11", NEW),
    ("SELECT n FROM t WHERE id >= 10", NEW),  # of no partition that was there
    ("SELECT n FROM k WHERE id = 11", NEW_K),
    ("SELECT n FROM k WHERE id >= 5", NEW_K),  # of one
    ("SELECT count(*) FROM k JOIN parent ON parent.id = k.n WHERE k.id >= 5", NEW_K),
    ("SELECT n FROM k WHERE id >= 5 FOR UPDATE", NEW_K),
    ("SELECT n FROM k WHERE false OR id < 0", "CREATE TABLE new PARTITION OF k FOR VALUES FROM (-9) TO (0); INSERT INTO k VALUES (-1, 1)"),
    ("SELECT n FROM nobodys", "CREATE TABLE new PARTITION OF nobodys FOR VALUES WITH (MODULUS 1, REMAINDER 0); INSERT INTO nobodys VALUES (1, 1)"),
    ("SELECT n FROM nobodys WHERE id = 1", "CREATE TABLE new PARTITION OF nobodys FOR VALUES WITH (MODULUS 1, REMAINDER 0); INSERT INTO nobodys VALUES (1, 1)"),
    ("SELECT n FROM l WHERE k = 5", NEW_L),  # which was the DEFAULT's
    ("SELECT n FROM l WHERE k IN (1, 5)", NEW_L),
    ("SELECT sum(n) FROM s", "CREATE TABLE new PARTITION OF s1 FOR VALUES FROM (0) TO (10); INSERT INTO s VALUES (5, 7)"),
    ("SELECT sum(n) FROM h", "CREATE TABLE new () INHERITS (h); INSERT INTO new VALUES (5, 7)"),
    ("SELECT sum(n) FROM h", "CREATE TABLE new () INHERITS (h1); INSERT INTO new VALUES (5, 7)"),
    ("UPDATE t SET n = n + 1", NEW),
    ("UPDATE k SET n = n + 1 WHERE id >= 5", NEW_K),
    ("DELETE FROM t WHERE n = 7", NEW),
    ("MERGE INTO t USING (VALUES (11)) x (id) ON t.id = x.id WHEN MATCHED THEN DELETE", NEW),
    ("INSERT INTO loose SELECT * FROM t", NEW),
    ("WITH gone AS (DELETE FROM loose RETURNING id) SELECT * FROM gone JOIN t USING (id)", NEW),
    ("SELECT count(*) FROM parent WHERE id IN (SELECT n FROM t)", NEW),
    ("DECLARE c CURSOR FOR SELECT * FROM t; FETCH ALL FROM c", NEW),
    (FAILED, NEW),
    ("SAVEPOINT s; !INSERT INTO of_k VALUES (1, 11); ROLLBACK TO s", NEW_K),
    ("DELETE FROM parent", "CREATE TABLE new PARTITION OF child FOR VALUES FROM (0) TO (10); INSERT INTO child VALUES (1, 1)"),
    ("SELECT sum(n) FROM t", "ALTER TABLE t DETACH PARTITION t1"),
    ("SELECT sum(n) FROM t", "DROP TABLE t1"),
    ("SELECT sum(n) FROM h", "ALTER TABLE h1 NO INHERIT h"),
]  # fmt: skip

FINE = [
    ("SELECT n FROM k WHERE id = 1", NEW_K),
    ("UPDATE k SET n = 5 WHERE id = 1", NEW_K),
    ("INSERT INTO t VALUES (3, 3)", NEW),
    ("INSERT INTO k VALUES (3, 3) ON CONFLICT (id) DO UPDATE SET n = 3", NEW_K),
    ("SELECT n FROM l WHERE k = 1", NEW_L),
    ("SELECT sum(n) FROM t1", NEW),
    ("SELECT sum(n) FROM ONLY h", "CREATE TABLE new (id int, n int); INSERT INTO new VALUES (1, 1)"),
]


async def _said(client: Client, script: str) -> None:
    for part in script.split("; "):
        if not part.startswith("!"):
            await client.query(part)
            continue
        with pytest.raises(Failed):
            await client.query(part[1:])


async def _beside(read: str, written: str, level: str = "SERIALIZABLE") -> list[str]:
    """What both COMMITs come to: "fine", or why not; a's first."""
    async with Server() as server:
        for statement in SETUP.split(";"):
            await server.client().query(statement)
        a, b = server.client("a"), server.client("b")
        await a.query(f"BEGIN ISOLATION LEVEL {level}")
        await b.query(f"BEGIN ISOLATION LEVEL {level}")
        await _said(a, read)
        await b.query("SELECT count(*) FROM out")

        async def to_the_end(client: Client, script: str) -> str:
            try:
                await _said(client, f"{script}; COMMIT")
            except Failed as failed:
                await client.query("ROLLBACK")
                return failed.sqlstate
            return "fine"

        theirs = asyncio.ensure_future(to_the_end(b, written))
        await asyncio.wait([theirs], timeout=0.2)
        mine = await to_the_end(a, "INSERT INTO out VALUES (1)")
        return [mine, await asyncio.wait_for(theirs, 20)]


@pytest.mark.parametrize(("read", "written"), REFUSED)
def test_partitions_that_come_and_go_are_no_phantoms(read: str, written: str) -> None:
    assert sorted(asyncio.run(_beside(read, written))) in (["23503", "fine"], ["40001", "fine"])


@pytest.mark.parametrize(("read", "written"), FINE)
def test_who_asks_for_nothing_of_them_goes_on(read: str, written: str) -> None:
    assert asyncio.run(_beside(read, written)) == ["fine", "fine"]


@pytest.mark.parametrize("what", ["TABLE t", "VIEW v"])
def test_a_snapshot_stays_as_it_is_beside_attach(what: str) -> None:
    async def run() -> None:
        async with Server() as server:
            for statement in SETUP.split(";"):
                await server.client().query(statement)
            a = server.client("a")
            await a.query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            before = await a.query(f"SELECT sum(n) FROM {what.split()[1]}")
            attached = asyncio.ensure_future(server.client("b").query(ATTACHED))
            await asyncio.wait([attached], timeout=0.2)
            assert await a.query(f"SELECT sum(n) FROM {what.split()[1]}") == before
            await a.query("COMMIT")
            await attached
            assert await a.query(f"SELECT sum(n) FROM {what.split()[1]}") != before

    asyncio.run(run())
