-- RETURNING tells which version of a row a statement made or deleted; upserts, whether the row was there.
CREATE TABLE items (id int PRIMARY KEY, v text, n int DEFAULT 0);
CREATE TABLE log (a int, b text);
INSERT INTO items VALUES (1, 'a') RETURNING id, xmax = 0 AS inserted, tableoid::regclass, cmin, cmax;
INSERT INTO items VALUES (1, 'b'), (2, 'c') ON CONFLICT (id) DO UPDATE SET v = excluded.v RETURNING id, v, (xmax = 0) AS inserted;
INSERT INTO items AS i SELECT g, 'x' FROM generate_series(2, 4) g ON CONFLICT (id) DO UPDATE SET n = i.n + 1 RETURNING i.id, n, (i.xmax = 0) AS inserted, xmax::text::bigint > 0 AS updated;
INSERT INTO items VALUES (1, 'q') ON CONFLICT (id) DO UPDATE SET v = (SELECT 'sub') WHERE items.n = 0 RETURNING CASE WHEN xmax::text::int > 0 THEN 'updated' ELSE 'inserted' END, v, xmax <> 0;
INSERT INTO items VALUES (1, 'q') ON CONFLICT DO NOTHING RETURNING xmax = 0;
UPDATE items SET v = 'u' WHERE id = 1 RETURNING xmax, id;
WITH done AS (UPDATE items SET v = 'u' WHERE id IN (1, 2) RETURNING xmax, tableoid::regclass, id) SELECT * FROM done ORDER BY id;
DELETE FROM items WHERE id = 4 RETURNING xmax <> 0 AS ended, id;
DELETE FROM items i USING log l WHERE l.a = i.id RETURNING i.ctid, l.ctid;
INSERT INTO log VALUES (1, 'one'), (2, 'two') RETURNING a, tableoid::regclass, xmax;
WITH done AS (UPDATE items i SET v = l.b FROM log l WHERE l.a = i.id RETURNING i.id, i.xmax, l.xmax AS theirs, l.ctid IS NOT NULL AS place, l.tableoid::regclass, i.tableoid::regclass AS of) SELECT * FROM done ORDER BY id;
-- the version that was made is the one that is found
UPDATE items SET v = 'now' WHERE id = 1 RETURNING xmin AS version, ctid AS place \gset
SELECT id, v FROM items WHERE xmin = :'version' AND ctid = :'place';
UPDATE items SET v = 'then' WHERE id = 1 AND xmin = :'version'::xid RETURNING xmin <> :'version'::xid AS another;
UPDATE items SET v = 'never' WHERE id = 1 AND xmin = :'version'::xid RETURNING xmin;
INSERT INTO items VALUES (9, 'nine') RETURNING xmin AS version, ctid AS place \gset
SELECT id, v FROM items WHERE xmin = :'version' AND ctid = :'place';
INSERT INTO log SELECT i, 'l' || i FROM generate_series(3, 5) i RETURNING ctid IS NOT NULL AS place;
UPDATE log SET b = 'x' WHERE a = 3 RETURNING ctid AS place \gset
SELECT * FROM log WHERE ctid = :'place';
DELETE FROM log WHERE ctid = :'place' RETURNING *, ctid = :'place' AS same;
WITH done AS (INSERT INTO log SELECT i, 'm' FROM generate_series(1000, 8000) i RETURNING a, xmax, ctid) SELECT count(*), count(DISTINCT ctid), bool_and(xmax = 0) FROM done;
WITH done AS (UPDATE log SET b = 'n' WHERE a >= 1000 RETURNING a, xmax, ctid, tableoid::regclass AS of) SELECT count(*), count(DISTINCT ctid), bool_and(xmax = 0), min(of::text) FROM done;
WITH done AS (DELETE FROM log WHERE a >= 1000 RETURNING a, xmax, ctid, tableoid::regclass AS of) SELECT count(*), count(DISTINCT ctid), bool_and(xmax = 0), min(of::text) FROM done;
WITH up AS (INSERT INTO items VALUES (1, 'z'), (20, 'twenty') ON CONFLICT (id) DO UPDATE SET v = excluded.v RETURNING id, xmax = 0 AS inserted) SELECT count(*) FILTER (WHERE inserted) AS inserted, count(*) FILTER (WHERE NOT inserted) AS updated FROM up;
BEGIN;
INSERT INTO items VALUES (30, 'thirty') RETURNING xmin AS version, ctid AS place \gset
SELECT id, v FROM items WHERE xmin = :'version' AND ctid = :'place';
INSERT INTO items VALUES (30, 'thirty') ON CONFLICT (id) DO UPDATE SET v = 'again' RETURNING v, xmax = 0 AS inserted;
COMMIT;
PREPARE up(int, text) AS INSERT INTO items VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET v = excluded.v RETURNING id, v, (xmax = 0) AS inserted;
EXECUTE up(40, 'a');
EXECUTE up(40, 'b');
EXECUTE up(41, NULL);
INSERT INTO items VALUES (50, 'x') RETURNING ctid, xmin, xmax, cmin, cmax, tableoid \gdesc
INSERT INTO items VALUES (50, 'x') ON CONFLICT (id) DO UPDATE SET v = 'y' RETURNING excluded.xmax;
INSERT INTO items VALUES (50, 'x') RETURNING xmaxx;
UPDATE items SET v = 'c' WHERE id = 1 RETURNING items.*, items.xmax, (SELECT count(*) FROM log WHERE log.xmax = items.xmax) > 0;
