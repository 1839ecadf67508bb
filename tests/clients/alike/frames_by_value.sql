-- Frames counted by values; rows and lists of rows; what of other planners' settings is accepted.
\set VERBOSITY verbose
\set SHOW_CONTEXT never
create temp table walks (x int, y int, n numeric, m numeric(6,2), tz timetz, f float8, b bigint, s smallint);
insert into walks values (1,10,1.5,1.25,'10:00+1',1.5,9223372036854775800,32766),(2,20,'NaN',2.25,'10:30+1',2.5,9223372036854775801,32767),(3,30,3.5,5.75,'12:00+2',9,5,3);
select x, sum(x) over (order by x range between current row and 2147483647 following) from walks order by 1;
select x, count(*) over (order by b range between 1 preceding and 9223372036854775807 following) from walks order by 1;
select x, count(*) over (order by b desc range between 1 preceding and 1 following) from walks order by 1;
select x, count(*) over (order by s range between 1 preceding and 2147450884 following) from walks order by 1;
select x, count(*) over (order by s range between 1::bigint preceding and 2::smallint following) from walks order by 1;
select x, count(*) over (order by m range between 1 preceding and 3.5 following) from walks order by 1;
select x, count(*) over (order by f range between 1 preceding and '1.5' following) from walks order by 1;
select x, count(*) over (order by x range between '1' preceding and '1' following) from walks order by 1;
select x, count(*) over (order by x range between 1.5 preceding and 1 following) from walks;
select x, count(*) over (order by m range between 1::float8 preceding and 1 following) from walks;
select x, count(*) over (order by x range between -1 preceding and 1 following) from walks;
select x, count(*) over (order by y range between unbounded preceding and 10 following exclude current row) from walks order by 1;
select y, count(*) over (partition by x % 2 order by sum(x) range between 1 preceding and 1 following) from walks group by y, x order by 1;
select x, sum(m) over w, sum(x) over w from walks window w as (order by x range between 1 preceding and 1 following) order by x;
select * from walks where (x,y) in (values (1,10),(2,21)) ;
select x from walks where x in (values (1),(3)) order by x using >;
select x from walks where x not in (values (1), (3)) order by y using <;
select string_agg(x::text, ',' order by x using >) from walks;
update walks set (x, y) = row(v.*) from (values (1, 100)) v(i, j) where walks.x = v.i returning x, y;
update walks set (x, y) = row(v.*, 1) from (values (1, 100)) v(i, j) where walks.x = v.i;
with recursive sg(f, t, cyc, path) as (select x, x % 3 + 1, false, array[row(x, x % 3 + 1)] from walks where x < 4 union all select walks.x, walks.x % 3 + 1, row(walks.x, walks.x % 3 + 1) = any(path), path || row(walks.x, walks.x % 3 + 1) from walks, sg where walks.x = sg.t and not cyc) select * from sg order by path;
with c(v) as (values (1), (2)) values ((select max(v) from c)), (7) order by 1;
set jit_above_cost = 0; set geqo_threshold = 2; set min_parallel_table_scan_size = 0; show min_parallel_table_scan_size; reset min_parallel_table_scan_size; show min_parallel_table_scan_size; set hash_mem_multiplier = 0.5; show parallel_tuple_cost; show recursive_worktable_factor; show jit_above_cost;
