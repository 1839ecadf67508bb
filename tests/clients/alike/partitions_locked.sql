-- Locking clauses over partitioned tables, alone and as parts of other statements.
CREATE TABLE jobs (id int, state text, q int, PRIMARY KEY (q, id)) PARTITION BY LIST (q);
CREATE TABLE jobs_1 PARTITION OF jobs FOR VALUES IN (1);
CREATE TABLE jobs_2 (q int NOT NULL, state text, id int NOT NULL);
ALTER TABLE jobs ATTACH PARTITION jobs_2 FOR VALUES IN (2);
CREATE TABLE bare (a int, b int) PARTITION BY RANGE (a);
CREATE TABLE bare_1 PARTITION OF bare FOR VALUES FROM (0) TO (10);
CREATE TABLE bare_2 (b int PRIMARY KEY, a int);
ALTER TABLE bare ATTACH PARTITION bare_2 FOR VALUES FROM (10) TO (20);
INSERT INTO jobs SELECT i, 'new', 1 + i % 2 FROM generate_series(1, 10) i;
INSERT INTO bare SELECT i, 100 + i FROM generate_series(0, 19) i;
SELECT * FROM jobs WHERE q = 1 AND id = 2 FOR UPDATE;
SELECT * FROM jobs WHERE q = 2 AND id = 1 FOR SHARE NOWAIT;
SELECT * FROM jobs WHERE state = 'new' ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED;
SELECT * FROM jobs WHERE q = 1 ORDER BY id LIMIT 2 FOR NO KEY UPDATE;
SELECT * FROM bare WHERE a IN (3, 13) ORDER BY a FOR UPDATE;
SELECT * FROM (SELECT * FROM jobs WHERE id = 3) j FOR UPDATE;
SELECT * FROM bare JOIN jobs ON jobs.id = bare.a WHERE bare.a = 3 FOR UPDATE OF bare;
SELECT * FROM ONLY jobs FOR UPDATE;
UPDATE jobs SET state = 'run' WHERE (q, id) = (SELECT q, id FROM jobs WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING *;
WITH next AS (SELECT q, id FROM jobs WHERE state = 'new' ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED)
  UPDATE jobs j SET state = 'run' FROM next n WHERE n.q = j.q AND n.id = j.id RETURNING j.*;
DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE state = 'run' FOR UPDATE) RETURNING id;
SELECT count(*) FROM jobs FOR UPDATE;
SELECT * FROM jobs j FOR UPDATE OF k;
CREATE VIEW open AS SELECT * FROM jobs WHERE state = 'new';
SELECT * FROM open ORDER BY id LIMIT 1 FOR SHARE;
DROP VIEW open;
DROP TABLE jobs, bare;
