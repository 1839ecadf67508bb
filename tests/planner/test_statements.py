"""Utility statements and what they say; and that nothing PostgreSQL has comes through as something opaque."""

from __future__ import annotations

from typing import Any

import pytest

from planner import statements as st
from planner.abc import PlanError
from planner.parse import parse_statement
from planner.statements import Sql

SAID: list[tuple[str, Any]] = [
    ("BEGIN", st.Begin()),
    ("begin read only", st.Begin(read_only=True)),
    ("BEGIN WORK ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE", st.Begin("serializable", True, True)),
    ("start transaction isolation level repeatable read", st.Begin("repeatable read", start=True)),
    ("begin isolation level strict serializable", st.Begin("strict serializable")),
    ("begin as of timestamp '2020-01-01'", st.Begin(as_of=Sql("'2020-01-01'", 22))),
    ("COMMIT", st.Commit()),
    ("end transaction and chain", st.Commit(chain=True)),
    ("ROLLBACK AND NO CHAIN", st.Rollback()),
    ("abort work", st.Rollback()),
    ("savepoint a", st.Savepoint("a")),
    ('RELEASE SAVEPOINT "A"', st.ReleaseSavepoint("A")),
    ("release a", st.ReleaseSavepoint("a")),
    ("rollback to savepoint a", st.RollbackTo("a")),
    ("rollback work to a", st.RollbackTo("a")),
    ("set a.b to 'x'", st.SetVariable("a.b", ("x",))),
    ("SET extra_float_digits = -15", st.SetVariable("extra_float_digits", ("-15",))),
    ("set local search_path = a, \"B\", 'c'", st.SetVariable("search_path", ("a", "B", "c"), local=True)),
    ("set session timezone to default", st.SetVariable("timezone", None)),
    ("set time zone 'UTC'", st.SetVariable("timezone", ("UTC",))),
    ("set time zone local", st.SetVariable("timezone", None)),
    ("set time zone -7", st.SetVariable("timezone", ("-7",))),
    ("set names 'utf8'", st.SetVariable("client_encoding", ("utf8",))),
    ("set schema 'x'", st.SetVariable("search_path", ("x",))),
    ("set transaction read write", st.SetTransaction(read_only=False)),
    (
        "set session characteristics as transaction isolation level read committed",
        st.SetTransaction("read committed", session_default=True),
    ),
    ("set session authorization bob", st.SetSessionAuthorization("bob")),
    ("set role none", st.SetRole(None)),
    ("set constraints all deferred", st.SetConstraints(None, True)),
    ("RESET ALL", st.ResetVariable(None)),
    ("reset time zone", st.ResetVariable("timezone")),
    ("show transaction isolation level", st.ShowVariable("transaction_isolation")),
    ("SHOW ALL", st.ShowVariable(None)),
    ("show a.b", st.ShowVariable("a.b")),
    ("deallocate prepare p", st.Deallocate("p")),
    ("DEALLOCATE ALL", st.Deallocate(None)),
    ("execute p (1, f(2, 3))", st.Execute("p", (Sql("1", 11), Sql("f(2, 3)", 14)))),
    (
        "declare c binary insensitive no scroll cursor with hold for select 1",
        st.DeclareCursor("c", Sql("select 1", 60), False, True, True, True),
    ),
    ("fetch c", st.Fetch("c")),
    ("fetch next from c", st.Fetch("c")),
    ("fetch prior in c", st.Fetch("c", "backward")),
    ("fetch all c", st.Fetch("c", "forward", None)),
    ("fetch -3 from c", st.Fetch("c", "forward", -3)),
    ("fetch absolute -1 c", st.Fetch("c", "absolute", -1)),
    ("move backward all in c", st.Fetch("c", "backward", None, True)),
    ("fetch first", st.Fetch("first")),
    ("close all", st.CloseCursor(None)),
    ("DISCARD TEMPORARY", st.Discard("temp")),
    ("listen ch", st.Listen("ch")),
    ("unlisten *", st.Unlisten(None)),
    ("NOTIFY ch, 'p'", st.Notify("ch", "p")),
    ("checkpoint", st.Vacuum("checkpoint")),
    ("vacuum analyze t", st.Vacuum("vacuum", (st.Name("t", position=16),), {"analyze": True}, ((),))),
    ("lock t in access share mode nowait", st.LockTable((st.Name("t", position=6),), "access share", True)),
    (
        "copy t (a, b) from stdin (format binary)",
        st.Copy(st.Name("t", position=6), ("a", "b"), None, True, options={"format": "binary"}),
    ),
    (
        "COPY (select 1) TO STDOUT CSV HEADER DELIMITER ';' FORCE QUOTE *",
        st.Copy(
            None,
            (),
            Sql("select 1", 6),
            False,
            options={"format": "csv", "header": True, "delimiter": ";", "force_quote": "*"},
        ),
    ),
    (
        "copy t from stdin with (format csv, null 'N', force_null (a, b)) where a > 1",
        st.Copy(
            st.Name("t", position=6), (), None, True, where=Sql("a > 1", 71),
            options={"format": "csv", "null": "N", "force_null": ("a", "b")},
        ),
    ),
    ("select 1 as of timestamp now()", st.SelectAsOf(Sql("select 1", 0), Sql("now()", 25))),
    (
        "truncate only a, b restart identity cascade",
        st.Truncate((st.Name("a", position=15), st.Name("b", position=18)), True, True, frozenset({0})),
    ),
    (
        "drop index concurrently if exists s.i restrict",
        st.Drop("index", (st.Name("i", "s", 35),), True, concurrently=True),
    ),
    ("alter sequence s restart", st.AlterSequence(st.Name("s", position=16), st.SequenceOptions(restart=True))),
]  # fmt: skip


