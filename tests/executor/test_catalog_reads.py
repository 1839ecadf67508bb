"""Questions about the catalog: the keyed engine's answers are DuckDB's, whatever a transaction, a role or a path makes of the catalog."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import weakref

import pytest

from executor.abc import Rows
from executor.columnar.seen import Seen
from executor.session.catalog_reads import join_of
from executor.snapshot.abc import TooFarToLook
from planner.binding.keyed.catalog import NARROW
from planner.catalog.system import found
from planner.catalog.system.relations import relations
from tests.executor.sql import Client, Server

DEFINED = [
    "CREATE SCHEMA app",
    "SET search_path = app, public",
    "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')",
    "CREATE DOMAIN positive AS int CHECK (value > 0)",
    "CREATE TABLE people (id serial PRIMARY KEY, name varchar(40) NOT NULL DEFAULT 'x', mood mood, UNIQUE (name, mood))",
    "CREATE TABLE orders (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, person int NOT NULL REFERENCES people ON DELETE CASCADE,"
    " amount positive, tags text[], note text CHECK (note <> ''), CONSTRAINT twice UNIQUE (person, amount))",
    "CREATE INDEX by_note ON orders (lower(note), amount DESC) WHERE amount > 1",
    "CREATE VIEW busy AS SELECT name, count(*) AS n FROM people JOIN orders ON person = people.id GROUP BY name",
    "CREATE TABLE public.orders (a int, b text)",
    "CREATE SEQUENCE loose START 5 INCREMENT 2",
    "COMMENT ON TABLE orders IS 'what was bought'",
    "COMMENT ON COLUMN orders.note IS 'free text'",
    "COMMENT ON CONSTRAINT twice ON orders IS 'never twice'",
    "CREATE FUNCTION public.noted(a int) RETURNS int LANGUAGE sql AS 'SELECT a'",
    "CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END'",
    "COMMENT ON FUNCTION noted(int) IS 'a number'",
    "COMMENT ON FUNCTION pg_catalog.lower(text) IS 'small letters'",
    "GRANT EXECUTE ON FUNCTION pg_catalog.upper(text) TO PUBLIC",
    "CREATE CONSTRAINT TRIGGER once AFTER INSERT ON people FOR EACH ROW EXECUTE FUNCTION told()",
    "CREATE MATERIALIZED VIEW kept AS SELECT name FROM people",
    "CREATE TABLE public.tables (a int PRIMARY KEY, CONSTRAINT twice CHECK (a > 0))",
    "CREATE VIEW app.views AS SELECT 1 AS a",
    "CREATE TABLE parts (a int PRIMARY KEY) PARTITION BY RANGE (a)",
    "CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (0) TO (10)",
    "CREATE TABLE of_parts (a int REFERENCES parts, b int NOT NULL)",
    "CREATE EXTENSION pg_trgm",
    "GRANT SELECT (name), UPDATE ON people TO PUBLIC",
    "ALTER TABLE people ADD gone int",
    "ALTER TABLE people DROP gone",
]

QUESTIONS = [
    "SELECT a.attname, format_type(a.atttypid, a.atttypmod), pg_get_expr(d.adbin, d.adrelid), a.attnotnull,"
    " col_description(a.attrelid, a.attnum), a.attidentity FROM pg_attribute a LEFT JOIN pg_attrdef d ON a.attrelid = d.adrelid"
    " AND a.attnum = d.adnum LEFT JOIN pg_type t ON a.atttypid = t.oid LEFT JOIN pg_collation c ON a.attcollation = c.oid AND"
    " a.attcollation <> t.typcollation WHERE a.attrelid = 'orders'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
    "SELECT a.attname FROM (SELECT indrelid, indkey, generate_subscripts(indkey, 1) idx FROM pg_index WHERE indrelid ="
    " 'people'::regclass) i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[i.idx] ORDER BY i.idx, 1",
    "SELECT DISTINCT i.relname, d.indisunique, d.indkey, pg_get_indexdef(d.indexrelid), obj_description(i.oid, 'pg_class') FROM pg_class t"
    " JOIN pg_index d ON t.oid = d.indrelid JOIN pg_class i ON d.indexrelid = i.oid LEFT JOIN pg_namespace n ON n.oid = t.relnamespace"
    " WHERE i.relkind IN ('i', 'I') AND t.relname = 'orders' AND n.nspname = ANY (current_schemas(false)) ORDER BY i.relname",
    "SELECT t2.oid::regclass::text, a1.attname, a2.attname, c.conname, c.confdeltype, c.conkey, c.confkey FROM pg_constraint c"
    " JOIN pg_class t1 ON c.conrelid = t1.oid JOIN pg_class t2 ON c.confrelid = t2.oid JOIN pg_attribute a1 ON a1.attnum = c.conkey[1]"
    " AND a1.attrelid = t1.oid JOIN pg_attribute a2 ON a2.attnum = c.confkey[1] AND a2.attrelid = t2.oid"
    " WHERE c.contype = 'f' AND t1.relname = 'orders' ORDER BY c.conname",
    "SELECT conname, pg_get_constraintdef(c.oid, true), obj_description(c.oid, 'pg_constraint') FROM pg_constraint c"
    " WHERE conrelid = 'orders'::regclass ORDER BY conname COLLATE \"C\"",
    "SELECT con.conname, array_agg(a.attname::text ORDER BY con.ord), string_agg(a.attname::text, ', ' ORDER BY con.ord DESC)"
    " FROM (SELECT conname, conrelid, unnest(conkey) AS num, generate_subscripts(conkey, 1) AS ord FROM pg_constraint"
    " WHERE conrelid IN ('orders'::regclass, 'people'::regclass)) con JOIN pg_attribute a ON a.attrelid = con.conrelid AND a.attnum = con.num"
    " GROUP BY con.conname ORDER BY 1",
    "SELECT n.nspname, c.relname FROM pg_class c LEFT JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE c.relname ~ '^(orders)$' AND pg_table_is_visible(c.oid) ORDER BY 1, 2",
    "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' ORDER BY 1",
    "SELECT src.t::regclass, a.attname FROM unnest(ARRAY['orders'::regclass, 'people'::regclass]) WITH ORDINALITY src (t, n)"
    " JOIN pg_attribute a ON a.attrelid = src.t WHERE a.attnum > 0 ORDER BY src.n, a.attnum",
    "SELECT e.enumlabel FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid WHERE t.typname = 'mood' ORDER BY enumsortorder",
    "SELECT c.relname, array(SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 ORDER BY attnum) FROM pg_class c"
    " WHERE c.oid = 'people'::regclass",
    "SELECT (SELECT json_build_object('start', seqstart, 'always', a.attidentity = 'a') FROM pg_sequence WHERE seqrelid ="
    " pg_get_serial_sequence('app.orders', 'id')::regclass) FROM pg_attribute a WHERE a.attrelid = 'app.orders'::regclass AND a.attname = 'id'",
    "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_name = 'orders' AND table_schema = 'app' ORDER BY ordinal_position",
    "SELECT constraint_name, constraint_type FROM information_schema.table_constraints WHERE table_name = 'orders' ORDER BY 1",
    "SELECT tableoid::regclass, xmin, relname, relkind, relhastriggers FROM pg_class WHERE relnamespace = 'app'::regnamespace ORDER BY relname",
    "SELECT count(*), min(attnum), bool_and(attnotnull) FROM pg_attribute WHERE attrelid = 'orders'::regclass",
    "SELECT typname, typelem::regtype, typrelid::regclass FROM pg_type WHERE typname IN ('people', '_people', 'mood', '_mood', 'int4') ORDER BY oid",
    "SELECT seqstart, seqincrement FROM pg_sequence WHERE seqrelid = 'loose'::regclass",
    "SELECT relname, array_to_string(relacl, E'\\n') FROM pg_class WHERE relname = 'orders' ORDER BY oid",
    "SELECT rolname FROM pg_roles WHERE rolname = current_user",
    "SELECT deptype, refobjsubid FROM pg_depend WHERE objid = 'people_id_seq'::regclass AND refobjid = 'people'::regclass",
    "SELECT description FROM pg_description WHERE objoid = 'orders'::regclass ORDER BY objsubid",
    "SELECT indexname FROM pg_indexes WHERE tablename = 'orders' ORDER BY 1",
    "SELECT indexname, array_agg(attname ORDER BY n), indisunique, array_agg(ordering ORDER BY n), amname, options FROM (SELECT c2.relname"
    " indexname, i.*, a.attname, am.amname, CASE am.amname WHEN 'btree' THEN CASE option & 1 WHEN 1 THEN 'DESC' ELSE 'ASC' END END ordering,"
    " c2.reloptions options FROM (SELECT * FROM pg_index i, unnest(i.indkey, i.indoption) WITH ORDINALITY k (key, option, n)) i"
    " LEFT JOIN pg_class c ON i.indrelid = c.oid LEFT JOIN pg_class c2 ON i.indexrelid = c2.oid LEFT JOIN pg_am am ON c2.relam = am.oid"
    " LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.key WHERE c.relname = 'orders' AND pg_table_is_visible(c.oid)) s"
    " GROUP BY indexname, indisunique, amname, options ORDER BY 1",
    "SELECT c.conname, array(SELECT attname FROM unnest(c.conkey) WITH ORDINALITY k (n, i) JOIN pg_attribute a ON k.n = a.attnum"
    " WHERE a.attrelid = c.conrelid ORDER BY k.i), (SELECT f.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class f ON"
    " a.attrelid = f.oid WHERE a.attrelid = c.confrelid AND a.attnum = c.confkey[1]), t.reloptions FROM pg_constraint c JOIN pg_class t"
    " ON c.conrelid = t.oid WHERE t.relname = 'orders' AND pg_table_is_visible(t.oid) ORDER BY 1",
    "SELECT attname FROM pg_attribute WHERE attrelid = 0 UNION ALL SELECT relname FROM pg_class WHERE oid = 0",
    "SELECT count(*) FROM pg_constraint WHERE conrelid = 0 OR contypid = 0",
    "SELECT DISTINCT reloptions FROM pg_class WHERE relname IN ('orders', 'by_note')",
]  # fmt: skip

CHANGES = [
    "ALTER TABLE orders ADD added numeric(8, 2) DEFAULT 1.5",
    "ALTER TABLE people RENAME TO persons; CREATE TABLE people (only_one text PRIMARY KEY)",
    "DROP VIEW busy; DROP TABLE orders; CREATE TABLE orders (id bigint PRIMARY KEY, person int REFERENCES people, note text)",
    "COMMENT ON TABLE orders IS 'something else'; CREATE INDEX another ON people (mood)",
    "ALTER TYPE mood ADD VALUE 'elated'; CREATE TYPE more AS (a int, b mood)",
    "ALTER TABLE orders DROP CONSTRAINT twice; ALTER TABLE orders ADD CHECK (amount < 100)",
    "CREATE TEMP TABLE orders (t int PRIMARY KEY)",
    "GRANT SELECT ON orders TO PUBLIC; CREATE VIEW app.late AS SELECT 1 AS one; SET search_path = app",
]


async def _both(client: Client, text: str) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """The answer as clients get it, and DuckDB's."""
    session = client.session
    keyed = await client.rows(text)
    plan = session.executor.plans.prepared(text, session.context(), ())
    assert "keyed" in plan.extra, text
    plain = dataclasses.replace(
        plan, extra={k: v for k, v in plan.extra.items() if k != "keyed"}, compiled=None
    )
    found = await session.execute(plain, (), autocommit=True)
    assert isinstance(found, Rows)
    return [_shown(row) for row in keyed], [_shown(row) for row in found.rows]


