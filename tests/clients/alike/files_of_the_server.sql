-- Files of the server's machine: what there is, what is not, and who may read them.
select length(pg_read_file('/etc/passwd')) = length(pg_read_binary_file('/etc/passwd')), pg_read_file('/etc/passwd', 0, 4) = left(pg_read_file('/etc/passwd'), 4);
select pg_read_file('/etc/passwd', -1, 1) = E'\n', length(pg_read_file('/etc/passwd', 1000000000, 5)), pg_read_file_old('/etc/passwd', 0, 0) = '';
select pg_read_file('/nosuch/file'); select pg_read_file('/nosuch/file', 0, 10, true), pg_read_binary_file('/nosuch/file', 0, 10, true) is null;
select pg_read_file('nosuch'); select pg_read_file('/etc'); select pg_read_file('/etc/passwd', 0, -1); select pg_read_file('/usr/bin/env');
select pg_read_file(null), pg_read_file('/etc/passwd', null, 1);
select size = length(pg_read_binary_file('/etc/passwd')), isdir, creation, modification <= now() from pg_stat_file('/etc/passwd');
select isdir from pg_stat_file('/etc'); select pg_stat_file('/nosuch'); select * from pg_stat_file('/nosuch', true);
select count(*) from pg_ls_dir('/etc') as f where f in ('passwd', 'group', '.', '..'); select count(*) from pg_ls_dir('/etc', false, true) as f where f in ('passwd', '.', '..');
select pg_ls_dir('/nosuch'); select pg_ls_dir('/nosuch', true, false); select pg_ls_dir('/etc/passwd');
select count(*) > 0, bool_and(size > 0), max(modification) <= now() from pg_ls_waldir(); select * from pg_ls_archive_statusdir(); select * from pg_ls_tmpdir(4711);
select f.name, length(pg_read_file(f.name)) > 0 from (values ('/etc/passwd'), ('/etc/group')) as f(name); select * from pg_ls_replslotdir('nosuch');
select lo_import('/etc/passwd', 4711) as made; select lo_get(4711) = pg_read_binary_file('/etc/passwd'); select lo_import('/etc/passwd', 4711); select lo_import('/nosuch/file');
select lo_export(4712, '/nosuch/file'); select lo_export(4711, '/nosuch/file'); select lo_unlink(4711); begin; select lo_import('/etc/group', 4713); rollback; select lo_get(4713);
create role fos_reader; set role fos_reader;
select pg_read_file('/etc/passwd'); select pg_stat_file('/etc/passwd'); select pg_ls_dir('/etc'); select * from pg_ls_waldir(); select lo_import('/etc/passwd'); select lo_export(1, '/tmp/x'); select pg_reload_conf();
reset role; grant execute on function pg_read_file(text) to fos_reader; grant pg_monitor to fos_reader; set role fos_reader;
select pg_read_file('/etc/passwd'); select pg_read_file('../x'); select pg_read_file('/etc/passwd', 0, 1); select count(*) > 0 from pg_ls_waldir();
reset role; grant pg_read_server_files to fos_reader; set role fos_reader; select length(pg_read_file('/etc/passwd')) > 0;
reset role; revoke execute on function pg_read_file(text) from fos_reader; drop role fos_reader; select pg_reload_conf();
create table fos (a text); \set VERBOSITY verbose
copy fos from '/etc/passwd/x'; copy fos to '/etc/passwd/x'; copy fos to '/etc'; copy fos from '/etc'; copy fos from '/nosuch/file';
select pg_read_file('/etc/passwd/x'); select lo_import('/etc/passwd/x'); select pg_read_file(repeat('x', 300)); select lo_import(repeat('x', 300));
drop table fos; select lo_from_bytea(4714, 'abc'); select lo_export(4714, '/etc'); select lo_export(4714, '/dev/full'); select lo_unlink(4714);
