-- A body whose one column is a row gives that row, whoever calls it a record.
create type pt as (x int, y text);
create table e(id int primary key, p pt);
insert into e values (1, '(1,a)'), (2, null), (3, '(,)');
create function fs() returns setof record language sql as 'select p from e order by id';
create function fo() returns record language sql as 'select p from e order by id limit 1';
create function fr() returns setof record language sql as 'select row(id, p) from e order by id';
create function f2() returns setof record language sql as 'select id, p from e order by id';
create function f1() returns setof record language sql as 'select id from e order by id';
create type one as (z pt);
create function fo1() returns setof one language sql as 'select p from e order by id';
select fs();
select fo();
select fr();
select f2();
select f1();
select fo1();
select * from fs() as t(x int, y text);
select * from f2() as t(x int, y pt);
select * from f1() as t(x int);
select * from fo1();
select row_to_json(fo());
select row_to_json(f2());
select json_agg(f1()) from (select 1) one;

-- A query in an expression is called as its one column is, behind a star too.
select (select * from (select 1 as one) q), (select q.* from (select 2 as two) q), (select e.id from e limit 1),
       (select 5), (select count(*) from e), (select id + 1 as nxt from e limit 1);
create table named as select (select * from (select 1 as one) q);
\d named

-- What is gone with the session, and what nothing compares.
create temp table of_session(a int);
create materialized view m as select * from of_session;
create temp view seen as select 1 as a;
create materialized view m as select * from seen;
select pg_advisory_unlock_all() union select pg_advisory_unlock_all();
select distinct pg_advisory_unlock_all();
select pg_advisory_unlock_all() union all select pg_advisory_unlock_all();
