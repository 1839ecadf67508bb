-- What tools call that know the functions behind PostgreSQL's views; LOAD, labels, and what restored dumps set.
\set VERBOSITY verbose
security label on table pa is 'x'; security label for foo on table pa is null; security label for 'foo' on function f(int) is 'x'; security label; security label on table;
load 'plpgsql'; load 'x'; load '$libdir/plpgsql'; load plpgsql; load;
set default_with_oids = on; set default_with_oids = false; show default_with_oids; select count(*) from pg_settings where name = 'default_with_oids'; set default_with_oids = bla;
select 'a b'::tsvector @@ any ('{a,b}'), 'a b'::tsvector @@ any ('{c,d}'), 1 = any ('{1,2}'), 'a' = any ('{a}'), 'a'::varchar = any ('{a,b}'), '{"a":1}'::jsonb ? any ('{a}'), date '2020-01-01' = any ('{2020-01-01}');
select 1.5 @@ any ('{1}'); select int4range(1,5) @> any ('{3,9}'); select '{"a":1}'::jsonb -> any ('{a}'); select interval '1 day' * any ('{1}');
select name, setting from pg_show_all_settings() where name = 'work_mem'; select s.name from pg_catalog.pg_show_all_settings() as s(name, x) where s.x = 'UTC' limit 0;
select count(*) > 0 from pg_available_extensions(); select name, version from pg_available_extension_versions() where name = 'plpgsqll';
select locktype, mode, granted from pg_lock_status() where relation = 'pg_class'::regclass and false;
prepare q(int) as select $1; select name, statement, parameter_types, from_sql from pg_prepared_statement();
begin; declare c cursor for select 1; select name, statement, is_holdable from pg_cursor(); commit;
select pid = pg_backend_pid(), application_name, state from pg_stat_get_activity(pg_backend_pid()); select count(*) > 0 from pg_stat_get_activity(NULL); select * from pg_stat_get_activity(NULL) where pid = -1;
create table pa (a int);
select pg_stat_get_live_tuples('pa'::regclass), pg_stat_get_dead_tuples('pa'::regclass), pg_stat_get_last_vacuum_time('pa'::regclass), pg_stat_get_xact_numscans(0), pg_stat_get_db_deadlocks(0), pg_stat_get_db_session_time(null);
create schema mine; create function mine.pg_cursor() returns setof int language sql as 'select 7'; select * from mine.pg_cursor();
create role alike_plain; create role alike_watching in role pg_monitor; set role alike_plain; load 'x'; load 'plpgsql'; reset role;
begin; select 1/0; load 'x'; security label on table pa is 'x'; rollback;
select p.oid::regprocedure, r, has_function_privilege(r, p.oid, 'execute'), has_function_privilege(r, p.oid, 'execute with grant option')
  from pg_proc p, unnest(array['public', 'alike_plain', 'alike_watching']) r where p.proname in ('pg_reload_conf', 'pg_read_file', 'pg_ls_waldir', 'pg_get_shmem_allocations', 'abs', 'lo_import', 'pg_stat_reset') order by p.oid, r collate "C";
select r, count(*) from pg_proc p, unnest(array['public', 'alike_plain', 'alike_watching']) r where not has_function_privilege(r, p.oid, 'execute') and p.oid < 10000 group by r order by r collate "C";
drop role alike_plain; drop role alike_watching;
