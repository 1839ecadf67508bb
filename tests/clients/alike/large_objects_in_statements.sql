-- Each way of writing rows calls the functions of large objects once for each row.
create table img (id int primary key, r oid default lo_create(0));
insert into img (id) values (1), (2);
select count(*) from img join pg_largeobject_metadata m on m.oid = r;
prepare p(int, bytea) as insert into img values ($1, lo_from_bytea(0, $2));
execute p(3, 'three');
execute p(4, 'four');
execute p(4, 'four');
execute p(5, null);
select count(*) from pg_largeobject_metadata;
copy img (id) from stdin;
10
11
\.
select count(*) from pg_largeobject_metadata;
create function gone() returns trigger language plpgsql as $$ begin perform lo_unlink(old.r); return old; end $$;
create trigger gone before delete on img for each row execute function gone();
delete from img where id = 3;
delete from img where id > 9;
select count(*) from pg_largeobject_metadata;
create function f(oid) returns bytea language sql as 'select lo_get($1)';
select f(r) from img where id = 4;
create function g(o oid) returns int language sql as 'select lo_put(o, 0, ''g''); select 1';
select g(r) from img where id = 4;
select lo_get(r) from img where id = 4;
create view seen as select id, lo_get(r) as data from img;
select * from seen where id = 4;
select pg_get_viewdef('seen');
update img set r = lo_from_bytea(0, 'new') where id = 4;
insert into img select 100 + g, lo_from_bytea(0, convert_to(g::text, 'UTF8')) from generate_series(1, 5) g;
select id, lo_get(r) from img where id > 100 order by id;
with x as (insert into img values (200, lo_from_bytea(0, 'cte')) returning *) select id from x;
select max(length(lo_get(r))) from img where id >= 100 group by id having max(length(lo_get(r))) > 2;
merge into img t using (values (200, 'merged'::bytea), (201, 'm')) v(id, d) on t.id = v.id when matched then update set r = lo_from_bytea(0, v.d) when not matched then insert values (v.id, lo_from_bytea(0, v.d));
select id, lo_get(r) from img where id >= 200 order by id;
insert into img values (200, 0) on conflict (id) do update set r = lo_from_bytea(0, 'upserted');
select id, lo_get(r) from img where id >= 200 order by id;
select count(*) from pg_largeobject_metadata;
drop table img cascade;
select count(lo_unlink(oid)) from pg_largeobject_metadata;
select count(*) from pg_largeobject;
