-- Functions of anycompatiblerange and anycompatiblemultirange.
create function polyf(x anycompatiblerange, y anycompatible, z anycompatible) returns anycompatiblearray as $$ select array[lower(x), upper(x), y, z] $$ language sql;
select polyf(int4range(42, 49), 11, 2::smallint) as int, polyf(float8range(4.5, 7.8), 7.8, 11::real) as num;
create type float8range as range (subtype = float8, subtype_diff = float8mi);
select polyf(int4range(42, 49), 11, 2::smallint) as int, polyf(float8range(4.5, 7.8), 7.8, 11::real) as num;
select polyf(int4range(42, 49), 11, 4.5) as fail;
drop function polyf(x anycompatiblerange, y anycompatible, z anycompatible);
create function polyf(x anycompatiblemultirange, y anycompatible, z anycompatible) returns anycompatiblearray as $$ select array[lower(x), upper(x), y, z] $$ language sql;
select polyf(multirange(int4range(42, 49)), 11, 2::smallint) as int, polyf(multirange(float8range(4.5, 7.8)), 7.8, 11::real) as num;
select polyf(multirange(int4range(42, 49)), 11, 4.5) as fail;
drop function polyf(x anycompatiblemultirange, y anycompatible, z anycompatible);
create function polyf(x anycompatible) returns anycompatiblerange as $$ select array[x + 1, x + 2] $$ language sql;
create function polyf(x anycompatiblerange, y anycompatiblearray) returns anycompatiblerange as $$ select x $$ language sql;
select polyf(int4range(42, 49), array[11]) as int, polyf(float8range(4.5, 7.8), array[7]) as num;
drop function polyf(x anycompatiblerange, y anycompatiblearray);
create function polyf(anycompatiblerange) returns anycompatiblemultirange as 'select multirange($1);' language sql;
select polyf(int4range(1,10)); select polyf(null); select polyf(int4multirange(int4range(1,2)));
create function polyg(anycompatiblemultirange) returns anycompatiblerange as 'select range_merge($1);' language sql;
select polyg(int4multirange(int4range(1,10), int4range(20,30))); select polyg(null);
create function polyh(anycompatiblemultirange) returns anycompatible as 'select lower($1);' language sql;
select polyh(int4multirange(int4range(1,10), int4range(20,30))); select polyh(null);
create function anyctest(anycompatible, anycompatiblerange) returns anycompatiblerange as $$ select $2 $$ language sql;
select x, pg_typeof(x) from anyctest(11, int4range(4,7)) x; select x, pg_typeof(x) from anyctest(11, numrange(4,7)) x;
select x, pg_typeof(x) from anyctest(11.2, int4range(4,7)) x; select x, pg_typeof(x) from anyctest(11.2, '[4,7)') x;
create function anyct2(anycompatiblerange, anycompatiblerange) returns anycompatible as $$ select lower($1) + upper($2) $$ language sql;
select x, pg_typeof(x) from anyct2(int4range(11,12), int4range(4,7)) x; select anyct2(int4range(11,12), numrange(4,7));
create function duplic(in i anycompatiblerange, out j anycompatible, out k anycompatiblearray) as $$ begin j := lower(i); k := array[lower(i),upper(i)]; end $$ language plpgsql;
select * from duplic(int4range(42,49)); select duplic(numrange(1,2.5)); select * from duplic(daterange('2020-01-01','2020-02-02'));
create function dup (f1 anycompatiblerange, f2 out anycompatible, f3 out anycompatiblearray, f4 out anycompatiblerange) as 'select lower($1), array[lower($1), upper($1)], $1' language sql;
select dup(int4range(4,7)); select * from dup(numrange(4,7)); select dup('(1,2)');
\df polyf
\df dup
create function bogus_func(anycompatible) returns anycompatiblerange as 'select int4range(1,10)' language sql;
create function bogus_func(anycompatible) returns anycompatiblemultirange as 'select int4range(1,10)' language sql;
