-- A query's clauses come in one order, each once: what other dialects forgive is a syntax error.
create table rows_of (a int, b int);
insert into rows_of values (1, 2), (3, 4), (3, 5);
select a from rows_of limit 1 order by a;
select a from rows_of order by a group by a;
select a from rows_of having true where a = 1;
select a from rows_of where a = 1 where b = 2;
select a from rows_of from rows_of;
select a from rows_of order by a union select 1;
select a from rows_of limit 1 limit 2;
select a from rows_of fetch first row only limit 2;
select a from rows_of limit 1 for update offset 0;
select a from rows_of order by a limit 1 with ties;
select distinct from rows_of;
select :a;
-- And these are in order.
select a from rows_of where a is distinct from 1 and a is not distinct from 3 group by a having true window w as (order by a) order by a offset 0 limit 1 for update;
select a from rows_of where a is distinct from 1 group by a having true window w as (order by a) order by a offset 0 limit 1;
select a from rows_of order by a fetch first row with ties;
select a from rows_of where b = 2 for update limit 1 offset 0;
(select a from rows_of order by b limit 1) union all (select b from rows_of order by b desc limit 1) order by a limit 2;
with x as (select a from rows_of order by a limit 2) select substring('abc' from 2 for 1), count(*) filter (where a > 0) from x where a > 0;
select * from rows from (generate_series(1, 2), generate_series(1, 3)) as r (x, y) where x is not null order by y;
insert into rows_of select 7, 8 where true on conflict do nothing returning a, b;
-- INTO belongs to the whole statement.
select * from (select 1 into elsewhere) as x;
insert into rows_of select 1 into elsewhere;
copy (select 1 into elsewhere) to stdout;
create view of_rows as select 1 into elsewhere;
-- VARIADIC where nothing takes it.
select nothing_of_the_kind(variadic array[1]);
select sum(variadic array[1]);
