-- Views that select from each other: whoever asks one is told so.
create table lt(a int);
create view v2 as select * from lt;
create view v3 as select * from v2;
create or replace view v2 as select * from v3;
select * from v2;
select * from v3;
begin; lock table v2; rollback;
create or replace view v2 as select * from lt;
select * from v3;
create view w as select * from v2 x, v2 y;
select * from w, v3, v2;
create or replace view v2 as select a from v3 where a in (select a from v3);
select count(*) from v2;
explain select * from v2;
