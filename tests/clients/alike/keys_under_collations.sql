-- Keys over text of which a nondeterministic collation calls some equal whose bytes differ: primary keys, UNIQUE, unique indexes
-- (also under a collation of their own, on expressions and over some of the rows), found by them, ON CONFLICT, MERGE, COPY.

CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE COLLATION ai (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE v (email text COLLATE ci PRIMARY KEY, n int, nick varchar(20) COLLATE ai UNIQUE);
INSERT INTO v VALUES ('a', 1, 'Zoë');
INSERT INTO v VALUES ('A', 2, 'x');
INSERT INTO v VALUES ('A', 2, 'x');
INSERT INTO v VALUES ('b', 2, 'ZOË');
INSERT INTO v VALUES ('b', 2, 'ZOEs'), ('B', 2, 'no');
INSERT INTO v VALUES ('A', 3) ON CONFLICT (email) DO UPDATE SET email = excluded.email, n = excluded.n RETURNING *;
INSERT INTO v VALUES ('a', 3) ON CONFLICT DO NOTHING;
INSERT INTO v VALUES ('q', 3, 'ZOË') ON CONFLICT (nick) DO UPDATE SET n = 7 RETURNING *;
SELECT * FROM v WHERE email = 'a';
SELECT * FROM v WHERE email = 'a';
SELECT * FROM v WHERE nick = 'zoË';
PREPARE p AS SELECT * FROM v WHERE email = $1;
EXECUTE p('a'); EXECUTE p('a'); EXECUTE p('A'); EXECUTE p('c');
UPDATE v SET email = 'b' WHERE email = 'a' RETURNING *;
UPDATE v SET email = 'B' WHERE email = 'b' RETURNING *;
INSERT INTO v VALUES ('a', 1, NULL), ('c', 2, NULL);
UPDATE v SET email = 'C' WHERE email = 'a';
UPDATE v SET email = 'A' WHERE email = 'a';
DELETE FROM v WHERE email = 'C' RETURNING *;
SELECT * FROM v ORDER BY email;
BEGIN;
SAVEPOINT s;
INSERT INTO v VALUES ('x'), ('X');
ROLLBACK TO s;
INSERT INTO v VALUES ('x');
SAVEPOINT s2;
INSERT INTO v VALUES ('X');
ROLLBACK TO s2;
DELETE FROM v WHERE email = 'X';
INSERT INTO v VALUES ('X');
COMMIT;
TABLE v ORDER BY email;
\d v
COPY v FROM stdin;
d	1	d
D	2	e
\.
COPY v FROM stdin;
d	1	d
e	2	E
\.
SELECT * FROM v ORDER BY email;
CREATE TABLE w (id int PRIMARY KEY, a text, b text COLLATE ci, c char(5) COLLATE ci);
INSERT INTO w SELECT i, 'x' || i, 'x' || i, 'x' || i FROM generate_series(1, 2000) i;
CREATE UNIQUE INDEX wa ON w (a COLLATE ci);
CREATE UNIQUE INDEX wb ON w (b COLLATE "C");
CREATE UNIQUE INDEX wc ON w (c);
CREATE UNIQUE INDEX we ON w ((b || 'q')) WHERE id > 5;
INSERT INTO w VALUES (3001, 'X5', 'X5', 'y');
INSERT INTO w VALUES (3001, 'y', 'X5', 'X5   ');
INSERT INTO w VALUES (3001, 'y', 'X5', 'y');
INSERT INTO w VALUES (3002, 'z', 'X7', 'z');
INSERT INTO w VALUES (3002, 'z', 'x5', 'z');
INSERT INTO w VALUES (3, 'z', 'X7', 'z');
INSERT INTO w VALUES (0, 'z', 'X7', 'z');
UPDATE w SET a = 'X9' WHERE id = 10;
UPDATE w SET a = upper(a);
SELECT count(*), min(id) FROM w WHERE a = 'X9' COLLATE ci;
SELECT id FROM w WHERE c = 'X9';
SELECT id FROM w WHERE c = 'X9';
DROP INDEX wa;
INSERT INTO w VALUES (4000, 'x5', 'k', 'k');
CREATE UNIQUE INDEX wa ON w (a COLLATE ci);
CREATE UNIQUE INDEX wa2 ON w (a);
\d w
ALTER TABLE w ADD UNIQUE (b);
ALTER TABLE w DROP CONSTRAINT w_pkey, ADD PRIMARY KEY (b);

MERGE INTO v USING (VALUES ('D', 9), ('new', 1)) s(e, n) ON v.email = s.e WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT VALUES (s.e, s.n);
SELECT * FROM v ORDER BY email;
CREATE TABLE parts (k text COLLATE ci, i int, PRIMARY KEY (k, i)) PARTITION BY RANGE (i);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
INSERT INTO parts VALUES ('a', 1), ('A', 2);
INSERT INTO parts VALUES ('A', 1);
TRUNCATE v;
INSERT INTO v VALUES ('A', 1, 'q');
SELECT * FROM v WHERE email = 'a' FOR UPDATE;
SELECT email, count(*) FROM v GROUP BY email;
SELECT * FROM v WHERE email = 'a' COLLATE "C";
SELECT * FROM v WHERE email = 'a' COLLATE "C";
SELECT a.email, b.email FROM v a JOIN v b ON a.email = b.email;
SELECT a.email, b.email FROM v a JOIN v b ON a.email = b.email;
SELECT * FROM v WHERE email IN ('a', 'b', 'B');
SELECT * FROM v WHERE email = ANY(ARRAY['a', 'b', 'B']);
SELECT * FROM v WHERE email = ANY(ARRAY['a', 'b', 'B']);
SELECT * FROM v WHERE email > 'a';
SELECT * FROM v WHERE email >= 'a';
SELECT * FROM v WHERE email = NULL;
SELECT i, k FROM parts WHERE k = 'A' AND i = 1;
SELECT i, k FROM parts WHERE k = 'A' AND i = 1;
UPDATE parts SET k = 'A' WHERE k = 'A' AND i = 1 RETURNING *;
DELETE FROM parts WHERE (k, i) IN (('A', 1), ('a', 2)) RETURNING *;
INSERT INTO v VALUES ('b', 2, 'B'), ('é', 5, 'é');
SELECT DISTINCT email FROM v WHERE email IN ('a', 'A');
SELECT DISTINCT email FROM v WHERE email IN ('a', 'A');
SELECT a.email, b.email FROM v a JOIN v b ON a.email = b.nick COLLATE "C" WHERE a.email = 'B';
SELECT email FROM v WHERE email = 'a' UNION ALL SELECT email FROM v WHERE email = 'B' ORDER BY 1;
SELECT 'B' IN (SELECT nick FROM v WHERE email = 'B'), 'b' IN (SELECT nick FROM v WHERE email = 'B');
SELECT 'B' IN (SELECT nick FROM v WHERE email = 'B'), 'b' IN (SELECT nick FROM v WHERE email = 'B');
SELECT q.email, count(*) FROM (SELECT email FROM v WHERE email IN ('a', 'B')) q GROUP BY q.email ORDER BY 1;
SELECT q.email, count(*) FROM (SELECT email FROM v WHERE email IN ('a', 'B')) q GROUP BY q.email ORDER BY 1;
SELECT * FROM (SELECT email FROM v WHERE email = 'B') q WHERE q.email = 'b';
SELECT * FROM (SELECT email FROM v WHERE email = 'B') q WHERE q.email = 'b';
SELECT (SELECT email FROM v WHERE email = 'B') = 'b';
SELECT (SELECT email FROM v WHERE email = 'B') = 'b';
SELECT array(SELECT email FROM v WHERE email = 'B');
SELECT email = 'a', email FROM v WHERE email = 'A';
SELECT email = 'a', email FROM v WHERE email = 'A';
SELECT CASE email WHEN 'A' THEN 1 END, nullif(email, 'A') FROM v WHERE email = 'a';
SELECT email || 'x', length(email) FROM v WHERE email = 'a';
WITH q AS (SELECT email FROM v WHERE email = 'B') SELECT * FROM q JOIN v USING (email);
WITH q AS (SELECT email FROM v WHERE email = 'B') SELECT * FROM q JOIN v USING (email);
UPDATE v SET n = v.n + 1 FROM (VALUES ('A'), ('É')) s(e) WHERE v.email = s.e RETURNING v.*;
DELETE FROM v USING (VALUES ('A'), ('É')) s(e) WHERE v.email = s.e RETURNING v.*;
TABLE v;
