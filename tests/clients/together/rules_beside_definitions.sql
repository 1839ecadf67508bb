-- What rules have a statement do goes on, whatever has been defined anew of their tables between its parts.
setup: CREATE TABLE m (id int PRIMARY KEY, v int)
setup: INSERT INTO m SELECT g, 0 FROM generate_series(0, 24) g
setup: CREATE TABLE ru (id int PRIMARY KEY, v int)
setup: CREATE RULE ru1 AS ON INSERT TO ru DO ALSO UPDATE m SET v = v + 1 WHERE id = NEW.id
== a column waits for who is between the parts
a: BEGIN
a: INSERT INTO ru VALUES (1, 1)
b: BEGIN
b: INSERT INTO ru VALUES (1, 2)
c: ALTER TABLE m ADD COLUMN x int
d: UPDATE m SET v = v + 1 WHERE id = 5
a: ROLLBACK
b: COMMIT
b: SELECT * FROM m WHERE v > 0
== a comment waits for nobody
a: BEGIN
a: INSERT INTO ru VALUES (1, 1)
b: BEGIN
b: INSERT INTO ru VALUES (1, 2)
c: COMMENT ON TABLE m IS 'x'
c: ALTER TABLE m SET (fillfactor = 50)
a: ROLLBACK
b: COMMIT
b: SELECT * FROM m WHERE v > 0
== an index waits for the writer that is to come
a: BEGIN
a: INSERT INTO ru VALUES (1, 1)
b: BEGIN
b: INSERT INTO ru VALUES (1, 2)
c: CREATE INDEX ON m (v)
a: ROLLBACK
b: COMMIT
b: SELECT * FROM m WHERE v > 0
== the statement waits, and is rewritten as things are by then
c: BEGIN
c: ALTER TABLE m ADD COLUMN x int
b: INSERT INTO ru VALUES (1, 2)
c: COMMIT
b: SELECT * FROM m WHERE v > 0
== in a block as well
c: BEGIN
c: ALTER TABLE m ADD COLUMN x int
b: BEGIN
b: INSERT INTO ru VALUES (1, 2)
c: COMMIT
b: COMMIT
b: SELECT * FROM m WHERE v > 0
