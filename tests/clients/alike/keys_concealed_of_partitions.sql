-- A row that no partition takes: its key is told to who may read it.
create table parts (a int, b int) partition by list ((a + 0));
create table parts_1 partition of parts for values in (1) partition by list (b);
create role key_clerk;
grant select (a) on parts_1 to key_clerk;
grant insert on parts to key_clerk;
set role key_clerk;
insert into parts values (1, 1);
insert into parts values (2, 1);
reset role;
grant select (b) on parts_1 to key_clerk;
grant select on parts to key_clerk;
set role key_clerk;
insert into parts values (1, 1);
insert into parts values (2, 1);
reset role;
drop table parts; drop role key_clerk;