@pytest.mark.parametrize(("text", "statement"), SAID, ids=[t for t, _ in SAID])
def test_what_is_said(text: str, statement: Any) -> None:
    assert parse_statement(text) == statement
    assert parse_statement(text + " ;") == statement


QUERIES = [
    "select 1", "SELECT DISTINCT ON (a) a FROM t", "values (1), (2)", "table t", "with x as (select 1) select * from x",
    "(select 1) union (select 2)", "insert into t default values", "update t set a = 1", "delete from t",
    "with d as (delete from t returning *) select * from d", "merge into t using u on t.a = u.a when matched then delete",
    "select * from t for update skip locked", "select * from t order by a fetch first 5 rows with ties",
    "insert into t (a) values (1) on conflict do nothing returning a",
]  # fmt: skip


@pytest.mark.parametrize("text", QUERIES)
def test_queries_are_left_to_the_other_parser(text: str) -> None:
    assert isinstance(parse_statement(text), st.QueryStatement)


REFUSED = [
    ('do $$ declare x text collate "C"; begin end $$', "COLLATE of a variable in PL/pgSQL"),
    (
        "create function f() returns int language internal as 'begin end'",
        "CREATE FUNCTION in language internal",
    ),
    ("create aggregate a (order by int) (sfunc = f, stype = int)", "an ordered-set aggregate"),
]


@pytest.mark.parametrize(("text", "feature"), REFUSED)
def test_what_is_missing_is_named(text: str, feature: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse_statement(text)
    assert caught.value.sqlstate == "0A000"
    assert caught.value.message == f"{feature} is not supported"


SYNTAX_ERRORS = [
    ("frobnicate", 'syntax error at or near "frobnicate"', 1),
    ("selec 1", 'syntax error at or near "selec"', 1),
    ("create tabel t (a int)", 'syntax error at or near "tabel"', 8),
    ("create table t (a int", "syntax error at end of input", 22),
    ("create table t (a int,)", 'syntax error at or near ")"', 23),
    ("create table t (a foo bar)", 'syntax error at or near "bar"', 23),
    ("create table select (a int)", 'syntax error at or near "select"', 14),
    ("drop table", "syntax error at end of input", 11),
    ("alter table t frob", 'syntax error at or near "frob"', 15),
    ("set x", "syntax error at end of input", 6),
    ("copy t from", "syntax error at end of input", 12),
    ("begin isolation level nonsense", 'syntax error at or near "nonsense"', 23),
    ("commit please", 'syntax error at or near "please"', 8),
    ("'x'", "syntax error at or near \"'x'\"", 1),
]


@pytest.mark.parametrize(("text", "message", "position"), SYNTAX_ERRORS)
def test_syntax_errors(text: str, message: str, position: int) -> None:
    with pytest.raises(PlanError) as caught:
        parse_statement(text)
    assert (caught.value.sqlstate, caught.value.message, caught.value.position) == (
        "42601",
        message,
        position,
    )


TYPES = [
    ("int", "int"),
    ("integer[]", "integer[]"),
    ("numeric(10,2)", "numeric(10,2)"),
    ("character varying(5)", "varchar(5)"),
    ("national char(3)", "char(3)"),
    ("double precision", "double precision"),
    ("timestamp(3) with time zone", "timestamptz(3)"),
    ("time without time zone", "time"),
    ("bit varying(8)", "bit varying(8)"),
    ("text array", "text[]"),
    ("int[3][4]", "int[][]"),
    ('s."My Type"', "s.My Type"),
    ("pg_catalog.int4", "pg_catalog.int4"),
]


@pytest.mark.parametrize(("text", "meaning"), TYPES)
def test_type_names(text: str, meaning: str) -> None:
    statement = parse_statement(f"create table t (a {text} not null)")
    assert str(statement.elements[0].type) == meaning
    assert statement.elements[0].not_null
