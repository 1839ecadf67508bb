-- What trigger functions see of rows of tables that have unique indexes over expressions and over some rows: the columns, and nothing else.
CREATE TABLE t (id int PRIMARY KEY, k text, doubled int GENERATED ALWAYS AS (id * 2) STORED);
CREATE UNIQUE INDEX ON t (lower(k));
CREATE UNIQUE INDEX ON t (k) WHERE id > 5;
ALTER TABLE t ADD COLUMN more int DEFAULT 7;
CREATE TABLE log (op text, what jsonb, r text, n int, t t);
CREATE FUNCTION audited() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE x t; y record; z record; BEGIN
  IF TG_OP = 'DELETE' THEN z := OLD; ELSE z := NEW; END IF;
  x := z; y := z;
  RAISE NOTICE '% % % % % %', TG_WHEN, TG_OP, z, x, y, to_jsonb(z);
  INSERT INTO log SELECT TG_OP, to_jsonb(z), z::text, count(*), x FROM jsonb_object_keys(to_jsonb(z));
  IF TG_WHEN = 'AFTER' THEN RETURN NULL; END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  IF NEW.k = 'skip' THEN RETURN NULL; END IF;
  IF NEW.k = 'old' THEN RETURN OLD; END IF;
  IF NEW.k = 'other' THEN x := NEW; x.k := 'Made'; RETURN x; END IF;
  IF NEW.k = 'more' THEN NEW.more := NEW.more + 1; NEW.k := 'more' || NEW.id; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER before BEFORE INSERT OR UPDATE OR DELETE ON t FOR EACH ROW EXECUTE FUNCTION audited();
INSERT INTO t VALUES (1, 'A');
INSERT INTO t VALUES (2, 'a');
INSERT INTO t VALUES (2, 'skip');
INSERT INTO t VALUES (2, 'other') RETURNING *;
INSERT INTO t VALUES (3, 'MADE');
INSERT INTO t VALUES (3, 'other');
INSERT INTO t VALUES (3, 'more'), (4, 'more') RETURNING *;
INSERT INTO t SELECT 5, 'MORE3';
UPDATE t SET k = 'old' WHERE id = 1 RETURNING *;
UPDATE t SET k = 'other' WHERE id = 1 RETURNING *;
UPDATE t SET k = 'other' WHERE id = 2 RETURNING *;
UPDATE t SET k = k || '!' WHERE id = 2 RETURNING *;
INSERT INTO t VALUES (1, 'B') ON CONFLICT (id) DO UPDATE SET k = 'more', more = 20 RETURNING *;
COPY t (id, k) FROM STDIN;
6	six
7	other
\.
MERGE INTO t USING (VALUES (6, 'SEVEN'), (8, 'eight')) v(id, k) ON t.id = v.id WHEN MATCHED THEN UPDATE SET k = v.k WHEN NOT MATCHED THEN INSERT (id, k) VALUES (v.id, v.k);
CREATE TRIGGER behind AFTER INSERT OR UPDATE OR DELETE ON t FOR EACH ROW EXECUTE FUNCTION audited();
UPDATE t SET k = 'seven' WHERE id = 8;
UPDATE t SET id = id + 20 WHERE id = 8;
DELETE FROM t WHERE id = 28;
DELETE FROM t WHERE id = 2 AND k LIKE '%e%' RETURNING *;
CREATE FUNCTION several() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '%', (SELECT jsonb_agg(to_jsonb(n) ORDER BY n.id) FROM now_there n); RETURN NULL; END $$;
CREATE TRIGGER several AFTER UPDATE ON t REFERENCING NEW TABLE AS now_there FOR EACH STATEMENT EXECUTE FUNCTION several();
UPDATE t SET more = 1;
DO $$ DECLARE x t; BEGIN SELECT * INTO x FROM t ORDER BY id LIMIT 1; RAISE NOTICE '% %', x, to_jsonb(x); FOR x IN SELECT * FROM t ORDER BY id LOOP RAISE NOTICE '%', x; END LOOP; END $$;
SELECT * FROM log ORDER BY op, r;
SELECT * FROM t ORDER BY id;
