-- Queries in UPDATE, DELETE and MERGE that lock what they find, and name the row that is written.
create table t (id int primary key, v int);
insert into t select g, g from generate_series(1, 5) g;
create table t2 (id int, v int);
insert into t2 select g, g from generate_series(1, 5) g;
update t set v = v + 1 where id in (select id from t2 where t2.v = t.v for update);
select * from t order by id;
update t set v = v + 1 where exists (select 1 from t2 where t2.v = t.v for update);
select * from t order by id;
update t set v = (select t2.v * 10 from t2 where t2.id = t.id for update) where id > 2;
select * from t order by id;
update t set (v, id) = (select t2.v * 100, t2.id from t2 where t2.id = t.id limit 1 for share) where id = 2 returning *;
delete from t where exists (select 1 from t2 where t2.v = t.id and t2.v > 4 for update) returning *;
merge into t using t2 on t.id = t2.id
  when matched and (select true from t2 x where x.id = t.id and x.v < 3 for update) then update set v = 9
  when not matched and (select x.v = 5 from t2 x where x.id = t2.id for update) then insert values (t2.id, (select max from (select x.v + 50 as max from t2 x where x.id = t2.id for update) y));
select * from t order by id;
update t set v = o.v + 7 from t2 o where o.id = t.id and o.v = (select x.v from t2 x where x.id = t.id and x.v >= o.v for no key update) returning t.*;
delete from t using t2 o where o.id = t.id and exists (select from t2 x where x.id = o.id and x.v > 3 for key share) returning t.*, o.*;
with w as (update t set v = 0 where id = (select x.id from t2 x where x.id = t.id for update) returning *) select * from w order by id;
update t set v = 1 where id in (select id from t2 where t2.v = t.id for update skip locked);
create table parent (id int primary key, v int) partition by range (id);
create table p1 partition of parent for values from (0) to (3);
create table p2 partition of parent for values from (3) to (9);
insert into parent select g, g from generate_series(1, 5) g;
with w as (update parent set v = 10 where exists (select from t2 where t2.id = parent.id and t2.v > 2 for update) returning *) select * from w order by id;
delete from parent where v = (select 10 from t2 where t2.id = parent.id for update) returning *;
select * from t2 where exists (select from t where t.id = t2.id for update) order by id;
