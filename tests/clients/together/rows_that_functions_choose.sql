levels: read committed
-- A function that looks at the table says which rows a statement is about: those alone are locked.
setup: CREATE TABLE t (id int PRIMARY KEY, n int)
setup: INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)
setup: CREATE FUNCTION larger(k int) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM t WHERE id > k); END $$
== others' rows are free
a: BEGIN ISOLATION LEVEL READ COMMITTED
a: DELETE FROM t WHERE larger(id) = 0
a: UPDATE t SET n = n + 1 WHERE larger(id) = 0
b: UPDATE t SET n = n + 10 WHERE id = 1
b: UPDATE t SET n = n + 10 WHERE id = 2
a: COMMIT
a: SELECT * FROM t ORDER BY 1
