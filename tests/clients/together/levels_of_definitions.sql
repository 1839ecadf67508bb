-- Each definition locks its table as much as it has to: against other definitions alone, against who writes, or against everybody.
levels: read committed
setup: CREATE TABLE t (id int PRIMARY KEY, n int, c text)
setup: CREATE INDEX i ON t (n)
setup: INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b')
setup: ALTER TABLE t ADD CONSTRAINT ck CHECK (n > 0) NOT VALID
setup: CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'
setup: CREATE TRIGGER tg BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()
== two that concern no statement
a: BEGIN
a: COMMENT ON TABLE t IS 'x'
b: ALTER TABLE t VALIDATE CONSTRAINT ck
a: INSERT INTO t VALUES (3, 3, 'c')
a: COMMIT
b: SELECT obj_description('t'::regclass), convalidated FROM pg_constraint WHERE conname = 'ck'
== and one that keeps writers out
a: BEGIN
a: ALTER TABLE t ALTER n SET STATISTICS 10
b: CREATE TRIGGER tn BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()
c: INSERT INTO t VALUES (3, 3, 'c')
a: COMMIT
b: SELECT attstattarget, (SELECT count(*) FROM pg_trigger WHERE tgrelid = attrelid) FROM pg_attribute WHERE attrelid = 't'::regclass AND attname = 'n'
== first one that keeps writers out
a: BEGIN
a: CREATE TRIGGER tn BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()
b: ALTER TABLE t SET (fillfactor = 70)
a: COMMIT
b: SELECT reloptions FROM pg_class WHERE relname = 't'
== nobody waits for a comment but who defines
a: BEGIN
a: COMMENT ON TABLE t IS 'x'
b: BEGIN
b: SELECT count(*) FROM t
b: SELECT id FROM t WHERE id = 1 FOR UPDATE
b: INSERT INTO t VALUES (3, 3, 'c')
c: ALTER TABLE t ADD COLUMN d int
b: UPDATE t SET n = 5 WHERE id = 2
b: COMMIT
a: COMMIT
c: SELECT * FROM t ORDER BY id
== the lock of the same level
a: BEGIN
a: LOCK TABLE t IN SHARE UPDATE EXCLUSIVE MODE
b: COMMENT ON TABLE t IS 'x'
c: INSERT INTO t VALUES (3, 3, 'c')
a: COMMIT
b: BEGIN
b: COMMENT ON TABLE t IS 'y'
a: BEGIN
a: LOCK TABLE t IN SHARE UPDATE EXCLUSIVE MODE NOWAIT
a: ROLLBACK
a: BEGIN
a: LOCK TABLE t IN SHARE MODE NOWAIT
a: ROLLBACK
a: LOCK TABLE t IN ROW EXCLUSIVE MODE
a: BEGIN
a: LOCK TABLE t IN ROW EXCLUSIVE MODE NOWAIT
a: COMMIT
b: SELECT mode, granted FROM pg_locks WHERE relation = 't'::regclass AND mode = 'ShareUpdateExclusiveLock'
b: ROLLBACK
== SHARE and a definition together keep their like out
a: BEGIN
a: LOCK TABLE t IN SHARE MODE
a: COMMENT ON TABLE t IS 'x'
b: BEGIN
b: LOCK TABLE t IN SHARE MODE
a: COMMIT
b: COMMIT
== not for ever
a: BEGIN
a: COMMENT ON TABLE t IS 'x'
b: SET lock_timeout = '50ms'
b!: COMMENT ON TABLE t IS 'y'
b!: CREATE INDEX j ON t (c)
b!: DROP INDEX i
a: COMMIT
b: CREATE INDEX j ON t (c)
== a circle of definitions
a: CREATE TABLE u (id int)
a: BEGIN
a: COMMENT ON TABLE t IS 'x'
b: SET deadlock_timeout = '1min'
b: BEGIN
b: COMMENT ON TABLE u IS 'y'
b: COMMENT ON TABLE t IS 'y'
a!: COMMENT ON TABLE u IS 'x'
a: ROLLBACK
b: COMMIT
b: SELECT obj_description('t'::regclass)
== an index waits for writers, and keeps them waiting
a: BEGIN
a: INSERT INTO t VALUES (3, 3, 'c')
b: CREATE INDEX j ON t (c)
a: UPDATE t SET c = 'd' WHERE id = 1
c: INSERT INTO t VALUES (4, 4, 'd')
a: COMMIT
c: SELECT * FROM t WHERE c = 'd' ORDER BY id
== not for readers, who do not wait for it
a: BEGIN
a: SELECT id FROM t WHERE id = 1 FOR UPDATE
b: BEGIN
b: CREATE INDEX j ON t (c)
a: SELECT count(*) FROM t
c: BEGIN
c: SELECT count(*) FROM t
c: INSERT INTO t VALUES (3, 3, 'c')
b: COMMIT
c: COMMIT
a: COMMIT
== two indexes at once
a: BEGIN
a: CREATE INDEX j ON t (c)
b: BEGIN
b: CREATE INDEX k ON t (c, n)
a: COMMIT
b: COMMIT
b: SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 't'::regclass ORDER BY indexrelid::regclass::text
== an index goes
a: BEGIN
a: SELECT * FROM t WHERE n = 1
b: DROP INDEX i
a: SELECT * FROM t WHERE n = 2
a: COMMIT
b: SELECT to_regclass('i')
== an index that goes keeps everybody out
b: BEGIN
b: DROP INDEX i
a: BEGIN
a: SELECT * FROM t WHERE n = 1
b: ROLLBACK
a: COMMIT
== a trigger goes, or is called otherwise
a: BEGIN
a: SELECT * FROM t WHERE id = 1
b: ALTER TRIGGER tg ON t RENAME TO th
a: COMMIT
a: BEGIN
a: SELECT * FROM t WHERE id = 1
b: DROP TRIGGER th ON t
a: COMMIT
b: CREATE TRIGGER th BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()
a: BEGIN
a: SELECT * FROM t WHERE id = 1
b: DROP FUNCTION f CASCADE
a: COMMIT
b: SELECT count(*) FROM pg_trigger WHERE tgrelid = 't'::regclass
== the order of rows, and what is counted of them
a: BEGIN
a: ALTER TABLE t CLUSTER ON i
b: CREATE STATISTICS s ON n, c FROM t
a: COMMIT
a: BEGIN
a: COMMENT ON TABLE t IS 'x'
b: DROP STATISTICS s
a: COMMIT
b: SELECT indisclustered FROM pg_index WHERE indexrelid = 'i'::regclass
== beside writers
a: BEGIN
a: COMMENT ON TABLE t IS 'x'
b: CREATE INDEX CONCURRENTLY j ON t (c)
a: COMMIT
a: INSERT INTO t VALUES (3, 3, 'c')
b: DROP INDEX CONCURRENTLY j
b: SELECT to_regclass('j')