def _shown(row: tuple[object, ...]) -> tuple[object, ...]:
    """A row in which vectors are lists, as they are in Arrow."""
    return tuple(list(v) if isinstance(v, tuple) else v for v in row)


async def _asked(client: Client) -> None:
    for text in QUESTIONS:
        keyed, columnar = await _both(client, text)
        assert keyed == columnar, text


def test_answers_are_those_of_duckdb() -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client("a")
            for text in DEFINED:
                await client.query(text)
            await _asked(client)
            other = server.client("b")
            await other.query("SET search_path = public, app")
            await _asked(other)

    asyncio.run(run())


@pytest.mark.parametrize("change", CHANGES)
def test_changes_are_seen_by_their_transaction_then_by_all_or_by_nobody(change: str) -> None:
    async def run() -> None:
        async with Server() as server:
            client, other = server.client("a"), server.client("b")
            for text in DEFINED:
                await client.query(text)
            await other.query("SET search_path = app, public")
            question = QUESTIONS[0]
            before = await other.rows(question)
            await client.query("BEGIN")
            for text in change.split("; "):
                await client.query(text)
            await _asked(client)
            assert await other.rows(question) == before
            await client.query("ROLLBACK")
            await _asked(client)
            assert await client.rows(question) == before
            for text in change.split("; "):
                await client.query(text)
            await _asked(client)
            await _asked(other)

    asyncio.run(run())


