-- Rows that an UPDATE moves to another partition, under row triggers: those of UPDATE before, of DELETE there and of INSERT here.
CREATE TABLE job (id int, state text, n int DEFAULT 0, changed text) PARTITION BY LIST (state);
CREATE TABLE job_new PARTITION OF job FOR VALUES IN ('new');
CREATE TABLE job_done (n int, changed text, state text, id int);
ALTER TABLE job ATTACH PARTITION job_done FOR VALUES IN ('done', 'ok');
CREATE TABLE job_rest PARTITION OF job DEFAULT PARTITION BY RANGE (abs(n));
CREATE TABLE job_rest_1 PARTITION OF job_rest FOR VALUES FROM (0) TO (10);
CREATE TABLE job_rest_2 PARTITION OF job_rest FOR VALUES FROM (10) TO (20);
CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE NOTICE '% % % on %: % -> %', tg_name, tg_when, tg_op, tg_table_name,
    CASE WHEN tg_op <> 'INSERT' THEN (old.id, old.state, old.n)::text END, CASE WHEN tg_op <> 'DELETE' THEN (new.id, new.state, new.n)::text END;
  IF tg_op = 'DELETE' THEN RETURN old; END IF;
  RETURN new;
END $$;
CREATE TRIGGER a AFTER INSERT OR UPDATE OR DELETE ON job FOR EACH ROW EXECUTE FUNCTION told();
INSERT INTO job (id, state) VALUES (1, 'new'), (2, 'new'), (3, 'done');
-- AFTER triggers alone
UPDATE job SET state = 'done' WHERE id = 1;
UPDATE job SET state = 'ok' WHERE id = 1;
UPDATE job SET state = 'other', n = 12 WHERE id = 1 RETURNING tableoid::regclass, *;
-- BEFORE triggers, which say when
CREATE FUNCTION stamped() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.changed := coalesce(new.changed, '') || tg_op || ' '; RETURN new; END $$;
CREATE TRIGGER s BEFORE INSERT OR UPDATE ON job FOR EACH ROW EXECUTE FUNCTION stamped();
CREATE TRIGGER b BEFORE INSERT OR UPDATE OR DELETE ON job FOR EACH ROW EXECUTE FUNCTION told();
UPDATE job SET state = 'new' WHERE id = 1 RETURNING tableoid::regclass, *;
UPDATE job SET state = 'new' WHERE id = 2 RETURNING tableoid::regclass, *;
UPDATE job SET state = 'done' WHERE id = 2 RETURNING tableoid::regclass, *;
UPDATE job SET n = 5 WHERE id = 2 RETURNING tableoid::regclass, *;
UPDATE job SET state = 'x', n = -11 WHERE id = 3;
UPDATE job SET n = 3 WHERE id = 3 RETURNING tableoid::regclass, *;
UPDATE job SET n = 33 WHERE id = 3;
UPDATE job_rest SET n = 13 WHERE id = 3;
UPDATE job_rest SET state = 'new' WHERE id = 3;
UPDATE job_rest_2 SET n = 3 WHERE id = 3;
SELECT tableoid::regclass, * FROM job ORDER BY id;
MERGE INTO job USING (VALUES (3, 'new')) v (k, s) ON id = k WHEN MATCHED THEN UPDATE SET state = s;
MERGE INTO job USING (VALUES (3, 'zzz')) v (k, s) ON id = k WHEN MATCHED THEN UPDATE SET state = s, n = 1;
UPDATE job SET state = v.s FROM (VALUES (3, 'new', 'why')) v (k, s, w) WHERE id = k RETURNING tableoid::regclass, job.*, w;
PREPARE put AS UPDATE job SET state = $1 WHERE id = $2;
EXECUTE put ('ok', 3);
EXECUTE put ('new', 3);
WITH done AS (UPDATE job SET state = 'done' WHERE id = 3 RETURNING *) SELECT id, state, changed FROM done;
SELECT tableoid::regclass, * FROM job ORDER BY id;
DROP TRIGGER b ON job;
DROP TRIGGER a ON job;
-- what the trigger leaves decides
CREATE FUNCTION pinned() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF new.n = 1 THEN new.state := old.state; ELSIF new.n = 2 THEN RETURN NULL; ELSIF new.n = 3 THEN new.state := 'new'; END IF;
  RETURN new;
