-- information_schema's lists of who may call what, and use which type: PUBLIC and the owner until somebody says otherwise.
create schema s;
set search_path = s;
create role caller_here; create role giver_here; grant create on schema s to giver_here;
create function f(x int) returns int language sql as 'select 1';
create procedure p() language plpgsql as 'begin end';
create aggregate a (int) (sfunc = int4pl, stype = int);
create domain d as int; create domain e as text;
create type ct as (a int, b text); create table t (a int); create view v as select 1 as one;
create sequence sq; create sequence given; create collation co from "C";
grant usage on sequence given to caller_here with grant option;
grant execute on function f to caller_here with grant option;
revoke execute on procedure p from public;
grant usage on domain e to caller_here;
revoke usage on type ct from public; grant usage on type ct to caller_here;
alter function f(int) owner to giver_here;
\set lists 'select grantor, grantee, routine_name, privilege_type, is_grantable from information_schema.routine_privileges where routine_schema = ''s'' order by 3, 2, 1'
:lists;
select grantor, grantee, routine_name, is_grantable from information_schema.role_routine_grants where specific_schema = 's' order by 3, 2, 1;
select split_part(specific_name, '_', 1), specific_catalog = routine_catalog, routine_catalog = current_database() from information_schema.routine_privileges where routine_schema = 's' order by 1;
\set uses 'select grantor, grantee, object_name, object_type, privilege_type, is_grantable from information_schema.usage_privileges where object_schema = ''s'' order by 3, 2, 1'
:uses;
select grantor, grantee, object_name, object_type, is_grantable from information_schema.role_usage_grants where object_schema = 's' and object_type <> 'COLLATION' order by 3, 2, 1;
\set types 'select grantor, grantee, udt_name, privilege_type, is_grantable from information_schema.udt_privileges where udt_schema = ''s'' order by 3, 2, 1'
:types;
select grantor, grantee, udt_name, is_grantable from information_schema.role_udt_grants where udt_schema = 's' order by 3, 2, 1;
grant usage on schema s to caller_here, giver_here;
set role caller_here;
:lists;
:uses;
:types;
reset role; set role giver_here;
:lists;
reset role;
drop schema s cascade; drop role caller_here, giver_here;
