-- Definitions that wait for blocks whose outcome depends on the table as it is, and go on when these are over.
setup: CREATE TABLE t (id int PRIMARY KEY, n int)
setup: CREATE TABLE u (id int PRIMARY KEY, n int)
setup: INSERT INTO t VALUES (1, 1), (2, 2)
setup: CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.n := NEW.n + 100; RETURN NEW; END'
== a column comes behind a writer
a: BEGIN
a: INSERT INTO t VALUES (3, 3)
b: ALTER TABLE t ADD COLUMN c int DEFAULT 7
a: INSERT INTO t VALUES (4, 4)
a: UPDATE t SET n = 0 WHERE id = 1
a: COMMIT
b: SELECT * FROM t ORDER BY id
== a writer takes back what he wrote
a: BEGIN
a: DELETE FROM t
b: ALTER TABLE t DROP COLUMN n
a: ROLLBACK
b: SELECT * FROM t ORDER BY id
== what is asked of rows is asked of those that came
a: BEGIN
a: INSERT INTO t VALUES (3, -3)
b: ALTER TABLE t ADD CONSTRAINT pos CHECK (n > 0)
a: COMMIT
b: ALTER TABLE t ADD CONSTRAINT more CHECK (n > -5)
b: INSERT INTO t VALUES (5, -5)
== a key beside writers
a: BEGIN
a: INSERT INTO t VALUES (3, 2)
b: CREATE UNIQUE INDEX i ON t (n)
a: COMMIT
b: SELECT count(*) FROM pg_index WHERE indexrelid = to_regclass('i')
== a trigger waits for writers
a: BEGIN
a: INSERT INTO t VALUES (3, 3)
b: CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()
a: INSERT INTO t VALUES (4, 4)
a: COMMIT
b: INSERT INTO t VALUES (5, 5)
b: SELECT * FROM t ORDER BY id
== a trigger waits for no reader
a: BEGIN
a: SELECT * FROM t ORDER BY id
b: CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()
a: COMMIT
== other definitions wait for readers
a: BEGIN
a: SELECT count(*) FROM t
b: ALTER TABLE t ALTER COLUMN n TYPE bigint
a: SELECT * FROM t WHERE id = 1
a: COMMIT
b: SELECT * FROM t ORDER BY id
== a name
a: BEGIN
a: SELECT * FROM t WHERE id = 1
b: ALTER TABLE t RENAME TO s
a: SELECT * FROM t WHERE id = 2
a: COMMIT
b: SELECT * FROM s ORDER BY id
== it goes, and so does another
a: BEGIN
a: UPDATE u SET n = 1
b: DROP TABLE t, u
a: COMMIT
b: SELECT to_regclass('t'), to_regclass('u')
== it is emptied
a: BEGIN
a: INSERT INTO t VALUES (3, 3)
b: TRUNCATE t
a: COMMIT
b: SELECT * FROM t
== it is gone when its turn comes
a: BEGIN
a: DROP TABLE t
b: ALTER TABLE t ADD COLUMN c int
a: COMMIT
== two definitions
a: BEGIN
a: ALTER TABLE t ADD COLUMN c int
b: ALTER TABLE t ADD COLUMN d int
a: COMMIT
b: SELECT attname FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0 ORDER BY attnum
== a writer and a reader
a: BEGIN
a: INSERT INTO t VALUES (3, 3)
b: BEGIN
b: SELECT count(*) FROM u
c: DROP TABLE t, u
a: COMMIT
b: COMMIT
c: SELECT to_regclass('t'), to_regclass('u')
== not for ever
a: BEGIN
a: INSERT INTO t VALUES (3, 3)
b: SET lock_timeout = '50ms'
b!: ALTER TABLE t ADD COLUMN c int
b: SET lock_timeout = 0
b: SET statement_timeout = '50ms'
b!: ALTER TABLE t ADD COLUMN c int
b: SET statement_timeout = 0
a: COMMIT
b: SELECT * FROM t ORDER BY id
== who has failed is waited for by nobody
a: BEGIN
a: INSERT INTO t VALUES (3, 3)
a: SELECT 1 / 0
b: ALTER TABLE t ADD COLUMN c int
a: ROLLBACK
b: SELECT * FROM t ORDER BY id
== a row in the circle
b: SET deadlock_timeout = '1min'
a: BEGIN
a: INSERT INTO t VALUES (3, 3)
b: BEGIN
b: INSERT INTO u VALUES (1, 1)
b: ALTER TABLE t ADD COLUMN c int
a!: INSERT INTO u VALUES (1, 2)
a: ROLLBACK
b: COMMIT
b: SELECT * FROM t ORDER BY id
== writers queue behind who defines
a: BEGIN
a: INSERT INTO t VALUES (3, 3)
b: ALTER TABLE t ADD COLUMN c int DEFAULT 9
c: BEGIN
c: INSERT INTO t VALUES (4, 4)
d: UPDATE t SET n = 7 WHERE id = 1
a: COMMIT
c: SELECT * FROM t WHERE id = 4
c: COMMIT
b: SELECT * FROM t ORDER BY id
== writers wait for a definition in a block
a: BEGIN
a: ALTER TABLE t ADD CHECK (n < 10)
b: INSERT INTO t VALUES (3, 33)
c: BEGIN
c: UPDATE t SET n = 9 WHERE id = 1
a: COMMIT
c: COMMIT
b: SELECT * FROM t ORDER BY id
== they go on as before where it comes to nothing
a: BEGIN
a: ALTER TABLE t ADD CHECK (n < 10)
b: INSERT INTO t VALUES (3, 33)
a: ROLLBACK
b: SELECT * FROM t ORDER BY id
== not for ever, either
a: BEGIN
a: ALTER TABLE t ADD COLUMN c int
b: SET lock_timeout = '50ms'
b!: INSERT INTO t VALUES (3, 33)
a: COMMIT
b: INSERT INTO t VALUES (3, 33)
b: SELECT * FROM t ORDER BY id
== partitions that would overlap
w: CREATE TABLE parted (id int, n int) PARTITION BY RANGE (id)
w: CREATE TABLE parted1 PARTITION OF parted FOR VALUES FROM (0) TO (10)
a: BEGIN
a: CREATE TABLE parted2 PARTITION OF parted FOR VALUES FROM (10) TO (20)
b: CREATE TABLE parted3 PARTITION OF parted FOR VALUES FROM (15) TO (25)
a: COMMIT
w: INSERT INTO parted VALUES (17, 1)
w: SELECT tableoid::regclass, * FROM parted
== two defaults
w: CREATE TABLE parted (id int, n int) PARTITION BY LIST (id)
a: BEGIN
a: CREATE TABLE parted1 PARTITION OF parted DEFAULT
b: CREATE TABLE parted2 PARTITION OF parted DEFAULT
a: COMMIT
== one after the other
w: CREATE TABLE parted (id int, n int) PARTITION BY LIST (id)
a: BEGIN
a: CREATE TABLE parted1 PARTITION OF parted FOR VALUES IN (1)
b: CREATE TABLE parted2 PARTITION OF parted FOR VALUES IN (2)
a: ROLLBACK
w: SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'parted'::regclass
== rows that come by the thousand are asked like few
a: BEGIN
a: INSERT INTO t SELECT g, -g FROM generate_series(100, 6099) g
b: ALTER TABLE t ADD CONSTRAINT pos CHECK (n > 0)
a: COMMIT
b: SELECT count(*) FROM t
== and lead somewhere, or nowhere
a: BEGIN
a: INSERT INTO u SELECT g, g FROM generate_series(100, 6099) g
b: ALTER TABLE u ADD FOREIGN KEY (n) REFERENCES t
a: COMMIT
b: SELECT count(*) FROM u
== and have the column that comes
a: BEGIN
a: INSERT INTO t SELECT g, g FROM generate_series(100, 6099) g
b: ALTER TABLE t ADD COLUMN c int GENERATED ALWAYS AS (n + 1) STORED
a: COMMIT
b: SELECT count(*), count(c) FROM t
== and are emptied with the others
a: BEGIN
a: INSERT INTO t SELECT g, g FROM generate_series(100, 6099) g
b: TRUNCATE t
a: COMMIT
b: SELECT count(*) FROM t
