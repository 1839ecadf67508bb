-- In PL/pgSQL what is within a variable is assigned as well: fields of fields, fields of elements, and elements of these.
\set SHOW_CONTEXT always
create type spot as (x int8, y int8);
create type map as (home spot, away spot, stops spot[]);
do $$ declare m map; begin m.home := row(1,2); m.away.y := 3; m.home.x := (m.home).x + 10; raise notice '%', m; end $$;
do $$ <<o>> declare m map; begin o.m.away.y := 3; o.m.stops[2].x := 7; raise notice '%', m; end $$;
do $$ declare a spot[]; begin a[1].y := 5; a[2] := (1,2); a[2].x := 9; raise notice '% %', a, a[1].y; end $$;
do $$ declare r record; begin select row(1,2)::spot as p, 5 as n into r; r.p.x := 7; raise notice '%', r; end $$;
do $$ declare a jsonb := '{"k":{}}'; begin a['k']['z'] := '1'; raise notice '%', a; end $$;
do $$ declare a int[] := '{1,2}'; i int; begin for i in 1..3 loop a[i] := i * 1.5; end loop; a[a[1]] := 9; raise notice '%', a; end $$;
-- What a value is does not matter where its text can be read.
do $$ declare a int[]; m map; begin a[1] := 23::text; a[2] := 4.6; m.away.x := '12'::text; raise notice '% %', a, m; end $$;
do $$ declare a int[]; begin a[1:2] := 4; end $$;
-- Rows of triggers and parameters, too.
create table trips (id int, m map);
create function noted() returns trigger language plpgsql as $$ begin new.m.home.x := new.id; new.m.stops[1].y := new.id * 2; return new; end $$;
create trigger noted before insert on trips for each row execute function noted();
insert into trips values (1, null), (2, row(row(5,6),null,null)::map);
table trips;
create function moved(m map) returns map language plpgsql as $$ begin $1.away.y := 3; m.stops[1] := m.away; return m; end $$;
select moved(row(row(1,2),null,null)::map), moved(null);
-- What is not there.
do $$ declare a spot[]; begin a[1:2].y := 5; end $$;
do $$ declare m map; begin m.z := 1; end $$;
do $$ declare m map; begin m.z.x := 1; end $$;
do $$ declare m map; begin m.home.z := 1; end $$;
do $$ <<o>> declare m map; begin o.m.home.z := 1; end $$;
do $$ <<o>> declare m map; begin o.n.home.z := 1; end $$;
do $$ declare m map; begin m.home.x.z := 1; end $$;
do $$ declare r record; begin r.x := 1; end $$;
do $$ declare a real; begin a[1] := 2; end $$;
do $$ declare p spot; begin p.x[1] := 2; end $$;
do $$ declare m map; begin m.away.x := 'abc'; end $$;
do $$ declare a int[]; begin a := v from (values (array[1]), (array[2])) x(v); end $$;
do $$ declare c constant map := null; begin c.home.x := 1; end $$;
-- The type of a row that is returned.
create function two() returns spot language plpgsql as $$ declare r record; begin r := row(1::int8, 2::int8, 3); return r; end $$;
select two();
create function said() returns record language plpgsql as $$ declare r record; begin r := row(1, 2); return r; end $$;
select * from said() as t(a int, b int8);
select * from said() as t(a int, b int);
-- In UPDATE a field within another is named by the outer one.
update trips set m.home.x.z = 1;
update trips set m.home.q = 1;
update trips set m.stops[1].q = 1;
update trips set m.home.y = 11 where id = 2 returning m;
