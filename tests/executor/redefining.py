"""Definitions at random, of few names, so that they meet: what a statement means changes with nearly every one of them.

    CREATE TABLE a.t ...             hides public.t            CREATE FUNCTION f(bigint) ...     is better for some call than f(numeric)
    CREATE CAST (mood AS int) ...    calls resolve             ALTER TYPE, DOMAIN, POLICY, ROLE  the same name, another thing

`definition` writes the next one, which may well fail. `ASKED` are statements over the same names: whatever has been
defined, each has the answer of one who has never heard it before (`tests.executor.test_redefined`).
"""

from __future__ import annotations

from random import Random
from typing import Final

SETUP: Final = """
create schema a; create schema b;
create role r1; create role r2; create role r3;
grant usage, create on schema a, b, public to r1, r2;
create type public.mood as enum ('sad', 'ok');
create domain public.dom as int;
create type public.pair as (x int, y text);
create table public.t (k int primary key, v int, s text, m mood, d dom);
insert into public.t values (1, 10, 'one', 'sad', 1), (2, 20, 'two', 'ok', 2), (3, 30, 'Three', null, null);
create table public.u (k int primary key, t int references public.t, n numeric default 0);
insert into public.u values (1, 1, 1.5), (2, 1, 2.5), (3, 2, 3.5);
create view public.w as select k, v, s from public.t;
create view public.ww as select k, v + 1 as v1 from public.w;
create table public.pt (k int, v int) partition by range (k);
create table public.p1 partition of public.pt for values from (0) to (10);
create table public.p2 partition of public.pt for values from (10) to (20);
insert into public.pt values (1, 100), (11, 110);
create table public.base (k int, v int); create table public.heir (x text) inherits (public.base);
insert into public.base values (1, 1); insert into public.heir values (2, 2, 'h');
create sequence public.sq;
create table public.log (what text);
create table public.loose (k int, v int);
insert into public.loose values (5, 50);
create function public.f(int) returns text language sql as $$ select 'public.f(int)'::text $$;
create function public.g(a int) returns bigint language sql as $$ select count(*) from t where k >= a $$;
create function public.pl(a int) returns text language plpgsql as $$
declare x text; begin select s into x from t where k = a; return coalesce(x, 'none') || f(a); end $$;
create function public.pw(a int) returns int language plpgsql as $$
declare n int; begin update t set v = v + 1 where k = a; get diagnostics n = row_count; return n; end $$;
create function public.tf() returns trigger language plpgsql as $$ begin insert into log values (tg_name || new.k); return new; end $$;
create function public.one() returns int language sql as $$ select 1 $$;
create function public.ok(a int) returns bool language sql as $$ select a < 1000 and exists (select from u where k > 0) $$;
grant all on all tables in schema public to r1;
grant select on public.t, public.w to r2;
"""

