-- A request that waits behind another one, while no holder keeps it from the row, does not make a deadlock: it passes.
setup: CREATE TABLE t (id int PRIMARY KEY, n int)
setup: INSERT INTO t VALUES (1, 1), (2, 2)
== the first to share has to wait for the second
a: BEGIN
c: BEGIN
c: UPDATE t SET n = 20 WHERE id = 2
a: SELECT n FROM t WHERE id = 1 FOR SHARE
b: BEGIN
b: UPDATE t SET n = 10 WHERE id = 1
a: UPDATE t SET n = 21 WHERE id = 2
c: SELECT n FROM t WHERE id = 1 FOR SHARE
c: ROLLBACK
a: ROLLBACK
b: ROLLBACK
== and again
a: BEGIN
c: BEGIN
c: UPDATE t SET n = 20 WHERE id = 2
a: SELECT n FROM t WHERE id = 1 FOR SHARE
b: BEGIN
b: UPDATE t SET n = 10 WHERE id = 1
a: UPDATE t SET n = 21 WHERE id = 2
c: SELECT n FROM t WHERE id = 1 FOR SHARE
c: ROLLBACK
a: ROLLBACK
b: COMMIT
a: SELECT * FROM t ORDER BY id
