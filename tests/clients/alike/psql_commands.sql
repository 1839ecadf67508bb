-- What psql makes of results: descriptions without running, variables, statements from rows, tables across.
CREATE TABLE sales (region text, quarter int, amount numeric(8,2));
INSERT INTO sales VALUES ('north', 1, 10.5), ('north', 2, 20), ('south', 1, 5), ('south', 3, NULL);
SELECT region, sum(amount) AS total, count(*), max(quarter), NULL AS nothing, ARRAY[1] AS list FROM sales GROUP BY region \gdesc
INSERT INTO sales VALUES ('never', 1, 1) RETURNING *, amount * 2 AS double \gdesc
UPDATE sales SET quarter = 9 \gdesc
SELECT nothing FROM sales \gdesc
SELECT count(*) AS n FROM sales \gset
\echo :n
SELECT region AS r, quarter AS q FROM sales WHERE amount = 5 \gset at_
\echo :at_r :at_q
SELECT 1 AS a, NULL AS a2 \gset
\echo :a :a2
SELECT * FROM sales \gset
SELECT 1 WHERE false \gset
SELECT format('CREATE TABLE %I (a int)', 't' || i) FROM generate_series(1, 3) i ORDER BY i \gexec
SELECT 'SELECT 1/0', 'SELECT ''after''', NULL \gexec
SELECT relname FROM pg_class WHERE relname ~ '^t[1-3]$' ORDER BY 1;
SELECT region, quarter, amount FROM sales ORDER BY 1, 2 \crosstabview
SELECT region, quarter, amount FROM sales ORDER BY 1, 2 \crosstabview quarter region amount
SELECT region, amount FROM sales \crosstabview
SELECT region, 1, 2 FROM sales \crosstabview
\set ON_ERROR_STOP 0
SELECT * FROM nowhere;
\errverbose
SELECT 1/0;
\errverbose
INSERT INTO sales VALUES ('a', 'b', 'c');
\echo :ERROR :SQLSTATE :ROW_COUNT :LAST_ERROR_SQLSTATE :LAST_ERROR_MESSAGE
SELECT 1;
\echo :ERROR :SQLSTATE :ROW_COUNT
SELECT region FROM sales ORDER BY region, quarter LIMIT 1 \gx
SELECT region FROM sales ORDER BY region, quarter \g (format=csv tuples_only)
SELECT 1 \; SELECT 2 \;
SELECT 3;
\set FETCH_COUNT 2
SELECT * FROM sales ORDER BY 1, 2;
\unset FETCH_COUNT
\set AUTOCOMMIT off
INSERT INTO sales VALUES ('west', 1, 1);
ROLLBACK;
\set AUTOCOMMIT on
\set ON_ERROR_ROLLBACK on
BEGIN;
SELECT 1/0;
SELECT count(*) FROM sales;
COMMIT;
\pset null (null)
SELECT amount FROM sales WHERE amount IS NULL;
\encoding
\copy sales (region, quarter) FROM stdin
east	1
\.
\copy (SELECT region, quarter FROM sales WHERE region = 'east') TO stdout WITH (FORMAT csv, HEADER)
