-- Of two objects of one name on the path the second is shown with its schema: relations, types, functions, in whatever is shown.
create schema a; create schema b;
create table a.t (x int); create table b.t (x int);
create type a.e as enum ('q'); create type b.e as enum ('q');
create table b.f (x int, e b.e, r b.t);
create function a.fn(x int) returns int language sql as 'select 1';
create function b.fn(x int) returns int language sql as 'select 1';
create sequence a.sq; create sequence b.sq;
create view b.v as select t.x, f.r, f.e, b.fn(t.x) from b.t, b.f;
create domain a.dm as int; create domain b.dm as int;
create table a.w (k int); create type b.w as enum ('k');
create table b.z (p a.w, q b.w, d b.dm, d2 a.dm default 2, n int default nextval('b.sq'), check (b.fn(n) > 0));
create function b.g(r b.t, e b.e, d b.dm[], w b.w, w2 a.w) returns b.t language sql as 'select null::b.t';
create rule rr as on insert to b.t do also insert into b.f (x) values (new.x);
set search_path = a, b;
select 'a.t'::regclass, 'b.t'::regclass, 'a.t'::regtype, 'b.t'::regtype, 'a.e'::regtype, 'b.e'::regtype, 'b.e[]'::regtype, 'b.t[]'::regtype, 'b.fn(int)'::regprocedure, 'b.sq'::regclass, 'b.dm'::regtype, 'a.w'::regtype, 'b.w'::regtype, 'a.w'::regclass, 'b.fn'::regproc;
\d b.f
\d b.z
\df b.*
\d+ b.v
select pg_get_functiondef('b.g'::regproc);
select pg_get_ruledef(oid) from pg_rewrite where rulename = 'rr';
select format_type('b.t'::regtype, null), pg_typeof(null::b.e), pg_typeof(f) from b.f right join (select) d on true;
select pg_describe_object('pg_type'::regclass, 'b.e'::regtype, 0), pg_describe_object('pg_class'::regclass, 'b.t'::regclass, 0), pg_describe_object('pg_class'::regclass, 'b.f'::regclass, 1);
drop type b.e;
drop table b.t;
drop type b.w;
set search_path = b, a;
select 'a.t'::regclass, 'b.t'::regclass, 'a.t'::regtype, 'b.t'::regtype, 'a.e'::regtype, 'b.e'::regtype, 'a.w'::regtype, 'b.w'::regtype;
create temp table t (x int);
create temp table w (x int);
select 'a.t'::regclass, 'b.t'::regclass, 'a.t'::regtype, 'b.t'::regtype, 'a.e'::regtype, 'b.e'::regtype, 'a.w'::regtype, 'b.w'::regtype, 't'::regtype, 't'::regclass;
set search_path = b, pg_temp, a;
select 'a.t'::regclass, 'b.t'::regclass, 'a.t'::regtype, 'b.t'::regtype, 'a.w'::regtype, 'b.w'::regtype;
\d z
drop schema a, b cascade;
