with recursive t(a) as (select 1 union all select a+1 from t where a<4) search depth first by a set o select * from t;
create table tree (id int, up int, name text); insert into tree values (1,null,'r'),(2,1,'a'),(3,1,'b'),(4,2,'c'),(5,3,'d');
with recursive s as (select id, up, name from tree where up is null union all select t.id, t.up, t.name from tree t join s on t.up = s.id) search depth first by id set o select id, name, o from s order by o;
with recursive s as (select id, up, name from tree where up is null union all select t.id, t.up, t.name from tree t join s q on t.up = q.id) search breadth first by name set o select *, o from s order by o;
insert into tree values (1, 5, 'loop');
with recursive s(id, up) as (select id, up from tree where id = 1 and up is null union all select t.id, t.up from tree t, s where t.up = s.id) cycle id set is_cycle using path select * from s order by path, up;
with recursive s(id, up) as (select id, up from tree where id = 1 and up is null union all select t.id, t.up from tree t, s where t.up = s.id) search depth first by id set o cycle id set is_cycle to 'Y' default 'N' using path select * from s order by path, up;
with recursive t(a,b) as (select 1,2 union all select a+1,b from t where a<4) search depth first by a, b set o select * from t;
