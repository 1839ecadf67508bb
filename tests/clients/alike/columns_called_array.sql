-- Columns whose names other dialects make arrays with.
create table t (list int[], "array" int[], map int[], struct int[], "unnest" int[]); insert into t values ('{7,8}','{7,8}','{7,8}','{7,8}','{7,8}');
select list[1] from t;
select "list"[1] from t;
select t.list[1] from t;
select map[1] from t;
select struct[1] from t;
select "array"[1] from t;
select "unnest"[1] from t;
select "array"[1:1], list[1:2] from t;
update t set list[1] = 3, "array"[2] = 4; select list, "array" from t;
select array[1,2], array[[1],[2]], array[1,2]::int[], x.list[2] from t x where x."array"[2] = 4 order by list[1];
select sum(list[1]) from t group by "array"[1];
create view v as select list[1] as a, "array"[1] as b from t; select * from v;
select nope.list[1] from t; select "array"[1]::text from t; select t."array"[1] + 1 from t; select (t."array")[1:2] from t;
insert into t (list[1]) values (1) returning list[1];
