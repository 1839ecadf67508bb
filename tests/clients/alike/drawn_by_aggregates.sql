-- What an argument of an aggregate draws is one value for each row, however often the aggregate's formula names it.
create sequence drawn_numbers;
create table drawn_rows (a int, g int, b text, i interval);
insert into drawn_rows select n, n % 2, 'x' || n, '1 mon' from generate_series(1, 6) n;
select abs(corr(random(), random())) < 0.1, abs(regr_slope(random(), random())) < 0.1,
       abs(stddev((random() * 100)::int) - 29) < 2, abs(variance(random()) - 1 / 12.0) < 0.01,
       abs(percentile_cont(0.5) within group (order by random()) - 0.5) < 0.05
from generate_series(1, 10000);
select stddev(a + nextval('drawn_numbers') * 0), avg(a) from drawn_rows;
select nextval('drawn_numbers');
select avg(nextval('drawn_numbers')) from drawn_rows;
select nextval('drawn_numbers');
-- FILTER: who does not pass draws nothing
select sum(nextval('drawn_numbers')) filter (where a > 4), count(*) from drawn_rows;
select nextval('drawn_numbers');
select sum(a) filter (where nextval('drawn_numbers') > 0) from drawn_rows;
select nextval('drawn_numbers');
select avg(1) filter (where random() < 0.5), avg(1.5) filter (where random() < 0.5), stddev(2) filter (where random() < 0.5),
       count(*) filter (where random() < 2) from generate_series(1, 1000);
-- beside keys, columns of several tables, queries within
select g, avg(random() * 0 + t.a + u.a), max(t.i), min(u.b), (select count(*) from drawn_rows v where v.g = t.g)
from drawn_rows t join drawn_rows u using (a, g) where t.a < 6 group by g order by g;
select grouping(g), g, avg(random() * 0 + a) from drawn_rows group by cube (g) order by 1, 2;
select a, (select stddev(random() * 0 + u.a + t.a) from drawn_rows u where u.g = t.g) from drawn_rows t order by a;
select array_agg(a order by a + random() * 0), string_agg(b || (random() * 0)::text, ',' order by a) from drawn_rows;
create view drawn_view as select g, avg(random() * 0 + a) as x from drawn_rows group by g;
select x from drawn_view where g = 1;
-- arrays are shown, stored and compared by one drawing
select setval('drawn_numbers', 100);
select array[nextval('drawn_numbers')], array[nextval('drawn_numbers')]::text, array[nextval('drawn_numbers')] = array[103::bigint];
select array(select nextval('drawn_numbers') from generate_series(1, 2)) || 5::bigint;
select (array[nextval('drawn_numbers'), 1])[1:1];
create table drawn_arrays (n bigint[]);
insert into drawn_arrays select array[nextval('drawn_numbers')] from drawn_rows where a < 3;
insert into drawn_arrays values (array[nextval('drawn_numbers')]) returning n;
update drawn_arrays set n = n || array[nextval('drawn_numbers')];
select * from drawn_arrays order by n;
select nextval('drawn_numbers');
select nextval('drawn_numbers') between symmetric 5 and 1;
select nextval('drawn_numbers');
-- a part of WITH that draws is computed once, whatever is said of it
with w as not materialized (select nextval('drawn_numbers') as n) select a.n = b.n from w a, w b;
with w as not materialized (select random() as n) select (select n from w) = (select n from w);
-- a function in SQL without a value, and one in PL/pgSQL with an empty one
create function drawn_nothing() returns void language sql as 'select 1';
create function drawn_empty() returns void language plpgsql as 'begin end';
select drawn_nothing() is null, drawn_nothing()::text, drawn_empty() is null, drawn_empty()::text = '';
select drawn_nothing() is null;
create function drawn_statements() returns void language sql as 'select 1; select 2';
select drawn_statements() is null, drawn_statements()::text;
drop function drawn_statements();
select f is null from drawn_nothing() f;
select f is null from drawn_empty() f;
drop function drawn_nothing(), drawn_empty();
drop view drawn_view;
drop table drawn_rows, drawn_arrays;
drop sequence drawn_numbers;
