-- What a record variable's fields are, where one of them is a record itself.
create function one(i int, out a int, out b text) language sql as 'select i, ''x''::text';
do $$ declare r record; begin for r in select one(g) as o, g from generate_series(1,2) g loop raise notice '% %', r, r.o; end loop; end $$;
do $$ declare r record; begin for r in select row(g, 'x') as o, g from generate_series(1,2) g loop raise notice '%', r; end loop; end $$;
do $$ declare r record; s record; begin r := row(1, row(2, 'a')); raise notice '%', r; select row(1,2) as x, 3 as y into s; raise notice '%', s; raise notice '% %', s.x, s.y; end $$;
create function shown(i int) returns text language plpgsql as $$
declare r record;
begin
  if i = 1 then select row(1, 'a') as o, 2 as n into r; else select row(1.5, date '2020-01-01', null) as o, 'z'::text as n into r; end if;
  return r::text || '/' || r.o::text;
end $$;
select shown(1), shown(2), shown(1), shown(2);
