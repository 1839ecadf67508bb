create table g (a int, b int generated always as (a * 2) stored, c text default 'd');
copy g (a) from stdin;
1
2
\.
select * from g order by 1;
copy g from stdin;
3	x
\.
select * from g order by 1;
copy g (a, c) from stdin where a > 4 and c <> 'z';
4	x
5	y
6	z
7	\N
\.
select * from g order by 1;
copy g (a, c) from stdin with (format csv) where b > 4;
8,x
\.
copy g (a) from stdin where nosuch > 1;
copy g (a) from stdin where a;
copy g (a) from stdin where a > (select 1);
copy g (b) from stdin;
copy (select 1) to stdout where a > 1;
copy g to stdout where a > 1;
copy g to stdout;
copy g (a) from stdin where a > 1 and c = 'd';
11
\.
select * from g where a = 11;
alter table g add constraint g_b check (b < 100);
copy g (a) from stdin;
60
\.
create unique index on g ((a % 50));
copy g (a) from stdin;
61
\.
create temp table td (a int) on commit drop;
select count(*) from td;
begin;
create temp table td (a int) on commit drop;
insert into td values (1);
select * from td;
commit;
select * from td;
create temp table tr (a int) on commit delete rows;
insert into tr values (1);
select * from tr;
begin;
insert into tr values (1);
select * from tr;
commit;
select * from tr;
begin;
insert into tr values (1);
rollback;
select * from tr;
create temp table tp (a int) on commit preserve rows;
insert into tp values (1);
select * from tp;
begin; create temp table ta on commit drop as select 1 as x; select * from ta; commit;
select * from ta;
create temp table tb on commit delete rows as select 1 as x;
select * from tb;
begin; insert into tb values (2); savepoint a; insert into tb values (3); rollback to a; select * from tb; commit;
select * from tb;
create table nt (a int) on commit drop;
create table ti (id serial primary key, x int generated always as identity, y int);
insert into ti (y) values (1),(2);
create table tc (id int references ti(id));
insert into tc values (1);
truncate ti;
truncate ti cascade;
insert into ti (y) values (3) returning *;
truncate ti restart identity cascade;
insert into ti (y) values (3) returning *;
truncate ti, tc restart identity;
begin; truncate ti restart identity cascade; insert into ti (y) values (9) returning id; rollback;
insert into ti (y) values (3) returning *;
truncate ti continue identity cascade;
insert into ti (y) values (3) returning *;
truncate only ti cascade;
truncate nosuch;
create view vv as select 1;
truncate vv;
