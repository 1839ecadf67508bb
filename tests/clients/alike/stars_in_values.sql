-- VALUES (NEW.*), as triggers that deal out rows or keep an audit say it, and other stars in rows of VALUES.
CREATE TABLE p (id int PRIMARY KEY, v text);
CREATE TABLE c (CHECK (id >= 0)) INHERITS (p);
CREATE TABLE audit (op text, id int, v text);
CREATE FUNCTION dealt() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO c VALUES (NEW.*); RETURN NULL; END $$;
CREATE TRIGGER deal BEFORE INSERT ON p FOR EACH ROW EXECUTE PROCEDURE dealt();
INSERT INTO p VALUES (1, 'a'), (2, 'b');
INSERT INTO p (v, id) VALUES ('c', 3) RETURNING id;
SELECT tableoid::regclass, * FROM p ORDER BY id;
CREATE FUNCTION audited() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO audit VALUES ('gone', (OLD).*);
    RETURN OLD;
  END IF;
  INSERT INTO audit VALUES ('was', OLD.*), ('is', NEW.*);
  INSERT INTO audit (v, op, id) VALUES (NEW.v, NEW.*);
  RETURN NULL;
END $$;
CREATE TRIGGER audit AFTER UPDATE OR DELETE ON c FOR EACH ROW EXECUTE FUNCTION audited();
UPDATE c SET v = 'z' WHERE id = 1;
DELETE FROM c WHERE id = 2;
CREATE OR REPLACE FUNCTION audited() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit VALUES ('was', OLD.*), ('is', NEW.*);
  RETURN NULL;
END $$;
UPDATE c SET v = 'z' WHERE id = 1;
UPDATE c SET v = v || id WHERE id IN (1, 3);
SELECT * FROM audit ORDER BY op, id, v;
-- rows of a type that is known, and of relations around
CREATE FUNCTION kept(r p) RETURNS void LANGUAGE plpgsql AS $$
DECLARE other p;
BEGIN
  other := r;
  INSERT INTO audit VALUES ('kept', r.*), ('other', other.*) ON CONFLICT DO NOTHING;
END $$;
SELECT kept(ROW(7, 'seven')::p);
SELECT * FROM audit WHERE id = 7 ORDER BY op;
SELECT s.* FROM p, LATERAL (VALUES (p.*), (0, 'nobody')) s (a, b) WHERE id = 3 ORDER BY 1;
-- what is not there, or too much
CREATE OR REPLACE FUNCTION dealt() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO c VALUES (NEW.*, 1); RETURN NULL; END $$;
INSERT INTO p VALUES (4, 'd');
CREATE OR REPLACE FUNCTION dealt() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO c VALUES (newer.*); RETURN NULL; END $$;
INSERT INTO p VALUES (4, 'd');
