-- Unique indexes on expressions of generated columns, and over some of the rows: whoever writes the row, the key is that of the column as it is computed.
CREATE TABLE g (id int PRIMARY KEY, a int, b int GENERATED ALWAYS AS (a * 2) STORED);
CREATE UNIQUE INDEX g_next ON g ((b + 1));
CREATE UNIQUE INDEX g_some ON g (a) WHERE b > 6;
INSERT INTO g VALUES (1, 1), (2, 2), (4, 4);
INSERT INTO g VALUES (5, 4);
INSERT INTO g VALUES (5, 2);
INSERT INTO g SELECT 5, 1;
UPDATE g SET a = 2 WHERE id = 1;
UPDATE g SET a = a + 1 WHERE id = 1;
UPDATE g SET a = 4 WHERE a = 2;
INSERT INTO g VALUES (1, 9) ON CONFLICT (id) DO UPDATE SET a = 4;
INSERT INTO g VALUES (8, 1) ON CONFLICT DO NOTHING;
INSERT INTO g VALUES (8, 2) ON CONFLICT ((b + 1)) DO UPDATE SET a = g.a + 10 RETURNING *;
INSERT INTO g VALUES (9, 4) ON CONFLICT (a) WHERE b > 6 DO UPDATE SET a = g.a + 10 RETURNING *;
MERGE INTO g USING (VALUES (1, 3), (7, 3)) s (id, a) ON g.id = s.id WHEN MATCHED THEN UPDATE SET a = s.a WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.a);
SELECT * FROM g ORDER BY id;
SELECT id FROM g WHERE b + 1 = 7;
-- many rows at once
INSERT INTO g SELECT n, n FROM generate_series(100, 20000) n;
INSERT INTO g SELECT n + 100000, n FROM generate_series(100, 20000) n;
UPDATE g SET a = 500 WHERE id BETWEEN 400 AND 15000;
INSERT INTO g SELECT n + 100000, n FROM generate_series(15000, 40000) n ON CONFLICT DO NOTHING;
SELECT count(*), sum(b) FROM g;
COPY g (id, a) FROM stdin;
200001	-1
200002	4
\.
COPY g (id, a) FROM stdin;
200001	-1
200002	-2
\.
SELECT * FROM g WHERE a < 0 ORDER BY id;
-- a value that is drawn
CREATE TABLE s (id serial, a int DEFAULT 7, b int GENERATED ALWAYS AS (id % 3) STORED, c int GENERATED ALWAYS AS (a + 1) STORED);
CREATE UNIQUE INDEX s_b ON s ((b * 10 + c));
INSERT INTO s DEFAULT VALUES;
INSERT INTO s DEFAULT VALUES;
INSERT INTO s DEFAULT VALUES;
INSERT INTO s DEFAULT VALUES;
INSERT INTO s (a) SELECT 7 FROM generate_series(1, 2);
SELECT a, b, c FROM s ORDER BY id;
-- BEFORE triggers
CREATE FUNCTION raised() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.a := NEW.a + 1; RETURN NEW; END $$;
CREATE TABLE r (id int PRIMARY KEY, a int, b text GENERATED ALWAYS AS (upper('k' || a)) STORED);
CREATE UNIQUE INDEX r_b ON r ((b || '!')) WHERE b <> 'K9';
CREATE TRIGGER raised BEFORE INSERT OR UPDATE ON r FOR EACH ROW EXECUTE FUNCTION raised();
INSERT INTO r VALUES (1, 1);
INSERT INTO r VALUES (2, 1);
INSERT INTO r VALUES (2, 2);
UPDATE r SET a = 1 WHERE id = 2;
INSERT INTO r VALUES (3, 8), (4, 8);
SELECT * FROM r ORDER BY id;
-- partitions and children
CREATE TABLE p (id int, a int, b int GENERATED ALWAYS AS (a * 2) STORED) PARTITION BY LIST (id);
CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);
CREATE UNIQUE INDEX p1_b ON p1 ((b + 1));
INSERT INTO p VALUES (1, 1), (2, 1), (2, 1);
INSERT INTO p VALUES (1, 1);
INSERT INTO p1 VALUES (1, 1);
UPDATE p SET id = 1 WHERE id = 2;
UPDATE p SET a = 3;
SELECT tableoid::regclass, * FROM p ORDER BY 1, 2, 3;
CREATE TABLE o (id int, a int, b int GENERATED ALWAYS AS (a * 2) STORED);
CREATE TABLE o1 () INHERITS (o);
CREATE UNIQUE INDEX o1_b ON o1 (a) WHERE b = 2;
INSERT INTO o1 VALUES (1, 1), (2, 2);
INSERT INTO o VALUES (1, 1), (2, 1);
UPDATE o SET a = 1;
INSERT INTO o1 VALUES (1, 1);
SELECT tableoid::regclass, * FROM o ORDER BY 1, 2, 3;
-- what a foreign key does
CREATE TABLE par (a int PRIMARY KEY);
CREATE TABLE chi (id int, a int REFERENCES par ON UPDATE CASCADE ON DELETE SET NULL, b int GENERATED ALWAYS AS (coalesce(a, 0) % 10) STORED);
CREATE UNIQUE INDEX chi_b ON chi ((b + 0));
INSERT INTO par VALUES (1), (2), (3);
INSERT INTO chi VALUES (1, 1), (2, 2), (3, 3);
UPDATE par SET a = 11 WHERE a = 2;
UPDATE par SET a = 12 WHERE a = 2;
UPDATE par SET a = 14 WHERE a = 12;
DELETE FROM par WHERE a = 1;
DELETE FROM par WHERE a = 3;
SELECT * FROM chi ORDER BY id;
-- the columns change
ALTER TABLE g DROP COLUMN b;
ALTER TABLE s ALTER b DROP EXPRESSION;
INSERT INTO s (a, b) VALUES (7, 2), (7, 3), (7, 3);
INSERT INTO s (a, b) VALUES (7, 3);
INSERT INTO s (a, b) VALUES (8, 5), (7, 2);
SELECT a, b, c FROM s ORDER BY id;
ALTER TABLE chi ALTER b TYPE bigint;
INSERT INTO chi (id, a) VALUES (5, 14);
ALTER TABLE chi RENAME b TO bb;
INSERT INTO chi (id, a) VALUES (5, 14);
