-- "any" is a reserved word: the type's name is written so that it is read back.
select format_type(2276, null), 2276::regtype, 2276::regtype::text, '"any"'::regtype, to_regtype('"any"');
select oid, typname from pg_type where format_type(oid, null) like '%"%' and typname !~ '^_' order by oid;
select 'count("any")'::regprocedure, pg_get_function_arguments('num_nulls'::regproc), pg_get_function_arguments('pg_typeof'::regproc);
select proname, proargtypes::regtype[] from pg_proc where 2276 = any (proargtypes) order by oid limit 12;
\df pg_typeof
\df num_n*
create table any_in_quotes (a "any");
