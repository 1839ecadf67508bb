-- A lock of a table stays what it is while its owner asks for more in vain, and is nothing once it is let go.
levels: read committed, repeatable read
setup: CREATE TABLE t (id int PRIMARY KEY, n int)
setup: CREATE TABLE o (id int PRIMARY KEY, n int)
setup: CREATE VIEW v AS SELECT * FROM o
setup: INSERT INTO t VALUES (1, 1), (2, 2)
== who asks for a stronger one in vain
a: BEGIN
a: LOCK TABLE t IN SHARE ROW EXCLUSIVE MODE
b: BEGIN
b: SELECT id FROM t WHERE id = 1 FOR UPDATE
a: SAVEPOINT x
a: LOCK TABLE t IN EXCLUSIVE MODE NOWAIT
a: ROLLBACK TO x
c: INSERT INTO t VALUES (3, 3)
a: INSERT INTO t VALUES (4, 4)
a: COMMIT
b: COMMIT
c: SELECT * FROM t ORDER BY id
== who asks for a stronger one, and waits
a: BEGIN
a: LOCK TABLE t IN SHARE ROW EXCLUSIVE MODE
b: BEGIN
b: SELECT id FROM t WHERE id = 1 FOR UPDATE
a: LOCK TABLE t IN EXCLUSIVE MODE
c: INSERT INTO t VALUES (3, 3)
b: COMMIT
a: COMMIT
== a view that another has for himself is read beside what is written
a: BEGIN
a: LOCK TABLE v IN SHARE MODE
b: INSERT INTO t SELECT * FROM v
b: INSERT INTO o VALUES (1, 1)
a: COMMIT
== a lock that was let go
a: BEGIN
a: SAVEPOINT x
a: LOCK TABLE t IN EXCLUSIVE MODE
a: ROLLBACK TO x
b: INSERT INTO t VALUES (3, 3)
a: SELECT * FROM t ORDER BY id
a: INSERT INTO o VALUES (1, 1)
a: COMMIT
a: SELECT * FROM o
== a lock that was let go, of what is written
a: BEGIN
a: SAVEPOINT x
a: LOCK TABLE t IN SHARE MODE
a: ROLLBACK TO x
a: INSERT INTO o VALUES (1, 1)
b: INSERT INTO t VALUES (3, 3)
a: COMMIT
a: SELECT * FROM o
== a level that is said behind a lock
a: LOCK TABLE o IN ACCESS SHARE MODE; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM t
b: INSERT INTO t VALUES (3, 3)
a: SELECT count(*) FROM t
a: COMMIT
