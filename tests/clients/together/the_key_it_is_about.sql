levels: read committed
-- ON CONFLICT waits for the key that it is about, and looks at the others when the row turns out to be new.
setup: CREATE TABLE t (id int PRIMARY KEY, u int UNIQUE, v text)
setup: INSERT INTO t VALUES (100, 100, 'there'), (200, 200, 'there')
== it is about the second key, and the first is taken
a: BEGIN
a: INSERT INTO t VALUES (3, 1, 'a')
b: INSERT INTO t VALUES (100, 1, 'b') ON CONFLICT (u) DO UPDATE SET v = t.v || '!'
c: INSERT INTO t SELECT 200, 1, 'c' ON CONFLICT (u) DO UPDATE SET v = t.v || '!'
a: COMMIT
a: SELECT * FROM t ORDER BY 1
== it is about the second key, the first is taken, and the row does not come
a: BEGIN
a: INSERT INTO t VALUES (3, 1, 'a')
b: INSERT INTO t VALUES (100, 1, 'b') ON CONFLICT (u) DO UPDATE SET v = t.v || excluded.v
c: INSERT INTO t VALUES (200, 1, 'b') ON CONFLICT (u) DO NOTHING
a: ROLLBACK
a: SELECT * FROM t ORDER BY 1
== it is about the first key, and the second is being brought
a: BEGIN
a: INSERT INTO t VALUES (1, 3, 'a')
b: INSERT INTO t VALUES (100, 3, 'b') ON CONFLICT (id) DO UPDATE SET v = t.v || excluded.v RETURNING *
c: INSERT INTO t SELECT 200, 3, 'c' ON CONFLICT (id) DO NOTHING
d: INSERT INTO t VALUES (300, 3, 'd') ON CONFLICT (id) DO NOTHING
a: COMMIT
== it is about the second key, and the first is being brought
a: BEGIN
a: INSERT INTO t VALUES (1, 3, 'a')
b: INSERT INTO t VALUES (1, 100, 'b') ON CONFLICT (u) DO UPDATE SET v = t.v || excluded.v RETURNING *
c: INSERT INTO t VALUES (1, 7, 'c') ON CONFLICT (u) DO NOTHING
a: ROLLBACK
a: SELECT * FROM t ORDER BY 1
== it is about the second key, and the row of the first is being changed
a: BEGIN
a: UPDATE t SET v = 'changed' WHERE id = 100
b: INSERT INTO t VALUES (100, 200, 'b') ON CONFLICT (u) DO UPDATE SET v = t.v || excluded.v RETURNING *
a: COMMIT
== DO NOTHING locks nothing
a: BEGIN
a: INSERT INTO t VALUES (100, 1, 'a') ON CONFLICT DO NOTHING
a: INSERT INTO t SELECT 200, 1, 'a' ON CONFLICT (id) DO NOTHING
b: UPDATE t SET v = 'b' WHERE id = 100
b: DELETE FROM t WHERE id = 200
a: COMMIT
== DO NOTHING keeps what was locked
a: BEGIN
a: SELECT id FROM t WHERE id = 100 FOR UPDATE
a: INSERT INTO t VALUES (100, 1, 'a') ON CONFLICT DO NOTHING
b: UPDATE t SET v = 'b' WHERE id = 100
a: COMMIT
== DO UPDATE locks what it meets, changed or not
a: BEGIN
a: INSERT INTO t VALUES (100, 1, 'a') ON CONFLICT (id) DO UPDATE SET v = 'a' WHERE t.v = 'no'
b: UPDATE t SET v = 'b' WHERE id = 100
a: COMMIT
== a row that ON CONFLICT has brought is seen by nobody
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a') ON CONFLICT DO NOTHING
a: INSERT INTO t SELECT 2, 2, 'a' ON CONFLICT (id) DO UPDATE SET v = 'met'
b: UPDATE t SET v = 'b' WHERE id = 1
b: DELETE FROM t WHERE id = 2
c: INSERT INTO t VALUES (1, 3, 'c')
a: COMMIT
== what finds nothing locks nothing
a: BEGIN
a: UPDATE t SET v = 'a' WHERE id = 1
a: DELETE FROM t WHERE id = 2
a: DELETE FROM t WHERE id IN (3, 4)
b: BEGIN
b: UPDATE t SET v = 'b' WHERE id = 1
b: DELETE FROM t WHERE id = 2
b: INSERT INTO t VALUES (3, 3, 'b') ON CONFLICT DO NOTHING
b: INSERT INTO t VALUES (2, 2, 'b')
a: INSERT INTO t VALUES (1, 1, 'a')
b: COMMIT
a: COMMIT
a: SELECT * FROM t ORDER BY 1
== what was deleted stays locked though nothing is found there again
a: BEGIN
a: DELETE FROM t WHERE id = 100
a: UPDATE t SET v = 'a' WHERE id = 100
b: UPDATE t SET v = 'b' WHERE id = 100
c: INSERT INTO t VALUES (100, 3, 'c')
a: ROLLBACK
a: SELECT * FROM t ORDER BY 1
== who waits for a second key has not got the first
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: INSERT INTO t VALUES (3, 1, 'b') ON CONFLICT DO NOTHING
c: BEGIN
c: INSERT INTO t VALUES (3, 1, 'c')
a: ROLLBACK
c: COMMIT
d: SELECT * FROM t WHERE id < 100
