-- What defaults, conditions, indexes and views call goes on to be called, whatever its name and schema are.
\set VERBOSITY verbose
create function fru(int) returns int language sql immutable as $$ select $1 + 1 $$;
create function fru_p(int) returns int language sql immutable as $$ select $1 * 2 $$;
create table fru_t (a int default fru(1), b int, g int generated always as (fru_p(b)) stored, check (fru(b) > 0));
create index fru_i on fru_t (fru_p(a)) where fru(b) > 1;
create unique index fru_u on fru_t (fru(b));
create domain fru_d as int default fru(5) check (fru(value) > 0);
create table fru_e (d fru_d, n int);
create view fru_v as select fru(b), x.fru as y from fru_t, lateral (select fru(g) from fru_t) x;
create materialized view fru_m as select fru_p(a) as one, fru_p(g) from fru_t;
create view fru_w as with fru as (select fru(a) as z from fru_t) select z, fru_p(z) from fru;
alter function fru(int) rename to fru2;
insert into fru_t values (default, 3);
insert into fru_t values (default, -3);
insert into fru_t values (4, 3);
insert into fru_t values (4, 5);
insert into fru_e values (default, 1);
insert into fru_e values (-1, 1);
select * from fru_v order by 1, 2;
select * from fru_w order by 1, 2;
refresh materialized view fru_m;
select * from fru_m order by 1, 2;
\d fru_t
\d fru_d
\d+ fru_v
\d+ fru_w
create schema "Fru s";
alter function fru2(int) set schema "Fru s";
alter function fru_p(int) set schema "Fru s";
alter function "Fru s".fru_p(int) rename to "P";
insert into fru_t values (default, 7);
insert into fru_t values (default, -7);
insert into fru_e values (default, 2);
insert into fru_e values (-1, 1);
update fru_t set a = a + 1, b = b + 100 where b = 7;
select * from fru_t order by b;
select * from fru_v order by 1, 2;
refresh materialized view fru_m;
select * from fru_m order by 1, 2;
select * from fru_t where "Fru s".fru2(b) = 108;
select a from fru_t where "Fru s"."P"(a) = 8 and "Fru s".fru2(b) > 1;
\d fru_t
\d+ fru_v
\d+ fru_m
create or replace function "Fru s".fru2(int) returns int language sql immutable as $$ select $1 + 2 $$;
insert into fru_e values (default, 3);
select * from fru_e order by n, d;
drop function "Fru s".fru2(int);
create function fru() returns int language sql as $$ select 1 $$;
create function fru(text) returns int language sql as $$ select 2 $$;
alter function fru(text) rename to fru_text;
alter function fru() rename to fru_none;
select fru_text('a'), fru_none();
