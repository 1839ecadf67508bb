-- Cursors and loops that skip what others hold take no more than they fetch, at every level.
setup: CREATE TABLE t (id int PRIMARY KEY, n int, s text)
setup: INSERT INTO t SELECT i, 0, 'new' FROM generate_series(1, 4) i
setup: CREATE TABLE said (what text)
== a cursor that skips
b: BEGIN
b: UPDATE t SET n = 10 WHERE id = 2
a: BEGIN
a: DECLARE c CURSOR FOR SELECT id, n FROM t ORDER BY id FOR UPDATE SKIP LOCKED
d: BEGIN
d: UPDATE t SET n = 10 WHERE id = 3
a: FETCH 2 FROM c
b: COMMIT
d: COMMIT
a: FETCH ALL FROM c
a: COMMIT
== a loop of many that leaves early
a: INSERT INTO t SELECT i, 0, 'new' FROM generate_series(5, 100) i
a: BEGIN
a: DO $$ DECLARE r record; BEGIN FOR r IN SELECT * FROM t ORDER BY id FOR UPDATE SKIP LOCKED LOOP INSERT INTO said VALUES (r.id); EXIT; END LOOP; END $$
b: BEGIN
b: DO $$ DECLARE r record; BEGIN FOR r IN SELECT * FROM t ORDER BY id FOR UPDATE SKIP LOCKED LOOP INSERT INTO said VALUES (r.id); EXIT; END LOOP; END $$
b: SELECT * FROM said
b: COMMIT
a: COMMIT
== a bound cursor
a: BEGIN
a: DO $$ DECLARE c CURSOR FOR SELECT * FROM t ORDER BY id FOR UPDATE SKIP LOCKED; r record; BEGIN OPEN c; FETCH c INTO r; UPDATE t SET n = n + 1 WHERE CURRENT OF c; INSERT INTO said VALUES (r.id); END $$
b: BEGIN
b: DO $$ DECLARE c CURSOR FOR SELECT * FROM t ORDER BY id FOR UPDATE SKIP LOCKED; r record; BEGIN OPEN c; FETCH c INTO r; UPDATE t SET n = n + 1 WHERE CURRENT OF c; INSERT INTO said VALUES (r.id); END $$
b: SELECT * FROM said
b: COMMIT
a: COMMIT
a: SELECT * FROM t ORDER BY id
== a worker that asks one by one
a: BEGIN
b: BEGIN
a: DECLARE c CURSOR FOR SELECT id FROM t ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
b: DECLARE c CURSOR FOR SELECT id FROM t ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
a: FETCH c
b: FETCH c
a: FETCH c
a: UPDATE t SET s = 'done' WHERE CURRENT OF c
b: DELETE FROM t WHERE CURRENT OF c
a: COMMIT
b: COMMIT
a: SELECT * FROM t ORDER BY id
