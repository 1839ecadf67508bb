-- A VARIADIC parameter's default is an array: it stands where no element is given.
create type mode as enum ('data', 'nodata', 'verbose');
create function modes(of_what text, variadic said mode[] default '{nodata}'::mode[]) returns text language plpgsql as $$
begin
  if 'data' = any(said) then return of_what || ' with rows ' || said::text; end if;
  return of_what || ' ' || coalesce(said::text, 'nothing');
end $$;
select modes('a'), modes('b', 'data'), modes('c', 'verbose', 'data'), modes('d', variadic array['data']::mode[]), modes('e', variadic '{}'), modes('f', variadic null);
select modes(of_what => 'a');
select modes(said => '{data}', of_what => 'a');
select modes();
select modes('a', 'none');
create function sums(first int default 1, second int default 2, variadic rest int[] default array[3, 4]) returns int language sql
  as 'select first + second + coalesce((select sum(x)::int from unnest(rest) x), 0)';
select sums(), sums(10), sums(10, 20), sums(10, 20, 30), sums(10, 20, 30, 40), sums(10, 20, variadic '{}');
select sums(first => 5);
select pg_get_function_arguments('sums'::regproc), pg_get_function_identity_arguments('sums'::regproc), pg_get_function_result('sums'::regproc);
select pg_get_functiondef('modes'::regproc);
select pronargs, pronargdefaults, provariadic::regtype, proargmodes, proargnames, pg_get_expr(proargdefaults, 0) from pg_proc where proname in ('modes', 'sums') order by 1;
\df modes
\df sums
-- with another of its name
create function sums(first int, second int) returns int language sql as 'select -1';
select sums(10, 20), sums(10), sums(10, 20, 30);
create function sums(first text, variadic rest text[] default '{x}') returns text language sql as 'select first || array_to_string(rest, first)';
select sums('-'), sums('-', 'a'), sums('-', 'a', 'b'), sums(10);
create function loose(variadic rest int[] default '{1}') returns int language sql as 'select cardinality(rest)';
create function loose(a int default 1) returns int language sql as 'select -a';
select loose();
select loose(3), loose(3, 4);
-- what has defaults before it must have one itself
create function late(a int default 1, variadic b int[]) returns int language sql as 'select a';
create function bad(variadic b int[] default 3) returns int language sql as 'select 1';
create function bad(variadic b int[] default '{{}') returns int language sql as 'select 1';
-- views, defaults and other bodies that call them
create table t (n int default sums(), m text default modes('t'));
insert into t default values returning *;
insert into t(n) select sums(g) from generate_series(1, 2) g returning *;
create view v as select sums(n, n) as two, sums(n, n, n) as three, sums(n, n, n, n) as four, modes(m) as m from t;
select * from v;
select pg_get_viewdef('v');
select adnum, pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 't'::regclass order by 1;
create function outer_one(n int) returns int language plpgsql as $$ begin perform sums(); return sums(n) + sums(n, n, n); end $$;
select outer_one(1), outer_one(2);
create or replace function sums(first int default 1, second int default 2, variadic rest int[]) returns int language sql as 'select 0';
create or replace function sums(first int default 1, second int default 2, variadic rest int[] default '{7}') returns int language sql
  as 'select first + second + coalesce((select sum(x)::int from unnest(rest) x), 0)';
select sums(1), sums();
drop function sums(int, int, variadic int[]);
