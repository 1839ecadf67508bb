-- Partition keys that are expressions: dealing out, moving, attaching, what is told of them, and what they forbid.
CREATE TABLE r (a int, b text) PARTITION BY RANGE (abs(a));
CREATE TABLE r1 PARTITION OF r FOR VALUES FROM (0) TO (10);
CREATE TABLE r2 PARTITION OF r FOR VALUES FROM (10) TO (20);
INSERT INTO r VALUES (1, 'x'), (-15, 'y'), (12, 'z'), (-3, 'w');
INSERT INTO r (b, a) SELECT 's' || g, -g FROM generate_series(4, 14, 5) g;
INSERT INTO r VALUES (-20, 'none');
INSERT INTO r VALUES (NULL, 'none');
INSERT INTO r SELECT g, 'many' FROM generate_series(18, 22) g;
INSERT INTO r1 VALUES (-12, 'wrong');
INSERT INTO r1 VALUES (-8, 'right') RETURNING *;
SELECT tableoid::regclass, * FROM r ORDER BY a;
COPY r FROM stdin;
-9	copied
19	copied
\.
COPY r1 FROM stdin;
-10	copied
\.
SELECT tableoid::regclass, * FROM r WHERE b = 'copied' ORDER BY a;
UPDATE r SET a = a + 10 WHERE b = 'x' RETURNING tableoid::regclass, *;
UPDATE r SET a = -a WHERE b = 'y' RETURNING tableoid::regclass, *;
UPDATE r SET a = 100 WHERE b = 'z';
UPDATE r1 SET a = 13 WHERE b = 'w';
UPDATE r SET b = b || '!' WHERE abs(a) = 3 RETURNING tableoid::regclass, *;
DELETE FROM r WHERE a = -8 RETURNING tableoid::regclass, *;
SELECT * FROM r WHERE abs(a) = 11 ORDER BY 2;
SELECT * FROM r WHERE abs(a) BETWEEN 9 AND 12 ORDER BY a, b;
MERGE INTO r USING (VALUES (3, 'm'), (16, 'n')) v (k, s) ON abs(r.a) = v.k WHEN MATCHED THEN UPDATE SET a = 17, b = s WHEN NOT MATCHED THEN INSERT VALUES (-k, s);
INSERT INTO r VALUES (5, 'c') ON CONFLICT DO NOTHING;
SELECT tableoid::regclass, * FROM r ORDER BY a, b;
PREPARE p AS INSERT INTO r VALUES ($1, $2) RETURNING tableoid::regclass, *;
EXECUTE p (-7, 'p');
EXECUTE p (-17, 'q');
EXECUTE p (-27, 'q');
PREPARE u AS UPDATE r SET a = $1 WHERE b = $2 RETURNING tableoid::regclass, *;
EXECUTE u (-18, 'p');
EXECUTE u (-28, 'p');
CREATE TABLE l (a int, b text) PARTITION BY LIST (lower(b));
CREATE TABLE l1 PARTITION OF l FOR VALUES IN ('a', 'b');
CREATE TABLE l2 PARTITION OF l FOR VALUES IN ('c', NULL);
INSERT INTO l VALUES (1, 'A'), (2, 'b'), (3, 'C'), (4, NULL);
INSERT INTO l VALUES (5, 'Z');
SELECT tableoid::regclass, * FROM l ORDER BY a;
CREATE TABLE ld PARTITION OF l DEFAULT;
INSERT INTO l VALUES (5, 'Z');
CREATE TABLE lz PARTITION OF l FOR VALUES IN ('z');
INSERT INTO ld VALUES (6, 'B');
CREATE TABLE ly PARTITION OF l FOR VALUES IN ('y') PARTITION BY RANGE (a, b);
CREATE TABLE ly1 PARTITION OF ly FOR VALUES FROM (1, MINVALUE) TO (5, 'zz');
INSERT INTO l VALUES (1, 'Y'), (4, 'y');
INSERT INTO l VALUES (5, 'Y');
INSERT INTO l VALUES (6, 'Y');
SELECT tableoid::regclass, * FROM l ORDER BY a, b;
CREATE TABLE h (a int, b text) PARTITION BY HASH ((a + 1), upper(b));
CREATE TABLE h0 PARTITION OF h FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE h1 PARTITION OF h FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO h SELECT g, 'b' || g FROM generate_series(1, 12) g;
SELECT tableoid::regclass, * FROM h ORDER BY a;
-- ATTACH and DETACH
CREATE TABLE r3 (b text, a int);
INSERT INTO r3 VALUES ('in', -25), ('out', 31);
ALTER TABLE r ATTACH PARTITION r3 FOR VALUES FROM (20) TO (30);
DELETE FROM r3 WHERE b = 'out';
ALTER TABLE r ATTACH PARTITION r3 FOR VALUES FROM (20) TO (30);
INSERT INTO r VALUES (-29, 'later');
INSERT INTO r3 VALUES ('no', 30);
UPDATE r SET a = -26 WHERE b = 'in' RETURNING tableoid::regclass, *;
SELECT tableoid::regclass, * FROM r WHERE abs(a) >= 20 ORDER BY a;
ALTER TABLE r DETACH PARTITION r3;
INSERT INTO r3 VALUES ('free', 1000);
SELECT * FROM r3 ORDER BY a;
INSERT INTO r VALUES (-29, 'nowhere');
UPDATE r3 SET a = 29 WHERE a = 1000;
ALTER TABLE r ATTACH PARTITION r3 FOR VALUES FROM (20) TO (30);
INSERT INTO r VALUES (-22, 'again') RETURNING tableoid::regclass, *;
ALTER TABLE l ATTACH PARTITION r3 FOR VALUES IN ('r');
CREATE TABLE lx (a int, b text) PARTITION BY LIST (a);
CREATE TABLE lx1 PARTITION OF lx FOR VALUES IN (1);
INSERT INTO lx VALUES (1, 'X');
ALTER TABLE l ATTACH PARTITION lx FOR VALUES IN ('x');
INSERT INTO l VALUES (1, 'x');
INSERT INTO lx VALUES (1, 'w');
SELECT tableoid::regclass, * FROM l WHERE lower(b) = 'x' ORDER BY b;
ALTER TABLE l DETACH PARTITION lx;
INSERT INTO lx VALUES (1, 'w');
SELECT tableoid::regclass, * FROM lx ORDER BY b;
-- what is told
SELECT pg_get_partkeydef('r'::regclass), pg_get_partkeydef('l'::regclass), pg_get_partkeydef('ly'::regclass), pg_get_partkeydef('h'::regclass);
SELECT partrelid::regclass, partstrat, partnatts, partattrs, partexprs IS NULL AS plain FROM pg_partitioned_table ORDER BY 1;
SELECT pg_get_expr(partexprs, partrelid) FROM pg_partitioned_table WHERE partrelid = 'h'::regclass;
SELECT relname, pg_get_partition_constraintdef(oid) FROM pg_class WHERE relname IN ('r1', 'l1', 'l2') ORDER BY 1;
\d+ r
\d+ ly
\d ly1
SELECT attname FROM pg_attribute WHERE attrelid = 'r1'::regclass AND attnum > 0 ORDER BY attnum;
-- what they forbid
ALTER TABLE r ADD PRIMARY KEY (a);
ALTER TABLE r ADD UNIQUE (a, b);
CREATE UNIQUE INDEX ON l (b);
ALTER TABLE r DROP COLUMN a;
ALTER TABLE r ALTER a TYPE bigint;
ALTER TABLE l DROP COLUMN a;
ALTER TABLE r DROP COLUMN b;
ALTER TABLE l RENAME b TO c;
INSERT INTO l VALUES (7, 'B') RETURNING tableoid::regclass, *;
SELECT pg_get_partkeydef('l'::regclass);
ALTER TABLE r ADD COLUMN d int DEFAULT 5;
INSERT INTO r VALUES (-2, 6) RETURNING tableoid::regclass, *;
SELECT tableoid::regclass, * FROM r ORDER BY 2, 3;
CREATE TABLE bad (a int) PARTITION BY RANGE ((random() * a));
CREATE TABLE bad (a int) PARTITION BY RANGE ((1 + 2));
CREATE TABLE bad (a int) PARTITION BY RANGE ((a + nothere));
CREATE TABLE bad (a int) PARTITION BY RANGE (abs((SELECT 1)));
CREATE TABLE bad (a int) PARTITION BY RANGE (sum(a));
CREATE TABLE bad (a int) PARTITION BY LIST (a, (a + 1));
CREATE TABLE bad (a int, g int GENERATED ALWAYS AS (a * 2) STORED) PARTITION BY RANGE ((g + 1));
CREATE TABLE bad (a int) PARTITION BY RANGE (a nosuch_ops);
CREATE TABLE bad (a int) PARTITION BY RANGE (a COLLATE "C");
CREATE TABLE named (a int, b text COLLATE "C") PARTITION BY RANGE (a int4_ops, b COLLATE "C" text_ops, (a) int4_ops);
SELECT pg_get_partkeydef('named'::regclass);
CREATE FUNCTION plus(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 1';
CREATE TABLE f (a int) PARTITION BY RANGE (plus(a));
CREATE TABLE f1 PARTITION OF f FOR VALUES FROM (1) TO (5);
INSERT INTO f VALUES (0), (3);
INSERT INTO f VALUES (4);
DROP FUNCTION plus(int);