END $$;
CREATE TRIGGER p BEFORE UPDATE ON job FOR EACH ROW EXECUTE FUNCTION pinned();
UPDATE job SET state = 'new', n = 1 WHERE id = 3 RETURNING tableoid::regclass, *;
UPDATE job SET state = 'new', n = 2 WHERE id = 3 RETURNING tableoid::regclass, *;
UPDATE job SET state = 'ok', n = 3 WHERE id = 3 RETURNING tableoid::regclass, *;
UPDATE job SET state = 'ok', n = 3 RETURNING tableoid::regclass, *;
CREATE FUNCTION kept() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'kept %', old.id; RETURN NULL; END $$;
CREATE TRIGGER k BEFORE DELETE ON job_new FOR EACH ROW WHEN (old.id = 2) EXECUTE FUNCTION kept();
UPDATE job SET state = 'ok', n = 9 RETURNING tableoid::regclass, *;
UPDATE job SET state = 'q' RETURNING tableoid::regclass, *;
SELECT tableoid::regclass, * FROM job ORDER BY id;
DROP TRIGGER k ON job_new;
-- statement triggers and transition tables
CREATE FUNCTION seen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE NOTICE '% on %: % -> %', tg_op, tg_table_name, (SELECT string_agg((id, state, n)::text, ' ' ORDER BY id) FROM o), (SELECT string_agg((id, state, n)::text, ' ' ORDER BY id) FROM w);
  RETURN NULL;
END $$;
CREATE TRIGGER seen AFTER UPDATE ON job REFERENCING OLD TABLE AS o NEW TABLE AS w FOR EACH STATEMENT EXECUTE FUNCTION seen();
UPDATE job SET state = 'new', n = 14;
UPDATE job SET state = 'done', n = 15 WHERE id > 1;
-- disabled, and of some columns or rows
ALTER TABLE job DISABLE TRIGGER s;
ALTER TABLE job DISABLE TRIGGER p;
UPDATE job SET state = 'new' WHERE id = 3 RETURNING *;
ALTER TABLE job ENABLE TRIGGER p;
UPDATE job SET state = 'ok', n = 1 WHERE id = 3 RETURNING *;
DROP TRIGGER p ON job;
CREATE TRIGGER p BEFORE UPDATE OF n ON job FOR EACH ROW WHEN (new.n < 5) EXECUTE FUNCTION pinned();
UPDATE job SET state = 'ok' WHERE id = 3 RETURNING *;
UPDATE job SET state = 'new', n = 1 WHERE id = 3 RETURNING *;
UPDATE job SET state = 'new', n = 7 WHERE id = 3 RETURNING *;
-- keys that refer to what moves, and a row that may not be there
CREATE TABLE owner (id int, kind text, note text, PRIMARY KEY (id, kind)) PARTITION BY LIST (kind);
CREATE TABLE owner_a PARTITION OF owner FOR VALUES IN ('a');
CREATE TABLE owner_b PARTITION OF owner FOR VALUES IN ('b');
CREATE TABLE thing (id int, owner_id int, owner_kind text, FOREIGN KEY (owner_id, owner_kind) REFERENCES owner ON UPDATE CASCADE);
CREATE TRIGGER s BEFORE UPDATE ON owner FOR EACH ROW EXECUTE FUNCTION told_of_owner();
CREATE FUNCTION told_of_owner() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.note := 'was ' || old.kind; RETURN new; END $$;
CREATE TRIGGER s BEFORE UPDATE ON owner FOR EACH ROW EXECUTE FUNCTION told_of_owner();
INSERT INTO owner VALUES (1, 'a'), (2, 'a'), (1, 'b');
INSERT INTO thing VALUES (10, 2, 'a');
UPDATE owner SET kind = 'b' WHERE id = 2 RETURNING *;
SELECT * FROM thing;
UPDATE owner SET kind = 'b' WHERE id = 1;
UPDATE owner SET kind = 'c' WHERE id = 2;
BEGIN;
UPDATE owner SET kind = 'a' WHERE id = 2;
SELECT * FROM thing;
ROLLBACK;
SELECT tableoid::regclass, * FROM owner ORDER BY id, kind;
SELECT * FROM thing;
