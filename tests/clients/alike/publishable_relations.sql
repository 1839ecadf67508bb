-- Which relations a publication could name: tables that are logged, partitioned ones too; NULL for what is not there.
create table h (a int primary key, b text);
create temp table tt (a int);
create table pg_temp.ts (a int);
create unlogged table u (a int);
create view v as select 1 as a;
create sequence sq;
create table pt (a int) partition by list (a);
create table pt1 partition of pt for values in (1);
create materialized view mv as select 1 as a;
create type ct as (a int);
select c, pg_relation_is_publishable(c::regclass)
  from unnest('{h,h_pkey,tt,ts,u,v,sq,pt,pt1,mv,ct,pg_class,information_schema.sql_features,information_schema.tables}'::text[]) c;
select pg_relation_is_publishable(null), pg_relation_is_publishable(1), pg_relation_is_publishable('999999'::regclass), pg_relation_is_publishable(0);
select c, pg_relation_is_publishable(c) from unnest('{1,0,1259,999999}'::oid[]) c;
select relname from pg_class where pg_relation_is_publishable(oid) order by 1;
select count(*) from pg_class where pg_relation_is_publishable(oid) is null;
select pg_relation_is_publishable(oid) from pg_namespace where nspname = 'public';
alter table u set logged;
alter table h set unlogged;
select relname from pg_class where pg_relation_is_publishable(oid) order by 1;
