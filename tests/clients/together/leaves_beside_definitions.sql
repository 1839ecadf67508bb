-- Who writes to a partitioned table waits for who defines the partition anew that a row comes to or is in, and for no other.
levels: read committed
setup: CREATE TABLE p (id int, v int) PARTITION BY LIST (id)
setup: CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1)
setup: CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2)
setup: CREATE TABLE pd PARTITION OF p DEFAULT
setup: INSERT INTO p VALUES (1, 1), (2, 2), (7, 7)
setup: CREATE TABLE k (id int PRIMARY KEY, v int) PARTITION BY RANGE (id)
setup: CREATE TABLE k1 PARTITION OF k FOR VALUES FROM (0) TO (10)
setup: CREATE TABLE k2 PARTITION OF k FOR VALUES FROM (10) TO (20)
setup: INSERT INTO k VALUES (1, 1), (11, 11)
== a row for the partition
a: BEGIN
a: ALTER TABLE p2 ADD CHECK (v < 100)
b: BEGIN
b: INSERT INTO p VALUES (2, 3)
a: COMMIT
b: COMMIT
a: SELECT * FROM p ORDER BY id, v
== a row that it does not take by then
a: BEGIN
a: ALTER TABLE p2 ADD CHECK (v < 100)
b: INSERT INTO p VALUES (2, 300)
a: COMMIT
== rows for several
a: BEGIN
a: CREATE INDEX ON p2 (v)
b: BEGIN
b: INSERT INTO p VALUES (1, 4), (2, 4) RETURNING *
a: COMMIT
b: COMMIT
== rows for others
a: BEGIN
a: TRUNCATE p2
b: BEGIN
b: INSERT INTO p VALUES (1, 4), (7, 4)
b: COMMIT
a: COMMIT
a: SELECT * FROM p ORDER BY id, v
== rows of a query
a: BEGIN
a: TRUNCATE p2
b: BEGIN
b: INSERT INTO p SELECT id, v + 1 FROM generate_series(1, 2) id, (VALUES (8)) w(v)
a: COMMIT
b: COMMIT
a: SELECT * FROM p ORDER BY id, v
== for the default partition, while one comes
a: BEGIN
a: CREATE TABLE p3 PARTITION OF p FOR VALUES IN (3)
b: BEGIN
b: INSERT INTO p VALUES (9, 9)
a: COMMIT
b: COMMIT
a: SELECT tableoid::regclass, * FROM p ORDER BY id, v
== the definition comes to nothing
a: BEGIN
a: ALTER TABLE p2 ADD CHECK (v < 0) NOT VALID
b: INSERT INTO p VALUES (2, 3)
a: ROLLBACK
a: SELECT * FROM p2 ORDER BY v
== a row by its key
a: BEGIN
a: ALTER TABLE k2 ADD CHECK (v < 100)
b: BEGIN
b: INSERT INTO k VALUES (12, 12)
a: COMMIT
b: COMMIT
a: SELECT * FROM k ORDER BY id
== one that is there already, by then
a: BEGIN
a: INSERT INTO k VALUES (12, 1)
a: ALTER TABLE k2 ADD CHECK (v < 100)
b: INSERT INTO k VALUES (12, 2) ON CONFLICT (id) DO UPDATE SET v = k.v + 1
a: COMMIT
a: SELECT * FROM k ORDER BY id
== two keys, of which one waits
a: BEGIN
a: ALTER TABLE k2 ADD CHECK (v < 100)
b: BEGIN
b: INSERT INTO k VALUES (2, 2), (12, 12)
a: COMMIT
b: COMMIT
a: SELECT * FROM k ORDER BY id
