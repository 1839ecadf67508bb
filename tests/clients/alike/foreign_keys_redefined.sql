-- What is known of a foreign key is known of both tables as they are defined: whichever side gets another shape, it is found out anew.
CREATE TABLE fkr_parent (spare int, a int, b int, PRIMARY KEY (a, b), UNIQUE (b));
CREATE TABLE fkr_child (spare int, id int PRIMARY KEY, a int, b int, FOREIGN KEY (a, b) REFERENCES fkr_parent ON DELETE CASCADE ON UPDATE CASCADE);
CREATE INDEX ON fkr_child (a, b);
INSERT INTO fkr_parent VALUES (1, 1, 10), (2, 2, 20), (3, 3, 30), (4, 4, 40), (5, 5, 50), (6, 6, 60);
INSERT INTO fkr_child VALUES (0, 1, 1, 10), (0, 2, 2, 20), (0, 3, 3, 30), (0, 4, 4, 40), (0, 5, 5, 50), (0, 6, 6, 60);
DELETE FROM fkr_parent WHERE a = 1;
SELECT * FROM fkr_child ORDER BY id;

-- the parent's columns move
ALTER TABLE fkr_parent DROP COLUMN spare;
INSERT INTO fkr_child VALUES (0, 7, 2, 20);
INSERT INTO fkr_child VALUES (0, 8, 20, 2);
DELETE FROM fkr_parent WHERE a = 2;
UPDATE fkr_parent SET b = 31 WHERE a = 3;
SELECT * FROM fkr_child ORDER BY id;

-- the child's do
ALTER TABLE fkr_child DROP COLUMN spare;
INSERT INTO fkr_child VALUES (9, 3, 31);
INSERT INTO fkr_child VALUES (10, 31, 3);
DELETE FROM fkr_parent WHERE a = 3;
SELECT * FROM fkr_child ORDER BY id;

-- the two are of different types, and equal all the same
ALTER TABLE fkr_parent ALTER COLUMN a TYPE numeric;
INSERT INTO fkr_parent VALUES (7.00, 70);
INSERT INTO fkr_child VALUES (11, 7, 70);
INSERT INTO fkr_child VALUES (12, 8, 70);
DELETE FROM fkr_parent WHERE b IN (40, 70);
SELECT * FROM fkr_child ORDER BY id;

-- another foreign key over the same columns, that forbids
ALTER TABLE fkr_child DROP CONSTRAINT fkr_child_a_b_fkey;
ALTER TABLE fkr_child ADD FOREIGN KEY (b) REFERENCES fkr_parent (b);
DELETE FROM fkr_parent WHERE b = 50;
INSERT INTO fkr_child VALUES (13, NULL, 51);
DELETE FROM fkr_child WHERE b = 50;
DELETE FROM fkr_parent WHERE b = 50;

-- a definition that is taken back
BEGIN;
ALTER TABLE fkr_parent ADD COLUMN c int DEFAULT 9;
INSERT INTO fkr_child VALUES (14, 0, 60);
DELETE FROM fkr_child WHERE id = 14;
ROLLBACK;
DELETE FROM fkr_parent WHERE b = 60;
DELETE FROM fkr_child;
DELETE FROM fkr_parent;
SELECT count(*) FROM fkr_parent;
DROP TABLE fkr_child, fkr_parent;
