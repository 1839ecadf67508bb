-- Statements that are told to stop, locks that do not come, circles of waits, and who of those that handle errors takes them.
levels: read committed
setup: CREATE TABLE t (id int PRIMARY KEY, n int)
setup: INSERT INTO t VALUES (1, 0), (2, 0)
setup: CREATE TABLE said (what text)
== a time-out is taken by its name
a!: SET statement_timeout = '250ms'
a!: DO $$ BEGIN INSERT INTO said VALUES ('lost'); PERFORM pg_sleep(5); EXCEPTION WHEN query_canceled THEN INSERT INTO said VALUES (SQLSTATE || ' ' || SQLERRM); END $$
d!: SELECT * FROM said
a!: DO $$ BEGIN PERFORM pg_sleep(5); EXCEPTION WHEN OTHERS THEN INSERT INTO said VALUES ('others'); END $$
a!: DO $$ BEGIN PERFORM pg_sleep(5); EXCEPTION WHEN operator_intervention THEN INSERT INTO said VALUES (SQLERRM); END $$
a!: DO $$ BEGIN LOOP NULL; END LOOP; EXCEPTION WHEN query_canceled THEN INSERT INTO said VALUES ('loop'); END $$
a!: DO $$ BEGIN BEGIN PERFORM count(*) FROM generate_series(1, 1000000000) a, generate_series(1, 1000) b; EXCEPTION WHEN OTHERS THEN INSERT INTO said VALUES ('others'); END; EXCEPTION WHEN query_canceled THEN INSERT INTO said VALUES ('query'); END $$
a!: DO $$ BEGIN BEGIN PERFORM pg_sleep(5); EXCEPTION WHEN query_canceled THEN NULL; END; PERFORM pg_sleep(0.4); INSERT INTO said VALUES ('after'); END $$
d!: SELECT * FROM said
a!: BEGIN
a!: DO $$ BEGIN PERFORM pg_sleep(5); EXCEPTION WHEN query_canceled THEN INSERT INTO said VALUES ('in a block'); END $$
a!: COMMIT
d!: SELECT * FROM said
d!: DO $$ BEGIN RAISE query_canceled; EXCEPTION WHEN OTHERS THEN INSERT INTO said VALUES ('others'); END $$
d!: DO $$ BEGIN RAISE query_canceled; EXCEPTION WHEN query_canceled THEN INSERT INTO said VALUES ('raised'); END $$
d!: DO $$ BEGIN ASSERT false, 'no'; EXCEPTION WHEN OTHERS THEN INSERT INTO said VALUES ('others'); END $$
d!: DO $$ BEGIN ASSERT false, 'no'; EXCEPTION WHEN assert_failure THEN INSERT INTO said VALUES (SQLERRM); END $$
d!: SELECT * FROM said
== what waits for a row
a!: BEGIN
a!: UPDATE t SET n = 1 WHERE id = 1
b!: SET statement_timeout = '250ms'
b!: BEGIN
b!: DO $$ BEGIN UPDATE t SET n = 5 WHERE id = 2; UPDATE t SET n = 2 WHERE id = 1; EXCEPTION WHEN query_canceled THEN INSERT INTO said VALUES ('canceled'); END $$
c!: UPDATE t SET n = 7 WHERE id = 2
b!: COMMIT
a!: COMMIT
a!: SELECT * FROM t ORDER BY id
a!: SELECT * FROM said
== a lock that is not there in time
a!: BEGIN
a!: UPDATE t SET n = 1 WHERE id = 1
b!: SET lock_timeout = '100ms'
b!: DO $$ BEGIN UPDATE t SET n = 2 WHERE id = 1; EXCEPTION WHEN lock_not_available THEN INSERT INTO said VALUES (SQLERRM); END $$
b!: DO $$ BEGIN UPDATE t SET n = 2 WHERE id = 1; EXCEPTION WHEN OTHERS THEN INSERT INTO said VALUES (SQLERRM); END $$
b!: DO $$ BEGIN LOCK TABLE t; EXCEPTION WHEN lock_not_available THEN INSERT INTO said VALUES ('table'); END $$
b!: DO $$ BEGIN PERFORM FROM t FOR UPDATE NOWAIT; EXCEPTION WHEN lock_not_available THEN INSERT INTO said VALUES ('nowait'); END $$
a!: COMMIT
a!: SELECT * FROM said
== a lock that a loop or a cursor does not get
a!: BEGIN
a!: UPDATE t SET n = 1 WHERE id = 2
b!: SET lock_timeout = '100ms'
b!: DO $$ DECLARE r record; BEGIN FOR r IN SELECT id FROM t ORDER BY id FOR UPDATE LOOP INSERT INTO said VALUES ('lost'); END LOOP; EXCEPTION WHEN lock_not_available THEN INSERT INTO said VALUES (SQLERRM); END $$
b!: DO $$ DECLARE c CURSOR FOR SELECT id FROM t ORDER BY id FOR UPDATE NOWAIT; i int; BEGIN OPEN c; BEGIN LOOP FETCH c INTO i; END LOOP; EXCEPTION WHEN lock_not_available THEN INSERT INTO said VALUES (i); END; END $$
b!: DO $$ DECLARE c CURSOR FOR SELECT id FROM t ORDER BY id FOR UPDATE NOWAIT; i int; BEGIN OPEN c; BEGIN LOOP FETCH c INTO i; END LOOP; EXCEPTION WHEN OTHERS THEN NULL; END; FETCH c INTO i; END $$
a!: COMMIT
a!: SELECT * FROM said
== a circle that a cursor's wait closes
a!: SET deadlock_timeout = '10s'
a!: BEGIN
b!: BEGIN
a!: UPDATE t SET n = 1 WHERE id = 1
b!: UPDATE t SET n = 2 WHERE id = 2
a: UPDATE t SET n = 1 WHERE id = 2
b!: DO $$ DECLARE r record; BEGIN FOR r IN SELECT id FROM t ORDER BY id FOR UPDATE LOOP NULL; END LOOP; EXCEPTION WHEN deadlock_detected THEN INSERT INTO said VALUES ('deadlock'); END $$
b+a: COMMIT
a!: COMMIT
a!: SELECT * FROM said
== a request to stop
a: BEGIN
a: UPDATE t SET n = 1 WHERE id = 1
b: DO $$ BEGIN UPDATE t SET n = 2 WHERE id = 1; EXCEPTION WHEN query_canceled THEN INSERT INTO said VALUES (SQLERRM); END $$
a+b: SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'DO%' AND state = 'active' AND datname = current_database()
b!: SELECT * FROM said
a: COMMIT
== a deadlock that is taken
a!: SET deadlock_timeout = '10s'
a!: BEGIN
b!: BEGIN
a!: UPDATE t SET n = 1 WHERE id = 1
b!: UPDATE t SET n = 2 WHERE id = 2
a: UPDATE t SET n = 1 WHERE id = 2
b!: DO $$ BEGIN UPDATE t SET n = 2 WHERE id = 1; EXCEPTION WHEN deadlock_detected THEN INSERT INTO said VALUES ('deadlock'); END $$
b+a: COMMIT
a!: COMMIT
a!: SELECT * FROM said
a!: SELECT * FROM t ORDER BY id
== a deadlock that others take
a!: SET deadlock_timeout = '10s'
a!: BEGIN
b!: BEGIN
a!: UPDATE t SET n = 1 WHERE id = 1
b!: UPDATE t SET n = 2 WHERE id = 2
a: UPDATE t SET n = 1 WHERE id = 2
b!: DO $$ BEGIN UPDATE t SET n = 2 WHERE id = 1; EXCEPTION WHEN OTHERS THEN INSERT INTO said VALUES (SQLSTATE); END $$
b+a: ROLLBACK
a!: COMMIT
a!: SELECT * FROM said
