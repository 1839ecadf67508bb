-- Cursors over SELECT ... FOR UPDATE lock row by row, and show what they have locked as it is then.
levels: read committed
setup: CREATE TABLE t (id int PRIMARY KEY, n int, s text)
setup: INSERT INTO t SELECT i, 0, 'new' FROM generate_series(1, 4) i
setup: CREATE TABLE said (what text)
== a cursor locks the rows that are fetched
a: BEGIN
a: DECLARE c CURSOR FOR SELECT * FROM t ORDER BY id FOR UPDATE
a: FETCH 1 FROM c
b: UPDATE t SET n = 10 WHERE id = 3
b: UPDATE t SET n = 10 WHERE id = 1
a: FETCH 2 FROM c
a: UPDATE t SET n = n + 1 WHERE CURRENT OF c
a: FETCH ALL FROM c
a: COMMIT
a: SELECT * FROM t ORDER BY id
== a cursor that waits shows the row as it is now
b: BEGIN
b: UPDATE t SET n = 10 WHERE id = 2
b: DELETE FROM t WHERE id = 3
b: UPDATE t SET s = 'old' WHERE id = 4
a: BEGIN
a: DECLARE c CURSOR FOR SELECT id, n FROM t WHERE s = 'new' ORDER BY id FOR UPDATE
a: FETCH 1 FROM c
a: FETCH 1 FROM c
b: COMMIT
a: UPDATE t SET n = n + 1 WHERE CURRENT OF c
a: FETCH 1 FROM c
a: COMMIT
a: SELECT * FROM t ORDER BY id
== a cursor that does not wait
b: BEGIN
b: UPDATE t SET n = 10 WHERE id = 2
a: BEGIN
a: DECLARE c CURSOR FOR SELECT id, n FROM t ORDER BY id FOR UPDATE NOWAIT
a: FETCH 1 FROM c
a: SAVEPOINT s
a: FETCH 1 FROM c
a: ROLLBACK TO s
b: COMMIT
a: FETCH 1 FROM c
a: COMMIT
== rows of its own
a: BEGIN
a: DECLARE c CURSOR FOR SELECT id, n FROM t ORDER BY id FOR UPDATE
a: FETCH 1 FROM c
a: UPDATE t SET n = 5 WHERE id IN (1, 2)
a: DELETE FROM t WHERE id = 3
a: FETCH ALL FROM c
a: COMMIT
== without a key
a: BEGIN
a: DECLARE c CURSOR FOR SELECT n FROM t ORDER BY id FOR UPDATE
a: FETCH 2 FROM c
a: UPDATE t SET n = 7 WHERE CURRENT OF c
a: DELETE FROM t WHERE CURRENT OF c
a: FETCH 1 FROM c
a: DELETE FROM t WHERE CURRENT OF c
a: COMMIT
a: SELECT * FROM t ORDER BY id
== without a key and without a lock
a: BEGIN
a: DECLARE c CURSOR FOR SELECT n FROM t ORDER BY id
a: FETCH 2 FROM c
a: UPDATE t SET n = 7 WHERE CURRENT OF c
a: UPDATE t SET n = 8 WHERE CURRENT OF c
a: FETCH 1 FROM c
b: UPDATE t SET n = 9 WHERE id = 3
a: DELETE FROM t WHERE CURRENT OF c
a: COMMIT
a: SELECT * FROM t ORDER BY id
== a loop that leaves early
a: BEGIN
a: DO $$ DECLARE r record; BEGIN FOR r IN SELECT * FROM t ORDER BY id FOR UPDATE LOOP EXIT; END LOOP; END $$
b: UPDATE t SET n = 10 WHERE id = 4
a: COMMIT
== a join
b: BEGIN
b: UPDATE t SET n = 10 WHERE id = 2
a: BEGIN
a: DECLARE c CURSOR FOR SELECT t.id, t.n, u.n FROM t JOIN t u ON u.id = t.id + 1 ORDER BY t.id FOR UPDATE OF t
a: FETCH 1 FROM c
d: UPDATE t SET n = 11 WHERE id = 5
a: FETCH 1 FROM c
b: COMMIT
a: FETCH ALL FROM c
a: COMMIT
== a deadlock in a fetch
a: SET deadlock_timeout = '10s'
a: BEGIN
b: BEGIN
b: UPDATE t SET n = 1 WHERE id = 2
a: DECLARE c CURSOR FOR SELECT id, n FROM t ORDER BY id FOR UPDATE
a: FETCH 1 FROM c
a: FETCH 1 FROM c
b!: UPDATE t SET n = 1 WHERE id = 1
b!: ROLLBACK
a!: COMMIT
