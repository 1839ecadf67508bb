create table t(tz timestamptz, s text, d date);
create index on t ((tz at time zone 'UTC'));
create index on t (((tz at time zone 'UTC')::date));
create index on t (((tz at time zone 'UTC') is null));
create index on t (((d,d) overlaps (d,d)));
create index on t ((position('a' in s)), (trim(s)), (substring(s from 1 for 2)), (overlay(s placing 'a' from 1)));
create index on t ((coalesce(s,'a')), (nullif(s,'a')), (greatest(s,'a')));
create index on t ((case when s='a' then 1 end));
create index on t ((s is not null));
create index on t ((row(s) is null));
create index on t ((s similar to 'a'));
create index on t ((s collate "C"));
create index on t ((not (s='a')));
create index on t ((cast(s as int)));
create index on t ((int '1'));
create index on t ((true));
create unique index on t ((796));
select indexdef from pg_indexes where tablename='t' order by indexname;
\d t
-- Lists beside other conditions are in brackets, also where few are.
create table lists_kept (a int, b text, c boolean);
create index lists_kept_1 on lists_kept (a) where a in (1, 2) and b = 'x';
create index lists_kept_2 on lists_kept (a) where a = any ('{1,2}') or b in ('x', 'y') and c;
create index lists_kept_3 on lists_kept (a) where coalesce(a in (1, 2), c) and a <> all ('{3}') and a not in (4, 5);
create index lists_kept_4 on lists_kept ((a in (1, 2)), (b in ('a') and c), (case when a in (1, 2) then 1 end));
create view lists_kept_view as select a in (1, 2) and c as x, a in (3, 4) as y from lists_kept where (a in (1, 2) or b in ('x', 'y')) and c;
\d lists_kept
select pg_get_indexdef(indexrelid, 0, p) from pg_index, (values (true), (false)) v(p) where indrelid = 'lists_kept'::regclass order by p, 1;
select pg_get_viewdef('lists_kept_view', p) from (values (true), (false)) v(p);

-- What is asked besides may be of several parts.
create table besides (id int primary key, a int, b text);
create unique index on besides (lower(b));
insert into besides values (1, 1, 'A'), (2, 2, 'B'), (3, 3, 'C');
select * from besides where a <> all (array[1, 2]);
select * from besides where a <> all (array[1, 2]) and lower(b) = 'c' and id not in (1, 2);
select * from besides where lower(b) <> all (array['a', 'b']) and lower(b) > 'a';
update besides set a = a + 1 where a <> all (array[1, 2]) returning *;
-- A function in SQL that is a mere expression is judged by what it calls, whatever it was declared as.
create table judged(n text, d timestamptz, k int);
create function ended(text) returns text language sql as $$ select $1 || 'x' $$; create function ended_twice(text) returns text language sql stable as $$ select ended(ended($1)) $$;
create unique index on judged (ended(n)); create index on judged (k) where ended_twice(n) = 'axx'; insert into judged values ('a'); insert into judged values ('a');
insert into judged values ('a'), ('b') on conflict (ended(n)) do nothing; select n from judged where ended(n) = 'bx';
create function found_in(text) returns text language sql as $$ select n from judged where n = $1 $$; create index on judged (found_in(n));
create function by_zone(timestamptz) returns text language sql as $$ select $1::text $$; create index on judged (by_zone(d)); create function by_chance(int) returns float language sql as $$ select random() + $1 $$; create index on judged (by_chance(k));
create function runs_within(text) returns text language plpgsql as $$ begin return $1; end $$; create function over_it(text) returns text language sql as $$ select runs_within($1) $$; create index on judged (over_it(n));
create function unless_null(text) returns text language sql strict as $$ select coalesce($1, 'x') $$; create index on judged (unless_null(n));
create function ended_thrice(text) returns text language sql as $$ select ended(ended_twice($1)) $$; create index on judged (ended_thrice(n)); create function ended_anyhow(text) returns text language sql as $$ select ended(ended($1)) $$; create index on judged (ended_anyhow(n));
create table made_of(a text, b text generated always as (ended_anyhow(a)) stored); insert into made_of values ('q') returning b; create table not_made(a text, b text generated always as (over_it(a)) stored);
