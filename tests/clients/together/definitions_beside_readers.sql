-- A block that has only read a table goes on under what others have made of it, and writes as the table is by then: at this level nobody
-- is refused for it.
levels: read committed
setup: CREATE TABLE p (id int PRIMARY KEY, v int)
setup: INSERT INTO p VALUES (1, 1), (2, 2)
setup: CREATE TABLE t (id int PRIMARY KEY, v int, r int)
setup: INSERT INTO t VALUES (1, 1, 1), (2, 2, 2)
setup: CREATE TABLE u (id int, v int)
setup: CREATE VIEW w AS SELECT * FROM t WHERE v > 0
setup: CREATE FUNCTION tf() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.v = new.v + 100; RETURN new; END'
== a foreign key came, and is asked
a: BEGIN
a: SELECT * FROM t ORDER BY id
b: ALTER TABLE t ADD FOREIGN KEY (r) REFERENCES p
a: INSERT INTO t VALUES (3, 3, 1)
a: SAVEPOINT s
a: INSERT INTO t VALUES (4, 4, 77)
a: ROLLBACK TO s
a: UPDATE t SET v = v + 1 WHERE id = 2
a: COMMIT
a: SELECT * FROM t ORDER BY id
== a trigger came, and fires
a: BEGIN
a: SELECT * FROM t WHERE id = 1
b: CREATE TRIGGER tg BEFORE INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION tf()
a: UPDATE t SET v = v + 1 WHERE id = 1
a: UPDATE t SET v = v + 1 WHERE v = 2
a: INSERT INTO w VALUES (3, 3, 3)
a: COMMIT
a: SELECT * FROM t ORDER BY id
== a unique index came, and is unique
a: BEGIN
a: SELECT count(*) FROM w
b: CREATE UNIQUE INDEX ON t (v)
a: SAVEPOINT s
a: INSERT INTO t VALUES (3, 2, 1)
a: ROLLBACK TO s
a: INSERT INTO t VALUES (3, 3, 1)
a: CREATE TABLE own (a int)
a: COMMIT
a: SELECT * FROM t ORDER BY id
== rows that are written elsewhere
a: BEGIN
a: SELECT * FROM t WHERE id = 1
b: CREATE TABLE z (id int REFERENCES t)
c: ALTER TABLE t ADD FOREIGN KEY (r) REFERENCES p
a: INSERT INTO u VALUES (1, 1)
a: CREATE TABLE own (a int)
a: COMMIT
== what was undone was not written
a: BEGIN
a: SAVEPOINT s
a: INSERT INTO t VALUES (9, 9, 9)
a: ROLLBACK TO s
b: CREATE TRIGGER tg BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION tf()
a: INSERT INTO t VALUES (9, 9, 9)
a: COMMIT
a: SELECT * FROM t ORDER BY id
== with definitions of its own beside what concerns nobody
a: BEGIN
a: INSERT INTO t VALUES (3, 3, 3)
b: COMMENT ON TABLE t IS 'x'
b: ALTER TABLE t ALTER v SET STATISTICS 10
a: CREATE TABLE own (a int)
a: COMMIT
== a constraint keeps readers out
a: BEGIN
a: SELECT * FROM t WHERE id = 1
b: ALTER TABLE t ADD UNIQUE (v)
a: COMMIT
== who refers to a table waits for those who write to it, before anything else
a: BEGIN
a: INSERT INTO t VALUES (3, 3, 1)
b: CREATE TABLE z (id int REFERENCES t)
a: UPDATE t SET v = v + 1
a: COMMIT
== the table that is altered first
a: BEGIN
a: INSERT INTO t VALUES (3, 3, 1)
b: ALTER TABLE t ADD FOREIGN KEY (r) REFERENCES p
a: DELETE FROM p WHERE id = 2
a: INSERT INTO p VALUES (10, 10)
a: COMMIT
a: SELECT * FROM p ORDER BY id
