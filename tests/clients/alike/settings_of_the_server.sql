-- What is said of every setting, which of them can be changed by whom, and in what words the others refuse.
select name, vartype, unit, context, category, short_desc, extra_desc from pg_settings
where name not in ('distributed_min_size', 'execution_engine', 'tidewire.as_of', 'tidewire.isolation', 'transaction_timeout',
 'extension_destdir', 'restrict_nonsystem_relation_kind', 'server_version_num') and name not like 'pg_stat_statements.%' order by name collate "C";
select name, min_val, max_val, enumvals from pg_settings
where (min_val is not null or enumvals is not null) and name not in ('distributed_min_size', 'execution_engine',
 'transaction_timeout', 'server_version_num', 'default_transaction_isolation', 'transaction_isolation') and name not like 'pg_stat_statements.%' order by name collate "C";
set archive_mode = on;
set wal_level = logical;
set max_connections = 5;
set autovacuum = off;
set log_connections = on;
set ignore_system_indexes = on;
set server_version = '9.0';
set block_size = 4096;
reset shared_buffers;
select set_config('hot_standby', 'off', false);
alter role current_user set max_wal_size = '1GB';
show autovacuum_vacuum_cost_delay;
show checkpoint_timeout;
show max_wal_size;
show log_rotation_age;
show log_file_mode;
show autovacuum;
show archive_command;
show archive_timeout;
select current_setting('max_worker_processes'), current_setting('track_commit_timestamp'), current_setting('hot_standby');
set synchronous_commit = false;
show synchronous_commit;
set synchronous_commit = yes;
show synchronous_commit;
set synchronous_commit = maybe;
set client_min_messages = debug;
show client_min_messages;
set client_min_messages = notice;
set default_toast_compression = zstd;
set vacuum_cost_delay = '2ms';
show vacuum_cost_delay;
set vacuum_cost_delay = 101;
set log_min_messages = info;
show log_min_messages;
select source, setting, reset_val from pg_settings where name in ('vacuum_cost_delay', 'work_mem') order by name;
create role plain_setter;
set role plain_setter;
set log_statement = 'all';
reset log_statement;
set session_replication_role = replica;
select set_config('track_counts', 'off', false);
alter role plain_setter set deadlock_timeout = '2s';
set work_mem = '8MB';
show work_mem;
reset role;
drop role plain_setter;
set log_statement = 'all';
show log_statement;
show session_authorization;
select name from pg_settings where name in ('role', 'session_authorization', 'is_superuser', 'seed');
\dconfig *checkpoint*