def test_columns_with_few_rows_of_a_value_are_columns() -> None:
    assert {c.name for r in relations().values() for c in r.columns} >= NARROW


@pytest.mark.parametrize("name", sorted(relations()))
def test_rows_by_a_value_are_those_of_all_that_have_it(name: tuple[str, str]) -> None:
    """Of every column that they may be found by, and for values that none has."""
    from planner.binding.keyed.catalog import VALUES

    async def run() -> None:
        async with Server() as server:
            client = server.client("a")
            for text in DEFINED:
                await client.query(text)
            session = client.session
            whole = session.system_rows(name)
            await client.query("CREATE TABLE fresh (a int PRIMARY KEY, b int REFERENCES people)")
            seen = session.executor.system.seen
            for i, column in enumerate(relations()[name].columns):
                if column.type.oid not in VALUES or seen.is_fresh(name):
                    continue
                values = {row[i] for row in [*whole[-60:], *whole[:10]]} - {None}
                alone = {v: found.rows_with(name, i, v, seen.of(session).context) for v in values}
                asked = {v: list(session.system_rows_with(name, i, v)) for v in values}
                all_rows = seen.of(session).rows(name)
                for value, rows in asked.items():
                    expected = sorted(repr(r) for r in all_rows if r[i] == value)
                    assert sorted(map(repr, rows)) == expected
                    made = alone[value]
                    assert made is None or sorted(map(repr, made)) == expected

    asyncio.run(run())


