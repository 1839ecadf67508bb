-- A constant in quotes is read as its column's type once, when it is said: what becomes of it when the column gets another type,
-- how it is shown, and in parentheses. Migrations of Rails and Django widen columns whose defaults are said so.
create type mood as enum ('a', 'b');
create table pa(id int, sn varchar[] default '{}', v varchar(5)[] default '{a,b}', n int[] default '{1}', t text default 'x',
  i int default '5', b bool default 't', d date default '2020-01-02', m mood default 'a', e text default E'x\ny', nn int default null,
  num numeric(10,2) default '1.5', k int default ('7'), ch char(5) default 'ab', u text default 'zz', neg int default '-3', sp int default ' 6 ');
alter table pa alter column sn type text[], alter column sn set default '{}';
alter table pa alter column v type text[];
alter table pa alter column n type bigint[];
alter table pa alter column i type bigint;
alter table pa alter column t type varchar(3);
alter table pa alter column b type text;
alter table pa alter column d type timestamp;
alter table pa alter column m type text;
alter table pa alter column e type varchar;
alter table pa alter nn type bigint, alter num type int, alter k type text, alter ch type text, alter neg type bigint, alter sp type text;
alter table pa alter column u type int using 1;
alter table pa alter column u drop default, alter column u type int using 1;
insert into pa(id) values (1) returning *;
insert into pa(id, sn) values (2, default), (3, '{z}');
select sn, i, b, k, sp, m from pa order by id;
\d pa
drop table pa;
drop type mood;
create table dd(i int default '5'::integer, n numeric default '1.5'::numeric, m numeric default '15', k numeric(5,2) default '2.5'::numeric(5,2),
  j int default ('7'), g bigint default (('8')), h int default '-3'::int, x int default ('x'));
create table dd(i int default '5'::integer, n numeric default '1.5'::numeric, m numeric default '15', k numeric(5,2) default '2.5'::numeric(5,2),
  j int default ('7'), g bigint default (('8')), h int default '-3'::int, t timestamptz default ('now'), td date default (('today')));
insert into dd(i) values (default) returning i, n, m, k, j, g, h;
select pg_sleep(0.01);
insert into dd(i) values (default);
select count(distinct t), bool_and(t < now()), bool_and(td = current_date) from dd;
alter table dd alter j set default ('9'), alter g set default ('y');
alter table dd alter j set default ('9'), alter g type text;
select attname, pg_get_expr(adbin, adrelid) from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum where adrelid = 'dd'::regclass and attname not like 't%' order by attnum;
create view dv as select '5'::integer + i as x, '1.5'::numeric as y, '2'::numeric as z from dd;
select pg_get_viewdef('dv');
drop view dv;
drop table dd;
