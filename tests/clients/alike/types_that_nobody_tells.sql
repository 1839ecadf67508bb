-- A polymorphic argument whose type nobody tells is an error; where it may be any type, it is text.
select to_json('a');
select array_fill(null, array[2]);
select cardinality('{}');
select array_length('{1}', 1);
select lag('') over ();
select first_value(null) over ();
select array_to_json('{}');
select json_agg('a');
select array_agg('a');
select unnest('{a}');
select lag('a', 1, 'b') over (), array_append('{1}', '2'), array_cat(null, null);
select json_build_object('a', 'b'), num_nulls(null), concat('a', null), pg_typeof('a'), max('a');
select to_json('a'::text), cardinality('{}'::int[]), array_length('{1}'::int[], 1);
