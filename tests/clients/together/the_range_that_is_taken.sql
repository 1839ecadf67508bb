levels: read committed
-- DO NOTHING where an exclusion constraint decides: who comes second waits, and leaves out what the first has taken.
setup: CREATE TABLE t (id int PRIMARY KEY, r int4range, EXCLUDE USING gist (r WITH &&))
setup: INSERT INTO t VALUES (100, '[100,110)')
== the first one commits
a: BEGIN
a: INSERT INTO t VALUES (1, '[1,5)')
b: INSERT INTO t VALUES (2, '[3,8)') ON CONFLICT DO NOTHING
a: COMMIT
b: SELECT id FROM t ORDER BY id
== the first one rolls back
a: BEGIN
a: INSERT INTO t VALUES (1, '[1,5)')
b: INSERT INTO t VALUES (2, '[3,8)') ON CONFLICT DO NOTHING
a: ROLLBACK
b: SELECT id FROM t ORDER BY id
== in a block that has read
a: BEGIN
a: SELECT id FROM t ORDER BY id
b: INSERT INTO t VALUES (1, '[1,5)')
a: INSERT INTO t VALUES (2, '[3,8)'), (3, '[8,9)') ON CONFLICT DO NOTHING
a: COMMIT
b: SELECT id FROM t ORDER BY id
