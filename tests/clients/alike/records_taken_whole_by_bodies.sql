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
