-- Once anything was granted or revoked, an object's list of privileges is written out, whatever is taken back later
create role ltis_a; create role ltis_b; create role ltis_c;
create table ltis (a int, b int);
select relacl from pg_class where relname = 'ltis';
grant select on ltis to ltis_a; revoke select on ltis from ltis_a;
select relacl from pg_class where relname = 'ltis';
grant select (a) on ltis to ltis_a; select attacl from pg_attribute where attrelid = 'ltis'::regclass and attname = 'a';
revoke select (a) on ltis from ltis_a; select attacl from pg_attribute where attrelid = 'ltis'::regclass and attname = 'a';
-- Something taken from who had nothing
create table ltis_2 (a int); revoke select on ltis_2 from ltis_a; select relacl from pg_class where relname = 'ltis_2';
-- Columns alone leave the table's list as it is
create table ltis_3 (a int); grant select (a) on ltis_3 to ltis_a; select relacl from pg_class where relname = 'ltis_3';
-- Each kind
create schema ltis_s; revoke all on schema ltis_s from public; select nspacl from pg_namespace where nspname = 'ltis_s';
grant usage on schema ltis_s to ltis_a; revoke usage on schema ltis_s from ltis_a; select nspacl from pg_namespace where nspname = 'ltis_s';
create function ltis_f() returns int language sql as 'select 1';
revoke execute on function ltis_f() from public; select proacl from pg_proc where proname = 'ltis_f';
grant execute on function ltis_f() to public; select proacl from pg_proc where proname = 'ltis_f';
create function ltis_g() returns int language sql as 'select 1';
grant execute on function ltis_g() to public; select proacl from pg_proc where proname = 'ltis_g';
create sequence ltis_q; grant usage on sequence ltis_q to ltis_a; revoke all on sequence ltis_q from ltis_a; select relacl from pg_class where relname = 'ltis_q';
create type ltis_t as enum ('a'); grant usage on type ltis_t to ltis_a; revoke usage on type ltis_t from ltis_a; select typacl from pg_type where typname = 'ltis_t';
revoke all on schema public from ltis_a; select nspacl from pg_namespace where nspname = 'public';
revoke usage on schema public from public; select nspacl from pg_namespace where nspname = 'public';
grant usage on schema public to public; select nspacl from pg_namespace where nspname = 'public';
-- The owner's own, taken and given
revoke all on ltis from current_user; select relacl from pg_class where relname = 'ltis';
grant all on ltis to current_user; select relacl from pg_class where relname = 'ltis';
revoke update on ltis from current_user; select relacl from pg_class where relname = 'ltis';
grant update on ltis to current_user; select relacl from pg_class where relname = 'ltis';
-- Another owner, who was in the list or not
grant select on ltis to ltis_b; grant insert on ltis to ltis_a with grant option; grant delete on ltis to ltis_c;
alter table ltis owner to ltis_a; select relacl from pg_class where relname = 'ltis';
alter table ltis owner to ltis_c; select relacl from pg_class where relname = 'ltis';
alter table ltis_2 owner to ltis_b; select relacl from pg_class where relname = 'ltis_2';
set role ltis_b; select * from ltis_2; insert into ltis_2 values (1); grant select on ltis_2 to ltis_a; revoke insert on ltis_2 from ltis_b; insert into ltis_2 values (2); grant insert on ltis_2 to ltis_a; grant insert on ltis_2 to ltis_b; insert into ltis_2 values (2); reset role;
select relacl from pg_class where relname = 'ltis_2';
set role ltis_a; select * from ltis_2; select * from ltis; insert into ltis_2 values (3); reset role;
select grantor, grantee, privilege_type, is_grantable from information_schema.table_privileges where table_name like 'ltis%' order by table_name, 1, 2, 3;
create view ltis_v as select 1 as a; grant select on ltis_v to ltis_a with grant option; revoke grant option for select on ltis_v from ltis_a; select relacl from pg_class where relname = 'ltis_v';
-- DROP OWNED takes the one away and leaves the list
create table ltis_4 (a int); grant select on ltis_4 to ltis_b; drop owned by ltis_b; select relacl from pg_class where relname = 'ltis_4';
-- Default privileges
alter default privileges grant select on tables to ltis_b; create table ltis_5 (a int); select relacl from pg_class where relname = 'ltis_5';
revoke select on ltis_5 from ltis_b; select relacl from pg_class where relname = 'ltis_5';
alter default privileges revoke select on tables from ltis_b; create table ltis_6 (a int); select relacl from pg_class where relname = 'ltis_6';
alter default privileges revoke execute on functions from public; create function ltis_h() returns int language sql as 'select 1'; select proacl from pg_proc where proname = 'ltis_h';
grant execute on function ltis_h() to ltis_a; select proacl from pg_proc where proname = 'ltis_h'; revoke execute on function ltis_h() from ltis_a; select proacl from pg_proc where proname = 'ltis_h';
alter default privileges grant execute on functions to public;
-- In a transaction that is undone
create table ltis_7 (a int); begin; grant select on ltis_7 to public; select relacl from pg_class where relname = 'ltis_7'; rollback; select relacl from pg_class where relname = 'ltis_7';
revoke all on ltis_7 from public; select relacl from pg_class where relname = 'ltis_7';
\dp ltis*
drop role ltis_b;
drop owned by ltis_a, ltis_b, ltis_c; drop role ltis_a, ltis_b, ltis_c;
select relname, relacl from pg_class where relname like 'ltis%' order by 1;
