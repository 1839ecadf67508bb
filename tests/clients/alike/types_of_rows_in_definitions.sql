-- A definition that says the type of a table's rows says which table's: whoever inserts may have another search path, and the table another name.
create table lg (k text, v int);
create table tq (i lg default row('d', 1)::lg, check (i is distinct from null::lg), h lg generated always as (case when true then row('g', 2)::lg end) stored);
create index on tq ((i = row('q', 9)::lg)) where i <> row('z', 0)::lg;
set search_path = '';
insert into public.tq default values;
\d public.tq
reset search_path;
alter table lg rename to lg2;
insert into tq default values;
\d tq
create schema other;
alter table lg2 set schema other;
insert into tq default values;
\d tq
table tq;
create table ex (f other.lg2, m int[], exclude using btree (f with =), exclude using hash (m with =));
select conname, conexclop::regoperator[] from pg_constraint where conrelid = 'ex'::regclass order by 1;
insert into ex values (row('a', 1), '{1}'), (row('a', 2), '{2}');
insert into ex values (row('a', 2), '{3}');
\d ex
