-- char without a length is "character" where a function is shown, not the type of any length that it is kept as.
create function of_char(char) returns text language sql as 'select $1::text';
create function of_char(a char, b char[], c char(3), d varchar(4), e bit, f numeric(3,1)) returns char language sql as 'select $1';
create function of_chars(a bpchar, out b char, variadic c char[]) language sql as 'select $1';
create function rows_of_char() returns table(a char, b char(3)) language sql as $$select 'a'::char, 'b'::char(3)$$;
create function sets_of_char() returns setof char[] language sql as $$select null::char[]$$;
create function of_one_byte("char", name) returns bpchar language sql as $$select null::bpchar$$;
\df public.*
select pg_get_functiondef(oid), oid::regprocedure, pg_get_function_identity_arguments(oid), pg_get_function_arguments(oid),
    pg_get_function_result(oid)
from pg_proc where pronamespace = 'public'::regnamespace order by 2::text;
select routine_name, data_type from information_schema.routines where routine_schema = 'public' order by 1, 2;
create view asks as select of_char('a'::char) x;
drop function of_char(char);
drop function of_char(char, char);
comment on function of_char(char[], bit) is 'x';
