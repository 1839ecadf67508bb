-- What a known condition leaves out is computed by nobody; what an IN list has is.
create table ft (id int primary key, x int, n numeric);
insert into ft values (1, 1, 1.5), (2, 2, 2.25);
select case when false then gcd(5, 1/0) end;
select case when false then gcd(5, 1/0) end from ft;
select case when true then 1 else gcd(5, 1/0) end as g from ft order by 1;
select case when 1 = 2 then gcd(5, 1/0) else 3 end as g, count(*) from ft group by 1 order by 1;
select case 1 when 2 then gcd(5, 1/0) else 5 end from ft order by 1;
select distinct coalesce(1, gcd(5, 1/0)) from ft;
select case when x = 1 then 0 when false then gcd(5, 1/0) else 7 end from ft order by id;
select false and gcd(5, 1/0) = 1, gcd(5, 1/0) = 1 and false, true or gcd(5, 1/0) = 1, not (true or gcd(5, 1/0) = 1) from ft order by 1;
select case when null then gcd(5, 1/0) end is null, case when null is null then 1 else gcd(5, 1/0) end from ft;
select n from ft where id = 1 and (case when false then gcd(5, 1/0) end) is null;
select case when x > 100 then gcd(5, 1/0) else x end from ft;
select case when false then n else n + 1 end, case when true then n end, case when false then 1.50 else 2.5 end, coalesce(1.50, n), coalesce(n, 2.000, n / 0) from ft order by id;
select 1 in (1, 1/0), x from ft;
select x in (1, 2), x in (1, 1/0) from ft;
select pg_typeof(case when true then 1 else 2.5 end), case when true then 1 else 2.5 end, case when false then 1 else 'x' end;
select case when false then 'a' else 'b' end || 'c', case when false then now() end, case when 2 < 1 then array[1] else array[2, 3] end;
select case when false then sum(x) else count(*) end from ft;
select 2 between 3 and gcd(5, 1/0) from ft order by 1;
-- what coalesce leaves out, however often its text names it
select coalesce(x, gcd(1, x / (x - x))), coalesce(x + 1, (x / (x - x))::smallint), coalesce(n, round(n / (x - x), 2)), coalesce(x, (n / (x - x))::int) from ft order by id;
select coalesce(nullif(x, 1), gcd(1, 6 / (x - 2))) from ft where x <> 2;
select sum(coalesce(x, abs(x / (x - x)))), max(coalesce(x, lcm(1, x / (x - x)))) from ft group by id order by 1;
