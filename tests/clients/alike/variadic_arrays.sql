-- VARIADIC: an array's elements as the arguments of a call.
select format('%s', variadic array[1,2]), format('%s-%s', variadic array['a', null]), format('x', variadic '{}'::text[]), format('x%%', variadic null::int[]);
select concat(variadic array['a','b', null]), concat(variadic null::text[]) is null, concat(variadic '{}'::int[]), concat(variadic array[true, false]), concat(variadic array[1.50, 2]);
select concat_ws(',', variadic array['a',null,'c']), concat_ws(null, variadic array['a']) is null, concat_ws('-', variadic '{{1,2},{3,4}}'::int[]);
select json_build_array(variadic array[1,2]), jsonb_build_array(variadic array['a', null]), json_build_array(variadic '{}'::date[]);
select json_build_object(variadic array['a','1']), jsonb_build_object(variadic array['b','1', 'a', null]), json_build_object(variadic '{}'::text[]), jsonb_build_object(variadic array[1, 2]);
select json_build_object(variadic array['a','1', 'c']);
select num_nulls(variadic array[1,null]), num_nonnulls(variadic array[1,null]), num_nulls(variadic null::text[]) is null;
select jsonb_extract_path('{"a":{"b":1}}', variadic array['a','b']), json_extract_path_text('{"a":{"b":[1, "x"]}}', variadic '{a,b,1}');
select format('%s', variadic 'abc');
select concat(variadic 1);
select abs(variadic array[1]);
create table v(id int, f text, a text[]);
insert into v values (1, '%s and %s', '{x,y}'), (2, '%2$s %1$I', '{"A b",q}'), (3, null, '{a}'), (4, 'none', null);
select id, format(f, variadic a), concat(variadic a), concat_ws('/', variadic a), json_build_array(variadic a) from v order by id;
select id, jsonb_extract_path('{"x": {"y": 5}}', variadic a) from v order by id;
select concat_ws(',', variadic array_agg(f order by id)) from v;
