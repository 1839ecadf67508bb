-- CREATE SCHEMA with what is to be in it, made in one statement.
create schema s1
    create view vv as select a, b from t1
    create index t1i on t1(b)
    grant select, insert on t1 to public
    create table t1 (a int primary key default nextval('sq'), b text check (b <> 'create'))
    create table t2 (a int references t1, "create" int)
    create sequence sq start 5;
\d s1.*
\dp s1.*
insert into s1.t1(b) values ('x') returning *;
select * from s1.vv;
create schema s2 create table t1 (a int references t2) create table t2 (a int primary key);
create schema s3 create table s4.t (a int);
create schema s3 create table s3.t (a int) create view s3.v as select * from t;
select * from s3.v;
create schema if not exists s5 create table t (a int);
create schema if not exists s5;
create schema s6 create view v as select * from t6 create table t6(a int);
\dv s6.*
create schema s7 create table t (a int) create table t (b int);
create schema s7 create table t (a int) nonsense;
create schema s7 create table t as select 1;
create schema s7 create domain d as int;
create schema s7 create table t (a int) drop table t;
create schema s7 create table t (a nosuch);
create schema s7 create view v as select nosuch from s1.t1;
\dn s*
create role schema_owner;
create schema authorization schema_owner create table mine (a int) grant select on mine to public;
\d schema_owner.mine
\dt schema_owner.*
\dp schema_owner.*
begin;
create schema s8 create table t (a int);
insert into s8.t values (1);
rollback;
select * from s8.t;
drop schema schema_owner cascade;
drop role schema_owner;
