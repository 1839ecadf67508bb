-- ALTER SYSTEM: what may be written by whom, and what the file says then.
alter system set work_mem = '8MB'; alter system set nosuch = 1; alter system set a.b = 1; alter system set server_version = 1; alter system set data_directory = 'x';
alter system set work_mem = 'x'; alter system set datestyle = iso, mdy; alter system set search_path = a, 'B c'; alter system set work_mem = 1,2; alter system reset nosuch;
begin; alter system reset all; rollback; alter system set time zone 'UTC'; alter system set timezone = 'UTC';
alter system set role = x; alter system set transaction_isolation='serializable'; alter system set session_authorization='x'; alter system set config_file='x'; alter system set is_superuser='on';
alter system set lc_collate='C'; alter system set seed = 0.5; alter system set work_mem from current; alter system set local work_mem = 1; alter system set; alter system reset; alter system set work_mem;
alter system set statement_timeout = 1500; alter system set statement_timeout = '2s'; alter system set enable_seqscan = OFF; alter system set transaction_read_only = on;
alter system set default_tablespace='nosuch'; alter system set default_text_search_config='nosuch'; alter system set enable_sort = 7;
create role asys; set role asys; alter system reset all; alter system set work_mem = 1000; alter system reset work_mem; alter system set nosuch = 1; reset role;
grant alter system on parameter work_mem to asys; set role asys; alter system set work_mem = 1000; alter system reset work_mem; alter system set log_statement='all'; alter system reset all; reset role;
select name, setting, applied, error from pg_file_settings where sourcefile like '%auto.conf'; set role asys; select count(*) from pg_file_settings; reset role;
alter system set enable_seqscan to default; alter system reset statement_timeout;
select name, setting, applied, error from pg_file_settings where sourcefile like '%auto.conf';
-- A value may hold anything but the end of a line.
alter system set log_line_prefix = E'a\nb'; alter system set log_line_prefix = E'a\rwork_mem = 1 \\ ''x'' # ';
select name, replace(setting, chr(13), '<CR>'), applied, error from pg_file_settings where sourcefile like '%auto.conf';
alter system reset all; revoke alter system on parameter work_mem from asys; drop role asys;
