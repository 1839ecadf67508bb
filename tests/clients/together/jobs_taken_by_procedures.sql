-- Procedures and DO outside of blocks take row after row, too, unless they commit in between.
levels: read committed, repeatable read
setup: CREATE TABLE t (id int PRIMARY KEY, n int DEFAULT 0, s text DEFAULT 'new')
setup: INSERT INTO t SELECT i FROM generate_series(1, 30) i
setup: CREATE PROCEDURE one() LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN FOR r IN SELECT id FROM t WHERE s = 'new' ORDER BY id FOR UPDATE SKIP LOCKED LOOP UPDATE t SET n = 1, s = 'done' WHERE id = r.id; PERFORM pg_advisory_xact_lock(7); EXIT; END LOOP; END $$
setup: CREATE PROCEDURE two() LANGUAGE plpgsql AS $$ DECLARE c CURSOR FOR SELECT id FROM t WHERE s = 'new' ORDER BY id FOR UPDATE SKIP LOCKED; i int; BEGIN OPEN c; FETCH c INTO i; UPDATE t SET n = 2, s = 'done' WHERE CURRENT OF c; PERFORM pg_advisory_xact_lock(7); FETCH c INTO i; UPDATE t SET n = 3, s = 'done' WHERE CURRENT OF c; END $$
setup: CREATE PROCEDURE many() LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN FOR r IN SELECT id FROM t WHERE id < 4 ORDER BY id LOOP UPDATE t SET n = n + 4 WHERE id = r.id; COMMIT; END LOOP; END $$
== procedures that take their jobs one by one
z: BEGIN
z: SELECT pg_advisory_xact_lock(7)
a: CALL one()
b: CALL two()
c: SELECT id FROM t WHERE id < 6 ORDER BY id FOR UPDATE SKIP LOCKED
z: COMMIT
c: SELECT id, n FROM t WHERE n > 0 ORDER BY id
== a DO that does
z: BEGIN
z: SELECT pg_advisory_xact_lock(7)
a: DO $$ DECLARE r record; BEGIN FOR r IN SELECT id FROM t ORDER BY id FOR UPDATE SKIP LOCKED LOOP PERFORM pg_advisory_xact_lock(7); EXIT; END LOOP; END $$
c: SELECT id FROM t WHERE id < 6 ORDER BY id FOR UPDATE SKIP LOCKED
z: COMMIT
== one that commits
a: CALL many()
a: SELECT id, n FROM t WHERE n > 0 ORDER BY id
