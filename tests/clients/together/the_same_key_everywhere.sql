levels: read committed, repeatable read
-- Keys of every kind, brought in every way.
setup: CREATE TABLE t (id int PRIMARY KEY, a text, b int, c int)
setup: CREATE UNIQUE INDEX t_lower ON t (lower(a))
setup: CREATE UNIQUE INDEX t_partial ON t (b) WHERE c > 0
setup: CREATE UNIQUE INDEX t_nulls ON t (c) NULLS NOT DISTINCT WHERE b = 7
setup: CREATE TABLE p (k int, q int, v text, PRIMARY KEY (k, q)) PARTITION BY LIST (q)
setup: CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1)
setup: CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2)
setup: CREATE TABLE audit (id int PRIMARY KEY)
setup: CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO audit VALUES (NEW.id); RETURN NEW; END $$
setup: CREATE TABLE noted (id int PRIMARY KEY, v text UNIQUE)
setup: CREATE TRIGGER n BEFORE INSERT ON noted FOR EACH ROW EXECUTE FUNCTION note()
setup: CREATE TABLE late (id int PRIMARY KEY, u int UNIQUE DEFERRABLE INITIALLY IMMEDIATE)
setup: CREATE TABLE parents (id int PRIMARY KEY)
setup: CREATE TABLE children (id int UNIQUE REFERENCES parents ON UPDATE CASCADE, v text)
setup: INSERT INTO parents VALUES (1), (2)
setup: INSERT INTO children VALUES (1, 'one')
== of an expression
a: BEGIN
a: INSERT INTO t VALUES (1, 'Ann', 1, 1)
b: INSERT INTO t VALUES (2, 'ANN', 2, 2)
a: COMMIT
== of some rows
a: BEGIN
a: INSERT INTO t VALUES (1, 'a', 1, 1)
b: INSERT INTO t VALUES (2, 'b', 1, 0)
b: INSERT INTO t VALUES (3, 'c', 1, 2)
a: ROLLBACK
== where nulls are equal
a: BEGIN
a: INSERT INTO t VALUES (1, 'a', 7, NULL)
b: INSERT INTO t VALUES (2, 'b', 7, NULL)
a: COMMIT
== of partitions
a: BEGIN
a: INSERT INTO p VALUES (1, 1, 'a')
b: INSERT INTO p VALUES (1, 2, 'b')
b: INSERT INTO p VALUES (1, 1, 'b')
c: INSERT INTO p SELECT g, 1, 'c' FROM generate_series(1, 2) g
a: COMMIT
a: SELECT * FROM p ORDER BY q, k
== of a row that moves to another partition
a: BEGIN
a: INSERT INTO p VALUES (1, 1, 'a')
a: UPDATE p SET q = 2 WHERE k = 1
b: INSERT INTO p VALUES (1, 2, 'b')
c: INSERT INTO p VALUES (1, 1, 'c')
a: COMMIT
a: SELECT * FROM p ORDER BY q, k
== by a trigger
a: BEGIN
a: INSERT INTO audit VALUES (1)
b: BEGIN
b: INSERT INTO noted VALUES (1, 'b')
a: ROLLBACK
b: COMMIT
b: SELECT * FROM audit
== under a trigger
a: BEGIN
a: INSERT INTO noted VALUES (1, 'a')
b: INSERT INTO noted VALUES (2, 'a')
a: ROLLBACK
b: SELECT count(*) FROM audit
== under a trigger, unless it is there
a: BEGIN
a: INSERT INTO noted VALUES (1, 'a')
b: INSERT INTO noted SELECT 3, 'a' ON CONFLICT DO NOTHING
a: ROLLBACK
b: SELECT count(*) FROM audit
== by a function
a: BEGIN
a: INSERT INTO audit VALUES (1)
b: DO $$ BEGIN FOR i IN 1..3 LOOP INSERT INTO audit VALUES (i); END LOOP; END $$
a: COMMIT
b: SELECT count(*) FROM audit
== of a constraint that may be put off
a: BEGIN
a: INSERT INTO late VALUES (1, 1)
b: INSERT INTO late VALUES (2, 1)
a: COMMIT
== by what a foreign key does
a: BEGIN
a: INSERT INTO children VALUES (2, 'two')
b: UPDATE parents SET id = 3 WHERE id = 1
a: COMMIT
a: SELECT * FROM children ORDER BY 1
== by a prepared statement
a: PREPARE s AS INSERT INTO t VALUES ($1, $2, $3, $4)
b: PREPARE s AS INSERT INTO t VALUES ($1, $2, $3, $4)
a: BEGIN
a: EXECUTE s (1, 'a', 1, 1)
b: BEGIN
b: EXECUTE s (1, 'b', 2, 2)
a: ROLLBACK
b: EXECUTE s (2, 'c', 3, 3)
b: COMMIT
a: EXECUTE s (1, 'a', 1, 1)
== by several statements in one string
a: BEGIN
a: INSERT INTO t VALUES (1, 'a', 1, 1)
b: INSERT INTO t VALUES (2, 'b', 2, 2); INSERT INTO t VALUES (1, 'c', 3, 3)
c: INSERT INTO t VALUES (2, 'd', 4, 4)
a: COMMIT
a: SELECT * FROM t ORDER BY 1
== of a queue
a: BEGIN
a: WITH taken AS (DELETE FROM parents WHERE id = 2 RETURNING id) INSERT INTO audit SELECT id FROM taken
b: WITH taken AS (SELECT 2 AS id) INSERT INTO audit SELECT id FROM taken
a: ROLLBACK
b: SELECT * FROM audit
== of a view
a: CREATE VIEW shown AS SELECT id, a FROM t
a: BEGIN
a: INSERT INTO shown VALUES (1, 'a')
b: INSERT INTO shown VALUES (1, 'b')
a: COMMIT
== of a table that is emptied
a: INSERT INTO audit VALUES (1)
a: BEGIN
a: DELETE FROM audit
a: INSERT INTO audit VALUES (1), (2)
b: INSERT INTO audit VALUES (2)
c: INSERT INTO audit VALUES (1)
a: COMMIT
