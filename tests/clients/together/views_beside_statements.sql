-- Views that are defined anew beside those who go through them: their definition is locked as a table's is.
setup: CREATE TABLE t (id int PRIMARY KEY, n int, s text)
setup: CREATE TABLE u (id int PRIMARY KEY, n int)
setup: INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b')
setup: INSERT INTO u VALUES (1, 1)
setup: CREATE VIEW v AS SELECT id, n FROM t
== who has read a view keeps it
a: BEGIN
a: SELECT * FROM v ORDER BY id
b: DROP VIEW v
a: SELECT * FROM v ORDER BY id
a: COMMIT
a: SELECT * FROM v
== and its query
a: BEGIN
a: SELECT * FROM v ORDER BY id
b: CREATE OR REPLACE VIEW v AS SELECT id, n + 10 AS n FROM t
a: SELECT * FROM v ORDER BY id
a: COMMIT
a: SELECT * FROM v ORDER BY id
== and its name
a: BEGIN
a: SELECT * FROM v ORDER BY id
b: ALTER VIEW v RENAME TO vv
a: SELECT * FROM v ORDER BY id
a: COMMIT
a: SELECT * FROM vv ORDER BY id
== a block's first read waits for who defines it anew
a: BEGIN
a: CREATE OR REPLACE VIEW v AS SELECT id, n + 10 AS n FROM t
b: BEGIN
b: SELECT * FROM v ORDER BY id
a: COMMIT
b: COMMIT
== two who define it anew
a: BEGIN
a: CREATE OR REPLACE VIEW v AS SELECT id, n + 10 AS n FROM t
b: CREATE OR REPLACE VIEW v AS SELECT id, n + 20 AS n FROM t
a: COMMIT
b: SELECT * FROM v ORDER BY id
== who has read what is under it concerns nobody
a: BEGIN
a: SELECT * FROM t ORDER BY id
b: DROP VIEW v
a: SELECT * FROM t ORDER BY id
a: COMMIT
== who has written by it
a: BEGIN
a: UPDATE v SET n = 5 WHERE id = 1
b: DROP VIEW v
a: UPDATE v SET n = 6 WHERE id = 2
a: COMMIT
a: SELECT * FROM t ORDER BY id
== who writes by it waits for who drops it, which comes to nothing
a: BEGIN
a: DROP VIEW v
b: UPDATE v SET n = 5 WHERE id = 1
a: ROLLBACK
a: SELECT * FROM t ORDER BY id
== and finds it gone
a: BEGIN
a: DROP VIEW v
b: UPDATE v SET n = 5 WHERE id = 1
a: COMMIT
a: SELECT * FROM t ORDER BY id
== a view of no table
w: CREATE VIEW one AS SELECT 1 AS x
a: BEGIN
a: SELECT * FROM one
b: DROP VIEW one
a: SELECT * FROM one
a: COMMIT
== a view under a view
w: CREATE VIEW w AS SELECT * FROM v
a: BEGIN
a: SELECT * FROM w ORDER BY id
b: CREATE OR REPLACE VIEW v AS SELECT id, n + 10 AS n FROM t
a: SELECT * FROM w ORDER BY id
a: COMMIT
a: SELECT * FROM w ORDER BY id
== an option
a: BEGIN
a: SELECT * FROM v ORDER BY id
b: ALTER VIEW v SET (security_barrier = true)
a: COMMIT
== a trigger waits for no reader
w: CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'
a: BEGIN
a: SELECT * FROM v ORDER BY id
b: CREATE TRIGGER x INSTEAD OF UPDATE ON v FOR EACH ROW EXECUTE FUNCTION g()
a: UPDATE v SET n = 77 WHERE id = 1
a: COMMIT
b: SELECT * FROM t ORDER BY id
== but for who has written by the view
w: CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'
a: BEGIN
a: UPDATE v SET n = 77 WHERE id = 1
b: CREATE TRIGGER x INSTEAD OF UPDATE ON v FOR EACH ROW EXECUTE FUNCTION g()
a: UPDATE v SET n = 78 WHERE id = 1
a: COMMIT
b: SELECT * FROM t ORDER BY id
== a view of partitions
w: CREATE TABLE p (id int, n int) PARTITION BY LIST (id)
w: CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1)
w: CREATE VIEW pv AS SELECT * FROM p
a: BEGIN
a: SELECT * FROM pv
b: DROP VIEW pv
a: COMMIT
== a function that reads it
w: CREATE FUNCTION rd() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM v); END'
a: BEGIN
a: SELECT rd()
b: DROP VIEW v
a: COMMIT
== a cursor
a: BEGIN
a: DECLARE c CURSOR FOR SELECT * FROM v ORDER BY id
b: DROP VIEW v
a: FETCH ALL c
a: COMMIT
== it goes with its table
a: BEGIN
a: SELECT * FROM v ORDER BY id
b: DROP TABLE t CASCADE
a: SELECT * FROM v ORDER BY id
a: COMMIT
a: SELECT to_regclass('t'), to_regclass('v')
== a view of somebody's own
w: CREATE TEMP VIEW tv AS SELECT * FROM v
w: BEGIN
w: SELECT * FROM tv ORDER BY id
b: CREATE OR REPLACE VIEW v AS SELECT id, n + 10 AS n FROM t
w: SELECT * FROM tv ORDER BY id
w: COMMIT
w: SELECT * FROM tv ORDER BY id
== prepared, and again
w: PREPARE p AS SELECT n FROM v WHERE id = $1
w: EXECUTE p(1)
w: BEGIN
w: EXECUTE p(1)
b: CREATE OR REPLACE VIEW v AS SELECT id, n + 10 AS n FROM t
w: EXECUTE p(1)
w: COMMIT
w: EXECUTE p(1)
== rows of it that become a table's
a: BEGIN
a: CREATE TABLE made AS SELECT * FROM v
b: DROP VIEW v
a: COMMIT
a: SELECT * FROM made ORDER BY id
