-- A variable of a row type is NULL until something is assigned to it, and a row of nulls is no NULL.
create type pair as (x int, y text);
create table rt (a int, b text);
create table tp (p pair);
insert into tp values ('(1,a)'), (null);
do $$
declare v pair; w rt; z rt%rowtype;
begin
  raise notice '% % %', v::text, w::text, z::text;
  raise notice '% % %', v, w, z;
  raise notice '% % %', v is null, v is not null, v is not distinct from null;
  raise notice '% % % %', to_jsonb(v), num_nulls(v), row_to_json(w), concat('a', v, 'b');
  v.x := null;
  raise notice '% % %', v::text, v, v is not distinct from null;
  v := null;
  raise notice '% % %', v::text, v, v is not distinct from null;
  v := row(null, null);
  raise notice '% % %', v::text, v, v is not distinct from null;
  v := (select p from tp where (p).x = 99);
  raise notice '% %', v, v is not distinct from null;
  v := (select p from tp where (p).x = 1);
  raise notice '% %', v, v is not distinct from null;
  v := case when v.x = 1 then null else row(1, 'a')::pair end;
  raise notice '% %', v, v.x;
  -- Where there is no row INTO gives a row of nulls.
  select a, b into w from rt where false;
  raise notice '% %', w::text, w is not distinct from null;
  select * into w from rt limit 0;
  raise notice '% %', w, w is not distinct from null;
end $$;

-- One text, asked of NULL and of rows in turn.
create function in_turn() returns setof text language plpgsql as $$
declare v pair;
begin
  for i in 1..4 loop
    if i % 2 = 0 then v := row(i, 'z'); else v := null; end if;
    return next i || ' ' || coalesce(v::text, 'none') || coalesce(v.x, -1);
  end loop;
end $$;
select * from in_turn();
select * from in_turn();
create function given(v pair default null) returns text language plpgsql as $$ begin return coalesce(v::text, 'none'); end $$;
select given(), given('(,)'), given(null), given('(1,)');
select given(p) from tp;
create function kept() returns void language plpgsql as $$
declare v pair;
begin
  insert into tp values (v);
  v.x := null;
  insert into tp values (v);
  insert into tp select v;
end $$;
select kept();
select p, p is not distinct from null from tp;

-- Beside values of their own type variables are of it.
do $$
declare v pair; w pair := row(2, 'w'); a pair[] := array[row(1, 'a')::pair, null];
begin
  raise notice '% % %', coalesce(v, row(1, 'd')::pair), coalesce(v, w), coalesce(w, row(1, 'd')::pair);
  raise notice '% %', coalesce(v, '(3,e)'), coalesce(w, null);
  raise notice '%', case when true then w else (select p from tp limit 1) end;
  raise notice '% % %', array[w, v], array[v], array[w, row(7, 'k')::pair];
  raise notice '%', (select string_agg((coalesce(p, w)).y, ',') from tp);
  raise notice '% %', nullif(w, row(2, 'w')::pair), greatest(w, row(3, 'a')::pair);
  foreach v in array a loop
    raise notice '% %', v, v is not distinct from null;
  end loop;
end $$;
create function told() returns trigger language plpgsql as $$
declare o tp; n tp := new;
begin
  raise notice '% % % %', tg_op, old, new, o;
  o := old;
  raise notice '% % %', o, n, o is distinct from n;
  return new;
end $$;
create trigger told before insert or update on tp for each row execute function told();
insert into tp values ('(5,t)'), (null);
update tp set p = '(6,u)' where (p).x = 5;

-- NOT NULL is heeded.
do $$ declare v pair not null := null; begin end $$;
do $$ declare v pair not null := row(1, 'a'); begin v := null; end $$;
do $$ declare v pair not null := row(1, 'a'); w pair; begin v := w; end $$;
do $$ declare v pair not null := row(1, 'a'); begin select null, null into v; raise notice '%', v; end $$;
