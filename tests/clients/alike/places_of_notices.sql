-- Where a program is that raises a notice, and who has called it, is told with the notice.
\set SHOW_CONTEXT always
create function told(n int) returns int language plpgsql as $$
begin
  raise notice 'hello %', n;
  raise warning 'careful' using detail = 'a detail', hint = 'a hint', errcode = '01004';
  return n;
end $$;
select told(1);
do $$
begin
  perform told(2);
  raise info 'from here';
  raise debug 'nobody hears';
end $$;
create procedure told_by(n int) language plpgsql as $$ declare x int; begin x := told(n) + 1; select told(x) into x; end $$;
call told_by(3);
create table told_of (a int);
create function told_at() returns trigger language plpgsql as $$ begin raise notice '% % %', tg_op, new.a, told(new.a); return new; end $$;
create trigger told_trigger before insert or update on told_of for each row execute function told_at();
insert into told_of values (4);
update told_of set a = 5;
do $$ begin execute 'select told(6)'; raise exception 'x'; exception when others then raise notice 'handled: %', sqlerrm; end $$;
drop table told_of;
