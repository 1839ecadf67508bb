-- Triggers beside views, roles, domains, sequences, functions, bulk statements and changes of their tables.
CREATE TABLE log (n serial, line text);
CREATE FUNCTION logged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO log (line) VALUES (concat_ws(' ', TG_NAME, TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_NARGS, TG_ARGV[0], TG_RELID::regclass));
  RETURN COALESCE(NEW, OLD);
END $$;
CREATE TABLE base (id serial PRIMARY KEY, v int, kind text);
CREATE TRIGGER l AFTER INSERT OR UPDATE OR DELETE ON base FOR EACH ROW EXECUTE FUNCTION logged('arg');
CREATE VIEW writable AS SELECT id, v FROM base WHERE v >= 0;
INSERT INTO writable (v) VALUES (1), (2);
UPDATE writable SET v = v + 1;
DELETE FROM writable WHERE v = 2;
SELECT line FROM log ORDER BY n;

-- Tables without a key; rows that are there twice
CREATE TABLE bag (a int, b int);
CREATE FUNCTION raise_b() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.b := NEW.b + 100; RETURN NEW; END $$;
CREATE TRIGGER up BEFORE INSERT OR UPDATE ON bag FOR EACH ROW EXECUTE FUNCTION raise_b();
INSERT INTO bag VALUES (1, 1), (1, 1), (2, 2);
UPDATE bag SET a = a + 1;
UPDATE bag SET a = s.a FROM (VALUES (2, 7), (2, 7)) s (b, a) WHERE bag.a = s.b RETURNING bag.*;
SELECT * FROM bag ORDER BY a, b;
DELETE FROM bag WHERE a = 7;
SELECT count(*) FROM bag;

-- A trigger that moves keys, makes others wait, or meets one that is taken
CREATE TABLE keyed (id int PRIMARY KEY, u int UNIQUE, note text);
CREATE FUNCTION move_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.id := NEW.id + 1000;
  NEW.u := NEW.u * 2;
  RETURN NEW;
END $$;
CREATE TRIGGER move BEFORE INSERT OR UPDATE ON keyed FOR EACH ROW EXECUTE FUNCTION move_key();
INSERT INTO keyed VALUES (1, 1, 'a'), (2, 2, 'b');
INSERT INTO keyed VALUES (1, 9, 'c');
INSERT INTO keyed VALUES (3, 1, 'd');
UPDATE keyed SET note = 'moved' WHERE id = 1001 RETURNING *;
UPDATE keyed SET note = 'moved again' WHERE u = 4;
INSERT INTO keyed VALUES (1, 1, 'e') ON CONFLICT (u) DO UPDATE SET note = 'met ' || excluded.u;
SELECT * FROM keyed ORDER BY id;

-- Rows before are seen by the triggers of rows after
CREATE TABLE numbered (n int, of int);
CREATE FUNCTION number_it() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT count(*) + 1 INTO NEW.n FROM numbered WHERE of = NEW.of;
  RETURN NEW;
END $$;
CREATE TRIGGER number_it BEFORE INSERT ON numbered FOR EACH ROW EXECUTE FUNCTION number_it();
INSERT INTO numbered (of) VALUES (1), (2), (1), (1), (2);
INSERT INTO numbered (of) SELECT 1 FROM generate_series(1, 3);
SELECT * FROM numbered ORDER BY of, n;

-- Triggers that fire each other
CREATE TABLE ping (n int);
CREATE TABLE pong (n int);
CREATE FUNCTION serve() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.n > 0 THEN
    EXECUTE format('INSERT INTO %I VALUES ($1)', TG_ARGV[0]) USING NEW.n - 1;
  ELSE
    RAISE NOTICE 'down to zero at depth %', pg_trigger_depth();
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER serve AFTER INSERT ON ping FOR EACH ROW EXECUTE FUNCTION serve('pong');
CREATE TRIGGER serve AFTER INSERT ON pong FOR EACH ROW EXECUTE FUNCTION serve('ping');
INSERT INTO ping VALUES (8);
SELECT (SELECT array_agg(n) FROM ping), (SELECT array_agg(n) FROM pong);
SELECT pg_trigger_depth();

-- A trigger's error is caught by the block around; what it wrote is undone
CREATE FUNCTION picky() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO log (line) VALUES ('picky ' || NEW.v);
  IF NEW.v = 13 THEN RAISE EXCEPTION 'unlucky'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER picky BEFORE INSERT ON base FOR EACH ROW EXECUTE FUNCTION picky();
