-- Cursors that wait for rows: time-outs, circles, many rows at once, and who else goes on meanwhile.
levels: read committed
setup: CREATE TABLE t (id int PRIMARY KEY, n int)
setup: INSERT INTO t SELECT i, 0 FROM generate_series(1, 30) i
setup: CREATE TABLE said (what text)
== cancelled in a cursor's wait
a: BEGIN
a: UPDATE t SET n = 1 WHERE id = 2
b: BEGIN
b: DECLARE c CURSOR FOR SELECT id FROM t ORDER BY id FOR UPDATE
b: FETCH 1 FROM c
b: SAVEPOINT s
b: SET LOCAL lock_timeout = '100ms'
b!: FETCH 1 FROM c
b: ROLLBACK TO s
a: COMMIT
b: FETCH 1 FROM c
b: COMMIT
== a time-out in a loop that handles it
a: BEGIN
a: UPDATE t SET n = 1 WHERE id = 2
b!: SET statement_timeout = '300ms'
b!: DO $$ DECLARE r record; BEGIN FOR r IN SELECT id FROM t WHERE id < 4 ORDER BY id FOR UPDATE LOOP INSERT INTO said VALUES (r.id); END LOOP; EXCEPTION WHEN query_canceled THEN INSERT INTO said VALUES ('late'); END $$
c: SELECT id FROM t WHERE id = 1 FOR UPDATE NOWAIT
a: COMMIT
c: SELECT * FROM said
== deadlocks in a loop that handles them
a: SET deadlock_timeout = '10s'
a: BEGIN
a: UPDATE t SET n = 1 WHERE id = 2
b: BEGIN
b: UPDATE t SET n = 1 WHERE id = 1
a: UPDATE t SET n = 1 WHERE id = 1
b!: DO $$ DECLARE r record; BEGIN FOR i IN 1..2 LOOP BEGIN FOR r IN SELECT id FROM t WHERE id = 2 FOR UPDATE LOOP NULL; END LOOP; EXCEPTION WHEN deadlock_detected THEN INSERT INTO said VALUES ('circle'); END; END LOOP; END $$
b+a: COMMIT
a: COMMIT
a: SELECT * FROM said
== a fetch of many beside a writer
a: BEGIN
a: DECLARE c CURSOR FOR SELECT id, n FROM t ORDER BY id FOR UPDATE
b: UPDATE t SET n = 7 WHERE id IN (5, 25)
a: FETCH 10 FROM c
c: UPDATE t SET n = 8 WHERE id = 12
a: FETCH 10 FROM c
d: DELETE FROM t WHERE id = 30
a: FETCH ALL FROM c
a: COMMIT
== fetched backwards
a: BEGIN
a: DECLARE c CURSOR FOR SELECT id FROM t ORDER BY id FOR UPDATE
a: FETCH 2 FROM c
a: FETCH BACKWARD 1 FROM c
a: ROLLBACK
== absolute
a: BEGIN
a: DECLARE c CURSOR FOR SELECT id FROM t ORDER BY id FOR UPDATE
a: FETCH ABSOLUTE 3 FROM c
b: UPDATE t SET n = 1 WHERE id = 4
b: UPDATE t SET n = 1 WHERE id = 2
a: ROLLBACK
== read only
a: BEGIN READ ONLY
a: DECLARE c CURSOR FOR SELECT id FROM t ORDER BY id FOR UPDATE
a: FETCH 1 FROM c
a: ROLLBACK
== a definition beside an open cursor
a: BEGIN
a: DECLARE c CURSOR FOR SELECT id, n FROM t ORDER BY id FOR UPDATE
b: ALTER TABLE t ADD COLUMN x int
a: FETCH 1 FROM c
a: COMMIT
