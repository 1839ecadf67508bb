"""What definitions cost the server's interpreter beside few and many tables, counted instead of timed (`bench.micro_commit` says why).

Each group of statements leaves the database as it was, so they are run again and again: some times to warm up, some by the
clock, and once to be counted. Bytecodes do not show what C functions do, copying a large dictionary among it: that is
what the clock is for.

    python -m bench.micro_definitions [tables,tables,...] [part of a group's name] [part of a statement's text, to list its functions]
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from types import CodeType

from bench.micro_commit import Client, Count, in_memory, tell_functions
from pgwire.server import Server

TABLES = (10, 200, 2_000)
WARM, TIMED, COUNTED = 3, 20, 2

GROUPS: dict[str, tuple[str, ...]] = {
    "table": ("CREATE TABLE y (id int PRIMARY KEY, a text NOT NULL, b numeric(10,2))", "DROP TABLE y"),
    "column": ("ALTER TABLE t1 ADD COLUMN b int", "ALTER TABLE t1 DROP COLUMN b"),
    "column of few rows": ("ALTER TABLE t0 ADD COLUMN b int", "ALTER TABLE t0 DROP COLUMN b"),
    "index": ("CREATE INDEX i ON t0 (a)", "DROP INDEX i"),
    "unique index": ("CREATE UNIQUE INDEX i ON t0 (a)", "DROP INDEX i"),
    "function": (
        "CREATE FUNCTION f(x int) RETURNS int LANGUAGE sql AS 'SELECT x + 1'",
        "DROP FUNCTION f(int)",
    ),
    "plpgsql function": (
        "CREATE FUNCTION f(x int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN x + 1; END'",
        "DROP FUNCTION f(int)",
    ),
    "schema": ("CREATE SCHEMA s", "DROP SCHEMA s"),
    "enum": ("CREATE TYPE mood AS ENUM ('sad', 'ok')", "DROP TYPE mood"),
    "composite type": ("CREATE TYPE pair AS (a int, b text)", "DROP TYPE pair"),
    "domain": ("CREATE DOMAIN positive AS int CHECK (VALUE > 0)", "DROP DOMAIN positive"),
    "trigger": (
        "CREATE TRIGGER g BEFORE INSERT ON t1 FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()"
        .replace("BEFORE INSERT", "BEFORE UPDATE"),
        "DROP TRIGGER g ON t1",
    ),
    "grant": ("GRANT SELECT ON t1 TO PUBLIC", "REVOKE SELECT ON t1 FROM PUBLIC"),
    "comment": ("COMMENT ON TABLE t1 IS 'one'", "COMMENT ON TABLE t1 IS NULL"),
    "sequence": ("CREATE SEQUENCE q", "DROP SEQUENCE q"),
    "view": ("CREATE VIEW v AS SELECT id, a FROM t1 WHERE id > 1", "DROP VIEW v"),
    "foreign key": (
        "ALTER TABLE t1 ADD CONSTRAINT r FOREIGN KEY (id) REFERENCES t0",
        "ALTER TABLE t1 DROP CONSTRAINT r",
    ),
    "check": (
        "ALTER TABLE t1 ADD CONSTRAINT k CHECK (id > 0)",
        "ALTER TABLE t1 DROP CONSTRAINT k",
    ),
    "not null": ("ALTER TABLE t1 ALTER a SET NOT NULL", "ALTER TABLE t1 ALTER a DROP NOT NULL"),
    "type of a column": ("ALTER TABLE t1 ALTER a TYPE varchar(20)", "ALTER TABLE t1 ALTER a TYPE text"),
    "name": ("ALTER TABLE t1 RENAME TO u1", "ALTER TABLE u1 RENAME TO t1"),
    "column's name": ("ALTER TABLE t1 RENAME a TO aa", "ALTER TABLE t1 RENAME aa TO a"),
    "truncate": ("TRUNCATE t1",),
    "savepoint": (
        "BEGIN", "SAVEPOINT s", "CREATE TABLE y (id int PRIMARY KEY, a text NOT NULL, b numeric(10,2))",
        "INSERT INTO y VALUES (1, 'a', 2)", "ROLLBACK TO s", "COMMIT",
    ),
    "literals": ("SELECT 1", "SELECT 'a', 2, true"),
}  # fmt: skip


async def measure(tables: int, group: str, part: str) -> None:
    async with in_memory() as executor:
        server = Server(executor)
        server.loop = asyncio.get_running_loop()
        client = Client(server, (), 0)
        await client.start()
        await client.query("CREATE TABLE t0 (id int PRIMARY KEY, a text)")
        await client.query("INSERT INTO t0 VALUES (1, 'one')")
        for i in range(1, tables):
            await client.query(f"CREATE TABLE t{i} (id int PRIMARY KEY, a text)")
        for name, statements in GROUPS.items():
            if group and group != name:
                continue
            for _ in range(WARM):
                for text in statements:
                    await client.query(text)
            took: Counter[str] = Counter()
            for _ in range(TIMED):
                for text in statements:
                    began_ns = time.process_time_ns()
                    await client.query(text)
                    took[text] += time.process_time_ns() - began_ns
            bytecodes: dict[str, Counter[CodeType]] = {text: Counter() for text in statements}
            calls: dict[str, Counter[CodeType]] = {text: Counter() for text in statements}
            for _ in range(COUNTED):
                for text in statements:
                    count = Count()
                    sys.settrace(count.begin)
                    await client.query(text)
                    sys.settrace(None)
                    bytecodes[text].update(count.bytecodes)
                    calls[text].update(count.calls)
            for text in statements:
                print(
                    f"{tables:5d} tables {sum(bytecodes[text].values()) / COUNTED:10,.0f} bytecodes"
                    f" {sum(calls[text].values()) / COUNTED:7,.0f} calls {took[text] / TIMED / 1e3:8,.0f} us   {text[:70]}",
                    flush=True,
                )
                if part and part in text:
                    tell_functions(bytecodes[text], calls[text], COUNTED)


if __name__ == "__main__":
    given = [*sys.argv[1:], "", "", ""][:3]
    for many in [int(n) for n in given[0].split(",")] if given[0] else TABLES:
        asyncio.run(measure(many, given[1], given[2]))
