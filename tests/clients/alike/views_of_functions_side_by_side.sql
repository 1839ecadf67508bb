-- The text of a view over ROWS FROM says what it was said of each function's records, so that a dump can be restored.
create function pairs(n int) returns setof record language sql as 'select g, g * 2 from generate_series(1, n) g';
create view beside as select * from rows from (pairs(2) as (a int, "B" int), generate_series(1, 3), pairs(1) as (x int, y int)) with ordinality z(a, b, c, d, e, n);
select * from beside; select pg_get_viewdef('beside'); select pg_get_viewdef('beside', true);
create view beside2 as select a, v from rows from (json_to_recordset('[{"a": 1, "b": "x"}]') as (a int, b varchar(3)), unnest(array[1.5, 2.5])) as q (a, b, v);
select * from beside2; select pg_get_viewdef('beside2');
create view alone as select * from pairs(2) as p(a int, b int); select pg_get_viewdef('alone');
do $$ begin execute 'create view again as ' || pg_get_viewdef('beside'); end $$;
select * from again;
