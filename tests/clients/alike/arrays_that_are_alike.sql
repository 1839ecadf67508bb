-- Rows are told apart by arrays: as keys of groups, as rows that come once, as parts of a window, as what a recursion has met.
CREATE TABLE tagged (id int PRIMARY KEY, tags text[], n int[], f float8[], d numeric[], c char(4)[]);
INSERT INTO tagged VALUES
 (1, '{a,b}', '{1,2}', '{0,1}', '{1.0,2}', '{a,b}'), (2, '{a,b}', '[0:1]={1,2}', '{-0,1}', '{1,2.00}', '{"a ",b}'),
 (3, '{b,a}', '{1,NULL}', '{NaN}', '{NULL}', NULL), (4, NULL, '{1,NULL}', '{NaN}', '{NULL}', NULL),
 (5, '{}', NULL, NULL, NULL, '{}'), (6, '{"a,b"}', '{{1,2}}', '{1,0}', '{1.10}', '{b}'), (7, '{"NULL"}', '{}', '{}', '{1.1}', '{b}'),
 (8, '{NULL}', '{}', '{}', '{}', '{NULL}'), (9, NULL, NULL, NULL, NULL, NULL);
SELECT tags, count(*), min(id) FROM tagged GROUP BY tags ORDER BY 3;
SELECT n, count(*), min(id) FROM tagged GROUP BY n ORDER BY 3;
SELECT f, count(*), min(id) FROM tagged GROUP BY f ORDER BY 3;
SELECT count(*), min(id) FROM tagged GROUP BY d ORDER BY 2;
SELECT count(*), min(id) FROM tagged GROUP BY c ORDER BY 2;
SELECT tags, n, count(*) FROM tagged WHERE id < 5 GROUP BY tags, n ORDER BY min(id);
SELECT count(*) FROM (SELECT DISTINCT tags FROM tagged) x;
SELECT DISTINCT tags, id > 0 FROM tagged ORDER BY tags;
SELECT DISTINCT ON (tags) tags, id FROM tagged ORDER BY tags, id DESC;
SELECT id, row_number() OVER (PARTITION BY tags ORDER BY id), count(*) OVER (PARTITION BY n) FROM tagged ORDER BY id;
SELECT tags FROM tagged WHERE id = 1 UNION SELECT tags FROM tagged WHERE id = 2 ORDER BY 1;
WITH RECURSIVE met (way, at) AS (SELECT ARRAY['a'], 1 UNION SELECT CASE WHEN at < 4 THEN way ELSE way || 'b'::text END, least(at + 1, 5) FROM met WHERE cardinality(way) < 3) SELECT * FROM met ORDER BY at, way;
SELECT tags, count(*) FROM tagged GROUP BY ROLLUP (tags) ORDER BY min(id), 2;
SELECT array_agg(id ORDER BY id), tags || '{z}' FROM tagged GROUP BY tags || '{z}' ORDER BY 1;

-- Of relations of the system, which are grouped by their options.
CREATE INDEX tagged_n ON tagged (n) WITH (fillfactor = 70);
CREATE INDEX tagged_d ON tagged (d) WITH (fillfactor = 70);
SELECT reloptions, array_agg(relname ORDER BY relname) FROM pg_class WHERE relname LIKE 'tagged%' AND relkind IN ('r', 'i') GROUP BY reloptions ORDER BY 1;
SELECT DISTINCT indkey::int2[], indoption FROM pg_index WHERE indrelid = 'tagged'::regclass ORDER BY 1;
SELECT conkey, count(*) FROM pg_constraint WHERE conrelid = 'tagged'::regclass GROUP BY conkey;
