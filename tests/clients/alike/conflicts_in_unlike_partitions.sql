-- ON CONFLICT DO UPDATE into partitions whose columns stand in another order, or that have unique indexes of their own over expressions.
\set VERBOSITY verbose
CREATE TABLE job (id int NOT NULL, name text NOT NULL, state text NOT NULL DEFAULT 'new', key text, at int, PRIMARY KEY (name, id)) PARTITION BY LIST (name);
CREATE TABLE ja (LIKE job INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
ALTER TABLE ja ADD PRIMARY KEY (name, id);
CREATE UNIQUE INDEX ja_one ON ja (name, coalesce(key, '')) WHERE state = 'active';
CREATE UNIQUE INDEX ja_abs ON ja (abs(at));
ALTER TABLE job ATTACH PARTITION ja FOR VALUES IN ('a');
CREATE TABLE jb (at int, key text, name text NOT NULL, gone int, state text NOT NULL DEFAULT 'new', id int NOT NULL);
ALTER TABLE jb DROP COLUMN gone;
ALTER TABLE jb ADD PRIMARY KEY (name, id);
ALTER TABLE job ATTACH PARTITION jb FOR VALUES IN ('b');
CREATE TABLE jc PARTITION OF job FOR VALUES IN ('c');
INSERT INTO job SELECT g, n, 'new', n || g, g FROM generate_series(1, 3) g, unnest('{a,b,c}'::text[]) n;
INSERT INTO job VALUES (1, 'a', 'new', 'x', 11) ON CONFLICT (name, id) DO UPDATE SET at = excluded.at, key = job.key || excluded.key RETURNING tableoid::regclass, *;
INSERT INTO job VALUES (1, 'b', 'new', 'x', 11) ON CONFLICT (name, id) DO UPDATE SET at = excluded.at, key = job.key || excluded.key RETURNING tableoid::regclass, *;
INSERT INTO job VALUES (1, 'c', 'new', 'x', 11), (1, 'b', 'new', 'y', 12), (1, 'a', 'new', 'z', 13), (9, 'a', 'new', 'z', 14), (9, 'b', 'old', 'z', 14) ON CONFLICT (name, id) DO UPDATE SET at = excluded.at RETURNING tableoid::regclass, *;
INSERT INTO job VALUES (1, 'a', 'new', 'x', 1), (1, 'b', 'new', 'x', 1) ON CONFLICT (name, id) DO UPDATE SET at = excluded.at WHERE job.id > 1;
INSERT INTO job VALUES (1, 'a', 'new', 'x', 1), (2, 'b', 'new', 'x', 1) ON CONFLICT (name, id) DO UPDATE SET state = 'active' WHERE job.id > excluded.at RETURNING id, name, state;
-- what only the partition asks
INSERT INTO job VALUES (1, 'a') ON CONFLICT (name, id) DO UPDATE SET at = -2;
INSERT INTO job VALUES (1, 'a') ON CONFLICT (name, id) DO UPDATE SET at = -20 RETURNING *;
INSERT INTO job VALUES (20, 'a', 'new', NULL, 20) ON CONFLICT (name, id) DO UPDATE SET at = 3;
INSERT INTO job VALUES (2, 'a') ON CONFLICT (name, id) DO UPDATE SET at = 20;
INSERT INTO job VALUES (2, 'a') ON CONFLICT (name, id) DO UPDATE SET at = NULL, state = 'active', key = NULL RETURNING *;
INSERT INTO job VALUES (3, 'a') ON CONFLICT (name, id) DO UPDATE SET state = 'active', key = '' RETURNING *;
INSERT INTO job VALUES (3, 'a') ON CONFLICT (name, id) DO UPDATE SET state = 'active', key = 'other' RETURNING *;
INSERT INTO job VALUES (2, 'a') ON CONFLICT (name, id) DO UPDATE SET key = 'other';
INSERT INTO job VALUES (2, 'a') ON CONFLICT (name, id) DO UPDATE SET key = 'other', state = 'done' RETURNING *;
INSERT INTO job VALUES (30, 'a', 'active', 'other') ON CONFLICT (name, id) DO UPDATE SET key = 'z';
-- by a query
INSERT INTO job VALUES (1, 'a'), (1, 'b'), (40, 'b') ON CONFLICT (name, id) DO UPDATE SET at = (SELECT max(abs(at)) + 100 FROM job j WHERE j.name = excluded.name) RETURNING tableoid::regclass, *;
INSERT INTO job VALUES (2, 'a'), (2, 'b') ON CONFLICT (name, id) DO UPDATE SET (at, key) = (SELECT 7 + job.id, upper(excluded.name)) WHERE EXISTS (SELECT FROM job j WHERE j.id = job.id + 1) RETURNING *;
INSERT INTO job SELECT id, name, 'sel', key, at + 1000 FROM job WHERE id < 3 ON CONFLICT (name, id) DO UPDATE SET state = excluded.state, at = excluded.at RETURNING id, name, state, at;
INSERT INTO job VALUES (1, 'a'), (1, 'a') ON CONFLICT (name, id) DO UPDATE SET key = 'twice';
INSERT INTO job VALUES (1, 'b') ON CONFLICT (name, id) DO UPDATE SET name = 'a';
INSERT INTO job VALUES (1, 'a') ON CONFLICT (name, id) DO UPDATE SET name = 'b';
INSERT INTO job VALUES (1, 'a') ON CONFLICT (name, id) DO UPDATE SET id = 3;
INSERT INTO job VALUES (1, 'b') ON CONFLICT (name, id) DO UPDATE SET id = 3;
INSERT INTO job VALUES (1, 'b') ON CONFLICT (name, id) DO UPDATE SET id = 50 RETURNING *;
PREPARE put (int, text, int) AS INSERT INTO job (id, name, at) VALUES ($1, $2, $3) ON CONFLICT (name, id) DO UPDATE SET at = $3 + 1 RETURNING tableoid::regclass, id, at;
EXECUTE put (1, 'a', 5000);
EXECUTE put (1, 'a', 6000);
EXECUTE put (1, 'b', 5000);
EXECUTE put (1, 'b', 6000);
EXECUTE put (1, 'c', 6000);
BEGIN;
EXECUTE put (60, 'a', 61);
EXECUTE put (60, 'a', 62);
EXECUTE put (1, 'b', 63);
ROLLBACK;
-- triggers of the partitions, and of some columns
CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% % % old % new %', TG_NAME, TG_WHEN, TG_OP, OLD, NEW; IF TG_WHEN = 'BEFORE' THEN NEW.key := coalesce(NEW.key, '') || '+'; END IF; RETURN NEW; END $$;
CREATE TRIGGER any_row BEFORE INSERT OR UPDATE ON jb FOR EACH ROW EXECUTE FUNCTION told();
CREATE TRIGGER of_at AFTER UPDATE OF at ON ja FOR EACH ROW EXECUTE FUNCTION told();
CREATE TRIGGER of_key AFTER UPDATE OF key ON ja FOR EACH ROW EXECUTE FUNCTION told();
INSERT INTO job VALUES (2, 'b', 'new', 'k', 1), (70, 'b', 'new', 'k', 1) ON CONFLICT (name, id) DO UPDATE SET at = excluded.at RETURNING *;
INSERT INTO job VALUES (2, 'a', 'new', 'k', 71) ON CONFLICT (name, id) DO UPDATE SET at = excluded.at RETURNING *;
INSERT INTO job VALUES (2, 'a', 'new', 'k', 71) ON CONFLICT (name, id) DO UPDATE SET at = (SELECT 72) RETURNING *;
INSERT INTO ja VALUES (2, 'a', 'new', 'k', 71) ON CONFLICT (name, id) DO UPDATE SET at = (SELECT 73) RETURNING *;
INSERT INTO ja VALUES (2, 'a', 'new', 'k', 71) ON CONFLICT (name, id) DO UPDATE SET state = (SELECT 'q') RETURNING *;
-- under policies
CREATE ROLE alike_job_owner;
GRANT ALL ON job TO alike_job_owner;
ALTER TABLE job ENABLE ROW LEVEL SECURITY;
CREATE POLICY low ON job USING (at < 6000);
SET ROLE alike_job_owner;
INSERT INTO job VALUES (2, 'b', 'new', 'k', 1) ON CONFLICT (name, id) DO UPDATE SET at = 9 RETURNING id, at;
INSERT INTO job VALUES (2, 'b', 'new', 'k', 1) ON CONFLICT (name, id) DO UPDATE SET at = 9000;
INSERT INTO job VALUES (2, 'a', 'new', 'k', 1) ON CONFLICT (name, id) DO UPDATE SET at = 91 RETURNING id, at;
INSERT INTO job VALUES (1, 'a', 'new', 'k', 1) ON CONFLICT (name, id) DO UPDATE SET at = 92;
INSERT INTO job VALUES (1, 'a', 'new', 'k', 7000) ON CONFLICT (name, id) DO UPDATE SET at = 92;
RESET ROLE;
SELECT tableoid::regclass, * FROM job ORDER BY name, id;
\d ja
