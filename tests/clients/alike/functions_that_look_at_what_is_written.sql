-- A volatile function sees what its statement has written so far; a stable one, and the statement itself, do not.
CREATE TABLE t (id int PRIMARY KEY, n int);
CREATE FUNCTION counted() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM t); END $$;
CREATE FUNCTION counted_in_sql() RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT count(*)::int FROM t $$;
CREATE FUNCTION counted_before() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN (SELECT count(*) FROM t); END $$;
CREATE FUNCTION by_another() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN counted() * 10; END $$;
CREATE FUNCTION by_a_text() RETURNS int LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN EXECUTE 'SELECT count(*) FROM t' INTO n; RETURN n; END $$;
CREATE VIEW seen AS SELECT id FROM t;
CREATE FUNCTION by_a_view() RETURNS int LANGUAGE sql AS $$ SELECT count(*)::int FROM seen $$;

INSERT INTO t SELECT i, counted() FROM generate_series(1, 3) AS i RETURNING *;
INSERT INTO t VALUES (10, counted()), (11, counted()), (12, (SELECT count(*) FROM t)), (13, counted()) RETURNING *;
INSERT INTO t SELECT i, counted_in_sql() FROM generate_series(21, 23) AS i RETURNING *, counted();
INSERT INTO t SELECT i, counted_before() FROM generate_series(31, 33) AS i RETURNING *;
INSERT INTO t SELECT i, counted() - counted_before() FROM generate_series(34, 36) AS i RETURNING *;
INSERT INTO t SELECT i, by_another() FROM generate_series(41, 42) AS i RETURNING *;
INSERT INTO t SELECT i, by_a_text() FROM generate_series(43, 44) AS i RETURNING *;
INSERT INTO t SELECT i, by_a_view() FROM generate_series(45, 46) AS i RETURNING *;
INSERT INTO t SELECT i, (SELECT count(*) FROM t) + counted() FROM generate_series(51, 52) AS i RETURNING *;
INSERT INTO t SELECT i, counted() FROM generate_series(56, 53, -1) AS i ORDER BY i LIMIT 3 RETURNING *;
INSERT INTO t SELECT max(i), counted() FROM generate_series(61, 66) AS i GROUP BY i % 2 ORDER BY 1 RETURNING *;
INSERT INTO t SELECT i, rank() OVER (ORDER BY i) + counted() FROM generate_series(71, 72) AS i ORDER BY i RETURNING *;
INSERT INTO t SELECT DISTINCT 80, counted() FROM generate_series(1, 2) RETURNING *;
INSERT INTO t SELECT i, CASE WHEN i > 91 THEN counted() END FROM generate_series(91, 92) AS i RETURNING *;
DELETE FROM t WHERE id > 3;

-- conditions
INSERT INTO t SELECT i FROM generate_series(4, 9) AS i WHERE counted() < 5 RETURNING id;
INSERT INTO t SELECT i FROM generate_series(6, 9) AS i WHERE counted() < 5 RETURNING id;
DELETE FROM t WHERE counted() > 4 AND id > 2 RETURNING id, counted();
DELETE FROM t WHERE counted() > 400;
DELETE FROM t WHERE counted() > 400 RETURNING id, counted();
UPDATE t SET n = counted() WHERE counted() > 400 RETURNING *;

-- what is there is changed
TRUNCATE t;
INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);
CREATE FUNCTION summed() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT sum(n) FROM t); END $$;
UPDATE t SET n = summed() RETURNING *, summed();
UPDATE t SET n = n + 1 RETURNING *, summed();
UPDATE t SET n = summed() + v.a FROM (VALUES (1, 5), (2, 6)) AS v (id, a) WHERE v.id = t.id AND summed() > 0 RETURNING t.*, v.a, summed();
DELETE FROM t RETURNING id, counted();
INSERT INTO t VALUES (1, 0), (2, 0), (1, 0) ON CONFLICT (id) DO UPDATE SET n = counted() RETURNING *;
INSERT INTO t VALUES (1, 0), (2, 0);
INSERT INTO t VALUES (3, 0), (1, 0), (4, 0), (2, 0) ON CONFLICT (id) DO UPDATE SET n = counted() RETURNING *, counted();
INSERT INTO t VALUES (1, 0), (5, 0), (6, 0) ON CONFLICT DO NOTHING RETURNING *, counted();
WITH w AS (INSERT INTO t VALUES (101, counted()), (102, counted()) RETURNING *, counted() AS c) SELECT * FROM w;
WITH d AS (DELETE FROM t WHERE id = 102 RETURNING id) UPDATE t SET n = n + (SELECT count(*) FROM d) WHERE id IN (1, 101)
  RETURNING id, n, (SELECT count(*) FROM t);

