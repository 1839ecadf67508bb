levels: read committed
-- What each statement sees anew.
setup: CREATE TABLE t (id int PRIMARY KEY, u int UNIQUE, v text)
setup: INSERT INTO t VALUES (100, 100, 'there'), (200, 200, 'there')
== who gets or creates
a: BEGIN
a: SELECT * FROM t WHERE id = 1
a: SAVEPOINT s
a: INSERT INTO t VALUES (1, 1, 'a')
b: BEGIN
b: SELECT * FROM t WHERE id = 1
b: SAVEPOINT s
b: INSERT INTO t VALUES (1, 1, 'b')
a: RELEASE s
a: COMMIT
b: ROLLBACK TO s
b: SELECT * FROM t WHERE id = 1
b: COMMIT
== DO NOTHING
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: BEGIN
b: INSERT INTO t VALUES (1, 2, 'b') ON CONFLICT DO NOTHING
c: INSERT INTO t VALUES (3, 1, 'c') ON CONFLICT (u) DO NOTHING
d: INSERT INTO t VALUES (7, 1, 'd') ON CONFLICT (id) DO NOTHING
a: COMMIT
b: COMMIT
b: SELECT id FROM t WHERE id < 100 ORDER BY 1
== DO UPDATE
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: BEGIN
b: INSERT INTO t VALUES (1, 2, 'b') ON CONFLICT (id) DO UPDATE SET v = t.v || excluded.v RETURNING *
a: COMMIT
c: INSERT INTO t VALUES (3, 1, 'c') ON CONFLICT (u) DO UPDATE SET v = t.v || excluded.v RETURNING *
b: COMMIT
b: SELECT * FROM t WHERE id < 100 ORDER BY 1
== DO UPDATE of rows that a query makes
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: BEGIN
b: INSERT INTO t SELECT 1, 2, 'b' ON CONFLICT (id) DO UPDATE SET v = t.v || excluded.v RETURNING *
a: COMMIT
c: INSERT INTO t SELECT 3, 1, 'c' ON CONFLICT (u) DO UPDATE SET v = t.v || excluded.v RETURNING *
b: COMMIT
b: SELECT * FROM t WHERE id < 100 ORDER BY 1
== DO UPDATE by another key than the first
a: BEGIN
a: UPDATE t SET v = 'a' WHERE id = 100
b: BEGIN
b: INSERT INTO t VALUES (3, 100, 'b') ON CONFLICT (u) DO UPDATE SET v = t.v || excluded.v RETURNING *
a: COMMIT
b: COMMIT
== DO UPDATE of a row that is being deleted
a: BEGIN
a: DELETE FROM t WHERE id = 100
b: BEGIN
b: INSERT INTO t VALUES (100, 1, 'b') ON CONFLICT (id) DO UPDATE SET v = t.v || excluded.v RETURNING *
a: COMMIT
b: COMMIT
a: SELECT * FROM t ORDER BY 1
== DO UPDATE of a row that is being deleted, by another key than the first
a: BEGIN
a: DELETE FROM t WHERE id = 100
b: BEGIN
b: INSERT INTO t VALUES (3, 100, 'b') ON CONFLICT (u) DO UPDATE SET v = t.v || excluded.v RETURNING *
a: COMMIT
b: COMMIT
a: SELECT * FROM t ORDER BY 1
== DO UPDATE while others insert by another key
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: INSERT INTO t VALUES (3, 1, 'b') ON CONFLICT (u) DO UPDATE SET v = t.v || excluded.v RETURNING *
a: COMMIT
== a procedure that tries
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: DO $$ BEGIN INSERT INTO t VALUES (1, 2, 'b'); EXCEPTION WHEN unique_violation THEN UPDATE t SET v = v || ' and b' WHERE id = 1; END $$
a: COMMIT
a: SELECT v FROM t WHERE id = 1
== a procedure that tries with a query
a: BEGIN
a: INSERT INTO t VALUES (1, 1, 'a')
b: DO $$ BEGIN INSERT INTO t SELECT 1, 2, 'b'; EXCEPTION WHEN unique_violation THEN UPDATE t SET v = v || ' and b' WHERE id = 1; END $$
a: COMMIT
a: SELECT v FROM t WHERE id = 1
== deleted by a query that others wait for
a: BEGIN
a: DELETE FROM t WHERE v = 'there'
b: BEGIN
b: INSERT INTO t SELECT 100, 1, 'b'
c: INSERT INTO t SELECT 300, 200, 'c' RETURNING *
d: UPDATE t SET u = 100 WHERE id = 200
a: COMMIT
b: COMMIT
a: SELECT * FROM t ORDER BY 1
== by MERGE
a: BEGIN
a: MERGE INTO t USING (VALUES (1)) n(id) ON t.id = n.id WHEN NOT MATCHED THEN INSERT VALUES (n.id, 1, 'a')
b: MERGE INTO t USING (VALUES (1)) n(id) ON t.id = n.id WHEN NOT MATCHED THEN INSERT VALUES (n.id, 2, 'b')
a: COMMIT
b: SELECT * FROM t WHERE id < 100 ORDER BY 1
