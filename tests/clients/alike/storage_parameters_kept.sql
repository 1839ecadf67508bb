-- what WITH (...) says is kept, listed and dumped
create table kept (id int primary key, a text not null, b int) with (fillfactor = 70, autovacuum_enabled, "autovacuum_vacuum_scale_factor" = 0.2);
select reloptions from pg_class where relname = 'kept';
\d+ kept
alter table kept set (fillfactor = 31, autovacuum_vacuum_scale_factor = 0.1);
select reloptions from pg_class where relname = 'kept';
alter table kept set (parallel_workers = 4, autovacuum_enabled = off);
select reloptions from pg_class where relname = 'kept';
alter table kept reset (fillfactor, autovacuum_vacuum_scale_factor);
select reloptions from pg_class where relname = 'kept';
alter table kept reset (fillfactor = 12);
alter table kept set (fillfactor = 5);
alter table kept set (nothing_such = 5);
alter table kept reset (parallel_workers, autovacuum_enabled);
select reloptions from pg_class where relname = 'kept';
create table filled with (fillfactor = 80) as select 1 as a;
create materialized view seen with (fillfactor = 81) as select 1 as a;
select relname, reloptions from pg_class where relname in ('filled', 'seen') order by 1;
alter materialized view seen set (fillfactor = 82);
alter materialized view seen reset (fillfactor);
select relname, reloptions from pg_class where relname in ('filled', 'seen') order by 1;
-- of indexes too
create index kept_b on kept (b) with (fillfactor = 60);
create unique index kept_a on kept (a) with (deduplicate_items = off, fillfactor = '50') where a > 'x';
select pg_get_indexdef('kept_b'::regclass), pg_get_indexdef('kept_a'::regclass);
\d kept
\d+ kept_b
alter index kept_b set (fillfactor = 40, deduplicate_items = on);
select reloptions from pg_class where relname = 'kept_b';
alter index kept_b reset (fillfactor);
select reloptions from pg_class where relname = 'kept_b';
alter index kept_b set (fillfactor = 400);
-- REPLICA IDENTITY
select relreplident from pg_class where relname = 'kept';
alter table kept replica identity full;
select relreplident from pg_class where relname = 'kept';
\d+ kept
alter table kept replica identity nothing;
select relreplident from pg_class where relname = 'kept';
alter table kept replica identity using index kept_b;
alter table kept replica identity using index kept_a;
alter table kept replica identity using index filled;
alter table kept replica identity using index not_there;
create unique index kept_unique on kept (a);
create unique index kept_nullable on kept (b);
create unique index kept_expression on kept (lower(a));
alter table kept add constraint kept_late unique (id, a) deferrable;
alter table kept replica identity using index kept_nullable;
alter table kept replica identity using index kept_expression;
alter table kept replica identity using index kept_late;
alter table filled replica identity using index kept_unique;
alter table kept replica identity using index kept_unique;
select relreplident from pg_class where relname = 'kept';
select indexrelid::regclass, indisreplident from pg_index where indrelid = 'kept'::regclass order by indexrelid::regclass::text;
\d kept
alter table kept replica identity using index kept_pkey;
select indexrelid::regclass from pg_index where indrelid = 'kept'::regclass and indisreplident;
alter table kept replica identity default;
select relreplident, (select count(*) from pg_index where indrelid = 'kept'::regclass and indisreplident) from pg_class where relname = 'kept';
begin;
alter table kept set (fillfactor = 33), replica identity full, add column c int;
rollback;
select reloptions, relreplident from pg_class where relname = 'kept';
insert into kept values (1, 'y', 2);
select * from kept;
