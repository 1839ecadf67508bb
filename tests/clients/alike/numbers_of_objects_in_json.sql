-- Numbers of objects are texts in JSON, and the catalog's vectors are arrays there, as to_json and its kin make them.
create table t (id int primary key, o oid); insert into t values (1, 5), (2, null);
select to_json(1::oid), to_jsonb(1::oid), to_json(array[1, 2]::oid[]), json_build_object('o', 5::oid), jsonb_build_array(7::oid, null::oid), row_to_json(r) from (select 1::oid as o, 2 as i) r;
select to_json('1 2'::int2vector), to_jsonb('1 2'::int2vector), to_json('1 2'::oidvector), to_jsonb('1 2'::oidvector);
select json_agg(v) from (select indkey as v from pg_index where indrelid = 't'::regclass) x;
select to_json(indkey), row_to_json(x) from (select indkey, indnatts from pg_index where indexrelid = (select indexrelid from pg_index where indrelid = 't'::regclass)) x;
select to_json(array['pg_class'::regclass]), to_json('pg_class'::regclass), to_jsonb('int4'::regtype);
select to_json(''::int2vector), to_json(null::oidvector);
select to_json(t), to_jsonb(t) from t where id = 1;
select to_jsonb(t) from t order by id;
create function kept() returns trigger language plpgsql as $$ begin raise notice '% %', to_jsonb(new), row_to_json(new); return new; end $$;
create trigger tr before update on t for each row execute function kept();
update t set o = 4000000000 where id = 1;
select json_object_agg(id, o order by id), json_agg(o order by id) from t;
