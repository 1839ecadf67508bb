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
-- Unique indexes of tables that the same statement makes.
CREATE SCHEMA test_ns_schema_1
       CREATE UNIQUE INDEX abc_a_idx ON abc (a)
       CREATE VIEW abc_view AS
              SELECT a+1 AS a, b+1 AS b FROM abc
       CREATE TABLE abc (
              a serial,
              b int UNIQUE
       );
\d test_ns_schema_1.abc
drop schema test_ns_schema_1 cascade;
CREATE SCHEMA test_ns_schema_1
       CREATE TABLE abc (
              a serial,
              b int UNIQUE
       )
       CREATE UNIQUE INDEX abc_a_idx ON abc (a);
drop schema test_ns_schema_1 cascade;
CREATE SCHEMA test_ns_schema_1
       CREATE VIEW abc_view AS
              SELECT c FROM abc
       CREATE TABLE abc (
              a serial,
              b int UNIQUE
       );
CREATE SCHEMA test_ns_schema_1
       CREATE VIEW abc_view AS
              SELECT b FROM abc
       CREATE TABLE abc (
              a int,
              b int 
       );
drop schema test_ns_schema_1 cascade;
create schema s12 create table t (a int, b text) create unique index on t (lower(b)) create unique index on t (a) where b is not null create table u (a int references t (a));
create schema s12 create table t (a int unique, b text) create unique index on t (lower(b)) create unique index on t (a) where b > 'x' create table u (a int references t (a));
insert into s12.t values (1, 'a'), (2, 'b'); insert into s12.t values (3, 'A'); insert into s12.u values (4); insert into s12.u values (2);
select * from s12.t join s12.u using (a);
\d s12.t
drop schema s12 cascade;
