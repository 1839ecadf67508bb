-- Values that queries give, sought in arrays, taken out and replaced.
create type item as (id int, name text);
create table held (id int, its item[], n int[], tx text[]); insert into held values (1, array[(1,'a'),(2,'b'),(1,'a')]::item[], '{3,1,2}', '{a,b}');
select array_position(its, (select i from unnest(its) i where i.id = 2)) from held;
select array_positions(its, (select i from unnest(its) i limit 1)) from held;
select array_remove(its, (select i from unnest(its) i limit 1)) from held;
select array_replace(its, (select i from unnest(its) i limit 1), row(7,'z')::item) from held;
select array_position(n, (select max(x) from unnest(n) x)), array_remove(n, (select min(x) from unnest(n) x)), array_positions(n, (select 1)) from held;
select array_replace(n, (select 1), (select 9)), array_position(tx, (select 'b')) from held;
select its @> array[(select i from unnest(its) i limit 1)] from held;
select array_position(its, row(2,'b')::item), array_position(its, row(9,'b')::item) from held;
create table many (id int, n int[], w int); insert into many select g, array[g, g+1, null], g + 1 from generate_series(1, 5) g;
select id, array_position(n, (select w)), array_remove(n, (select max(x) from unnest(n) x)), array_replace(n, (select null::int), (select m.id * 10 from many m where m.id = many.id)) from many order by id;
select array_position((select array_agg(id order by id) from many), (select 3)), array_positions((select array_agg(1) from many), 1);
select id from many where array_position(n, (select 3)) = 2; update many set n = array_remove(n, (select min(w) from many)); select n from many order by id;
select array_position(array['a', 'b'], (select 'b')), array_position(n, (select 4), (select 2)) from many order by id;
