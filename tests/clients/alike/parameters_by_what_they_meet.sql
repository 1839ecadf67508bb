-- What a parameter is that nobody has told the type of: beside BETWEEN, in rows that become composite values, before IS UNKNOWN.
CREATE TYPE pair AS (x int, y text);
CREATE TABLE t (id int PRIMARY KEY, n smallint, r int4range, p pair, b bool, d date);
INSERT INTO t VALUES (1, 5, '[1,5)', (1, 'a'), true, '2024-01-01'), (2, NULL, '[2,9)', (2, NULL), NULL, '2024-02-01');
PREPARE q1 AS SELECT id FROM t WHERE $1 BETWEEN n AND $2;
PREPARE q2 AS SELECT id FROM t WHERE $1 BETWEEN 1 AND $2;
PREPARE q3 AS SELECT id FROM t WHERE $1 BETWEEN r AND $2 OR $3 NOT BETWEEN d AND '2024-03-01';
PREPARE q4 AS SELECT id FROM t WHERE $1 BETWEEN SYMMETRIC id AND $2 ORDER BY id;
PREPARE q6 AS SELECT $1 BETWEEN $2 AND $3, $4 BETWEEN b AND NULL FROM t;
PREPARE q7 AS SELECT ROW($1, $2)::pair, CAST(($3, 'z') AS pair), ROW('5', $4)::pair, ARRAY[ROW($5, $6)::pair];
PREPARE q8 AS INSERT INTO t (id, p) VALUES ($1, ROW($2, $3)) RETURNING p;
PREPARE q9 AS UPDATE t SET p = ($1, $2) WHERE id = $3 RETURNING p;
PREPARE q11 AS SELECT $1 IS UNKNOWN, $2 IS NOT UNKNOWN, $3 IS NOT TRUE;
SELECT name, parameter_types FROM pg_prepared_statements ORDER BY length(name), name;
EXECUTE q1(7, 9);
EXECUTE q2(2, 3);
EXECUTE q3('[3,4)', '[9,10)', '2024-01-15');
EXECUTE q4(2, 3);
EXECUTE q6('b', 'a', 'c', true);
EXECUTE q7(1, 'a', 2, 'b', 3, 'c');
EXECUTE q8(3, 7, 'q');
EXECUTE q9(8, NULL, 3);
EXECUTE q11(true, NULL, false);

-- IS UNKNOWN is asked of booleans alone
SELECT 1 IS UNKNOWN;
SELECT 'x' IS NOT UNKNOWN;
SELECT 't' IS UNKNOWN, NULL IS UNKNOWN, (1 = NULL) IS UNKNOWN AS so, b IS NOT UNKNOWN FROM t ORDER BY id;
SELECT d IS UNKNOWN FROM t;
CREATE TABLE asked (a bool CHECK (a IS NOT UNKNOWN), unknown int DEFAULT 3, g bool GENERATED ALWAYS AS (a IS UNKNOWN) STORED);
INSERT INTO asked (a) VALUES (NULL);
INSERT INTO asked (a) VALUES (true) RETURNING *;
SELECT unknown, asked.unknown, unknown IS NULL FROM asked;
CREATE INDEX ON asked (a) WHERE a IS UNKNOWN;

PREPARE schemas AS SELECT current_schemas($1);
EXECUTE schemas(true);
EXECUTE schemas(false);
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'schemas';
SELECT current_schemas('no'), current_schemas(NULL);
SELECT current_schemas('x');

-- Beside NULL nobody decides what a parameter is, and no operator is asked.
\set VERBOSITY verbose
PREPARE u1 AS SELECT $1 IS DISTINCT FROM NULL;
PREPARE u2 AS SELECT NULL IS NOT DISTINCT FROM $1;
PREPARE u3 AS SELECT $1 IS NULL;
SELECT $1 IS NULL;
PREPARE u4 AS SELECT $1 = 1, $1 IS DISTINCT FROM NULL;
EXECUTE u4(2);
CREATE TABLE told_from_null (id int PRIMARY KEY, j json, n int, p point, a int[]);
INSERT INTO told_from_null VALUES (1, '1', 1, '(1,1)', '{1}'), (2);
SELECT id, j IS DISTINCT FROM NULL, n IS DISTINCT FROM NULL, NULL IS NOT DISTINCT FROM p, a IS NOT DISTINCT FROM NULL FROM told_from_null ORDER BY id;
SELECT j IS DISTINCT FROM NULL, n IS NOT DISTINCT FROM NULL FROM told_from_null WHERE id = 2;
CREATE VIEW told AS SELECT id FROM told_from_null WHERE j IS DISTINCT FROM NULL AND NULL IS DISTINCT FROM n;
SELECT pg_get_viewdef('told'::regclass);
SELECT ROW(1, 2) IS DISTINCT FROM NULL, ROW(NULL, NULL) IS DISTINCT FROM NULL, (NULL, NULL) IS NOT DISTINCT FROM NULL, NULL IS DISTINCT FROM NULL;