TRUNCATE log;
DO $$ BEGIN
  INSERT INTO base (v) VALUES (12);
  BEGIN
    INSERT INTO base (v) VALUES (13);
  EXCEPTION WHEN raise_exception THEN
    RAISE NOTICE 'caught: %', SQLERRM;
  END;
  INSERT INTO base (v) VALUES (14);
END $$;
INSERT INTO base (v) SELECT 11 + i FROM generate_series(1, 2) i;
SELECT line FROM log ORDER BY n;

-- Domains and generated columns
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TABLE made (id int PRIMARY KEY, p positive, q int GENERATED ALWAYS AS (p + 1) STORED, UNIQUE (q));
CREATE FUNCTION shows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% % %', TG_WHEN, NEW.p, NEW.q;
  NEW.p := NEW.p + 1;
  RETURN NEW;
END $$;
CREATE TRIGGER s1 BEFORE INSERT OR UPDATE ON made FOR EACH ROW EXECUTE FUNCTION shows();
CREATE TRIGGER s2 AFTER INSERT OR UPDATE ON made FOR EACH ROW EXECUTE FUNCTION shows();
INSERT INTO made (id, p) VALUES (1, 1), (2, 5);
UPDATE made SET p = 10 WHERE id = 1 RETURNING *;
CREATE TRIGGER s3 BEFORE UPDATE ON made FOR EACH ROW WHEN (NEW.q > 1) EXECUTE FUNCTION shows();
CREATE TRIGGER s3 AFTER UPDATE ON made FOR EACH ROW WHEN (NEW.q > 100) EXECUTE FUNCTION shows();
UPDATE made SET p = 50 WHERE id = 1;
UPDATE made SET p = 200 WHERE id = 1;

-- Many rows, and what a statement changed as a whole
CREATE TABLE big (id int PRIMARY KEY, n int);
CREATE TABLE summary (op text, rows bigint, total bigint);
CREATE FUNCTION summed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO summary SELECT TG_OP, count(*), sum(n) FROM was;
  ELSE
    INSERT INTO summary SELECT TG_OP, count(*), sum(n) FROM now_is;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER i AFTER INSERT ON big REFERENCING NEW TABLE AS now_is FOR EACH STATEMENT EXECUTE FUNCTION summed();
CREATE TRIGGER u AFTER UPDATE ON big REFERENCING NEW TABLE AS now_is FOR EACH STATEMENT EXECUTE FUNCTION summed();
CREATE TRIGGER d AFTER DELETE ON big REFERENCING OLD TABLE AS was FOR EACH STATEMENT EXECUTE FUNCTION summed();
INSERT INTO big SELECT i, i FROM generate_series(1, 20000) i;
UPDATE big SET n = n + 1 WHERE id % 2 = 0;
DELETE FROM big WHERE id > 10000;
SELECT * FROM summary;
SELECT count(*), sum(n) FROM big;

-- The table changes, its triggers stay
ALTER TABLE base RENAME COLUMN v TO value;
ALTER TABLE base RENAME TO foundation;
CREATE TRIGGER w AFTER UPDATE OF value ON foundation FOR EACH ROW WHEN (OLD.value <> NEW.value) EXECUTE FUNCTION logged();
ALTER TABLE foundation RENAME COLUMN value TO amount;
ALTER TABLE foundation ADD COLUMN extra int DEFAULT 7;
DROP TRIGGER picky ON foundation;
TRUNCATE log;
UPDATE foundation SET amount = amount + 1 WHERE id = 1;
UPDATE foundation SET extra = 8 WHERE id = 1;
SELECT line FROM log ORDER BY n;
\d foundation
ALTER TABLE foundation DROP COLUMN amount;
ALTER TABLE foundation ALTER COLUMN amount TYPE bigint;
ALTER TABLE foundation DROP COLUMN amount CASCADE;
\d foundation
BEGIN;
DROP TRIGGER l ON foundation;
UPDATE foundation SET extra = 9;
ROLLBACK;
TRUNCATE log;
UPDATE foundation SET extra = 10 WHERE id = 1;
SELECT line FROM log ORDER BY n;
ALTER FUNCTION logged() RENAME TO written_down;
UPDATE foundation SET extra = 11 WHERE id = 1;
SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = 'l';
COMMENT ON TRIGGER l ON foundation IS 'writes a log';
SELECT obj_description(oid, 'pg_trigger') FROM pg_trigger WHERE tgname = 'l';
DROP TABLE foundation CASCADE;
SELECT count(*) FROM pg_trigger WHERE tgname = 'l';
DROP FUNCTION written_down();
