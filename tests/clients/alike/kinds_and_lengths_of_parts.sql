-- What jsonb_typeof and jsonb_array_length say of a part by constant keys and places, and of parts that are not there.
create table d (id int primary key, j jsonb, k text, n int);
insert into d values (1,'{"a":[1,2,{"b":"x"}],"s":"t","n":1.50,"big":12345678901234567890123,"t":true,"z":null,"o":{},"":{"q":[]}}','a',0),(2,'[1,"x",null,[2]]','s',3),(3,'"str"','x',-1),(4,'5','n',0),(5,null,null,null),(6,'null','a',1),(7,'{"a":"[1,2]"}','a',0);
select id, jsonb_typeof(j), jsonb_typeof(j->'a'), jsonb_typeof(j->'s'), jsonb_typeof(j->'n'), jsonb_typeof(j->'big'), jsonb_typeof(j->'t'), jsonb_typeof(j->'z'), jsonb_typeof(j->'o'), jsonb_typeof(j->''), jsonb_typeof(j->0), jsonb_typeof(j->3), jsonb_typeof(j->'a'->2), jsonb_typeof(j->'a'->2->'b'), jsonb_typeof(j->k), jsonb_typeof(j->n) from d order by id;
select id, jsonb_array_length(j->'a') from d where id in (1,5) order by id;
select id, jsonb_array_length(j->'a') from d where id = 7;
select id, jsonb_array_length(j) from d where id = 2;
select id, jsonb_array_length(j) from d where id = 3;
select id, jsonb_array_length(j) from d where id = 1;
select id, jsonb_array_length(j->'nosuch'), jsonb_array_length(j->'a'->9) from d where jsonb_typeof(j)='object' order by id;
select sum(jsonb_array_length(j->'a')) from d where jsonb_typeof(j->'a') = 'array';
select id from d where jsonb_array_length(j->'a') > 2;
prepare p(text, int) as select id, jsonb_typeof(j->$1), jsonb_typeof(j->$2) from d order by id;
execute p('a', 0);
execute p('s', -1);
execute p(null, null);
execute p('a"b', 5);
select json_typeof('[1]'::json), json_array_length('[1, 2]'::json), jsonb_array_length('[1,[2]]'), jsonb_typeof('1e5');
select jsonb_array_length(jsonb_build_array(1,2,id)) from d order by id limit 2;
