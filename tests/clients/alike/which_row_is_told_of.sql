-- Several rows that lack what they refer to: the first in the statement's order is the one that is told of.
CREATE TABLE pk (a int, b int, PRIMARY KEY (a, b)) PARTITION BY RANGE (a);
CREATE TABLE pk1 PARTITION OF pk FOR VALUES FROM (0) TO (10);
CREATE TABLE pk2 PARTITION OF pk FOR VALUES FROM (10) TO (20);
INSERT INTO pk VALUES (1, 1), (11, 1);
CREATE TABLE c (n int PRIMARY KEY, a int, b int, FOREIGN KEY (a, b) REFERENCES pk);
INSERT INTO c VALUES (1, 1, 1), (2, 12, 1), (3, 30, 1), (4, 2, 1);
INSERT INTO c VALUES (1, 30, 1), (2, 12, 1), (4, 2, 1);
INSERT INTO c VALUES (1, NULL, 1), (2, 2, 1), (3, 12, 1);
INSERT INTO c SELECT g, g, 1 FROM generate_series(1, 3) g;
CREATE TABLE f (n int PRIMARY KEY, a int, b int, FOREIGN KEY (a, b) REFERENCES pk MATCH FULL);
INSERT INTO f VALUES (1, 1, 1), (2, 2, 1), (3, NULL, 1);
INSERT INTO f VALUES (1, 1, 1), (2, NULL, 1), (3, 2, 1);
INSERT INTO f VALUES (1, NULL, NULL), (2, 1, 1);
UPDATE f SET a = NULL;
SELECT * FROM f ORDER BY n;
SELECT * FROM c ORDER BY n;
