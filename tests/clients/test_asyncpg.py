"""asyncpg: binary first, with type introspection of its own that recurses through the catalog."""

from __future__ import annotations

import asyncio
import datetime
import io
import uuid
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.server.process import ServerProcess

asyncpg = pytest.importorskip("asyncpg", reason="asyncpg is not installed")

Work = Callable[[Any], Awaitable[Any]]


@pytest.fixture
def run(server: ServerProcess) -> Callable[[Work], Any]:
    def run(work: Work) -> Any:
        async def main() -> Any:
            connection = await asyncpg.connect(
                host=server.host, port=server.port, user="tidewire", database="tidewire"
            )
            try:
                return await work(connection)
            finally:
                await connection.close()

        return asyncio.run(main())

    return run


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("text", "x"),
        ('"char"', b"x"),
        ('"char"', b"\0"),
        ('"char"', b"\xc3"),
        ("bool", True),
        ("int2", -3),
        ("int8", 1 << 40),
        ("float8", 1.5),
        ("numeric", Decimal("1.50")),
        ("bytea", b"a\0b"),
        ("uuid", uuid.UUID(int=7)),
        ("date", datetime.date(2020, 2, 29)),
        ("time", datetime.time(1, 2, 3, 4)),
        ("timestamp", datetime.datetime(2020, 1, 1, 1)),
        ("timestamptz", datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)),
        ("interval", datetime.timedelta(days=1, hours=2)),
        ("jsonb", '{"a": 1}'),
        ("int4[]", [1, 2, None]),
        ("text[]", ["a", "b"]),
        ("oid", 1259),
    ],
)
def test_values_go_there_and_back(run: Callable[[Work], Any], kind: str, value: object) -> None:
    assert run(lambda c: c.fetchval(f"SELECT $1::{kind}", value)) == value


def test_a_statement_describes_itself(run: Callable[[Work], Any]) -> None:
    async def work(c: Any) -> Any:
        await c.execute("CREATE TABLE described (id serial PRIMARY KEY, tags text[], d jsonb)")
        s = await c.prepare("SELECT id, tags, d FROM described WHERE id = $1")
        return [a.type.name for a in s.get_attributes()], [p.name for p in s.get_parameters()]

    assert run(work) == (["int4", "text[]", "jsonb"], ["int4"])


def test_transactions_nest(run: Callable[[Work], Any]) -> None:
    async def work(c: Any) -> Any:
        await c.execute("CREATE TABLE nested (a int)")
        async with c.transaction():
            await c.execute("INSERT INTO nested VALUES (1)")
            with pytest.raises(asyncpg.DivisionByZeroError):
                async with c.transaction():
                    await c.execute("INSERT INTO nested VALUES (2)")
                    await c.execute("SELECT 1/0")
            await c.execute("INSERT INTO nested VALUES (3)")
        return [r["a"] for r in await c.fetch("SELECT a FROM nested ORDER BY a")]

    assert run(work) == [1, 3]


def test_cursors_copy_and_many(run: Callable[[Work], Any]) -> None:
    async def work(c: Any) -> Any:
        await c.execute("CREATE TABLE copied_async (id int PRIMARY KEY, name text, tags text[])")
        await c.executemany("INSERT INTO copied_async VALUES ($1, $2)", [(1, "a"), (2, "b")])
        await c.copy_records_to_table("copied_async", records=[(3, "c", ["x"])])
        async with c.transaction():
            seen = [
                r["name"] async for r in c.cursor("SELECT name FROM copied_async ORDER BY id", prefetch=2)
            ]
        out = io.BytesIO()
        await c.copy_from_query("SELECT id, name FROM copied_async ORDER BY id", output=out, format="csv")
        return seen, out.getvalue()

    assert run(work) == (["a", "b", "c"], b"1,a\n2,b\n3,c\n")


def test_notifications_by_function(run: Callable[[Work], Any]) -> None:
    async def work(c: Any) -> Any:
        heard: asyncio.Queue[Any] = asyncio.Queue()
        await c.add_listener("news", lambda *a: heard.put_nowait(a[2:]))
        await c.execute("SELECT pg_notify('news', 'today')")
        return await asyncio.wait_for(heard.get(), 10)

    assert run(work) == ("news", "today")


def test_a_pool_resets_what_it_takes_back(server: ServerProcess) -> None:
    async def main() -> Any:
        async with asyncpg.create_pool(
            host=server.host, port=server.port, user="tidewire", database="tidewire", min_size=1, max_size=2
        ) as pool:
            return await asyncio.gather(*(pool.fetchval("SELECT $1::int", i) for i in range(5)))

    assert asyncio.run(main()) == [0, 1, 2, 3, 4]


