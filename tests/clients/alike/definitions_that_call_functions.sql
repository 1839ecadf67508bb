-- Functions that definitions call are found whatever the search path of who inserts, and are shown and dumped by it.
create function f() returns int language sql as 'select 1';
create function g() returns int language plpgsql as 'begin return 1; end';
create table t (a int default f(), b int default g() + 1, c int generated always as (a * 2) stored, check (a > 0));
create schema s; create function s.h(int) returns int language sql immutable as 'select $1';
create table u (a int default s.h(3));
create view v as select f() as x, g() as y, s.h(2) as z;
select pg_get_expr(adbin, adrelid) from pg_attrdef order by adrelid, adnum;
set search_path to s;
select pg_get_expr(adbin, adrelid) from pg_attrdef order by adrelid, adnum;
select pg_get_viewdef('public.v'::regclass);
set search_path to '';
select pg_get_expr(adbin, adrelid) from pg_attrdef order by adrelid, adnum;
select pg_get_viewdef('public.v'::regclass);
insert into public.t default values;
reset search_path; create table w (a int, b text check (s.h(a) > 0), check (f() = a)); create schema q; set search_path to q; insert into public.w values (1,$$x$$); insert into public.w values (2,$$x$$); alter table public.w add column d int default public.g();
\d public.w
