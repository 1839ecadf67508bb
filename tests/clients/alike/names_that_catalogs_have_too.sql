-- A table may be called like one of PostgreSQL's own relations: the bare name is then the catalog's, wherever the search path does not say otherwise.
create table public.pg_cast (label text primary key, note text);
create index cast_notes on public.pg_cast (note);
create statistics public.cast_counts on label, note from public.pg_cast;
select 'public.pg_cast'::regclass, 'pg_cast'::regclass, to_regclass('pg_cast') = 'pg_catalog.pg_cast'::regclass as the_catalogs;
select relnamespace::regnamespace, pg_table_is_visible(oid) from pg_class where relname = 'pg_cast' order by 1;
select stxrelid::regclass, pg_get_statisticsobjdef(oid) from pg_statistic_ext;
\d+ public.pg_cast
set search_path = public, pg_catalog;
select 'public.pg_cast'::regclass, 'pg_catalog.pg_cast'::regclass, 'pg_cast'::regclass;
select relnamespace::regnamespace, pg_table_is_visible(oid) from pg_class where relname = 'pg_cast' order by 1;
reset search_path;
create temp table pg_cast (mine int);
select to_regclass('pg_cast') = 'pg_temp.pg_cast'::regclass as mine, 'pg_catalog.pg_cast'::regclass;
-- Where a row of a catalog stands, and that nobody has deleted it.
select count(*) = count(distinct ctid) as told_apart, min(xmax), max(xmax), min(cmin), max(cmax) from pg_proc;
select o.oprname from pg_operator o join pg_operator same on o.ctid = same.ctid where same.oid = '=(integer,integer)'::regoperator;
select ctid, oprcom from pg_operator o where oprcom <> 0 and not exists (select from pg_operator p where p.oid = o.oprcom);
select c.ctid is null as missing, renamed from pg_class c (renamed) where renamed = 1259;
