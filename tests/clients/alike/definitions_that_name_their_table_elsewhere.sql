-- The same of policies, triggers, indexes, statistics, exclusion constraints and views.
\set VERBOSITY verbose
create table v1 (a int, b text);
create view vv as select v1.a, v1.b from v1 where v1.a > 0 with check option;
create policy pol on v1 using (v1.a > 0) with check (v1.a > 1);
create function trf() returns trigger language plpgsql as $$ begin raise notice 'fired %', new.a; return new; end $$;
create trigger tr before update on v1 for each row when (new.a > 0 and old.a > 0) execute function trf();
create index vi on v1 ((v1.a + 1)) where v1.a > 5;
create unique index vu on v1 (lower(v1.b)) where v1.a > 5;
create statistics st on (v1.a + 1), (v1.b || 'x') from v1;
insert into v1 values (6, 'a'), (7, 'b');
alter table v1 rename to v2;
alter table v2 rename a to a2;
insert into vv values (8, 'c');
insert into vv values (-8, 'c');
insert into v2 values (8, 'C');
insert into v2 values (9, 'D') on conflict do nothing;
insert into v2 values (9, 'D') on conflict (lower(b)) where a2 > 5 do update set b = v2.b || excluded.b;
update v2 set a2 = a2 + 1;
delete from v2 where a2 = 7;
select * from v2 order by 1;
\d v2
\d+ vv
create schema s2;
alter table v2 set schema s2;
insert into vv values (18, 'cd');
update s2.v2 set a2 = a2 + 1;
delete from s2.v2 where a2 = 8;
\d s2.v2
\d+ vv
create role told_reader;
grant usage on schema s2 to told_reader;
grant all on s2.v2 to told_reader;
alter table s2.v2 enable row level security;
set role told_reader;
insert into s2.v2 values (1, 'zz');
insert into s2.v2 values (20, 'zz');
select * from s2.v2;
reset role;
drop owned by told_reader;
drop role told_reader;
create table ex (r int4range, c int, exclude using gist ((ex.r) with &&) where (ex.c > 0));
alter table ex rename to ex2;
alter table ex2 rename c to cc;
insert into ex2 values ('[1,3]', 1);
insert into ex2 values ('[1,3]', 1);
insert into ex2 values ('[1,3]', 0);
\d ex2
create table ct (a int);
create type comp as (x int, y int);
create table cw (c comp, check ((cw.c).x > 0));
alter table cw rename to cw2;
insert into cw2 values ((1, 2));
insert into cw2 values ((-1, 2));
insert into cw2 values (null);
\d cw2
create table gw (a int, b text generated always as (gw.a::text || 'x') stored);
alter table gw rename to gw2;
insert into gw2 values (1) returning *;
update gw2 set a = 2 returning *;
alter table gw2 rename a to aaa;
insert into gw2 values (1) returning *;
\d gw2
create domain dd as int check (value > 0);
create temp table tt (a int check (tt.a > 0));
alter table tt rename to tt2;
\set VERBOSITY terse
insert into tt2 values (-1);
\set VERBOSITY verbose
insert into tt2 values (1);
create table "Q u" ("A b" int check ("Q u"."A b" > 0));
alter table "Q u" rename to "Q2";
alter table "Q2" rename "A b" to "X y";
insert into "Q2" values (-1);
insert into "Q2" values (1);
\d "Q2"
create table fkx (a int check (fkx.a > 0));
alter table fkx add column b int check (fkx.b > fkx.a), add constraint c2 check (fkx.a < 50) not valid;
alter table fkx rename to fky;
alter table fky validate constraint c2;
alter table fky alter column a type bigint;
insert into fky values (51, 60);
insert into fky values (49, 60);
insert into fky values (49, 6);
copy fky from stdin;
3	1
\.
copy fky from stdin;
3	7
\.
merge into fky using (values (1, 0)) s(x, y) on false when not matched then insert values (x, y);
\d fky
create table wh (a int, b int, check (wh is distinct from null), constraint w2 check (row(wh.*) is not null));
alter table wh rename to wh2;
insert into wh2 values (1, 2);
create table wh3 (like wh2 including constraints);
create table wh4 () inherits (wh2);
create table wh5 (like wh2);
alter table wh2 rename a to aa;
insert into wh2 values (1, 2);
select * from wh2;
