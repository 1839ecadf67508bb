-- What DROP tells of tables that inherit: each child with what hangs on it, then the next.
create table trunc_f (col1 integer primary key);
create table trunc_fa (col2a text) inherits (trunc_f);
create table trunc_faa (col3 integer) inherits (trunc_fa);
create table trunc_fb (col2b text) inherits (trunc_f);
drop table trunc_f;
drop table trunc_f cascade;
create table p (a int); create view v1 as select * from p; create table c1 () inherits (p); create view v2 as select * from c1; create table c2 () inherits (p); create table cc1 () inherits (c1); create view v3 as select * from v1; create view v4 as select * from p;
drop table p;
drop table p cascade;
create table q1 (a int); create table q2 (b int); create table both () inherits (q1, q2); create table below () inherits (both);
drop table q1; drop table q1, q2; drop table both; drop table q2 cascade; drop table q1;
create table pp (a int) partition by range (a); create table pp1 partition of pp for values from (0) to (9); create view pv as select * from pp1; drop table pp; drop table pp cascade;
create table o (a int) with (vacuum_index_cleanup = false); alter table o set (vacuum_index_cleanup = YES); alter table o set (vacuum_index_cleanup = auto); alter table o set (vacuum_index_cleanup = perhaps); alter table o set (toast.vacuum_index_cleanup = 1);
select reloptions from pg_class where relname = 'o';
create index on o using gist (int4range(a, a + 1)) with (buffering = true);
