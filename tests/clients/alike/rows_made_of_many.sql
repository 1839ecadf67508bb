\set VERBOSITY verbose
-- what is told of an aggregate's type alone still makes one row of many
select pg_collation_for(max(x)) from (values ('fred'), ('jim')) v(x);
select pg_collation_for(min(x)) from (values ('a'), ('b'), ('cc')) v(x) group by length(x);
select pg_collation_for(first_value(x) over ()) from (values ('a'), ('b')) v(x);
-- multiranges of nothing
select range_agg(null::int4multirange), range_agg(null::int4range), range_intersect_agg(null::int4range) from generate_series(1, 2);
select x, range_agg(r) from (values (1, null::int4range), (2, '[1,3)'), (2, null), (3, 'empty')) v(x, r) group by x order by x;
-- DISTINCT ON chooses among the rows of sets where no ORDER BY chooses
select distinct on (a) a, b, generate_series(1, 3) g from (values (3, 2), (1, 1), (5, 3)) t(a, b);
select distinct on (a) a, b, generate_series(1, 3) g from (values (3, 2), (1, 1), (5, 3)) t(a, b) order by a, b;
select distinct on (a) a, b, generate_series(1, 3) g from (values (3, 2), (1, 1), (5, 3)) t(a, b) order by a, g desc;
select distinct on (a) a, random() < 2, generate_series(1, 3) g from (values (3), (1)) t(a) limit 1;
select * from (select distinct on (a) a, generate_series(1, 3) g from (values (3), (1)) t(a)) s order by 1;
-- composite values in FROM beside others
create type pair as (a int, b text, c numeric(6, 2), d int[]);
create type same_pair as (a int, b text, c numeric(6, 2), d int[]);
create type other_pair as (a bigint, b text, c numeric(6, 2), d int[]);
create type lone as (z int);
select * from rows from (unnest(array[row(1, 'x', 2, '{1,2}')::pair, null]), generate_series(1, 3));
select * from rows from (generate_series(1, 3), unnest(array[row(1, 'x', 2.5, '{1,2}')::pair, null])) with ordinality as q(p);
select * from unnest(array[row(1, 'x', 2.5, '{1,2}')::pair, null], array[1, 2, 3]) as q(p, q, r, s) where r > 1;
select count(z), sum(q.unnest) from unnest(array[row(1)::lone, row(2)::lone], array[5, 6, 7]) as q;
-- two composite types are compared by what is in them
select row(1, 'x', 2, '{1,2}')::pair = row(1, 'x', 2.00, '{1,2}')::same_pair, row(1, 'x', 2, '{1,2}')::pair < row(1, 'y', null, null)::same_pair;
select row(1, 'x', 2, null)::pair <> row(1, 'x', 2, null)::other_pair;
select row(1, 'x', 2, null)::pair < row(1)::lone;
create table pairs (p pair, s same_pair);
insert into pairs values (row(1, 'x', 2, '{1}'), row(1, 'x', 2, '{1}')), (row(2, 'x', 2, '{1}'), row(1, null, 2, '{1}')), (null, row(null, null, null, null));
select p = s, p < s, p >= s from pairs;
-- a row is no text by being called one
select text(row('Jim', 'Beam'));
select cast(row('Jim', 'Beam') as text), text(1.50), name('x'::text);
-- columns that nobody has named
create function three(in a int, out int, out x int, out int) returns setof record language sql as 'select a, a + 1, a + 2 union all select 1, 2, 3';
select * from three(4);
select three(4);
select column3 from three(5);
create function counted(out int, out int) returns setof record language plpgsql as $$ begin $1 := 1; $2 := 2; return next; end $$;
select * from counted();
create view of_three as select * from three(7);
select column1, x from of_three;
-- arrays of pairs, and others
select json_object('{{a},{b}}');
select json_object('{{a,b,c},{b,c,d}}');
select jsonb_object('{{{a,b},{c,d}},{{b,c},{d,e}}}');
select jsonb_object('{a,b}', '{{c},{d}}');
select json_object('{}'), json_object('{a,b,c,d}'), json_object(array['a', '1', 'b', null]), json_object(array[['a', '1'], ['b', '2']]), json_object(null::text[]);
create table texts (a text[]);
insert into texts values ('{{a,1},{b,2}}'), ('{c,4}'), (null);
select json_object(a), jsonb_object(a) from texts;
select json_object('{a,b}', a) from texts where cardinality(a) = 2;
select json_object(a, a) from texts;
-- what MERGE and OPEN do not take
create table goal (k int primary key, v text);
with recursive w as (select 1 a) merge into goal using (select 0 k, 'x' v) o on goal.k = o.k when not matched then insert values (o.k, o.v);
with w as (select 1 a) merge into goal using (select 0 k, 'x' v) o on goal.k = o.k when not matched then insert values (o.k, o.v);
create function constant_cursor() returns refcursor language plpgsql as $$ declare rc constant refcursor; begin open rc for select 1; return rc; end $$;
select constant_cursor();
create function named_cursor() returns refcursor language plpgsql as $$ declare rc constant refcursor := 'my_cursor'; begin open rc for select 1; return rc; end $$;
select named_cursor();
create function own_cursor() returns int language plpgsql as $$ declare c constant cursor for select 7; x int; begin open c; fetch c into x; return x; end $$;
select own_cursor();
