-- Functions of users in indexes and generated columns: the recipe of an unaccent that may be indexed, and its like.
create function f_plain(text) returns text language sql immutable strict as $$select translate(lower($1), 'äöüé', 'aoue')$$;
create function f_two(int, int) returns int language sql immutable as 'select $1 * 100 + $2';
create function f_slug(text) returns text language plpgsql immutable as $$begin return regexp_replace(lower($1), '\W+', '-', 'g'); end$$;
create function f_now() returns timestamptz language sql stable as 'select now()';
create table people (id int primary key, name text, born int, code int generated always as (f_two(1, 2)) stored, plain text generated always as (f_plain(name)) stored);
create table people2 (id int primary key, name text, born int);
insert into people (id, name, born) values (1, 'Äda', 1815), (2, 'Zoé', 1990);
insert into people2 values (1, 'Äda', 1815), (2, 'Zoé', 1990);
select * from people order by id;
update people set name = 'Öle' where id = 2 returning *;
create index people_plain on people2 (f_plain(name));
create index people_slug on people2 (f_slug(name), born);
create index people_some on people2 (id) where f_slug(name) <> '';
create unique index people_key on people2 (f_plain(name));
create unique index people_old on people2 (f_two(id, born)) where f_plain(name) like 'a%';
create index people_now on people2 ((f_now()));
create index people_now2 on people2 (id) where f_now() > '2020-01-01';
create table bad (a int, b timestamptz generated always as (f_now()) stored);
insert into people2 values (3, 'ada', 1900);
insert into people2 values (3, 'Zoe', 1900) on conflict (f_plain(name)) do update set born = excluded.born returning *;
insert into people2 values (3, 'Ärger', 1900), (4, 'Aerger', 1900);
update people2 set name = 'ARGER' where id = 4;
select id from people2 where f_plain(name) = 'arger';
\d people2
\d people
select pg_get_indexdef(indexrelid) from pg_index where indrelid = 'people2'::regclass order by 1;
select c.relname, p.proname from pg_depend d join pg_class c on c.oid = d.objid and d.classid = 'pg_class'::regclass
  join pg_proc p on p.oid = d.refobjid and d.refclassid = 'pg_proc'::regclass where p.proname like 'f\_%' and c.relkind = 'i' order by 1, 2;
create or replace function f_plain(text) returns text language sql immutable strict as $$select 'p' || lower($1)$$;
insert into people2 values (5, 'somebody', 1);
insert into people (id, name) values (7, 'Äh') returning plain;
drop function f_plain(text);
drop function f_two(int, int);
drop index people_old;
drop function f_plain(text) cascade;
\d people2
\d people
drop function f_slug(text) cascade;
drop function f_two(int, int) cascade;
\d people2
\d people
select * from people order by id;
create function f_in(text) returns text language sql immutable as 'select trim($1)';
create function f_out(text) returns text language sql immutable as 'select upper($1)';
create table nested (id int, name text);
create unique index on nested (f_out(f_in(name)), (id + 1)) where f_in(name) <> '';
insert into nested values (1, ' a '), (1, '');
insert into nested values (1, 'A') on conflict (f_out(f_in(name)), (id + 1)) where f_in(name) <> '' do update set name = 'again' returning *;
insert into nested values (1, 'A') on conflict (f_out(name), (id + 1)) do nothing;
