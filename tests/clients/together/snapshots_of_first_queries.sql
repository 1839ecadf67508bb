-- A block's snapshot is that of its first query: nothing that comes before it takes one.
levels: repeatable read
setup: CREATE TABLE s (n int PRIMARY KEY, v int)
setup: INSERT INTO s VALUES (1, 1)
setup: CREATE TABLE o (n int)
== behind a savepoint
a: BEGIN
a: SAVEPOINT x
b: UPDATE s SET v = v + 1
a: SELECT * FROM s
b: UPDATE s SET v = v + 1
a: SELECT * FROM s
a: ROLLBACK TO x
a: SELECT * FROM s
a: COMMIT
== behind several
a: BEGIN
a: SAVEPOINT x
b: UPDATE s SET v = v + 1
a: SAVEPOINT y
b: INSERT INTO s VALUES (2, 2)
a: UPDATE s SET v = v + 10
b: INSERT INTO s VALUES (3, 3)
a: SELECT * FROM s ORDER BY n
a: COMMIT
b: SELECT * FROM s ORDER BY n
== behind a query, it stays
a: BEGIN
a: SELECT count(*) FROM s
a: SAVEPOINT x
b: UPDATE s SET v = 0
a: SELECT * FROM s ORDER BY n
a: COMMIT
== behind what sets something
a: BEGIN
a: SET LOCAL work_mem = '4MB'
a: SET CONSTRAINTS ALL DEFERRED
b: UPDATE s SET v = v + 1
a: SELECT * FROM s ORDER BY n
a: COMMIT
== behind a lock of a table
a: BEGIN
a: LOCK TABLE s IN SHARE UPDATE EXCLUSIVE MODE
b: UPDATE s SET v = v + 1
a: SELECT * FROM s ORDER BY n
b: UPDATE s SET v = v + 1
a: SELECT * FROM s ORDER BY n
a: COMMIT
== of another table
a: BEGIN
a: SAVEPOINT x
a: LOCK TABLE o IN EXCLUSIVE MODE
b: UPDATE s SET v = v + 1
a: LOCK TABLE o IN ACCESS EXCLUSIVE MODE
b: UPDATE s SET v = v + 1
a: UPDATE s SET v = v + 10
a: SELECT * FROM s ORDER BY n
a: INSERT INTO o SELECT v FROM s
a: COMMIT
b: SELECT * FROM o
== behind a lock, and a query
a: BEGIN
a: LOCK TABLE o IN ROW SHARE MODE
a: SELECT count(*) FROM s
b: UPDATE s SET v = v + 1
a: LOCK TABLE o IN ROW EXCLUSIVE MODE
a: SELECT * FROM s ORDER BY n
a: COMMIT
== it says the level after all
a: BEGIN
a: LOCK TABLE o IN ACCESS SHARE MODE
a: SET TRANSACTION ISOLATION LEVEL READ COMMITTED
a: SELECT * FROM s ORDER BY n
b: UPDATE s SET v = v + 1
a: SELECT * FROM s ORDER BY n
a: COMMIT
