-- LOCK of a view asks whether its owner may lock what it reads.
create table lt(a int); create table lt2(a int); create view lv as select * from lt; create view lv2 as select lv.a from lv, lt2;
create role lockr;
begin; lock table lv; lock table lv2 in share mode; rollback;
grant update on lv to lockr;
set role lockr; begin; lock table lv; rollback; begin; lock table lt; rollback; begin; lock table lv2; rollback; reset role;
alter view lv owner to lockr; set role lockr; begin; lock lv; rollback; reset role;
grant select on lt to lockr; set role lockr; begin; lock lv in access share mode; rollback; begin; lock lv in share mode; rollback; reset role;
grant update on lt to lockr; set role lockr; begin; lock lv; rollback; reset role;
create view inv with (security_invoker) as select * from lt2; grant all on inv to lockr;
set role lockr; begin; lock inv; rollback; reset role; begin; lock inv; rollback;
drop table lt, lt2 cascade; drop role lockr;
