-- Parameters of any type whose defaults say which.
create function greet(a anyelement = 'World'::text) returns text language sql as $$ select 'Hello, ' || $1::text $$;
select greet(), greet(1), greet(date '2020-01-01');
create function pair(a anyelement, b anyelement default 0) returns anyelement language sql as $$ select b $$;
select pair(3), pair(3,4);
select pair(3.5);
select pair('x'::text);
create function arr(a anyarray default array[1,2]) returns anyelement language sql as $$ select a[1] $$;
select arr(), arr(array['x']), pg_typeof(arr());
create function und(a anyelement default 'x') returns text language sql as $$ select a::text $$;
select und();
create function pl(a anyelement default 5) returns anyelement language plpgsql as $$ begin return a; end $$;
select pl(), pl('z'::text);
create function comp(a anycompatible, b anycompatible default 2.5) returns anycompatible language sql as $$ select b $$;
select comp(1), pg_typeof(comp(1));
