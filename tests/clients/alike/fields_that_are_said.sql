-- A field that a view, a condition, a default or an index says: of a composite type, of a table's rows, of what a domain is over.
CREATE TYPE t1 AS (a int, b text, c int);
CREATE TABLE u1 (x int, y t1);
create view v1 as select (y).a from u1;
create index ui on u1 (((y).c));
alter type t1 drop attribute a;
alter type t1 drop attribute c;
insert into u1 values (1, row(1,'b',3));
select * from v1;
alter type t1 drop attribute a cascade;
alter type t1 drop attribute c cascade;
\d u1
select * from v1;
select * from u1;
CREATE TYPE t2 AS (a int, b text, c int);
CREATE TABLE u2 (x int, y t2, z int default (row(1,'x',2)::t2).c);
create function f2() returns int language sql as $$ select (row(1,'x',2)::t2).c $$;
alter type t2 drop attribute c;
alter type t2 drop attribute c cascade;
\d u2
create type t3 as (a int, b int);
create table u3 (y t3, check ((y).a > 0), check ((y).b > 0), check ((y).a > (y).b));
alter type t3 drop attribute a;
alter type t3 drop attribute a cascade;
\d u3
insert into u3 values (row(1));
create table base(a int, b int, c int); create table holder(x int, y base);
create view v as select (y).a from holder;
create table holder2(y base, check ((y).b > 0));
alter table base drop column a;
alter table base drop column b;
alter table base drop column a cascade;
select * from v;
alter table base drop column c;
\d holder2
insert into holder2 values (row(1));
insert into holder2 values (row(1,1));
create type compt as (r float8, i float8);
create domain dcomp as compt check ((value).r > 0);
create domain dcompb as compt;
alter domain dcompb add constraint c1 check ((value).r > 0);
create table dct (d1 dcompb unique);
insert into dct values (row(1,2));
alter type compt drop attribute r;
alter type compt drop attribute r cascade;
insert into dct values (row(-1));
create type same as (n int, m int);
create table same_names (n int, s same, check (n > 0));
alter type same drop attribute n;
insert into same_names values (0, row(1));
