-- Triggers fire in PostgreSQL's order, see what they see there, and write what they say.
CREATE TABLE log (id serial, line text);
CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% % % % on % args=% old=% new=% depth=%', TG_NAME, TG_WHEN, TG_LEVEL, TG_OP, TG_TABLE_NAME, TG_ARGV,
    CASE WHEN TG_LEVEL = 'ROW' AND TG_OP <> 'INSERT' THEN OLD::text END,
    CASE WHEN TG_LEVEL = 'ROW' AND TG_OP <> 'DELETE' THEN NEW::text END, pg_trigger_depth();
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
CREATE TABLE t (id int PRIMARY KEY, a int, b text);
CREATE TRIGGER z_before_row BEFORE INSERT OR UPDATE OR DELETE ON t FOR EACH ROW EXECUTE FUNCTION told('x', 1);
CREATE TRIGGER a_before_row BEFORE INSERT OR UPDATE OR DELETE ON t FOR EACH ROW EXECUTE FUNCTION told();
CREATE TRIGGER before_statement BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON t EXECUTE FUNCTION told();
CREATE TRIGGER after_row AFTER INSERT OR UPDATE OR DELETE ON t FOR EACH ROW EXECUTE FUNCTION told();
CREATE TRIGGER after_statement AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON t FOR EACH STATEMENT EXECUTE FUNCTION told();
\d t
INSERT INTO t VALUES (1, 1, 'one');
INSERT INTO t VALUES (2, 2, 'two'), (3, 3, 'three');
INSERT INTO t SELECT i, i, 'gen' FROM generate_series(4, 5) i;
UPDATE t SET a = a + 1 WHERE id = 1;
UPDATE t SET a = a * 10 WHERE id IN (2, 3) RETURNING *;
UPDATE t SET a = 0 WHERE id = 99;
DELETE FROM t WHERE id = 1;
DELETE FROM t WHERE a > 20 RETURNING id;
INSERT INTO t VALUES (2, 7, 'again') ON CONFLICT DO NOTHING;
INSERT INTO t VALUES (2, 7, 'again') ON CONFLICT (id) DO UPDATE SET a = excluded.a + t.a;
MERGE INTO t USING (VALUES (2, 'm'), (9, 'n')) s (id, b) ON t.id = s.id
  WHEN MATCHED THEN UPDATE SET b = s.b WHEN NOT MATCHED THEN INSERT VALUES (s.id, 0, s.b);
COPY t FROM STDIN;
20	20	copied
21	21	copied
\.
TRUNCATE t;
SELECT count(*) FROM t;
DROP TABLE t;

-- A row may be changed, or left alone.
CREATE TABLE items (id int PRIMARY KEY, name text NOT NULL, slug text NOT NULL CHECK (slug <> 'bad'), price numeric(10, 2),
  doubled numeric GENERATED ALWAYS AS (price * 2) STORED, updated_at timestamp);
CREATE FUNCTION prepared() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.name = 'skip' THEN RETURN NULL; END IF;
  IF NEW.slug IS NULL THEN NEW.slug := lower(NEW.name); END IF;
  NEW.price := coalesce(NEW.price, 0) + 1;
  NEW.updated_at := '2024-01-01 00:00:00';
  RETURN NEW;
END $$;
CREATE TRIGGER prepare BEFORE INSERT OR UPDATE ON items FOR EACH ROW EXECUTE FUNCTION prepared();
INSERT INTO items (id, name, price) VALUES (1, 'One', 10), (2, 'skip', 5), (3, 'Three', NULL) RETURNING *;
INSERT INTO items (id, name) VALUES (4, 'Bad');
INSERT INTO items (id, name, price) SELECT 10 + i, CASE WHEN i = 2 THEN 'skip' ELSE 'N' || i END, i FROM generate_series(1, 3) i;
UPDATE items SET price = 100 WHERE id = 1 RETURNING id, price, doubled;
UPDATE items SET name = 'skip' WHERE id = 3;
UPDATE items SET price = price;
SELECT * FROM items ORDER BY id;
COPY items (id, name, price) FROM STDIN;
30	Thirty	30
31	skip	31
32	Thirty-two	\N
\.
SELECT id, name, slug, price, doubled FROM items WHERE id >= 30 ORDER BY id;
INSERT INTO items (id, name) VALUES (1, 'again') ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING id, name, slug, price;
INSERT INTO items (id, name) VALUES (1, 'Bad');
INSERT INTO items (id, name) VALUES (1, 'dup');

