-- Who may hand rights on, what hangs on them, and what is given by default.
set client_min_messages = warning;
drop role if exists alike_own, alike_ann, alike_bob, alike_eve, alike_team;
reset client_min_messages;
create role alike_own; create role alike_ann; create role alike_bob; create role alike_eve; create role alike_team;
select current_database() as db \gset
grant create on database :"db" to alike_own;
grant create on schema public to alike_own, alike_ann;
\set VERBOSITY verbose
-- WITH GRANT OPTION, and taking it back.
set role alike_own;
create table alike_t (a int primary key, b text);
grant select, insert on alike_t to alike_ann with grant option;
reset role;
set role alike_ann;
grant select on alike_t to alike_bob;
grant select, update on alike_t to alike_bob;
grant update on alike_t to alike_bob;
grant all on alike_t to alike_eve;
revoke update on alike_t from alike_bob;
revoke all on alike_t from alike_own;
set role alike_eve;
revoke select on alike_t from alike_bob;
grant select on alike_t to alike_bob;
set role alike_team;
grant select on alike_t to alike_bob;
revoke select on alike_t from alike_bob;
reset role;
\dp alike_t
set role alike_own;
revoke select on alike_t from alike_ann;
revoke grant option for select on alike_t from alike_ann;
revoke grant option for select on alike_t from alike_ann cascade;
reset role;
\dp alike_t
revoke insert on alike_t from alike_ann cascade;
grant insert on alike_t to alike_ann with grant option;
set role alike_ann;
grant insert on alike_t to alike_team with grant option;
set role alike_team;
grant insert on alike_t to alike_bob;
reset role;
\dp alike_t
drop owned by alike_ann;
grant select on alike_t to alike_bob granted by alike_own;
grant select on alike_t to alike_bob granted by current_user;
grant select (a) on alike_t to alike_ann with grant option;
set role alike_ann;
grant select (a, b) on alike_t to alike_eve;
grant select (a) on alike_t to alike_eve;
reset role;
\dp alike_t
alter table alike_t owner to alike_eve;
\dp alike_t
alter table alike_t owner to alike_own;
-- Members who may let others in.
grant alike_team to alike_ann with admin option;
set role alike_ann;
grant alike_team to alike_bob;
grant alike_team to alike_eve with admin option;
select pg_has_role('alike_ann', 'alike_team', 'member with admin option'), pg_has_role('alike_bob', 'alike_team', 'member with admin option');
set role alike_bob;
grant alike_team to alike_own;
reset role;
select r.rolname, b.rolname as member_of, m.admin_option from pg_auth_members m join pg_roles b on b.oid = m.roleid join pg_roles r on m.member = r.oid
    where r.rolname like 'alike%' order by 1, 2;
revoke admin option for alike_team from alike_ann;
revoke admin option for alike_team from alike_own;
grant alike_team to alike_bob with admin option;
grant alike_team to alike_bob with admin option;
grant alike_team to alike_bob;
set role alike_ann;
grant alike_team to alike_own;
grant alike_team to alike_own granted by alike_eve;
reset role;
select r.rolname, b.rolname as member_of, m.admin_option from pg_auth_members m join pg_roles b on b.oid = m.roleid join pg_roles r on m.member = r.oid
    where r.rolname like 'alike%' order by 1, 2;
alter role alike_team rename to alike_crew;
set role alike_eve;
grant alike_crew to alike_own;
reset role;
alter role alike_crew rename to alike_team;
revoke alike_team from alike_own, alike_ann, alike_bob, alike_eve;
create role alike_lead admin alike_bob role alike_ann;
select r.rolname, m.admin_option from pg_auth_members m join pg_roles b on b.oid = m.roleid join pg_roles r on m.member = r.oid
    where b.rolname = 'alike_lead' order by 1;
drop role alike_lead;
-- What is taken away by default.
alter default privileges for role alike_own revoke execute on functions from public;
alter default privileges for role alike_own revoke insert on tables from alike_own;
alter default privileges for role alike_own grant select on tables to alike_bob, alike_own;
alter default privileges for role alike_own revoke usage on types from public;
alter default privileges for role alike_own in schema public grant execute on functions to alike_eve;
alter default privileges for role alike_own in schema public revoke execute on functions from public;
\ddp
set role alike_own;
create function alike_f() returns int language sql as 'select 1';
create table alike_made (a int);
create table alike_filled as select 1 as a;
create type alike_e as enum ('x');
insert into alike_made values (1);
insert into alike_filled values (1);
select * from alike_made;
select alike_f();
set role alike_ann;
select alike_f();
create table alike_uses (a alike_e);
set role alike_eve;
select alike_f();
reset role;
\dp alike_made
select proacl from pg_proc where proname = 'alike_f';
select typacl from pg_type where typname = 'alike_e';
revoke create on schema public from alike_own;
drop role alike_bob;
drop role alike_own;
alter default privileges for role alike_own grant execute on functions to public;
alter default privileges for role alike_own grant insert on tables to alike_own;
alter default privileges for role alike_own grant usage on types to public;
\ddp
set role alike_own;
create function alike_g() returns int language sql as 'select 1';
reset role;
select proacl from pg_proc where proname = 'alike_g';
drop owned by alike_own cascade;
drop owned by alike_ann, alike_bob, alike_eve, alike_team cascade;
\ddp
drop role alike_own, alike_ann, alike_bob, alike_eve, alike_team;
