-- Conditions as elements of ROLLUP, CUBE and GROUPING SETS.
create table conditions_grouped (n int, t text);
insert into conditions_grouped values (1, 'a'), (7, 'b'), (null, 'c'), (9, 'a');
select n > 5, count(*) from conditions_grouped group by rollup (n > 5) order by 1, 2;
select n is null, t like 'a%', count(*), grouping(n is null, t like 'a%') from conditions_grouped group by cube (n is null, t like 'a%') order by 1, 2, 3;
select n between 1 and 7, n in (1, 2), count(*) from conditions_grouped group by grouping sets (n between 1 and 7, n in (1, 2), ()) order by 1, 2, 3;
select n = 1 or t = 'b' and not n > 3, t, sum(n) from conditions_grouped group by grouping sets (rollup (n = 1 or t = 'b' and not n > 3), (t), (t, n > 5)) order by 1, 2, 3;
select n + 1, (t || 'x') = 'ax', count(*) from conditions_grouped group by rollup ((n + 1, (t || 'x') = 'ax'), t) order by 1, 2, 3;
select count(*) from conditions_grouped group by rollup (n >);
select a.rollup, cube from (values (1, 2)) a(rollup, cube) where a.rollup > 0 and cube in (2, 3);
select nosuch > 1 from conditions_grouped group by rollup (nosuch > 1);
