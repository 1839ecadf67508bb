-- A STABLE function sees what its statement saw when it began, whoever has written since; a VOLATILE one sees all of it.
CREATE TABLE t (a int);
CREATE TABLE kept (id int PRIMARY KEY, n int);
CREATE FUNCTION before_in_sql() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM t';
CREATE FUNCTION before() RETURNS bigint LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN (SELECT count(*) FROM t); END $$;
CREATE FUNCTION public.present() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN (SELECT count(*) FROM t); END $$;
CREATE FUNCTION before_of(i int) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN (SELECT n FROM kept WHERE id = i); END $$;
CREATE FUNCTION present_of(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT n FROM kept WHERE id = i); END $$;
CREATE FUNCTION added(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO t VALUES (i); RETURN i; END $$;
CREATE FUNCTION before_by_present() RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN before() || ' then ' || present(); END $$;
CREATE FUNCTION present_by_before() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN present() || ' and ' || before(); END $$;

-- RETURNING
INSERT INTO t VALUES (1), (2) RETURNING a, before_in_sql(), before(), present();
INSERT INTO t SELECT present() FROM generate_series(1, 3) RETURNING a, before_in_sql(), before(), present();
UPDATE t SET a = a + 10 RETURNING a, before(), (SELECT max(a) FROM t), (SELECT count(*) FROM t);
DELETE FROM t WHERE a > 12 RETURNING a, before_in_sql(), before(), present();
INSERT INTO kept VALUES (1, 10), (2, 20) RETURNING *, before_of(1), present_of(1);
UPDATE kept SET n = n + 1 RETURNING *, before_of(id), present_of(id);
UPDATE kept SET n = n + 1 WHERE id = 2 RETURNING *, before_of(id), present_of(id);
DELETE FROM kept WHERE id = 2 RETURNING *, before_of(2), present_of(2);
INSERT INTO kept VALUES (1, 5) ON CONFLICT (id) DO UPDATE SET n = excluded.n RETURNING *, before_of(1), present_of(1);

-- functions that write, beside others, and inside of them
SELECT added(20), before(), present();
SELECT before(), added(21), before(), present();
SELECT added(i), before() FROM generate_series(30, 32) AS i;
INSERT INTO t VALUES (40) RETURNING before_by_present(), present_by_before();
SELECT * FROM added(41), before();

-- WITH
WITH x AS (INSERT INTO t VALUES (50) RETURNING a) SELECT before_in_sql(), before(), present(), (SELECT count(*) FROM t), a FROM x;
WITH x AS (INSERT INTO t VALUES (51) RETURNING a) SELECT before_in_sql(), before(), present();
WITH x AS (INSERT INTO t VALUES (52)) INSERT INTO t SELECT before_in_sql() RETURNING *, before();
WITH x AS (INSERT INTO t VALUES (53) RETURNING a), y AS (INSERT INTO t SELECT before() RETURNING a, present(), before_in_sql()) SELECT * FROM x, y;

-- in a block that has written before
BEGIN;
DELETE FROM t WHERE a > 11;
INSERT INTO kept VALUES (7, 70);
INSERT INTO t VALUES (60) RETURNING before(), present();
UPDATE kept SET n = 71 WHERE id = 7 RETURNING before_of(7), present_of(7);
INSERT INTO t SELECT i FROM generate_series(1, 3000) AS i;
INSERT INTO t VALUES (61) RETURNING before(), present();
SAVEPOINT s;
DELETE FROM t WHERE a < 100 RETURNING a < 0, before() - present() > 0 LIMIT 1;
ROLLBACK TO s;
WITH gone AS (DELETE FROM t WHERE a < 3 RETURNING a) SELECT count(*), min(before()), min(present()) FROM gone;
SELECT before(), present();
CREATE TABLE made (a int);
CREATE FUNCTION before_of_made() RETURNS bigint LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN (SELECT count(*) FROM made); END $$;
INSERT INTO made VALUES (1), (2) RETURNING a, before_of_made();
INSERT INTO made VALUES (3) RETURNING a, before_of_made();
COMMIT;
SELECT before(), present();

-- triggers see the present
CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% of %', present(), before(); RETURN new; END $$;
CREATE TRIGGER told AFTER INSERT ON kept FOR EACH ROW EXECUTE FUNCTION told();
CREATE FUNCTION into_kept(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO t VALUES (i); INSERT INTO kept VALUES (i, i); RETURN i; END $$;
SELECT into_kept(100), before() - present(), into_kept(101), before() - present();

-- an error in one leaves nothing behind
CREATE FUNCTION before_failing() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN 1 / (SELECT count(*) - count(*) FROM t); END $$;
BEGIN;
INSERT INTO t VALUES (200);
SAVEPOINT s;
INSERT INTO t VALUES (201) RETURNING before_failing();
ROLLBACK TO s;
INSERT INTO t VALUES (202) RETURNING before() - present();
COMMIT;
SELECT a FROM t WHERE a >= 200 ORDER BY a;
