-- Definitions that name their own table go on to mean it, whatever it is called, and wherever it is.
\set VERBOSITY verbose
create table sd (a int, check (sd.a > 0), b int default 1);
alter table sd rename to sd2;
insert into sd2 values (1);
insert into sd2 values (-1);
update sd2 set a = 5;
\d sd2
alter table sd2 rename a to aa;
insert into sd2 values (1);
insert into sd2 values (-1);
insert into sd2 select g, 3 from generate_series(1, 3) g;
insert into sd2 select g, 3 from generate_series(-1, 3) g;
alter table sd2 add check (aa < 100) not valid;
\d sd2
create schema sc;
create table sc.t1 (a int check (t1.a > 0));
create table sc.t1b (a int check (sc.t1b.a > 0));
alter table sc.t1 set schema public;
alter table sc.t1b set schema public;
insert into t1 values (1), (2);
insert into t1 values (-2);
insert into t1b values (1), (2);
insert into t1b values (-2);
alter table t1 rename to t1c;
insert into t1c values (1), (2);
insert into t1c values (-2);
alter schema sc rename to sc2;
create table sc2.t2 (a int check (t2.a > 0), g int generated always as (t2.a + 1) stored);
create table sc2.t3 (a int check (sc2.t3.a > 0), g int generated always as (sc2.t3.a + 1) stored);
alter schema sc2 rename to sc3;
insert into sc3.t2 values (1), (2);
insert into sc3.t2 values (-2);
insert into sc3.t3 values (1), (2);
insert into sc3.t3 values (-2);
update sc3.t3 set a = a + 1;
update sc3.t2 set a = a + 1;
alter table sc3.t2 rename to t2x;
alter table sc3.t3 rename to t3x;
insert into sc3.t2x values (1), (2);
insert into sc3.t2x values (-2);
insert into sc3.t3x values (1), (2);
insert into sc3.t3x values (-2);
update sc3.t3x set a = a + 1;
update sc3.t2x set a = a + 1;
select * from sc3.t2x; select * from sc3.t3x;
\d sc3.t2x
\d sc3.t3x
create table l1 (a int check (l1.a > 0), b int generated always as (l1.a * 2) stored);
create index l1i on l1 ((l1.a + 1)) where l1.a > 3;
create table l2 (like l1 including all);
\d l2
insert into l2 values (4);
insert into l2 values (-4);
create table l3 () inherits (l1);
insert into l3 values (4);
insert into l3 values (-4);
\d l3
alter table l1 rename to l1r;
insert into l3 values (4);
insert into l3 values (-4);
insert into l1r values (4);
insert into l1r values (-4);
insert into l2 values (4);
insert into l2 values (-4);
alter table l1r rename a to az;
insert into l3 values (4);
insert into l3 values (-4);
insert into l1r values (4);
insert into l1r values (-4);
create table l4 (like l1r including all);
insert into l4 values (4);
insert into l4 values (-4);
\d l1r
\d l4
create table p (a int, b int, check (p.a > 0)) partition by range (a);
create table p1 partition of p for values from (0) to (100);
insert into p values (1, 2);
insert into p values (0, 2);
alter table p rename to pp;
insert into pp values (1, 2);
insert into pp values (0, 2);
insert into p1 values (1, 2);
insert into p1 values (0, 2);
alter table p1 rename to pp1;
insert into pp1 values (1, 2);
insert into pp1 values (0, 2);
create table pp2 partition of pp for values from (100) to (200);
insert into pp2 values (101, 1);
insert into pp values (102, 1);
create table p9 (a int, b int, check (p9.a > 0));
alter table p9 rename to p10;
alter table pp attach partition p10 for values from (200) to (300);
insert into pp values (202, 1);
\d pp
\d+ pp2
