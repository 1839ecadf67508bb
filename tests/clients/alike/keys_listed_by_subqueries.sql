-- Keys that are listed by an array which subqueries make, of rows that lead to each other.
create table tl_paths (id int primary key, path text not null, name text); create index on tl_paths (name);
insert into tl_paths select i, '/1/' || i / 2 || '/' || i || '/', 'n' || i % 1500 from generate_series(1, 3000) i;
select f.id, f.name from tl_paths f where f.id = any(string_to_array(trim(both '/' from (select path from tl_paths where id = 77)), '/')::int[]) order by id;
select f.id from tl_paths f where f.id = any((select array_agg(g.id) from tl_paths g where g.name = 'n7')::int[]) order by id;
select f.id from tl_paths f where f.name = any(array(select g.name from tl_paths g where g.id in (3,4))) order by id;
select f.id from tl_paths f where f.id = any(string_to_array((select path from tl_paths where id = -1), '/')::int[]) order by id;
select f.id from tl_paths f where f.id = any(string_to_array((select path from tl_paths where id = 8), '/')::int[]) order by id;
select f.id, g.id from tl_paths f join tl_paths g on g.id = f.id + 1 where f.id = any(string_to_array(trim(both '/' from (select path from tl_paths where id = 77)), '/')::int[]) order by 1;
-- Asked again, which is another engine's turn; an array that a subquery gives as it is, and none.
select f.id from tl_paths f where f.id = any((select array_agg(g.id) from tl_paths g where g.name = 'n7')::int[]) order by id;
select f.id from tl_paths f where f.name = any(array(select g.name from tl_paths g where g.id in (3,4))) order by id;
select f.id from tl_paths f where f.id = any((select array_agg(g.id) from tl_paths g where g.name = 'none')::int[]) order by id;
select f.id from tl_paths f where f.id = any((select array_agg(g.id) from tl_paths g where g.name = 'none')::int[]) order by id;
begin; update tl_paths set path = '/5/6/' where id = 77;
select f.id, f.name from tl_paths f where f.id = any(string_to_array(trim(both '/' from (select path from tl_paths where id = 77)), '/')::int[]) order by id;
rollback;
update tl_paths set name = 'seen' where id = any(string_to_array(trim(both '/' from (select path from tl_paths where id = 77)), '/')::int[]) returning id;
select id from tl_paths where name = 'seen' order by id;
drop table tl_paths;
