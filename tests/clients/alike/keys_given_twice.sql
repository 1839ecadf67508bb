-- A key that an object of json has twice is listed with each of its values.
create table keys_given_twice (id int primary key, j json);
insert into keys_given_twice values (1, '{"a":1,"a":2,"b":3}');
select * from json_each('{"a":1,"a":2,"b":3}');
select id, e.key, e.value from keys_given_twice, json_each(keys_given_twice.j) e order by id, 2, 3::text;
select id, (json_each(j)).key, (json_each(j)).value::text from keys_given_twice order by 1,2,3;
select json_object_keys(j) from keys_given_twice;
select e.value->>'x', e.key from keys_given_twice, json_each('{"a":{"x":1},"a":{"x":2}}'::json) e order by 1;
select j->'a' from keys_given_twice;
select j::jsonb from keys_given_twice;
insert into keys_given_twice values (2, '{}'), (3, null), (4, '{"k": null, "l": "a\"\u00e9", "m": {"x": [1, 2]}, "": 1.50}');
select id, e.* from keys_given_twice left join lateral json_each(j) e on true order by id, 2, 3::text;
select id, e.* from keys_given_twice, json_each_text(j) e order by id, 2, 3;
select id, e.* from keys_given_twice left join lateral json_each_text(j) e on true where id = 4 order by id, 2, 3;
insert into keys_given_twice values (5, '[1]');
select * from keys_given_twice, json_each(j);
select * from keys_given_twice, json_each_text(j) where id = 5;
