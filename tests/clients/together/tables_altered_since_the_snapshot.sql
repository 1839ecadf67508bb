-- ALTER TABLE of a table that an older snapshot has not asked for yet: it has its rows, wherever they are by now.
levels: read committed, repeatable read, serializable
setup: CREATE TABLE few (id int PRIMARY KEY, n int)
setup: INSERT INTO few SELECT g, g FROM generate_series(1, 10) g
setup: CREATE TABLE plain (id int, n int)
setup: INSERT INTO plain SELECT g, g FROM generate_series(1, 10) g
setup: CREATE TABLE many (id int PRIMARY KEY, n int)
setup: INSERT INTO many SELECT g, g FROM generate_series(1, 3000) g
setup: CREATE TABLE other (i int)
== a column is added
a: BEGIN
a: SELECT count(*) FROM other
b: ALTER TABLE few ADD COLUMN c int DEFAULT 7
b: ALTER TABLE plain ADD COLUMN c int
a: SELECT count(*), sum(n), sum(c) FROM few
a: SELECT * FROM few WHERE id = 5
a: SELECT * FROM plain WHERE id = 5
a: COMMIT
== and asked for by key first
a: BEGIN
a: SELECT count(*) FROM other
b: ALTER TABLE few ADD COLUMN c int DEFAULT 7
a: SELECT * FROM few WHERE id = 5
a: UPDATE few SET c = 8 WHERE id = 5
a: SELECT * FROM few WHERE id = 5
a: COMMIT
b: SELECT count(*), sum(c) FROM few
== a column goes
a: BEGIN
a: SELECT count(*) FROM other
b: ALTER TABLE few DROP COLUMN n
a: UPDATE few SET id = 50 WHERE id = 5
a: SELECT * FROM few ORDER BY id
a: COMMIT
== keys are added
a: BEGIN
a: SELECT count(*) FROM other
b: ALTER TABLE few ADD UNIQUE (n)
b: CREATE UNIQUE INDEX ON many ((n + 1))
a: SELECT * FROM few WHERE n = 5
a: SELECT count(*) FROM many
a: DELETE FROM few WHERE n = 6
a: COMMIT
b: SELECT count(*) FROM few
== a column is added and written in one transaction
a: BEGIN
a: SELECT count(*) FROM other
b: BEGIN
b: ALTER TABLE many ADD COLUMN c int DEFAULT 1
b: INSERT INTO other VALUES (1)
b: COMMIT
a: SELECT count(*), sum(n) FROM many
a: SELECT n FROM many WHERE id = 5
a: COMMIT
== a table is emptied
a: BEGIN
a: SELECT count(*) FROM other
b: TRUNCATE few
a: SELECT count(*) FROM few
a: SELECT * FROM few WHERE id = 5
a: COMMIT
