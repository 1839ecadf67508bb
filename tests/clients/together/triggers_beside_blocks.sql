-- Triggers that come and go beside blocks which have only read or locked: these go on, and what they write they write under the table as it is by then.
setup: CREATE TABLE t (id int PRIMARY KEY, n int)
setup: INSERT INTO t VALUES (1, 1), (2, 2)
setup: CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.n := NEW.n + 100; RETURN NEW; END'
== one comes beside who has locked a row
a: BEGIN
a: SELECT * FROM t WHERE id = 1 FOR UPDATE
b: CREATE TRIGGER x BEFORE INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f()
a: UPDATE t SET n = 7 WHERE id = 1
a: COMMIT
a: SELECT * FROM t ORDER BY id
== one does not fire any more
w: CREATE TRIGGER x BEFORE INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f()
a: BEGIN
a: SELECT * FROM t ORDER BY id
b: ALTER TABLE t DISABLE TRIGGER x
a: INSERT INTO t VALUES (6, 6)
a: COMMIT
a: SELECT * FROM t ORDER BY id
== one goes, behind who has read
w: CREATE TRIGGER x BEFORE INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f()
a: BEGIN
a: SELECT * FROM t ORDER BY id
b: DROP TRIGGER x ON t
a: INSERT INTO t VALUES (6, 6)
a: COMMIT
b: INSERT INTO t VALUES (7, 7)
a: SELECT * FROM t ORDER BY id
