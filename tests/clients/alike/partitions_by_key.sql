-- One leaf answers for the table where the statement says which: by constants, by parameters, by what a row computes.
SET client_min_messages = warning;
CREATE TABLE region (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO region VALUES (1, 'north'), (2, 'south');
CREATE TABLE orders (id bigserial, tenant int NOT NULL, region int REFERENCES region, note varchar(8), total numeric(9,2) CHECK (total >= 0),
  PRIMARY KEY (tenant, id)) PARTITION BY LIST (tenant);
CREATE TABLE orders_1 PARTITION OF orders FOR VALUES IN (1, 2);
CREATE TABLE orders_3 PARTITION OF orders FOR VALUES IN (3) PARTITION BY HASH (id);
CREATE TABLE orders_30 PARTITION OF orders_3 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE orders_31 PARTITION OF orders_3 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE orders_x (total numeric(9,2) CHECK (total >= 0), note varchar(8), region int, id bigint NOT NULL, tenant int NOT NULL);
ALTER TABLE orders ATTACH PARTITION orders_x FOR VALUES IN (9);
CREATE INDEX ON orders (region);
CREATE TABLE lines (tenant int, order_id bigint, n int, what text, PRIMARY KEY (tenant, order_id, n)) PARTITION BY LIST (tenant);
CREATE TABLE lines_1 PARTITION OF lines FOR VALUES IN (1, 2);
CREATE TABLE lines_3 PARTITION OF lines FOR VALUES IN (3);

INSERT INTO orders (tenant, region, note, total) VALUES (1, 1, 'a', 1) RETURNING tableoid::regclass, *;
INSERT INTO orders (tenant, region, note, total) VALUES (3, 1, 'b', 2) RETURNING *;
INSERT INTO orders (tenant, region, note, total) VALUES (3, 2, 'c', 3), (3, 2, 'd', 4) RETURNING *;
INSERT INTO orders (id, tenant, region, note, total) VALUES (5, 9, 2, 'e', 5), (6, 1, NULL, 'f', 6) RETURNING *;
SELECT setval('orders_id_seq', 6);
PREPARE ins (int, int, text, numeric) AS INSERT INTO orders (tenant, region, note, total) VALUES ($1, $2, $3, $4) RETURNING id, note, total;
EXECUTE ins (3, 1, 'g', 7.001);
EXECUTE ins (1, 1, 'h', 8);
EXECUTE ins (2, 1, 'i       ', 9);
EXECUTE ins (1, 7, 'k', 11);
EXECUTE ins (3, 7, 'k', 11);
EXECUTE ins (1, 1, 'too long a note', 12);
EXECUTE ins (3, 1, 'n', -1);
INSERT INTO orders (id, tenant, region, note, total) VALUES (20, 4, 1, 'nobody', 1);
INSERT INTO orders (id, tenant, region, note, total) VALUES (20, NULL, 1, 'nobody', 1);
INSERT INTO orders (id, tenant, region, note, total) VALUES (1, 1, 1, 'again', 1);
INSERT INTO orders (id, tenant, region, note, total) VALUES (3, 3, 1, 'again', 1);
SELECT tableoid::regclass, * FROM orders ORDER BY id;

PREPARE one (int, bigint) AS SELECT note, total FROM orders WHERE tenant = $1 AND id = $2;
EXECUTE one (1, 1);
EXECUTE one (3, 2);
EXECUTE one (9, 5);
EXECUTE one (1, 2);
EXECUTE one (4, 2);
EXECUTE one (NULL, 2);
SELECT note FROM orders WHERE tenant = 3 AND id = 3;
SELECT note FROM orders WHERE id = 3 AND tenant = 3 AND total > 3;
SELECT note, tableoid::regclass FROM orders WHERE id = 3 AND tenant = 3;
SELECT note FROM ONLY orders WHERE id = 3 AND tenant = 3;
SELECT note FROM orders WHERE tenant = 1 ORDER BY id LIMIT 2;
SELECT note FROM orders WHERE tenant = 3 ORDER BY id DESC LIMIT 2;
SELECT note FROM orders WHERE tenant = 1 AND region = 1 ORDER BY id;
SELECT region, count(*), sum(total) FROM orders WHERE tenant = 1 GROUP BY region ORDER BY region;
SELECT count(*) FROM orders WHERE tenant = 2 AND id > 3;
SELECT note FROM orders WHERE tenant = 1 AND id IN (1, 6) ORDER BY id;
SELECT note FROM orders WHERE tenant = 1 AND id = ANY ('{1,6,8}') ORDER BY note DESC;
SELECT note FROM orders WHERE tenant IN (1, 2) AND id = 1;
SELECT o.note, (SELECT name FROM region r WHERE r.id = o.region) FROM orders o WHERE tenant = 1 AND id = 1;
SELECT note FROM orders WHERE tenant = 1 AND id = 1 UNION ALL SELECT note FROM orders WHERE tenant = 3 AND id = 2;
WITH w AS (SELECT * FROM orders WHERE tenant = 3 AND id = 2) SELECT note FROM w;
SELECT s.note FROM (SELECT * FROM orders WHERE tenant = 1 AND id = 1) s;
SELECT name FROM region WHERE id = (SELECT region FROM orders WHERE tenant = 1 AND id = 1);
SELECT name FROM region r WHERE EXISTS (SELECT 1 FROM orders o WHERE o.region = r.id AND o.tenant = 1) ORDER BY 1;

INSERT INTO lines VALUES (1, 1, 1, 'nail'), (1, 1, 2, 'bolt');
INSERT INTO lines VALUES (3, 2, 1, 'nut');
INSERT INTO lines VALUES (3, 2, 1, 'nut') ON CONFLICT DO NOTHING;
INSERT INTO lines VALUES (3, 2, 1, 'gear') ON CONFLICT (tenant, order_id, n) DO UPDATE SET what = lines.what || excluded.what RETURNING *;
INSERT INTO lines AS l VALUES (3, 2, 1, 'x') ON CONFLICT (tenant, order_id, n) DO UPDATE SET what = excluded.what WHERE l.what = 'nut' RETURNING *;
INSERT INTO lines VALUES (3, 2, 2, 'cog') ON CONFLICT (tenant, order_id, n) DO UPDATE SET what = excluded.what RETURNING what;
PREPARE joined (int, bigint) AS SELECT o.note, r.name, l.n, l.what FROM orders o JOIN region r ON r.id = o.region
  LEFT JOIN lines l ON l.tenant = o.tenant AND l.order_id = o.id WHERE o.tenant = $1 AND o.id = $2 ORDER BY l.n;
EXECUTE joined (1, 1);
EXECUTE joined (3, 2);
EXECUTE joined (3, 3);
EXECUTE joined (9, 5);
EXECUTE joined (5, 5);
SELECT o.note, l.what FROM orders o JOIN lines l ON l.tenant = o.tenant AND l.order_id = o.id WHERE l.tenant = 1 AND l.order_id = 1 ORDER BY n;
SELECT a.note, b.note FROM orders a JOIN orders b ON b.tenant = a.tenant AND b.id = a.id WHERE a.tenant = 1 AND a.id = 1;
SELECT a.note, b.note FROM orders a, orders b WHERE b.tenant = 3 AND b.id = 2 AND a.tenant = 1 AND a.id = 1;

PREPARE upd (int, bigint, text) AS UPDATE orders SET note = $3 WHERE tenant = $1 AND id = $2 RETURNING *;
EXECUTE upd (1, 1, 'u1');
EXECUTE upd (3, 2, 'u2');
EXECUTE upd (9, 5, 'u3');
EXECUTE upd (4, 1, 'u4');
EXECUTE upd (1, 1, 'far too long');
UPDATE orders SET total = total + 1, note = note || '!' WHERE tenant = 3 AND id = 2 AND total < 3 RETURNING note, total;
UPDATE orders SET total = -1 WHERE tenant = 1 AND id = 1;
UPDATE orders SET tenant = 3 WHERE tenant = 1 AND id = 1 RETURNING tableoid::regclass, tenant, note;
UPDATE orders SET tenant = 4 WHERE tenant = 3 AND id = 1;
UPDATE orders SET id = 100 WHERE tenant = 3 AND id = 1 RETURNING id, note;
UPDATE orders SET region = 2 WHERE tenant = 1 AND region IS NULL RETURNING *;
UPDATE orders SET total = 0 WHERE tenant = 2 AND id BETWEEN 1 AND 100;
DELETE FROM orders WHERE tenant = 3 AND id = 100 RETURNING *;
DELETE FROM orders WHERE tenant = 9 AND id = 5;
DELETE FROM orders WHERE tenant = 5 AND id = 5;
DELETE FROM lines WHERE tenant = 3 AND order_id = 2;
SELECT tableoid::regclass, * FROM orders ORDER BY id;

-- in blocks, with what they have written
BEGIN;
INSERT INTO orders (id, tenant, note) VALUES (50, 1, 'own');
EXECUTE one (1, 50);
EXECUTE upd (1, 50, 'own 2');
SELECT note FROM orders WHERE tenant = 1 AND id = 50;
SELECT note FROM orders WHERE tenant = 1 AND region = 2 ORDER BY id;
SAVEPOINT s;
DELETE FROM orders WHERE tenant = 1 AND id = 50;
EXECUTE one (1, 50);
ROLLBACK TO s;
EXECUTE one (1, 50);
CREATE TABLE orders_5 PARTITION OF orders FOR VALUES IN (5);
EXECUTE ins (5, 1, 'five', 5);
SELECT note FROM orders WHERE tenant = 5;
SELECT note FROM orders WHERE tenant = 5 AND region = 1;
ALTER TABLE orders DETACH PARTITION orders_1;
EXECUTE one (1, 50);
ROLLBACK;
EXECUTE one (1, 50);
EXECUTE one (5, 5);
BEGIN READ ONLY;
EXECUTE one (3, 2);
EXECUTE upd (3, 2, 'no');
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ;
EXECUTE one (3, 2);
EXECUTE upd (3, 2, 'u5');
COMMIT;

-- plans notice
ALTER TABLE orders DETACH PARTITION orders_1;
EXECUTE one (1, 6);
EXECUTE upd (1, 6, 'gone');
INSERT INTO orders_1 (id, tenant, note) VALUES (60, 1, 'apart');
ALTER TABLE orders ATTACH PARTITION orders_1 FOR VALUES IN (1, 2);
EXECUTE one (1, 60);
ALTER TABLE orders ADD COLUMN more text DEFAULT 'more';
SELECT * FROM orders WHERE tenant = 1 AND id = 60;
UPDATE orders SET more = 'less' WHERE tenant = 1 AND id = 60 RETURNING *;
ALTER TABLE orders_1 ADD CONSTRAINT short CHECK (length(more) < 6);
UPDATE orders SET more = 'longer' WHERE tenant = 1 AND id = 60;
TRUNCATE orders_1;
EXECUTE one (1, 60);

-- triggers: of rows they are the leaves', of the statement the table's
CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE WARNING '% % % %', TG_WHEN, TG_LEVEL, TG_OP, TG_TABLE_NAME;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW; END $$;
CREATE TRIGGER r BEFORE INSERT OR UPDATE OR DELETE ON orders FOR EACH ROW EXECUTE FUNCTION told();
EXECUTE ins (1, 1, 'row', 1);
EXECUTE upd (3, 2, 'row');
DELETE FROM orders WHERE tenant = 1;
CREATE TRIGGER s AFTER INSERT OR UPDATE OR DELETE ON orders_1 FOR EACH STATEMENT EXECUTE FUNCTION told();
INSERT INTO orders (tenant, note) VALUES (1, 'no s');
UPDATE orders SET note = 'no s' WHERE tenant = 1 AND id = 15;
INSERT INTO orders_1 (id, tenant, note) VALUES (70, 1, 's');
CREATE TRIGGER s AFTER INSERT OR UPDATE OR DELETE ON orders FOR EACH STATEMENT EXECUTE FUNCTION told();
INSERT INTO orders (id, tenant, note) VALUES (80, 3, 's');
UPDATE orders SET note = 't' WHERE tenant = 3 AND id = 80;
DELETE FROM orders WHERE tenant = 3 AND id = 80;

-- rights are the table's
CREATE ROLE parts_reader;
GRANT SELECT ON orders TO parts_reader;
SET ROLE parts_reader;
EXECUTE one (3, 2);
SELECT note FROM orders_30 WHERE id = 2;
UPDATE orders SET note = 'no' WHERE tenant = 3 AND id = 2;
RESET ROLE;
REVOKE SELECT ON orders FROM parts_reader;
DROP ROLE parts_reader;

-- keys that are computed
CREATE TABLE words (w text, n int DEFAULT 1, at date DEFAULT '2024-02-02', PRIMARY KEY (w, at)) PARTITION BY RANGE (at);
CREATE TABLE words_1 PARTITION OF words FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
CREATE TABLE words_2 PARTITION OF words FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
PREPARE word (text, date) AS INSERT INTO words (w, at) VALUES (lower($1), $2 + 1) ON CONFLICT (w, at) DO UPDATE SET n = words.n + 1 RETURNING *;
EXECUTE word ('A', '2024-01-31');
EXECUTE word ('a', '2024-01-31');
EXECUTE word ('a', '2024-01-30');
EXECUTE word ('a', '2024-02-29');
INSERT INTO words (w) VALUES ('b') RETURNING tableoid::regclass, *;
SELECT * FROM words WHERE at >= '2024-02-01' AND at < '2024-02-20' AND w = 'a';
SELECT * FROM words WHERE at = '2024-01-31' AND w = 'a';
UPDATE words SET n = 9 WHERE w = 'a' AND at = '2024-01-31' RETURNING *;
DELETE FROM words WHERE w = 'a' AND at = '2024-02-01' RETURNING *;
CREATE TABLE tickets (id serial PRIMARY KEY, v text) PARTITION BY HASH (id);
CREATE TABLE tickets_0 PARTITION OF tickets FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE tickets_1 PARTITION OF tickets FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO tickets (v) VALUES ('a') RETURNING *;
INSERT INTO tickets (v) VALUES ('b') RETURNING *;
INSERT INTO tickets (v) VALUES ('c') RETURNING *;
INSERT INTO tickets (v) VALUES ('d'), ('e'), ('f') RETURNING *;
SELECT tableoid::regclass, * FROM tickets ORDER BY id;
DO $$ DECLARE x text; BEGIN
  FOR i IN 1..6 LOOP
    UPDATE tickets SET v = v || i WHERE id = i RETURNING v INTO x;
    SELECT v || '.' INTO STRICT x FROM tickets WHERE id = i;
    RAISE WARNING '%', x;
    INSERT INTO tickets VALUES (i + 10, x);
    DELETE FROM tickets WHERE id = i;
  END LOOP; END $$;
SELECT * FROM tickets ORDER BY id;
DROP TABLE tickets, words, lines, orders, region;
DROP FUNCTION told;
