-- Rows of joins, partitions, views, tables without keys and functions' cursors, locked when they are fetched; WHERE CURRENT OF on them.
levels: read committed
setup: CREATE TABLE t (id int PRIMARY KEY, n int, s text)
setup: INSERT INTO t SELECT i, 0, 'new' FROM generate_series(1, 4) i
setup: CREATE TABLE par (id int PRIMARY KEY, n int); INSERT INTO par VALUES (1, 0), (2, 0)
setup: CREATE TABLE chi (id int PRIMARY KEY, p int REFERENCES par, n int); INSERT INTO chi VALUES (1, 1, 0), (2, 1, 0), (3, 2, 0)
setup: CREATE TABLE pt (id int, k int, n int, PRIMARY KEY (id, k)) PARTITION BY LIST (k); CREATE TABLE p1 PARTITION OF pt FOR VALUES IN (1); CREATE TABLE p2 PARTITION OF pt FOR VALUES IN (2); INSERT INTO pt VALUES (1, 1, 0), (2, 2, 0), (3, 1, 0)
setup: CREATE TABLE bare (n int, s text); INSERT INTO bare VALUES (1, 'a'), (2, 'b'), (3, 'c')
setup: CREATE TABLE said (what text)
setup: CREATE VIEW v AS SELECT id, n FROM t WHERE s = 'new'
setup: CREATE FUNCTION taken(m int) RETURNS SETOF int LANGUAGE plpgsql AS $$ DECLARE r record; i int := 0; BEGIN FOR r IN SELECT id FROM t WHERE s = 'new' ORDER BY id FOR UPDATE SKIP LOCKED LOOP i := i + 1; RETURN NEXT r.id; EXIT WHEN i >= m; END LOOP; END $$
setup: CREATE FUNCTION cur() RETURNS refcursor LANGUAGE plpgsql AS $$ DECLARE c refcursor := 'cc'; BEGIN OPEN c FOR SELECT id, n FROM t ORDER BY id FOR UPDATE; RETURN c; END $$
== join of two locked tables
a: BEGIN
a: DECLARE c CURSOR FOR SELECT par.id, chi.id, par.n, chi.n FROM par JOIN chi ON chi.p = par.id ORDER BY chi.id FOR UPDATE
a: FETCH 1 FROM c
b: UPDATE chi SET n = 5 WHERE id = 3
b: UPDATE par SET n = 5 WHERE id = 1
a: FETCH 2 FROM c
a: COMMIT
== partitioned
b: BEGIN
b: UPDATE pt SET n = 9 WHERE id = 2
a: BEGIN
a: DECLARE c CURSOR FOR SELECT id, n FROM pt ORDER BY id FOR UPDATE
a: FETCH 1 FROM c
a: FETCH 1 FROM c
b: COMMIT
a: FETCH 1 FROM c
a: UPDATE pt SET n = 7 WHERE CURRENT OF c
a: COMMIT
a: SELECT * FROM pt ORDER BY id
== through a view
b: BEGIN
b: UPDATE t SET n = 9 WHERE id = 2
b: UPDATE t SET s = 'old' WHERE id = 3
a: BEGIN
a: DECLARE c CURSOR FOR SELECT id, n FROM v ORDER BY id FOR UPDATE
a: FETCH 1 FROM c
c: UPDATE t SET n = 4 WHERE id = 4
a: FETCH 1 FROM c
b: COMMIT
a: FETCH ALL FROM c
a: COMMIT
== without a key
b: BEGIN
b: UPDATE bare SET n = 9 WHERE s = 'b'
a: BEGIN
a: DECLARE c CURSOR FOR SELECT n, s FROM bare WHERE s <> 'b' FOR UPDATE
a: FETCH 1 FROM c
a: UPDATE bare SET n = 6 WHERE CURRENT OF c
a: FETCH ALL FROM c
a: COMMIT
b: COMMIT
a: SELECT * FROM bare ORDER BY s
== for share
a: BEGIN
a: DECLARE c CURSOR FOR SELECT id FROM t ORDER BY id FOR SHARE
a: FETCH 2 FROM c
b: SELECT id FROM t WHERE id = 1 FOR SHARE
b: UPDATE t SET n = 1 WHERE id = 3
b: UPDATE t SET n = 1 WHERE id = 2
a: MOVE 1 FROM c
a: FETCH 1 FROM c
a: COMMIT
== savepoints
a: BEGIN
a: DECLARE c CURSOR FOR SELECT id FROM t ORDER BY id FOR UPDATE
a: SAVEPOINT s
a: FETCH 1 FROM c
a: ROLLBACK TO s
b: UPDATE t SET n = 1 WHERE id = 1
a: FETCH 1 FROM c
a: COMMIT
== a function that takes some
a: BEGIN
a: SELECT * FROM taken(2)
b: SELECT * FROM taken(2)
a: COMMIT
== a cursor that a function leaves
a: BEGIN
a: SELECT cur()
a: FETCH 1 FROM cc
b: UPDATE t SET n = 1 WHERE id = 1
a: UPDATE t SET n = 3 WHERE CURRENT OF cc
a: FETCH 1 FROM cc
a: COMMIT
a: SELECT * FROM t ORDER BY id
== self updates in the loop
a: BEGIN
a: DO $$ DECLARE r record; BEGIN FOR r IN SELECT id, n FROM t ORDER BY id FOR UPDATE LOOP UPDATE t SET n = n + r.id WHERE id >= r.id; INSERT INTO said VALUES (r.id || ' ' || r.n); END LOOP; END $$
a: SELECT * FROM t ORDER BY id
a: SELECT * FROM said
a: COMMIT
== self updates at a cursor
a: BEGIN
a: DO $$ DECLARE c CURSOR FOR SELECT id, n FROM t ORDER BY id FOR UPDATE; BEGIN FOR r IN c LOOP UPDATE t SET n = n + r.id WHERE id = r.id + 1; UPDATE t SET s = 'seen' WHERE CURRENT OF c; INSERT INTO said VALUES (r.id || ' ' || r.n); END LOOP; END $$
a: SELECT * FROM t ORDER BY id
a: SELECT * FROM said
a: COMMIT
== aggregates stay what they are
a: BEGIN
a: DECLARE c CURSOR FOR SELECT count(*) FROM t
a: FETCH 1 FROM c
a: UPDATE t SET n = 3 WHERE CURRENT OF c
a: COMMIT
== of another table
a: BEGIN
a: DECLARE c CURSOR FOR SELECT n FROM t ORDER BY id FOR UPDATE
a: FETCH 1 FROM c
a: UPDATE par SET n = 3 WHERE CURRENT OF c
a: ROLLBACK
== columns by other names
a: BEGIN
a: DECLARE c CURSOR FOR SELECT x.m FROM t AS x (k, m) ORDER BY k FOR UPDATE
a: FETCH 1 FROM c
a: UPDATE t SET n = 3 WHERE CURRENT OF c
a: ROLLBACK
== windows are of no one row
a: BEGIN
a: DECLARE c CURSOR FOR SELECT max(n) OVER (), s FROM t
a: FETCH 1 FROM c
a: UPDATE t SET n = 3 WHERE CURRENT OF c
a: ROLLBACK
