-- Foreign keys' actions on rows of partitioned tables that others are writing.
levels: read committed
setup: CREATE TABLE par (id int PRIMARY KEY)
setup: INSERT INTO par VALUES (1), (2), (3)
setup: CREATE TABLE pc (id int, r int, v text, pid int REFERENCES par ON DELETE CASCADE ON UPDATE CASCADE, PRIMARY KEY (id, r)) PARTITION BY RANGE (r)
setup: CREATE TABLE pc1 PARTITION OF pc FOR VALUES FROM (0) TO (10)
setup: CREATE TABLE pc2 PARTITION OF pc FOR VALUES FROM (10) TO (20)
setup: INSERT INTO pc VALUES (1, 1, 'a', 1), (2, 12, 'b', 1), (3, 3, 'c', 3)
setup: CREATE TABLE pn (id int, pid int REFERENCES par ON DELETE SET NULL) PARTITION BY LIST (pid)
setup: CREATE TABLE pn1 PARTITION OF pn FOR VALUES IN (1, 2)
setup: CREATE TABLE pnd PARTITION OF pn DEFAULT
setup: INSERT INTO pn VALUES (1, 2), (2, 3)
== a row that is being changed is waited for
a: BEGIN
a: UPDATE pc SET v = 'z' WHERE id = 1
b: DELETE FROM par WHERE id = 1
a: COMMIT
a: SELECT tableoid::regclass, * FROM pc ORDER BY id
a: SELECT * FROM par ORDER BY id
== in a block, and with a row that has gone meanwhile
a: BEGIN
a: DELETE FROM pc WHERE id = 1
b: BEGIN
b: UPDATE par SET id = 50 WHERE id = 1
a: COMMIT
b: COMMIT
a: SELECT tableoid::regclass, * FROM pc ORDER BY id
a: SELECT * FROM par ORDER BY id
== a row that refers to another parent by then is left alone
a: BEGIN
a: UPDATE pc SET pid = 3 WHERE id = 1
b: DELETE FROM par WHERE id = 1
a: COMMIT
a: SELECT tableoid::regclass, * FROM pc ORDER BY id
== a row that moves
a: BEGIN
a: UPDATE pn SET id = 9 WHERE pid = 2
b: BEGIN
b: DELETE FROM par WHERE id = 2
a: COMMIT
b: COMMIT
a: SELECT tableoid::regclass, * FROM pn ORDER BY id
== rows that come meanwhile wait, and find no parent
a: BEGIN
a: DELETE FROM par WHERE id = 1
b: INSERT INTO pc VALUES (7, 7, 'n', 1)
c: UPDATE pc SET v = 'z' WHERE id = 1
a: COMMIT
a: SELECT tableoid::regclass, * FROM pc ORDER BY id
