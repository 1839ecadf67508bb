-- The types of functions' arguments, and what PostgreSQL's own domains are called.
create schema s; create type s.mood as enum ('a'); create type comp as (a int, b text);
create function s.f(a int, b text[], c s.mood, d comp, e numeric, f timestamptz) returns int language sql as 'select 1';
create procedure s.p() language plpgsql as $$ begin end $$;
select proname, oidvectortypes(proargtypes) from pg_proc where pronamespace = 's'::regnamespace order by 1;
select proname, pg_catalog.oidvectortypes(p.proargtypes) from pg_proc p where proname in ('lower', 'array_append', 'now', 'int4pl', 'varchar') order by 1, 2;
select oidvectortypes('23 25 1043 1042 0'), oidvectortypes(''), oidvectortypes(null), oidvectortypes('1700'::oidvector);
set search_path = s, public; select oidvectortypes(proargtypes) from pg_proc where proname = 'f' and pronamespace = 's'::regnamespace; reset search_path;
select typname, format_type(oid, null), oid::regtype from pg_type where typnamespace = 'information_schema'::regnamespace and typname ~ '^_?(cardinal_number|character_data|sql_identifier|time_stamp|yes_or_no)$' order by 1;
set search_path = information_schema, public; select format_type(oid, -1) from pg_type where typname = 'yes_or_no'; reset search_path;
select format_type(99999999, null);
