-- Words of views' queries that are more than names and calls.
create table aw_t (a int primary key, b text, c timestamptz, d timetz, e interval, n numeric);
create table aw_u (a int, b text, x int);
create view aw_zone as select c at time zone 'UTC' as one, timezone('UTC', c) as two, d at time zone interval '1 hour' as three, (c at time zone 'UTC')::date as four, c at time zone b as five, (c + e) at time zone 'UTC' as six from aw_t;
create view aw_text as select substring(b from 2) s1, substring(b from 2 for 3) s2, substring(b, 2) s3, substr(b, 2, 3) s4, position('x' in b) p1, strpos(b, 'x') p2,
    trim(b) t1, trim(both 'x' from b) t2, trim(leading from b) t3, btrim(b) t4, ltrim(b, 'y') t5, overlay(b placing 'z' from 2) o1, overlay(b placing 'z' from 2 for 1) o2 from aw_t;
create view aw_frame as select a, sum(a) over (order by a rows between 1 preceding and current row) w1,
    sum(a) over (partition by b order by a range between unbounded preceding and 1 following) w2,
    sum(a) over (order by a groups between unbounded preceding and unbounded following exclude ties) w3,
    first_value(b) over (order by n rows 3 preceding) w4,
    sum(a) over (rows between current row and unbounded following) w5,
    count(*) filter (where a > 1) over (order by a) w6 from aw_t;
create view aw_window as select a, sum(a) over w as s, rank() over (w order by a desc) as r, lag(b) over v, lead(b) over (u) from aw_t window w as (partition by b), v as (order by c rows unbounded preceding), u as (order by c desc);
create view aw_sets as select b, a, count(*), grouping(b, a) from aw_t group by rollup (b, a);
create view aw_sets2 as select b, a, sum(n) from aw_t group by grouping sets ((a, b), b, ());
create view aw_sets4 as select b, a, n, count(*) from aw_t group by distinct rollup ((b, a), n), rollup (a);
create view aw_sets5 as select b, a + 1, count(*) from aw_t group by grouping sets (cube (b, a + 1), rollup (b), (a + 1), grouping sets (b));
create view aw_sets3 as select b, a, n, sum(n) from aw_t group by cube (b, a), n having sum(n) > 0;
create view aw_natural as select a, b, x from aw_t natural join aw_u;
create view aw_natural2 as select * from aw_t t natural left join aw_u u;
create view aw_within as select b, percentile_cont(0.5) within group (order by n) as median, mode() within group (order by a desc) as m,
    percentile_disc(array[0.1, 0.9]) within group (order by a), rank(3) within group (order by a) from aw_t group by b;
create view aw_lock as select a, b from aw_t where a > 1 for update;
create view aw_lock2 as select t.a from aw_t t join aw_u u using (a) for share of t nowait;
create view aw_case as select case a when 1 then 'one' when 2 then 'two' end c1, case when a > 1 then b else 'none' end c2, coalesce(b, 'x') || 'y' c3, nullif(a, 1) c4 from aw_t;
create view aw_any1 as select a from aw_t where b like any (array['x%']) and a > all (select x from aw_u);
create view aw_any as select a = any (array[1, 2, 3]) a1, a in (1, 2) a2, a not in (3, 4) a3, a > all (select x from aw_u) a5, exists (select 1 from aw_u where aw_u.a = aw_t.a) a6, a in (select x from aw_u) a7, a not in (select x from aw_u) a8 from aw_t;
create view aw_like as select b like 'x%' l1, b not like 'x' l2, b ilike 'x' l3, b ~ 'x' l4, b similar to 'x' l5, a between 1 and 3 l6, a not between 1 and 3 l7, b like 'x!%' escape '!' l8, (a, b) = (1, 'x') l9, a is distinct from 3 l11 from aw_t natural join aw_u;
create view aw_srf as select g, o from generate_series(1, 3) with ordinality as f(g, o);
create view aw_fetch as select a from aw_t order by a fetch first 2 rows with ties;
create view aw_lateral as select t.a, l.m from aw_t t left join lateral (select max(x) m from aw_u u where u.a = t.a) l on true;
create view aw_dates as select extract(year from c) y, date_part('month', c) m, date_trunc('day', c) d, age(c) g, current_date cd, now() nw, c::date dt, interval '1 day 2 hours' i, (date '2020-01-01', date '2020-02-01') overlaps (c::date, date '2021-01-01') ov from aw_t;
create view aw_json as select (b::jsonb -> 'x') ->> 'y' j1, b::jsonb #>> '{a,b}' j2, jsonb_build_object('a', a) j3, array[a, x] arr, (array[a, x])[1] sub, array_agg(a order by x desc) over () ag, string_agg(b, ',') over () sg, row(a, b) r from aw_t natural join aw_u;
create view aw_settings as select c at time zone current_setting('TimeZone') z, current_setting('my.Own', true) o from aw_t;
\pset format unaligned
select viewname, definition from pg_views where viewname like 'aw%' order by viewname;
select pg_get_viewdef('aw_zone', true);
select pg_get_viewdef('aw_frame', true);
select pg_get_viewdef('aw_sets3', true);
select pg_get_viewdef('aw_window', true);
select pg_get_viewdef('aw_text', true);
select pg_get_viewdef('aw_within', true);
select pg_get_viewdef('aw_natural2', true);
-- What is written can be read: views made of these texts have the same ones.
select format('create view %I as %s', 're' || viewname, definition) from pg_views where viewname like 'aw%' order by viewname \gexec
select count(*), count(*) filter (where a.definition = b.definition) from pg_views a join pg_views b on b.viewname = 're' || a.viewname where a.viewname like 'aw%';
select a.definition, b.definition from pg_views a join pg_views b on b.viewname = 're' || a.viewname where a.viewname like 'aw%' and a.definition <> b.definition;
insert into aw_t values (1, 'xyx', '2020-01-01 12:00+00', '12:00+00', '1 day', 1), (2, 'y', '2020-01-02 12:00+00', '13:00+00', '2 days', 2), (3, 'xyx', null, null, null, 3);
insert into aw_u values (1, 'xyx', 5), (2, 'z', 6);
select * from reaw_frame order by a;
select * from reaw_sets order by 1, 2;
select * from reaw_sets5 order by 1, 2, 3;
select * from reaw_text order by o1;
select * from reaw_window order by a;
select * from reaw_within order by b;
select * from reaw_natural order by a;
select * from reaw_natural2 order by a;
select * from reaw_fetch order by a;
