-- Rows of tables without a primary key: an UPDATE gives them another id, and whoever has locked them has them locked still.
levels: read committed
setup: CREATE TABLE t (a int, v int)
setup: INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)
setup: CREATE TABLE p (id int UNIQUE, v int)
setup: INSERT INTO p VALUES (1, 10), (2, 20)
setup: CREATE TABLE c (id int REFERENCES p(id), x int)
setup: CREATE TABLE m (a int, v int)
setup: INSERT INTO m SELECT g, 0 FROM generate_series(1, 9000) g
== update and update, alone
a: BEGIN
a: UPDATE t SET v = v + 1 WHERE a = 1
b: UPDATE t SET v = v + 1 WHERE a = 1
c: UPDATE t SET v = v + 1 WHERE a = 1
a: COMMIT
a: SELECT * FROM t ORDER BY a
== update and update, in blocks
a: BEGIN
a: UPDATE t SET v = v + 1 WHERE a = 1
b: BEGIN
b: UPDATE t SET v = v + 1 WHERE a = 1
a: COMMIT
b: COMMIT
a: SELECT * FROM t ORDER BY a
== b read before
b: BEGIN
b: SELECT * FROM t ORDER BY a
a: BEGIN
a: UPDATE t SET v = v + 1 WHERE a = 1
b: UPDATE t SET v = v + 1 WHERE a = 1
a: COMMIT
b: UPDATE t SET v = v + 1 WHERE a = 1
b: COMMIT
a: SELECT * FROM t ORDER BY a
== b wrote before
b: BEGIN
b: UPDATE t SET v = v + 1 WHERE a = 2
a: BEGIN
a: UPDATE t SET v = v + 1 WHERE a = 1
b: UPDATE t SET v = v + 1 WHERE a = 1
a: COMMIT
b: UPDATE t SET v = v + 1 WHERE a = 1
b: COMMIT
a: SELECT * FROM t ORDER BY a
== delete after update
a: BEGIN
a: UPDATE t SET v = v + 1 WHERE a = 1
b: BEGIN
b: DELETE FROM t WHERE a = 1
a: COMMIT
b: COMMIT
a: SELECT * FROM t ORDER BY a
== update after delete
a: BEGIN
a: DELETE FROM t WHERE a = 1
b: BEGIN
b: UPDATE t SET v = v + 1 WHERE a <= 2
a: COMMIT
b: COMMIT
a: SELECT * FROM t ORDER BY a
== row that no longer satisfies
a: BEGIN
a: UPDATE t SET a = 7 WHERE a = 1
b: BEGIN
b: UPDATE t SET v = v + 1 WHERE a <= 2
a: COMMIT
b: COMMIT
a: SELECT * FROM t ORDER BY a
== several in a block
a: BEGIN
a: UPDATE t SET v = v + 1 WHERE a = 1
a: UPDATE t SET v = v + 1 WHERE a = 1
b: UPDATE t SET v = v + 100 WHERE a = 1
a: COMMIT
a: SELECT * FROM t ORDER BY a
== for update passes nobody
a: BEGIN
a: SELECT * FROM t WHERE a = 1 FOR KEY SHARE
b: UPDATE t SET v = v + 1 WHERE a = 1
c: SELECT * FROM t WHERE a = 1 FOR UPDATE
a: COMMIT
== for update passes nobody 2
a: BEGIN
a: SELECT * FROM t WHERE a = 1 FOR KEY SHARE
b: BEGIN
b: UPDATE t SET v = v + 1 WHERE a = 1
c: SELECT * FROM t WHERE a = 1 FOR UPDATE
b: COMMIT
a: COMMIT
== for share and update
a: BEGIN
a: SELECT * FROM t WHERE a = 1 FOR SHARE
b: UPDATE t SET v = v + 1 WHERE a = 1
c: UPDATE t SET v = v + 1 WHERE a = 1
a: COMMIT
a: SELECT * FROM t ORDER BY a
== referenced row
a: BEGIN
a: INSERT INTO c VALUES (1, 1)
b: UPDATE p SET v = v + 1 WHERE id = 1
c: DELETE FROM p WHERE id = 1
a: COMMIT
a: SELECT * FROM p ORDER BY id
== delete after update of referenced row
a: BEGIN
a: UPDATE p SET v = v + 1 WHERE id = 1
b: BEGIN
b: DELETE FROM p WHERE id = 1
a: COMMIT
b: COMMIT
a: SELECT * FROM p ORDER BY id
== update then insert
a: BEGIN
a: UPDATE p SET v = v + 1 WHERE id = 1
b: BEGIN
b: INSERT INTO c VALUES (1, 1)
a: COMMIT
c: DELETE FROM p WHERE id = 1
b: COMMIT
a: SELECT * FROM p ORDER BY id
== update of referenced id
a: BEGIN
a: UPDATE p SET id = 9 WHERE id = 1
b: BEGIN
b: INSERT INTO c VALUES (1, 1)
a: COMMIT
b: ROLLBACK
== insert, update, delete in other blocks
a: BEGIN
a: INSERT INTO c VALUES (2, 1)
b: BEGIN
b: UPDATE p SET v = v + 1 WHERE id = 2
b: COMMIT
c: BEGIN
c: DELETE FROM p WHERE id = 2
a: ROLLBACK
c: COMMIT
== rollback
a: BEGIN
a: UPDATE t SET v = v + 1 WHERE a = 1
b: UPDATE t SET v = v + 1 WHERE a = 1
a: ROLLBACK
a: SELECT * FROM t ORDER BY a
== savepoint
a: BEGIN
a: SAVEPOINT s
a: UPDATE t SET v = v + 1 WHERE a = 1
b: UPDATE t SET v = v + 1 WHERE a = 1
a: ROLLBACK TO s
a: UPDATE t SET v = v + 1 WHERE a = 1
a: COMMIT
a: SELECT * FROM t ORDER BY a
== on conflict
a: BEGIN
a: UPDATE p SET v = v + 1 WHERE id = 1
b: INSERT INTO p VALUES (1, 5) ON CONFLICT (id) DO UPDATE SET v = p.v + 100
a: COMMIT
a: SELECT * FROM p ORDER BY id
== merge
a: BEGIN
a: UPDATE p SET v = v + 1 WHERE id = 1
c: MERGE INTO p USING (VALUES (1)) s(i) ON p.id = s.i WHEN MATCHED THEN UPDATE SET v = v + 1000
a: COMMIT
a: SELECT * FROM p ORDER BY id
== FOR UPDATE then UPDATE
a: BEGIN
a: SELECT * FROM t WHERE a = 1 FOR UPDATE
b: BEGIN
b: SELECT * FROM t WHERE a = 1 FOR UPDATE
a: UPDATE t SET v = v + 1 WHERE a = 1
a: COMMIT
c: SELECT * FROM t WHERE a = 1 FOR UPDATE
b: UPDATE t SET v = v + 1 WHERE a = 1
b: COMMIT
a: SELECT * FROM t ORDER BY a
== skip locked
a: BEGIN
a: SELECT * FROM t WHERE a = 1 FOR KEY SHARE
b: UPDATE t SET v = v + 1 WHERE a = 1
c: SELECT * FROM t ORDER BY a FOR UPDATE SKIP LOCKED
c: SELECT * FROM t ORDER BY a FOR UPDATE NOWAIT
c: SELECT * FROM t ORDER BY a FOR NO KEY UPDATE NOWAIT
a: COMMIT
== many rows at once, some of which are locked, or will be
a: BEGIN
a: SELECT * FROM m WHERE a = 1 FOR KEY SHARE
b: BEGIN
b: UPDATE m SET v = v + 1
c: BEGIN
c: SELECT * FROM m WHERE a = 2 FOR KEY SHARE
b: COMMIT
d: DELETE FROM m WHERE a = 1
e: DELETE FROM m WHERE a = 2
a: COMMIT
c: COMMIT
a: SELECT count(*), sum(v) FROM m
== many rows at once, twice
a: BEGIN
a: SELECT * FROM m WHERE a = 1 FOR KEY SHARE
b: BEGIN
b: UPDATE m SET v = v + 1
b: SAVEPOINT s
b: UPDATE m SET v = v + 1
b: ROLLBACK TO s
b: UPDATE m SET v = v + 1
b: COMMIT
d: DELETE FROM m WHERE a = 1
e: UPDATE m SET v = v + 1
a: COMMIT
a: SELECT count(*), sum(v) FROM m
== undone
a: BEGIN
a: SELECT * FROM t WHERE a = 1 FOR UPDATE
a: SAVEPOINT s
a: UPDATE t SET v = v + 1 WHERE a = 1
a: UPDATE t SET v = v + 1 WHERE a = 1
a: ROLLBACK TO s
b: UPDATE t SET v = v + 1 WHERE a = 1
a: UPDATE t SET v = v + 1 WHERE a = 1
c: UPDATE t SET v = v + 1 WHERE a = 1
a: COMMIT
a: SELECT * FROM t ORDER BY a
