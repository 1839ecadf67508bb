-- An UPDATE that leaves a key as it is takes the weaker lock of a row, though it names the key's columns.
levels: read committed
setup: CREATE TABLE p (id int PRIMARY KEY, e text UNIQUE, v int, w int)
setup: CREATE UNIQUE INDEX ON p (w) WHERE w > 0
setup: INSERT INTO p VALUES (1, 'a', 10, 1), (2, 'b', 20, 2), (3, 'c', 30, 3)
setup: CREATE TABLE c (id int REFERENCES p, x int)
setup: CREATE TABLE g (id int PRIMARY KEY, e text UNIQUE, v int)
setup: INSERT INTO g VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30)
setup: CREATE FUNCTION gf() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF new.v = 99 THEN new.id = 77; END IF; RETURN new; END'
setup: CREATE TRIGGER tg BEFORE UPDATE ON g FOR EACH ROW EXECUTE FUNCTION gf()
setup: CREATE TABLE h (id int PRIMARY KEY, v int) PARTITION BY RANGE (id)
setup: CREATE TABLE h1 PARTITION OF h FOR VALUES FROM (0) TO (10)
setup: CREATE TABLE h2 PARTITION OF h FOR VALUES FROM (10) TO (20)
setup: INSERT INTO h VALUES (1, 1), (11, 11)
== the primary key as it is
a: BEGIN
a: INSERT INTO c VALUES (1, 1)
b: UPDATE p SET id = id WHERE id = 1
b: UPDATE p SET id = 1, v = 3 WHERE id = 1
b: UPDATE p SET e = 'a', v = 4 WHERE id = 1
b: UPDATE p SET e = 'a', id = 1, v = 4 WHERE e = 'a'
b: UPDATE p SET id = id, v = v + 1
b: UPDATE p SET id = s.i FROM (VALUES (1)) s(i) WHERE p.id = s.i
b: MERGE INTO p USING (VALUES (1)) s(i) ON p.id = s.i WHEN MATCHED THEN UPDATE SET id = s.i, v = v + 1
b: UPDATE p SET w = w + 10 WHERE id = 1
b: WITH u AS (UPDATE p SET id = 1, v = 9 WHERE id = 1 RETURNING *) SELECT * FROM u
b: BEGIN
b: UPDATE p SET id = 1, e = 'a', v = 12 WHERE id = 1
b: SELECT * FROM p WHERE id = 1
b: COMMIT
a: COMMIT
== another key waits
a: BEGIN
a: INSERT INTO c VALUES (1, 1)
b: UPDATE p SET e = 'z', v = 4 WHERE id = 1
c: UPDATE p SET e = 'y' WHERE id = 2
a: UPDATE p SET v = 5 WHERE id = 1
a: COMMIT
b: SELECT * FROM p ORDER BY id
== another primary key waits, and is refused
a: BEGIN
a: INSERT INTO c VALUES (1, 1)
b: UPDATE p SET id = 10 WHERE id = 1
a: UPDATE p SET id = 1, v = 5 WHERE id = 1
a: COMMIT
b: SELECT * FROM p ORDER BY id
== of many, one gets another
a: BEGIN
a: INSERT INTO c VALUES (1, 1)
b: UPDATE p SET id = CASE WHEN id = 2 THEN 20 ELSE id END
c: BEGIN
c: INSERT INTO c VALUES (3, 1)
d: UPDATE p SET e = CASE WHEN id = 3 THEN 'x' ELSE e END
c: COMMIT
a: COMMIT
b: SELECT * FROM p ORDER BY id
== who has set a key to itself lets readers of it pass
a: BEGIN
a: UPDATE p SET id = 1, e = 'a' WHERE id = 1
b: INSERT INTO c VALUES (1, 1)
c: SELECT * FROM p WHERE id = 1 FOR KEY SHARE
d: SELECT * FROM p WHERE id = 1 FOR SHARE
a: COMMIT
== and who has changed it does not
a: BEGIN
a: UPDATE p SET e = 'q' WHERE id = 1
b: INSERT INTO c VALUES (1, 1)
c: SELECT * FROM p WHERE id = 1 FOR KEY SHARE
a: COMMIT
== ON CONFLICT takes the strong lock if it names the key
a: BEGIN
a: INSERT INTO c VALUES (1, 1)
b: INSERT INTO p VALUES (1, 'a', 1, 1) ON CONFLICT (id) DO UPDATE SET v = 7
c: INSERT INTO p VALUES (1, 'a', 1, 1) ON CONFLICT (id) DO UPDATE SET id = excluded.id, v = 8
a: COMMIT
== with triggers
a: BEGIN
a: SELECT id FROM g WHERE id = 1 FOR KEY SHARE
b: UPDATE g SET v = 12 WHERE id = 1
b: UPDATE g SET id = 1, v = 11 WHERE id = 1
a: UPDATE g SET v = 12 WHERE id = 2
a: COMMIT
== with triggers, of rows that a query finds
a: BEGIN
a: SELECT id FROM g WHERE id = 1 FOR KEY SHARE
b: UPDATE g SET v = 12 WHERE v = 10
b: UPDATE g SET e = 'a', v = 12 WHERE v = 12
a: COMMIT
== with triggers that give another key
a: BEGIN
a: SELECT id FROM g WHERE id = 1 FOR KEY SHARE
b: UPDATE g SET v = 99 WHERE id = 1
a: COMMIT
b: SELECT * FROM g ORDER BY id
== with triggers, another key of the row
a: BEGIN
a: SELECT id FROM g WHERE id = 1 FOR KEY SHARE
b: UPDATE g SET e = 'z' WHERE id = 1
a: COMMIT
== in partitions
a: BEGIN
a: SELECT id FROM h WHERE id = 1 FOR KEY SHARE
b: UPDATE h SET id = 1, v = 11 WHERE id = 1
b: UPDATE h SET id = id, v = v + 1
c: UPDATE h SET id = 2 WHERE id = 1
d: UPDATE h SET id = 12 WHERE id = 1
a: COMMIT
b: SELECT * FROM h ORDER BY id
== by a function
a: BEGIN
a: INSERT INTO c VALUES (1, 1)
b: DO $$ BEGIN UPDATE p SET id = id, v = 3 WHERE id = 1; UPDATE p SET e = e WHERE v = 3; END $$
a: COMMIT
