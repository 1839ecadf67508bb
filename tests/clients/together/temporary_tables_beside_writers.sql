-- What a block puts into temporary tables nobody else sees: who goes on writing to what it has read is in nobody's way, at any level.
levels: read committed, repeatable read, serializable
setup: CREATE TABLE t (id int PRIMARY KEY, n int)
setup: INSERT INTO t VALUES (1, 10), (2, 20)
== made of a query
a: BEGIN
a: CREATE TEMP TABLE latest AS SELECT * FROM t
b: UPDATE t SET n = n + 1
a: COMMIT
a: SELECT * FROM latest ORDER BY id
b: SELECT * FROM t ORDER BY id
== filled, with what it has of its own
a: BEGIN
a: CREATE TEMP TABLE latest (no serial PRIMARY KEY, n int CHECK (n > 0))
a: CREATE INDEX ON latest (n)
a: INSERT INTO latest (n) SELECT n FROM t ORDER BY id
b: UPDATE t SET n = n + 1
a: UPDATE latest SET n = n * 2 WHERE n IN (SELECT n FROM t)
b: DELETE FROM t WHERE id = 1
a: COMMIT
a: SELECT * FROM latest ORDER BY no
== one that was there before, and goes at the end
a: CREATE TEMP TABLE latest (n int) ON COMMIT DELETE ROWS
a: BEGIN
a: INSERT INTO latest SELECT n FROM t
a: SELECT sum(n) FROM latest
b: UPDATE t SET n = n + 1
a: COMMIT
a: SELECT count(*) FROM latest
== a view and a function of its own
a: BEGIN
a: CREATE TEMP VIEW latest AS SELECT sum(n) FROM t
a: CREATE FUNCTION pg_temp.twice(int) RETURNS int LANGUAGE sql AS 'SELECT 2 * $1'
a: SELECT pg_temp.twice(sum::int) FROM latest
b: UPDATE t SET n = n + 1
a: COMMIT
a: SELECT pg_temp.twice(sum::int) FROM latest
