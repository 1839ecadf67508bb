-- The schema of a collation is entered by those who may.
\set VERBOSITY verbose
create schema hid;
create collation hid.cx (locale = 'C');
create role reader_of_collations;
set role reader_of_collations;
select 'a' collate hid.cx;
select 'a' < 'b' collate hid.cx;
select 'a' collate hid.nope;
select 'a' collate nos.cx;
select 'x' collate nope;
reset role;
grant usage on schema hid to reader_of_collations;
set role reader_of_collations;
select 'a' collate hid.cx;
select 'x' collate nope;
reset role;
select 'a' collate hid.nope;
select 'a' collate pg_catalog."default", 'b' collate pg_catalog."C";
revoke usage on schema hid from reader_of_collations;
drop collation hid.cx; drop schema hid;
drop role reader_of_collations;
-- which collations a bare name finds: mappers ask, to know whether to write the schema
create schema hid;
create collation hid.cx (locale = 'C'); create collation cx (locale = 'C'); create collation cy (locale = 'C'); create collation "C" (locale = 'C');
create table spelled (a text collate hid.cx, b text collate cx, c text collate cy, d text collate "C", e text collate public."C", f text);
create view seen as select attname, collname, n.nspname, pg_collation_is_visible(c.oid)
  from pg_attribute a join pg_collation c on c.oid = a.attcollation join pg_namespace n on n.oid = c.collnamespace
  where attrelid = 'spelled'::regclass and attnum > 0 order by attname;
select * from seen;
set search_path = hid, public; select * from seen;
set search_path = public, pg_catalog; select * from seen where attname = 'e';
reset search_path;
select pg_collation_is_visible(null), pg_collation_is_visible('"POSIX"'::regcollation);
