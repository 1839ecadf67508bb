-- DETACH PARTITION CONCURRENTLY: a statement of its own, and the bound stays as a CHECK; nothing is ever left for FINALIZE.
\set VERBOSITY default
create table p (a int, b text, c int) partition by range (a);
create table p1 partition of p for values from (0) to (10);
create table p2 partition of p for values from (10) to (maxvalue);
create table d partition of p default;
insert into p values (1, 'one', 1), (11, 'eleven', 2);
alter table p detach partition p1 concurrently;
alter table p detach partition p1 finalize;
alter table p detach partition nowhere finalize;
alter table p detach partition nowhere;
drop table d;
begin; alter table p detach partition p1 concurrently; rollback;
alter table p detach partition p1 concurrently;
\d p1
\d+ p
select * from p order by a;
select * from p1;
insert into p1 values (77, 'x', 1);
alter table p attach partition p1 for values from (0) to (10);
\d p1
alter table p detach partition p1 concurrently;
alter table p detach partition p1 concurrently;
alter table p detach partition p2 concurrently;
\d p2
create table l (k text, v int) partition by list (k);
create table l1 partition of l for values in ('a');
create table l2 partition of l for values in (null);
alter table l detach partition l1 concurrently;
alter table only l detach partition l2 concurrently;
\d l1
\d l2
insert into l1 values ('c', 1);
create table r (a int, b int) partition by range (a, b);
create table r1 partition of r for values from (1, 1) to (2, 5);
alter table r detach partition r1 concurrently;
\d r1
