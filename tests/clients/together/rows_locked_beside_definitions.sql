-- FOR UPDATE and its kin write nothing: triggers and foreign keys may come beside them, and LOCK TABLE in all but its two strongest modes.
levels: read committed
setup: CREATE TABLE p (id int PRIMARY KEY, v int)
setup: INSERT INTO p VALUES (1, 1), (2, 2)
setup: CREATE TABLE t (id int PRIMARY KEY, v int, r int)
setup: INSERT INTO t VALUES (1, 1, 1), (2, 2, 2)
setup: CREATE FUNCTION tf() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.v = new.v + 100; RETURN new; END'
== beside a trigger that comes
a: BEGIN
a: CREATE TRIGGER tg BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION tf()
b: BEGIN
b: SELECT * FROM t WHERE id = 1 FOR UPDATE
b: SELECT * FROM t WHERE v > 1 ORDER BY id FOR KEY SHARE
b: UPDATE t SET v = v + 1 WHERE id = 1
a: COMMIT
b: COMMIT
a: SELECT * FROM t ORDER BY id
== beside a foreign key that comes
a: BEGIN
a: ALTER TABLE t ADD FOREIGN KEY (r) REFERENCES p
b: SELECT * FROM t WHERE id = 1 FOR UPDATE
c: SELECT * FROM p WHERE id = 1 FOR UPDATE
c: SELECT t.id FROM t JOIN p ON p.id = t.r ORDER BY t.id FOR SHARE OF t
d: DELETE FROM p WHERE id = 2
a: COMMIT
== beside LOCK TABLE
a: BEGIN
a: LOCK TABLE t IN SHARE ROW EXCLUSIVE MODE
b: SELECT * FROM t WHERE id = 1 FOR UPDATE
c: SELECT * FROM t ORDER BY id FOR KEY SHARE
a: COMMIT
== beside one that is stronger
a: BEGIN
a: LOCK TABLE t IN EXCLUSIVE MODE
b: SELECT * FROM t WHERE id = 1 FOR UPDATE
c: SELECT * FROM t ORDER BY id FOR KEY SHARE
d: SELECT * FROM t ORDER BY id
a: COMMIT
b: SELECT * FROM t WHERE id = 1 FOR UPDATE
== in a block that has read it before
b: BEGIN
b: SELECT * FROM t WHERE id = 1
a: BEGIN
a: LOCK TABLE t IN EXCLUSIVE MODE
b: SELECT * FROM t WHERE id = 1 FOR UPDATE
a: UPDATE t SET v = 7 WHERE id = 1
a: COMMIT
b: COMMIT
