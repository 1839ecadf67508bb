-- What a partition says of itself beside its bounds: columns, CHECKs that the table above has too, and types that its key stands on.
create table logs (day text not null, n int not null default 0, constraint long check (length(day) > 0)) partition by list (day);
create table logs_m partition of logs (n not null, n default 1, n check (n >= 0)) for values in ('m');
create table logs_m partition of logs (n not null default 1, constraint long check (length(day) > 0), constraint positive check (n >= 0)) for values in ('m');
select conname, conislocal, coninhcount from pg_constraint where conrelid = 'logs_m'::regclass order by 1;
insert into logs values ('m', -1);
insert into logs_m values ('m', -1);
insert into logs_m values ('m');
alter table logs add constraint positive check (n >= 0);
select conname, conislocal, coninhcount from pg_constraint where conrelid = 'logs_m'::regclass order by 1;
alter table logs_m drop constraint long;
alter table logs_m drop constraint positive;
alter table logs drop constraint long, drop constraint positive;
select conname, conislocal, coninhcount from pg_constraint where conrelid = 'logs_m'::regclass order by 1;
create table logs_x partition of logs (constraint other check (length(day) > 0), n check (n < 7)) for values in ('x');
\d logs_x
create table logs_t partition of logs (n collate "C") for values in ('t');
create table words (a text collate "C", b text collate "C") partition by range (a);
create table words_m partition of words (a collate "POSIX") for values from ('a') to ('m');
create table words_z partition of words (b collate "POSIX") for values from ('m') to ('z');
\d words_z
create table words_q partition of words for values from ('a', 1) to ('m');
create table words_q partition of words for values from ('b') to ('c');
create domain dom as int;
create table by_dom (a dom, b text) partition by range (a);
alter table by_dom drop column a;
drop domain dom;
drop domain dom cascade;
create domain dom as int;
create function plus1(int) returns int language sql immutable as 'select $1 + 1';
create table by_dom (a dom, b text) partition by range (plus1(a));
drop function plus1(int);
drop domain dom;
drop domain dom cascade;
table by_dom;
drop function plus1(int);
create type ct as (u unknown);
create table dup (id int, c1 int, constraint k check (c1 > 0)) partition by list (id);
create table dup1 partition of dup (constraint k check (c1 > 1)) for values in (1);
create table strange (a int) partition by magic (a);
create table by_row (a int, b int) partition by range (a, ((a, b)));
create table by_abs (a int, b int) partition by range (abs(a), b);
create table by_abs_1 partition of by_abs for values from (1, minvalue) to (3, maxvalue);
create table by_abs_2 partition of by_abs for values from (3, maxvalue) to (5, minvalue);
create table by_sum (a int, b int) partition by range ((a + b), b);
create table by_sum_1 partition of by_sum for values from (1, 2) to (3, maxvalue);
\d+ by_abs_1
\d+ by_abs_2
\d+ by_sum_1
insert into by_abs values (1, -5), (-3, 7), (4, 0);
insert into by_abs values (5, 0);
select tableoid::regclass, * from by_abs order by 2, 3;
create table dup_a (id int, c1 int, constraint k check (c1  >  0));
alter table dup attach partition dup_a for values in (2);
create table dup_b (id int, c1 int, constraint k check (c1 > 3));
alter table dup attach partition dup_b for values in (3);
create table dup_c (id int, c1 int, constraint k check (c1 > 0) not valid);
alter table dup attach partition dup_c for values in (3);
create table dup_d (id int, c1 int, constraint k check (c1 > 0) no inherit);
alter table dup attach partition dup_d for values in (3);
alter table dup_a add constraint j check (c1 < 9);
alter table dup add constraint j check (c1 < 10);
alter table dup add constraint j check (c1 < 9);
