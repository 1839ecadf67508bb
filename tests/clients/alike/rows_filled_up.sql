-- Whole rows filled up from JSON, and columns of ROWS FROM.
select * from rows from (generate_series(1,2), abs(3)) as x;
select * from rows from (generate_series(1,2), unnest(array['a','b','c'])) with ordinality;
select * from rows from (generate_series(1,2), unnest(array['a'])) x(a, b);
select x.generate_series, x.abs from rows from (generate_series(1,2), abs(3)) as x;
select generate_series.* from rows from (generate_series(1,2), abs(3));
select abs from rows from (abs(3)) as x;
select * from unnest(array[1], array[2,3]);
create table jp (a int, b text); insert into jp values (1, 'x'), (2, 'y');
select json_populate_record(jp, null), json_populate_record(null::jp, '{"a": 1}'), json_populate_record(null::jp, null) from jp where a = 1;
select json_populate_recordset(jp, null) from jp where a = 1;
select * from json_populate_record(row(1,'d')::jp, null);
select jsonb_populate_record(jp, '{"a": 9}') from jp order by a;
select (jsonb_populate_record(jp, '{"a": 9}')).b from jp order by a;
select r.* from jp, jsonb_populate_record(jp, '{"b": "k"}') r order by a;
select json_populate_record(jp, null), json_populate_record(null::jp, '{"a": 1}') from jp where a = 1;
select json_populate_recordset(jp, '[{"a":3},{}]') from jp where a = 1;
update jp set (a, b) = (select r.a, r.b from jsonb_populate_record(jp, '{"b": "new"}') r) where a = 2 returning *;
-- ARRAY(query) in its order, whatever that is by.
create table qs (k int, c text); insert into qs values (1,'a'),(1,'b'),(2,'c'),(3,'d');
select array(select t2.c from qs t2 where t2.k <= t.k order by rank() over (order by t2.c) desc) from qs t order by c;
select array(select distinct t2.c from qs t2 where t2.k <= t.k order by t2.c desc) from qs t order by c;
select array(select t2.c from qs t2 where t2.k <= t.k order by t2.c desc limit t.k) from qs t order by c;
select array(select t2.c from qs t2 where t2.k <= t.k order by t2.k desc fetch first 1 row with ties) from qs t order by c;
select array(select row_number() over (order by t2.c desc) from qs t2 where t2.k <= t.k order by 1) from qs t order by c;
select jp from jp union all select null order by 1;
select null union all select jp from jp order by 1;
