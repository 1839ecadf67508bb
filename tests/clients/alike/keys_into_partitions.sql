-- Foreign keys that refer to partitioned tables: what they are called at each partition, and what stands in whose way.
create table pk (a int, b int, primary key (b, a)) partition by range (a);
create table pk1 partition of pk for values from (0) to (10);
create table pk2 (b int, x int, a int not null, primary key(b,a)); alter table pk2 drop column x; alter table pk attach partition pk2 for values from (10) to (20);
create table pks partition of pk for values from (20) to (40) partition by list (b);
create table pks1 partition of pks for values in (1);
create table fk (id int, a int, b int, foreign key (a,b) references pk (a,b));
create table fkp (id int, a int, b int, constraint kk foreign key (a,b) references pk (a,b) on update cascade on delete set null) partition by hash (id);
create table fkp1 partition of fkp for values with (modulus 2, remainder 0);
create table fkp2 partition of fkp for values with (modulus 2, remainder 1);
select conname, conrelid::regclass, confrelid::regclass, conindid::regclass, (select conname from pg_constraint p where p.oid=c.conparentid) as par, conislocal, coninhcount, connoinherit, conkey, confkey, contype from pg_constraint c where contype='f' order by conrelid::regclass::text, conname;
select conname, pg_get_constraintdef(oid) from pg_constraint where contype='f' order by conrelid::regclass::text, conname;
\d pk
\d pk1
\d pks
\d fk
\d fkp
\d fkp1
insert into pk values (1,1),(2,2),(11,11),(21,1);
insert into fk values (1,1,1),(2,11,11),(3,21,1);
insert into fkp values (1,2,2),(2,2,2);
insert into fk values (1,5,5);
insert into fkp values (1,5,5);
insert into fkp values (1,500,5);
delete from pk where a=1;
delete from pk1 where a=1;
delete from pk where a=21;
delete from pks where a=21;
delete from pks1 where a=21;
update pk set a=13 where a=1;
update pk set a=3 where a=1;
update pk1 set a=3 where a=1;
update pk set a=12 where a=2;
select tableoid::regclass,* from fkp order by id;
update pk2 set a=2 where a=12;
drop table pk1;
drop table pks1;
drop table pks;
alter table pk detach partition pk1;
alter table pk detach partition pk2;
alter table pk detach partition pks;
alter table pks detach partition pks1;
truncate pk1;
truncate pk;
truncate only pk1;
truncate pks1;
begin; truncate pk1 cascade; select count(*) from fk; rollback;
begin; truncate pks1 cascade; rollback;
begin; drop table pk1 cascade; rollback;
begin; drop table pks cascade; \d fk
rollback;
begin; delete from fk where a<5;delete from fkp; alter table pk detach partition pk1;  \d fk
\d pk1
drop table pk1; select conname, conrelid::regclass, confrelid::regclass from pg_constraint c where contype='f' order by 2, 1;
rollback;
begin; delete from fk where a<5;delete from fkp; drop table pk1; rollback;
alter table fk add foreign key (a,b) references pk1(a,b);
alter table fk add constraint fk_a_b_fkey1 foreign key (a,b) references pk2(a,b) ;
alter table fk drop constraint fk_a_b_fkey1;
alter table fk drop constraint fk_a_b_fkey2;
alter table fk rename constraint fk_a_b_fkey1 to zz;
alter table fk alter constraint fk_a_b_fkey deferrable initially deferred;
select conname, condeferrable,condeferred from pg_constraint where conrelid='fk'::regclass order by 1;
alter table fk rename constraint fk_a_b_fkey to bb;
select conname, condeferrable,condeferred from pg_constraint where conrelid='fk'::regclass order by 1;
create table pk3 partition of pk for values from (60) to (70);
select conname, confrelid::regclass from pg_constraint where conrelid='fk'::regclass order by 1;
alter table pk1 drop constraint pk1_pkey;
alter table only pk add foreign key (a) references pk(a);
alter table fk drop constraint bb;
select conname, confrelid::regclass from pg_constraint where conrelid='fk'::regclass order by 1;
alter table fk add constraint nv foreign key (a,b) references pk not valid;
alter table fk add constraint nv foreign key (b,a) references pk not valid;
select conname, convalidated, confrelid::regclass from pg_constraint where conrelid='fk'::regclass order by 1;
insert into fk values (7,7,7);
alter table fk validate constraint nv;
select conname, convalidated, confrelid::regclass from pg_constraint where conrelid='fk'::regclass order by 1;
alter table fkp add constraint nv foreign key (b,a) references pk not valid;
alter table fkp1 add constraint nv foreign key (b,a) references pk not valid;
