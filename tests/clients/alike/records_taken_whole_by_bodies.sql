-- What a function RETURNS record gives is taken whole by who assigns or returns it: the fields are those that it was made of.
create type pair as (s text, n int);
create function made() returns record language plpgsql as $$ begin return row('x'::text, 1); end $$;
create function made_of(int) returns record language plpgsql as $$
declare r record;
begin
    if $1 = 0 then return null; end if;
    if $1 < 0 then select $1 as lone into r; return r; end if;
    select $1 as a, array['b', null] as b, '2020-01-01'::date as c into r;
    return r;
end $$;
do $$ declare v pair; begin v := made(); raise notice '% %', v, v.n + 1; end $$;
do $$ declare v record; begin v := made(); raise notice '% %', v, v.f1; end $$;
do $$ declare v record; begin
    for i in -1 .. 2 loop
        v := made_of(i);
        raise notice '%', v;
    end loop;
    raise notice '% % %', v.a, v.b[1], v.c + 1;
end $$;
do $$ declare v record; begin v := made_of(-5); raise notice '%', v.lone; raise notice '%', v.a; end $$;
do $$ declare v record; begin v := made_of(0); raise notice '% %', v, v is null; end $$;
do $$ declare v pair; begin v := made_of(0); raise notice '% %', v, v is null; end $$;
do $$ declare v pair; begin v := made_of(3); raise notice '%', v; end $$;
do $$ declare v pair := made(); begin raise notice '%', v; end $$;
do $$ declare v record := made(); begin raise notice '%', v; end $$;
do $$ declare v record; begin v := 5; end $$;
do $$ declare v record; begin v := length('abc'); end $$;
do $$ declare v text; begin v := made_of(1); raise notice '%', v; end $$;
create function paired() returns pair language plpgsql as $$ begin return made(); end $$;
select paired(), (paired()).n;
select * from paired();
create function pairs() returns setof pair language plpgsql as $$
begin return next made(); return query select * from made() as (s text, n int); end $$;
select * from pairs();
create function not_paired() returns pair language plpgsql as $$ begin return made_of(1); end $$;
select not_paired();
create function handed_on() returns record language plpgsql as $$ begin return made(); end $$;
select handed_on();
select * from handed_on() as (a text, b int);
select * from handed_on() as (a int, b int);
select handed_on();
select * from handed_on() as (a text, b int, c int);
create function scalar() returns record language plpgsql as $$ begin return 5; end $$;
select scalar();
create or replace function made() returns record language plpgsql as $$ begin return row(true); end $$;
select handed_on();
select * from handed_on() as (a bool);
-- An OUT parameter of type record beside others is a value that nobody describes.
create function both(out a int, out b record) language plpgsql as $$ begin a := 1; b := row(1, 'x'::text); end $$;
select both();
select * from both();
select a, b::text from both();
create function both_in_sql(out a int, out b record) language sql as $$ select 1, row(1, 'x'::text) $$;
select both_in_sql();
select * from both_in_sql();
create function many_in_sql(out a int, out b record) returns setof record language sql as $$ select i, row(i, 'x'::text) from generate_series(1, 2) i $$;
select * from many_in_sql() order by a;
select many_in_sql();
-- What is none is asked for once.
create table asked (n int);
create function said() returns text language plpgsql as $$ begin insert into asked values (1); return '(x,1)'; end $$;
do $$ declare v pair; begin v := said(); raise notice '%', v; end $$;
select count(*) from asked;
do $$ declare v record; begin v := 1 / (select count(*) - 1 from asked); end $$;
do $$ declare v record := 1 / (select count(*) - 1 from asked); begin end $$;
create or replace function scalar() returns record language plpgsql as $$ begin return 1 / (select count(*) - 1 from asked); end $$;
select scalar();
-- One expression may be of one kind, and then of another.
do $$ declare v record; w record; begin
    for i in 1 .. 3 loop
        v := (w);
        raise notice '%', v;
        w := row(i, 'x'::text);
    end loop;
end $$;
create function kinds() returns text language plpgsql as $$ declare v record; begin v := made(); return v::text; end $$;
select kinds();
drop function made();
create function made() returns pair language plpgsql as $$ begin return row('y'::text, 2); end $$;
\c -
select kinds();
drop function made();
create function made() returns record language plpgsql as $$ begin return row(3, 4); end $$;
\c -
select kinds();
-- Two bodies' texts that read alike are two, whichever a session comes to first.
create function same(int) returns record language plpgsql as $$ begin return row($1); end $$;
create function inner_or_outer(inner_one bool) returns text language plpgsql as $$
declare x int := 1; r record;
begin
    declare x int := 2;
    begin
        if inner_one then r := same(x); return r::text; end if;
    end;
    r := same(x);
    return r::text;
end $$;
select inner_or_outer(true);
\c -
select inner_or_outer(false);
\c -
select inner_or_outer(true);
