-- Roles that are there by themselves: who is in them may what they stand for.
set client_min_messages = warning;
drop role if exists alike_reader, alike_writer, alike_watcher, alike_owner, alike_later;
reset client_min_messages;
\set VERBOSITY verbose
select oid, rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls, rolconnlimit, rolpassword
    from pg_roles where rolname ~ '^pg_' order by oid;
select b.rolname as member_of, r.rolname from pg_auth_members m join pg_roles b on b.oid = m.roleid join pg_roles r on m.member = r.oid
    where r.rolname ~ '^pg_' order by 1, 2;
create role alike_reader in role pg_read_all_data;
create role alike_writer in role pg_write_all_data;
create role alike_watcher in role pg_monitor, pg_signal_backend, pg_checkpoint;
create role alike_owner createdb;
-- What may not be done to them.
create role pg_mine;
alter role pg_monitor createdb;
alter role pg_monitor rename to alike_monitor;
alter role alike_reader rename to pg_reader;
alter role pg_monitor set work_mem = '1MB';
drop role pg_monitor;
drop role if exists pg_monitor, pg_nobody;
grant pg_database_owner to alike_reader;
grant alike_reader to pg_database_owner;
create role alike_later in role pg_database_owner;
create role alike_later role pg_database_owner;
alter group pg_database_owner add user alike_reader;
comment on role pg_monitor is 'watches';
comment on role pg_monitor is null;
-- What they read and write.
create schema apart;
create table apart.t (a int primary key, b text);
create sequence apart.s;
create view apart.v as select a from apart.t;
insert into apart.t values (1, 'x');
revoke all on schema public from public;
set role alike_reader;
select * from apart.t;
select a from apart.v;
select count(*) from apart.t;
select last_value from apart.s;
select nextval('apart.s');
insert into apart.t values (2, 'y');
update apart.t set b = 'z';
delete from apart.t;
truncate apart.t;
select count(*) > 0 from pg_authid;
select a from apart.t for update;
create table apart.u (a int);
drop table apart.t;
copy apart.t to stdout;
copy apart.t from stdin;
set role alike_writer;
insert into apart.t values (2, 'y');
insert into apart.t values (3, 'y') returning a;
insert into apart.t values (1, 'y') on conflict do nothing;
update apart.t set b = 'all';
update apart.t set b = 'one' where a = 1;
delete from apart.t;
select * from apart.t;
select nextval('apart.s');
truncate apart.t;
reset role;
select * from apart.t order by a;
select has_table_privilege('alike_reader', 'apart.t', 'select'), has_table_privilege('alike_reader', 'apart.t', 'insert'),
    has_table_privilege('alike_reader', 'apart.t', 'select with grant option'), has_any_column_privilege('alike_reader', 'apart.t', 'select'),
    has_column_privilege('alike_reader', 'apart.t', 'a', 'select'), has_schema_privilege('alike_reader', 'apart', 'usage'),
    has_schema_privilege('alike_reader', 'apart', 'create'), has_sequence_privilege('alike_reader', 'apart.s', 'select'),
    has_sequence_privilege('alike_reader', 'apart.s', 'usage');
select has_table_privilege('alike_writer', 'apart.t', 'select'), has_table_privilege('alike_writer', 'apart.t', 'insert'),
    has_table_privilege('alike_writer', 'apart.t', 'update'), has_table_privilege('alike_writer', 'apart.t', 'delete'),
    has_table_privilege('alike_writer', 'apart.t', 'truncate'), has_schema_privilege('alike_writer', 'apart', 'usage'),
    has_sequence_privilege('alike_writer', 'apart.s', 'update');
select pg_has_role('alike_watcher', 'pg_read_all_stats', 'member'), pg_has_role('alike_watcher', 'pg_read_all_settings', 'usage'),
    pg_has_role('alike_watcher', 'pg_read_all_data', 'member');
