-- What the role that all began with owns: the system's own schemas stay, in this database and in others.
\set VERBOSITY default
create role heiress;
create schema s; create table s.t (a int, b text collate "C"); create table t (a int, b text collate "C");
create sequence q; create view v as select * from t; create function f() returns int language sql as 'select 1';
reassign owned by tidewire to heiress;
select nspname, nspowner::regrole from pg_namespace where nspname in ('s', 'public') order by 1;
select relname, relowner::regrole from pg_class where relname in ('t', 'q', 'v') order by 1;
reassign owned by heiress to tidewire;
drop owned by current_user;
\d
\dn
select count(*) from pg_class where relname in ('t', 'q', 'v');
create table t (a int primary key, b text collate "C", c int generated always as (a * 2) stored);
create index on t (b text_pattern_ops);
insert into t values (1, 'one');
select *, b collate "C" < 'x' from t;
select table_name from information_schema.tables where table_schema = 'public';
\d t
reassign owned by current_user to heiress;
\d
reassign owned by heiress to current_user;
drop owned by heiress cascade;
drop role heiress;
select 1 as one;
