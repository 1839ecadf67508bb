-- pg_temp where the search path says it: last is the safe place for it
create table whereami (f1 text);
insert into whereami values ('permanent');
create temp table whereami (f1 text);
insert into whereami values ('temporary');
select f1 from whereami;
set search_path = pg_temp, public;
select f1 from whereami;
set search_path = public, pg_temp;
select f1 from whereami;
select current_schema(), current_schemas(false)::text ~ 'pg_temp_', 'whereami'::regclass = 'public.whereami'::regclass;
prepare p as select f1 from whereami;
execute p;
update whereami set f1 = f1 || ', updated';
set search_path = pg_temp, public;
execute p;
select f1 from public.whereami;
drop table public.whereami;
set search_path = public, pg_temp;
execute p;
create table made_here (a int);
select relpersistence from pg_class where relname = 'made_here';
reset search_path;
deallocate p;

-- FOR UPDATE asks for UPDATE on a view, and in the name of its owner on what is under it
create role path_owner;
create role path_reader;
create table under_it (a int primary key, b text);
insert into under_it values (1, 'x');
grant select on under_it to path_owner;
grant create on schema public to path_owner;
set session authorization path_owner;
create view over_it as select a, b from under_it;
create view over_two as select o.a from over_it o join under_it u using (a);
select * from over_it;
select * from over_it for update;
select * from (select * from under_it) s for share;
grant select, update on over_it to path_reader;
grant select on over_two to path_reader;
reset session authorization;
set session authorization path_reader;
select * from over_it for update;
reset session authorization;
grant update (b) on under_it to path_owner;
set session authorization path_reader;
select * from over_it for no key update;
select * from over_two;
select * from over_two for update;
select * from over_it o, over_two t for update of o;
reset session authorization;
revoke update on over_it from path_reader;
set session authorization path_reader;
select * from over_it for share;
select * from over_it;
reset session authorization;
create materialized view filled as select a from under_it;
create view over_filled as select a from filled;
select * from filled for update;
select * from over_filled for share;
select * from under_it, filled for update of under_it;
drop view over_filled, over_two, over_it;
drop materialized view filled;
drop table under_it;
revoke all on schema public from path_owner;
drop role path_owner, path_reader;

-- MERGE counts what was written
create table goal (id int, n int);
create table news (id int, n int);
insert into goal values (1, 10), (2, 20), (3, 30);
insert into news values (1, 1), (2, 2), (3, 3), (4, 4);
create function leave_alone() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then return null; end if;
  if new.n > 100 then return null; end if;
  return new;
end $$;
create trigger first before insert or update or delete on goal for each row execute function leave_alone();
merge into goal g using news w on g.id = w.id
  when matched and w.id = 1 then delete
  when matched and w.id = 2 then update set n = 200
  when matched then update set n = g.n + w.n
  when not matched then insert values (w.id, w.n);
do $$
declare c bigint;
begin
  merge into goal g using news w on g.id = w.id when matched then delete;
  get diagnostics c = row_count;
  raise notice '% %', c, found;
  merge into goal g using news w on g.id = w.id when matched and w.id > 2 then update set n = 0;
  get diagnostics c = row_count;
  raise notice '% %', c, found;
end $$;
select * from goal order by id;
