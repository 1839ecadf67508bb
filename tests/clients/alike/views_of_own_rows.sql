-- Views that show ONLY a table's rows are written as any other: what they show is what is written.
create table stem (a int primary key, b int); create table leaf (c int, check (a > 0)) inherits (stem);
insert into stem select i, i from generate_series(-8, -1) i; insert into leaf select i, i, i from generate_series(1, 8) i;
create view all_rows as select * from stem; create view own_rows as select * from only stem;
create view upon as select a as k, b from own_rows where a < -1 with check option;
select table_name, is_updatable, is_insertable_into from information_schema.views where table_schema = 'public' order by 1;
select * from all_rows order by a;
select * from own_rows order by a;
update all_rows set b = -b where b < 0; update only all_rows set b = b + 1;
update own_rows set b = b + 10; update only own_rows set b = b + 100;
select tableoid::regclass, * from stem order by a;
update own_rows set b = 0 where a = -3 returning *;
update own_rows set b = 0 where a = 3 returning *;
prepare p as update own_rows set b = b + 1 where a = $1;
execute p(-3); execute p(3); execute p(-3);
update upon set b = 5 where k = -1; update upon set b = 5 where k = -2; update upon set k = 0 where k = -4;
update upon u set b = s.b from stem s where s.a = 4 and u.k in (-5, 5) returning u.*, s.a;
insert into own_rows values (20, 20), (21, 21); insert into upon values (-30, 1); insert into upon values (30, 1);
insert into own_rows values (20, 7) on conflict (a) do update set b = excluded.b returning *;
delete from all_rows where a in (-8, 8); delete from only all_rows where a in (-7, 7); delete from own_rows where a in (-6, 6);
delete from only own_rows where a in (-5, 5); delete from upon where k in (-4, 4);
select tableoid::regclass, * from stem order by a;
create function halved() returns int language plpgsql as $$
declare n int; begin update own_rows set b = 1 where a in (-3, 3); get diagnostics n = row_count; return n; end $$;
select halved();
delete from own_rows; delete from all_rows;
select count(*) from stem;
create table parted (a int, b int) partition by list (a); create table parted_1 partition of parted for values in (1);
create view own_parted as select * from only parted; insert into own_parted values (1, 1); select * from parted;
