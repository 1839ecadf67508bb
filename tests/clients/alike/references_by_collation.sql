-- Foreign keys whose texts a nondeterministic collation tells apart: the key's own equality says what is there, and what is referred to.
CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
-- the key's collation says what is equal
CREATE TABLE parents (name text COLLATE ci PRIMARY KEY, n int);
INSERT INTO parents VALUES ('Ann', 1), ('bob', 2), ('Cid', 3);
CREATE TABLE children (id int PRIMARY KEY, parent text COLLATE ci REFERENCES parents);
INSERT INTO children VALUES (1, 'ANN'), (2, 'Bob'), (3, NULL);
INSERT INTO children VALUES (4, 'dan');
INSERT INTO children VALUES (4, 'ann'), (5, 'Dan');
DELETE FROM parents WHERE name = 'ann';
DELETE FROM parents WHERE name = 'CID';
UPDATE parents SET name = 'BOB' WHERE n = 2;
UPDATE parents SET name = 'bobby' WHERE n = 2;
UPDATE children SET parent = 'bOB' WHERE id = 2;
UPDATE children SET parent = 'x' WHERE id = 2;
SELECT * FROM parents ORDER BY n;
SELECT * FROM children ORDER BY id;
SELECT c.id, p.name FROM children c JOIN parents p ON c.parent = p.name ORDER BY 1;
\d children
-- whose own collation is another refers by the key's (PostgreSQL's ON UPDATE CASCADE and SET NULL look for their rows by the other one)
CREATE TABLE plain (id int PRIMARY KEY, parent text REFERENCES parents ON UPDATE CASCADE ON DELETE SET NULL);
INSERT INTO plain VALUES (1, 'ann'), (2, 'BOB');
INSERT INTO plain VALUES (4, 'eve');
BEGIN;
DELETE FROM children;
UPDATE parents SET name = 'Robert' WHERE name = 'bob';
SELECT * FROM plain ORDER BY id;
DELETE FROM plain WHERE parent = 'Robert';
DELETE FROM parents WHERE name = 'ROBERT';
SELECT * FROM plain ORDER BY id;
ROLLBACK;
-- a key of two columns
CREATE TABLE pairs (a int, b varchar(10) COLLATE ci, UNIQUE (a, b));
CREATE TABLE of_pairs (id int, x int, y varchar(10) COLLATE ci, FOREIGN KEY (y, x) REFERENCES pairs (b, a) ON DELETE CASCADE ON UPDATE CASCADE);
INSERT INTO pairs VALUES (1, 'a'), (1, 'b'), (2, 'a');
INSERT INTO of_pairs VALUES (1, 1, 'A'), (2, 2, 'A'), (3, 1, 'B'), (4, NULL, 'zz');
INSERT INTO of_pairs VALUES (5, 2, 'B');
UPDATE pairs SET b = 'Ab' WHERE a = 1 AND b = 'A';
SELECT * FROM of_pairs ORDER BY id;
DELETE FROM pairs WHERE a = 2;
SELECT * FROM of_pairs ORDER BY id;
-- rows that are there
CREATE TABLE later (id int, parent text);
INSERT INTO later VALUES (1, 'ANN'), (2, 'zoe');
ALTER TABLE later ADD CONSTRAINT fk FOREIGN KEY (parent) REFERENCES parents;
ALTER TABLE later ADD CONSTRAINT fk FOREIGN KEY (parent) REFERENCES parents NOT VALID;
ALTER TABLE later VALIDATE CONSTRAINT fk;
DELETE FROM later WHERE id = 2;
ALTER TABLE later VALIDATE CONSTRAINT fk;
DELETE FROM parents WHERE name = 'Ann';
-- itself
CREATE TABLE tree (name text COLLATE ci PRIMARY KEY, up text COLLATE ci REFERENCES tree DEFERRABLE INITIALLY DEFERRED);
BEGIN;
INSERT INTO tree VALUES ('leaf', 'ROOT');
INSERT INTO tree VALUES ('Root', NULL);
COMMIT;
BEGIN;
INSERT INTO tree VALUES ('other', 'nothing');
COMMIT;
DELETE FROM tree WHERE name = 'root';
DELETE FROM tree;
-- many at once
CREATE TABLE many (id int, parent text COLLATE ci REFERENCES parents);
INSERT INTO many SELECT g, CASE g % 3 WHEN 0 THEN 'aNN' WHEN 1 THEN 'BoB' END FROM generate_series(1, 6000) g;
COPY many FROM stdin;
7001	ANN
7002	bob
\.
COPY many FROM stdin;
7003	eve
\.
SELECT parent, count(*) FROM many GROUP BY 1 ORDER BY 1;
DELETE FROM parents WHERE name = 'BOB';
-- a key whose partitions have it, and one that refers to them
CREATE TABLE parted (a int, b text COLLATE ci, PRIMARY KEY (a, b)) PARTITION BY RANGE (a);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (10);
CREATE TABLE parted_high PARTITION OF parted FOR VALUES FROM (10) TO (20);
CREATE TABLE of_parted (a int, b text COLLATE ci, FOREIGN KEY (a, b) REFERENCES parted ON DELETE CASCADE);
INSERT INTO parted VALUES (1, 'one'), (11, 'eleven');
INSERT INTO of_parted VALUES (1, 'ONE'), (11, 'Eleven');
INSERT INTO of_parted VALUES (1, 'ELEVEN');
DELETE FROM parted WHERE b = 'eLeVeN';
SELECT * FROM of_parted;
