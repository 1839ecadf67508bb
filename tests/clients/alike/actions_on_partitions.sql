-- What foreign keys do to the rows of partitioned tables: the table acts, so rows move, and its statement triggers fire.

create table par (id int primary key, v text);
insert into par select g, 'v' || g from generate_series(1, 12) g;
create table sd (id int, pid int default 3 references par on delete set default on update cascade, n int default 0, twice int generated always as (pid * 2) stored) partition by list (pid);
create table sd1 partition of sd for values in (1, 2);
create table sd2 (twice int generated always as (pid * 2) stored, gone int, n int default 8, pid int default 99, id int);
alter table sd2 drop column gone;
alter table sd attach partition sd2 for values in (3, 4);
create table sdd partition of sd default partition by range (pid);
create table sdd1 partition of sdd for values from (5) to (20);
insert into sd (id, pid) values (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6);
delete from par where id = 1;
select tableoid::regclass, * from sd order by id;
update par set id = 31 where id = 2;
select tableoid::regclass, * from sd order by id;
update par set id = id + 10 where id in (4, 5);
select tableoid::regclass, * from sd order by id;
delete from par where id = 3;
delete from par where id in (14, 15);
select tableoid::regclass, * from sd order by id;

create table sn (id int, a int references par on delete set null on update cascade) partition by list (a);
create table sn1 partition of sn for values in (6);
insert into sn values (1, 6);
delete from par where id = 6;
delete from sd where pid = 6;
delete from par where id = 6;
create table snn partition of sn for values in (null);
delete from par where id = 6;
select tableoid::regclass, * from sn;
insert into sn values (2, 7);
create table snd partition of sn default;
insert into sn values (2, 7), (3, 8);

create table cs (id int, a int constraint named references par on delete cascade deferrable, b int constraint other references par) partition by hash (id);
create table cs0 partition of cs for values with (modulus 2, remainder 0);
create table cs1 (id int, b int, a int);
alter table cs1 add constraint kept foreign key (b) references par;
alter table cs attach partition cs1 for values with (modulus 2, remainder 1);
insert into cs select g, 7 + g % 2, 9 from generate_series(1, 6) g;
delete from par where id = 9;
update par set id = 90 where id = 9;
delete from cs where id in (1, 2, 3);
delete from par where id = 9;

create function told() returns trigger language plpgsql as $$ begin raise notice '% % % on %', tg_name, tg_when, tg_op, tg_table_name; return coalesce(new, old); end $$;
create function told_of() returns trigger language plpgsql as $$ begin raise notice '% of % rows on %', tg_op, (select count(*) from gone), tg_table_name; return null; end $$;
create trigger cs_s before update or delete on cs for each statement execute function told();
create trigger cs0_s before update or delete on cs0 for each statement execute function told();
create trigger cs_t after delete on cs referencing old table as gone for each statement execute function told_of();
create trigger cs_r after delete on cs for each row execute function told();
delete from par where id in (7, 8);
select * from cs;
delete from par where id = 12;
begin;
insert into par values (40), (41);
insert into sn values (40, 40);
insert into cs values (40, 40, 41);
delete from par where id = 40;
select * from sn order by id;
select * from cs;
rollback;
select tableoid::regclass, * from sn order by id;

-- A part that is a table of its own again acts for itself.
alter table sn detach partition snd;
insert into snd values (9, 10);
delete from par where id = 10;
select * from snd order by id;
\d snd
