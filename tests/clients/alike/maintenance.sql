-- VACUUM, ANALYZE, REINDEX, CLUSTER and LOCK look at what they are told of, the system's relations too.
create table t (a int, b text);
create view v as select * from t;
create index ti on t (a);
create sequence s;
vacuum t; vacuum v; vacuum ti; vacuum s; analyze v; analyze ti; analyze t (a); analyze t (a, zz); analyze t (a, a); vacuum (analyze) t (b); vacuum t (b); vacuum nope; analyze nope;
vacuum pg_catalog.pg_class; analyze pg_class; vacuum (analyze, verbose off) pg_class, t; analyze information_schema.tables; vacuum full pg_class; vacuum (full, parallel 2) t; vacuum (bogus) t; analyze (bogus) t; vacuum (parallel) t; vacuum (parallel -1) t;
create role vv; grant select on t to vv; set role vv; vacuum t; analyze t; vacuum pg_class; reset role; grant all on t to vv;
reindex table t; reindex index ti; reindex table nope; reindex index t; reindex table v; reindex schema public; reindex schema nope; reindex database nope; reindex system cmp; reindex table pg_class; reindex index pg_class_oid_index;
cluster t using ti; cluster t using ti; cluster t using nope; cluster v; cluster;
begin; vacuum t; rollback; begin; analyze t; commit; begin; reindex table t; commit; begin; reindex database cmp; rollback; begin; reindex table concurrently t; rollback; begin; cluster; rollback; begin; cluster t using ti; commit;
lock table pg_class in access share mode; begin; lock table pg_class in access share mode; lock t, v in row exclusive mode nowait; lock ti; rollback;
checkpoint; drop role vv; drop owned by vv; drop role vv;
