-- LOCK TABLE beside statements: who waits for whom, and that nobody is refused afterwards.
levels: read committed
setup: CREATE TABLE t (id int PRIMARY KEY, n int)
setup: CREATE TABLE u (id int PRIMARY KEY, n int)
setup: INSERT INTO t VALUES (1, 1), (2, 2)
setup: INSERT INTO u VALUES (1, 1)
setup: CREATE VIEW w AS SELECT * FROM t
== writers wait for who has locked the table, and see what he did
a: BEGIN
a: LOCK TABLE t IN EXCLUSIVE MODE
a: SELECT max(id) FROM t
b: INSERT INTO t SELECT max(id) + 1, 0 FROM t
c: UPDATE t SET n = n + 10 WHERE id = 1
a: UPDATE t SET n = 5 WHERE id = 1
a: INSERT INTO t VALUES (3, 3)
a: COMMIT
a: SELECT id FROM t ORDER BY id
a: SELECT n FROM t WHERE id = 1
== readers do not, but for the strongest mode
a: BEGIN
a: LOCK TABLE t IN SHARE ROW EXCLUSIVE MODE
b: BEGIN
b: SELECT count(*) FROM t
b: SELECT * FROM t WHERE id = 1
c: BEGIN
c: LOCK TABLE t
b: COMMIT
a: COMMIT
c: COMMIT
== a block's first read waits for the strongest mode
a: BEGIN
a: LOCK t
b: BEGIN
b: SELECT * FROM t WHERE id = 1
a: UPDATE t SET n = 7 WHERE id = 1
a: COMMIT
b: COMMIT
== it waits for those who have written
a: BEGIN
a: INSERT INTO t VALUES (3, 3)
b: BEGIN
b: LOCK TABLE t IN EXCLUSIVE MODE
c: INSERT INTO t VALUES (4, 4)
a: INSERT INTO t VALUES (5, 5)
a: COMMIT
b: SELECT id FROM t ORDER BY id
b: COMMIT
c: SELECT id FROM t ORDER BY id
== it waits for nobody who has only read, unless it wants to be alone
a: BEGIN
a: SELECT * FROM t ORDER BY id
b: BEGIN
b: LOCK TABLE t IN EXCLUSIVE MODE
b: COMMIT
b: BEGIN
b: LOCK TABLE t
a: SELECT * FROM t ORDER BY id
a: COMMIT
b: COMMIT
== who has read waits to write
a: BEGIN
a: SELECT * FROM t WHERE id = 1
b: BEGIN
b: LOCK TABLE t IN SHARE ROW EXCLUSIVE MODE
a: UPDATE t SET n = n + 1 WHERE id = 1
b: UPDATE t SET n = 100 WHERE id = 1
b: COMMIT
a: SELECT * FROM t WHERE id = 1
a: COMMIT
== two who have read, and want to be alone
a: BEGIN
b: BEGIN
a: LOCK TABLE t IN ACCESS SHARE MODE
b: LOCK TABLE t IN ACCESS SHARE MODE
a: LOCK TABLE t IN ACCESS EXCLUSIVE MODE
b!: LOCK TABLE t IN ACCESS EXCLUSIVE MODE
a: COMMIT
b: COMMIT
== one after the other
a: BEGIN
b: BEGIN
c: BEGIN
a: LOCK TABLE t
b: LOCK TABLE t
c: LOCK TABLE t IN EXCLUSIVE MODE
a: COMMIT
b: COMMIT
c: COMMIT
== nobody waits
a: BEGIN
a: INSERT INTO t VALUES (3, 3)
b: BEGIN
b: LOCK TABLE t IN EXCLUSIVE MODE NOWAIT
b: ROLLBACK
b: BEGIN
b: LOCK TABLE u NOWAIT
b: LOCK TABLE t IN ROW EXCLUSIVE MODE NOWAIT
c: BEGIN
c: LOCK TABLE t NOWAIT
c: ROLLBACK
a: COMMIT
b: COMMIT
== not for long
a: BEGIN
a: SELECT * FROM t WHERE id = 1
b: SET lock_timeout = '20ms'
b: BEGIN
b!: LOCK TABLE t
b: ROLLBACK
b: SET lock_timeout = 0
b: SET statement_timeout = '20ms'
b: BEGIN
b!: LOCK TABLE t
b: ROLLBACK
a: COMMIT
== the locker goes back, or fails
a: BEGIN
a: LOCK TABLE t
b: INSERT INTO t VALUES (3, 3)
a: ROLLBACK
a: BEGIN
a: LOCK TABLE t
b: INSERT INTO t VALUES (4, 4)
a+b: SELECT 1 / 0
c: BEGIN
c: LOCK TABLE t NOWAIT
a: ROLLBACK
c: ROLLBACK
== the table goes meanwhile
a: BEGIN
a: DROP TABLE u
b: BEGIN
b: LOCK TABLE u
a: COMMIT
b: ROLLBACK
== definitions wait for who has locked it, whatever the mode
a: BEGIN
a: LOCK TABLE t IN ACCESS SHARE MODE
b: ALTER TABLE t ADD COLUMN c int
a: COMMIT
b: SELECT * FROM t ORDER BY id
== behind a view
a: BEGIN
a: LOCK TABLE w IN EXCLUSIVE MODE
b: UPDATE t SET n = 9 WHERE id = 1
a: COMMIT
b: SELECT * FROM w ORDER BY id
== so does who empties it
a: BEGIN
a: LOCK TABLE t IN ROW EXCLUSIVE MODE
c: TRUNCATE t
a: COMMIT
c: SELECT * FROM t ORDER BY id
== locks of rows wait as writes do
a: BEGIN
a: LOCK TABLE t IN EXCLUSIVE MODE
b: SELECT * FROM t WHERE id = 1 FOR UPDATE
a: COMMIT
== what a failed transaction has locked
a: BEGIN
a: SELECT pg_advisory_xact_lock(7)
b: SELECT pg_advisory_xact_lock(7)
a+b: SELECT 1 / 0
a: ROLLBACK
== readers of a table that stays as it is keep writers out, and not each other
a: BEGIN
a: LOCK TABLE t IN SHARE MODE
b: BEGIN
b: LOCK TABLE t IN SHARE MODE
c: UPDATE t SET n = n + 1 WHERE id = 1
a: SELECT id FROM t ORDER BY id
b: SELECT id FROM t ORDER BY id FOR UPDATE
a: COMMIT
b: COMMIT
c: SELECT n FROM t WHERE id = 1
== it waits for those who have written
a: BEGIN
a: INSERT INTO t VALUES (3, 3)
b: BEGIN
b: LOCK TABLE t IN SHARE MODE
c: INSERT INTO t VALUES (4, 4)
a: COMMIT
b: SELECT id FROM t ORDER BY id
b: COMMIT
c: SELECT id FROM t ORDER BY id
== and writes itself, if nobody else has locked it so
a: BEGIN
a: LOCK TABLE t IN SHARE MODE
a: UPDATE t SET n = 5 WHERE id = 1
b: BEGIN
b: LOCK TABLE t IN SHARE MODE
a: UPDATE t SET n = 6 WHERE id = 1
a: COMMIT
b: SELECT n FROM t WHERE id = 1
b: COMMIT
== two that do so wait for each other
a: BEGIN
b: BEGIN
a: LOCK TABLE t IN SHARE MODE
b: LOCK TABLE t IN SHARE MODE
a: UPDATE t SET n = 5 WHERE id = 1
b!: UPDATE t SET n = 6 WHERE id = 2
b: ROLLBACK
a: COMMIT
== a writer that has locked it so, too
a: BEGIN
a: INSERT INTO t VALUES (3, 3)
a: LOCK TABLE t IN SHARE MODE
b: BEGIN
b: LOCK TABLE t IN SHARE MODE
a: COMMIT
b: COMMIT
== at once, or not at all
a: BEGIN
a: INSERT INTO t VALUES (3, 3)
b: BEGIN
b: LOCK TABLE t IN SHARE MODE NOWAIT
b: ROLLBACK
b: BEGIN
b: LOCK TABLE u IN SHARE MODE NOWAIT
c: BEGIN
c: LOCK TABLE u IN SHARE MODE NOWAIT
c: COMMIT
c: BEGIN
c: LOCK TABLE u IN ROW EXCLUSIVE MODE NOWAIT
c: ROLLBACK
c: INSERT INTO u VALUES (2, 2)
a: COMMIT
b: COMMIT
== it waits for who has locked rows, to be alone with them
a: BEGIN
a: SELECT id FROM t WHERE id = 1 FOR UPDATE
b: BEGIN
b: LOCK TABLE t IN SHARE ROW EXCLUSIVE MODE
b: COMMIT
b: BEGIN
b: LOCK TABLE t IN EXCLUSIVE MODE
a: UPDATE t SET n = 9 WHERE id = 1
a: COMMIT
b: SELECT n FROM t WHERE id = 1
b: COMMIT
== who has locked rows for a moment only
a: BEGIN
a: SELECT id FROM t WHERE id = 2 FOR KEY SHARE
b: BEGIN
b: LOCK TABLE t IN EXCLUSIVE MODE
a: COMMIT
b: COMMIT
