-- WITH CHECK OPTION of views whose conditions have subqueries.
\set VERBOSITY verbose
create table allowed (code text primary key, most int);
insert into allowed values ('a', 10), ('b', 20);
create table item (id int primary key, code text, n int default 1);
create view checked as select i.id, i.code as kind, i.n from item i where exists (select from allowed a where a.code = i.code and i.n <= a.most) with check option;
insert into checked values (1, 'a', 5), (2, 'b', 20) returning *;
insert into checked values (3, 'c', 1);
insert into checked values (3, 'a', 1), (4, 'a', 11), (5, 'x', 0);
insert into checked (id, kind) values (3, 'a') returning *;
insert into checked select g, 'b', g from generate_series(15, 25) g;
insert into checked select g, 'b', g from generate_series(15, 17) g;
update checked set n = n + 1 where kind = 'b' and n > 16;
update checked set kind = 'a' where id = 2;
update checked set kind = 'a', n = 9 where id = 2 returning *;
update checked set n = 3;
select * from item order by id;
insert into checked values (null, 'a', 1);
delete from checked where id = 1 returning id;
-- LOCAL and CASCADED, over such a view and under one
create view upper as select kind, id from checked where id < 100 with local check option;
insert into upper values ('zzz', 200);
insert into upper values ('zzz', 70);
create view plain as select id, code, n from item where n > (select 0);
create view over_plain as select * from plain where n in (select most from allowed) with local check option;
insert into over_plain values (80, 'q', -5);
insert into over_plain values (80, 'q', 10);
alter view over_plain set (check_option = cascaded);
update over_plain set n = -10 where id = 80;
insert into allowed values ('neg', -10);
update over_plain set n = -10 where id = 80;
update over_plain set n = 20 where id = 80 returning *;
-- prepared, in a transaction that changes what is asked
prepare put (int, text) as insert into checked values ($1, $2) returning id;
execute put(90, 'new');
begin;
insert into allowed values ('new', 1);
execute put(90, 'new');
savepoint s;
delete from allowed where code = 'new';
execute put(91, 'new');
rollback to s;
execute put(91, 'new');
rollback;
execute put(90, 'new');
-- rights are those of the view's owner
create role writer;
grant insert, update, select on checked to writer;
set role writer;
insert into checked values (95, 'a', 1);
select * from allowed;
reset role;
-- partitions
create table part (k int, code text, n int) partition by list (k);
create table part_1 partition of part for values in (1);
create table part_2 (n int, k int, code text);
alter table part attach partition part_2 for values in (2);
create view parts as select * from part where code in (select code from allowed) with check option;
insert into parts values (1, 'a', 1), (2, 'b', 2);
insert into parts values (1, 'a', 1), (2, 'zzz', 2);
update parts set code = 'zzz' where k = 2;
update parts set k = 3 - k;
update parts set k = 3 - k, code = 'zzz' where k = 1;
select tableoid::regclass, * from part order by k;
drop owned by writer;
drop role writer;
