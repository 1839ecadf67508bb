-- Slices without a beginning: what follows the colon is any expression, a name too (Pony writes CASE there).
create table sl(a int[], b int);
insert into sl values ('{1,2,3,4}', 2);
select a[:b], a[:case when b > 1 then 3 else 1 end], a[b:case when true then 3 end], a[:coalesce(b, 1)], a[:array_length(a, 1) - 1], a[b:], a[:] from sl;
update sl set a[:b] = '{7,8}';
update sl set a[:cast(1 as int)] = '{9}';
select *, a[:(select max(b) from sl)] from sl;
prepare s(int) as select a[:$1], a[$1:] from sl;
execute s(1);
select a[:nothing] from sl;
select :b from sl;
drop table sl;
