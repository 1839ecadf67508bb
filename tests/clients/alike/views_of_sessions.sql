-- A view of what is gone when the session ends is gone with it.
create table t (a int); create temp table tt (a int); create temp sequence ts;
create view vv as select * from tt;
create view vv2 as select t.a from t, vv;
create or replace view vv as select a, 1 as b from tt;
create view public.vv as select a from t;
create view vs as select a from t where exists (select from tt);
create view plain as select a from t;
select relname, relpersistence, relnamespace::regnamespace::text like 'pg_temp%' as temp from pg_class where relname in ('vv', 'vv2', 'v', 'vs', 'plain') order by 1, 2;
insert into tt values (1); select * from vv; select * from vv2;
set client_min_messages = warning; drop table tt cascade;
select * from public.vv;
