-- Arrays in their order, aggregates of values in order, and functions in FROM that are one value: of few rows that an index leads to.
create table ao_arrays(id int primary key, g int, a int[], b text[], f float8, s text, d date, z timestamptz);
create index ao_arrays_g on ao_arrays(g);
insert into ao_arrays select i, i%3, case when i%7=0 then null when i%5=0 then '{}' when i%6=0 then array[i%4,null] when i%11=0 then '[0:1]={1,2}'::int[] when i%13=0 then array[[1,2],[3,i]] else array[i%4,-i%3] end, case when i%4=0 then array['x y','NULL',null] when i%3=0 then array['a','"'] else array[chr(65+i%9)] end, case when i%8<>0 then (i*7%10)/4.0 end, chr(97+i%4), date '2024-01-01'+i, timestamptz '2024-01-01 00:00+00'+i*interval '11 hours' from generate_series(1,60) i;
\set VERBOSITY verbose
set timezone='America/New_York';
select id,a from ao_arrays where g=1 order by a,id;
select id,a from ao_arrays where g=1 order by a desc nulls last,id;
select id,b from ao_arrays where g=2 order by b desc,id;
select distinct a from ao_arrays where g=0 order by a;
select distinct b from ao_arrays where g=1 order by b;
select percentile_cont(0.5) within group (order by f), percentile_cont(0.25) within group (order by id), percentile_disc(0.5) within group (order by s desc), mode() within group (order by s), mode() within group (order by f desc) from ao_arrays where g=1;
select percentile_cont(array[0,0.3,1]) within group (order by f desc), percentile_disc(array[0.1,0.9]) within group (order by z), percentile_disc(0) within group (order by d) from ao_arrays where g=2;
select s, percentile_cont(0.9) within group (order by f) filter (where id > 30), mode() within group (order by id%3) from ao_arrays where g=2 group by s order by s;
select percentile_cont(0.5) within group (order by f), mode() within group (order by s), percentile_disc(array[0.5]) within group (order by s) from ao_arrays where g=77;
select percentile_cont(1.5) within group (order by f) from ao_arrays where g=77;
select id from ao_arrays where g=1 and z > d order by id;
select id from ao_arrays where g=1 and d <= z and z < timestamp '2024-01-09 19:00' order by id;
select id from ao_arrays where id = any(string_to_array('3,4, 5',',')::int[]) order by id;
select id from ao_arrays where id = any(string_to_array('3,4,x',',')::int[]) order by id;
select id, b::int[] from ao_arrays where id = 3;
select id, array['1','NULL',null,'4']::text[]::int[] from ao_arrays where id = 3;
select q, id from ao_arrays, plainto_tsquery('english','cats dogs') q where g=1 and to_tsvector('english', s||' cat dog') @@ q order by id limit 2;
select id, n from ao_arrays, lower('ABC') n where g = 1 order by n, id limit 2;
select n, count(*) from ao_arrays, lower('ABC') n where g = 1 group by n;
select n, id from ao_arrays left join lower('ABC') n on g=2 where id in (1,2) order by id;
select id, ts_headline('english', s||' the cat and the dog', q, 'StartSel=<, StopSel=>'), ts_headline(s||' cats',q) from ao_arrays, to_tsquery('english','cat') q where g=2 order by id limit 3;
drop table ao_arrays;
