-- Operators that users define.
CREATE FUNCTION glue(a int, b int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT a * 100 + b';
CREATE OPERATOR ### (leftarg = int, rightarg = int, function = glue);
SELECT 1 ### 2, 1 ### 2 ### 3, 1 + 1 ### 2 * 3, 1 ### -2;
SELECT 1 ### 2 = 102 AND 3 ### 4 > 5, NOT 1 ### 2 < 3;
SELECT 1 OPERATOR(public.###) 2, 2 * 2 OPERATOR(public.###) 2 + 3;
SELECT '1' ### 2, 1 ### '2', '1' ### '2';
SELECT 1::smallint ### 2::smallint;
SELECT 1 ### 2::bigint;
SELECT 1 ### NULL;
SELECT ### 1;
SELECT 1 #### 2;
SELECT 1 OPERATOR(nowhere.###) 2;
SELECT 1 OPERATOR(pg_catalog.###) 2;
SELECT 'a' ### 'b'::text;
-- prefix ones, in PL/pgSQL and over functions of PostgreSQL's own
CREATE FUNCTION twice(n int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN n * 2; END';
CREATE OPERATOR @#@ (rightarg = int8, procedure = numeric_fac);
CREATE OPERATOR !! (rightarg = int, function = twice);
CREATE OPERATOR |-| (rightarg = text, function = length);
SELECT !! 21, !! !! 3, 1 + !! 2, !! 2 + 1, |-| 'abc', - |-| 'abc';
SELECT x, !! x, x ### !! x FROM generate_series(1, 3) x;
SELECT 5 ### !! 6;
-- signs that PostgreSQL has, over types of users
CREATE TYPE complex AS (r float8, i float8);
CREATE FUNCTION c_add(complex, complex) RETURNS complex LANGUAGE sql IMMUTABLE AS 'SELECT ROW($1.r + $2.r, $1.i + $2.i)::complex';
CREATE FUNCTION c_eq(complex, complex) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1.r = $2.r AND $1.i = $2.i';
CREATE FUNCTION c_abs(complex) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT sqrt($1.r * $1.r + $1.i * $1.i)';
CREATE FUNCTION c_lt(complex, complex) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT c_abs($1) < c_abs($2)';
CREATE OPERATOR + (leftarg = complex, rightarg = complex, function = c_add, commutator = +);
CREATE OPERATOR = (leftarg = complex, rightarg = complex, function = c_eq, commutator = =, hashes, merges, restrict = eqsel, join = eqjoinsel);
CREATE OPERATOR < (leftarg = complex, rightarg = complex, function = c_lt, restrict = scalarltsel, join = scalarltjoinsel);
CREATE OPERATOR @ (rightarg = complex, function = c_abs);
CREATE TABLE points (id int PRIMARY KEY, z complex);
INSERT INTO points VALUES (1, (3, 4)), (2, (0, 1)), (3, NULL), (4, (4, 3));
SELECT id, z + z, @ z, z + '(1,1)' FROM points ORDER BY id;
SELECT a.id, b.id FROM points a JOIN points b ON a.z < b.z ORDER BY 1, 2;
SELECT id FROM points WHERE z = '(0,1)';
SELECT id FROM points WHERE z < '(4,4)'::complex ORDER BY id;
SELECT id, z IN ('(3,4)'::complex, '(0,1)'::complex) FROM points ORDER BY id;
SELECT id, CASE z WHEN '(3,4)'::complex THEN 'that' ELSE 'other' END FROM points ORDER BY id;
SELECT id FROM points WHERE z = ANY (ARRAY['(3,4)', '(4,3)']::complex[]) ORDER BY id;
SELECT id FROM points WHERE id = 2 AND @ z = 1;
UPDATE points SET z = z + '(1,0)' WHERE id = 2 RETURNING *;
SELECT 1 + 1, 1 = 1, 1 < 2, @ -3;
-- enums, and values that are read for them
CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad');
CREATE FUNCTION cheer(mood, int) RETURNS text LANGUAGE sql AS 'SELECT $1::text || repeat(''!'', $2)';
CREATE OPERATOR ~> (leftarg = mood, rightarg = int, function = cheer);
SELECT 'ok'::mood ~> 3, 'glad' ~> 2;
SELECT 'ok'::mood < 'glad';
-- any type
CREATE FUNCTION pair(anyelement, anyelement) RETURNS anyarray LANGUAGE sql AS 'SELECT ARRAY[$1, $2]';
CREATE OPERATOR <+> (leftarg = anyelement, rightarg = anyelement, function = pair);
SELECT 1 <+> 2, 'a'::text <+> 'b', now()::date = (now()::date <+> now()::date)[1];
SELECT 1 <+> 'x'::text;
-- which of two
CREATE FUNCTION glue(a bigint, b bigint) RETURNS bigint LANGUAGE sql AS 'SELECT a * 1000 + b';
CREATE OPERATOR ### (leftarg = bigint, rightarg = bigint, function = glue);
SELECT 1 ### 2, 1 ### 2::bigint, 1::smallint ### 2::smallint;
CREATE FUNCTION glue(a text, b text) RETURNS text LANGUAGE sql AS 'SELECT a || ''_'' || b';
CREATE OPERATOR ### (leftarg = text, rightarg = text, function = glue);
SELECT 'a' ### 'b', 1 ### '2', 'a'::varchar ### 'b';
-- search_path
CREATE SCHEMA s;
CREATE FUNCTION s.minus(int, int) RETURNS int LANGUAGE sql AS 'SELECT $1 - $2';
CREATE OPERATOR s.### (leftarg = int, rightarg = int, function = s.minus);
SELECT 5 ### 3, 5 OPERATOR(s.###) 3;
SET search_path = s, public;
SELECT 5 ### 3;
CREATE OPERATOR s.+ (leftarg = int, rightarg = int, function = s.minus);
SELECT 5 + 3, 5 OPERATOR(s.+) 3, 5 OPERATOR(s.+) 3 * 2;
SET search_path = s, pg_catalog, public;
SELECT 5 + 3;
RESET search_path;
-- in bodies, views, defaults, CHECKs
CREATE VIEW glued AS SELECT id, id ### 7 AS g, 7 OPERATOR(s.###) id AS m FROM points WHERE z < '(9,9)'::complex;
SELECT * FROM glued ORDER BY id;
SELECT pg_get_viewdef('glued', true);
SET search_path = s;
SELECT pg_get_viewdef('public.glued');
RESET search_path;
CREATE TABLE checked (a int CHECK (a ### 1 > 100), b int DEFAULT 3 ### 4);
INSERT INTO checked (a) VALUES (5);
INSERT INTO checked (a) VALUES (0);
SELECT * FROM checked;
SET search_path = s;
INSERT INTO public.checked (a) VALUES (6);
INSERT INTO public.checked (a) VALUES (0);
RESET search_path;
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'checked'::regclass;
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'checked'::regclass;
\d checked
DO $$ DECLARE n int := 4; BEGIN n := n ### 5; RAISE NOTICE '% %', n, !! n; END $$;
CREATE FUNCTION uses(int) RETURNS int LANGUAGE sql AS 'SELECT $1 ### 9';
SELECT uses(4);
PREPARE p AS SELECT $1 ### 2, $1 + 1;
EXECUTE p(4);
SELECT count(*), sum(x ### 1) FROM generate_series(1, 3) x GROUP BY x ### 1 > 200 ORDER BY 1;
SELECT x FROM generate_series(1, 3) x ORDER BY !! x DESC;
-- what is in the way
DROP FUNCTION glue(int, int);
DROP OPERATOR ### (int, int);
DROP OPERATOR ### (int, int) CASCADE;
SELECT * FROM glued;
\d checked
DROP OPERATOR ### (int, int);
DROP OPERATOR IF EXISTS ### (int, int);
DROP OPERATOR IF EXISTS ### (int, nothing);
DROP OPERATOR ### (int);
DROP OPERATOR ### (int, NONE);
DROP OPERATOR + (int, int);
DROP OPERATOR !! (NONE, int);
DROP TYPE mood;
DROP TYPE mood CASCADE;
DROP SCHEMA s CASCADE;
-- of several values
CREATE FUNCTION same_digit(int, int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 10 = $2 % 10';
CREATE OPERATOR ~== (leftarg = int, rightarg = int, function = same_digit);
SELECT 3 ~== ALL (ARRAY[3, 13]), 3 ~== ANY (ARRAY[4, 13]), 3 ~== ALL ('{3,4}'), 3 ~== SOME (SELECT 13), 3 ~== ALL (SELECT 14);
SELECT 3 OPERATOR(public.~==) ANY (ARRAY[13]), 3 OPERATOR(pg_catalog.<) ALL ('{4,5}'), 3 OPERATOR(public.~==) ALL (ARRAY[13, 14]);
SELECT 3 OPERATOR(public.###) ALL (ARRAY[13]);
