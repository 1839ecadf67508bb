-- VACUUM, ANALYZE, CLUSTER and REINDEX wait for whom they would be in the way of, and keep others waiting until their block is over.
levels: read committed
setup: CREATE TABLE t (id int PRIMARY KEY, n int)
setup: CREATE TABLE bare (n int)
setup: CREATE INDEX by_n ON t (n)
setup: INSERT INTO t VALUES (1, 1), (2, 2)
== REINDEX waits for writers
a: BEGIN
a: INSERT INTO t VALUES (3, 3)
b: REINDEX TABLE t
a: COMMIT
b: SELECT count(*) FROM t
== and for readers of a table with indexes
a: BEGIN
a: SELECT count(*) FROM t
b: REINDEX INDEX by_n
a: COMMIT
== of one without them it does not
a: BEGIN
a: SELECT count(*) FROM bare
b: REINDEX TABLE bare
a: COMMIT
== in a block it keeps writers waiting
a: BEGIN
a: REINDEX TABLE t
b: INSERT INTO t VALUES (3, 3)
a: COMMIT
== VACUUM FULL waits for everybody
a: BEGIN
a: SELECT count(*) FROM bare
b: VACUUM FULL bare
a: COMMIT
== VACUUM and ANALYZE wait for nobody who reads or writes
a: BEGIN
a: INSERT INTO t VALUES (3, 3)
b: VACUUM t
b: ANALYZE t
a: COMMIT
== but for definitions
a: BEGIN
a: ALTER TABLE t ADD COLUMN c int
b: ANALYZE t
c: VACUUM t
a: COMMIT
== and definitions wait for who analyzes
a: BEGIN
a: ANALYZE t
b: SELECT count(*) FROM t
b: UPDATE t SET n = 3 WHERE id = 1
c: ALTER TABLE t ADD COLUMN c int
a: COMMIT
== CLUSTER waits for everybody
a: BEGIN
a: SELECT count(*) FROM t
b: CLUSTER t USING by_n
a: COMMIT
== in a block it keeps readers waiting
a: BEGIN
a: CLUSTER t USING by_n
b: BEGIN
b: SELECT count(*) FROM t
a: COMMIT
b: COMMIT
== who must not wait passes by
a: BEGIN
a: ALTER TABLE t ADD COLUMN c int
b: VACUUM (SKIP_LOCKED) t
b: ANALYZE (SKIP_LOCKED) t
a: COMMIT
== circles are found
a: BEGIN
a: SELECT count(*) FROM t
b: BEGIN
b: SELECT count(*) FROM bare
a: REINDEX TABLE t
b: LOCK TABLE t
a: COMMIT
b: COMMIT
== REINDEX CONCURRENTLY waits for definitions alone
a: BEGIN
a: ANALYZE t
b: REINDEX (CONCURRENTLY) TABLE t
a: COMMIT