ASKED: Final = (
    "select * from t where k = 1",
    "select v from t where k = 2",
    "select * from t order by 1",
    "select count(*), max(v), string_agg(s, ',' order by k) from t",
    "select f(1)",
    "select f(k) from t where k = 1",
    "select f(v) from t order by k",
    "select f('1')",
    "select f(1.5)",
    "select f(s) from t where k = 2",
    "select f(d), f(m) from t where k = 1",
    "select g(1), g(2)",
    "select pl(1), pl(2)",
    "select pw(1)",
    "select k ### 2 from t where k = 1",
    "select 1 ### 2",
    "select s ### 'x' from t where k = 1",
    "select m::text, m > 'sad', m::int from t where k = 1",
    "select m, m::text from t where m >= 'sad' order by m, k",
    "select enum_range(null::mood), 'ok'::mood",
    "select v::dom from t where k = 1",
    "select (row(1, 'x')::pair).y",
    "select row(1, 'x')::pair",
    "select d from t where d = 1",
    "select lower(s) from t where k = 3",
    "select abs(v) from t where k = 1",
    "select sum(v) from t",
    "select * from w where k = 1",
    "select * from w order by k",
    "select * from ww order by k",
    "select v1 from ww where k = 1",
    "select * from pt order by k",
    "select * from pt where k = 1",
    "select * from p1 order by k",
    "select * from base order by k",
    "select * from base where k = 2",
    "select tableoid::regclass, * from base order by k",
    "select t.k, u.n from t join u on u.t = t.k order by u.k",
    "select u.n from u join t on t.k = u.t where u.k = 1",
    "select (select s from t where t.k = u.t) from u where k = 1",
    "select * from t where exists (select from u where u.t = t.k) order by k",
    "select t from t where k = 1",
    "select row_to_json(t) from t where k = 1",
    "select 't'::regclass, to_regclass('a.t'), 't'::regclass::oid = (select oid from pg_class where relname = 't' order by oid limit 1)",
    "select 'mood'::regtype, to_regtype('dom'), to_regproc('one'), to_regrole('r3')",
    "select relname, relkind from pg_class where relname in ('t', 'u', 'w', 'loose') order by 1, 2",
    "select attname from pg_attribute where attrelid = 't'::regclass and attnum > 0 and not attisdropped order by attnum",
    "select has_table_privilege('r1', 't', 'select'), has_table_privilege('r2', 't', 'update')",
    "select current_schema(), current_schemas(false)",
    "select pg_has_role('r2', 'r1', 'member')",
    "select nextval('sq') is null",
    "select s from t order by s collate co",
    "select k from t where s collate co = 'THREE' collate co",
    "select one() + 1",
    "select k from loose where k = 5",
    "select * from loose where v = 50",
    "select pg_get_viewdef('w'::regclass)",
    "select column_name, data_type from information_schema.columns where table_name = 't' order by 1, 2",
    "select count(*) from pg_proc where proname = 'f'",
    "insert into t (k, v) values (100, 5) returning *",
    "insert into t (k, v, m) values (101, 5, 'ok') returning k, m",
    "insert into t (k, v) values (1, 5) on conflict (k) do update set v = excluded.v returning *",
    "insert into t values (7, 8, 'nine')",
    "insert into t (k, d) values (102, -1) returning d",
    "insert into u (k, t) values (50, 1) returning *",
    "insert into u (k, t) values (51, 99) returning *",
    "insert into loose values (5, 51) on conflict (k) do nothing returning *",
    "insert into loose values (5, 52) on conflict (k) do update set v = 0 returning *",
    "insert into loose values (2000, 52) returning *",
    "insert into w (k, v) values (103, 3) returning *",
    "insert into pt values (12, 1) returning tableoid::regclass, *",
    "insert into pt values (25, 1) returning *",
    "update t set v = v + 1 where k = 1 returning *",
    "update t set s = 'x' where v > 0 returning k, s",
    "update w set v = 0 where k = 1 returning *",
    "update base set v = v + 1 returning *",
    "update t set v = 2000 where k = 2 returning v",
    "delete from t where k = 3 returning *",
    "delete from t where k = 1 returning *",
    "delete from u where k = 1 returning *",
    "delete from w where k = 3",
    "delete from pt where k = 1 returning *",
    "merge into loose using t on loose.k = t.k when matched then delete when not matched then insert values (t.k, t.v)",
    "with x as (update t set v = 0 where k = 1 returning k) select * from x",
    "select * from t where k = 1 for update",
    "insert into t (k, v) select k + 200, n from u where k = 1 returning *",
    "select count(*) from log",
)  # fmt: skip