alter role alike_watcher noinherit;
select pg_has_role('alike_watcher', 'pg_read_all_stats', 'member'), pg_has_role('alike_watcher', 'pg_read_all_settings', 'usage');
select pg_has_role('alike_watcher', 'pg_monitor', 'something');
alter role alike_watcher inherit;
-- The owner of the database.
select nspname, nspowner::regrole, nspacl from pg_namespace where nspname = 'public';
set role alike_reader;
create table public.mine (a int);
reset role;
grant usage on schema public to public;
select nspname, nspowner::regrole, nspacl from pg_namespace where nspname = 'public';
select current_database() as db \gset
alter database :"db" owner to alike_owner;
select pg_has_role('alike_owner', 'pg_database_owner', 'member'), pg_has_role('alike_reader', 'pg_database_owner', 'member');
set role alike_owner;
create table public.mine (a int);
select count(*) from public.mine;
grant create on schema public to alike_reader;
alter schema public rename to open;
alter schema open rename to public;
reset role;
set role alike_reader;
create table public.yours (a int);
reset role;
drop table public.mine, public.yours;
revoke create on schema public from alike_reader;
\dn+ public
alter database :"db" owner to tidewire;
-- Others' backends, settings, checkpoints.
set role alike_reader;
checkpoint;
show data_directory;
show shared_preload_libraries;
select count(*) from pg_settings where name in ('data_directory', 'shared_preload_libraries', 'work_mem');
select current_setting('config_file') is null;
select pg_cancel_backend(pid) from pg_stat_activity where pid = pg_backend_pid();
copy apart.t to '/tmp/alike_nowhere.txt';
copy apart.t from '/tmp/alike_nowhere.txt';
set role alike_watcher;
checkpoint;
select count(*) from pg_settings where name in ('data_directory', 'shared_preload_libraries', 'work_mem');
select count(*) from pg_stat_activity where query = '<insufficient privilege>';
reset role;
-- Given and taken back.
grant pg_read_all_data to alike_watcher;
grant pg_read_all_data to alike_watcher;
revoke pg_monitor from alike_reader;
revoke pg_read_all_data from alike_watcher;
set role pg_read_all_data;
select current_user, a from apart.t order by a limit 1;
reset role;
grant select on apart.t to pg_monitor;
\dp apart.t
set role alike_watcher;
select count(*) from apart.t;
reset role;
reassign owned by pg_monitor to alike_reader;
drop owned by pg_monitor;
\dp apart.t
drop owned by alike_reader, alike_writer, alike_watcher, alike_owner;
\du alike*
drop role alike_reader, alike_writer, alike_watcher, alike_owner;
-- What PUBLIC does not read of the system's relations, and who says so beforehand.
CREATE ROLE peeping;
SELECT has_table_privilege('peeping', 'pg_authid', 'select') AS passwords, has_table_privilege('peeping', 'pg_class', 'select') AS classes,
    has_any_column_privilege('peeping', 'pg_shadow', 'select') AS shadows, has_table_privilege('peeping', 'pg_subscription', 'select') AS whole,
    has_column_privilege('peeping', 'pg_subscription', 'subname', 'select') AS name, has_column_privilege('peeping', 'pg_subscription', 'subconninfo', 'select') AS how,
    has_column_privilege('peeping', 'pg_class', 'relname', 'select') AS relname, has_column_privilege('peeping', 'pg_class', 'relname', 'update') AS written;
SELECT has_column_privilege('peeping', 'pg_class', 'nothing', 'select');
SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v') AND NOT has_table_privilege('peeping', oid, 'select') ORDER BY 1;
GRANT pg_read_all_stats TO peeping;
SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v') AND NOT has_table_privilege('peeping', oid, 'select') ORDER BY 1;
SET ROLE peeping;
SELECT count(subname) >= 0 AS readable FROM pg_subscription;
SELECT subconninfo FROM pg_subscription;
SELECT count(*) FROM pg_authid;
RESET ROLE;
GRANT pg_read_all_data TO peeping;
SELECT has_table_privilege('peeping', 'pg_authid', 'select') AS passwords;
DROP ROLE peeping;
