-- Programs that take jobs and write beside each other: procedures that commit, handlers, MERGE, what is brought only where it is not there.
levels: read committed
setup: CREATE TABLE jobs (id int PRIMARY KEY, state text DEFAULT 'new', n int DEFAULT 0)
setup: INSERT INTO jobs SELECT i FROM generate_series(1, 20) i
setup: CREATE TABLE said (what text)
setup: CREATE FUNCTION step(text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO said VALUES ($1); END $$
setup: CREATE PROCEDURE work(k int) LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN FOR i IN 1..k LOOP SELECT * INTO r FROM jobs WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED; EXIT WHEN NOT FOUND; UPDATE jobs SET state = 'done' WHERE id = r.id; COMMIT; END LOOP; END $$
setup: CREATE PROCEDURE sweep() LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN FOR r IN SELECT * FROM jobs WHERE state = 'new' ORDER BY id FOR UPDATE SKIP LOCKED LOOP UPDATE jobs SET state = 'done' WHERE id = r.id; COMMIT; END LOOP; END $$
setup: CREATE FUNCTION next_job() RETURNS int LANGUAGE plpgsql AS $$ DECLARE j int; BEGIN LOOP BEGIN SELECT id INTO STRICT j FROM jobs WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE NOWAIT; RETURN j; EXCEPTION WHEN lock_not_available THEN RETURN -1; WHEN no_data_found THEN RETURN 0; END; END LOOP; END $$
== procedures that commit
a: BEGIN
a: SELECT id FROM jobs WHERE id IN (1, 3) FOR UPDATE
b: CALL work(3)
a: COMMIT
b: SELECT id FROM jobs WHERE state = 'done' ORDER BY id
== a sweep beside a holder
a: BEGIN
a: SELECT id FROM jobs WHERE id = 2 FOR UPDATE
b: CALL sweep()
a: COMMIT
b: SELECT id FROM jobs WHERE state = 'new' ORDER BY id
== nowait in a function
a: BEGIN
a: SELECT next_job()
b: SELECT next_job()
b: BEGIN
b: SELECT next_job()
b: UPDATE jobs SET state = 'done' WHERE id = 20
a: COMMIT
b: SELECT next_job()
b: COMMIT
== a do block that waits in its handler
a: BEGIN
a: UPDATE jobs SET n = 1 WHERE id = 1
b: DO $$ BEGIN UPDATE jobs SET n = n + 10 WHERE id = 1; PERFORM step('got'); EXCEPTION WHEN OTHERS THEN PERFORM step('lost'); END $$
a: ROLLBACK
b: SELECT n FROM jobs WHERE id = 1
b: SELECT * FROM said
== a function that locks two in turn
a: BEGIN
a: SELECT count(*) FROM (SELECT id FROM jobs WHERE id IN (1, 2) ORDER BY id FOR UPDATE) x
b: WITH x AS (SELECT id FROM jobs WHERE id IN (2, 3) ORDER BY id DESC FOR UPDATE) SELECT id FROM x ORDER BY id
c: SELECT id FROM jobs WHERE id = 3 FOR UPDATE NOWAIT
a: COMMIT
== merge beside a delete
a: BEGIN
a: DELETE FROM jobs WHERE id = 1
b: MERGE INTO jobs j USING (VALUES (1), (2)) v (id) ON j.id = v.id WHEN MATCHED THEN UPDATE SET n = n + 1 WHEN NOT MATCHED THEN INSERT VALUES (v.id, 'merged')
a: COMMIT
a: SELECT * FROM jobs WHERE id < 3 ORDER BY id
== merge beside an update that changes what matches
a: BEGIN
a: UPDATE jobs SET n = 5 WHERE id = 1
b: MERGE INTO jobs j USING (VALUES (1)) v (id) ON j.id = v.id WHEN MATCHED AND j.n = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET n = j.n + 1
a: COMMIT
a: SELECT * FROM jobs WHERE id < 2 ORDER BY id
== a balance that may not go below
a: BEGIN
a: UPDATE jobs SET n = n - 1 WHERE id = 1 AND n >= 0
b: UPDATE jobs SET n = n - 1 WHERE id = 1 AND n >= 0 RETURNING n
a: COMMIT
a: SELECT n FROM jobs WHERE id = 1
== insert where not exists
a: BEGIN
a: INSERT INTO jobs SELECT 30 WHERE NOT EXISTS (SELECT FROM jobs WHERE id = 30)
b: INSERT INTO jobs SELECT 30 WHERE NOT EXISTS (SELECT FROM jobs WHERE id = 30)
a: COMMIT
== update from a locked subquery in another order
a: BEGIN
a: UPDATE jobs SET n = 1 WHERE id = 5
b: UPDATE jobs j SET n = x.m FROM (SELECT id, n + 7 AS m FROM jobs WHERE id IN (4, 5) ORDER BY id FOR UPDATE) x WHERE x.id = j.id RETURNING j.id, j.n
a: COMMIT
== truncate beside a writer
a: BEGIN
a: INSERT INTO jobs VALUES (40)
b: TRUNCATE jobs
c: INSERT INTO jobs VALUES (41)
a: COMMIT
c: SELECT * FROM jobs
== an index build beside writers
a: BEGIN
a: INSERT INTO jobs VALUES (40)
b: CREATE INDEX ON jobs (n)
c: INSERT INTO jobs VALUES (41)
d: SELECT count(*) FROM jobs
a: COMMIT
