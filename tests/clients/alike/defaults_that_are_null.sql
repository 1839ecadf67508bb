-- A parameter that is NULL unless it is given: kept with its type, as tools and dumps show it.
CREATE DOMAIN few AS int;
CREATE DOMAIN fewer AS few;
CREATE DOMAIN short AS varchar(3);
CREATE TYPE mood AS ENUM ('sad');
CREATE FUNCTION enqueue(name text, topic text DEFAULT NULL, priority bigint default null, args json DEFAULT null, tags text[] DEFAULT NULL, due date DEFAULT null, said text DEFAULT null::text)
  RETURNS text LANGUAGE sql AS $$ SELECT name || coalesce(topic, '-') || coalesce(priority::text, '-') $$;
SELECT pg_get_functiondef('enqueue'::regproc);
SELECT pg_get_expr(proargdefaults, 0) FROM pg_proc WHERE proname = 'enqueue';
SELECT parameter_name, parameter_default FROM information_schema.parameters WHERE specific_schema = 'public' ORDER BY ordinal_position;
SELECT enqueue('a'), enqueue('b', 'c'), enqueue('d', priority => 1);
CREATE FUNCTION of_types(a anyelement DEFAULT NULL, b anyarray DEFAULT NULL, c fewer DEFAULT NULL, d short DEFAULT NULL, e char DEFAULT NULL, f bit(3) DEFAULT NULL, g "char" DEFAULT NULL,
  h interval(3) DEFAULT NULL, i timestamp(3) DEFAULT NULL, j fewer[] DEFAULT NULL, k mood DEFAULT NULL, l varchar(3) DEFAULT NULL, m anycompatible DEFAULT NULL) RETURNS int LANGUAGE plpgsql AS 'begin return 1; end';
SELECT pg_get_function_arguments('of_types'::regproc);
CREATE PROCEDURE done(INOUT a text DEFAULT NULL, b int DEFAULT NULL) LANGUAGE plpgsql AS 'begin a := coalesce(a, $$nothing$$) || coalesce(b, 0); end';
CALL done();
SELECT pg_get_function_arguments('done'::regproc);
\df enqueue
