-- Labels of enums get other names inside of arrays, too.
create type mood as enum ('sad','ok','it''s');
create table em (id int primary key, m mood default 'ok', ms mood[], d mood[] default '{}', mm mood[][]);
insert into em values (1, 'sad', '{sad,ok}', default, '{{sad,ok},{ok,sad}}'), (2, 'ok', null, '{ok}', null), (3, 'it''s', array['it''s','sad']::mood[], array[null,'sad']::mood[], '[0:1]={sad,ok}');
create index on em (m); create unique index on em (ms);
alter type mood rename value 'sad' to 'blue';
select * from em order by id;
select id, ms[1], ms[1] < ms[2], 'blue' = any(ms), mm[1][1], mm[0] from em order by id;
insert into em values (4, 'blue', '{blue}', default, null); insert into em values (5, null, '{blue,ok}'); insert into em values (5, null, '{sad}');
alter type mood rename value 'it''s' to 'two words';
select ms, unnest(ms) from em order by 2 desc; select * from em where ms @> '{blue}' order by id; select array_agg(distinct x order by x) from em, unnest(ms) x;
begin; alter type mood rename value 'ok' to 'fine'; select ms, d from em order by id; rollback; select ms from em order by id;
create table only_arrays (a mood[]); insert into only_arrays values ('{ok,ok}'); alter type mood rename value 'ok' to 'good'; select * from only_arrays; select m, d from em order by id; insert into em(id) values (9) returning *;
create table part (k int, a mood[]) partition by list (k); create table part1 partition of part for values in (1); insert into part values (1, '{good}'); alter type mood rename value 'good' to 'best'; select tableoid::regclass, * from part; select enum_range(null::mood); alter table em alter ms type text[]; select ms from em order by id; 
create function fe(mood[]) returns mood language sql as 'select $1[1]'; select fe('{best}'); alter type mood rename value 'best' to 'top'; select fe('{top}'); select fe('{best}'); copy only_arrays to stdout; update only_arrays set a = a || 'blue'::mood; select * from only_arrays;
