-- Partitions that are partitioned themselves, by expressions: rows are dealt out from the top, moved, attached and detached.
CREATE TABLE top (a text, b int, c int, d int) PARTITION BY LIST (a);
CREATE TABLE top_x PARTITION OF top FOR VALUES IN ('x') PARTITION BY RANGE (abs(d));
CREATE TABLE top_x_1 PARTITION OF top_x FOR VALUES FROM (0) TO (10);
CREATE TABLE top_x_2 PARTITION OF top_x FOR VALUES FROM (10) TO (20);
CREATE TABLE top_y PARTITION OF top FOR VALUES IN ('y');
INSERT INTO top VALUES ('x', 1, 1, -5), ('x', 2, 2, 15), ('y', 3, 3, -100);
INSERT INTO top VALUES ('x', 4, 4, 30);
INSERT INTO top VALUES ('x', 4, 4, NULL);
INSERT INTO top SELECT 'x', g, g, -g FROM generate_series(8, 12) g;
INSERT INTO top_x VALUES ('x', 20, 20, -19) RETURNING tableoid::regclass, *;
INSERT INTO top_x_1 VALUES ('x', 21, 21, 12);
INSERT INTO top_y VALUES ('y', 21, 21, 12) RETURNING *;
SELECT tableoid::regclass, * FROM top ORDER BY b;
UPDATE top SET d = d - 20 WHERE b = 2 RETURNING tableoid::regclass, *;
UPDATE top SET a = 'x', d = 11 WHERE b = 3 RETURNING tableoid::regclass, *;
UPDATE top SET d = 99 WHERE b = 1;
UPDATE top_x SET d = 19 WHERE b = 1 RETURNING tableoid::regclass, *;
UPDATE top_x_2 SET d = 1 WHERE b = 1;
SELECT tableoid::regclass, * FROM top WHERE abs(d) = 10;
DELETE FROM top WHERE b = 20 RETURNING tableoid::regclass, *;
PREPARE into_top AS INSERT INTO top VALUES ($1, $2, $3, $4) RETURNING tableoid::regclass, *;
EXECUTE into_top ('x', 30, 30, -7);
EXECUTE into_top ('x', 31, 31, -17);
EXECUTE into_top ('x', 32, 32, -27);
COPY top FROM stdin WITH (DELIMITER ',');
x,40,40,-3
x,41,41,13
y,42,42,500
\.
SELECT tableoid::regclass, count(*), sum(b) FROM top GROUP BY 1 ORDER BY 1;
MERGE INTO top USING (VALUES (40, -14), (50, 6)) v (k, n) ON b = k WHEN MATCHED THEN UPDATE SET d = n WHEN NOT MATCHED THEN INSERT VALUES ('x', k, k, n);
SELECT tableoid::regclass, * FROM top WHERE b IN (40, 50) ORDER BY b;
\d top
\d+ top_x
SELECT attname, attnum FROM pg_attribute WHERE attrelid = 'top'::regclass AND attnum > 0 ORDER BY attnum;
-- three levels, of columns in other orders; the table that comes has rows
CREATE TABLE late (d int, c int, b int, a text) PARTITION BY RANGE (b);
CREATE TABLE late_1 (a text, d int, c int, b int) PARTITION BY LIST ((c % 3));
CREATE TABLE late_1_0 PARTITION OF late_1 FOR VALUES IN (0);
CREATE TABLE late_1_1 (c int, b int, a text, d int);
ALTER TABLE late_1 ATTACH PARTITION late_1_1 FOR VALUES IN (1, 2);
INSERT INTO late_1 (a, b, c) VALUES ('z', 1, 3), ('z', 2, 4);
ALTER TABLE late ATTACH PARTITION late_1 FOR VALUES FROM (0) TO (100);
ALTER TABLE top ATTACH PARTITION late FOR VALUES IN ('z');
INSERT INTO top (a, b, c) VALUES ('z', 5, 5), ('z', 6, 6);
INSERT INTO top (a, b, c) VALUES ('z', 500, 5);
INSERT INTO late (a, b, c) VALUES ('z', 7, 7);
SELECT tableoid::regclass, * FROM late ORDER BY b;
UPDATE top SET c = c + 1 WHERE a = 'z' AND b > 4;
SELECT tableoid::regclass, * FROM top WHERE a = 'z' ORDER BY b;
UPDATE top SET a = 'z', c = 9, b = 50 WHERE b = 40;
SELECT tableoid::regclass, * FROM top WHERE b = 50 ORDER BY a;
-- what a key names stays as it is
ALTER TABLE top DROP COLUMN c;
ALTER TABLE top DROP COLUMN d;
ALTER TABLE late_1 DROP COLUMN c;
ALTER TABLE top ALTER COLUMN d TYPE bigint;
ALTER TABLE top RENAME COLUMN c TO cc;
INSERT INTO top (a, b, cc, d) VALUES ('z', 60, 10, 1) RETURNING tableoid::regclass, *;
ALTER TABLE top ADD COLUMN e int DEFAULT 7;
INSERT INTO top (a, b, cc, d) VALUES ('z', 61, 11, 1), ('x', 62, 12, 2) RETURNING tableoid::regclass, *;
ALTER TABLE late DETACH PARTITION late_1;
INSERT INTO top (a, b, cc, d) VALUES ('z', 63, 11, 1);
INSERT INTO late_1 (a, b, cc, d) VALUES ('q', 63, 12, 1) RETURNING tableoid::regclass, *;
ALTER TABLE top DETACH PARTITION late;
INSERT INTO top (a, b, cc, d) VALUES ('x', 64, 11, 1) RETURNING tableoid::regclass, *;
DROP TABLE top_x;
ALTER TABLE top DROP COLUMN d;
INSERT INTO top (a, b, cc) VALUES ('y', 65, 11) RETURNING tableoid::regclass, *;
SELECT * FROM top ORDER BY b;
SELECT * FROM late_1 ORDER BY b;
-- a key, triggers and a policy beside it
CREATE TABLE k (a int, b text, PRIMARY KEY (a)) PARTITION BY RANGE (a);
CREATE TABLE k1 PARTITION OF k FOR VALUES FROM (0) TO (10) PARTITION BY LIST (lower(b));
CREATE TABLE n (a int, b text) PARTITION BY RANGE (a);
CREATE TABLE n1 PARTITION OF n FOR VALUES FROM (0) TO (10) PARTITION BY LIST (lower(b));
CREATE TABLE n1_a PARTITION OF n1 FOR VALUES IN ('a');
CREATE TABLE n1_d PARTITION OF n1 DEFAULT;
CREATE TABLE n2 PARTITION OF n FOR VALUES FROM (10) TO (20);
CREATE UNIQUE INDEX ON n1_a (b);
CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% % %', tg_table_name, tg_op, new; RETURN new; END $$;
CREATE TRIGGER t AFTER INSERT OR UPDATE ON n FOR EACH ROW EXECUTE FUNCTION told();
INSERT INTO n VALUES (1, 'A'), (2, 'B'), (11, 'A');
UPDATE n SET b = b || '!' WHERE a = 2;
UPDATE n SET b = lower(b) WHERE a = 1;
INSERT INTO n VALUES (3, 'a');
TRUNCATE n1;
INSERT INTO n VALUES (3, 'a');
SELECT tableoid::regclass, * FROM n ORDER BY a;
-- a move whose expression nobody sets anew
DROP TABLE top;
CREATE TABLE top (a text, b int, c int, d int) PARTITION BY LIST (a);
CREATE TABLE top_x PARTITION OF top FOR VALUES IN ('x') PARTITION BY RANGE (abs(d));
CREATE TABLE top_x_1 PARTITION OF top_x FOR VALUES FROM (0) TO (10);
CREATE TABLE top_x_2 PARTITION OF top_x FOR VALUES FROM (10) TO (20);
CREATE TABLE top_y PARTITION OF top FOR VALUES IN ('y');
CREATE TABLE top_z PARTITION OF top FOR VALUES IN ('z') PARTITION BY LIST ((c % 2));
CREATE TABLE top_z_1 PARTITION OF top_z FOR VALUES IN (0);
CREATE TABLE top_z_2 PARTITION OF top_z FOR VALUES IN (1);
INSERT INTO top VALUES ('y', 1, 1, -5), ('y', 2, 2, 15), ('y', 3, 3, -12), ('z', 4, 4, -12), ('z', 5, 5, -2);
UPDATE top SET a = 'x' WHERE b = 3 RETURNING tableoid::regclass, *;
UPDATE top SET a = 'x' WHERE b < 3 RETURNING tableoid::regclass, *;
UPDATE top SET a = 'x' WHERE b = 4 RETURNING tableoid::regclass, *;
UPDATE top SET a = 'z' WHERE b = 1 RETURNING tableoid::regclass, *;
UPDATE top SET a = 'z' WHERE b = 2 RETURNING tableoid::regclass, *;
UPDATE top SET a = 'x' WHERE c > 3 RETURNING tableoid::regclass, *;
MERGE INTO top USING (VALUES (1), (2)) v (k) ON b = k WHEN MATCHED THEN UPDATE SET a = 'x';
SELECT tableoid::regclass, * FROM top ORDER BY b;
SELECT * FROM top_x_1 ORDER BY b;
CREATE FUNCTION seen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
RAISE NOTICE '% %: % | %', tg_table_name, tg_op, (SELECT string_agg(o::text, ' ' ORDER BY b) FROM o), (SELECT string_agg(n::text, ' ' ORDER BY b) FROM n); RETURN NULL; END $$;
CREATE TRIGGER s AFTER UPDATE ON top REFERENCING OLD TABLE AS o NEW TABLE AS n FOR EACH STATEMENT EXECUTE FUNCTION seen();
UPDATE top SET a = 'y', d = 3 WHERE b IN (1, 2);
UPDATE top SET a = 'x' WHERE b < 6;
UPDATE top SET d = d + 1;
SELECT tableoid::regclass, * FROM top ORDER BY b;
-- ON CONFLICT through the table at the top, whose rows have what a leaf has not
CREATE TABLE oc (a int, b text, n int) PARTITION BY LIST (a);
CREATE TABLE oc_1 PARTITION OF oc FOR VALUES IN (1) PARTITION BY LIST (lower(b));
CREATE TABLE oc_1_a PARTITION OF oc_1 FOR VALUES IN ('a', 'b');
CREATE TABLE oc_2 PARTITION OF oc FOR VALUES IN (2);
INSERT INTO oc VALUES (1, 'A', 1), (2, 'Q', 1);
INSERT INTO oc VALUES (1, 'B', 1), (2, 'Q', 1) ON CONFLICT DO NOTHING RETURNING tableoid::regclass, *;
CREATE UNIQUE INDEX ON oc (a, n);
CREATE UNIQUE INDEX ON oc_2 (a, n);
DROP TABLE oc_1;
CREATE UNIQUE INDEX ON oc (a, n);
INSERT INTO oc VALUES (2, 'R', 1) ON CONFLICT (a, n) DO UPDATE SET b = excluded.b RETURNING tableoid::regclass, *;
SELECT tableoid::regclass, * FROM oc ORDER BY a, n;