def test_types_of_all_kinds_are_introspected(run: Callable[[Work], Any]) -> None:
    """The query that asyncpg sends for a type that it does not know."""

    async def work(c: Any) -> Any:
        from asyncpg.introspection import INTRO_LOOKUP_TYPES

        await c.execute("CREATE TYPE shade AS ENUM ('dark', 'light')")
        oid = await c.fetchval("SELECT oid FROM pg_type WHERE typname = '_shade'")
        rows = await c.fetch(INTRO_LOOKUP_TYPES, [oid])
        return sorted((r["name"], r["kind"].decode(), r["elemtype_name"]) for r in rows)

    assert run(work) == [("_shade", "b", "shade"), ("shade", "e", "-")]


def test_a_cursor_moves_forward_between_fetches(run: Callable[[Work], Any]) -> None:
    """MOVE, by SQL, on the portal that Bind has made: the two share one namespace and one position."""

    async def work(c: Any) -> Any:
        async with c.transaction():
            cursor = await c.cursor("SELECT generate_series(0, 20)")
            first = await cursor.fetch(2)
            moved = await cursor.forward(5)
            then = await cursor.fetchrow()
            rest = await cursor.fetch(100)
            return first, moved, then, rest[0], len(rest), await cursor.fetchrow()

    assert run(work) == ([(0,), (1,)], 5, (7,), (8,), 13, None)


def test_a_failed_portal_stays_failed_until_the_block_ends(run: Callable[[Work], Any]) -> None:
    async def work(c: Any) -> Any:
        async with c.transaction():
            cursor = await c.cursor("SELECT 1 / (2 - g) FROM generate_series(1, 3) g")
            with pytest.raises(asyncpg.DivisionByZeroError):
                await cursor.fetch(3)
            with pytest.raises(asyncpg.InFailedSQLTransactionError):
                await cursor.fetch(1)

    run(work)


def test_a_changed_table_lets_the_driver_prepare_again(run: Callable[[Work], Any]) -> None:
    async def work(c: Any) -> Any:
        await c.execute("CREATE TABLE reshaped (a int); INSERT INTO reshaped VALUES (1)")
        before = await c.fetch("SELECT * FROM reshaped")
        await c.execute("ALTER TABLE reshaped ADD b text")
        return before, await c.fetch("SELECT * FROM reshaped")

    assert run(work) == ([(1,)], [(1, None)])


def test_one_who_is_terminated_is_told_so(server: ServerProcess, run: Callable[[Work], Any]) -> None:
    async def work(c: Any) -> Any:
        pid = await c.fetchval("SELECT pg_backend_pid()")
        sleeping = asyncio.create_task(c.execute("SELECT pg_sleep(60)"))
        other = await asyncpg.connect(
            host=server.host, port=server.port, user="tidewire", database="tidewire"
        )
        await other.execute("SELECT pg_terminate_backend($1)", pid)
        await other.close()
        with pytest.raises(asyncpg.ConnectionDoesNotExistError, match="terminating connection") as told:
            await sleeping
        return type(told.value.__cause__)

    assert run(work) is asyncpg.AdminShutdownError


def test_isolation_has_the_names_that_the_driver_knows(run: Callable[[Work], Any]) -> None:
    async def work(c: Any) -> Any:
        async with c.transaction(), c.transaction(isolation="serializable"):
            return await c.fetchval("SHOW transaction_isolation")

    assert run(work) == "serializable"


def test_rows_without_columns_and_quoted_names_of_types(run: Callable[[Work], Any]) -> None:
    async def work(c: Any) -> Any:
        return await c.fetch("SELECT"), await c.fetchval('SELECT $1::"pg_catalog"."int4"::text', 3)

    assert run(work) == ([()], "3")


RECORDS: list[tuple[str, Any]] = [
    ("ROW(NULL, 1234, '5678', ROW(42, '42'))", (None, 1234, "5678", (42, "42"))),
    ("ROW(ROW(), ROW(NULL::int), ROW(ROW(true)))", ((), (None,), ((True,),))),
    ("ARRAY[ROW(1, ROW(2, 'a,\"b\"')), NULL]", [(1, (2, 'a,"b"')), None]),
    ("ARRAY(SELECT ROW(i, ROW(i + 1)) FROM generate_series(1, 2) i ORDER BY i)", [(1, (2,)), (2, (3,))]),
]


@pytest.mark.parametrize(("expression", "expected"), RECORDS, ids=[e for e, _ in RECORDS])
def test_records_within_records(run: Callable[[Work], Any], expression: str, expected: Any) -> None:
    async def work(c: Any) -> Any:
        return await c.fetchval(f"SELECT {expression}")

    assert run(work) == expected


