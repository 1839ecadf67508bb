-- Foreign keys into a partitioned table, whose rows others are writing.
levels: read committed
setup: CREATE TABLE pk (id int PRIMARY KEY, v text) PARTITION BY RANGE (id)
setup: CREATE TABLE pk1 PARTITION OF pk FOR VALUES FROM (0) TO (10)
setup: CREATE TABLE pk2 PARTITION OF pk FOR VALUES FROM (10) TO (20)
setup: INSERT INTO pk VALUES (1, 'a'), (2, 'b'), (11, 'c')
setup: CREATE TABLE fk (n int PRIMARY KEY, id int REFERENCES pk)
setup: CREATE TABLE fkc (n int PRIMARY KEY, id int REFERENCES pk ON UPDATE CASCADE ON DELETE CASCADE)
setup: INSERT INTO fkc VALUES (1, 1)
== a parent is being deleted
a: BEGIN
a: DELETE FROM pk WHERE id = 2
b: INSERT INTO fk VALUES (1, 2)
a: COMMIT
b: SELECT * FROM fk
== and stays
a: BEGIN
a: DELETE FROM pk2 WHERE id = 11
b: INSERT INTO fk VALUES (1, 11)
a: ROLLBACK
b: SELECT * FROM fk
== a child that nobody has seen yet
a: BEGIN
a: INSERT INTO fk VALUES (1, 2)
b: DELETE FROM pk WHERE id = 2
a: COMMIT
b: SELECT * FROM pk ORDER BY id
== and that goes again
a: BEGIN
a: INSERT INTO fk VALUES (1, 2)
b: DELETE FROM pk1 WHERE id = 2
a: ROLLBACK
b: SELECT * FROM pk ORDER BY id
== a parent's other columns may change
a: BEGIN
a: INSERT INTO fk VALUES (1, 2)
b: UPDATE pk SET v = 'z' WHERE id = 2
a: COMMIT
b: SELECT * FROM pk ORDER BY id
== a parent that moves is waited for
a: BEGIN
a: UPDATE pk SET id = 12 WHERE id = 2
b: INSERT INTO fk VALUES (1, 12)
a: COMMIT
b: INSERT INTO fk VALUES (1, 12)
b: INSERT INTO fk VALUES (2, 2)
b: SELECT * FROM fk
== and waits for its children
a: BEGIN
a: INSERT INTO fk VALUES (1, 2)
b: UPDATE pk SET id = 12 WHERE id = 2
a: COMMIT
b: SELECT tableoid::regclass, * FROM pk ORDER BY id
== whom it takes with it
a: BEGIN
a: INSERT INTO fkc VALUES (2, 1)
b: UPDATE pk SET id = 13 WHERE id = 1
a: COMMIT
b: SELECT * FROM fkc ORDER BY n
== in a block
a: BEGIN
a: UPDATE pk SET id = 13 WHERE id = 1
b: BEGIN
b: UPDATE fkc SET n = 5 WHERE n = 1
a: COMMIT
b: COMMIT
b: SELECT * FROM fkc ORDER BY n
