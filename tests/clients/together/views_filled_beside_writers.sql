-- A materialized view is filled in a block, of what that sees then: who writes to its tables afterwards is in nobody's way.
levels: read committed, repeatable read
setup: CREATE TABLE t (id int PRIMARY KEY, n int)
setup: INSERT INTO t VALUES (1, 1), (2, 2)
setup: CREATE MATERIALIZED VIEW mv AS SELECT count(*) FROM t
setup: INSERT INTO t VALUES (3, 3)
== it is filled again
a: BEGIN
a: REFRESH MATERIALIZED VIEW mv
b: INSERT INTO t VALUES (4, 4)
a: COMMIT
b: SELECT * FROM mv
== another is made
a: BEGIN
a: CREATE MATERIALIZED VIEW other AS SELECT sum(n) FROM t
b: UPDATE t SET n = n + 1
a: COMMIT
b: SELECT * FROM other
== and a table
a: BEGIN
a: CREATE TABLE other AS SELECT sum(n) FROM t
b: DELETE FROM t
a: COMMIT
b: SELECT * FROM other
