-- Division by zero within what has errors of its own.
do $$ declare a int2 := -1; b int := 0; c int2[]; begin raise notice '%', array_replace(array_append((a || c), @ a), ((a | a) % cast(b as int2)), a); end $$;
create table divided (id int primary key, a int2, b int); insert into divided values (1, -1, 0), (2, 5, 2);
select id, array_replace(array[a], (a | a) % cast(b as int2), a) from divided order by id;
select id, array_replace(array[a], (a | a) % cast(b as int2), a) from divided where int4range(2, 3) @> id;
do $$ declare f float8 := 1.7e308; begin raise notice '%', to_timestamp(f); end $$;
