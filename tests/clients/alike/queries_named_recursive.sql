-- RECURSIVE behind WITH is a query's name if its columns or AS follow, else what makes the queries recursive.
WITH recursive AS (SELECT 1 AS a) SELECT * FROM recursive;
WITH recursive (n) AS (SELECT 2) SELECT n FROM recursive;
WITH recursive (n, m) AS (VALUES (1, 2), (3, 4)), other AS (SELECT n + m AS s FROM recursive) SELECT * FROM other ORDER BY s;
WITH recursive AS (SELECT 3) VALUES (1), (2);
WITH RECURSIVE recursive AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM recursive WHERE a < 3) SELECT * FROM recursive;
WITH RECURSIVE recursive (a) AS (VALUES (1) UNION ALL SELECT a + 1 FROM recursive WHERE a < 3) VALUES (7), (8);
WITH recursive AS NOT MATERIALIZED (SELECT 4 AS a) SELECT (WITH recursive AS (SELECT a + 1 AS b FROM recursive) SELECT b FROM recursive) FROM recursive;
WITH recursive AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM recursive WHERE a < 3) SELECT * FROM recursive;
CREATE TABLE qr_rows (a int PRIMARY KEY);
WITH recursive AS (INSERT INTO qr_rows VALUES (1), (2) RETURNING a) SELECT sum(a) FROM recursive;
WITH recursive AS (SELECT 2 AS a) DELETE FROM qr_rows USING recursive WHERE qr_rows.a = recursive.a RETURNING *;
CREATE VIEW qr_view AS WITH recursive AS (SELECT a FROM qr_rows) SELECT recursive.a FROM recursive;
SELECT * FROM qr_view;
SELECT pg_get_viewdef('qr_view');
DROP VIEW qr_view;
DROP TABLE qr_rows;
WITH recursive SELECT 1;
WITH RECURSIVE as AS (SELECT 1) SELECT 1;
