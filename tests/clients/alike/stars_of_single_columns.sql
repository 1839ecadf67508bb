-- The star of a function's one column is that value, in rows and in calls.
SELECT row_to_json(q) FROM (SELECT $$a$$ || x AS b, y AS c, ARRAY[ROW(x.*,ARRAY[1,2,3]), ROW(y.*,ARRAY[4,5,6])] AS z FROM generate_series(1,2) x, generate_series(4,5) y) q;
select row(x.*, 1) from generate_series(1,2) x;
select row(x.*, 1) from (values (1,2)) x;
select x.* from generate_series(1,2) x;
select row(x.*, 1), x.* from unnest(array[1,2]) x(a);
create function f(int) returns int language sql as 'select $1';
select row(f.*, 2) from f(3);
select row(a.*) = row(b.*), row(a.*) < row(b.*, 1) is null from generate_series(1,2) a, generate_series(2,3) b;
select coalesce(a.*, 0), greatest(a.*, 2), array[a.*] from generate_series(1,2) a;
create table nocol();
insert into nocol default values;
select row(n.*), row(n.*, 1) from nocol n;
select row(n.*, 1) from (select 1) o left join nocol n on true;
