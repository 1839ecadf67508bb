-- What sessions begin with, by role and database: said, listed, taken at the start of a session and by RESET.
create role alike_clerk login;
alter role alike_clerk set search_path to app, public;
alter role alike_clerk set timezone = 'Europe/Berlin';
alter role alike_clerk set work_mem = '7MB';
alter role alike_clerk set statement_timeout to 5000;
alter role alike_clerk in database alike_settings_by_role set work_mem to '9MB';
alter role all set extra_float_digits = 2;
alter database alike_settings_by_role set work_mem = '8MB';
alter database alike_settings_by_role set datestyle to 'ISO, DMY';
alter database alike_settings_by_role set time zone 'Asia/Tokyo';
alter user alike_clerk set nope = 1;
alter user alike_clerk set work_mem = 'x';
alter user alike_clerk set server_version = '1';
alter user nope set work_mem = '1MB';
alter database nope set work_mem = '1MB';
alter role alike_clerk in database nope set work_mem='1MB';
set lock_timeout = '3s';
alter role alike_clerk set lock_timeout from current;
alter role alike_clerk set my.own = 'a b';
select setdatabase <> 0 d, r.rolname, setconfig from pg_db_role_setting left join pg_roles r on r.oid = setrole order by 1,2;
select rolname, rolconfig from pg_roles where rolname='alike_clerk'; select usename, useconfig from pg_user where usename='alike_clerk'; 
\drds
\drds alike_clerk
\drds * alike_settings_by_role
\c - alike_clerk
show search_path; show timezone; show work_mem; show statement_timeout; show lock_timeout; show extra_float_digits; show my.own; show datestyle;
set work_mem='1MB'; reset work_mem; show work_mem; discard all; show work_mem;
alter role alike_clerk set work_mem = '2MB'; show work_mem;
alter role alike_clerk reset timezone;
alter role all set work_mem = '1MB';
alter role tidewire set work_mem='1MB';
alter database alike_settings_by_role set work_mem='1MB';
\c - tidewire
show work_mem; show timezone;
alter role alike_clerk reset all; 
alter role alike_clerk in database alike_settings_by_role reset work_mem;
alter role all reset all;
alter database alike_settings_by_role reset all;
alter role alike_clerk reset nope;
select count(*) from pg_db_role_setting;
alter role alike_clerk set work_mem='3MB';
begin; alter role alike_clerk set work_mem='4MB'; rollback;
select setconfig from pg_db_role_setting;
drop role alike_clerk;
select count(*) from pg_db_role_setting;
create database alike_ledger; alter database alike_ledger set work_mem='5MB'; drop database alike_ledger;
select count(*) from pg_db_role_setting;
