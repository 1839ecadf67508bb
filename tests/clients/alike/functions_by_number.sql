-- Functions of the catalog that share their name with others.
select count(*), count(distinct aggfnoid) from pg_aggregate;
select aggfnoid::oid::int, aggtransfn::oid::int, aggsortop::int from pg_aggregate order by 1 limit 5;
select count(*) from pg_aggregate a join pg_proc p on p.oid = a.aggfnoid where p.prokind = 'a';
select oprcode::oid::int from pg_operator where oprname = '+' order by oid limit 3;
select count(*) from pg_amproc where amproc::oid in (select oid from pg_proc);
