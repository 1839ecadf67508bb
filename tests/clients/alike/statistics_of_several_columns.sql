-- CREATE STATISTICS: kept, listed, copied, altered and dropped with what they are of.
CREATE TABLE ext_stats_test (x text, y int, z int, j json, p point);
CREATE STATISTICS tst;
CREATE STATISTICS tst ON a, b;
CREATE STATISTICS tst FROM sometab;
CREATE STATISTICS tst ON a, b FROM nonexistent;
CREATE STATISTICS tst ON a, b FROM ext_stats_test;
CREATE STATISTICS tst ON x, x, y FROM ext_stats_test;
CREATE STATISTICS tst ON x, x, y, x, x, y, x, x, y FROM ext_stats_test;
CREATE STATISTICS tst ON x, x, y, x, x, (x || 'x'), (y + 1), (x || 'x'), (x || 'x'), (y + 1) FROM ext_stats_test;
CREATE STATISTICS tst ON (x || 'x'), (x || 'x'), y FROM ext_stats_test;
CREATE STATISTICS tst (unrecognized) ON x, y FROM ext_stats_test;
CREATE STATISTICS tst ON a FROM (VALUES (x)) AS foo;
CREATE STATISTICS tst ON a FROM foo NATURAL JOIN bar;
CREATE STATISTICS tst ON a FROM ext_stats_test s TABLESAMPLE system (x);
CREATE STATISTICS tst ON (y) FROM ext_stats_test; -- single column reference
CREATE STATISTICS tst ON y + z FROM ext_stats_test; -- missing parentheses
CREATE STATISTICS tst ON (x, y) FROM ext_stats_test; -- tuple expression
CREATE STATISTICS tst ON x, j FROM ext_stats_test;
CREATE STATISTICS tst ON x, (j->'a') FROM ext_stats_test;
CREATE STATISTICS tst ON ctid, x FROM ext_stats_test;
CREATE STATISTICS tst (mcv) ON (y + 1) FROM ext_stats_test;
CREATE STATISTICS tst ON (y + (select 1)), x FROM ext_stats_test;
CREATE STATISTICS tst ON (sum(y)), x FROM ext_stats_test;
create view vv as select * from ext_stats_test;
CREATE STATISTICS tst ON x, y FROM vv;
create sequence sq;
CREATE STATISTICS tst ON x, y FROM sq;
CREATE STATISTICS e1 ON (y + 1) FROM ext_stats_test;
CREATE STATISTICS e2 ON lower(x), z, y FROM ext_stats_test;
CREATE STATISTICS e3 (mcv, ndistinct) ON z, (x || 'a'), (y*2) FROM ext_stats_test;
CREATE STATISTICS "E 4" (dependencies) ON z, y FROM ext_stats_test;
select stxname, stxkeys, stxkind, stxstattarget, stxrelid::regclass, stxnamespace::regnamespace, stxowner::regrole from pg_statistic_ext order by 1;
select pg_get_statisticsobjdef(oid), pg_get_statisticsobjdef_columns(oid), pg_get_statisticsobjdef_expressions(oid), pg_statistics_obj_is_visible(oid), pg_describe_object(tableoid, oid, 0) from pg_statistic_ext order by stxname;
\d ext_stats_test
\dX
\dX+ e*
alter table ext_stats_test rename column x to xx;
\d ext_stats_test
create table lk (like ext_stats_test including statistics);
comment on statistics e2 is 'two';
create table lk2 (like ext_stats_test including all);
select stxname, stxrelid::regclass from pg_statistic_ext order by 1;
select obj_description(oid, 'pg_statistic_ext'), stxname from pg_statistic_ext order by 2;
CREATE STATISTICS IF NOT EXISTS e2 ON y, z FROM ext_stats_test;
CREATE STATISTICS e2 ON y, z FROM ext_stats_test;
create role sx_counter; 
set role sx_counter;
comment on statistics e2 is 'x';
drop statistics e2;
alter statistics e2 rename to e9;
alter statistics e2 set statistics 3;
create statistics e10 on y, z from ext_stats_test;
reset role;
alter statistics e2 rename to e3;
alter statistics e2 rename to e9;
alter statistics e9 set statistics 100;
alter statistics e9 set statistics -2;
alter statistics e9 set statistics 20000;
alter statistics e9 owner to sx_counter;
alter statistics e9 owner to nobody;
create schema s2;
alter statistics e9 set schema s2;
alter statistics e9 set schema public;
alter statistics if exists e9 set statistics 0;
\dX s2.*
select stxname, stxstattarget, stxowner::regrole from pg_statistic_ext order by 1;
create statistics e9 on y, z from ext_stats_test;
alter statistics e9 set schema s2;
drop statistics nope;
drop statistics if exists nope, nos.nope;
drop statistics nos.nope;
drop role sx_counter;
drop schema s2;
alter table ext_stats_test drop column y;
select stxname from pg_statistic_ext order by 1;
drop schema s2 cascade;
drop table ext_stats_test cascade;
select stxname from pg_statistic_ext order by 1;
CREATE STATISTICS pg_temp.stats_ext_temp ON y, z FROM lk;
drop statistics stats_ext_temp;
drop statistics pg_temp.stats_ext_temp;
begin; create statistics q on y, z from lk; rollback;
\dX q
drop owned by sx_counter;
drop role sx_counter;
create type mood as enum ('a','b');
create table mt (m mood, n int, s text);
create statistics ms on m, n from mt;
create statistics ms2 on (m = 'a'), n from mt;
comment on statistics ms is 'hi';
alter table mt drop column n;
select count(*) from pg_description where description = 'hi';
create statistics ms3 on m, s from mt;
comment on statistics ms3 is 'hi';
drop statistics ms3;
select count(*) from pg_description where description = 'hi';
create statistics ms4 on m, s from mt;
comment on statistics ms4 is 'hi';
alter table mt alter column s type int using 1;
\dX
create table pt (a int, b int) partition by list (a);
create statistics pts on a, b from pt;
alter table mt rename to mt2;
select pg_get_statisticsobjdef(oid) from pg_statistic_ext order by 1;
drop table mt2, pt;
select count(*) from pg_description where description = 'hi';
