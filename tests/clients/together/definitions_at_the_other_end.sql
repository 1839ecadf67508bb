-- Triggers, indexes and foreign keys that a table gets while a block's rows refer to its, or the block has read it: they concern neither.
levels: read committed
setup: CREATE TABLE t (id int PRIMARY KEY, n int)
setup: CREATE TABLE r (id int PRIMARY KEY, t int REFERENCES t)
setup: CREATE TABLE r2 (id int PRIMARY KEY)
setup: INSERT INTO t VALUES (1, 1), (2, 2)
setup: CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'
== trigger on the parent
a: BEGIN
a: INSERT INTO r VALUES (1, 1)
b: CREATE TRIGGER g AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()
a: INSERT INTO r VALUES (2, 2)
a: COMMIT
a: SELECT * FROM r ORDER BY id
== another reference to the parent
a: BEGIN
a: INSERT INTO r VALUES (1, 1)
b: ALTER TABLE r2 ADD FOREIGN KEY (id) REFERENCES t
a: INSERT INTO r VALUES (2, 2)
a: COMMIT
a: SELECT * FROM r ORDER BY id
== a table that refers to the parent
a: BEGIN
a: INSERT INTO r VALUES (1, 1)
b: CREATE TABLE r3 (id int REFERENCES t)
a: INSERT INTO r VALUES (2, 2)
a: COMMIT
a: SELECT * FROM r ORDER BY id
== an index
a: BEGIN
a: INSERT INTO r VALUES (1, 1)
b: CREATE INDEX ON t (n)
b: CREATE UNIQUE INDEX ON t (n)
a: INSERT INTO r VALUES (2, 2)
a: COMMIT
a: SELECT * FROM r ORDER BY id
== statistics
a: BEGIN
a: INSERT INTO r VALUES (1, 1)
b: ALTER TABLE t ALTER n SET STATISTICS 10
a: COMMIT
a: SELECT * FROM r ORDER BY id
== and nothing else comes
a: BEGIN
a: INSERT INTO r VALUES (1, 1)
b: CREATE TRIGGER g AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()
a: COMMIT
a: SELECT * FROM r ORDER BY id
== a unique index, and nothing else
a: BEGIN
a: INSERT INTO r VALUES (1, 1)
b: CREATE UNIQUE INDEX ON t (n)
a: COMMIT
a: SELECT * FROM r ORDER BY id
== it has read
a: BEGIN
a: SELECT count(*) FROM t
a: INSERT INTO r2 VALUES (1)
b: CREATE TRIGGER g AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()
b: CREATE UNIQUE INDEX ON t (n)
a: SELECT count(*) FROM t
a: COMMIT
a: SELECT * FROM r2 ORDER BY id
== a column: it waits
a: BEGIN
a: INSERT INTO r VALUES (1, 1)
b: ALTER TABLE t ADD COLUMN c int
a: COMMIT
a: SELECT * FROM r ORDER BY id
== parent's row locked
a: BEGIN
a: SELECT id FROM t WHERE id = 1 FOR UPDATE
b: CREATE TRIGGER g AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()
b: CREATE TABLE r3 (id int REFERENCES t)
a: INSERT INTO r VALUES (2, 2)
a: COMMIT
a: SELECT * FROM r ORDER BY id
== parent's key given up
a: BEGIN
a: DELETE FROM t WHERE id = 1
b: CREATE TABLE r3 (id int REFERENCES t)
a: COMMIT
b: INSERT INTO r3 VALUES (1)
== read, then referred to
a: BEGIN
a: SELECT count(*) FROM t
b: CREATE TABLE r3 (id int REFERENCES t)
a: INSERT INTO r VALUES (2, 2)
a: COMMIT
a: SELECT * FROM r ORDER BY id
