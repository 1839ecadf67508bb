-- Parts of a WITH that write: those that the statement asks for come before it, the others behind it, the last one first.
CREATE TABLE w (id int PRIMARY KEY, v text);
CREATE TABLE listed (n serial, what text);
INSERT INTO w VALUES (1, 'a'), (2, 'b');
WITH d AS (DELETE FROM w WHERE id = 1) INSERT INTO w VALUES (1, 'x');
WITH d AS (DELETE FROM w WHERE id = 1 RETURNING id) INSERT INTO w SELECT id, 'y' FROM d;
WITH u AS (UPDATE w SET v = 'u1' WHERE id = 2) UPDATE w SET v = 'u2' WHERE id = 2 RETURNING *;
SELECT * FROM w ORDER BY id;
WITH u AS (UPDATE w SET v = 'u3' WHERE id = 2 RETURNING v) UPDATE w SET v = 'u4' FROM u WHERE id = 2 RETURNING *;
SELECT * FROM w ORDER BY id;
WITH d AS (DELETE FROM w WHERE id = 2) UPDATE w SET v = 'z' WHERE id = 2 RETURNING *;
WITH u AS (UPDATE w SET v = 'zz' WHERE id = 2) DELETE FROM w WHERE id = 2 RETURNING *;
SELECT * FROM w ORDER BY id;
WITH a AS (UPDATE w SET v = 'first' WHERE id = 1) MERGE INTO w USING (VALUES (1), (90)) s (id) ON w.id = s.id
  WHEN MATCHED THEN UPDATE SET v = 'merged' WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'new');
SELECT * FROM w ORDER BY id;

-- numbers are drawn in that order
WITH a AS (INSERT INTO listed (what) VALUES ('a')), b AS (INSERT INTO listed (what) VALUES ('b') RETURNING n) SELECT * FROM b;
WITH a AS (INSERT INTO listed (what) VALUES ('a')) INSERT INTO listed (what) VALUES ('own') RETURNING *;
WITH a AS (INSERT INTO listed (what) VALUES ('a')), b AS (INSERT INTO listed (what) VALUES ('b')) SELECT 1 AS one;
WITH a AS (INSERT INTO listed (what) VALUES ('asked') RETURNING n), b AS (INSERT INTO w SELECT 100 + n, 'by b' FROM a), c AS (INSERT INTO listed (what) VALUES ('c'))
  SELECT 1 AS one;
SELECT * FROM listed ORDER BY n;
SELECT * FROM w ORDER BY id;

-- keys that are taken by other parts
WITH a AS (INSERT INTO w VALUES (5, 'p')) INSERT INTO w VALUES (5, 'q') ON CONFLICT (id) DO UPDATE SET v = 'r' RETURNING *;
WITH a AS (INSERT INTO w VALUES (6, 'p')) INSERT INTO w VALUES (6, 'q') ON CONFLICT (id) DO NOTHING RETURNING *;
WITH a AS (INSERT INTO w VALUES (7, 'p') ON CONFLICT DO NOTHING) INSERT INTO w VALUES (7, 'q') RETURNING *;
WITH a AS (INSERT INTO w VALUES (8, 'p') ON CONFLICT (id) DO UPDATE SET v = 'A'), b AS (INSERT INTO w VALUES (8, 'q') ON CONFLICT (id) DO UPDATE SET v = 'B') SELECT 1;
WITH a AS (INSERT INTO w VALUES (8, 'p') ON CONFLICT (id) DO UPDATE SET v = 'A' RETURNING id) INSERT INTO w SELECT id, 'q' FROM a ON CONFLICT (id) DO UPDATE SET v = 'B';
SELECT * FROM w ORDER BY id;

-- foreign keys are asked when all parts have written
CREATE TABLE parents (id int PRIMARY KEY);
CREATE TABLE children (id int PRIMARY KEY, parent int REFERENCES parents);
WITH p AS (INSERT INTO parents VALUES (1)) INSERT INTO children VALUES (1, 1);
WITH c AS (INSERT INTO children VALUES (2, 2)) INSERT INTO parents VALUES (2);
WITH p AS (INSERT INTO parents VALUES (3) RETURNING id) INSERT INTO children SELECT 3, id FROM p RETURNING *;
WITH c AS (DELETE FROM children WHERE parent = 1) DELETE FROM parents WHERE id = 1;
WITH p AS (DELETE FROM parents WHERE id = 2) DELETE FROM children WHERE parent = 2;
WITH c AS (UPDATE children SET parent = NULL WHERE id = 3 RETURNING 1), p AS (DELETE FROM parents WHERE id = 3) SELECT * FROM c;
WITH p AS (INSERT INTO parents VALUES (4)) INSERT INTO children VALUES (4, 5);
SELECT * FROM parents;
SELECT * FROM children;
BEGIN;
WITH p AS (INSERT INTO parents VALUES (11)) INSERT INTO children VALUES (11, 11);
WITH c AS (INSERT INTO children VALUES (12, 12)) INSERT INTO parents VALUES (12);
WITH c AS (DELETE FROM children WHERE parent = 11) DELETE FROM parents WHERE id = 11;
SELECT * FROM parents;
SELECT * FROM children;
ROLLBACK;
PREPARE both (int) AS WITH p AS (INSERT INTO parents VALUES ($1)) INSERT INTO children VALUES ($1, $1) RETURNING *;
EXECUTE both (21);
EXECUTE both (22);
CREATE TABLE by_year (y int, id int, parent int REFERENCES parents, PRIMARY KEY (y, id)) PARTITION BY RANGE (y);
CREATE TABLE by_year_1 PARTITION OF by_year FOR VALUES FROM (1) TO (10);
CREATE TABLE by_year_2 PARTITION OF by_year FOR VALUES FROM (10) TO (20);
WITH p AS (INSERT INTO parents VALUES (31), (32)) INSERT INTO by_year VALUES (1, 1, 31), (11, 1, 32);
WITH p AS (DELETE FROM parents WHERE id = 32) UPDATE by_year SET parent = 31, y = 2 WHERE parent = 32;
SELECT tableoid::regclass, * FROM by_year ORDER BY y, id;

-- triggers of rows
CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% % %', tg_op, tg_when, coalesce(new.id, old.id); RETURN coalesce(new, old); END $$;
CREATE TRIGGER t1 BEFORE INSERT OR UPDATE OR DELETE ON w FOR EACH ROW EXECUTE FUNCTION told();
CREATE TRIGGER t2 AFTER INSERT OR UPDATE OR DELETE ON w FOR EACH ROW EXECUTE FUNCTION told();
WITH a AS (INSERT INTO w VALUES (41, 'A')), b AS (DELETE FROM w WHERE id = 7 RETURNING id), c AS (INSERT INTO w VALUES (42, 'C'))
  UPDATE w SET v = 'm' WHERE id IN (SELECT id FROM b UNION SELECT 1);
WITH a AS (INSERT INTO w VALUES (43, 'A')), c AS (INSERT INTO w SELECT 44 + count(*) FROM a0) SELECT 1;
WITH a0 AS (SELECT 1), a AS (INSERT INTO w VALUES (43, 'A')), c AS (INSERT INTO w SELECT 44 + count(*) FROM a0) SELECT 1 AS one;
