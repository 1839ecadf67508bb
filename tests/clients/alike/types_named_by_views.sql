-- A type or collation that a view names by a constant is written out by its name.
create type mood as enum ('low');
create schema s; create type s.m2 as enum ('x');
create view r1 as select 'mood'::regtype as a, 'integer'::regtype as b, 's.m2'::regtype as c, 'mood[]'::regtype as d, '"POSIX"'::regcollation as e;
select pg_get_viewdef('r1'); table r1;
create view r2 as select enumlabel from pg_enum where enumtypid = 'mood'::regtype;
select pg_get_viewdef('r2'); table r2;
create view r3 as select pg_collation_is_visible('"POSIX"'::regcollation);
select pg_get_viewdef('r3');
create view r4 as select 'bigint'::regtype::oid, regtype 'text', cast('text' as regtype);
select pg_get_viewdef('r4');
