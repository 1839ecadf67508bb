-- The default of a parameter means what it meant when it was made: the types and sequences that it names stay, and are followed when they are renamed.
create schema sa; create sequence sa.s1; set search_path = sa, public;
create type mood as enum ('a', 'b');
create function fd(x int default nextval('s1')) returns int language sql as 'select x';
create function ft(x text default 'a'::mood::text) returns text language sql as 'select x';
create function fr(x text default 's1'::regclass::text) returns text language sql as 'select x';
create procedure pp(x int default nextval('s1'::regclass)) language plpgsql as 'begin raise notice ''%'', x; end';
set search_path = public;
select sa.fd(); call sa.pp(); select sa.ft(), sa.fr();
alter sequence sa.s1 rename to s2;
select sa.fd(); call sa.pp(); select sa.ft(), sa.fr();
\df sa.*
alter schema sa rename to sb;
select sb.fd(); call sb.pp(); select sb.ft(), sb.fr();
\df sb.*
select pg_get_functiondef('sb.fd'::regproc);
create schema sc; alter sequence sb.s2 set schema sc;
select sb.fd(); call sb.pp(); select sb.fr();
drop sequence sc.s2;
drop type sb.mood;
select pg_describe_object(classid, objid, objsubid) obj, pg_describe_object(refclassid, refobjid, refobjsubid) r from pg_depend where classid = 'pg_proc'::regclass and objid >= 16384 order by 1, 2;
drop sequence sc.s2 cascade;
drop type sb.mood cascade;
\df sb.*
create type sb.level as enum ('low', 'high');
create function sb.fl(x sb.level default 'low'::sb.level, y text default 'high'::sb.level::text) returns text language sql as 'select x::text || y';
select sb.fl();
drop type sb.level;
drop type sb.level cascade;
create type hue as enum ('red', 'blue');
create function f1(c hue default 'red') returns text language sql as $$select c::text$$;
create function f2(c text default 'red'::hue::text, d text default 'red') returns text language sql as $$select c || d$$;
create procedure p1(c hue default 'red'::hue) language plpgsql as $$begin raise notice '%', c; end$$;
alter type hue rename value 'red' to 'rot';
select f1(), f2();
call p1();
select proname, pg_get_function_arguments(oid) from pg_proc where proname in ('f1', 'f2', 'p1') order by 1;
