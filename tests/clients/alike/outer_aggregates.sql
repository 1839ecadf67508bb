-- An aggregate belongs to the innermost query that its argument takes columns of, wherever it is written.
\set VERBOSITY verbose
\set SHOW_CONTEXT never
create temp table shops (shop int, town text, sales int);
insert into shops values (1, 'Ely', 10), (2, 'Ely', 20), (3, 'Rye', 40);
create temp table fees (shop int, fee int);
insert into fees values (1, 5), (3, 7);
create temp table bills (bill int primary key, day int, kind int, total int);
insert into bills values (1, 1, 1, 9), (2, 1, 2, 8);

select (select max((select f.fee from fees f where f.shop = s.shop))) from shops s;
select town, (select sum(s.sales)) from shops s group by town order by 1;
select town, (select sum(s.sales) from fees f where f.shop = 1), (select max(s.sales) + max(f.fee) from fees f)
  from shops s group by town order by 1;
select (select sum(s.sales + f.fee) from fees f) from shops s order by 1;
select town from shops s group by town having exists (select 1 from fees f where sum(s.sales) > f.fee * 5) order by 1;
select town from shops s where exists (select 1 from fees f where sum(s.sales) > f.fee);
select count(*), (select (select count(s.shop) + count(m.fee) from fees) from fees m where m.shop = 1) from shops s;
select array(select max(s.sales) from fees), max(sales) = any (select max(s.sales) from fees) from shops s;
select (select string_agg(s.town, ',' order by s.shop desc)) from shops s;
select (with w as (select sum(s.sales) as n) select n from w) from shops s;
select town from shops s group by town order by (select -sum(s.sales) from fees f where f.shop = 1);
select grouping(town), town, (select count(s.sales)) from shops s group by rollup (town) order by 1, 2;
select shop, (select sum(s.sales)) from shops s;
select sum((select sum(s.sales) from fees)) from shops s;
select (select max(s.sales) filter (where sum(s.shop) > 0) from fees) from shops s;
select 1 from shops s, lateral (select max(s.sales) from fees) m;
select 1 from shops s join fees f on (select max(s.shop)) = f.shop;
update shops set sales = (select sum(shops.shop) from fees);
delete from shops where (select sum(shops.shop) from fees) > 1;

-- What is grouped by
select 1 as c, town, sum(sales) from shops group by grouping sets (1, 2) order by 3, 2;
select * from (select 1 as c, town, sum(sales) from shops group by grouping sets (1, 2)) g where c = 1 and town = 'Ely';
select town, shop from shops group by distinct rollup (town, shop), rollup (town) order by 1, 2;
select town, shop from shops group by all rollup (town), rollup (town) order by 1, 2;
select bill, total, grouping(day, kind) from bills group by grouping sets ((bill, day), (bill, kind)) order by 1, 3;
select bill, total from bills group by grouping sets ((bill, day), (day, kind));
select rank(shop) within group (order by sales) from shops;
select shop, rank(shop) within group (order by sales) from shops group by shop order by 1;
select count(*) over w from shops window w as (order by shop), w as (order by town);

-- Rows in arrays, and names of joins
select array(select row(shop, town) from shops order by shop);
select * from (shops cross join fees) as j(a, b, c, d, e, f);

-- Percentiles at a place that each group has of its own; spreads of what is no number
create temp table marks (p float8, x int);
insert into marks select p, x from (values (0.1::float8), (0.5), (1)) v (p), generate_series(1, 4) x;
insert into marks values (0.5, null);
select p, percentile_cont(p) within group (order by x), percentile_disc(p) within group (order by x),
  percentile_cont(p) within group (order by x desc), percentile_disc(p) within group (order by x desc) from marks group by p order by 1;
select p, percentile_disc(p * 2) within group (order by x) from marks where p < 1 group by p order by 1;
select p, percentile_disc(p * 2) within group (order by x) from marks group by p order by 1;
select percentile_cont(0.5) within group (order by x), percentile_disc(array[0.1, 0.5]) within group (order by x), percentile_cont(null) within group (order by x) from marks;
select percentile_cont(p) within group (order by x) from marks;
select var_pop('inf'::float8), stddev_pop('nan'::float4), var_pop(1::float8), var_samp('nan'::float8), var_pop(null::float8);
select var_pop(x), stddev_samp(x) from (values ('nan'::float8), (1)) v (x);

-- GROUPING of an outer query
create temp table sold (town text, kind int, n int); insert into sold values ('Ely',1,1),('Ely',2,2),('Rye',1,4);
select town, (select grouping(town)), sum(n) from sold group by rollup (town) order by 3;
select (select (select grouping(s.town, s.kind) from (values (1)) v (c)) from (values (2)) w (d)), town, kind from sold s group by cube (town, kind) order by 1, 2, 3;
select (select grouping(a, b) from (values (1, 2)) v (a, b) group by rollup (a, b) order by 1 limit 1) from sold s group by town;
select (select grouping(town, v.a) from (values (1)) v (a)) from sold s group by town;
select (select grouping(n)) from sold group by town;
select (select grouping(town) from sold) from sold group by town, kind;
select 1 from sold where grouping(town) = 0;
select 1 from sold s, lateral (select grouping(s.town)) g;
select town from sold group by rollup (town) having (select grouping(town)) = 1;
select town, grouping(town), grouping(town) + 1 from sold group by rollup(town) order by grouping(town), 1;
select sum(grouping(town)) from sold group by town;