def test_a_type_gets_other_fields_while_a_statement_is_prepared(run: Callable[[Work], Any]) -> None:
    async def work(connection: Any) -> Any:
        await connection.execute("CREATE TYPE grown AS (x int, y int)")
        await connection.execute("CREATE TABLE of_grown (a grown)")
        await connection.execute("INSERT INTO of_grown VALUES (ROW(2, 3))")
        prepared = await connection._prepare("SELECT * FROM of_grown", use_cache=True)
        before = await prepared.fetchrow()
        await connection.execute("ALTER TYPE grown ADD ATTRIBUTE z text")
        with pytest.raises(asyncpg.OutdatedSchemaCacheError):
            await prepared.fetchrow()
        after = await connection.fetchval("SELECT array_agg(a) FROM of_grown")
        await connection.execute("ALTER TYPE grown DROP ATTRIBUTE x")
        with pytest.raises(asyncpg.OutdatedSchemaCacheError):
            await connection.fetchval("SELECT a FROM of_grown")
        last = await connection.fetchval("SELECT a FROM of_grown")
        await connection.execute("DROP TABLE of_grown")
        await connection.execute("DROP TYPE grown")
        return before, after, last

    before, after, last = run(work)
    assert before == ((2, 3),)
    assert after == [(2, 3, None)]
    assert last == (3, None)


def test_messages_say_where_in_the_source_they_come_from(run: Callable[[Work], Any]) -> None:
    async def work(connection: Any) -> Any:
        told: list[Any] = []
        connection.add_log_listener(lambda _connection, message: told.append(message))
        await connection.execute("DO $$ BEGIN RAISE WARNING 'catch me'; END $$")
        await connection.execute("DROP TABLE IF EXISTS no_such_table")
        errors = list[Any]()
        for statement in (
            "DO $$ BEGIN RAISE 'catch me'; END $$",
            "SELECT * FROM no_such_table",
            "SELECT 1/0",
        ):
            with pytest.raises(asyncpg.PostgresError) as caught:
                await connection.execute(statement)
            errors.append(caught.value)
        await asyncio.sleep(0)  # listeners are called at the loop's next turn
        connection.remove_log_listener(told.append)
        return [*told, *errors]

    messages = run(work)
    assert len(messages) == 5
    for message in messages:
        assert message.server_source_filename.endswith(".py")
        assert int(message.server_source_line) > 0
    names = [message.server_source_function for message in messages]
    assert names[0] == names[2] == "exec_stmt_raise", (
        "so clients tell what a program says from what the server says"
    )
    assert all(names)


def test_values_of_a_type_in_the_transaction_that_alters_it(run: Callable[[Work], Any]) -> None:
    async def work(connection: Any) -> Any:
        await connection.execute("CREATE TYPE widened AS (x int, y int)")
        await connection.execute("CREATE TABLE of_widened (a int, b widened)")
        await connection.execute("INSERT INTO of_widened VALUES (1, (2, 3))")
        whole = "SELECT b, ARRAY[b], ROW(b) FROM of_widened ORDER BY a"
        seen = [[tuple(row) for row in await connection.fetch(whole)]]
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute("ALTER TYPE widened ADD ATTRIBUTE z text")
        await connection.reload_schema_state()
        seen.append([tuple(row) for row in await connection.fetch(whole)])
        assert await connection.fetchval("SELECT ($1::widened[])[2]", [None, (4, 5, "six")]) == (4, 5, "six")
        await connection.execute("INSERT INTO of_widened VALUES (2, $1)", (7, 8, "nine"))
        seen.append([tuple(row) for row in await connection.fetch(whole)])
        out = io.BytesIO()
        await connection.copy_from_query("SELECT b FROM of_widened WHERE a = 2", output=out, format="binary")
        assert b"nine" in out.getvalue()
        await transaction.rollback()
        await connection.reload_schema_state()
        seen.append([tuple(row) for row in await connection.fetch(whole)])
        assert await connection.fetchval("SELECT ($1::widened).y", (4, 5)) == 5
        await connection.execute("DROP TABLE of_widened")
        await connection.execute("DROP TYPE widened")
        return seen

    before, altered, more, after = run(work)
    assert before == after == [((2, 3), [(2, 3)], ((2, 3),))]
    assert altered == [((2, 3, None), [(2, 3, None)], ((2, 3, None),))]
    assert more == [*altered, ((7, 8, "nine"), [(7, 8, "nine")], ((7, 8, "nine"),))]


def test_domains_as_parameters_and_as_attributes(run: Callable[[Work], Any]) -> None:
    async def work(connection: Any) -> Any:
        await connection.execute("CREATE DOMAIN share AS numeric CHECK (VALUE <= 1)")
        await connection.execute("CREATE TYPE part AS (of_all share, name text)")
        share = await connection.fetchval("SELECT 'share'::regtype::oid")
        # It compares the attributes' types in binary values with those of the catalog.
        whole = await connection.fetchval("SELECT ARRAY[ROW($1::share, 'a')::part]", Decimal("0.5"))
        field = await connection.fetchval("SELECT ($1::part).name", (Decimal("0.25"), "b"))
        statement = await connection._prepare("SELECT $1::share", use_cache=False)
        described = [parameter.oid for parameter in statement.get_parameters()]
        await connection.execute("DROP TYPE part")
        await connection.execute("DROP DOMAIN share")
        return whole, field, described == [share]

    whole, field, told = run(work)
    assert whole == [(Decimal("0.5"), "a")] and field == "b"
    assert told, "a parameter that a domain decides is told to be of the domain"