-- numbers and codes that a DEFAULT looks for
CREATE TABLE codes (k int GENERATED ALWAYS AS IDENTITY, v text, twice text GENERATED ALWAYS AS (v || v) STORED);
CREATE FUNCTION code() RETURNS text LANGUAGE plpgsql AS $$
DECLARE c int := 0;
BEGIN
  WHILE EXISTS (SELECT FROM codes WHERE v = 'c' || c) LOOP c := c + 1; END LOOP;
  RETURN 'c' || c;
END $$;
ALTER TABLE codes ALTER v SET DEFAULT code(), ADD UNIQUE (v);
INSERT INTO codes DEFAULT VALUES;
INSERT INTO codes (v) VALUES (default), (default), ('x'), (default) RETURNING *;
INSERT INTO codes (v) SELECT code() FROM generate_series(1, 3) RETURNING *;
INSERT INTO codes (v) SELECT code() || '-' || i FROM generate_series(1, 3) AS i ORDER BY i DESC LIMIT 2 RETURNING *;
PREPARE several (int) AS INSERT INTO codes (v) SELECT code() || $1 FROM generate_series(1, 1) RETURNING v;
EXECUTE several (2);
EXECUTE several (3);
DO $$ BEGIN INSERT INTO codes (v) SELECT code() FROM generate_series(1, 2); END $$;
SELECT count(*), count(DISTINCT v) FROM codes;
BEGIN;
SAVEPOINT a;
INSERT INTO codes (v) SELECT code() FROM generate_series(1, 2) RETURNING v;
ROLLBACK TO a;
INSERT INTO codes (v) SELECT code() FROM generate_series(1, 2) RETURNING v;
COMMIT;

-- partitions, keys that refer to the same table, statement triggers, views
CREATE TABLE part (id int, k int) PARTITION BY list (k);
CREATE TABLE part1 PARTITION OF part FOR VALUES IN (1);
CREATE TABLE part2 PARTITION OF part FOR VALUES IN (2);
CREATE FUNCTION parts() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM part); END $$;
INSERT INTO part SELECT parts(), 1 + i % 2 FROM generate_series(1, 4) AS i RETURNING *, tableoid::regclass;
UPDATE part SET id = parts() + id, k = 3 - k WHERE id < 3;
SELECT *, tableoid::regclass FROM part ORDER BY id;
DELETE FROM part WHERE parts() > 2 RETURNING 1;
CREATE TABLE self (id int PRIMARY KEY, up int REFERENCES self);
CREATE FUNCTION selves() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM self); END $$;
INSERT INTO self VALUES (selves(), 1), (selves(), NULL);
SELECT * FROM self ORDER BY id;
INSERT INTO self SELECT selves(), selves() + 1 FROM generate_series(1, 2);
CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% % %', tg_when, tg_op, tg_level; RETURN coalesce(new, old); END $$;
CREATE TRIGGER a BEFORE INSERT OR UPDATE OR DELETE ON self FOR EACH STATEMENT EXECUTE FUNCTION told();
CREATE TRIGGER b AFTER INSERT OR UPDATE OR DELETE ON self FOR EACH STATEMENT EXECUTE FUNCTION told();
CREATE TRIGGER c AFTER INSERT OR UPDATE OR DELETE ON self FOR EACH ROW EXECUTE FUNCTION told();
DELETE FROM self WHERE selves() > 100;
INSERT INTO self SELECT 10 + selves(), NULL FROM generate_series(1, 2) RETURNING *;
UPDATE self SET up = 1 WHERE selves() > 0;
CREATE VIEW shown AS SELECT id, up FROM self WHERE id > 0 WITH CHECK OPTION;
INSERT INTO shown SELECT selves() + 20, NULL FROM generate_series(1, 2);

-- a function that raises in the middle leaves nothing
CREATE TABLE u (a int, b int);
CREATE FUNCTION refuses() RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF (SELECT count(*) FROM u) > 5 THEN RAISE 'too many'; END IF; RETURN 1; END $$;
INSERT INTO u SELECT refuses(), i FROM generate_series(1, 100) AS i;
SELECT count(*) FROM u;
CREATE FUNCTION inserts(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO u VALUES (i, i); RETURN (SELECT count(*) FROM u); END $$;
INSERT INTO u SELECT inserts(i), i FROM generate_series(1, 3) AS i RETURNING *;
SELECT * FROM u ORDER BY 1, 2;
INSERT INTO u SELECT inserts(i), i / (i - 2) FROM generate_series(1, 3) AS i;
SELECT count(*) FROM u;
