-- Which cursors may go back where DECLARE does not say: none that locks rows, none that is of no table.
create table b (a int);
insert into b values (1), (2);
begin;
declare c cursor for select 1 as x;
declare d cursor for select a from b for update;
declare e cursor for select a from b;
declare f scroll cursor for select 1;
declare g no scroll cursor for select a from b;
declare i cursor for values (1), (2);
select name, is_scrollable from pg_cursors order by name;
fetch 1 from d;
savepoint s;
fetch backward 1 from d;
rollback to s;
fetch all from c;
fetch prior from c;
rollback to s;
fetch all from f; fetch prior from f;
commit;
-- and none makes a table
begin;
declare made cursor for select a into made from b;
rollback;
