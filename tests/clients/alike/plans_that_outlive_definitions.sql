-- The same statements again and again, while what they name changes meaning between them, and much else that they do not name.
\set VERBOSITY terse
create schema pod_a; create schema pod_b; create schema pod_c;
set search_path = pod_a, pod_b, pod_c;
\set by_key 'select n, t from pod where id = 1;'
\set counted 'select count(*), sum(n) from pod;'
\set put 'insert into pod (id, n) values (3, 30) returning *;'
\set raised 'update pod set n = n + 1 where id = 3 returning id, n;'
\set gone 'delete from pod where id = 3 returning id;'
create table pod_b.pod (id int primary key, n int, t text); insert into pod_b.pod values (1, 10, 'b'), (2, 20, 'b');
prepare by_key as select n, t from pod where id = $1;
prepare counted as select count(*), sum(n) from pod;
prepare put as insert into pod (id, n) values ($1, $2) returning *;
prepare raised as update pod set n = n + 1 where id = $1 returning id, n;
prepare gone as delete from pod where id = $1 returning id;
execute by_key(1); execute counted; execute put(3, 30); execute raised(3); execute gone(3);
-- a definition of something else
create table pod_c.other (id int); execute by_key(1); execute counted; execute put(3, 30); execute raised(3); execute gone(3);
-- a table of this name earlier on the path, and gone again: said in words, for PostgreSQL looks no prepared statement's names up anew
:by_key :counted :put :raised :gone
create table pod_a.pod (id int primary key, n int, t text); insert into pod_a.pod values (1, -1, 'a');
:by_key :counted :put :raised :gone
begin; drop table pod_a.pod; :by_key :counted :put :raised :gone rollback; :by_key :counted
drop table pod_a.pod; :by_key :counted
-- a temporary one, which hides all others
begin; create temp table pod (id int primary key, n int, t text) on commit drop; insert into pod values (1, 100, 'temp');
:by_key :counted :raised savepoint s; drop table pod; :by_key :counted rollback to s; :by_key :counted commit;
:by_key :counted
-- a view in its place
create view pod_a.pod as select id, n * 1000 as n, t from pod_b.pod; :by_key :counted :raised
drop view pod_a.pod; :by_key :counted
-- a schema of the path that comes later
set search_path = pod_later, pod_a, pod_b; :by_key create schema pod_later; create table pod_later.pod (id int primary key, n int, t text); :by_key :counted drop schema pod_later cascade; :by_key
set search_path = pod_a, pod_b, pod_c;
-- renamed: columns, tables, schemas
alter table pod rename to pod_was; execute by_key(1); execute counted; alter table pod_was rename to pod; execute by_key(1);
alter table pod rename column n to m; execute by_key(1); execute counted; alter table pod rename column m to n; execute by_key(1); execute counted;
alter schema pod_b rename to pod_d; execute by_key(1); alter schema pod_d rename to pod_b; execute by_key(1); execute counted;
alter table pod set schema pod_c; execute by_key(1); execute counted; alter table pod_c.pod set schema pod_b; execute by_key(1);
-- columns that are swapped by name
begin; alter table pod rename column t to x; alter table pod rename column n to t; alter table pod rename column x to n; select n, t from pod where id = 1; rollback; select n, t from pod where id = 1;
-- a type of a column
alter table pod alter column n type bigint; execute by_key(1); select n, t from pod where id = 1; select pg_typeof(n) from pod where id = 1; alter table pod alter column n type int; select pg_typeof(n) from pod where id = 1;
-- defaults and constraints
execute put(4, 40); delete from pod where id = 4; alter table pod alter column t set default 'said'; execute put(4, 40); execute gone(4);
alter table pod add check (n < 50); execute put(5, 50); alter table pod drop constraint pod_n_check; execute put(5, 50); execute gone(5);
alter table pod alter column t set not null; alter table pod alter column t drop default; execute put(6, 1); alter table pod alter column t drop not null; execute put(6, 1); execute gone(6);
create table pod_c.child (p int references pod_b.pod); insert into pod_c.child values (2); execute gone(2); insert into pod_c.child values (77); drop table pod_c.child; begin; execute gone(2); rollback;
alter table pod add unique (n); execute put(7, 20); alter table pod drop constraint pod_n_key; begin; execute put(7, 20); rollback;
-- triggers and rules
create function pod_twice() returns trigger language plpgsql as 'begin new.n := new.n * 2; return new; end'; create trigger tw before insert or update on pod for each row execute function pod_twice(); begin; execute put(8, 4); execute raised(1); rollback;
create or replace function pod_twice() returns trigger language plpgsql as 'begin new.n := new.n * 3; return new; end'; begin; execute put(8, 4); execute raised(1); rollback;
alter table pod disable trigger tw; begin; execute put(8, 4); rollback; drop trigger tw on pod; begin; execute put(8, 4); rollback;
create rule nothing as on delete to pod do instead nothing; execute gone(1); drop rule nothing on pod; begin; execute gone(1); rollback;
-- functions: new overloads, nearer ones, other bodies
create function pod_c.pod_f(x bigint) returns text language sql immutable as $$ select 'bigint' $$;
\set called 'select pod_f(1), pod_f(n) from pod where id = 1;'
:called select pod_f(1);
create function pod_c.pod_f(x int) returns text language sql immutable as $$ select 'int' $$; :called select pod_f(1);
create function pod_a.pod_f(x int) returns text language sql immutable as $$ select 'nearer' $$; :called select pod_f(1);
create or replace function pod_a.pod_f(x int) returns text language sql immutable as $$ select 'other body' $$; :called select pod_f(1);
alter function pod_a.pod_f(int) rename to pod_g; :called drop function pod_c.pod_f(int); :called select pod_f(1); begin; drop function pod_c.pod_f(bigint); :called rollback; :called
create function pod_a.lower(int) returns text language sql as $$ select 'own' $$; select lower('ABC'); prepare low as select lower(n::text) from pod where id = 1; execute low; drop function pod_a.lower(int); execute low;
-- operators
create function pod_c.pod_o(text, int) returns text language sql immutable as $$ select $1 || '#' || $2 $$; create operator pod_c.### (function = pod_c.pod_o, leftarg = text, rightarg = int);
prepare sign as select t ### n from pod where id = 1; execute sign;
create function pod_a.pod_o(text, int) returns text language sql immutable as $$ select 'nearer ' || $2 $$; create operator pod_a.### (function = pod_a.pod_o, leftarg = text, rightarg = int); execute sign; drop operator pod_a.### (text, int); execute sign;
-- casts, types
create type pod_kind as (a int, b text); create function pod_to(int) returns pod_kind language sql immutable as $$ select row($1, 'made')::pod_kind $$;
select 5::pod_kind; create cast (int as pod_kind) with function pod_to(int); select 5::pod_kind; drop cast (int as pod_kind); select 5::pod_kind;
create type pod_mood as enum ('sad', 'ok'); create table pod_m (m pod_mood); insert into pod_m values ('ok'); select m, m > 'sad' from pod_m; select 'happy'::pod_mood; alter type pod_mood add value 'happy'; select 'happy'::pod_mood; select enum_range(null::pod_mood);
alter type pod_mood rename value 'ok' to 'fine'; select m from pod_m; select m from pod_m where m = 'ok'; select m from pod_m where m = 'fine';
create domain pod_dom as int check (value > 0); select (-1)::pod_dom; alter domain pod_dom drop constraint pod_dom_check; select (-1)::pod_dom; alter domain pod_dom add constraint small check (value < 9); select 10::pod_dom;
create domain pod_a.int4 as text; select pg_typeof('1'::int4); drop domain pod_a.int4;
-- rows as types
create table pod_row (a int); insert into pod_row values (1); create function pod_all() returns setof pod_row language sql as 'select * from pod_row'; select * from pod_all(); select r from pod_row r; select (pod_all()).*;
alter table pod_row add column b text default 'new'; select * from pod_all(); select r from pod_row r; alter table pod_row rename column b to c; select to_json(r) from pod_row r; alter table pod_row drop column c; select to_json(r) from pod_row r;
-- views over what changes
create view pod_v as select p.n, pod_f(1) as f from pod p; select * from pod_v where n = 11 order by 1; create or replace view pod_v as select p.n * 2 as n, 'else'::text as f from pod p; select * from pod_v order by 1; alter view pod_v rename column f to g; select * from pod_v order by 1; select f from pod_v;
-- inheritance, partitions, indexes
select count(*) from pod; create table pod_heir () inherits (pod); insert into pod_heir values (50, 50, 'h'); select count(*) from pod; execute counted; execute by_key(50); alter table pod_heir no inherit pod; select count(*) from pod; execute counted;
create table pod_p (k int, v text) partition by list (k); create table pod_p1 partition of pod_p for values in (1); insert into pod_p values (1, 'one'); prepare parted as select * from pod_p where k = $1; execute parted(2); insert into pod_p values (2, 'two'); create table pod_p2 partition of pod_p for values in (2); insert into pod_p values (2, 'two'); execute parted(2); alter table pod_p detach partition pod_p2; execute parted(2); insert into pod_p values (2, 'two'); select count(*) from pod_p;
create index pod_n on pod (n); execute counted; select id from pod where n = 20; drop index pod_n; select id from pod where n = 20; create index pod_low on pod (lower(t)) where n > 0; select id from pod where lower(t) = 'b' and n > 0 order by 1; drop index pod_low; select id from pod where lower(t) = 'b' and n > 0 order by 1;
-- names as values
select 'pod'::regclass::oid = 'pod_b.pod'::regclass::oid; create table pod_a.pod (id int); select 'pod'::regclass::oid = 'pod_b.pod'::regclass::oid; drop table pod_a.pod; select 'pod'::regclass::oid = 'pod_b.pod'::regclass::oid; select to_regclass('pod_none'); create table pod_none (id int); select to_regclass('pod_none'); drop table pod_none; select to_regclass('pod_none');
select relname from pg_class where relname = 'pod_new'; create table pod_new (id int); select relname from pg_class where relname = 'pod_new'; drop table pod_new; select relname from pg_class where relname = 'pod_new';
-- PL/pgSQL's own plans
create function pod_walk(k int) returns text language plpgsql as $$ declare r text; x int; begin select t, n into r, x from pod where id = k; return r || ' ' || x || ' ' || pod_f(1); end $$;
select pod_walk(1); create table pod_c.unrelated (id int); select pod_walk(1); create temp table pod (id int, n int, t text); insert into pod values (1, 7, 'temp'); discard plans; select pod_walk(1); drop table pod; select pod_walk(1);
create function pod_a.pod_f(int) returns text language sql as $$ select 'again' $$; discard plans; select pod_walk(1); drop function pod_a.pod_f(int); select pod_walk(1);
create function pod_typed(k int) returns text language plpgsql as $$ declare r pod; v pod.n%type; begin select * into r from pod where id = k; v := r.n; return r::text || ' ' || pg_typeof(v); end $$;
select pod_typed(1); alter table pod add column extra text default 'more'; select pod_typed(1); alter table pod drop column extra; select pod_typed(1); alter table pod alter column n type bigint; select pod_typed(1); alter table pod alter column n type int; select pod_typed(1);
begin; create temp table scratch (a int) on commit drop; insert into scratch values (1); select pod_walk(1); select count(*) from scratch; create temp table scratch2 (a int) on commit drop; select pod_walk(1); select count(*) from scratch; commit;
begin; create temp table scratch (b text, a int) on commit drop; insert into scratch values ('x', 2); select * from scratch; commit;
-- rights and policies
create role pod_user; grant usage on schema pod_a, pod_b, pod_c to pod_user; grant select on pod_b.pod to pod_user;
set role pod_user; select n from pod where id = 1; select count(*) from pod; reset role;
revoke select on pod_b.pod from pod_user; set role pod_user; select n from pod where id = 1; select count(*) from pod; reset role;
grant select (n, id) on pod_b.pod to pod_user; set role pod_user; select n from pod where id = 1; select t from pod where id = 1; reset role;
grant select on pod_b.pod to public; set role pod_user; select t from pod where id = 1; reset role; revoke select on pod_b.pod from public;
create role pod_group; grant select on pod_b.pod to pod_group; set role pod_user; select t from pod where id = 1; reset role; grant pod_group to pod_user; set role pod_user; select t from pod where id = 1; reset role; revoke pod_group from pod_user; set role pod_user; select t from pod where id = 1; reset role;
revoke usage on schema pod_b from pod_user; set role pod_user; select n from pod_b.pod where id = 1; reset role; grant usage on schema pod_b to pod_user;
grant select on pod_b.pod to pod_user; alter table pod enable row level security; set role pod_user; select count(*) from pod; select n from pod where id = 1; reset role; create policy some on pod using (id = 2); set role pod_user; select count(*) from pod; select n from pod where id = 1; reset role; alter policy some on pod using (id = 1); set role pod_user; select count(*) from pod; select n from pod where id = 1; reset role; alter table pod disable row level security; set role pod_user; select count(*) from pod; reset role;
alter role pod_user superuser; set role pod_user; delete from pod where id = 99; reset role; alter role pod_user nosuperuser; set role pod_user; delete from pod where id = 99; reset role;
revoke execute on function pod_f(bigint) from public; set role pod_user; select pod_f(1::bigint); reset role; grant execute on function pod_f(bigint) to pod_user; set role pod_user; select pod_f(1::bigint); reset role;
-- dropped and made again
drop view pod_v; drop table pod_heir; drop table pod cascade; execute by_key(1); execute counted; create table pod_b.pod (id int primary key, n int, t text); execute by_key(1); execute counted; insert into pod values (1, 5, 'anew'); execute by_key(1); execute counted; execute raised(1); truncate pod; execute counted; execute put(1, 6); begin; truncate pod; execute counted; execute put(1, 7); rollback; execute by_key(1);
deallocate all; reset search_path; drop schema pod_a, pod_b, pod_c cascade; drop role pod_user; drop role pod_group;
