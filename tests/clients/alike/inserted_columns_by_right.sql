-- INSERT without a list of columns asks for the right to those that it has values for, DEFAULT VALUES for that to any.
create role inserts_some;
create table some_columns (a int, b int default 4, c int);
grant insert (a) on some_columns to inserts_some;
set role inserts_some;
insert into some_columns values (1);
insert into some_columns select 2;
insert into some_columns values (1, 2);
insert into some_columns values (1, default);
insert into some_columns select 2, 3;
insert into some_columns (a, b) values (1, 2);
insert into some_columns (a) values (1);
insert into some_columns default values;
reset role;
table some_columns;
drop table some_columns;
drop role inserts_some;
