-- What SELECTs in rules find is sent to who asks simply, before the tag of the statement that has been rewritten; RETURNING is answered alone.
create table a(x int, y text); create table b(x int, y text); insert into b values (1,'one'),(2,'two');
create rule r1 as on insert to a do instead select * from b;
insert into a values (5,'five');
insert into a values (5,'five') returning x;
select * from a; drop rule r1 on a;
create rule r2 as on insert to a do also select new.x, new.y, 'also' as z;
insert into a values (6,'six'),(7,'seven'); 
insert into a select * from b;
select * from a; drop rule r2 on a;
create rule r3 as on update to a do also select old.x as o, new.x as n;
update a set x = x + 10; update a set x = x + 10 where false; drop rule r3 on a;
create rule r4 as on delete to a do instead select * from a where x = old.x order by x;
delete from a; delete from a where x = 16; drop rule r4 on a;
create rule r5 as on delete to a do instead (select 1 as one; select 2 as two; insert into b values (3,'three'); select count(*) from b);
delete from a; drop rule r5 on a;
create rule r6 as on insert to a where new.x > 5 do instead select 'no' as no, new.x;
insert into a values (1,'x'), (9,'z'); select * from a order by 1; drop rule r6 on a;
create rule r7 as on insert to a do also (insert into b values (new.x, new.y) returning *);
insert into a values (11,'x'); drop rule r7 on a;
create view v as select * from a; create rule vi as on insert to v do instead (insert into a values (new.x,new.y) returning a.*); insert into v values (77,'z'); insert into v values (78,'z') returning x;
create rule nt as on insert to b do also notify foo;
create rule r8 as on insert to b do also select new.*; insert into b values (1,'q');
prepare p as insert into b values ($1,'q'); execute p(3);
do $$ begin insert into b values (9,'u'); raise notice 'fine'; end $$;
with w as (insert into b values (9,'u') returning x) select * from w;
create function ib() returns void language sql as $$ insert into b values (10,'fs') $$; select ib();
begin; insert into b values (21,'q'); rollback; insert into b values (31,'q')\; select 5;
insert into b values (31,'q') \gdesc
insert into b values (32,'q') \gx
