-- Foreign keys of a table that becomes a partition stay where they differ in when they are looked at; what waits for COMMIT keeps them.
create table kept (id int primary key);
create table dealt (k int references kept) partition by list (k);
create table part1 (k int, constraint own foreign key (k) references kept deferrable initially deferred);
create table part2 (k int, constraint own2 foreign key (k) references kept);
alter table dealt attach partition part1 for values in (1);
alter table dealt attach partition part2 for values in (2);
select conrelid::regclass, conname, condeferrable, condeferred, conparentid = 0 from pg_constraint where contype = 'f' and conrelid::regclass::text in ('dealt','part1','part2') order by 1, 2;
insert into dealt values (1);
create table later (k int references kept deferrable initially deferred) partition by list (k);
create table later1 partition of later for values in (1);
begin; insert into later values (1); alter table later drop constraint later_k_fkey; rollback;
begin; insert into later values (1); alter table later add column x int; rollback;
begin; insert into later values (1); drop table later; rollback;
begin; insert into later values (1); truncate later; rollback;
begin; insert into later values (1); alter table later1 add check (k > 0); rollback;
