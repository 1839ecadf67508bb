-- Nobody drops, alters or comments on collations, types, statistics and text search objects that are not his.
create role collation_plain;
create schema co; grant usage on schema co to collation_plain;
create collation co.c from "C"; create collation mine from "C";
create type co.e as enum ('a'); create domain co.d as int; create table co.t (a int, b int); create statistics co.st on a, b from co.t;
create text search configuration co.tc (copy = simple); create text search dictionary co.td (template = simple);
set role collation_plain;
drop collation co.c;
drop collation if exists co.c cascade;
drop collation mine;
drop collation nope.c;
drop collation if exists nope.c;
drop type co.e; drop domain co.d; drop statistics co.st; drop text search configuration co.tc; drop text search dictionary co.td;
drop table co.t;
reset role;
drop collation co.c; drop collation mine;
set client_min_messages = warning;
drop schema co cascade; drop role collation_plain;
