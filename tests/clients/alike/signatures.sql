-- Functions with their arguments, modes, names and defaults, all that PostgreSQL has.
select count(*), md5(string_agg(p.proname || pg_get_function_arguments(p.oid) || '/' || pg_get_function_identity_arguments(p.oid) || coalesce(pg_get_function_result(p.oid), ''), ',' order by p.oid)) from pg_proc p where p.oid < 12000;
\df jsonb_set
\df make_interval
\df pg_get_keywords
\da percentile_cont
\df concat_ws
\df unnest
