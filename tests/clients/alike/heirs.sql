-- Tables that inherit from others: what they have of their parents, and the rows that they give them.

create table places (id int not null, name text default 'nowhere', height int constraint high check (height > 0));
create table capitals (of text) inherits (places);
create table seats (seat_no serial, of text not null) inherits (capitals);
create table heights (height int, depth int default 4) inherits (places);
create table bad (x int) inherits (places, places);
create table bad (x int) inherits (nobody);
create table bad (id int, id int) inherits (places);
create table twice (a text) inherits (capitals, heights);
create table firsts (depth int, name text default 'first') inherits (places);
\d places
\d+ places
\d+ capitals
\d+ seats
\d heights
\d+ twice
\d firsts
select inhrelid::regclass, inhparent::regclass, inhseqno from pg_inherits order by inhrelid::regclass::text collate "C", inhseqno;
select attrelid::regclass, attname, attnum, attislocal, attinhcount, attnotnull from pg_attribute where attrelid::regclass::text in ('places', 'capitals', 'seats', 'heights', 'twice', 'firsts') and attnum > 0 order by attrelid::regclass::text collate "C", attnum;
select conrelid::regclass, conname, conislocal, coninhcount, connoinherit from pg_constraint where conname = 'high' order by conrelid::regclass::text collate "C";
select relname, relhassubclass from pg_class where relname in ('places', 'capitals', 'twice') order by 1;

insert into places values (1, 'Ulm', 478);
insert into capitals values (2, 'Paris', 35, 'France'), (3, 'Rome', 21, 'Italy');
insert into seats (id, name, height, of) values (4, 'Bern', 540, 'Switzerland') returning *;
insert into heights values (5, 'Eiger', 3967);
insert into twice values (6, default, 10, 'x', 7, 'a');
insert into capitals values (7, 'Atlantis', -1, 'Sea');
insert into capitals (name) values ('no id');
select * from places order by id;
select * from only places order by id;
select * from places* order by id;
select tableoid::regclass, id, name from places order by id;
select tableoid::regclass, * from only capitals order by id;
select tableoid::regclass, * from capitals order by id;
select p.tableoid::regclass, p.* from places p join capitals c on c.id = p.id order by p.id;
select count(*), sum(height) from places;
select count(*) from only places;
select places from places order by id;
select * from places where id = 3;
select * from places where id = 4 for update;
select * from places where id in (select id from only places);

-- Writes.
update places set name = upper(name) where id in (1, 2, 6) returning tableoid::regclass, *;
select * from twice;
update only places set name = 'only ' || name;
update only places set name = 'here' where id = 2;
select tableoid::regclass, id, name from places order by id;
update places set height = -height where id = 1;
update places set height = height + 1;
select tableoid::regclass, * from seats;
with done as (update places p set name = c.of from capitals c where c.id = p.id returning p.tableoid::regclass as t, p.name, c.of) select * from done order by name;
delete from places where id = 3 returning tableoid::regclass, *;
delete from only places where id = 4;
delete from only places where id = 1 returning *;
delete from places p using twice t where p.id = t.id returning p.*, t.a;
select tableoid::regclass, * from places order by id;
select * from twice;
insert into places values (10, 'ten', 10);
merge into places p using (values (10), (5), (11)) v(id) on v.id = p.id when matched then update set name = 'merged' when not matched then insert values (v.id, 'new', 1);
select tableoid::regclass, * from places order by id;
begin;
update places set name = 'gone' where id = 5;
delete from places where id = 10;
insert into heights values (12, 'in', 1, 1);
update places set height = 99 where id in (12, 4);
select tableoid::regclass, * from places order by id;
select * from heights order by id;
rollback;
select tableoid::regclass, * from places order by id;
with gone as (delete from places where id = 11 returning *) select * from gone;
with moved as (update places set height = 1 where id in (4, 5) returning tableoid::regclass as t, *) select t, id, height from moved order by id;
copy places to stdout;
copy (select * from places order by id) to stdout;
prepare p (int) as select tableoid::regclass, name from places where id = $1;
execute p (4);
execute p (5);
prepare u (int, text) as update places set name = $2 where id = $1 returning *;
execute u (4, 'four');
execute u (5, 'five');
create table later () inherits (places);
insert into later values (13, 'later', 1);
execute p (13);
execute u (13, 'much later');
select * from later;
drop table later;
execute p (13);
truncate only places;
select tableoid::regclass, * from places order by id;
truncate places;
select * from places;
drop table capitals;
drop table twice;
drop table places;
drop table places cascade;
create table places (id int);
create table capitals () inherits (places);
drop table capitals;
drop table places;
create table places (id int);
create table capitals () inherits (places);
drop table places, capitals;
