-- Foreign tables as partitions.
\set VERBOSITY verbose
CREATE FOREIGN DATA WRAPPER dummy;
CREATE SERVER here FOREIGN DATA WRAPPER dummy;
CREATE TABLE parted (id int NOT NULL, b text, CHECK (id >= 0)) PARTITION BY RANGE (id);
CREATE INDEX ON parted (b);
CREATE TABLE near PARTITION OF parted FOR VALUES FROM (0) TO (10);
CREATE FOREIGN TABLE far PARTITION OF parted FOR VALUES FROM (10) TO (20) SERVER here OPTIONS (a 'b');
CREATE FOREIGN TABLE far2 PARTITION OF parted FOR VALUES FROM (15) TO (25) SERVER here;
CREATE FOREIGN TABLE far2 PARTITION OF near FOR VALUES FROM (15) TO (25) SERVER here;
CREATE FOREIGN TABLE far2 PARTITION OF parted FOR VALUES FROM (20) TO (30) SERVER absent;
CREATE FOREIGN TABLE far2 PARTITION OF parted (b WITH OPTIONS DEFAULT 'x' NOT NULL) FOR VALUES FROM (20) TO (30) SERVER here;
\d+ parted
\d+ far
\d+ far2
SELECT indexrelid::regclass, indrelid::regclass FROM pg_index WHERE indrelid::regclass::text IN ('parted', 'near', 'far') ORDER BY 1;
-- rows
INSERT INTO parted VALUES (1, 'one'), (2, 'two') RETURNING *;
INSERT INTO parted VALUES (11, 'eleven');
INSERT INTO parted VALUES (3, 'three'), (11, 'eleven');
INSERT INTO parted SELECT n, 'n' FROM generate_series(4, 6) n;
INSERT INTO parted SELECT n, 'n' FROM generate_series(9, 12) n;
INSERT INTO parted VALUES (99, 'nowhere');
INSERT INTO far VALUES (11, 'eleven');
COPY parted FROM STDIN;
7	seven
\.
COPY parted FROM STDIN;
8	eight
12	twelve
\.
PREPARE into_parted AS INSERT INTO parted VALUES ($1, $2);
EXECUTE into_parted (9, 'nine');
EXECUTE into_parted (13, 'thirteen');
EXECUTE into_parted (0, 'null');
SELECT * FROM near ORDER BY id;
SELECT * FROM parted;
SELECT count(*) FROM parted;
SELECT * FROM ONLY parted;
UPDATE parted SET b = 'x';
DELETE FROM parted;
UPDATE near SET b = 'x' WHERE id = 1 RETURNING *;
UPDATE near SET id = 11 WHERE id = 1;
DELETE FROM near WHERE id = 1;
TRUNCATE parted;
SELECT count(*) FROM near;
-- definitions
CREATE UNIQUE INDEX ON parted (id);
ALTER TABLE parted ADD PRIMARY KEY (id);
CREATE TABLE refers (id int PRIMARY KEY);
ALTER TABLE parted ADD FOREIGN KEY (id) REFERENCES refers;
ALTER TABLE parted ADD COLUMN c int DEFAULT 3;
ALTER TABLE parted ADD CONSTRAINT named CHECK (c < 100);
ALTER FOREIGN TABLE far ADD COLUMN d int;
ALTER FOREIGN TABLE far DROP COLUMN c;
ALTER FOREIGN TABLE far ALTER c OPTIONS (x 'y'), ALTER b SET NOT NULL;
\d+ far
ALTER TABLE parted DETACH PARTITION far;
SELECT count(*) FROM parted;
ALTER TABLE parted DETACH PARTITION far2;
SELECT count(*) FROM parted;
\d far
ALTER TABLE parted ATTACH PARTITION far FOR VALUES FROM (5) TO (15);
ALTER TABLE parted ATTACH PARTITION far FOR VALUES FROM (10) TO (15);
SELECT count(*) FROM parted;
DROP FOREIGN TABLE far;
ALTER TABLE parted ADD PRIMARY KEY (id);
CREATE FOREIGN TABLE far PARTITION OF parted FOR VALUES FROM (10) TO (20) SERVER here;
ALTER TABLE far2 ALTER id SET NOT NULL;
ALTER TABLE parted ATTACH PARTITION far2 FOR VALUES FROM (20) TO (30);
SELECT count(*) FROM parted;
-- further down
CREATE TABLE top (id int, k text) PARTITION BY LIST (k);
CREATE TABLE mid PARTITION OF top FOR VALUES IN ('m') PARTITION BY RANGE (id);
CREATE FOREIGN TABLE leaf PARTITION OF mid FOR VALUES FROM (0) TO (10) SERVER here;
CREATE TABLE other PARTITION OF top DEFAULT;
INSERT INTO top VALUES (1, 'o');
INSERT INTO top VALUES (1, 'm');
SELECT * FROM top;
SELECT * FROM other;
CREATE UNIQUE INDEX ON top (id, k);
ALTER TABLE top ADD UNIQUE (id, k);
CREATE INDEX ON top (id);
DROP TABLE top;
DROP FOREIGN DATA WRAPPER dummy CASCADE;
DROP TABLE parted;
