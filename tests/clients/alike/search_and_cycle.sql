with recursive t(a) as (select 1 union all select a+1 from t where a<4) search depth first by a set o select * from t;
create table tree (id int, up int, name text); insert into tree values (1,null,'r'),(2,1,'a'),(3,1,'b'),(4,2,'c'),(5,3,'d');
with recursive s as (select id, up, name from tree where up is null union all select t.id, t.up, t.name from tree t join s on t.up = s.id) search depth first by id set o select id, name, o from s order by o;
with recursive s as (select id, up, name from tree where up is null union all select t.id, t.up, t.name from tree t join s q on t.up = q.id) search breadth first by name set o select *, o from s order by o;
insert into tree values (1, 5, 'loop');
with recursive s(id, up) as (select id, up from tree where id = 1 and up is null union all select t.id, t.up from tree t, s where t.up = s.id) cycle id set is_cycle using path select * from s order by path, up;
with recursive s(id, up) as (select id, up from tree where id = 1 and up is null union all select t.id, t.up from tree t, s where t.up = s.id) search depth first by id set o cycle id set is_cycle to 'Y' default 'N' using path select * from s order by path, up;
with recursive t(a,b) as (select 1,2 union all select a+1,b from t where a<4) search depth first by a, b set o select * from t;
-- where errors of the clauses point, and tables and columns called cycle
create table gg(f int, t int, label text); insert into gg values (1,2,'a'),(2,3,'b'),(3,1,'c');
with recursive s(f, t, label) as (select * from gg union all select g.* from gg g, s where g.f = s.t) search depth first by foo, tar set seq select * from s;
with recursive s(f, t, label) as (select * from gg union all select g.* from gg g, s where g.f = s.t) search depth first by foo set seq select * from s;
with recursive s(f, t, label) as (select * from gg union all select g.* from gg g, s where g.f = s.t) search depth first by f, t set label select * from s;
with recursive s(f, t, label) as (select * from gg union all select g.* from gg g, s where g.f = s.t) search breadth first by f, t, f set seq select * from s;
with recursive s(f, t, label) as (select * from gg union all select g.* from gg g, s where g.f = s.t) cycle f, tar set c using p select * from s;
with recursive s(f, t, label) as (select * from gg union all select g.* from gg g, s where g.f = s.t) cycle foo set c using p select * from s;
with recursive s(f, t, label) as (select * from gg union all select g.* from gg g, s where g.f = s.t) cycle f set label using p select * from s;
with recursive s(f, t, label) as (select * from gg union all select g.* from gg g, s where g.f = s.t) cycle f set x using x select * from s;
with recursive s(f, t, label) as (select * from gg union all select g.* from gg g, s where g.f = s.t) search depth first by f set x cycle t set y using x select * from s;
with recursive s(f, t, label) as (select * from gg union all select g.* from gg g, s where g.f = s.t) search depth first by f, t set x cycle t, f, t set y using z select * from s;
with recursive s(f, t, label) as (select * from gg union all select g.* from gg g, s where g.f = s.t) search depth first by f set x cycle f set y using z select * from s order by f, t, y, x limit 5;
with recursive s(f, t, label) as (select * from gg union all select g.* from gg g, s where g.f = s.t and s.f < 2) search breadth first by f set x select * from s order by x;
create table cycle(a int, b int); insert into cycle values (1,2);
update cycle c set a = 3; update cycle set b = 4; select a cycle, b from cycle; update cycle as cycle set a=1, b=2 returning *;
-- A star of the query itself is the columns that it declares.
WITH RECURSIVE a AS (SELECT 1 AS b UNION ALL SELECT * FROM a) CYCLE b SET seen USING way SELECT * FROM a;
WITH RECURSIVE a(x, y) AS (VALUES (1, 2) UNION ALL SELECT a.* FROM a, (VALUES (1), (2)) v(w) WHERE w = x) SEARCH BREADTH FIRST BY x SET o CYCLE x, y SET seen USING way SELECT * FROM a ORDER BY o;
WITH RECURSIVE a(x, y) AS (SELECT 1, 2 UNION ALL SELECT * FROM (SELECT a.x + 1, a.y FROM a WHERE a.x < 3) q) SEARCH BREADTH FIRST BY x SET o SELECT * FROM a;
