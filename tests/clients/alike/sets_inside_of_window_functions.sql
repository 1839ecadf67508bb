-- A set-returning function is no argument of a window function; ends of an enum without labels.
select lag(generate_series(1, 3)) over ();
select first_value(unnest(array[1, 2])) over (order by 1);
select lag(x) over (order by x) from generate_series(1, 3) x;
select row_number() over (), generate_series(1, 2);
select ntile(generate_series(1, 2)) over ();
create type nothing as enum ();
select enum_first(null::nothing);
select enum_last(null::nothing);
select enum_range(null::nothing);
