"""Lists of parameters of many lengths, in both formats: what clients are told of them, and find by them, is what PostgreSQL says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, Final

import psycopg
import pytest
from psycopg import pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.server.process import ServerProcess

DDL: Final = """
CREATE TABLE lp (id int PRIMARY KEY, b bigint, s smallint, name varchar(20), tx text, u uuid, n numeric, f float8, d date, c char(5));
INSERT INTO lp SELECT i, i * 10, i, 'n' || i, 'it''s "' || i || '", {x}', ('00000000-0000-0000-0000-000000000' || lpad(i::text, 3, '0'))::uuid, i + 0.5, i, date '2020-01-01' + i, 'c' || i FROM generate_series(1, 100) i;
INSERT INTO lp (id, tx, name) VALUES (200, '', ''), (201, 'NULL', 'NULL'), (202, '{}', 'é'), (203, 'a,b', 'a"b'), (204, NULL, NULL);
CREATE INDEX ON lp (b);
CREATE INDEX ON lp (name);
CREATE INDEX ON lp (u);
CREATE TABLE lm (a int, b int, c text, PRIMARY KEY (a, b));
INSERT INTO lm SELECT i, j, i || '-' || j FROM generate_series(1, 9) i, generate_series(1, 9) j;
CREATE TABLE lr (k int PRIMARY KEY, v text) PARTITION BY RANGE (k);
CREATE TABLE lr1 PARTITION OF lr FOR VALUES FROM (0) TO (50);
CREATE TABLE lr2 PARTITION OF lr FOR VALUES FROM (50) TO (500);
INSERT INTO lr SELECT i, 'v' || i FROM generate_series(1, 100) i;
CREATE FUNCTION lf(int) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT EXISTS (SELECT 1 FROM lm WHERE b IN ($1))';
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TABLE ld (id positive PRIMARY KEY, v positive);
INSERT INTO ld SELECT i, i FROM generate_series(1, 20) i;
"""
LENGTHS: Final = (1, 2, 3, 5, 31, 32, 40, 150, 1_001)
Values = Sequence[bytes | None]
Told = tuple[Any, ...]


def texts(count: int) -> list[bytes | None]:
    return [b"n%d" % (i * 3) for i in range(1, count + 1)]


def strange(count: int) -> list[bytes | None]:
    own = [b"", b"NULL", b"{}", b"a,b", b'it\'s "7", {x}', b"null", b"\\", b" ", "é".encode(), b'a"b']
    return [own[i % len(own)] for i in range(count)]


def numbers(count: int) -> list[bytes | None]:
    return [b"%d" % (i * 7 % 120 - 10) for i in range(1, count + 1)]


def uuids(count: int) -> list[bytes | None]:
    return [(b"{00000000000000000000000000000%03d}" if i % 2 else b"00000000-0000-0000-0000-000000000%03d") % i for i in range(1, count + 1)]  # fmt: skip


def days(count: int) -> list[bytes | None]:
    return [b"2020-01-%02d" % (i % 28 + 1) for i in range(count)]


CASES: Final[tuple[tuple[str, Callable[[int], list[bytes | None]], tuple[bytes, ...], tuple[bytes, ...]], ...]] = (
    # a text; what is in the list; what is given before it, and behind it
    ("SELECT id FROM lp WHERE id IN ({}) ORDER BY id", numbers, (), ()),
    ("SELECT id, b FROM lp WHERE b IN ({}) ORDER BY id", numbers, (), ()),
    ("SELECT id FROM lp WHERE s IN ({}) ORDER BY id", numbers, (), ()),
    ("SELECT id FROM lp WHERE id IN ({}) AND s > {after} ORDER BY id LIMIT {after}", numbers, (), (b"3", b"4")),
    ("SELECT {before}::text, id FROM lp WHERE b > {before} AND id NOT IN ({}) AND name <> {after} ORDER BY id", numbers, (b"shown", b"30"), (b"n9",)),
    ("SELECT id FROM lp WHERE NOT id IN ({}) AND id < 20 ORDER BY id", numbers, (), ()),
    ("SELECT id FROM lp WHERE name IN ({}) ORDER BY id", texts, (), ()),
    ("SELECT id FROM lp WHERE name NOT IN ({}) ORDER BY id", texts, (), ()),
    ("SELECT id FROM lp WHERE tx IN ({}) ORDER BY id", strange, (), ()),
    ("SELECT id FROM lp WHERE name IN ({}) ORDER BY id", strange, (), ()),
    ("SELECT id FROM lp WHERE upper(name) IN ({}) ORDER BY id", texts, (), ()),
    ("SELECT id FROM lp WHERE u IN ({}) ORDER BY id", uuids, (), ()),
    ("SELECT id FROM lp WHERE n IN ({}) ORDER BY id", numbers, (), ()),
    ("SELECT id FROM lp WHERE f IN ({}) ORDER BY id", numbers, (), ()),
    ("SELECT id FROM lp WHERE d IN ({}) ORDER BY id", days, (), ()),
    ("SELECT id FROM lp WHERE c IN ({}) ORDER BY id", texts, (), ()),
    ("SELECT id FROM lp WHERE id + 1 IN ({}) ORDER BY id", numbers, (), ()),
    ("SELECT id IN ({}), count(*) FROM lp GROUP BY 1 ORDER BY 1", numbers, (), ()),
    ("SELECT count(*) FROM lp WHERE id = {before} OR s IN ({})", numbers, (b"99",), ()),
    ("SELECT count(*) FROM lp x JOIN lp y ON y.id = x.s WHERE x.id IN ({}) AND y.b > {after}", numbers, (), (b"5",)),
    ("WITH w AS (SELECT id FROM lp WHERE id IN ({})) SELECT sum(id) FROM w", numbers, (), ()),
    ("SELECT a, b FROM lm WHERE a = {before} AND b IN ({}) ORDER BY b", numbers, (b"2",), ()),
    ("SELECT a, b FROM lm WHERE a IN (1, 2) AND b IN ({}) ORDER BY a, b", numbers, (), ()),
    ("SELECT k FROM lr WHERE k IN ({}) ORDER BY k", numbers, (), ()),
    ("SELECT id FROM ld WHERE id IN ({}) AND v <> {after} ORDER BY id", numbers, (), (b"4",)),
    ("UPDATE lp SET s = s + 1 WHERE id IN ({}) RETURNING id, s", numbers, (), ()),
    ("UPDATE lp SET tx = {before} WHERE name IN ({}) AND id > {after}", texts, (b"new",), (b"5",)),
    ("UPDATE lm SET c = {before} WHERE a = 3 AND b IN ({})", numbers, (b"new",), ()),
    ("DELETE FROM lp WHERE id IN ({})", numbers, (), ()),
    ("DELETE FROM lr WHERE k IN ({})", numbers, (), ()),
    ("INSERT INTO lm SELECT id, 100, name FROM lp WHERE id IN ({})", numbers, (), ()),
    ("SELECT id FROM lp WHERE id IN ({}) ORDER BY id FOR UPDATE", numbers, (), ()),
    ("SELECT id, 'in ($1, $2)' FROM lp WHERE id IN ({}) /* $1 */ ORDER BY id", numbers, (), ()),
    ("SELECT id FROM lp WHERE id IN ({}) AND lf(id) ORDER BY id", numbers, (), ()),
    ("SELECT id FROM lp WHERE nobody IN ({})", numbers, (), ()),
    ("SELECT id FROM lp WHERE id IN ({}) AND nobody = {after}", numbers, (), (b"1",)),
    ("SELECT {before} IN ({})", numbers, (b"1",), ()),
)  # fmt: skip


def written(text: str, count: int, before: int = 0, cast: str = "") -> str:
    """The text with its list, and the parameters around it."""
    for i in range(1, before + 1):
        text = text.replace("{before}", f"${i}", 1)
    text = text.replace(
        "({})", f"({', '.join(f'${i}{cast}' for i in range(before + 1, before + count + 1))})"
    )
    behind = before + count
    while "{after}" in text:
        behind += 1
        text = text.replace("{after}", f"${behind}", 1)
    return text


def told(c: pq.abc.PGconn, r: pq.abc.PGresult) -> Told:
    if r.status in (pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.BAD_RESPONSE):
        fields = (
            pq.DiagnosticField.SQLSTATE,
            pq.DiagnosticField.MESSAGE_PRIMARY,
            pq.DiagnosticField.CONTEXT,
            pq.DiagnosticField.STATEMENT_POSITION,
        )
        return tuple((r.error_field(f) or b"").decode("utf-8", "replace") for f in fields)
    rows = [tuple(r.get_value(i, j) for j in range(r.nfields)) for i in range(r.ntuples)]
    if (r.command_status or b"")[:6] != b"SELECT":
        rows.sort()
    return r.command_status, rows


class Asked:
    """One client, whose every statement is undone."""

    def __init__(self, dsn: str) -> None:
        self.c = pq.PGconn.connect(make_conninfo(dsn, client_encoding="UTF8").encode())
        self._number = 0

    def ask(self, text: str, values: Values, types: Sequence[int] = (), formats: Sequence[int] = ()) -> Told:
        """What the parameters are told to be, and what is found: of a statement that is named, and executed twice, and of one that is not."""
        self._number += 1
        name, c = b"s%d" % self._number, self.c
        c.exec_(b"BEGIN")
        prepared = c.prepare(name, text.encode(), types or None)
        answers: list[Told] = [told(c, prepared)]
        if prepared.status == pq.ExecStatus.COMMAND_OK:
            d = c.describe_prepared(name)
            answers.append(tuple(d.param_type(i) for i in range(d.nparams)))
            for _ in range(2):
                c.exec_(b"SAVEPOINT a")
                answers.append(told(c, c.exec_prepared(name, values, formats or None)))
                c.exec_(b"ROLLBACK TO a")
        c.exec_(b"ROLLBACK")
        c.exec_(b"BEGIN")
        answers.append(told(c, c.exec_params(text.encode(), values, types or None, formats or None)))
        c.exec_(b"ROLLBACK")
        return tuple(answers)

    def said(self, text: str) -> Told:
        return told(self.c, self.c.exec_(text.encode()))


@pytest.fixture(scope="module")
def both(server: ServerProcess, postgres: str) -> Iterator[tuple[Asked, Asked]]:
    here = f"host=127.0.0.1 port={server.port} user=tidewire dbname=tidewire"
    for dsn in (here, postgres):
        with psycopg.connect(dsn, autocommit=True) as c:
            c.execute(DDL)
    pair = Asked(here), Asked(postgres)
    yield pair
    for asked in pair:
        asked.c.finish()


@pytest.mark.parametrize("case", CASES, ids=[c[0][:60] for c in CASES])
def test_of_every_length(both: tuple[Asked, Asked], case: tuple[Any, ...]) -> None:
    text, values, before, after = case
    for count in LENGTHS:
        given = values(count)
        with_null = [*given[:-1], None]
        for listed in (given, with_null):
            said = written(text, count, len(before))
            here, there = (a.ask(said, [*before, *listed, *after]) for a in both)
            assert here == there, (said[:200], count)


@pytest.mark.parametrize(
    ("text", "types", "cast"),
    [
        *[
            (f"SELECT id FROM lp WHERE {column} IN ({{}}) ORDER BY id", types, cast)
            for column, types, cast in product(
                ("id", "b", "s"),
                ((23,), (20,), (21,), (21, 23), (23, 0), (0, 705), (25,), (1700,)),
                ("", "::int", "::BIGINT", " :: smallint", "::numeric"),
            )
        ],
        *[
            (f"SELECT id FROM lp WHERE {column} IN ({{}}) ORDER BY id", types, cast)
            for column, types, cast in product(
                ("name", "tx"),
                ((25,), (1043,), (25, 1043), (705,), (23,)),
                ("", "::text", "::varchar", "::character varying"),
            )
        ],
    ],
)
def test_as_they_are_declared(both: tuple[Asked, Asked], text: str, types: Sequence[int], cast: str) -> None:
    for count in (2, 3, 33):
        said = written(text, count, 0, cast)
        declared = [types[i % len(types)] for i in range(count)]
        here, there = (a.ask(said, numbers(count), declared) for a in both)
        assert here == there, said


def binary(size: int, count: int) -> list[bytes | None]:
    return [(i * 7 % 120 - 10).to_bytes(size, "big", signed=True) for i in range(1, count + 1)]


@pytest.mark.parametrize(("column", "size"), [("id", 4), ("b", 8), ("s", 2)])
def test_in_binary(both: tuple[Asked, Asked], column: str, size: int) -> None:
    text = f"SELECT id FROM lp WHERE {column} IN ({{}}) AND name > {{after}} ORDER BY id"
    for count in (2, 3, 4, 40, 1_001):
        said = written(text, count)
        whole, mixed = binary(size, count), [*binary(size, count)[:-1], b"7"]
        for values, formats in (
            ([*whole, b"n2"], [1] * (count + 1)),
            ([*whole, b"n2"], [*[1] * count, 0]),
            ([*whole[:-1], None, b"n2"], [*[1] * count, 0]),
            ([*mixed, b"n2"], [*[1] * (count - 1), 0, 0]),
            ([*numbers(count), b"n2"], [*[0] * count, 1]),
            ([*whole[:-1], b"", b"n2"], [1] * (count + 1)),
            ([*whole[:-1], b"\0" * (size + 1), b"n2"], [1] * (count + 1)),
        ):
            here, there = (a.ask(said, values, (), formats) for a in both)
            assert here == there, (count, formats[:3])


def test_uuids_in_binary(both: tuple[Asked, Asked]) -> None:
    for count in (2, 3, 40):
        said = written("SELECT id FROM lp WHERE u IN ({}) ORDER BY id", count)
        values = [bytes.fromhex(f"{i:032}") for i in range(1, count + 1)]
        for given in (values, [*values[:-1], None], [*values[:-1], b"\0"], [*values[:-1], b"\0" * 17]):
            here, there = (a.ask(said, given, (), [1] * count) for a in both)
            assert here == there, count


@pytest.mark.parametrize(
    ("column", "wrong"),
    [
        *product(
            ("id", "b", "s"),
            (b"x", b"", b" 7 ", b"+7", b"-", b"1-2", b"--1", b"1_0", b"7.0", b"99999999999", b"40000", b"9" * 30, b"\xff"),
        ),
        *product(("u",), (b"no", b"", b"00000000-0000-0000-0000-00000000000G")),
        *product(("tx", "name"), (b"\xff", b"a\xc3")),
    ],
)  # fmt: skip
def test_values_that_are_none(both: tuple[Asked, Asked], column: str, wrong: bytes) -> None:
    for count, at in ((2, 1), (3, 0), (40, 20)):
        text = written(
            f"SELECT id FROM lp WHERE b > {{before}} AND {column} IN ({{}}) AND s <> {{after}} ORDER BY id",
            count,
            1,
        )
        values = uuids(count) if column == "u" else numbers(count)
        values[at] = wrong
        here, there = (a.ask(text, [b"1", *values, b"3"]) for a in both)
        assert here == there, text
        here, there = (a.ask(text, [b"y", *values, b"3"]) for a in both)
        assert here == there, text
        here, there = (a.ask(text, [b"1", *values, b"z"]) for a in both)
        assert here == there, text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("SELECT id FROM lp WHERE id IN ($1, $2) OR s IN ($1, $2) ORDER BY id", (b"1", b"2")),
        ("SELECT id FROM lp WHERE id IN ($2, $1) ORDER BY id", (b"1", b"2")),
        ("SELECT id FROM lp WHERE id IN ($1, $1, $2) ORDER BY id", (b"1", b"2")),
        ("SELECT id FROM lp WHERE id IN ($1, $3)", (b"1", b"2", b"3")),
        ("SELECT id FROM lp WHERE id IN ($2, $3)", (b"1", b"2", b"3")),
        ("SELECT id FROM lp WHERE name IN ($3, $4) AND id IN ($1, $2)", (b"1", b"2", b"n1", b"n2")),
        ("SELECT id FROM lp WHERE name IN ($3, $4, $5) AND id IN ($1, $2)", (b"1", b"2", b"n1", b"n2", b"n3")),
        ("SELECT id FROM lp WHERE id IN ($1, $2)", (b"1",)),
        ("SELECT id FROM lp WHERE id IN ($1, $2)", (b"1", b"2", b"3")),
        ("SELECT id FROM lp WHERE id IN ($1, $2, 7) ORDER BY id", (b"1", b"2")),
        ("SELECT id FROM lp WHERE (id, s) IN (($1, $2), ($3, $4)) ORDER BY id", (b"1", b"1", b"2", b"2")),
        ("SELECT id FROM lp WHERE id IN ($1::int, $2::bigint) ORDER BY id", (b"1", b"2")),
        ("SELECT id IN ($1, $2) FROM lp WHERE id < 3 GROUP BY id IN ($3, $4)", (b"1", b"2", b"1", b"2")),
        ("SELECT id FROM lp x WHERE EXISTS (SELECT 1 FROM lm WHERE a = x.id AND b IN ($1, $2)) ORDER BY id", (b"1", b"2")),
        ("SELECT id FROM lp x WHERE EXISTS (SELECT 1 FROM lm WHERE a = x.id AND b IN ($1, $2, $3)) ORDER BY id", (b"1", b"2", b"3")),
        ("SELECT CASE WHEN id IN ($1, $2) THEN $3 ELSE $4 END FROM lp WHERE id IN ($5, $6, $7) ORDER BY 1", (b"1", b"2", b"a", b"b", b"2", b"3", b"4")),
        ("SELECT CASE WHEN id IN ($1, $2, $3) THEN $4 ELSE $5 END FROM lp WHERE id IN ($6, $7) ORDER BY 1", (b"1", b"2", b"9", b"a", b"b", b"2", b"3")),
    ],
)  # fmt: skip
def test_where_the_parameters_stand(both: tuple[Asked, Asked], text: str, values: Values) -> None:
    here, there = (a.ask(text, values) for a in both)
    assert here == there


def test_definitions_in_between(both: tuple[Asked, Asked]) -> None:
    def session(a: Asked) -> list[Told]:
        c, answers = a.c, list[Told]()
        a.said("DROP TABLE IF EXISTS lx")
        a.said("CREATE TABLE lx (id int PRIMARY KEY, v text)")
        a.said("INSERT INTO lx SELECT i, 'v' || i FROM generate_series(1, 9) i")
        texts = [
            written("SELECT v FROM lx WHERE id IN ({}) AND v <> {after} ORDER BY id", n)
            for n in (2, 3, 4, 40)
        ]
        for text in texts:
            c.prepare(text.encode()[-40:], text.encode())

        def every(values: Callable[[int], Values] = numbers) -> None:
            for text, n in zip(texts, (2, 3, 4, 40), strict=True):
                name = text.encode()[-40:]
                for _ in range(3):
                    answers.append(told(c, c.exec_prepared(name, [*values(n), b"v4"])))
                answers.append(told(c, c.exec_params(text.encode(), [*values(n), b"v4"])))
                if len(answers[-2]) == 2:  # no error
                    d = c.describe_prepared(name)
                    answers.append(tuple(d.param_type(i) for i in range(d.nparams)))

        every()
        for change in (
            "CREATE INDEX ON lx (v)",
            "ALTER TABLE lx ADD w int",
            "ALTER TABLE lx DROP CONSTRAINT lx_pkey",
            "ALTER TABLE lx ALTER id TYPE bigint",
            "ALTER TABLE lx ALTER id TYPE numeric",
            "ALTER TABLE lx ALTER id TYPE text",
            "ALTER TABLE lx RENAME id TO other",
            "ALTER TABLE lx RENAME other TO id",
            "ALTER TABLE lx ALTER id TYPE smallint USING id::smallint",
            "DROP TABLE lx",
            "CREATE TABLE lx AS SELECT 1 AS id, 'again'::text AS v",
        ):
            answers.append(a.said(change))
            every()
        for text in texts:
            a.said(f'DEALLOCATE "{text[-40:]}"')
        return answers

    here, there = (session(a) for a in both)
    assert here == there


def test_definitions_of_others(both: tuple[Asked, Asked], server: ServerProcess, postgres: str) -> None:
    """What has been executed again and again meets what another client has made of its table, outside of blocks and in one."""

    def session(a: Asked, dsn: str) -> list[Told]:
        c, answers = a.c, list[Told]()
        with psycopg.connect(dsn, autocommit=True) as other:
            other.execute("DROP TABLE IF EXISTS lo")
            other.execute("CREATE TABLE lo (id int PRIMARY KEY, v int)")
            other.execute("INSERT INTO lo SELECT i, i FROM generate_series(1, 9) i")
            reads = [written("SELECT v FROM lo WHERE id IN ({}) ORDER BY id", n).encode() for n in (2, 3, 4)]
            writes = [written("UPDATE lo SET v = v + 1 WHERE id IN ({})", n).encode() for n in (2, 3, 4)]
            for text in (*reads, *writes):
                c.prepare(text[:11] + text[-9:], text)

            def every() -> None:
                for text in (*reads, *writes):
                    values = [b"%d" % i for i in range(1, text.count(b"$") + 1)]
                    for _ in range(3):
                        answers.append(told(c, c.exec_prepared(text[:11] + text[-9:], values)))

            every()
            for change in ("ADD w int", "ALTER id TYPE bigint", "ALTER id TYPE text", "DROP w"):
                other.execute(f"ALTER TABLE lo {change}")
                every()
                a.said("BEGIN")
                every()
                a.said("ROLLBACK")
        a.said("DEALLOCATE ALL")
        return answers

    here = f"host=127.0.0.1 port={server.port} user=tidewire dbname=tidewire"
    assert session(both[0], here) == session(both[1], postgres)


def test_in_sql(both: tuple[Asked, Asked]) -> None:
    """A statement that has been prepared in the protocol is executed by SQL."""

    def session(a: Asked) -> list[Told]:
        answers = list[Told]()
        for n in (2, 3):
            text = written("SELECT id, name FROM lp WHERE id IN ({}) AND name <> {after} ORDER BY id", n)
            a.c.prepare(b"q%d" % n, text.encode())
            given = ", ".join(str(i) for i in range(4, 4 + n))
            for said in (
                f"EXECUTE q{n} ({given}, 'n4')",
                f"EXECUTE q{n} ({given})",
                f"EXECUTE q{n} (NULL, {given[3:]}, 'n5')",
                f"EXECUTE q{n} ('x', {given[3:]}, 'n5')",
                f"EXECUTE q{n} (1.5, {given[3:]}, 'n5')",
                f"CREATE TEMP TABLE made{n} AS EXECUTE q{n} ({given}, 'n4')",
                f"SELECT * FROM made{n} ORDER BY 1",
                f"SELECT statement, parameter_types, from_sql FROM pg_prepared_statements WHERE name = 'q{n}'",
                f"DROP TABLE made{n}",
                f"DEALLOCATE q{n}",
            ):
                answers.append(a.said(said))
        return answers

    here, there = (session(a) for a in both)
    assert here == there


def test_in_other_encodings(both: tuple[Asked, Asked]) -> None:
    def session(a: Asked) -> list[Told]:
        answers = [a.said("SET client_encoding = 'LATIN1'")]
        for n in (2, 3, 40):
            text = written("SELECT id FROM lp WHERE name IN ({}) ORDER BY id", n)
            values = [*texts(n)[:-1], b"\xe9"]
            answers.append(told(a.c, a.c.exec_params(text.encode(), values)))
            answers.append(told(a.c, a.c.exec_params(text.encode(), values, None, [1] * n)))
        answers.append(a.said("SET client_encoding = 'UTF8'"))
        return answers

    here, there = (session(a) for a in both)
    assert here == there


def test_in_a_failed_block(both: tuple[Asked, Asked]) -> None:
    def session(a: Asked) -> list[Told]:
        text = written("SELECT id FROM lp WHERE id IN ({}) ORDER BY id", 3).encode()
        a.c.prepare(b"failed", text)
        a.said("BEGIN")
        answers = [a.said("SELECT 1 / 0")]
        answers.append(told(a.c, a.c.exec_prepared(b"failed", [b"1", b"x", b"3"])))
        answers.append(told(a.c, a.c.exec_params(text, [b"1", b"2", b"3"])))
        a.said("ROLLBACK")
        answers.append(told(a.c, a.c.exec_prepared(b"failed", [b"1", b"2", b"3"])))
        a.said("DEALLOCATE failed")
        return answers

    here, there = (session(a) for a in both)
    assert here == there


def test_asyncpg(both: tuple[Asked, Asked], server: ServerProcess, postgres: str) -> None:
    """It names its statements, keeps them, and gives values in binary."""
    asyncpg = pytest.importorskip("asyncpg")

    async def session(dsn: str) -> list[Any]:
        said = conninfo_to_dict(dsn)
        c = await asyncpg.connect(
            host=str(said["host"]),
            port=int(said["port"]),
            user=str(said["user"]),
            database=str(said["dbname"]),
        )
        answers: list[Any] = []
        try:
            for n in (2, 3, 4, 3, 2, 40, 1_001, 3):
                for text, values in (
                    ("SELECT id FROM lp WHERE id IN ({}) ORDER BY id", [i * 7 for i in range(n)]),
                    ("SELECT id FROM lp WHERE name IN ({}) ORDER BY id", [f"n{i}" for i in range(n)]),
                    ("SELECT id FROM lp WHERE b NOT IN ({}) ORDER BY id", [None, *range(1, n)]),
                    ("SELECT id FROM lp WHERE u IN ({}) ORDER BY id", [f"{i:032}" for i in range(n)]),
                ):
                    for _ in range(2):
                        answers.append([tuple(r) for r in await c.fetch(written(text, n), *values)])
            return answers
        finally:
            await c.close()

    here = f"host=127.0.0.1 port={server.port} user=tidewire dbname=tidewire"
    assert asyncio.run(session(here)) == asyncio.run(session(postgres))
