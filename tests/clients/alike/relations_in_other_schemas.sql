-- Relations that views use move to other schemas.
create schema a; create schema b; set search_path = public;
create table t (id serial primary key, n int); insert into t(n) values (1),(2);
create view v as select t.id, t.n, u.n as un, public.t.n + 1 as m from t join public.t as tt on t.id = tt.id, (select * from t) u where t.id in (select id from public.t) and exists (select from t x where x.id = t.id);
create view v2 as select * from v where n > 0;
create materialized view mv as select count(*) from v2;
create view w as with t as (select 1 as n) select * from t;
create view "q t" as select s.last_value from t_id_seq s;
create view al as select t.* from t union all select x.* from "t" x;
alter table t set schema a;
select * from v order by 1,3; select * from v2 order by 1,3; select * from al order by 1; select * from "q t"; select * from w;
\d+ v
insert into a.t(n) values (7); select count(*) from v;
alter view v set schema b; select count(*) from v2; refresh materialized view mv; select * from mv;
alter materialized view mv set schema b; select * from b.mv; 
select viewname, definition from pg_views where schemaname in ('public','a','b') order by 1;
create table t (id int, n int); select count(*) from b.v;
alter table a.t set schema b; select count(*) from b.v; select count(*) from public.t;
create view dd as select a.a, b.t.n from b.t, (select 1 as a) a; alter table b.t set schema a; select * from dd order by 2; \d+ dd
alter view v2 set schema a; select * from a.v2 order by 1,3 limit 1;
alter table a.t set schema nope; alter table a.t set schema public;
