-- ANY, ALL and IN of queries that are made of several.
create table among_sets (v int);
insert into among_sets values (1), (2), (3);
select v > all ((select 1) except (select 2)), v = any ((select 1) intersect (select 1)), v in ((select 1) except (select 2)) from among_sets order by v;
select v not in ((select 1) intersect (select 1)), v <> all ((select 1) union (select 2)), v = some ((select 1) except all (select 2)) from among_sets order by v;
select v > all (((select 1) except (select 2))), (v, 1) in ((select 1, 1) except (select 2, 2)) from among_sets order by v;
drop table among_sets;