-- WHEN, UPDATE OF, names
CREATE TABLE w (id int PRIMARY KEY, a int, b int);
INSERT INTO w VALUES (1, 1, 1), (2, 2, 2);
CREATE TRIGGER only_a AFTER UPDATE OF a ON w FOR EACH ROW EXECUTE FUNCTION told('of a');
CREATE TRIGGER changed AFTER UPDATE ON w FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION told('changed');
CREATE TRIGGER big BEFORE INSERT ON w FOR EACH ROW WHEN (NEW.a > 10) EXECUTE FUNCTION told('big');
CREATE TRIGGER top BEFORE UPDATE ON w FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION told('top');
UPDATE w SET a = a WHERE id = 1;
UPDATE w SET b = b + 1 WHERE id = 1;
UPDATE w SET a = 5;
INSERT INTO w VALUES (3, 3, 3), (4, 40, 4);
\d w
ALTER TABLE w DISABLE TRIGGER only_a;
UPDATE w SET a = 6 WHERE id = 1;
ALTER TABLE w DISABLE TRIGGER ALL;
UPDATE w SET a = 7 WHERE id = 1;
ALTER TABLE w ENABLE TRIGGER USER;
ALTER TABLE w ENABLE REPLICA TRIGGER changed;
UPDATE w SET a = 8 WHERE id = 1;
SET session_replication_role = replica;
UPDATE w SET a = 9 WHERE id = 1;
ALTER TABLE w ENABLE ALWAYS TRIGGER top;
UPDATE w SET a = 10 WHERE id = 1;
RESET session_replication_role;
\d w

-- What AFTER triggers see and write
CREATE TABLE accounts (id int PRIMARY KEY, balance int);
CREATE TABLE audit (n serial, op text, old_row jsonb, new_row jsonb);
CREATE TABLE totals (id int PRIMARY KEY, total bigint);
INSERT INTO totals VALUES (1, 0);
CREATE FUNCTION audited() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO audit (op, old_row) VALUES (TG_OP, to_jsonb(OLD));
    UPDATE totals SET total = total - OLD.balance WHERE id = 1;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO audit (op, old_row, new_row) VALUES (TG_OP, to_jsonb(OLD), to_jsonb(NEW));
    UPDATE totals SET total = total + NEW.balance - OLD.balance WHERE id = 1;
  ELSE
    INSERT INTO audit (op, new_row) VALUES (TG_OP, to_jsonb(NEW));
    UPDATE totals SET total = total + NEW.balance WHERE id = 1;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION audited();
INSERT INTO accounts VALUES (1, 100), (2, 200);
UPDATE accounts SET balance = balance + 5;
DELETE FROM accounts WHERE id = 2;
SELECT op, old_row, new_row FROM audit ORDER BY n;
SELECT * FROM totals;
BEGIN;
UPDATE accounts SET balance = 0 WHERE id = 1;
SELECT count(*) FROM audit;
SAVEPOINT s;
UPDATE accounts SET balance = 1 WHERE id = 1;
ROLLBACK TO s;
COMMIT;
SELECT op, old_row, new_row FROM audit ORDER BY n;
SELECT * FROM totals;

-- Errors
CREATE FUNCTION guarded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.balance < 0 THEN
    RAISE EXCEPTION 'balance of % would be %', NEW.id, NEW.balance USING ERRCODE = 'check_violation', HINT = 'Pay in first.';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION guarded();
\set VERBOSITY verbose
UPDATE accounts SET balance = -1 WHERE id = 1;
\set VERBOSITY default
INSERT INTO accounts VALUES (5, 5), (6, -6);
SELECT * FROM accounts ORDER BY id;
CREATE FUNCTION meddling() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE accounts SET balance = balance + 1 WHERE id = NEW.id;
  RETURN NEW;
END $$;
CREATE TABLE meddled (id int PRIMARY KEY, n int);
INSERT INTO meddled VALUES (1, 0);
CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE meddled SET n = n + 100 WHERE id = OLD.id AND n < 100;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER meddle BEFORE UPDATE OR DELETE ON meddled FOR EACH ROW WHEN (OLD.n < 100 AND pg_trigger_depth() = 0) EXECUTE FUNCTION meddle();
UPDATE meddled SET n = 1 WHERE id = 1;
DELETE FROM meddled WHERE id = 1;
SELECT * FROM meddled;
DROP FUNCTION told();
DROP FUNCTION audited() CASCADE;
DROP TRIGGER guard ON accounts;
DROP TABLE w, items, accounts;
DROP FUNCTION told();
