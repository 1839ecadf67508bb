-- LIMIT and OFFSET of a subquery by columns of the query around it, and what may not stand there.
create table t (a int primary key, b text, c int);
insert into t select i, 'b' || i, i % 3 from generate_series(1, 10) i;
create table u (x int, y text);
insert into u values (1, 'one'), (2, 'two'), (3, 'three');
select x, (select array_agg(a) from (select a from t order by a limit x) s) from u order by x;
select x, (select a from t order by a offset x limit 1) from u order by x;
select * from u, lateral (select a from t order by a desc limit x) s order by 1, 3;
select * from u where exists (select 1 from t where a > 8 order by a offset x);
select x, array(select distinct c from t order by c desc limit x) from u order by x;
select x, array(select distinct on (c) a from t order by c, a limit x) from u order by x;
select x, (select count(*) from (select a from t union all select 5 limit x * 2) s) from u order by x;
select x, (select count(*) from (values (1), (2), (3) limit x) s) from u order by x;
select x, array(select a from t order by a fetch first (x) rows only) from u order by x;
select x, (select a from t order by a limit (select x + 0) offset 0) from u where x = 1;
select x, array(select a from t order by a limit nullif(x, 3) offset nullif(x, 2)) from u order by x;
select g, array(select a from t order by a limit g) from (select x as g from u group by x) q order by g;
select x, (select array_agg(a) from (select a from t order by a limit x - 2) s) from u order by x;
select x, (select a from t order by a limit a) from u;
select (select a from t limit nope) from u;
select a from t order by a limit a;
select a from t order by a limit count(*);
select a from t order by a fetch first null rows with ties;
-- frames by a query
select a, sum(a) over (order by a rows (select 1) preceding) from t where a < 5 order by a;
select a, sum(a) over (order by a range between (select 1) preceding and (select 2) following) from t where a < 5 order by a;
select n, exists (select from generate_series(1, 3) limit n) from (values (0), (2), (null)) as x (n) order by n;
select from (values (1), (1)) as x (n) order by n fetch first 1 row with ties;
