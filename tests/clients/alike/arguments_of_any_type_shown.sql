-- String literals among arguments declared "any" have no type in views, defaults and dumps; VARIADIC is shown.
create table t(id int, b int, n text);
create view a1 as select concat(id, '-', b) c from t;
create view a2 as select distinct concat(id, '-', b) c from t;
create view a3 as select concat(id, '-', b) c from t order by 1;
create view a4 as select concat(id, '-', b) c from t group by 1;
create view a5 as select distinct json_build_object('a', id)::text c from t;
create view a6 as select distinct format('a', id)::text c, 'x'||id from t;
create view a7 as select concat(id, '-', b) c from t union select 'a';
select c.relname, pg_get_viewdef(oid) from pg_class c where relname ~ '^a\d' order by 1;
create view b1 as select concat(id, '-'::text, b, E'a\\b', $$q'q$$) c, concat('a', 'b'::varchar, null::text, 'x'::char(3), b'1', 1) d, json_build_object('a', id, 'b'::text, n) e,jsonb_build_array('x','y'::text) f,  concat_ws(',', id, 'x') g, num_nulls('a', n) h, num_nonnulls('a', 'b'::text) i, jsonb_build_object(variadic array['a','b']) j, format('%s %s', id, 'y') k from t;
create view b3 as select json_object_agg('k', n) a, jsonb_object_agg('k'::text, 'v') b, count('x') c, json_agg('x'::text) d from t;
create view b4 as select row_number() over (order by concat('a',n)), count('x') over (), json_object_agg('k', 'x') over () from t;
select c.relname, pg_get_viewdef(oid) from pg_class c where relname ~ '^b\d' order by 1;
select c.relname, pg_get_viewdef(oid, true) from pg_class c where relname ~ '^b\d' order by 1;
\d g
create table g (a text, b int generated always as (num_nulls(a, 'x')) stored, c text default concat('a', 'b'), check (concat(a, 'z') <> 'z'));
\d g
select * from b1;
insert into t values (1, 2, 'q');
select * from b1;
select * from b3;
