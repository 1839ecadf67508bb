-- What does not apply to a table is NULL in the views that list tables, not an empty name and not zero.
\pset null (null)
create table plain (a int);
create table keyed (a int primary key, b int);
create index keyed_b on keyed (b);
select tablename, tablespace, tablespace is null as has_none, hasindexes from pg_tables where schemaname = 'public' order by 1;
select indexname, tablespace, tablespace is null as has_none from pg_indexes where schemaname = 'public' order by 1;
select tablename from pg_tables where schemaname = 'public' and tablespace is not null;
select coalesce(tablespace, 'pg_default') from pg_indexes where indexname = 'keyed_b';
select relname, idx_scan is null as no_index, idx_tup_fetch is null as nothing_fetched, seq_scan is null as unread from pg_stat_user_tables order by 1;
select relname, idx_scan is null as no_index, idx_tup_fetch is null as nothing_fetched from pg_stat_xact_user_tables order by 1;
select relname, idx_blks_read is null, idx_blks_hit is null, toast_blks_read, tidx_blks_hit, heap_blks_hit is null from pg_statio_user_tables order by 1;
select checksum_failures from pg_stat_database where datname = current_database();
create function its_tablespace(of_table text) returns text language plpgsql as $$
declare found_one text := 'unset';
begin
  select tablespace into found_one from pg_tables where schemaname = 'public' and tablename = of_table and tablespace is not null;
  return 'TABLESPACE ' || coalesce(found_one, 'pg_default');
end $$;
select its_tablespace('plain'), its_tablespace('nobody');
