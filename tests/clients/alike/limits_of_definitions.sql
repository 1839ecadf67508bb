-- How many columns tables, views, types, keys and indexes may have, and functions arguments.
\set VERBOSITY verbose
create table k33 (a1 int,a2 int,a3 int,a4 int,a5 int,a6 int,a7 int,a8 int,a9 int,a10 int,a11 int,a12 int,a13 int,a14 int,a15 int,a16 int,a17 int,a18 int,a19 int,a20 int,a21 int,a22 int,a23 int,a24 int,a25 int,a26 int,a27 int,a28 int,a29 int,a30 int,a31 int,a32 int,a33 int,
primary key (a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,a13,a14,a15,a16,a17,a18,a19,a20,a21,a22,a23,a24,a25,a26,a27,a28,a29,a30,a31,a32,a33));
create table k33 (a1 int,a2 int,a3 int,a4 int,a5 int,a6 int,a7 int,a8 int,a9 int,a10 int,a11 int,a12 int,a13 int,a14 int,a15 int,a16 int,a17 int,a18 int,a19 int,a20 int,a21 int,a22 int,a23 int,a24 int,a25 int,a26 int,a27 int,a28 int,a29 int,a30 int,a31 int,a32 int,a33 int);
create index on k33 (a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,a13,a14,a15,a16,a17,a18,a19,a20,a21,a22,a23,a24,a25,a26,a27,a28,a29,a30,a31,a32,a33);
create index on k33 (a1) include (a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,a13,a14,a15,a16,a17,a18,a19,a20,a21,a22,a23,a24,a25,a26,a27,a28,a29,a30,a31,a32,a33);
create unique index on k33 (a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,a13,a14,a15,a16,a17,a18,a19,a20,a21,a22,a23,a24,a25,a26,a27,a28,a29,a30,a31,a32,(a33+1));
alter table k33 add unique (a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,a13,a14,a15,a16,a17,a18,a19,a20,a21,a22,a23,a24,a25,a26,a27,a28,a29,a30,a31,a32,a33);
alter table k33 add primary key (a1) include (a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,a13,a14,a15,a16,a17,a18,a19,a20,a21,a22,a23,a24,a25,a26,a27,a28,a29,a30,a31,a32,a33);
alter table k33 add exclude (a1 with =,a2 with =,a3 with =,a4 with =,a5 with =,a6 with =,a7 with =,a8 with =,a9 with =,a10 with =,a11 with =,a12 with =,a13 with =,a14 with =,a15 with =,a16 with =,a17 with =,a18 with =,a19 with =,a20 with =,a21 with =,a22 with =,a23 with =,a24 with =,a25 with =,a26 with =,a27 with =,a28 with =,a29 with =,a30 with =,a31 with =,a32 with =,a33 with =);
create table fk33 (a1 int,a2 int,a3 int,a4 int,a5 int,a6 int,a7 int,a8 int,a9 int,a10 int,a11 int,a12 int,a13 int,a14 int,a15 int,a16 int,a17 int,a18 int,a19 int,a20 int,a21 int,a22 int,a23 int,a24 int,a25 int,a26 int,a27 int,a28 int,a29 int,a30 int,a31 int,a32 int,a33 int, foreign key (a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,a13,a14,a15,a16,a17,a18,a19,a20,a21,a22,a23,a24,a25,a26,a27,a28,a29,a30,a31,a32,a33) references k33 (a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,a13,a14,a15,a16,a17,a18,a19,a20,a21,a22,a23,a24,a25,a26,a27,a28,a29,a30,a31,a32,a33));
select 'create table w1600 (' || string_agg('c' || g || ' int', ',') || ')' from generate_series(1, 1601) g \gexec
select 'create table w1600 (' || string_agg('c' || g || ' int', ',') || ')' from generate_series(1, 1600) g \gexec
alter table w1600 add column d int;
select count(*) from pg_attribute where attrelid = 'w1600'::regclass and attnum > 0;
alter table w1600 drop column c1;
alter table w1600 add column d int;
create table wlike (like w1600, x int, y int);
create table winh (x int, y int) inherits (w1600);
select 'create view v1601 as select ' || string_agg(g || ' as c' || g , ',') from generate_series(1, 1601) g \gexec
select 'create type t1601 as (' || string_agg('c' || g || ' int', ',') || ')' from generate_series(1, 1601) g \gexec
select 'create table ct1601 as select ' || string_agg(g || ' as c' || g , ',') from generate_series(1, 1601) g \gexec
select 'create function f101(' || string_agg('int', ',') || ') returns int language sql as $$ select 1 $$' from generate_series(1, 101) g \gexec
select 'create procedure p101(' || string_agg('out a' || g || ' int', ',') || ') language sql as $$ select 1 $$' from generate_series(1, 101) g \gexec
select 'select concat(' || string_agg('1', ',') || ')' from generate_series(1, 101) g \gexec
select 'select coalesce(' || string_agg('1', ',') || ')' from generate_series(1, 101) g \gexec
select 'select length(f9(' || string_agg('1', ',') || '))' from generate_series(1, 101) g \gexec
create table ud (a int, b date);
insert into ud select 1, '2001-01-01' union select 2, '2002-02-02';
insert into ud select 1, '2001-01-01' union all select 2, null;
\set VERBOSITY sqlstate
insert into ud select 1, null union all select 2, null;
\set VERBOSITY verbose
insert into ud values (1, '2001-01-01'), (2, '2002-01-01');
update ud set nope = 1 where nada = 2;
delete from ud where nada = 2;
insert into ud (nope) select nada from ud;
select 1 order by 999999999999;
select 1 group by 999999999999;
select 1 order by 99999999999999999999;
select distinct on (999999999999) 1;
-- What comes first: what a statement computes and asks, then what it assigns.
update ud set nope = nada;
update ud set a = 'x', nope = 2;
update ud set nope = default where nada = 1;
update ud set nope = 1 where a;
update ud set nope = 1 where a = 1;
insert into ud select 1, 2;
insert into ud select a, a + 1 from ud;
insert into ud (b, a) select 'x', true;
insert into ud select 1, 2 union select 3, 4;
insert into ud (select '1', '2001-01-01');
\set VERBOSITY sqlstate
insert into ud select null, null union all select 1, '2001-01-01';
\set VERBOSITY verbose
(select null union select null) union select 1;
select pg_typeof(x) from (select null union select null) v(x);
select a from ud order by 2147483647;
select a from ud order by 2147483648;
select a from ud order by 00000000000000000001;
