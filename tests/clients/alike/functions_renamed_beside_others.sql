-- Functions that others are called like get other names and schemas: queries, CHECKs, defaults, generated columns and indexes call them by those.
create function f(a int) returns int language sql immutable as 'select a+1';
create function f(a text) returns text language sql immutable as 'select a||1';
create function lower(a int) returns int language sql immutable as 'select -a';
create function tot(a int, b int default 5) returns int language sql immutable as 'select a+b';
create function tot(a text) returns int language sql immutable as 'select length(a)';
create table t (id int, a int, g int generated always as (f(id) * 2) stored, low int default lower(3), n text default f('q') || f(2), check (f(a) > lower(a) and f('x') <> ''));
insert into t(id, a) values (1, 5);
create domain dm as int default f(8) check (f(value) > 2);
create view v as select f(f(a)), f(n) as fn, lower(a) as la, lower(n), tot(a), tot(n), tot(a, 7), (select max(f(x.id)) from t x) from t where f(a) > 0 group by a, n order by f(a);
create materialized view mv as select f(a) as x from t; create index on mv (f(x));
create function sb(a int) returns int language sql return f(a) + f(length(f('q')));
create index ti on t (f(a), lower(n), (f(n))) where f(a) <> 3;
create unique index tu on t (f(a));
alter function f(int) rename to ff;
alter function lower(int) rename to "Low er";
alter function tot(int,int) rename to sum_of;
select pg_get_viewdef('v'), pg_get_viewdef('mv');
\d t
\sf sb
select * from v; select sb(1);
insert into t(id, a) values (2, 1); insert into t(id,a) values (3, -10); insert into t(id,a) values (4, 1); select * from t order by id;
create schema s; alter function ff(int) set schema s; alter function f(text) set schema s;
select pg_get_viewdef('v');
\d t
\sf sb
create function public.f(a text) returns text language sql immutable as 'select ''other''';
select * from v; insert into t(id,a) values (5, 50); select * from t where id = 5;
alter function s.ff(int) rename to f; select * from v; select sb(1); select 3::dm, 1::dm;
alter function s.f(int) rename to f; alter function s.f(int) rename to f2; alter function s.f(text) rename to f2; select pg_get_viewdef('v');
create function rec(n int) returns int language sql as 'select 1'; create function rec(n text) returns int language sql as 'select 2'; create view rv as select rec(1), rec('a'); alter function rec(text) rename to lower; select pg_get_viewdef('rv'); select * from rv;
alter routine rec(int) rename to tot; select pg_get_viewdef('rv');
