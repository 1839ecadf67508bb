-- Functions whose types their calls say, and those that take any number of arguments.
create function same(a anyelement) returns anyelement language sql as 'select $1';
create function arr(a anyelement, b anyelement) returns anyarray language sql as 'select array[a, b]';
create function first(a anyarray) returns anyelement language plpgsql as $$ begin return a[1]; end $$;
create function biggest(a anyelement, b anyelement) returns anyelement language plpgsql as $$ declare r a%type; begin if a > b then r := a; else r := b; end if; return r; end $$;
create function either(a anycompatible, b anycompatible) returns anycompatible language sql as 'select coalesce(a, b)';
create function noarr(a anynonarray) returns text language sql as $$ select 'x' || a $$;
create function dup(a anyelement, out b anyelement, out c anyarray) language sql as 'select a, array[a, a]';
create function dup2(a anyelement, out b anyelement, out c anyarray) language plpgsql as 'begin b := a; c := array[a, a]; end';
create function many(a anyelement, n int) returns setof anyelement language sql as 'select a from generate_series(1, n)';
create function many2(a anyelement, n int) returns setof anyelement language plpgsql as 'begin for i in 1..n loop return next a; end loop; end';
create function tab(a anyelement) returns table (x anyelement, y int) language sql as 'select a, 1 union all select a, 2';
create type mood as enum ('sad', 'ok'); create function en(a anyenum) returns text language sql as 'select a::text';
create function lo(a anyrange) returns anyelement language sql as 'select lower(a)';
select same(1), same('a'::text), same(array[1,2]), same(1.5), same(null::date), pg_typeof(same(2::smallint));
select same('x'); select same(null);
select arr(1, 2), arr('a'::text, 'b'), arr(1.5, 2); select arr(1, 'x'::text);
select first(array[1,2]), first('{a,b}'::text[]), first(array[[1,2],[3,4]]); select first(1); select first('{1}');
select biggest(1, 2), biggest('a'::text, 'b'), biggest(1.5, 2.5), biggest(date '2020-01-01', date '2021-01-01'), pg_typeof(biggest(1.5, 2.5));
select biggest(1, 2.5);
select biggest(i, 3) from generate_series(1, 5) i order by 1;
select biggest(i::text, '3') from generate_series(1, 5) i order by 1;
select either(null, 1), either(null, 'x'), either(1, 2.5), pg_typeof(either(1, 2.5)), pg_typeof(either(null, 'x'));
select either(1, 'x'::text);
select noarr(1), noarr('a'::text); select noarr(array[1]);
select * from dup(1); select * from dup('a'::text); select dup(1.5); select * from dup2(1); select * from dup2('a'::text);
select * from many(1, 2); select many('a'::text, 2); select * from many2(1, 2); select many2('a'::text, 2); select * from tab('z'::text); select * from tab(1.0);
select en('ok'::mood); select en(1); select lo(int4range(1, 5)), lo(numrange(1.5, 2)); select pg_typeof(lo(daterange('2020-01-01', null)));
create function bad() returns anyelement language sql as 'select 1';
create function bad(a int) returns anyarray language sql as 'select array[1]';
create function bad(a anyelement) returns anyrange language sql as 'select null';
create function bad(a anyelement) returns anycompatible language sql as 'select null';
-- overloads
create function ov(a int) returns text language sql as $$ select 'int' $$; create function ov(a anyelement) returns text language sql as $$ select 'any' $$; create function ov(a text) returns text language sql as $$ select 'text' $$;
select ov(1), ov(1::smallint), ov(1.5), ov('x'), ov('x'::text), ov(array[1]), ov('x'::varchar), ov(true);
-- variadic
create function total(variadic a int[]) returns bigint language sql as 'select sum(x) from unnest(a) x';
create function joined(sep text, variadic a anyarray) returns text language plpgsql as $$ begin return array_to_string(a, sep) || ' ' || cardinality(a); end $$;
create function least_of(variadic a anycompatiblearray) returns anycompatible language sql as 'select min(x) from unnest(a) x';
create function nums(variadic a numeric[]) returns setof numeric language plpgsql as $$ begin return query select x * 2 from unnest(a) x; end $$;
select total(1), total(1, 2, 3), total(variadic array[4, 5]), total(variadic '{}'), total(variadic null::int[]), total(1::smallint, 2);
select total(); select total('a'); select total(1, 2.5); select total(array[1, 2]); select total(variadic 1);
select joined(',', 1, 2), joined('-', 'a'::text, 'b'), joined('', variadic array[1.5, 2]), joined('+', date '2020-01-01'); select joined(',');
select joined(',', 'a', 'b'); select joined('-', i, i + 1) from generate_series(1, 2) i;
select least_of(3, 2.5, 4), least_of(variadic array[7, 3]), pg_typeof(least_of(1, 2.5));
select * from nums(1, 2.5, 3); select nums(variadic array[1, 2]);
create function ov2(a int, b int) returns text language sql as $$ select 'two' $$; create function ov2(variadic a int[]) returns text language sql as $$ select 'variadic' $$;
select ov2(1, 2), ov2(1), ov2(1, 2, 3), ov2(variadic array[1, 2]);
create function bad(variadic a int) returns int language sql as 'select 1';
create function bad(variadic a int[], b int) returns int language sql as 'select 1';
create function errs(variadic a anyarray) returns int language plpgsql as $$ begin return 1 / (a[1] - a[1]); end $$;
\set SHOW_CONTEXT always
select errs(1, 2);
\set SHOW_CONTEXT never
-- shown
select proname, provariadic::regtype, pronargs, proargtypes, proargmodes, prorettype::regtype, pg_get_function_arguments(oid), pg_get_function_identity_arguments(oid), pg_get_function_result(oid) from pg_proc where pronamespace = 'public'::regnamespace and proname in ('joined', 'total', 'dup', 'least_of', 'tab', 'same') order by 1;
select pg_get_functiondef('joined'::regproc); select 'total(int[])'::regprocedure, 'same(anyelement)'::regprocedure;
\df
comment on function total(int[]) is 'c'; comment on function same(anyelement) is 's'; grant execute on function joined(text, anyarray) to public;
create view v as select same(1) as a, arr(1, 2) as b, total(1, 2) as c, total(variadic array[1]) as d, least_of(1, 2) as e; select * from v; select pg_get_viewdef('v');
drop function total(int[]); drop function same(anyelement); drop view v; drop function total(variadic int[]); drop function same(anyelement);
create or replace function first(a anyarray) returns anyelement language plpgsql as $$ begin return a[2]; end $$; select first(array[1,2]);
alter function first(anyarray) rename to second; select second(array['a','b']); drop function second; select second(array[1]);
prepare p as select biggest($1, 2); execute p(3); execute p(1); prepare q(text) as select arr($1, $1); execute q('w');
create function rec(n anyelement) returns anyelement language plpgsql as $$ begin if n <= 1 then return n; end if; return n * rec(n - 1); end $$; select rec(5), rec(5.0), rec(5::bigint);
do $$ declare a int[]; begin a := arr(1, 2); raise notice '% %', a, joined(',', variadic a); end $$;
