-- Who is about to write to a table, and waits for one of its rows, has the table as who has written to it: LOCK TABLE waits for him.
levels: read committed, repeatable read
setup: CREATE TABLE t (id int PRIMARY KEY, n int)
setup: CREATE TABLE g (id int PRIMARY KEY, n int)
setup: INSERT INTO t VALUES (1, 1), (2, 2)
setup: INSERT INTO g VALUES (1, 1), (2, 2)
setup: CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'
setup: CREATE TRIGGER g BEFORE UPDATE ON g FOR EACH ROW EXECUTE FUNCTION f()
== a statement of its own
a: BEGIN
a: SELECT id FROM t WHERE id = 1 FOR UPDATE
b: UPDATE t SET n = n + 1 WHERE id = 1
c: BEGIN
c: LOCK TABLE t IN SHARE MODE
a: COMMIT
c: SELECT * FROM t ORDER BY id
c: COMMIT
== in a block
a: BEGIN
a: SELECT id FROM t WHERE id = 1 FOR UPDATE
b: BEGIN
b: UPDATE t SET n = n + 1 WHERE id = 1
c: BEGIN
c: LOCK TABLE t IN SHARE MODE
a: COMMIT
b: COMMIT
c: SELECT * FROM t ORDER BY id
c: COMMIT
== rows that a query finds
a: BEGIN
a: SELECT id FROM t WHERE id = 1 FOR UPDATE
b: BEGIN
b: UPDATE t SET n = n + 1 WHERE n % 2 = 1
c: BEGIN
c: LOCK TABLE t IN SHARE ROW EXCLUSIVE MODE
a: COMMIT
b: COMMIT
c: SELECT * FROM t ORDER BY id
c: COMMIT
== of a table with triggers
a: BEGIN
a: SELECT id FROM g WHERE id = 1 FOR UPDATE
b: BEGIN
b: UPDATE g SET n = n + 1 WHERE id = 1
c: BEGIN
c: LOCK TABLE g IN SHARE MODE
a: COMMIT
b: COMMIT
c: SELECT * FROM g ORDER BY id
c: COMMIT
== rows that go
a: BEGIN
a: SELECT id FROM t WHERE id = 1 FOR KEY SHARE
b: BEGIN
b: DELETE FROM t WHERE id = 1
c: BEGIN
c: LOCK TABLE t IN SHARE MODE
a: COMMIT
b: COMMIT
c: SELECT * FROM t ORDER BY id
c: COMMIT
== who goes back has it no more
a: BEGIN
a: SELECT id FROM t WHERE id = 1 FOR UPDATE
b: BEGIN
b: SAVEPOINT x
b: UPDATE t SET n = n + 1 WHERE id = 1
a: COMMIT
b: ROLLBACK TO x
c: BEGIN
c: LOCK TABLE t IN SHARE MODE
c: COMMIT
b: COMMIT
== who only locks rows does not keep it from being read
a: BEGIN
a: SELECT id FROM t WHERE id = 1 FOR UPDATE
b: SELECT id FROM t WHERE id = 1 FOR UPDATE
c: BEGIN
c: LOCK TABLE t IN SHARE MODE
a: COMMIT
c: COMMIT
