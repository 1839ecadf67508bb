-- UPDATE and DELETE lock the rows of which their whole condition is true, not all that a key or an index leads to.
levels: read committed
setup: CREATE TABLE t (id int PRIMARY KEY, x int, y int, u int UNIQUE)
setup: CREATE INDEX ON t (x)
setup: INSERT INTO t VALUES (1, 7, 1, 1), (2, 7, 2, 2), (3, 7, 3, 3), (4, 8, 1, 4)
setup: CREATE TABLE n (x int, y int)
setup: CREATE INDEX ON n (x)
setup: INSERT INTO n VALUES (7, 1), (7, 2), (8, 1)
setup: CREATE TABLE g (id int PRIMARY KEY, y int)
setup: INSERT INTO g VALUES (1, 1), (2, 2)
setup: CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'
setup: CREATE TRIGGER tr BEFORE UPDATE ON g FOR EACH ROW EXECUTE FUNCTION f()
== by an index
a: BEGIN
a: UPDATE t SET y = y WHERE x = 7 AND y = 1
b: BEGIN
b: UPDATE t SET y = y WHERE x = 7 AND y = 2
b: UPDATE t SET y = y WHERE x = 7 AND y = 3
c: UPDATE t SET y = 8 WHERE x = 7 AND y = 2
b: COMMIT
a: COMMIT
a: SELECT * FROM t ORDER BY id
== deleted
a: BEGIN
a: UPDATE t SET y = y WHERE x = 7 AND y = 1
b: DELETE FROM t WHERE x = 7 AND y = 3
b: DELETE FROM t WHERE x = 7 AND y = 2
c: DELETE FROM t WHERE x = 7
a: COMMIT
== without a key
a: BEGIN
a: UPDATE n SET y = y WHERE x = 7 AND y = 1
b: UPDATE n SET y = y WHERE x = 7 AND y = 2
c: DELETE FROM n WHERE x = 7 AND y = 1
a: COMMIT
== by the key
a: BEGIN
a: UPDATE t SET y = 5 WHERE id = 1
b: BEGIN
b: UPDATE t SET y = 7 WHERE id = 1 AND y = 9
b: UPDATE t SET y = 7 WHERE id = 1 AND y = 8
b: UPDATE t SET y = 7 WHERE id = 1 AND y = 5
b: UPDATE t SET y = 7 WHERE id IN (1, 2) AND y = 2
b: DELETE FROM t WHERE id = 1 AND y = 9
b: COMMIT
a: COMMIT
== what is passed over is not locked
a: BEGIN
a: UPDATE t SET y = 7 WHERE id = 1 AND y = 9
a: UPDATE t SET y = 7 WHERE id = 1 AND y = 8
a: UPDATE t SET y = 7 WHERE id IN (1, 2) AND y = 9
a: DELETE FROM t WHERE x = 7 AND y = 9
b: UPDATE t SET y = 5 WHERE id = 1
b: UPDATE t SET y = 5 WHERE id = 2
a: COMMIT
== it stays locked by who has locked it before
a: BEGIN
a: SELECT y FROM t WHERE id = 1 FOR UPDATE
a: UPDATE t SET y = 7 WHERE id = 1 AND y = 9
b: UPDATE t SET y = 5 WHERE id = 1
a: COMMIT
== a version that is looked for
a: BEGIN
a: UPDATE t SET y = 2 WHERE id = 1 AND y = 1
b: UPDATE t SET y = 2 WHERE id = 1 AND y = 1
c: UPDATE t SET y = 3 WHERE id = 1 AND y = 2
a: ROLLBACK
a: SELECT * FROM t ORDER BY id
== beside another key
a: BEGIN
a: UPDATE t SET u = 50 WHERE id = 1 AND y = 1
b: UPDATE t SET u = 60 WHERE u = 1 AND y = 4
b: UPDATE t SET u = 60 WHERE u = 2 AND y = 2
a: COMMIT
== with triggers
a: BEGIN
a: UPDATE g SET y = 1 WHERE id = 1
b: UPDATE g SET y = 3 WHERE id = 1 AND y = 2
b: UPDATE g SET y = 3 WHERE id = 1 AND y = 4
c: UPDATE g SET y = 3 WHERE id = 1 AND y = 1
a: COMMIT