def definition(r: Random) -> str:
    """The next definition."""
    schema = r.choice(("a", "b", "public", "public", "pg_temp"))
    table = r.choice(("t", "t", "u", "loose", "pt", "base", "p1", "log"))
    of = r.choice((table, f"public.{table}", f"a.{table}"))
    role = r.choice(("r1", "r2", "r3", "public"))
    kind = r.choice(
        (
            "int",
            "bigint",
            "text",
            "numeric",
            "mood",
            "dom",
            "anyelement",
            "smallint",
            "pair",
            "float8",
            "varchar",
        )
    )
    column = r.choice(("k", "v", "s", "m", "d", "n", "t", "x"))
    number = r.randint(0, 99)
    returns = r.choice(("text", "text", "int"))
    body = f"'{schema}.{kind}.{number}'::text" if returns == "text" else str(number)
    f = r.choice((
        f"create or replace function {r.choice(('a', 'b', 'public'))}.f({kind}) returns {returns} language sql as $$ select {body} $$",
        f"create or replace function public.f(int, int default {number}) returns text language sql as $$ select 'two{number}'::text $$",
        f"create or replace function public.f(variadic int[]) returns text language sql as $$ select 'many{number}'::text $$",
        f"drop function {r.choice(('a.', 'b.', 'public.', ''))}f({kind}) cascade",
        f"alter function f({kind}) set schema {r.choice(('a', 'b', 'public'))}",
        f"alter function f({kind}) rename to {r.choice(('f2', 'lower', 'abs'))}",
        f"create or replace function a.{r.choice(('lower', 'abs', 'one', 'sum'))}({kind}) returns text language sql as $$ select 'own{number}'::text $$",
        f"drop function a.{r.choice(('lower', 'abs', 'one', 'sum'))}({kind}) cascade",
        f"create or replace function public.one() returns int language sql as $$ select {number} $$",
        f"create or replace function public.g(a int) returns bigint language sql as $$ select {r.choice(('count(*)', 'max(k)', 'sum(v)'))}::bigint"
        f" from {r.choice(('t', 'u', 'w', 'loose'))} where k >= a $$",
        f"create or replace function public.ok(a int) returns bool language sql as $$ select a < {r.choice((0, 1000, 5000))} and"
        f" {r.choice(('', 'not '))}exists (select from {r.choice(('u', 'log', 'loose'))}) $$",
        f"create or replace function public.pl(a int) returns text language plpgsql as $$ begin return {number} || f(a); end $$",
        "create or replace function public.pl(a int) returns text language plpgsql as $$ declare x t%rowtype; begin"
        " select * into x from t where k = a; return x::text || f(a) || one(); end $$",
        f"create or replace function public.tf() returns trigger language plpgsql as $$ begin insert into log values ('{number}'); return new; end $$",
        f"alter function public.g set search_path = {r.choice(('a', 'b', 'public'))}",
        f"alter function public.g {r.choice(('security definer', 'security invoker', 'strict', 'called on null input'))}",
    ))  # fmt: skip
    t = r.choice((
        f"create table {schema}.{table} (k int primary key, v int default {number}, s text default '{schema}', m mood, d dom)",
        f"insert into {of} (k, v) values ({number}, {number})",
        f"create table {schema}.{table} as select k, v from public.loose",
        f"drop table {r.choice((schema + '.', 'a.', 'b.', ''))}{table} {r.choice(('', 'cascade'))}",
        f"create view {schema}.{table} as select 1 as k, {number} as v, 'view'::text as s",
        f"drop view {schema}.{table}",
        f"alter table {of} rename to {r.choice(('t', 'u', 'loose', 't2'))}",
        f"alter table {r.choice(('t2', 'a.t2', 'public.t2'))} rename to {r.choice(('t', 'loose', 'u'))}",
        f"alter table {of} set schema {r.choice(('a', 'b', 'public'))}",
        f"alter schema {r.choice(('a', 'b', 'c'))} rename to {r.choice(('a', 'b', 'c'))}",
        f"truncate {of} cascade",
        f"alter table {of} add column {column} {kind} {r.choice(('', f'default {number}', 'not null default 1'))}",
        f"alter table {of} drop column {column} {r.choice(('', 'cascade'))}",
        f"alter table {of} rename column {column} to {r.choice(('k', 'v', 's', 'x'))}",
        f"alter table {of} alter column {column} type {kind} using {column}::{r.choice(('text', 'int'))}::{kind}",
        f"alter table {of} alter column {column} set default {r.choice((str(number), 'one()', chr(39) + 'q' + chr(39), 'null'))}",
        f"alter table {of} alter column {column} drop default",
        f"alter table {of} alter column {column} {r.choice(('set', 'drop'))} not null",
        f"alter table {of} add column gen int generated always as (k * {number}) stored",
        f"alter table {of} drop column gen",
        f"alter table {of} add constraint c check ({r.choice(('v < 1500', 'ok(v)', 'k > 0', 'one() > 0', 'v + one() < 5000'))}) {r.choice(('', 'not valid'))}",
        f"alter table {of} drop constraint c",
        f"alter table {of} add constraint un unique ({r.choice(('k', 'v', 's'))})",
        f"alter table {of} drop constraint un",
        f"alter table {of} add primary key (k)",
        f"alter table {of} drop constraint {table}_pkey cascade",
        f"create {r.choice(('', 'unique '))}index i{number % 3} on {of} ({r.choice(('k', 'v', 's', 'lower(s)', 'v, k', 'f(k)'))})",
        f"create index i{number % 3} on {of} (v) where v > {number}",
        f"drop index i{number % 3}",
        f"alter table public.u add constraint fk foreign key (t) references {r.choice(('public.t', 'a.t', 'loose'))} (k)"
        f" on delete {r.choice(('cascade', 'set null', 'restrict', 'no action'))}",
        "alter table public.u drop constraint fk",
        "alter table public.u drop constraint u_t_fkey",
        f"create rule ru as on {r.choice(('insert', 'update', 'delete'))} to {of} do {r.choice(('instead nothing', 'also insert into log values (' + chr(39) + 'rule' + chr(39) + ')'))}",
        f"drop rule ru on {of}",
        f"alter table {of} {r.choice(('disable', 'enable'))} rule ru",
        f"create trigger tg {r.choice(('before', 'after'))} {r.choice(('insert', 'update', 'insert or update'))} on {of} for each row"
        f" {r.choice(('', 'when (new.k > one()) ', 'when (new.k < 50) ', 'when (ok(new.k)) '))}execute function tf()",
        f"drop trigger tg on {of}",
        f"alter table {of} {r.choice(('disable', 'enable', 'enable always'))} trigger tg",
    ))  # fmt: skip
    o = r.choice((
        f"create operator {r.choice(('a', 'b', 'public'))}.### (leftarg = {r.choice(('int', 'text', 'bigint'))}, rightarg = {r.choice(('int', 'text', 'bigint'))},"
        f" function = {r.choice(('a.opf', 'public.opf', 'public.opt'))})",
        f"drop operator {r.choice(('a.', 'b.', ''))}### ({r.choice(('int', 'text'))}, {r.choice(('int', 'text'))})",
        f"create or replace function {r.choice(('a', 'public'))}.opf(int, int) returns int language sql as $$ select $1 * {number} + $2 $$",
        f"create or replace function public.opt(text, text) returns text language sql as $$ select $1 || '{number}' || $2 $$",
        f"create cast (mood as int) with function public.moodint(mood) {r.choice(('', 'as implicit', 'as assignment'))}",
        "drop cast (mood as int)",
        f"create or replace function public.moodint(mood) returns int language sql as $$ select {number} $$",
        f"create cast (pair as text) with function public.pairtext(pair) {r.choice(('', 'as implicit'))}",
        f"create or replace function public.pairtext(pair) returns text language sql as $$ select 'p{number}' $$",
        "drop cast (pair as text)",
        f"alter type mood add value 'v{number}' {r.choice(('', 'before ' + chr(39) + 'sad' + chr(39), 'after ' + chr(39) + 'sad' + chr(39)))}",
        f"alter type mood rename value '{r.choice(('sad', 'ok', 'glum'))}' to '{r.choice(('sad', 'ok', 'glum'))}'",
        f"alter type {r.choice(('mood', 'public.mood', 'a.mood', 'mood2'))} rename to {r.choice(('mood', 'mood2'))}",
        f"create type {r.choice(('a', 'b'))}.mood as enum ('sad', 'ok', 'a{number}')",
        f"drop type {r.choice(('a', 'b'))}.mood cascade",
        f"alter domain dom add constraint dc check (value {r.choice(('> 0', '< 5', '> -5'))}) not valid",
        "alter domain dom drop constraint dc",
        f"alter domain dom set default {number}",
        f"alter domain dom {r.choice(('set', 'drop'))} not null",
        f"create domain a.dom as {r.choice(('int', 'text', 'bigint'))}",
        "drop domain a.dom cascade",
        f"alter type pair {r.choice(('add attribute z int', 'drop attribute z', 'rename attribute y to yy', 'rename attribute yy to y', 'alter attribute x type bigint'))} cascade",
        f"create type a.pair as (x {kind}, y text)",
        "drop type a.pair cascade",
        f"create collation {r.choice(('a', 'public'))}.co ({r.choice(('locale = ' + chr(39) + 'C' + chr(39), 'provider = icu, locale = ' + chr(39) + 'und-u-ks-level2' + chr(39) + ', deterministic = false'))})",
        f"drop collation {r.choice(('a.', 'public.', ''))}co",
        f"alter sequence sq {r.choice(('restart', 'owned by none', 'increment 2', 'rename to sq2'))}",
        f"create sequence {r.choice(('a', 'b', 'public'))}.sq", f"drop sequence {r.choice(('a.sq', 'public.sq', 'sq', 'sq2'))}",
        f"create or replace view {r.choice(('public', 'a'))}.w as select k, v, {r.choice(('s', 'upper(s) as s', 'f(k)::text as s'))} from {r.choice(('t', 'public.t'))}"
        f"{r.choice(('', ' where k < 3', ' where k > 0 with check option'))}",
        f"drop view {r.choice(('public', 'a'))}.w cascade",
        "create or replace view public.ww as select k, v + 1 as v1 from w",
        "create or replace view public.ww as select k, sum(v) as v1 from public.w group by k",
        f"alter view public.w set ({r.choice(('security_invoker = true', 'security_invoker = false', 'security_barrier = true', 'check_option = local'))})",
        "alter table pt detach partition p1", "alter table pt attach partition p1 for values from (0) to (10)",
        "alter table pt detach partition p2", "alter table pt attach partition p2 for values from (10) to (20)",
        "create table public.p3 partition of pt for values from (20) to (30)", "drop table p3",
        "create table public.pd partition of pt default", "drop table pd",
        "alter table heir no inherit base", "alter table heir inherit base",
        "create table public.heir2 () inherits (base)", "drop table heir2", "insert into heir values (3, 3)",
    ))  # fmt: skip
    p = r.choice((
        f"alter table {of} {r.choice(('enable', 'disable', 'force', 'no force'))} row level security",
        f"create policy po on {of} {r.choice(('', 'for select ', 'for update ', 'for insert '))}{r.choice(('', f'to {role} '))}"
        + r.choice(("using (k > 1)", "using (v < 100)", "with check (k < 50)", "using (ok(k))", "using (k in (select k from public.u))")),
        f"alter policy po on {of} using (k > {number % 4})", f"drop policy po on {of}",
        f"grant {r.choice(('select', 'all', 'update', 'insert', 'select (k)', 'select (k, v, s), update (v)', 'delete'))} on {of} to {role}",
        f"revoke {r.choice(('select', 'all', 'update', 'insert', 'select (k)', 'delete'))} on {of} from {role}",
        f"grant {r.choice(('usage', 'create'))} on schema {r.choice(('a', 'b', 'public'))} to {role}",
        f"revoke {r.choice(('usage', 'create', 'all'))} on schema {r.choice(('a', 'b', 'public'))} from {role}",
        f"grant {r.choice(('r1', 'r2', 'tidewire'))} to {r.choice(('r2', 'r3', 'r1'))}",
        f"revoke {r.choice(('r1', 'r2', 'tidewire'))} from {r.choice(('r2', 'r3', 'r1'))}",
        f"alter role {r.choice(('r1', 'r2', 'r3'))} {r.choice(('superuser', 'nosuperuser', 'bypassrls', 'nobypassrls', 'inherit', 'noinherit'))}",
        f"alter table {of} owner to {r.choice(('r1', 'r2', 'tidewire'))}", f"alter view w owner to {r.choice(('r1', 'r2', 'tidewire'))}",
        f"alter function g owner to {r.choice(('r1', 'tidewire'))}",
        f"{r.choice(('grant execute on function f(int) to', 'revoke execute on function f(int) from', 'revoke all on function g from', 'grant all on function g to'))} {role}",
        f"revoke all on type mood from {role}", "drop role r3", "create role r3", "alter role r3 rename to r4", "alter role r4 rename to r3",
        f"create role {r.choice(('r3', 'r4'))} superuser", "drop role r4",
        f"alter default privileges in schema a grant select on tables to {role}",
        f"comment on table {of} is 'said {number}'",
        f"reassign owned by r1 to {r.choice(('r2', 'tidewire'))}",
    ))  # fmt: skip
    return r.choice((t, t, t, f, f, o, o, p, p))


PATHS: Final = ("public", "a, public", "b, a, public", "a, b", "public, pg_catalog", "a, pg_catalog, public")
