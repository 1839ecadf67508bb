-- An aggregate calls the functions that it was made of, whatever others are called so since.
create function add3(anyelement, anyelement, anyelement) returns anyelement language sql strict as 'select $1 + $2 + $3';
create aggregate total2(anyelement, anyelement) (sfunc = add3, stype = anyelement, initcond = '0');
select total2(x, x + 1) from generate_series(1, 3) x;
create function add3(int8, int8, int8) returns int8 language sql strict as 'select 100::int8';
select total2(x, x + 1) from generate_series(1, 3) x;
create function fin(int) returns text language sql as $$ select 'i' || $1 $$;
create aggregate shown(int) (sfunc = int4pl, stype = int, initcond = '0', finalfunc = fin);
create function fin(numeric) returns text language sql as $$ select 'n' || $1 $$;
create function fin(bigint) returns text language plpgsql as $$ begin return 'b' || $1; end $$;
select shown(x), shown(x) filter (where x > 1) from generate_series(1, 3) x;
select x, shown(x) over (order by x) from generate_series(1, 3) x order by x;
