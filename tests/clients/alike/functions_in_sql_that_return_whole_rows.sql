-- A function in SQL whose query gives one column that is a row of the type returned returns that row.
create table t2 (a int, b text); insert into t2 values (2, 'y'), (3, 'z');
create type tp as (a int, b text); create type tq as (t tp);
create function f1() returns t2 language sql as 'select t2 from t2'; select f1(); select * from f1(); select (f1()).a;
create function f2() returns setof t2 language sql as 'select t2 from t2'; select f2(); select * from f2();
create function f3() returns tp language sql as 'select row(1, ''x'')'; select f3(); select * from f3();
create function f4() returns tp language sql as 'select row(1, ''x'')::tp'; select f4(); select * from f4();
create function f6(t2) returns t2 language sql as 'select $1'; select f6(t2) from t2; select (f6(t2)).b from t2; select * from t2, f6(t2);
create function f7(i int) returns t2 language sql begin atomic select t2 from t2 where a = i; end; select f7(3);
create function f8(i int) returns t2 language sql return (select t2 from t2 where a = i); select f8(3); select * from f8(2); select * from f8(9); select f8(9);
create function f9(i int) returns tq language sql as 'select row(row(1,''x'')::tp)::tq'; select f9(1); 
create function fa(i int) returns tq language sql as 'select row(1,''x'')::tp'; select fa(1); select * from fa(2);
create function fb() returns t2 language sql as 'insert into t2 values (5, ''ins'') returning t2'; select fb(); select * from fb();
create function fd() returns table (a int, b text) language sql as 'select t2 from t2'; select * from fd();
create function fe(out a int, out b text) language sql as 'select t2 from t2'; select * from fe();
create function ff() returns record language sql as 'select t2 from t2'; select ff(); select * from ff() as (a int, b text);
create function fg() returns setof record language sql as 'select t2 from t2'; select fg(); select * from fg() as (a int, b text);
create function fh() returns t2 language sql as 'select t2.* from t2'; select fh();
create function fi() returns t2 language sql as 'select null::t2'; select fi(), fi() is null; select * from fi();
create function fj() returns t2 language sql as 'select a from t2'; 
create function fk() returns t2 language sql as 'select t2, 1 from t2'; 
-- a whole row of one table is no row of another that looks alike; a row constructor is, and so is the row of a table of the type
create table t1 of tp; create table t3 (like t2); insert into t1 values (1, 'x'); insert into t3 values (4, 'four');
select t1::tp from t1; select t2::tp from t2; select t2::t3 from t2; select row(t2.*)::tp from t2;
create table holds (c tp, d t2);
insert into holds (c) select t1 from t1; insert into holds (c) select t2 from t2; insert into holds (d) select t3 from t3; insert into holds (d) select t2 from t2 where a = 2;
update holds set c = t2 from t2; update holds set c = t1 from t1 returning holds.*;
create cast (t2 as tp) with inout; select t2::tp from t2;
