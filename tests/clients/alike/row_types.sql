-- Every table and view is a type: what casts, columns, functions over JSON and the catalogs make of it.
create table u (id int primary key, name text, d date, "we ird" text[]);
insert into u values (1,'a b','2020-01-01','{x,y}'),(2,null,null,null);
select null::u;
select (null::u).name;
select '(3,x,2020-02-02,{})'::u;
select ('(3,x,2020-02-02,{})'::u).*;
select '(3,x)'::u;
select (row(1,'a','2020-01-01','{}')::u).name;
select u::u, (u::u).name from u order by id;
select * from jsonb_populate_record(null::u, '{"id": 5, "name": "x", "we ird": ["a","b"]}');
select * from json_populate_recordset(null::u, '[{"id": 5, "name": "x"},{"id":6}]');
select (json_populate_record(null::u, '{"id": 5, "name": "x"}')).*;
insert into u select * from jsonb_populate_recordset(null::u, '[{"id": 50, "name": "x"},{"id":60}]') returning u;
create table holder (k int primary key, r u, rs u[]);
insert into holder values (1, row(1,'x',null,null), array[row(2,'y',null,null)::u]);
insert into holder select 2, u, null from u where id = 1;
select * from holder order by 1;
select k, (r).id, (r).name, (rs[1]).name from holder order by 1;
\d holder
\set VERBOSITY terse
drop table u restrict;
alter table u rename column d to day;
select (r).day from holder order by k;
select t.typname, t.typtype, t.typrelid::regclass, t.typarray::regtype, t.typcategory, t.typelem::regtype, t.typinput, t.typoutput
from pg_type t where typname in ('u','_u','holder') order by 1;
select reltype::regtype, reltype > 0 from pg_class where relname = 'u';
select 'u'::regtype, 'u[]'::regtype, to_regtype('u');
select a.attname, format_type(a.atttypid, a.atttypmod) from pg_type t join pg_attribute a on a.attrelid = t.typrelid
where t.oid = 'u'::regtype and a.attnum > 0 order by a.attnum;
create view vu as select id, name from u;
select null::vu, (row(1, 'a')::vu).name;
create type u as enum ('a');
create type vu as enum ('a');
create domain holder as int;
create table mood_of (k int);
create type mood as enum ('a');
create table mood (k int);
drop type u;
alter type u rename to w;
\dT
alter table u rename to people;
select null::people, pg_typeof(r) from holder order by k;
begin;
alter table holder drop column r, drop column rs;
alter table people add column more int default 7;
select (row(1, 'a', null, null, 3)::people).more;
rollback;
select (row(1, 'a', null, null)::people).name;
drop table people cascade;
\set VERBOSITY terse
\d holder
