-- NEW.* and OLD.* beside others in an expression of PL/pgSQL, as triggers ask whether a row has changed; and records that have no row yet.
CREATE TABLE kept (id int PRIMARY KEY, v text);
CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.* IS DISTINCT FROM OLD.* THEN RAISE NOTICE 'changed %', NEW.*::text; ELSE RAISE NOTICE 'the same %', md5(ROW(NEW.*)::text); END IF;
  IF ROW(OLD.*) = ROW(NEW.*) THEN RAISE NOTICE 'equal'; END IF;
  RAISE NOTICE '% % %', ROW(NEW.*, 5), to_jsonb(OLD.*), row_to_json(NEW.*);
  RAISE NOTICE '% %', ARRAY[OLD.*, NEW.*], NEW.* IS NOT NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER told BEFORE UPDATE ON kept FOR EACH ROW EXECUTE FUNCTION told();
INSERT INTO kept VALUES (1, 'a'), (2, 'b');
UPDATE kept SET v = 'a';
UPDATE kept SET v = NULL WHERE id = 2;
UPDATE kept SET v = NULL WHERE id = 2;
CREATE FUNCTION audited() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% -> %', OLD.*::text, NEW.*::text; RETURN NULL; END $$;
CREATE TRIGGER audited AFTER INSERT OR DELETE ON kept FOR EACH ROW EXECUTE FUNCTION audited();
INSERT INTO kept VALUES (3, 'c');
DELETE FROM kept WHERE id = 3;
-- an expression is one value
CREATE OR REPLACE FUNCTION audited() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '%', NEW.*; RETURN NULL; END $$;
INSERT INTO kept VALUES (4, 'd');
DROP TRIGGER audited ON kept;
DO $$ DECLARE v text; BEGIN v := (SELECT 1), 2; END $$;
-- parameters and variables of composite types, behind labels too
CREATE FUNCTION shown(r kept) RETURNS text LANGUAGE sql AS 'SELECT ROW(r.*)::text || r.*::text || ROW(shown.r.*, 1)::text';
SELECT shown(ROW(1, 'a')), shown(k) FROM kept k WHERE id = 1;
DO $$ <<b>> DECLARE r kept; q record; BEGIN
  r := ROW(4, 'z');
  SELECT 1 AS a, 'x' AS b INTO q;
  RAISE NOTICE '% % % %', r.*::text, ROW(b.r.*, 1), q.*::text, q.* IS NULL;
END $$;
DO $$ DECLARE x int := 4; BEGIN RAISE NOTICE '%', x.*::text; END $$;
DO $$ BEGIN RAISE NOTICE '%', nobody.*::text; END $$;
-- a record without a row is NULL, but it has no fields
DO $$ DECLARE q record; v text; BEGIN
  IF q IS NULL THEN RAISE NOTICE 'nothing yet'; END IF;
  v := q;
  RAISE NOTICE '% % %', q, v, q IS NOT DISTINCT FROM NULL;
  SELECT row_to_json(q) INTO v;
  RAISE NOTICE '%', v;
  FOR i IN 1 .. 2 LOOP
    RAISE NOTICE '% %', q IS NULL, q;
    SELECT i AS i, 'x' AS x INTO q;
  END LOOP;
  RAISE NOTICE '%', q;
END $$;
DO $$ DECLARE q record; BEGIN RAISE NOTICE '%', q.a; END $$;
-- rows of stars are compared field by field: with a null, they are neither equal nor not
SELECT a.id, b.id, ROW(a.*) = ROW(b.*) AS eq, ROW(a.*) <> ROW(b.*) AS ne, ROW(a.*) < ROW(b.*) AS lt, a.* = b.* AS same,
  ROW(a.*) IS DISTINCT FROM ROW(b.*) AS other, ROW(a.*, 1) = ROW(b.*, 1) AS longer FROM kept a, kept b ORDER BY 1, 2;
SELECT ROW(a.*) = (1, 'a') AS eq FROM kept a ORDER BY id;
SELECT ROW(a.*) = ROW(a.*, 1) AS eq FROM kept a;
SELECT id FROM kept a WHERE ROW(a.*) IS NOT DISTINCT FROM ROW(2, NULL);
DO $$ DECLARE x int; BEGIN x := (SELECT id FROM kept); END $$;
DO $$ BEGIN RAISE NOTICE '%', id FROM kept; END $$;
