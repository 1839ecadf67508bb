-- A name with a dot is known to a session from the first time it is set, and empty once what was set is gone.
\pset null (null)
prepare looked as select current_setting('my.first', true);
execute looked;
show my.first;
begin;
set local my.first = 'a';
execute looked;
commit;
execute looked;
show my.first;
begin;
set my.second = 'a';
rollback;
select current_setting('my.second', true), current_setting('my.second');
begin;
savepoint a;
set my.third = 'a';
rollback to a;
select current_setting('my.third', true);
set local my.third = 'b';
rollback to a;
show my.third;
commit;
show my.third;
do $$
declare before text := current_setting('my.fourth', true);
begin
  perform set_config('my.fourth', 'in', false);
  raise exception 'undone';
exception when others then
  raise notice '[%] [%]', before, current_setting('my.fourth', true);
end $$;
create function of_its_own() returns text language plpgsql set my.fifth = 'k' as $$ begin return current_setting('my.fifth'); end $$;
select of_its_own();
show my.fifth;

-- What is never set is unknown; what is reset, or set for nothing, is known.
show my.none;
select current_setting('my.none');
select current_setting('my.none', true);
reset my.sixth;
show my.sixth;
set local my.seventh to default;
show my.seventh;
set local my.eighth = 'x';
show my.eighth;
set my.ninth = '1';
reset all;
show my.ninth;
set my.ninth = '2';
discard all;
show my.ninth;
set "my.bad-name" = 1;
select current_setting('my.bad-name', true);

-- They are not listed.
set my.tenth = '1';
select name, setting from pg_settings where name like 'my.%';
