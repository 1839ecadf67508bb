-- Domains as parameters, results and variables: what they ask is asked whenever a value is given.
CREATE DOMAIN posint AS int CHECK (VALUE > 0);
CREATE DOMAIN small AS posint CONSTRAINT not_much CHECK (VALUE < 100);
CREATE DOMAIN word AS text NOT NULL CHECK (VALUE ~ '^[a-z]+$');
CREATE DOMAIN pair AS int[] CHECK (array_length(VALUE, 1) = 2);
CREATE TABLE t (id posint PRIMARY KEY, w word, n int);

-- functions in SQL
CREATE FUNCTION half(n posint) RETURNS posint LANGUAGE sql AS 'SELECT n / 2';
SELECT half(10), half(1 + 1);
SELECT half(0);
SELECT half(1);
SELECT half(NULL);
SELECT half(n) FROM generate_series(2, 5) n;
SELECT half(n) FROM generate_series(0, 5) n;
CREATE FUNCTION twice(n small = 7) RETURNS TABLE (a small, b text) LANGUAGE sql AS 'SELECT n * 2, ''x''';
SELECT * FROM twice();
SELECT * FROM twice(49);
SELECT * FROM twice(50);
SELECT * FROM twice(100);
CREATE FUNCTION sized(w word) RETURNS SETOF posint LANGUAGE sql AS 'SELECT length(w) - i FROM generate_series(1, 3) i';
SELECT * FROM sized('abcd');
SELECT * FROM sized('abc');
SELECT * FROM sized('aBc');
SELECT * FROM sized(NULL);
CREATE FUNCTION two_parts(p pair) RETURNS int LANGUAGE sql RETURN p[1] + p[2];
SELECT two_parts('{1,2}'), two_parts(ARRAY[3, 4]);
SELECT two_parts('{1}');
CREATE FUNCTION several(n posint) RETURNS posint LANGUAGE sql AS 'INSERT INTO t VALUES (n, ''a'', 1); SELECT n - 5';
SELECT several(6);
SELECT several(5);
SELECT several(-5);
TABLE t;

-- PL/pgSQL: parameters, results, variables
CREATE FUNCTION less(n posint, by int) RETURNS posint LANGUAGE plpgsql AS $$
DECLARE m posint := n;
BEGIN
  m := m - by;
  RETURN m;
END $$;
SELECT less(5, 2);
SELECT less(5, 5);
SELECT less(0, 5);
CREATE FUNCTION result(n int) RETURNS small LANGUAGE plpgsql AS 'BEGIN RETURN n; END';
SELECT result(5);
SELECT result(NULL);
SELECT result(0);
SELECT result(500);
CREATE FUNCTION outs(n int, OUT a posint, OUT b word) LANGUAGE plpgsql AS 'BEGIN a := n; b := ''x''; END';
SELECT * FROM outs(1);
SELECT * FROM outs(0);
CREATE FUNCTION there_and_back(INOUT n posint) LANGUAGE plpgsql AS 'BEGIN n := n - 1; END';
SELECT there_and_back(2);
SELECT there_and_back(1);
CREATE FUNCTION listed(n int) RETURNS SETOF posint LANGUAGE plpgsql AS
  'BEGIN FOR i IN REVERSE 2..n LOOP RETURN NEXT i; END LOOP; END';
