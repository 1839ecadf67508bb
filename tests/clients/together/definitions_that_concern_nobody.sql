-- Definitions that change nothing for those who read and write: nobody waits for them, and they wait for nobody.
setup: CREATE TABLE cp (id int PRIMARY KEY)
setup: CREATE TABLE cn (id int PRIMARY KEY, n int, p int)
setup: INSERT INTO cp VALUES (1), (2)
setup: INSERT INTO cn VALUES (1, 1, 1), (2, 2, 2)
setup: ALTER TABLE cn ADD CONSTRAINT pos CHECK (n > 0) NOT VALID
setup: ALTER TABLE cn ADD CONSTRAINT par FOREIGN KEY (p) REFERENCES cp NOT VALID
== others read and write while it stands
a: BEGIN
a: ALTER TABLE cn VALIDATE CONSTRAINT pos
b: SELECT * FROM cn ORDER BY id
b: INSERT INTO cn VALUES (3, 3, 1)
b: UPDATE cn SET n = 20 WHERE id = 2
a: COMMIT
b: SELECT * FROM cn ORDER BY id
b: INSERT INTO cn VALUES (4, -1, 1)
c: SELECT conname, convalidated FROM pg_constraint WHERE conrelid = 'cn'::regclass ORDER BY 1
== of a foreign key, at whose other end somebody writes
a: BEGIN
a: ALTER TABLE cn VALIDATE CONSTRAINT par
b: INSERT INTO cp VALUES (5)
b: INSERT INTO cn VALUES (5, 5, 5)
c: DELETE FROM cp WHERE id = 1
a: COMMIT
b: SELECT * FROM cn ORDER BY id
c: SELECT conname, convalidated FROM pg_constraint WHERE conrelid = 'cn'::regclass ORDER BY 1
== who writes in a block goes on under it
b: BEGIN
b: INSERT INTO cn VALUES (6, 6, 1)
a: ALTER TABLE cn VALIDATE CONSTRAINT pos
a: COMMENT ON TABLE cn IS 'so'
a: ALTER TABLE cn ALTER n SET STATISTICS 50
a: ALTER TABLE cn SET (fillfactor = 70)
b: UPDATE cn SET n = n + 1 WHERE id = 1
b: COMMIT
a: SELECT * FROM cn ORDER BY id
== a row that breaks it was there before
a: ALTER TABLE cn DROP CONSTRAINT pos
b: INSERT INTO cn VALUES (7, -7, 1)
a: ALTER TABLE cn ADD CONSTRAINT pos CHECK (n > 0) NOT VALID
a: BEGIN
a: ALTER TABLE cn VALIDATE CONSTRAINT pos
a: ROLLBACK
b: DELETE FROM cn WHERE id = 7
a: ALTER TABLE cn VALIDATE CONSTRAINT pos
== a rule of the block's own
a: BEGIN
a: ALTER TABLE cn ADD CONSTRAINT small CHECK (n < 100) NOT VALID
a: ALTER TABLE cn VALIDATE CONSTRAINT small
b: INSERT INTO cn VALUES (8, 800, 1)
a: COMMIT
a: SELECT * FROM cn ORDER BY id
== two definitions of one table
a: BEGIN
a: ALTER TABLE cn VALIDATE CONSTRAINT pos
b: ALTER TABLE cn ADD COLUMN more int
a: COMMIT
b: SELECT * FROM cn ORDER BY id
