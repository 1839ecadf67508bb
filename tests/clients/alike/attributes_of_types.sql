-- fields come and go while tables hold values of the type
create type spot as (x int, label text);
create table spots (id int primary key, at spot, note text default 'n');
insert into spots values (1, (1, 'a,b'), 'one'), (2, (null, null), 'two'), (3, null, 'three'), (4, (4, ''), 'four');
alter type spot add attribute depth numeric;
select id, at, (at).depth, note from spots order by id;
insert into spots values (5, (5, 'five', 1.50));
update spots set at.depth = 2 where id = 1;
select * from spots order by id;
alter type spot drop attribute label, add attribute label int;
select id, at, (at).label, (at).x from spots order by id;
begin;
alter type spot rename attribute depth to deep;
alter type spot drop attribute if exists nosuch, drop attribute x;
select id, at, (at).deep from spots order by id;
rollback;
select id, at from spots order by id;
alter type spot alter attribute x type bigint;
alter type spot add attribute x int;
alter type spot drop attribute nosuch;
\d spot
create table unique_spots (at spot unique);
insert into unique_spots values ((1, 1.5, 2));
alter type spot add attribute z text;
insert into unique_spots values ((1, 1.5, 2, null));
select * from unique_spots;
drop type spot;
