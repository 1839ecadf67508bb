-- Definitions that keep no writer out: who has written before them commits.
levels: read committed
setup: CREATE TABLE p (id int PRIMARY KEY, n int)
setup: ALTER TABLE p ADD CONSTRAINT pos CHECK (n > 0) NOT VALID
setup: CREATE TABLE d (id int) PARTITION BY LIST (id)
setup: CREATE TABLE d1 PARTITION OF d FOR VALUES IN (1)
setup: CREATE TABLE d2 (id int)
setup: INSERT INTO p VALUES (1, 1), (2, 2)
== an heir comes
a: BEGIN
a: INSERT INTO p VALUES (3, 3)
b: CREATE TABLE c (own text) INHERITS (p)
b: INSERT INTO c VALUES (10, 10, 'x')
a: UPDATE p SET n = n + 1
a: COMMIT
b: SELECT tableoid::regclass, id, n FROM p ORDER BY id
== what is asked of rows has been asked of all
a: BEGIN
a: UPDATE p SET n = 5 WHERE id = 1
b: ALTER TABLE p VALIDATE CONSTRAINT pos
a: INSERT INTO p VALUES (4, 4)
a: COMMIT
b: SELECT * FROM p ORDER BY id
== what is said of it
a: BEGIN
a: DELETE FROM p WHERE id = 1
b: COMMENT ON TABLE p IS 'so'
c: ALTER TABLE p SET (fillfactor = 70)
a: COMMIT
b: SELECT * FROM p ORDER BY id
== a partition comes
a: BEGIN
a: INSERT INTO d VALUES (1)
b: ALTER TABLE d ATTACH PARTITION d2 FOR VALUES IN (2)
a: INSERT INTO d VALUES (2)
a: COMMIT
b: SELECT tableoid::regclass, id FROM d ORDER BY id
