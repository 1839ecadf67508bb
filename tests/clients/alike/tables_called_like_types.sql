\set VERBOSITY verbose
-- pg_catalog is looked in first, so a table called text takes nothing away from the type (MediaWiki has one)
create table text (a int, b text default '', c date, d "text");
create table date (x text);
create table money (m money default 3, n text);
\d text
\d money
select 'a'::text, '2001-01-01'::date, null::public.text, null::text[];
create type name as (a int);
create domain int4 as text;
create table uses_names (a name, b int4, c public.int4, d public.name, e public.name[]);
\d uses_names
select format_type(atttypid, atttypmod), atttypid::regtype from pg_attribute where attrelid = 'uses_names'::regclass and attnum > 0 order by attnum;

-- columns called like what begins a constraint elsewhere
create table reports (id int, exclude integer default '0' not null, period int, bucket int, truncate int);
insert into reports (id, exclude) values (1, 2) returning exclude;
insert into reports (period, exclude, bucket, truncate) values (1, 2, 3, 4) returning period, exclude, bucket, truncate;
insert into reports (id, check) values (1, 2);
insert into reports (id, unique) values (1, 2);
insert into reports (primary) values (1);
alter table reports add exclude2 int, add exclude text;
alter table reports drop exclude;
alter table reports add exclude text default 'q';
select period, bucket, exclude from reports order by period;
create table bookings (exclude int, exclude (exclude with =));
\d bookings
create table bookings_2 (exclude int, constraint x exclude using btree (exclude with =));
\d bookings_2

-- DEFAULT NULL is a default where it is cast to a length or to a domain
create domain plain as text;
create domain short as varchar(4);
create domain short_null as varchar(4) default null;
create table nulls (a varchar(4) default null, b numeric(5,2) default null, c char(3) default null, d varchar default null, e text default null,
    f timestamp(3) default null, g timestamptz(0) default null, h time(3) default null, j varbit(4) default null, k interval(3) default null,
    n varchar(3)[] default null, o interval day default null, p int default null, r char default null, s bpchar default null,
    u timetz(2) default null, v varchar(4) default null::varchar, w varchar(4) default null::text, x plain default null,
    y short default null, z short_null, zz short_null default null);
\d nulls
\dD
alter table nulls alter column e set default null;
alter table nulls alter a set default 'x', alter b drop default;
alter table nulls add aa varchar(7) default null;
\d nulls
select attname, atthasdef from pg_attribute where attrelid = 'nulls'::regclass and attnum > 0 order by attnum;
insert into nulls default values;
select count(*) from nulls where a = 'x' and aa is null;
select column_name, column_default from information_schema.columns where table_name = 'nulls' and column_default is not null order by 1;

-- a function's one row of all that it gives out
create function report(out a int, out b text, out c date) returns setof record language sql as $$ select (i, 'x' || i, date '2001-01-01') from generate_series(1, 2) i $$;
create function reported() returns table (a int, b text) language sql as $$ select (1, 'x'::text) $$;
select * from report();
select report();
select (report()).b;
select * from reported() as r (c, d);
select reported();

-- a language without a handler is an extension
create language plpgsql;
create or replace trusted procedural language plpgsql;
create extension plpgsql;
create extension if not exists plpgsql;
create language 'plpgsql';
create index on nowhere (a);
