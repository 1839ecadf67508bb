-- Rows of tables and variables of composite types next to arrays of their type: appended, sought, taken out.
create type item as (id int, name text);
create table ti (id int, name text);
insert into ti values (1,'x'),(2,'y');
do $$ declare a item[]; it item; begin it.id := 1; a := a || it; it.name := 'z'; a := a || it; a := it || a; a := array_append(a, it); a := array_prepend(it, a); a := a || row(5,'q')::item; raise notice '%', a; a[2] := it; a := array_cat(a, array[it]); a := array_remove(a, it); raise notice '% %', a, array_position(a, it); if it = any(a) then raise notice 'in'; end if; a := array[it, it]; raise notice '%', a; raise notice '%', it = a[1]; a := array_replace(a, it, row(9,'n')::item); raise notice '%', a; end $$;
do $$ declare a ti[]; it ti; r record; begin for it in select * from ti order by id loop a := a || it; end loop; raise notice '%', a; select array_agg(t order by id) into a from ti t; raise notice '%', a[2].name; a := a || (select t from ti t where id = 1); raise notice '%', a; end $$;
do $$ declare r record; a ti[]; begin for r in select * from ti order by id loop a := a || r; end loop; end $$;
do $$ declare r record; a ti[]; begin for r in select t from ti t order by id loop a := a || r.t; end loop; raise notice '%', a; end $$;
select array_agg(t) || (select t from ti t where id = 1) from ti t; select array[t] || t from ti t order by id; select t || array[t] from ti t order by id; select array_append(array[t], t) from ti t order by id; select t = any(array[t]) from ti t; select array[t] || array[t] from ti t where id=1;
select (select array_agg(t order by id) from ti t) || row(3,'c')::ti; select array[row(1,'a')::item] || row(2,'b'); select array[row(1,2)] || row(3,4);
create table held (id int, its item[]); insert into held values (1, '{}'), (2, null);
do $$ declare it item; h held; n int := 0; begin it := (7,'seven'); update held set its = its || it where id = 1; update held set its = array_append(its, it) where id = 2; for h in select * from held order by id loop h.its := h.its || it; n := n + array_length(h.its, 1); raise notice '%', h; end loop; raise notice '%', n; insert into held values (3, array[]::item[] || it), (4, array[it]); perform 1 from held where it = any(its); raise notice '%', found; end $$;
select * from held order by id;
create function grown(a item[], x item) returns item[] language plpgsql as $$ declare y item := x; begin y.id := y.id + 1; return a || x || y; end $$;
select grown('{}', (1,'a')), grown(null, row(2,'b')::item), (grown(array[(0,'z')::item], (5,'e')))[3].id;
create function grown2(x ti) returns ti[] language sql as $$ select array[x] || x $$; select grown2(t) from ti t order by id;
select its || (select i from unnest(its) i limit 1) from held where id = 3;
select t || (select array_agg(x order by id) from ti x) from ti t order by id;
