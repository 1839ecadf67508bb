-- What a known condition leaves out is computed by nobody in a query within another, be it of few rows or of many.
create table ft (id int primary key, x int, n numeric); insert into ft select g, g, g from generate_series(1, 5000) g;
select count(*), sum(h) from generate_series(1,2) g, lateral (select case when 1 = 2 then gcd(5, 1/0) else 3 end as h from ft order by 1) q;
select count(*), sum(h) from generate_series(1,2) g, lateral (select case when 1 = 2 then gcd(5, 1/0) else 3 end as h from ft) q;
select count(*), sum(h) from generate_series(1,2) g, (select case when 1 = 2 then gcd(5, 1/0) else 3 end as h from ft) q;
select count(*), sum(h) from (select case when 1 = 2 then gcd(5, 1/0) else 3 end as h from ft) q;
select count(*), sum(h) from (select case when 1 = 2 then 1/0 else 3 end as h from ft) q;
select count(*), sum(h) from (select case when 1 = 2 then 1/0 else 3 end as h from ft order by 1) q;
select count(*), sum(h) from (select distinct coalesce(1, gcd(5, 1/0)) as h from ft order by 1) q;
select count(*), sum(h) from (select distinct coalesce(1, gcd(5, 1/0)) as h from ft order by 1) q, generate_series(1, 3);
