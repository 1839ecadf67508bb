-- A generation expression that is a literal or NULL is of the column's type.
create table gn(a int primary key, b int generated always as (null) stored);
insert into gn values (1); select * from gn;
create table gm(a int primary key, b int default null, c date default '2020-01-01', d int[] generated always as ('{1}') stored, e text generated always as ('x') stored);
insert into gm(a) values (1); select * from gm;
\d gm
create domain dm as int check (value > 0);
create type en as enum ('x', 'y');
create table go(a int, b dm generated always as ('5') stored, c en generated always as ('y') stored, d varchar(3) generated always as ('abc') stored, e date generated always as ('2020-01-01') stored, f text generated always as (null) stored, g dm generated always as (null) stored);
insert into go(a) values (1) returning *;
\d go
alter table go add column h numeric(5,2) generated always as ('1.234') stored;
select h from go;
create table gp(a int, b int generated always as ('x') stored);
create table gq(a int, b varchar(2) generated always as ('abc') stored);
insert into gq values (1);
create table gr(a int, b int generated always as ('x'::text) stored);
create table gr(a int, b int generated always as (null::text) stored);
alter table go add column j en generated always as ('z') stored;
create table gt(like go including generated);
\d gt