def test_a_plan_over_system_relations_outlives_changes_of_tables() -> None:
    """It is bound once, whatever its literals are; and anew where names may mean something else."""

    async def run() -> None:
        async with Server() as server:
            client = server.client("a")
            for text in DEFINED:
                await client.query(text)
            session = client.session
            asked = "SELECT count(*) FROM pg_attribute WHERE attrelid = '{}'::regclass AND attnum > 0"

            def plan(table: str) -> object:
                return session.plan(asked.format(table), (), 0)[0]

            first = plan("people")
            assert plan("orders") is first
            await client.query("CREATE TABLE third (a int, b int)")
            assert plan("third") is first
            assert await client.rows(asked.format("third")) == [(2,)]
            await client.query("CREATE FUNCTION seven() RETURNS int LANGUAGE sql AS 'SELECT 7'")
            assert plan("third") is first
            await client.query("CREATE FUNCTION count(text) RETURNS bigint LANGUAGE sql AS 'SELECT 7'")
            assert plan("third") is not first

    asyncio.run(run())


MEANT = [
    ("SELECT count(*) > 1 FROM pg_am", "CREATE TEMP TABLE pg_am (x int)", "DROP TABLE pg_am"),
    ("SELECT count(*) > 1 FROM pg_am", "CREATE TABLE pg_am (x int)", "ALTER TABLE pg_am RENAME TO other"),
    ("SELECT count(*) > 1 FROM tables", "CREATE TABLE app.tables (x int)", "ALTER TABLE tables SET SCHEMA apart"),
    ("SELECT count(*) > 1 FROM heaps", "CREATE TABLE app.heaps (x int)", "DROP TABLE heaps"),
    ("SELECT 1 < min(last_value) FROM loose, pg_am", "DROP SEQUENCE loose; CREATE SEQUENCE loose", "ALTER SEQUENCE loose RESTART 3"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "done", "undone"), MEANT)
def test_a_name_of_a_system_relation_may_come_to_mean_another(asked: str, done: str, undone: str) -> None:
    """Plans are kept while tables alone change, but not where these are what the names stand for, and for sequences and views."""

    async def run() -> None:
        async with Server() as server:
            client = server.client("a")
            for text in (
                "CREATE SCHEMA app; CREATE SCHEMA apart; CREATE SEQUENCE loose START 2",
                "CREATE VIEW public.heaps AS SELECT amname FROM pg_am",
                "SET search_path = app, public, information_schema, pg_catalog",
            ):
                for part in text.split("; "):
                    await client.query(part)
            meant: list[object] = []
            for change in ("", done, undone):
                for part in filter(None, change.split("; ")):
                    await client.query(part)
                meant.append((await client.rows(asked))[0][0])
                plan = client.session.executor.plans.prepared(asked, client.session.context(), ())
                assert (await client.session.execute(plan, (), autocommit=True)).rows == [(meant[-1],)]
            assert meant == [True, False, True]

    asyncio.run(run())