SELECT * FROM listed(3);
CREATE FUNCTION kept(n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE m small := 50; w word := 'a'; c t.id%TYPE; r t%ROWTYPE; p pair; e text := ''; k posint[] := '{1}';
BEGIN
  BEGIN m := n; EXCEPTION WHEN check_violation THEN e := e || SQLERRM || '; '; END;
  BEGIN w := NULL; EXCEPTION WHEN not_null_violation THEN e := e || SQLERRM || '; '; END;
  BEGIN c := n - 1000; EXCEPTION WHEN check_violation THEN e := e || SQLERRM || '; '; END;
  BEGIN r.w := 'A'; EXCEPTION WHEN check_violation THEN e := e || SQLERRM || '; '; END;
  BEGIN p := ARRAY[1, 2, 3]; EXCEPTION WHEN check_violation THEN e := e || SQLERRM || '; '; END;
  BEGIN k := ARRAY[1, -2, 3]; EXCEPTION WHEN check_violation THEN e := e || SQLERRM || '; '; END;
  BEGIN SELECT -1 INTO c; EXCEPTION WHEN check_violation THEN e := e || SQLERRM || '; '; END;
  BEGIN EXECUTE 'SELECT -1, ''b''' INTO c, w; EXCEPTION WHEN check_violation THEN e := e || SQLERRM || '; '; END;
  BEGIN FOR c IN SELECT generate_series(1, -1, -1) LOOP NULL; END LOOP; EXCEPTION WHEN check_violation THEN e := e || SQLERRM || '; '; END;
  BEGIN FOREACH m IN ARRAY ARRAY[1, 101] LOOP NULL; END LOOP; EXCEPTION WHEN check_violation THEN e := e || SQLERRM || '; '; END;
  p := '{5,6}';
  RETURN e || concat_ws(' ', m, w, c, r.w, p::text, k::text);
END $$;
SELECT kept(99);
SELECT kept(100);
DO $$ DECLARE w word; BEGIN NULL; END $$;
DO $$ DECLARE w word := 'A'; BEGIN NULL; END $$;
DO $$ DECLARE n posint; BEGIN n := 2; RAISE NOTICE '% %', n, pg_typeof(n + 1); n := NULL; RAISE NOTICE '%', n; END $$;
CREATE PROCEDURE proc(n posint, INOUT m small) LANGUAGE plpgsql AS 'BEGIN m := m + n; END';
CALL proc(1, 5);
CALL proc(0, 5);
CALL proc(95, 5);
DO $$ DECLARE m small := 5; BEGIN CALL proc(3, m); RAISE NOTICE '%', m; END $$;

-- what is changed later holds
ALTER DOMAIN posint ADD CHECK (VALUE <> 3);
SELECT less(5, 2);
SELECT half(6);
SELECT half(8);
ALTER DOMAIN posint DROP CONSTRAINT posint_check;
SELECT less(5, 9);

-- listed
SELECT proname, pg_get_function_arguments(oid), pg_get_function_result(oid) FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace ORDER BY 1;
SELECT 'half(posint)'::regprocedure, proargtypes[0]::regtype, prorettype::regtype FROM pg_proc WHERE proname = 'half';
\df less
CREATE OR REPLACE FUNCTION half(n posint) RETURNS int LANGUAGE sql AS 'SELECT n / 2';
CREATE OR REPLACE FUNCTION half(n posint) RETURNS posint LANGUAGE sql AS 'SELECT n / 4';
SELECT half(8);
DROP FUNCTION half(int);
DROP DOMAIN pair;
DROP FUNCTION half(posint);
DROP DOMAIN pair CASCADE;
SELECT half(8);
DROP FUNCTION two_parts;
CREATE FUNCTION of_out(OUT n small) RETURNS int LANGUAGE sql AS 'SELECT 1';

-- A variable or parameter of a domain is of the domain to those who ask, and of the type underneath to who computes with it.
CREATE DOMAIN step AS int CHECK (value > 0);
CREATE DOMAIN word AS text;
DO $$
DECLARE x step := 1; y step[] := array[1]; w word := 'a'; n step;
BEGIN
    RAISE NOTICE '% % % %', pg_typeof(x), pg_typeof(y), pg_typeof(w), pg_typeof(n);
    RAISE NOTICE '% % % %', pg_typeof(x + 1), pg_typeof(w || 'b'), pg_typeof(coalesce(x, n)), x = 1;
    x := x + 4; y := y || 7;
    RAISE NOTICE '% % %', x, y, length(w);
END $$;
CREATE FUNCTION types_of(p step, q word) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
    SELECT p AS x, q || 'y' AS y INTO r;
    CREATE TEMP TABLE kept AS SELECT p AS c, p + 1 AS d;
    RETURN pg_typeof(p) || ' ' || pg_typeof(q) || ' ' || to_json(q) || ' ' || (p IN (1, 2))::text;
END $$;
SELECT types_of(1, 'a');
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'kept'::regclass AND attnum > 0 ORDER BY attnum;
-- A message may be empty.
DO $$ BEGIN RAISE EXCEPTION USING MESSAGE = '', ERRCODE = '22012'; END $$;
DO $$ BEGIN RAISE NOTICE USING MESSAGE = ''; END $$;
