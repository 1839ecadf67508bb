-- A block that has failed, and has no savepoint to go back to, keeps nobody waiting; one that has keeps what is older than that.
levels: read committed
setup: CREATE TABLE t (id int PRIMARY KEY, n int)
setup: CREATE TABLE g (id int PRIMARY KEY, n int)
setup: INSERT INTO t VALUES (1, 1), (2, 2)
setup: INSERT INTO g VALUES (1, 1), (2, 2)
setup: CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'
setup: CREATE TRIGGER g BEFORE UPDATE ON g FOR EACH ROW EXECUTE FUNCTION f()
== a trigger refuses
a: BEGIN
a: UPDATE t SET n = 5 WHERE id = 1
a: UPDATE g SET n = 5 WHERE id = 1
b: UPDATE t SET n = n + 1 WHERE id = 1
b: BEGIN
b: LOCK TABLE t, g IN ACCESS EXCLUSIVE MODE
b: COMMIT
a: ROLLBACK
== advisory locks, too
a: BEGIN
a: SELECT pg_advisory_xact_lock(7)
a: UPDATE g SET n = 5 WHERE id = 1
b: SELECT pg_advisory_xact_lock(7)
a: ROLLBACK
== of several rows
a: BEGIN
a: UPDATE t SET n = 5 WHERE id = 1
a: UPDATE g SET n = 5 WHERE n > 0
b: UPDATE t SET n = n + 1 WHERE id = 1
a: ROLLBACK
== a savepoint stays
a: BEGIN
a: UPDATE t SET n = 5 WHERE id = 1
a: SAVEPOINT x
a: UPDATE g SET n = 5 WHERE id = 1
b: UPDATE t SET n = n + 1 WHERE id = 1
a: ROLLBACK TO x
a: COMMIT
== who has waited in vain
a: BEGIN
a: SELECT id FROM t WHERE id = 1 FOR UPDATE
b: BEGIN
b: SAVEPOINT x
b!: SET LOCAL lock_timeout = 50; UPDATE t SET n = 3 WHERE id = 1
c: BEGIN
c: LOCK TABLE t IN SHARE MODE
b: ROLLBACK TO x
a: COMMIT
c: COMMIT
b: COMMIT
