-- WHERE CURRENT OF in PL/pgSQL: cursors that are variables, those of FOR loops, and those that others have opened.
\set VERBOSITY verbose
CREATE TABLE t (id int PRIMARY KEY, k text, n int DEFAULT 0);
CREATE TABLE two (a int, b text, v int, PRIMARY KEY (b, a));
CREATE TABLE none (a int);
INSERT INTO t SELECT g, 'k' || g FROM generate_series(1, 6) g;
INSERT INTO two SELECT g, 'b' || g % 2, g FROM generate_series(1, 4) g;
INSERT INTO none VALUES (1);
CREATE FUNCTION looped() RETURNS int LANGUAGE plpgsql AS $$
DECLARE c CURSOR FOR SELECT * FROM t ORDER BY id FOR UPDATE; m int := 0; k text := 'mine';
BEGIN
  FOR r IN c LOOP
    IF r.id % 3 = 0 THEN DELETE FROM t WHERE CURRENT OF c; ELSE UPDATE t SET n = r.id * 10, k = t.k || looped.k WHERE CURRENT OF c; END IF;
    m := m + 1;
  END LOOP;
  RETURN m;
END $$;
SELECT looped();
SELECT * FROM t ORDER BY id;
SELECT looped();
SELECT * FROM t ORDER BY id;
CREATE FUNCTION fetched(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE c CURSOR (q int) FOR SELECT id, k FROM t WHERE id > q ORDER BY id; r record; said text; got int;
BEGIN
  OPEN c (p);
  FETCH c INTO r;
  UPDATE t AS x SET k = 'fetched ' || x.id, n = p WHERE CURRENT OF c RETURNING x.k, n INTO said, got;
  GET DIAGNOSTICS got = ROW_COUNT;
  FETCH c INTO r;
  DELETE FROM t WHERE CURRENT OF c;
  RAISE NOTICE '% % %', said, got, FOUND;
  UPDATE t SET n = -1 WHERE CURRENT OF c;
  RAISE NOTICE 'again %', FOUND;
  CLOSE c;
  RETURN said;
END $$;
SELECT fetched(1);
SELECT fetched(0);
SELECT fetched(100);
SELECT * FROM t ORDER BY id;
INSERT INTO t SELECT g, 'k' || g FROM generate_series(11, 16) g;
-- several columns in the key, two cursors, EXECUTE, scrolling
DO $$ DECLARE c refcursor; d SCROLL CURSOR FOR SELECT * FROM t WHERE id > 10 ORDER BY id; r record; x two; BEGIN
  OPEN c FOR SELECT * FROM two FOR UPDATE;
  OPEN d;
  LOOP
    FETCH c INTO x;
    EXIT WHEN NOT FOUND;
    FETCH RELATIVE 2 FROM d INTO r;
    UPDATE two SET v = v + 100 WHERE CURRENT OF c;
    IF r.id IS NOT NULL THEN UPDATE t SET n = x.a WHERE CURRENT OF d; END IF;
  END LOOP;
  FETCH FIRST FROM d INTO r;
  DELETE FROM t WHERE CURRENT OF d;
  MOVE LAST FROM d;
  DELETE FROM t WHERE CURRENT OF d;
  CLOSE c;
  OPEN c FOR EXECUTE 'SELECT * FROM two WHERE a > $1 FOR UPDATE' USING 3;
  FETCH c INTO x;
  DELETE FROM two WHERE CURRENT OF c;
END $$;
SELECT * FROM two ORDER BY a;
SELECT * FROM t ORDER BY id;
-- what is no row of the table
DO $$ DECLARE c CURSOR FOR SELECT * FROM t ORDER BY id; BEGIN OPEN c; UPDATE t SET n = 1 WHERE CURRENT OF c; END $$;
DO $$ DECLARE c CURSOR FOR SELECT * FROM two; r record; BEGIN OPEN c; FETCH c INTO r; UPDATE t SET n = 1 WHERE CURRENT OF c; END $$;
DO $$ DECLARE c CURSOR FOR SELECT k, count(*) FROM t GROUP BY k; r record; BEGIN OPEN c; FETCH c INTO r; UPDATE t SET n = 1 WHERE CURRENT OF c; END $$;
DO $$ BEGIN UPDATE t SET n = 1 WHERE CURRENT OF nosuch; END $$;
DO $$ DECLARE c int; BEGIN UPDATE t SET n = 1 WHERE CURRENT OF c; END $$;
DO $$ DECLARE c CURSOR FOR SELECT * FROM t WHERE id > 12 ORDER BY id; r record; BEGIN OPEN c; FETCH c INTO r; UPDATE t SET zz = 1 WHERE CURRENT OF c; END $$;
-- one that SQL has declared, and one that a function leaves open
BEGIN;
DECLARE sql_cursor CURSOR FOR SELECT * FROM t ORDER BY id;
FETCH 2 FROM sql_cursor;
DO $$ DECLARE c refcursor := 'sql_cursor'; r record; BEGIN UPDATE t SET k = 'of sql' WHERE CURRENT OF sql_cursor; FETCH c INTO r; UPDATE t SET k = 'by variable' WHERE CURRENT OF c; END $$;
CREATE FUNCTION opened() RETURNS refcursor LANGUAGE plpgsql AS $$ DECLARE c refcursor := 'left_open'; r record; BEGIN OPEN c FOR SELECT * FROM t ORDER BY id DESC; FETCH c INTO r; UPDATE t SET k = 'left' WHERE CURRENT OF c; RETURN c; END $$;
SELECT opened();
FETCH left_open;
UPDATE t SET k = 'outside' WHERE CURRENT OF left_open;
COMMIT;
SELECT * FROM t ORDER BY id;
-- another table of that name between two calls; triggers
CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% %', TG_OP, OLD; RETURN coalesce(NEW, OLD); END $$;
CREATE TRIGGER told BEFORE UPDATE OR DELETE ON t FOR EACH ROW EXECUTE FUNCTION told();
SELECT looped();
ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (id, k);
SELECT looped();
SELECT * FROM t ORDER BY id;
CREATE PROCEDURE emptied() LANGUAGE plpgsql AS $$ DECLARE c CURSOR FOR SELECT * FROM two ORDER BY a FOR UPDATE; BEGIN FOR r IN c LOOP DELETE FROM two WHERE CURRENT OF c; END LOOP; END $$;
CALL emptied();
SELECT count(*) FROM two;
-- of a partitioned table
CREATE TABLE p (id int PRIMARY KEY, k text) PARTITION BY RANGE (id);
CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (1) TO (10);
CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (10) TO (20);
INSERT INTO p SELECT g, 'k' || g FROM generate_series(2, 18, 4) g;
DO $$ DECLARE c CURSOR FOR SELECT * FROM p FOR UPDATE; BEGIN FOR r IN c LOOP IF r.id = 10 THEN DELETE FROM p WHERE CURRENT OF c; ELSE UPDATE p SET k = k || r.id WHERE CURRENT OF c; END IF; END LOOP; END $$;
SELECT tableoid::regclass, * FROM p ORDER BY id;
