-- Two transactions that bring one key: one after the other.
setup: CREATE TABLE t (id int PRIMARY KEY, u int UNIQUE, v text)
setup: INSERT INTO t VALUES (100, 100, 'there'), (200, 200, 'there')
== the first one commits
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: BEGIN
b: INSERT INTO t VALUES (1, 2, 'b')
a: COMMIT
b: ROLLBACK
b: SELECT * FROM t WHERE id < 100
== the first one rolls back
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: BEGIN
b: INSERT INTO t VALUES (1, 2, 'b')
a: ROLLBACK
b: COMMIT
b: SELECT * FROM t WHERE id < 100
== statements of their own wait
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: INSERT INTO t VALUES (1, 2, 'b')
c: INSERT INTO t VALUES (3, 1, 'c')
d: INSERT INTO t VALUES (4, 4, 'd')
a: COMMIT
a: SELECT * FROM t WHERE id < 100 ORDER BY 1
== statements of their own go on
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: INSERT INTO t VALUES (1, 2, 'b')
c: INSERT INTO t VALUES (3, 1, 'c')
a: ROLLBACK
a: SELECT * FROM t WHERE id < 100 ORDER BY 1
== the other key
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: BEGIN
b: INSERT INTO t VALUES (2, 1, 'b')
a: COMMIT
b: COMMIT
== back to a savepoint
a: BEGIN
a: INSERT INTO t VALUES (5, 5, 'a')
a: SAVEPOINT s
a: INSERT INTO t VALUES (1, 1, 'a')
b: BEGIN
b: INSERT INTO t VALUES (1, 2, 'b')
a: ROLLBACK TO s
c: INSERT INTO t VALUES (5, 6, 'c')
a: COMMIT
b: COMMIT
b: SELECT * FROM t WHERE id < 100 ORDER BY 1
== what came before a savepoint stays held
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
a: SAVEPOINT s
b: INSERT INTO t VALUES (1, 2, 'b')
a: ROLLBACK TO s
a: INSERT INTO t VALUES (2, 2, 'a')
a: COMMIT
== an error lets go
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: INSERT INTO t VALUES (1, 2, 'b')
a: SELECT 1/0
a: ROLLBACK
b: SELECT * FROM t WHERE id < 100 ORDER BY 1
== an error behind a savepoint lets go of what came after it
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
a: SAVEPOINT s
a: INSERT INTO t VALUES (2, 2, 'a')
b: INSERT INTO t VALUES (2, 3, 'b')
c: INSERT INTO t VALUES (1, 4, 'c')
a: SELECT 1/0
a: ROLLBACK TO s
a: COMMIT
== who gets or creates
a: BEGIN
a: SAVEPOINT s
a: INSERT INTO t VALUES (1, 1, 'a')
b: BEGIN
b: SAVEPOINT s
b: INSERT INTO t VALUES (1, 1, 'b')
a: COMMIT
b: ROLLBACK TO s
b: ROLLBACK
== a key that is there is refused at once, whoever has locked its row
a: BEGIN
a: SELECT id FROM t WHERE id = 100 FOR UPDATE
b: INSERT INTO t VALUES (100, 1, 'b')
b: INSERT INTO t VALUES (1, 100, 'b')
b: BEGIN
b: INSERT INTO t VALUES (1, 100, 'b')
b: ROLLBACK
b: BEGIN
b: INSERT INTO t VALUES (100, 1, 'b')
b: ROLLBACK
a: COMMIT
== a row that is being changed
a: BEGIN
a: UPDATE t SET v = 'a' WHERE id = 100
b: INSERT INTO t VALUES (100, 1, 'b')
c: INSERT INTO t VALUES (1, 100, 'c')
d: BEGIN
d: INSERT INTO t SELECT 2, 100, 'd'
a: COMMIT
d: ROLLBACK
== a row that is being deleted
a: BEGIN
a: DELETE FROM t WHERE id = 100
b: INSERT INTO t VALUES (100, 1, 'b')
a: COMMIT
b: SELECT * FROM t ORDER BY 1
== a row that is being deleted stays
a: BEGIN
a: DELETE FROM t WHERE id = 100
b: BEGIN
b: INSERT INTO t VALUES (1, 100, 'b')
a: ROLLBACK
b: ROLLBACK
== a row that is being deleted, by another key
a: BEGIN
a: DELETE FROM t WHERE v = 'there' AND id = 100
b: INSERT INTO t VALUES (1, 100, 'b')
a: COMMIT
b: SELECT * FROM t ORDER BY 1
== deleted and brought again
a: BEGIN
a: DELETE FROM t WHERE id = 100
b: INSERT INTO t VALUES (100, 1, 'b')
a: INSERT INTO t VALUES (100, 100, 'again')
a: COMMIT
b: SELECT * FROM t ORDER BY 1
== a key that changes is held in both places
a: BEGIN
a: UPDATE t SET id = 101 WHERE id = 100
b: INSERT INTO t VALUES (101, 1, 'b')
c: INSERT INTO t VALUES (100, 2, 'c')
a: COMMIT
b: SELECT * FROM t ORDER BY 1
== a unique value that changes
a: BEGIN
a: UPDATE t SET u = 101 WHERE id = 100
b: INSERT INTO t VALUES (1, 101, 'b')
c: INSERT INTO t VALUES (2, 100, 'c')
a: ROLLBACK
b: SELECT * FROM t ORDER BY 1
== two updates to one key
a: BEGIN
a: UPDATE t SET u = 7 WHERE id = 100
b: BEGIN
b: UPDATE t SET u = 7 WHERE id = 200
a: COMMIT
b: COMMIT
b: SELECT * FROM t ORDER BY 1
== two updates to one key, found by a query
a: BEGIN
a: UPDATE t SET id = id + 1 WHERE v = 'there' AND u = 100
b: UPDATE t SET id = id - 99 WHERE v = 'there' AND u = 200
a: COMMIT
b: SELECT * FROM t ORDER BY 1
== who reads or writes a row that is being brought does not see it, and does not wait
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: UPDATE t SET v = 'b' WHERE id = 1
b: DELETE FROM t WHERE id = 1
b: SELECT * FROM t WHERE id = 1 FOR UPDATE
b: BEGIN
b: UPDATE t SET v = 'b' WHERE id = 1
b: SELECT * FROM t WHERE id = 1 FOR UPDATE
b: COMMIT
a: COMMIT
== a circle
a: SET deadlock_timeout = '1min'
a: BEGIN
b: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: INSERT INTO t VALUES (2, 2, 'b')
a: INSERT INTO t VALUES (2, 3, 'a')
b!: INSERT INTO t VALUES (1, 4, 'b')
b: ROLLBACK
a: COMMIT
a: SELECT * FROM t WHERE id < 100 ORDER BY 1
== a circle through a row
a: SET deadlock_timeout = '1min'
a: BEGIN
b: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: UPDATE t SET v = 'b' WHERE id = 100
a: UPDATE t SET v = 'a' WHERE id = 100
b!: INSERT INTO t VALUES (1, 4, 'b')
b: ROLLBACK
a: COMMIT
== limits of time
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: SET lock_timeout = '50ms'
b!: INSERT INTO t VALUES (1, 2, 'b')
b: BEGIN
b!: INSERT INTO t VALUES (1, 2, 'b')
b: ROLLBACK
b: SET lock_timeout = 0
b: SET statement_timeout = '50ms'
b!: INSERT INTO t VALUES (1, 2, 'b')
b: BEGIN
b!: INSERT INTO t SELECT 1, 2, 'b'
b: ROLLBACK
a: COMMIT
== canceled
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: SET application_name = 'b'
b: INSERT INTO t VALUES (1, 2, 'b')
c+b: SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'b'
a: ROLLBACK
c: INSERT INTO t VALUES (1, 1, 'c')
== of several rows in one statement
a: BEGIN
a: INSERT INTO t VALUES (3, 3, 'a')
b: BEGIN
b: INSERT INTO t VALUES (1, 1, 'b'), (2, 2, 'b'), (3, 4, 'b')
c: INSERT INTO t VALUES (2, 5, 'c')
a: ROLLBACK
b: COMMIT
c: SELECT * FROM t WHERE id < 100 ORDER BY 1
== from a query
a: BEGIN
a: INSERT INTO t SELECT g, g, 'a' FROM generate_series(1, 3) g
b: INSERT INTO t SELECT g, g + 10, 'b' FROM generate_series(3, 5) g
c: WITH n AS (SELECT 2 AS id) INSERT INTO t SELECT id, 20, 'c' FROM n RETURNING id
a: COMMIT
b: SELECT * FROM t WHERE id < 100 ORDER BY 1
== from a query, and rolled back
a: BEGIN
a: INSERT INTO t SELECT g, g, 'a' FROM generate_series(1, 3) g
b: INSERT INTO t SELECT g, g + 10, 'b' FROM generate_series(3, 5) g RETURNING id
c: BEGIN
c: INSERT INTO t SELECT 2, 20, 'c'
a: ROLLBACK
c: COMMIT
b: SELECT * FROM t WHERE id < 100 ORDER BY 1
== by MERGE, and rolled back
a: BEGIN
a: MERGE INTO t USING (VALUES (1)) n(id) ON t.id = n.id WHEN NOT MATCHED THEN INSERT VALUES (n.id, 1, 'a')
b: MERGE INTO t USING (VALUES (1)) n(id) ON t.id = n.id WHEN NOT MATCHED THEN INSERT VALUES (n.id, 2, 'b')
a: ROLLBACK
b: SELECT * FROM t WHERE id < 100 ORDER BY 1
== DO NOTHING
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: INSERT INTO t VALUES (1, 2, 'b') ON CONFLICT DO NOTHING
c: INSERT INTO t VALUES (3, 1, 'c') ON CONFLICT (u) DO NOTHING
a: ROLLBACK
b: SELECT id FROM t WHERE id < 100 ORDER BY 1
== DO UPDATE, rolled back
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: BEGIN
b: INSERT INTO t VALUES (1, 2, 'b') ON CONFLICT (id) DO UPDATE SET v = 'met'
a: ROLLBACK
b: COMMIT
c: SELECT * FROM t WHERE id < 100 ORDER BY 1
