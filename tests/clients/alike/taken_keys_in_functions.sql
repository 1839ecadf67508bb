-- A key that is taken, as told to who meets it: within a function that acts as its owner that is the owner, whoever called it.
\set VERBOSITY verbose
create role taken_owner; create role taken_caller;
grant create on schema public to taken_owner;
set role taken_owner;
create table taken_notes (id int primary key, tenant int);
insert into taken_notes values (1, 1);
alter table taken_notes enable row level security;
create policy p on taken_notes to taken_caller using (tenant = 2) with check (true);
grant select, insert on taken_notes to taken_caller;
create table taken_alone (id int primary key); insert into taken_alone values (1);
create function taken_by_owner(i int) returns int language plpgsql security definer as $$ begin insert into taken_notes values (i, 1); return i; end $$;
create function taken_alone_by_owner(i int) returns void language sql security definer as $$ insert into taken_alone values (i) $$;
create function taken_by_caller(i int) returns int language plpgsql as $$ begin insert into taken_notes values (i, 1); return i; end $$;
create function taken_with_setting(i int) returns int language plpgsql set work_mem = '8MB' as $$ begin insert into taken_notes values (i, 1); return i; end $$;
create function taken_caught(i int) returns text language plpgsql as $$ declare d text; begin perform taken_by_owner(i); return 'none'; exception when unique_violation then get stacked diagnostics d = pg_exception_detail; return d; end $$;
create function taken_caught_here(i int) returns text language plpgsql as $$ declare d text; begin insert into taken_notes values (i, 1); return 'none'; exception when unique_violation then get stacked diagnostics d = pg_exception_detail; return d; end $$;
set role taken_caller;
select taken_by_owner(1);
select taken_by_owner(1);
select taken_alone_by_owner(1);
select taken_by_caller(1);
select taken_with_setting(1);
select taken_caught(1), taken_caught_here(1);
insert into taken_notes values (1, 2);
reset role;
-- and the other way about: the owner of the function may read less than who calls it
set role taken_caller;
create function pg_temp.nothing() returns int language sql as 'select 1';
reset role;
grant create on schema public to taken_caller;
set role taken_caller;
create function taken_seen_less(i int) returns int language plpgsql security definer as $$ begin insert into taken_notes values (i, 1); return i; end $$;
reset role;
select taken_seen_less(1);
select taken_by_caller(1);
-- of large objects
select lo_create(990003001);
select lo_create(990003001);
set role taken_caller;
select lo_create(990003001);
reset role;
select lo_unlink(990003001);
drop owned by taken_caller; drop owned by taken_owner; drop role taken_caller; drop role taken_owner;