def test_what_only_the_server_knows_is_made_once_a_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many rows ask for some of it, in steps and in subqueries; so they see one moment."""

    async def run() -> None:
        async with Server() as server:
            client = server.client("a")
            seen = client.session.executor.system.seen
            made: list[object] = []
            fresh = seen.fresh
            monkeypatch.setattr(
                seen, "fresh", lambda session, name: [made.append(name), fresh(session, name)][1]
            )
            for asked in (
                "SELECT count(*) FROM pg_class c LEFT JOIN pg_settings s ON s.name = c.relname",
                "SELECT count(*) FROM pg_am a WHERE NOT EXISTS (SELECT 1 FROM pg_settings s WHERE s.name = a.amname)",
            ):
                made.clear()
                await client.rows(asked)
                assert made == [("pg_catalog", "pg_settings")]
            assert await client.rows(
                "SELECT count(*) FROM pg_settings a JOIN pg_settings b ON a.unit = b.unit WHERE a.name = 'work_mem' AND b.unit <> 'kB'"
            ) == [(0,)]

    asyncio.run(run())


LONG = [
    "SELECT g FROM pg_am, generate_series(1, 6000) g WHERE amname = 'heap'",
    "SELECT generate_series(1, 6000) FROM pg_am WHERE amname = 'heap'",
]


def test_long_lists_and_patterns_that_divide_a_text_in_many_ways_are_duckdbs() -> None:
    """All sessions would wait for them."""

    async def run() -> None:
        async with Server() as server:
            client = server.client("a")
            for asked in LONG:
                plan = client.session.executor.plans.prepared(asked, client.session.context(), ())
                with pytest.raises(TooFarToLook):
                    join_of(plan.extra["keyed"]).short((), client.session, (), 0)
                assert len(await client.rows(asked)) == 6000
            for relation, column, pattern, long in (
                ("pg_class", "relname", "^(a.*)$", False),
                ("pg_class", "relname", "^(.*a.*)$", False),
                ("pg_class", "relname", "a.*b.*c.*d", True),
                ("pg_class", "relname", "(a|a)(a|a)(a|a)", True),
                ("pg_description", "description", ".*x.*x1$", True),
            ):
                asked = f"SELECT count(*) FROM {relation} WHERE {column} ~ '{pattern}'"
                plan = client.session.executor.plans.prepared(asked, client.session.context(), ())
                keyed = plan.extra.get("keyed")
                assert (keyed is None or "long matches" in repr(keyed)) == long, pattern
            await client.query("CREATE TABLE d ()")
            await client.query(f"COMMENT ON TABLE d IS '{'x' * 5_000}'")
            asked = "SELECT objoid::regclass::text FROM pg_description WHERE description ~ '(x+x+)+y'"
            plan = client.session.executor.plans.prepared(asked, client.session.context(), ())
            with pytest.raises(TooFarToLook):
                join_of(plan.extra["keyed"]).short((), client.session, (), 0)
            assert await client.rows(asked) == []

    asyncio.run(run())


def test_lists_are_given_to_subqueries() -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client("a")
            assert await client.rows(
                "SELECT (SELECT array_agg(t.typname ORDER BY t.oid) FROM pg_type t WHERE t.oid = ANY (p.proargtypes)) FROM pg_proc p"
                " WHERE p.proname = 'starts_with'"
            ) == [("{text}",)]

    asyncio.run(run())


def test_catalogs_gone_by_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those too that sessions have seen last which rest since, and sooner where there are many rows."""

    async def run() -> None:
        async with Server() as server:
            clients = [server.client(f"c{i}") for i in range(6)]
            seen = clients[0].session.executor.system.seen
            before: list[weakref.ref[Seen]] = []
            for i, client in enumerate(clients):
                await clients[0].query(f"CREATE TABLE t{i} (a int)")
                asked = await client.rows(
                    "SELECT count(*) FROM pg_attribute WHERE attname = 'a' AND attrelid > 16000"
                )
                assert asked == [(i + 1,)]
                before.append(weakref.ref(seen.of(client.session)))
                if i == 2:
                    monkeypatch.setattr("executor.columnar.seen.ROWS_KEPT", 1)
            gc.collect()
            assert [ref() is None for ref in before] == [True] * 5 + [False]
            assert await clients[1].rows(
                "SELECT count(*) FROM pg_attribute WHERE attname = 'a' AND attrelid > 16000"
            ) == [(6,)]

    asyncio.run(run())
