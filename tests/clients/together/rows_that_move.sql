levels: read committed
-- A statement has waited for a row, and that has another key.
setup: CREATE TABLE t (id int PRIMARY KEY, v text)
setup: INSERT INTO t VALUES (1, 'one'), (2, 'two')
== under another key
a: BEGIN
a: UPDATE t SET id = 7 WHERE id = 1
b: UPDATE t SET v = 'b' WHERE id = 1
a: COMMIT
b: SELECT * FROM t ORDER BY 1
== under another key, found by what has stayed
a: BEGIN
a: UPDATE t SET id = 7 WHERE id = 1
b: UPDATE t SET v = 'b' WHERE v = 'one'
a: COMMIT
b: SELECT * FROM t ORDER BY 1
== under another key, locked by a query
a: BEGIN
a: UPDATE t SET id = 7 WHERE id = 1
b: SELECT * FROM t WHERE v = 'one' FOR UPDATE
a: COMMIT
== under another key, deleted by what has stayed
a: BEGIN
a: UPDATE t SET id = 7 WHERE v = 'one'
b: DELETE FROM t WHERE v = 'one'
a: COMMIT
b: SELECT * FROM t ORDER BY 1
