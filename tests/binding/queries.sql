select * from dept order by id
select d.*, e.name from dept d join emp e on e.dept = d.id order by e.id limit 5
select name, pay from emp where pay > 5000 order by pay desc, id
select dept, count(*), count(pay), sum(pay), avg(pay), min(pay), max(pay) from emp group by dept order by dept
select dept, count(*) from emp group by dept having count(*) > 5 order by 2 desc, 1
select d.name, coalesce(sum(e.pay), 0) from dept d left join emp e on e.dept = d.id group by d.name order by 1
select d.id, d.name, count(e.id) from dept d left join emp e on d.id = e.dept group by d.id order by d.id
select count(*), sum(id), avg(id), min(name), max(hired), bool_and(id > 0), bool_or(id > 29), every(true) from emp
select sum(i), sum(b), sum(s), sum(n), sum(f), sum(r), avg(i), avg(b), avg(s), avg(f), avg(r) from nums where i < 3
select avg(n), min(n), max(n), count(distinct n), sum(distinct i) from nums
select stddev(i), variance(i), stddev_pop(i), var_pop(i), stddev(f), stddev(n) from nums where n < 50
select n from nums order by n
select n, count(*) from nums group by n order by n
select distinct n from nums order by n desc
select i, b from nums order by i, b desc
select i from nums order by i desc
select i from nums order by i nulls first
select f from nums order by f
select f from nums order by f desc nulls last
select distinct dept from emp order by dept
select distinct on (dept) dept, name, pay from emp order by dept, pay desc, id
select string_agg(name, ',' order by id) from emp where id < 5
select string_agg(distinct code, '-') from emp
select array_agg(id order by id desc) from emp where id < 4
select array_agg(distinct dept) from emp
select dept, array_agg(name order by name) filter (where id < 6) from emp group by dept order by dept
select count(*) filter (where dept = 1), sum(pay) filter (where dept = 2) from emp
select percentile_cont(0.5) within group (order by rate), percentile_disc(0.5) within group (order by id), mode() within group (order by dept) from emp
select row_number() over (order by id), rank() over (order by dept), dense_rank() over (order by dept), id from emp order by id limit 8
select id, sum(pay) over (partition by dept order by id), avg(pay) over (partition by dept) from emp where dept is not null order by id
select id, lag(id) over (order by id), lead(id, 2) over (order by id), lag(id, 1, 0) over (order by id), first_value(id) over (order by id), last_value(id) over (order by id), nth_value(id, 2) over (order by id), ntile(4) over (order by id) from emp order by id limit 6
select id, sum(id) over (order by id rows between 1 preceding and 1 following), count(*) over (order by id rows unbounded preceding), max(id) over w from emp window w as (partition by dept order by id) order by id limit 6
select id, percent_rank() over (order by id), cume_dist() over (order by id) from emp order by id limit 4
select dept, sum(count(*)) over (order by dept) from emp group by dept order by dept
select dept, rank() over (order by sum(pay) desc) from emp where dept is not null group by dept order by dept
select dept, code, count(*) from emp group by rollup (dept, code) order by dept, code, count(*)
select dept, code, count(*), grouping(dept), grouping(dept, code) from emp group by cube (dept, code) order by 4, 5, 1, 2
select dept, code, count(*) from emp group by grouping sets ((dept), (code), ()) order by 1, 2, 3
select * from dept where id in (select dept from emp where pay > 8000) order by id
select * from dept where id not in (select dept from emp where dept is not null) order by id
select * from dept d where exists (select 1 from emp e where e.dept = d.id and e.pay > 8000) order by id
select d.name, (select max(pay) from emp e where e.dept = d.id) from dept d order by 1
select d.name, (select count(*) from emp e where e.dept = d.id) c from dept d order by c desc, 1
select name from emp where pay > (select avg(pay) from emp) order by name
select name from emp where pay > all (select pay from emp where dept = 1 and pay is not null) order by name
select name from emp where id = any (select boss from emp) order by name limit 4
select e.name, b.name from emp e join emp b on e.boss = b.id order by e.id limit 5
select * from dept natural join (values (1, 'x'), (2, 'y')) v(id, tag) order by id
select id, d.name, e.name from dept d join (select dept as id, name from emp) e using (id) order by 1, 3 limit 4
select * from (values (1), (2)) a(x) full join (values (2), (3)) b(x) using (x) order by x
select * from (values (1), (2)) a(x) full join (values (2), (3)) b(y) on a.x = b.y order by 1, 2
select * from (values (1), (2)) a(x) right join (values (2), (3)) b(y) on a.x = b.y order by 1, 2
select * from dept d, lateral (select name from emp e where e.dept = d.id order by id limit 1) x(en) order by d.id
select d.id, x.n from dept d left join lateral (select count(*) n from emp e where e.dept = d.id) x on true order by 1
select * from dept d cross join generate_series(1, 2) g order by 1, g
with a as (select dept, sum(pay) s from emp group by dept) select d.name, a.s from dept d join a on a.dept = d.id order by 1
with recursive t(n) as (values (1) union all select n + 1 from t where n < 5) select sum(n), count(*) from t
with recursive tree(id, depth) as (select id, 0 from emp where boss is null union all select e.id, t.depth + 1 from emp e join tree t on e.boss = t.id) select depth, count(*) from tree group by depth order by depth
with a as materialized (select 1 x), b(y) as (select x + 1 from a) select * from a, b
select 1 union select 2 union select 1 order by 1
select 1 union all select 1
select id from dept union select dept from emp order by 1
select id from dept intersect select dept from emp order by 1
select id from dept except select dept from emp order by 1
select 1 as a, 'x' as b union all select 2, null order by a
select 1 union select 2.5 order by 1
select null union select 1 order by 1
select 'a' union select null order by 1
select 1.5 union select 1.50
(select 1 order by 1) union all (select 2 limit 1)
select * from (select 1 as a union all select 2) x order by a desc
values (1, 'a'), (2, null) order by 1 desc
values (1), (2.5), (null)
select * from (values (1, '2020-01-01'::date), (2, null)) v(a, b)
select case dept when 1 then 'one' when 2 then 'two' else 'other' end k, count(*) from emp group by k order by k
select case dept when 1 then 'one' when 2 then 'two' else 'other' end, count(*) from emp group by 1 order by 1
select extract(year from hired) y, count(*) from emp group by y order by y
select dept + 1, sum(pay) / count(*) from emp where dept is not null group by dept + 1 order by 1
select dept, sum(case when code = 'c1' then pay else 0 end) from emp where dept is not null group by dept order by 1
select code, code || '|', length(code), code = 'c1' from emp order by id limit 3
select max(code), min(code) from emp
select name from emp where code = 'c1 ' order by id limit 2
select name from emp where name like 'emp1%' and notes is not null order by id
select name from emp where hired between date '2015-01-01' and date '2016-12-31' order by hired, id
select hired + 30, hired - date '2010-01-01', hired + interval '1 month', date_trunc('year', hired) from emp order by id limit 3
select at, at::date, date_trunc('month', at), extract(epoch from at), to_char(at, 'YYYY/MM/DD') from ev order by at
select kind, count(*), sum(span), min(span), max(at) from ev group by kind order by kind
select tags, tags[1], array_length(tags, 1), 'x' = any(tags), data ->> 'k', data @> '{"k": 1}' from ev order by at
select unnest(tags) from ev where tags is not null order by 1
select kind, unnest(array[1, 2]) from ev where kind is not null order by 1, 2
select generate_series(1, 3)
select generate_series(1, 3), generate_series(1, 2)
select * from generate_series(1, 10, 3)
select * from generate_series(3, 1, -1) as g(n)
select * from generate_series('2020-01-01'::timestamp, '2020-01-03', '1 day')
select * from unnest(array['a', 'b']) with ordinality
select * from unnest(array['a', 'b']) with ordinality as u(v, n)
select * from unnest(array[1, 2], array['x', 'y', 'z']) as u(a, b)
select x.a + 1 from unnest(array[1, 2]) as x(a)
select * from jsonb_each('{"a": 1, "b": "x"}')
select key, value from json_each_text('{"a": 1, "b": "x"}') order by key
select value from jsonb_array_elements('[1, {"a": 2}]')
select jsonb_object_keys('{"a": 1, "b": 2}')
select json_agg(id order by id), jsonb_agg(name order by id) from dept
select json_object_agg(id, name) from dept
select * from emp order by id offset 28
select id from emp order by id limit 3 offset 2
select id from emp order by dept nulls last, id fetch first 3 rows only
select dept from emp where dept is not null order by dept fetch first 1 row with ties
select id from emp order by -id limit 2
select id as x from emp order by x desc limit 2
select e from (select 1 as e) q
select q from (select 1 as a, 'x' as b) q
select count(distinct dept), count(distinct code) from emp
select count(*) from emp, dept
select sum(a.id) from emp a, emp b where a.id = b.boss
select not exists (select 1 from emp where pay < 0)
select a, b, v from pair where (a, b) = (1, 'x')
select * from pair where (a, b) in ((1, 'x'), (2, 'z')) order by a, b
select a, array(select v from pair p2 where p2.a = p.a order by v) from pair p group by a order by a
select sum(v) from pair group by a having sum(v) is not null order by 1
select 1 where false
select 1 having true
select count(*) where false
select max(id) from emp where false
select name as "Name", id "Id" from dept order by "Id" limit 1
select dept.name from dept order by dept.id limit 1
select public.dept.id from public.dept order by 1 limit 1
select (select id from dept order by id limit 1) + 1
select coalesce((select pay from emp where id = 7), 0)
select i / 2, i % 2, b / 3, s * 2, i * b, n * 2, n + i, n / 3 from nums where i > 0 and n <> 'NaN' order by i
select i::text, b::numeric, n::int, f::int, r::float8, f::text, n::float8 from nums where i = 1
select round(n, 1), trunc(n, 1), abs(n), -n, floor(n), ceil(n) from nums where n < 1000 order by n
select pay * 1.1, pay / 3, pay * 2, round(pay * 1.19, 2), pay + 1, pay::int, pay::float8 from emp where pay is not null order by id limit 3
select pay::text, pay || 'x', pay::numeric(12,4), budget::numeric(6,1) from emp e join dept d on d.id = e.dept where pay is not null order by e.id limit 2
select sum(pay * (1 - 0.05)) from emp
select avg(pay) * 2, avg(pay) > 100, avg(pay) = avg(pay), max(pay) - min(pay) from emp
select greatest(pay, 5000), least(pay, 5000.5), coalesce(pay, 0) from emp order by id limit 8
select sum(x) from (select avg(pay) x from emp group by dept) q
select * from emp where id = 3 or (dept = 2 and pay is null) order by id
select nosuch from emp
select emp.nosuch from emp
select nosuch.id from emp
select id from emp, dept
select * from nosuch
select name from emp group by dept
select dept, name from emp group by dept
select * from emp group by id
select count(*) from emp where count(*) > 1
select id from emp where sum(id) > 1
select id from emp where row_number() over () = 1
select id from emp group by count(*)
select id from emp order by 5
select id from emp group by 3
select distinct id from emp order by name
select distinct on (dept) dept from emp order by name
select id from emp having id > 1
select 1 from emp e join emp e on true
select * from (select 1) 
select 1 union select 1, 2
select 1 union select 'a'
select 1 union select true
select id from emp where name
select id from emp limit 'x'
select id from emp limit -1
select id from emp where id = 'x'
select id from emp where pay = 'abc'
select (select id from emp)
select id, (select id, name from emp) from emp
select * from emp natural join nosuch
select * from emp join dept using (nosuch)
select * from emp join dept using (name, nosuch)
select id from dept d where id = (select 1 from emp where d.nosuch = 1)
select max(id) filter (where sum(id) > 1) from emp
select lag(id) from emp
select sum(id) over (order by sum(id)) from emp
select id from emp order by nosuch
select id as a, name as a from emp order by a
with x as (select 1), x as (select 2) select 1
with x(a, b) as (select 1) select * from x
select * from (values (1, 2), (3)) v
select * from unnest(5)
select generate_series(1, 3, 0)
select row(1, 2) = row(1, 'x')
select id from emp e where dept.id = 1
select sum(name) from emp
select max(data) from ev
select avg(name) from emp
select string_agg(id, ',') from emp
select id from (select id, id from emp) q
select count(*) over (partition by nosuch) from emp
