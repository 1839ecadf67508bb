-- Locking queries in LATERAL and in expressions, which name columns of the query around them: as pgqueuer takes jobs of each kind.
CREATE TABLE kinds (name text PRIMARY KEY, free bool, n int);
CREATE TABLE jobs (id int PRIMARY KEY, kind text, state text DEFAULT 'queued', prio int DEFAULT 0);
CREATE INDEX ON jobs (kind, prio DESC, id);
INSERT INTO kinds VALUES ('mail', true, 2), ('print', true, 1), ('idle', true, 3), ('busy', false, 2);
INSERT INTO jobs (id, kind, prio) SELECT g, (ARRAY['mail','print','busy'])[g % 3 + 1], g % 2 FROM generate_series(1, 30) g;
SELECT k.name, x.id FROM kinds k CROSS JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name ORDER BY j.prio DESC, j.id LIMIT 2 FOR UPDATE SKIP LOCKED) x WHERE k.free ORDER BY 1, 2;
SELECT k.name, x.id FROM kinds k CROSS JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name ORDER BY j.prio DESC, j.id LIMIT k.n FOR UPDATE SKIP LOCKED) x WHERE k.free ORDER BY 1, 2;
SELECT k.name, x.id FROM kinds k LEFT JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name ORDER BY j.prio DESC, j.id LIMIT 1 FOR UPDATE) x ON true ORDER BY 1, 2;
SELECT k.name, x.id FROM kinds k, LATERAL (SELECT j.id FROM jobs j WHERE kind = name ORDER BY prio DESC, j.id OFFSET 1 LIMIT 1 FOR SHARE) x ORDER BY 1, 2;
WITH a AS (SELECT unnest(ARRAY['mail','print','none']) AS entry) SELECT a.entry, x.* FROM a CROSS JOIN LATERAL (SELECT * FROM jobs j WHERE j.kind = a.entry ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED) x ORDER BY 1, 2;
WITH a AS (SELECT unnest(ARRAY['none']) AS entry) SELECT a.entry, x.* FROM a CROSS JOIN LATERAL (SELECT * FROM jobs j WHERE j.kind = a.entry ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED) x ORDER BY 1, 2;
WITH a AS (SELECT unnest(ARRAY['mail','print','none']) AS entry), t AS (SELECT x.id FROM a CROSS JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.kind = a.entry ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED) x) UPDATE jobs SET state = 'picked' WHERE id = ANY (SELECT id FROM t) RETURNING id, state;
WITH a AS (SELECT name AS entry, n AS remaining FROM kinds)
SELECT a.entry, job.id FROM a CROSS JOIN LATERAL (SELECT locked.id, locked.prio FROM (SELECT c.id FROM jobs c WHERE c.kind = a.entry AND c.state = 'queued' ORDER BY c.prio DESC, c.id LIMIT LEAST(5, a.remaining)) capped CROSS JOIN LATERAL (SELECT target.id, target.prio FROM jobs target WHERE target.id = capped.id AND target.state = 'queued' FOR UPDATE OF target SKIP LOCKED) locked ORDER BY locked.prio DESC, locked.id LIMIT LEAST(5, a.remaining)) job WHERE a.remaining IS NOT NULL AND a.remaining > 1 ORDER BY 1, 2;
UPDATE jobs SET state = 'done' FROM kinds k, LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name AND state = 'picked' ORDER BY id DESC LIMIT 1 FOR UPDATE) x WHERE jobs.id = x.id RETURNING jobs.id, k.name;
PREPARE p (text[], int) AS SELECT a.entry, x.id FROM (SELECT unnest($1) AS entry) a CROSS JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.kind = a.entry ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED) x ORDER BY 1, 2;
EXECUTE p ('{mail,print}', 1); EXECUTE p ('{busy}', 3);
DO $$ DECLARE r record; lim int := 1; BEGIN FOR r IN SELECT k.name, x.id FROM kinds k CROSS JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name ORDER BY j.id LIMIT lim FOR UPDATE SKIP LOCKED) x WHERE k.free ORDER BY 1 LOOP RAISE NOTICE '%', r; END LOOP; END $$;
SELECT k.name, x.id FROM kinds k JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name AND EXISTS (SELECT FROM kinds z WHERE z.name = k.name AND z.n > 1) ORDER BY id LIMIT 1 FOR NO KEY UPDATE OF j NOWAIT) x ON x.id < 10 ORDER BY 1;
SELECT k.name, x.id FROM (SELECT * FROM kinds WHERE n < 3) k, LATERAL (SELECT s.id FROM (SELECT id FROM jobs WHERE kind = k.name) s ORDER BY 1 LIMIT 1 FOR UPDATE) x ORDER BY 1;
SELECT k.name FROM kinds k WHERE k.free AND k.n IN (SELECT j.id FROM jobs j WHERE j.kind = k.name FOR SHARE) ORDER BY 1;
SELECT k.free, count(*), sum((SELECT j.id FROM jobs j WHERE j.kind = k.name ORDER BY j.id LIMIT 1 FOR UPDATE)) FROM kinds k GROUP BY k.free ORDER BY 1;
SELECT k.name, (SELECT count(*) FROM (SELECT j.id FROM jobs j WHERE j.kind = k.name AND j.prio = z.n FOR UPDATE) s) FROM kinds k, (VALUES (0), (1)) z(n) ORDER BY 1, 2;
SELECT k.name, ARRAY(SELECT j.id FROM jobs j WHERE j.kind = k.name ORDER BY id DESC LIMIT 2 FOR UPDATE) FROM kinds k ORDER BY 1;
SELECT k.name, (SELECT id FROM jobs j WHERE j.kind = k.name ORDER BY id LIMIT 1 FOR UPDATE) FROM kinds k ORDER BY 1;
-- what it is asked for: nulls, numbers that are written in several ways, dates, one value for several rows
CREATE TABLE asked (a numeric, d date, b bytea, t text COLLATE "C");
INSERT INTO asked VALUES (1.0, '2020-01-01', 'x', 'a'), (1.00, '2020-01-01', 'x', 'a'), (NULL, NULL, NULL, NULL), (2.5, '2021-01-01', 'y', 'b');
CREATE TABLE held (id int PRIMARY KEY, a numeric(10, 2), d date, b bytea, t text);
INSERT INTO held VALUES (1, 1, '2020-01-01', 'x', 'a'), (2, 2.5, '2021-01-01', 'y', 'b'), (3, NULL, NULL, NULL, NULL);
SELECT q.a, x.* FROM asked q, LATERAL (SELECT id, h.a + q.a AS s, h.d - q.d AS days, h.a, coalesce(q.t, 'none') FROM held h WHERE h.a IS NOT DISTINCT FROM q.a AND h.d IS NOT DISTINCT FROM q.d AND h.b IS NOT DISTINCT FROM q.b FOR UPDATE) x ORDER BY 2, 1;
SELECT q.t, x.* FROM asked q LEFT JOIN LATERAL (SELECT h.* FROM held h WHERE h.t = q.t AND h.b = q.b FOR SHARE SKIP LOCKED) x ON q.a > 0 ORDER BY 1, 2;
-- what is locked is written by the statement
WITH taken AS (SELECT x.id FROM (VALUES ('mail'), ('print')) v(k), LATERAL (SELECT j.id FROM jobs j WHERE j.kind = v.k AND j.state = 'queued' ORDER BY j.id LIMIT 1 FOR UPDATE SKIP LOCKED) x), u AS (UPDATE jobs j SET state = 'picked' FROM taken WHERE j.id = taken.id RETURNING j.id) INSERT INTO held (id, t) SELECT id + 100, 'taken' FROM u RETURNING id;
DELETE FROM jobs USING kinds k, LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name ORDER BY j.id DESC LIMIT 1 FOR UPDATE) x WHERE jobs.id = x.id AND k.free RETURNING jobs.id;
-- in functions
CREATE FUNCTION take(many int) RETURNS SETOF int LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN FOR r IN SELECT k.name, x.id FROM kinds k CROSS JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name AND j.id > many ORDER BY j.id LIMIT many FOR UPDATE SKIP LOCKED) x ORDER BY 2 LOOP RETURN NEXT r.id; END LOOP; END $$;
SELECT * FROM take(1); SELECT * FROM take(2);
-- what may not be locked
SELECT * FROM kinds k, LATERAL (SELECT count(*) FROM jobs j WHERE j.kind = k.name FOR UPDATE) x;
SELECT * FROM kinds k RIGHT JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name FOR UPDATE) x ON true;
SELECT * FROM kinds k, (SELECT j.id FROM jobs j WHERE j.kind = k.name FOR UPDATE) x;
SELECT * FROM kinds k, LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.nothing FOR UPDATE) x;
SELECT * FROM kinds k, LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name LIMIT -k.n FOR UPDATE) x;
DROP FUNCTION take; DROP TABLE asked, held, jobs, kinds;
