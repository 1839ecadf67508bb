-- DEFAULT stands in an INSERT's own VALUES, and nowhere else.
values (1), (default);
create table t (a int default 3, b text);
insert into t values (default, 'x'), (4, default);
select * from (values (1), (default)) v;
with w as (values (default)) select * from w;
insert into t select * from (values (1, 'y'), (default, 'z')) v;
insert into t (a) values (default) returning *;
update t set a = default where a = 4 returning *;
select * from t order by 1, 2;
