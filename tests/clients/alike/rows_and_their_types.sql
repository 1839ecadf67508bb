-- Whole rows of tables are of the type of these, in results, new tables and views.
create table u (id int primary key, name text, d date, ar text[], hidden int);
insert into u values (1,'a b','2020-01-01','{x,y}',3),(2,null,null,null,null);
create unique index on u (lower(name));
select u from u order by 1 \gdesc
select u from u order by id;
select u as x, u.id from u where id = 1;
select x from (select * from u) x order by id \gdesc
select u from u u \gdesc
select x from u x(a, b) \gdesc
select a, b from u a left join u b on b.id = a.id + 1 order by a.id \gdesc
select a, b from u a left join u b on b.id = a.id + 1 order by a.id;
create table cp as select u, id from u;
\d cp
select (u).name, u from cp order by id;
create view vw as select u, id from u;
select * from vw order by id;
select (vw.u).name from vw order by id;
select distinct u from u order by u \gdesc
select distinct u from u order by u;
select u from u union all select u from u order by 1;
select u from u union all select u from u order by 1 \gdesc
select array_agg(u order by id) from u;
select row_to_json(u), to_jsonb(u) from u order by id;
update u set name = 'z' where id = 2 returning u;
delete from u where id = 2 returning u, id;
insert into u (id) values (7) returning u;
begin; declare c cursor for select u from u order by id; fetch all from c; commit;
prepare p as select u from u where id = $1;
execute p(1);
copy (select u from u order by id) to stdout;
with w as (select u from u) select w.u, (w.u).id from w order by 2;
select coalesce(u, null) from u order by id;
select case when true then u end from u order by id;
select u from u order by id limit 1;
alter table cp drop column u;
execute p(1);
select u from u order by id limit 1;
select pg_typeof(u), pg_typeof(x) from u, (select * from u) x limit 1;
