-- What clients take for a row's identity and version. The numbers are a server's own; what is done with them is not.
CREATE TABLE shelf (id int PRIMARY KEY, label text);
CREATE TABLE heap (a int, b text);
INSERT INTO shelf SELECT i, 'label ' || i FROM generate_series(1, 5) i;
INSERT INTO heap VALUES (1, 'one'), (1, 'one'), (2, 'two'), (2, 'two'), (2, 'two'), (3, NULL);
SELECT count(DISTINCT ctid), count(ctid), count(DISTINCT tableoid), min(ctid) < max(ctid) AS ordered FROM heap;
SELECT tableoid::regclass, cmin, cmax, xmax, id FROM shelf WHERE id < 3 ORDER BY id;
SELECT h.tableoid::regclass AS of, xmin = xmin AS same, xmin::text::bigint > 2 AS number FROM heap h WHERE a = 3;
SELECT pg_typeof(ctid), pg_typeof(xmin), pg_typeof(cmin), pg_typeof(tableoid) FROM shelf WHERE id = 1;
-- A row is found and changed by its place.
SELECT ctid AS place FROM heap WHERE a = 3 \gset
SELECT a, b FROM heap WHERE ctid = :'place';
SELECT a, b FROM heap WHERE ctid = :'place'::tid AND a = 3;
SELECT a, b FROM heap WHERE ctid = ANY (ARRAY[:'place']::tid[]);
UPDATE heap SET b = 'three' WHERE ctid = :'place';
SELECT a, b FROM heap WHERE ctid = :'place';
SELECT a, b FROM heap WHERE a = 3;
DELETE FROM heap WHERE ctid = (SELECT ctid FROM heap WHERE a = 3);
-- Duplicates go, one of each stays.
DELETE FROM heap a USING heap b WHERE a.ctid < b.ctid AND a.a = b.a AND a.b = b.b;
SELECT * FROM heap ORDER BY a;
INSERT INTO heap SELECT a, b FROM heap;
DELETE FROM heap WHERE ctid NOT IN (SELECT min(ctid) FROM heap GROUP BY a);
SELECT * FROM heap ORDER BY a;
-- Optimistic concurrency: the version that was read.
SELECT xmin AS version FROM shelf WHERE id = 2 \gset
UPDATE shelf SET label = 'second' WHERE id = 2 AND xmin = :'version'::xid;
UPDATE shelf SET label = 'again' WHERE id = 2 AND xmin = :'version'::xid;
SELECT label, xmin = :'version'::xid AS unchanged FROM shelf WHERE id = 2;
BEGIN;
INSERT INTO shelf VALUES (6, 'mine');
SELECT ctid IS NOT NULL AS place, tableoid::regclass, label FROM shelf WHERE id = 6;
UPDATE shelf SET label = 'still mine' WHERE ctid = (SELECT ctid FROM shelf WHERE id = 6);
SELECT label FROM shelf WHERE id = 6;
ROLLBACK;
-- In joins, views, subqueries; not in stars.
SELECT s.id, h.tableoid::regclass, h.ctid IS NULL AS none FROM shelf s LEFT JOIN heap h ON h.a = s.id ORDER BY s.id;
SELECT count(*) FROM (SELECT ctid, id FROM shelf) q WHERE q.ctid IS NOT NULL;
CREATE VIEW places AS SELECT ctid AS place, id FROM shelf;
SELECT id FROM places WHERE place IS NOT NULL ORDER BY id LIMIT 2;
SELECT * FROM shelf WHERE id = 1;
SELECT ctid FROM shelf s, heap h;
SELECT ctid FROM places;
SELECT '(0,1)'::tid, '(4294967295,65535)'::tid, '( 1, 2)'::tid < '(1,3)'::tid AS less, ARRAY['(0,1)']::tid[];
SELECT '(0,1'::tid;
SELECT '(0,65536)'::tid;
SELECT '( 1 ,2)'::tid;
SELECT id FROM shelf ORDER BY ctid DESC LIMIT 1 \gdesc
SELECT ctid FROM shelf \gdesc
ALTER TABLE shelf ADD COLUMN ctid int;
CREATE TABLE wrong (xmin int);
