-- Views over tables with generated columns, defaults and checks; conditions with subqueries; views that change.

create table other (k int primary key);
insert into other values (1), (2), (5);
create table stock (id serial primary key, "Odd Name" text, n int check (n > 0), twice int generated always as (n * 2) stored, num numeric(5, 2));
create view whole as select * from stock;
create view ordered as select id, "Odd Name" as "N m", twice, n from stock b where exists (select from other o where o.k = b.id) order by n desc;
insert into whole ("Odd Name", n) values ('a', 1), ('b', 2), ('c', 3);
insert into whole values (10, 'x', 1, 5);
insert into whole values (10, 'x', 1, default, 1.239) returning *;
insert into whole (n) values (-1);
alter table stock add column late int default 7;
insert into whole (n) values (9) returning *;
select * from stock order by id;
update ordered set "N m" = "N m" || twice returning *;
update ordered set n = n + 1 where "N m" = 'a2' returning *;
update ordered set twice = 4;
update ordered set n = 0 where id = 5;
delete from ordered where n = 2;
select * from stock order by id;
alter view ordered rename column n to amount;
update ordered set amount = 44 where id = 2 returning amount, twice;

update ordered set amount = 45 where id = 2 returning *;
insert into ordered (amount) values (6), (7) returning id is not null as made, amount, twice;
begin; delete from whole; select count(*) from stock; rollback;
select count(*) from whole;
update whole set (n, "Odd Name") = (3, 'q') where id = 3;
update whole set n = 3;
select id, n, "Odd Name" from whole order by id;
insert into ordered (id, amount) select k + 100, k from other on conflict do nothing;
insert into ordered (id, amount) values (101, 9) on conflict (id) do update set amount = excluded.amount + ordered.amount where ordered.amount < 5;
select id, n, twice from whole where id > 99 order by 1;
create temp view tv as select id, n from whole where n > 3;
update tv set n = 4 where id = 101 returning *;
delete from tv where tv.n = 4 and id = 101;
select * from tv order by id;
create view locked as select id, n from whole where n > 2 for update;
update locked set n = 8 where id = 2 returning *;
