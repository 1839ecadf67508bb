-- Storage parameters: their names, types and bounds; what a temporary schema takes.
create table o1 (a int) with (oids); create table o1 (a int) with (oids = true); create table o1 (a int) with (oids=false); create table o2 as select 1 a; drop table if exists o1, o2;
create table o1 (a int) with (fillfactor=10); create table o2 (a int) with ("Fillfactor"=10); create table o3(a int) with (fillfactor=1); create table o4 (a int) with (fillfactor=abc);
create table o5 (a int) with (autovacuum_enabled=maybe); create table o6 (a int) with (nosuch=1); create table o7 (a int) with (toast.autovacuum_enabled=false); create table o8 (a int) with (foo.autovacuum_enabled=false); create table o9 (a int) with (fillfactor=50, fillfactor=60);
create table o10 (a int) with (autovacuum_vacuum_scale_factor = 1000); create table o10 (a int) with (autovacuum_vacuum_scale_factor = 0.5, parallel_workers=2, toast_tuple_target=200);
create table o11 (a int) with (user_catalog_table); create table o12 (a int) with (parallel_workers=2000);
create table o13 (a int) with (fillfactor=15.5);
create index on o1 (a) with (fillfactor=9); create index on o1 (a) with (fillfactor=101); create index on o1 (a) with (nosuch=3); create index i1 on o1 (a) with (fillfactor=50); create index i2 on o1 (a) with (deduplicate_items=off); create index i3 on o1 using hash (a) with (deduplicate_items=off); create index i4 on o1 using gin ((array[a])) with (fastupdate=off); create index i5 on o1 using brin (a) with (pages_per_range=0);
alter table o1 set (fillfactor=20); alter table o1 set (nosuch=20); alter table o1 set (fillfactor=5); alter table o1 reset (fillfactor); alter table o1 reset (nosuch); alter table o1 set (oids=true);
alter index i1 set (fillfactor=5); alter index i1 set (fillfactor=60);
create table c1 (a, b) as select 1 a, 'x' b; create table c2 (u) as select null; create view cv as select null as u, 'a' as b; \d cv
create table oo () without oids; create table op () with oids;
create table o14 (a unknown); create table o15 (a int, b anyarray); create table o16 (a record); create table o17 (a cstring); create table o18 as select row(1,2) as r; create table o19 as select 'x'::unknown as u;
drop table if exists o1,o2,o3,o4,o5,o7,o9,o10,o11,o13,c1,c2,oo cascade; drop view if exists v1,v4,cv;
create materialized view m1 with (nosuch=1) as select 1 a; create table c3 with (oids) as select 1 a; create unlogged table pg_temp.c4 as select 1 a; create table k (a int primary key with (fillfactor=5)); create table k (a int, unique (a) with (nosuch=5));
create table nos.x as select 1; create table nos.x (a int); create view nos.x as select 1; create sequence nos.x; create materialized view nos.x as select 1; select 1 into nos.x; create temp sequence public.u6; create temp view public.u6 as select 1; create temp table public.x as select 1; create unlogged sequence pg_temp.s1; create type nos.x as enum ('a'); create domain nos.d as int;
