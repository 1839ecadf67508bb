-- SET SCHEMA to the schema that a thing is in already does nothing; what DROP INDEX CONCURRENTLY and ALTER DATABASE take.
\set VERBOSITY default
create table t (a int primary key, b text); create view v as select * from t; create materialized view m as select 1 as a;
create sequence s; create type e as enum ('a'); create type c as (a int); create domain d as int;
create function f(int) returns int language sql as 'select 1'; create procedure p() language sql as 'select 1';
create aggregate g(int) (sfunc = int4pl, stype = int);
create operator === (leftarg = int, rightarg = int, function = int4eq);
create operator family of1 using btree;
create collation k (locale = 'C'); create statistics st on a, b from t;
create text search configuration tc (parser = "default"); create text search dictionary td (template = simple);
create conversion cv for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8;
create type r as range (subtype = float8);
alter table t set schema public;
alter view v set schema public;
alter materialized view m set schema public;
alter sequence s set schema public;
alter type e set schema public;
alter type c set schema public;
alter type r set schema public;
alter domain d set schema public;
alter function f(int) set schema public;
alter procedure p set schema public;
alter aggregate g(int) set schema public;
alter operator === (int, int) set schema public;
alter operator family of1 using btree set schema public;
alter collation k set schema public;
alter statistics st set schema public;
alter text search configuration tc set schema public;
alter text search dictionary td set schema public;
alter conversion cv set schema public;
create index i on t(b); create index j on t(b, a);
drop index concurrently i, j;
drop index concurrently if exists i, nowhere;
drop index concurrently i cascade;
drop index concurrently nowhere, j cascade;
drop index concurrently if exists i restrict;
\d t
alter database postgres refresh collation version;
alter database nosuch refresh collation version;
