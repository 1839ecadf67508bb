-- A child computes a column that is a plain one of its parent.
create table measures (amount int, doubled int);
create table computed (amount int, doubled int generated always as (amount * 2) stored) inherits (measures);
create table apart (note text, amount int, doubled int generated always as (amount * 9) stored);
alter table apart inherit measures;
insert into measures values (1, 1);
insert into computed (amount) values (2);
insert into apart values ('nine', 3);
\d computed
select tableoid::regclass, * from measures order by amount;
update measures set amount = amount + 10;
select tableoid::regclass, * from measures order by amount;
update computed set doubled = 5;
create table several (doubled int default 4);
create table of_both (doubled int generated always as (amount + 1) stored) inherits (several, measures);
\d of_both
-- What the parents compute in two ways is told, without a hint.
create table thrice (a int, b int generated always as (a * 3) stored);
create table fourfold (a int, b int generated always as (a * 4) stored);
create table confused () inherits (thrice, fourfold);
select table_name, column_name, dependent_column from information_schema.column_column_usage order by 1, 2, 3;
-- A row as a whole has its generated columns, too: COPY cannot ask for them before they are there.
copy computed from '/dev/null' where computed is null;
copy computed from '/dev/null' where doubled > 1;
-- The key that LIKE brings comes last, wherever it is said: nothing points at it.
create table keyed (k text primary key);
create table with_two (t text, like keyed including indexes, primary key (t));
create table with_two (t text primary key, u int, primary key (u));
