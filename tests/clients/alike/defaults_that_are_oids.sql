-- Integers are OIDs where one is asked for, in defaults too.
create table default_oids(a oid default 7, b int);
insert into default_oids(b) values (1);
alter table default_oids add column c oid default 8, add column d regtype default 23;
alter table default_oids alter a set default 9::bigint;
alter table default_oids add column e int default true;
insert into default_oids(b) values (2);
select * from default_oids order by b;
create table default_bits (e bit(3) default 1);
create table default_bits (e numeric(5, 2) default true, f timestamp(3) default 1);
drop table default_oids;
