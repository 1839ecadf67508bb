-- Partial unique indexes with NULLS NOT DISTINCT: within the predicate one NULL only, outside of it as many as there are.
create table parts (id int primary key, a int, b text, active bool);
create unique index parts_a on parts (a) nulls not distinct where active;
insert into parts values (1, null, 'x', true), (2, null, 'x', false), (3, null, 'x', null), (4, 0, 'x', true);
insert into parts values (5, null, 'y', true);
insert into parts values (5, 0, 'y', true);
insert into parts values (5, 1, 'y', true), (6, null, 'y', false);
update parts set active = true where id = 6;
update parts set active = false where id = 1;
update parts set active = true where id = 6;
create unique index parts_ab on parts (lower(b), a) nulls not distinct where a is null or a > 100;
create unique index parts_b on parts (b) nulls not distinct where id > 2;
drop index parts_a;
update parts set b = null where id in (5, 6);
select * from parts order by id;
create unique index parts_b on parts (b) nulls not distinct where id in (5, 6);
update parts set b = 'z', a = null where id = 5;
create unique index parts_ab on parts (b, a) nulls not distinct where id >= 4;
update parts set a = null, b = 'z' where id = 4;
insert into parts (id, a, b) values (7, 3, null) on conflict do nothing;
insert into parts (id, a, b) values (8, 3, null) on conflict do nothing;
insert into parts (id, a, b) select 9, 3, null;
select * from parts order by id;
\d parts
