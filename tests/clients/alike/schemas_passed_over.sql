-- A schema of the search path that the user may not use is passed over
create role spo_r; create schema spo_h; create schema spo_u;
create table spo_h.spo_t (a int); create table spo_u.spo_t (b int); create table spo_h.spo_only (c int); create function spo_h.spo_f() returns int language sql as 'select 1'; create function spo_u.spo_f() returns int language sql as 'select 2'; create type spo_h.spo_e as enum ('x');
grant usage, create on schema spo_u to spo_r; grant all on all tables in schema spo_h, spo_u to spo_r;
set search_path = spo_h, spo_u; set role spo_r;
select * from spo_t; select spo_f(); select * from spo_only; select * from spo_h.spo_only; select 'x'::spo_e; select current_schema(), current_schemas(false), to_regclass('spo_only');
insert into spo_t values (1); prepare spo_p as select count(*) from spo_t; execute spo_p;
create table spo_new (a int); \dt
reset role; select * from spo_t; grant usage on schema spo_h to spo_r; set role spo_r;
select * from spo_t; execute spo_p; select spo_f(), 'x'::spo_e, current_schema(); select * from spo_only;
reset role; revoke usage on schema spo_h from spo_r; set role spo_r; execute spo_p; select * from spo_t; select spo_f();
set search_path = spo_h; create table spo_new2 (a int); select current_schema(); select * from spo_t;
set search_path = spo_h, pg_temp; create temp table spo_x (a int); select * from spo_x; insert into spo_x values (1); table spo_x;
reset role; create function spo_u.spo_def() returns bigint language plpgsql security definer set search_path = spo_h, spo_u as $$ begin return (select count(*) from spo_only); end $$; alter function spo_u.spo_def() owner to spo_r; select spo_u.spo_def(); grant usage on schema spo_h to spo_r; select spo_u.spo_def();
reset search_path; drop schema spo_h, spo_u cascade; drop owned by spo_r; drop role spo_r;
