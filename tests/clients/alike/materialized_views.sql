create table t (a int primary key, b text);
insert into t values (1,'x'),(2,'y'),(3,null);
create materialized view mv as select * from t where a > 1;
select * from mv order by 1;
insert into t values (4,'z');
select count(*) from mv;
refresh materialized view mv;
select count(*) from mv;
refresh materialized view concurrently mv;
create unique index on mv (a);
refresh materialized view concurrently mv;
insert into mv values (1,'a');
update mv set a=1;
delete from mv;
truncate mv;
drop table t;
drop view mv;
drop table mv;
drop materialized view t;
create materialized view if not exists mv as select 1;
create materialized view mv2 (x) as select a from mv with no data;
select * from mv2;
select matviewname, hasindexes, ispopulated from pg_matviews order by 1;
refresh materialized view mv2;
select * from mv2 order by 1;
refresh materialized view mv2 with no data;
table mv2;
drop materialized view mv;
alter materialized view mv2 rename to mv3;
alter materialized view mv3 rename column x to y;
refresh materialized view mv3;
select y from mv3 order by 1 desc limit 1;
alter materialized view mv3 add column z int;
alter table mv3 add column z int;
refresh materialized view t;
refresh materialized view nosuch;
drop materialized view if exists nosuch;
select relname, relkind from pg_class where relname like 'mv%' order by 1;
comment on materialized view mv is 'hello';
begin; refresh materialized view mv; select count(*) from mv; rollback;
alter table t rename to t9;
refresh materialized view mv;
\dm
\d mv
drop table t9 cascade;
\dm

create table mb(a int, b text); insert into mb values (1,'x'),(1,'y');
create materialized view m0 as select * from mb with no data;
create unique index on m0(a); create index on m0(b);
refresh materialized view m0;
delete from mb where b = 'y';
refresh materialized view m0; refresh materialized view concurrently m0;
select * from m0;
alter materialized view m0 rename to m1; alter materialized view m1 rename column a to aa; \d m1
