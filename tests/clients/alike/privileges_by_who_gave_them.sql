-- Privileges are by who gave them: what one grantor gave no other one takes, and what hangs on it goes with it.
create role by_u1; create role by_u2; create role by_u3; create role by_g1; create role by_g2 role by_u1;
grant all on schema public to public;
SET SESSION AUTHORIZATION by_u1;
CREATE TABLE atest4 (a int);
GRANT SELECT ON atest4 TO by_u2 WITH GRANT OPTION;
GRANT UPDATE ON atest4 TO by_u2;
GRANT SELECT ON atest4 TO GROUP by_g1 WITH GRANT OPTION;
SET SESSION AUTHORIZATION by_u2;
GRANT SELECT ON atest4 TO by_u3;
GRANT UPDATE ON atest4 TO by_u3; -- fail
select relacl from pg_class where relname = 'atest4';
SET SESSION AUTHORIZATION by_u1;
REVOKE SELECT ON atest4 FROM by_u3; -- does nothing
SELECT has_table_privilege('by_u3', 'atest4', 'SELECT'); -- true
select relacl from pg_class where relname = 'atest4';
REVOKE SELECT ON atest4 FROM by_u2; -- fail
REVOKE GRANT OPTION FOR SELECT ON atest4 FROM by_u2 CASCADE; -- ok
SELECT has_table_privilege('by_u2', 'atest4', 'SELECT'); -- true
SELECT has_table_privilege('by_u3', 'atest4', 'SELECT'); -- false
SELECT has_sequence_privilege('by_u1', 'atest4', 'SELECT');
reset session authorization;
create domain by_d as int; revoke all on type by_d from public;
create type by_c as (a int);
set session authorization by_u2;
create table by_t2 as select null::by_c as a;
GRANT USAGE ON DOMAIN by_c TO by_u2; -- fail
reset session authorization;
GRANT USAGE ON DOMAIN by_c TO by_u2; -- fail
GRANT USAGE ON TYPE by_d TO by_u2;
GRANT USAGE ON TYPE _by_c TO by_u2;
create procedure by_p() language sql as 'select 1';
create function by_f() returns int language sql as 'select 1';
GRANT USAGE ON PROCEDURE by_p() TO by_u3;
GRANT USAGE ON ROUTINE by_p() TO by_u3;
GRANT USAGE ON FUNCTION by_f() TO by_u3;
GRANT USAGE ON ROUTINE by_f() TO by_u3;
grant SELECT on schema public to by_u3;
grant usage on atest4 to by_u3;
-- oids
select has_table_privilege(1,'select'), has_table_privilege('by_u1', 1, 'select'), has_table_privilege(1, 1, 'select'), has_table_privilege(1, 'pg_class', 'select'), has_table_privilege(1::oid, 'pg_authid', 'select');
select has_any_column_privilege(1,'select'), has_sequence_privilege(1,'select'), has_schema_privilege(1,'usage'), has_type_privilege(1,'usage'), has_function_privilege(1,'execute'), has_language_privilege(1,'usage'), has_tablespace_privilege(1,'create'), has_foreign_data_wrapper_privilege(1,'usage'), has_server_privilege(1,'usage');
select has_table_privilege(999999,'select'), has_any_column_privilege(999999,'select'), has_sequence_privilege(999999,'select'), has_schema_privilege(999999,'usage'), has_database_privilege(999999,'connect'), has_type_privilege(999999,'usage'), has_function_privilege(999999,'execute');
select has_table_privilege(1259,'rule'), has_table_privilege('atest4','rule'), has_table_privilege('by_u1','atest4','rule, select'), has_table_privilege('by_u1','atest4','rule');
select has_column_privilege(9999,'nosuchcol','select');
select has_column_privilege(9999,99::int2,'select');
select has_column_privilege('pg_authid',99::int2,'select'), has_column_privilege('pg_authid',1::int2,'select'), has_column_privilege('pg_authid','rolname','select');
select has_column_privilege('pg_authid','nosuchcol','select');
create table by_m (f1 int, f2 int, f3 int); alter table by_m drop column f2;
select has_column_privilege('by_m','f2','select');
select has_column_privilege('by_m','........pg.dropped.2........','select');
select has_column_privilege('by_m',2::int2,'select'), has_column_privilege('by_m',99::int2,'select'), has_column_privilege('by_m',1::int2,'select'), has_column_privilege('by_m','ctid','select'), has_column_privilege('by_m',(-1)::int2,'select'), has_column_privilege('by_m',0::int2,'select'), has_column_privilege('by_m',(-99)::int2,'select');
grant select on by_m to by_u1;
select has_column_privilege('by_u1', 'by_m',2::int2,'select'), has_column_privilege('by_u1', 'by_m',99::int2,'select'), has_column_privilege('by_u1', 'by_m',1::int2,'select'), has_column_privilege('by_u1', 'by_m','ctid','select'), has_column_privilege('by_u1', 'by_m',(-1)::int2,'select'), has_column_privilege('by_u1','by_m',0::int2,'select');
select has_column_privilege('by_u2', 'by_m',2::int2,'select'), has_column_privilege('by_u2', 'by_m',99::int2,'select'), has_column_privilege('by_u2', 'by_m',1::int2,'select'), has_column_privilege('by_u2', 'by_m','ctid','select'), has_column_privilege('by_u2', 'by_m','f2','select');
create table by_p2 (a int, b int); grant select (a, tableoid) on by_p2 to by_u2; select attname, attacl from pg_attribute where attrelid = 'by_p2'::regclass and attacl is not null order by 1;
grant select (nosuch) on by_p2 to by_u2;
set session authorization by_u2; select tableoid::regclass, a from by_p2; select ctid from by_p2;
reset session authorization;
drop owned by by_u1, by_u2, by_u3, by_g1, by_g2; drop role by_u1, by_u2, by_u3, by_g1, by_g2;
-- grantors
create role by_a; create role by_b; create role by_c; create role by_o; create role by_n; grant all on schema public to public;
set session authorization by_o; create table by_g (a int, b int); grant select, insert on by_g to by_a with grant option; grant select (b) on by_g to by_a with grant option; grant select on by_g to by_b;
set session authorization by_a; grant select on by_g to by_b with grant option; grant select, update on by_g to by_c; grant select (b) on by_g to by_c;
select relacl from pg_class where relname = 'by_g';
select grantor, grantee, privilege_type, is_grantable from information_schema.table_privileges where table_name = 'by_g' order by 1, 2, 3;
set session authorization by_b; grant select on by_g to by_c with grant option; grant select on by_g to by_a with grant option; grant select on by_g to by_a;
set session authorization by_c; grant select on by_g to by_a with grant option; grant select on by_g to by_b with grant option;
reset session authorization; select relacl from pg_class where relname = 'by_g'; select attname, attacl from pg_attribute where attrelid = 'by_g'::regclass and attnum > 0;
set session authorization by_o; revoke select on by_g from by_c; revoke select on by_g from by_a; revoke grant option for select on by_g from by_a; revoke select on by_g from by_b;
select relacl from pg_class where relname = 'by_g';
select has_table_privilege('by_b', 'by_g', 'select'), has_table_privilege('by_c', 'by_g', 'select'), has_table_privilege('by_c', 'by_g', 'select with grant option');
set session authorization by_a; revoke select on by_g from by_c; select relacl from pg_class where relname = 'by_g'; revoke select on by_g from by_b; 
reset session authorization; alter table by_g owner to by_n; select relacl from pg_class where relname = 'by_g';
alter table by_g owner to by_a; select relacl from pg_class where relname = 'by_g'; select attname, attacl from pg_attribute where attrelid = 'by_g'::regclass and attnum > 0;
drop role by_c;
revoke select on by_g from by_b; revoke select on by_g from by_b cascade; select relacl from pg_class where relname = 'by_g';
set session authorization by_a; revoke all on by_g from by_a; select relacl from pg_class where relname = 'by_g'; grant select on by_g to by_a; select relacl from pg_class where relname = 'by_g';
reset session authorization; grant select on by_g to by_b granted by current_user; 
drop owned by by_a, by_b, by_c, by_o, by_n; drop role by_a, by_b, by_c, by_o, by_n;
-- schema, function, public
create role by_a; create role by_b; create role by_c;
create function by_fn() returns int language sql as 'select 1'; grant execute on function by_fn() to by_a with grant option; revoke execute on function by_fn() from public;
set session authorization by_a; grant execute on function by_fn() to public; grant execute on function by_fn() to by_b;
reset session authorization; select proacl from pg_proc where proname = 'by_fn'; revoke execute on function by_fn() from public; revoke execute on function by_fn() from by_b; select proacl from pg_proc where proname = 'by_fn';
set session authorization by_c; select by_fn(); reset session authorization;
revoke all on function by_fn() from by_a; revoke all on function by_fn() from by_a cascade; select proacl from pg_proc where proname = 'by_fn';
set session authorization by_c; select by_fn(); reset session authorization;
drop function by_fn(); drop role by_a, by_b, by_c;
-- Columns that every table has
create role by_a; create table by_s (a int, b int); insert into by_s values (1, 2); grant select (a) on by_s to by_a; grant select (ctid) on by_s to by_a;
set session authorization by_a; select a, tableoid > 0 from by_s; select ctid is null, a from by_s; select xmin, a from by_s; select 1 from by_s where xmax = 0; select 1 from by_s where ctid is not null; select count(*) from by_s; 
reset session authorization; drop owned by by_a; drop role by_a;
