-- joins: aliases of whole joins, USING and what it merges, conditions where they belong
create table j1 (i int, j int, t text); insert into j1 values (1,4,'one'),(2,3,'two'),(3,2,'three'),(5,0,'five'),(0,null,'zero'),(null,0,'zero');
create table j2 (i int, k int); insert into j2 values (1,-1),(2,2),(3,-3),(2,4),(5,-5),(0,null),(null,0);
select ii, tt, kk from (j1 cross join j2) as tx (ii, jj, tt, ii2, kk) order by 1,2,3 limit 3;
select tx.ii, tx.jj, tx.kk from (j1 t1 (a, b, c) join j2 t2 (a, d) using (a)) as tx (ii, jj, tt, kk) order by 1,2,3;
select * from j1 join j2 using (i) as x where x.i = 2 order by k;
select x.*, x.i + 1 as next, count(*) from j1 full join j2 using (i) as x group by x.i order by 1;
select x from j1 join j2 using (i) as x where x.i = 3;
select x.nosuch from j1 join j2 using (i) as x;
select 1 from j1 join j2 using (i) as j1;
select * from j1 join j2 using (i, i);
select * from j1 join j2;
select * from j1 left join j2 where true;
select * from (j1 join j2) x;
select * from j1 cross join j2 on true;
select * from j1 natural join j2 using (i);
select count(*) from j1 a join j2 b join j1 c on b.i = c.i on a.i = b.i;
select count(*) from j1 a join j2 b join j1 c on b.i = c.i;
select count(*) from j1 a join (j2 b join j1 c on b.i = c.i) on a.i = b.i, j2;
delete from j1 using j1 a join j2 b using (i) where j1.i = a.i and a.i = 1;
-- sets where only values may be
select * from j1 where generate_series(1, 2) > 1;
select * from j1 join j2 on generate_series(1, 2) > 1;
values (generate_series(1, 2));
-- what looks like a part of a join, and is none
select count(*) from j1 a join (select * from j2 where k::text = ')' or k > 0) s on a.i = s.i;
select a.t || '(' as u from j1 a join j2 b on a.t <> '(' and a.i = b.i join j1 c on c.i = b.i order by 1;
create table j3 (i int primary key, "on" int);
insert into j3 select a.i, max(b.k) from j1 a join j2 b on a.i = b.i where a.i is not null group by a.i on conflict (i) do nothing;
insert into j3 select a.i, 0 from j1 a join j3 b on a.i = b.i on conflict do nothing;
select a.on, a.i as on from j3 a join j3 b on a.on = b.on order by 1, 2;
