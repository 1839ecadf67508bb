-- Types of columns in signatures of routines.
create schema sx; create table sx.tp(a int, b varchar(5)[], c numeric(5,2)); create domain dd as int check (value>0); create table tq(x dd);
create function f1(sx.tp.a%type, b sx.tp.b%type, out c tq.x%type) returns tq.x%type as $$ select 1 $$ language sql;
create function f2(a tp.a%type) returns int as $$ select 1 $$ language sql;
create function f3(a tq.zz%type) returns int as $$ select 1 $$ language sql;
create function f4(a tq.x%type[]) returns setof tq.x%type as $$ select 1 $$ language sql;
create function f4(a tq.x%type) returns setof tq.x%type as $$ select 1 $$ language sql;
create function f5(a x%type) returns int as $$ select 1 $$ language sql;
create function f6(a a.b.c.d%type) returns int as $$ select 1 $$ language sql;
create function f7(a tq%rowtype) returns int as $$ select 1 $$ language sql;
create function f8(a nope.tq.x%type) returns int as $$ select 1 $$ language sql;
create or replace function raise_salary(who sx.tp.a%type, by sx.tp.c%TYPE default 1.5) returns sx.tp.c%type language plpgsql as $$ begin return who * by; end $$;
select raise_salary(2), raise_salary(2, 4);
create function tab(n sx.tp.a%type) returns table (a sx.tp.a%type, b tq.x%type) language plpgsql as $$ begin return query select n, 7::dd; end $$;
select * from tab(3);
\df
alter function f1(sx.tp.a%type, sx.tp.b%type) stable;
comment on function f1(sx.tp.a%type, sx.tp.b%type) is 'c';
grant execute on function f1(sx.tp.a%type, sx.tp.b%type) to public;
create procedure pr(inout x tq.x%type) language plpgsql as $$ begin x := x + 1; end $$;
call pr(3); call pr(0);
drop function f1(sx.tp.a%type, sx.tp.b%type);
drop table sx.tp;
select raise_salary(2);
