-- Unique keys that rows get whose triggers are asked first: another transaction that brings one is waited for, as without triggers.
setup: CREATE TABLE t (id int PRIMARY KEY, k int UNIQUE)
setup: CREATE TABLE l (x text)
setup: CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO l VALUES (TG_NAME); RETURN NEW; END $$
setup: INSERT INTO t VALUES (12, 12), (13, 13)
setup: CREATE TRIGGER b1 BEFORE INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f()
== UPDATE of the key
a: BEGIN
a: INSERT INTO t VALUES (11, 1)
c: UPDATE t SET id = 11 WHERE id = 12
a: COMMIT
c: SELECT * FROM t ORDER BY id
== who brings it goes back
a: BEGIN
a: INSERT INTO t VALUES (11, 1)
c: UPDATE t SET id = 11 WHERE id = 12
a: ROLLBACK
c: SELECT * FROM t ORDER BY id
== in a block
a: BEGIN
a: INSERT INTO t VALUES (11, 1)
c: BEGIN
c: UPDATE t SET id = 11 WHERE id = 12
a: COMMIT
c: COMMIT
== of all rows
a: BEGIN
a: INSERT INTO t VALUES (11, 1)
c: UPDATE t SET k = k % 12
a: COMMIT
== MERGE
a: BEGIN
a: INSERT INTO t VALUES (11, 1)
c: MERGE INTO t USING (VALUES (1)) v(x) ON id = 12 WHEN MATCHED THEN UPDATE SET k = x
a: COMMIT
== DO UPDATE
a: BEGIN
a: INSERT INTO t VALUES (11, 1)
c: INSERT INTO t VALUES (12, 1) ON CONFLICT (id) DO UPDATE SET k = 1
a: COMMIT
== who has updated is waited for
a: BEGIN
a: UPDATE t SET id = 11 WHERE id = 12
c: INSERT INTO t VALUES (11, 1)
a: COMMIT
c: SELECT * FROM t ORDER BY id
== the key comes free
a: BEGIN
a: DELETE FROM t WHERE id = 13
c: UPDATE t SET id = 13 WHERE id = 12
a: COMMIT
c: SELECT * FROM t ORDER BY id
== it does not
a: BEGIN
a: DELETE FROM t WHERE id = 13
c: UPDATE t SET k = 13 WHERE id = 12
a: ROLLBACK
c: SELECT * FROM t ORDER BY id
setup: CREATE TABLE t (id int PRIMARY KEY DEFERRABLE, k int)
setup: CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$
setup: INSERT INTO t VALUES (12, 12), (13, 13)
setup: CREATE TRIGGER b1 BEFORE INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f()
== one that may be put off
a: BEGIN
a: INSERT INTO t VALUES (11, 1)
c: UPDATE t SET id = id - 1 WHERE id = 12
a: COMMIT
c: SELECT * FROM t ORDER BY id
