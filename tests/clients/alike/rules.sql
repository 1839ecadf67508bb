-- Rules: what is run for a statement, in which order, and what it answers.
CREATE TABLE t (id int PRIMARY KEY, name text, n numeric(6,2) DEFAULT 1.5);
CREATE TABLE log (seq serial, what text, id int, was text, is_now text);
CREATE RULE t_ins AS ON INSERT TO t DO ALSO INSERT INTO log (what, id, is_now) VALUES ('ins', NEW.id, NEW.name);
CREATE RULE t_upd AS ON UPDATE TO t WHERE NEW.name <> OLD.name
    DO ALSO INSERT INTO log (what, id, was, is_now) VALUES ('upd', OLD.id, OLD.name, NEW.name);
CREATE RULE t_del AS ON DELETE TO t DO INSERT INTO log (what, id, was) VALUES ('del', OLD.id, OLD.name);
INSERT INTO t VALUES (1, 'a');
INSERT INTO t VALUES (2, 'b'), (3, 'c');
INSERT INTO t SELECT g, 'g' || g FROM generate_series(4, 6) g;
UPDATE t SET name = name || '!' WHERE id < 3;
UPDATE t SET name = name WHERE id = 3;
UPDATE t SET n = n + 1;
DELETE FROM t WHERE id > 4;
DELETE FROM t WHERE id > 40;
SELECT what, id, was, is_now FROM log ORDER BY seq;
SELECT * FROM t ORDER BY id;
INSERT INTO t VALUES (9, 'r') RETURNING id, n;
UPDATE t SET n = 9 WHERE id = 9 RETURNING *;
DELETE FROM t WHERE id = 9 RETURNING name;
SELECT count(*) FROM log;
-- what a value calls is called anew
CREATE SEQUENCE s;
CREATE TABLE numbered (k int DEFAULT nextval('s'), v text);
CREATE TABLE numbered_log (k int, v text);
CREATE RULE numbered_ins AS ON INSERT TO numbered DO ALSO INSERT INTO numbered_log VALUES (NEW.k, NEW.v);
INSERT INTO numbered (v) VALUES ('one');
SELECT n.k, l.k FROM numbered n, numbered_log l;
-- nothing instead
CREATE TABLE kept (id int PRIMARY KEY, v text);
INSERT INTO kept VALUES (1, 'a'), (2, 'b');
CREATE RULE no_delete AS ON DELETE TO kept DO INSTEAD NOTHING;
DELETE FROM kept;
DELETE FROM kept RETURNING id;
CREATE RULE no_change AS ON UPDATE TO kept WHERE OLD.id = 1 DO INSTEAD NOTHING;
UPDATE kept SET v = v || '?';
CREATE RULE only_once AS ON INSERT TO kept WHERE EXISTS (SELECT FROM kept k WHERE k.id = NEW.id) DO INSTEAD NOTHING;
INSERT INTO kept VALUES (1, 'x'), (3, 'c');
INSERT INTO kept VALUES (3, 'again');
SELECT * FROM kept ORDER BY id;
INSERT INTO kept VALUES (4, 'd') ON CONFLICT DO NOTHING;
INSERT INTO kept VALUES (4, 'd') RETURNING id;
COPY kept FROM stdin;
7	copied
\.
SELECT count(*) FROM kept;
-- a view that rules write
CREATE TABLE base (id int PRIMARY KEY, a int, b varchar(4));
CREATE TABLE other (id int, c text);
CREATE VIEW v AS SELECT base.id, a, b, c FROM base JOIN other USING (id);
INSERT INTO v VALUES (1, 2, 'x', 'y');
CREATE RULE v_ins AS ON INSERT TO v DO INSTEAD (
    INSERT INTO base VALUES (NEW.id, coalesce(NEW.a, 7), NEW.b);
    INSERT INTO other (id, c) VALUES (NEW.id, NEW.c)
);
CREATE RULE v_upd AS ON UPDATE TO v DO INSTEAD (
    UPDATE base SET a = NEW.a, b = NEW.b WHERE id = OLD.id;
    UPDATE other SET c = NEW.c WHERE id = OLD.id;
);
CREATE RULE v_del AS ON DELETE TO v DO INSTEAD (
    DELETE FROM base WHERE id = OLD.id
);
INSERT INTO v VALUES (1, 2, 'x', 'y'), (2, NULL, 'z', 'w');
INSERT INTO v (id, c) VALUES (3, 'three');
INSERT INTO v VALUES (4, 4, 'toolong', 'q');
SELECT * FROM v ORDER BY id;
UPDATE v SET a = a + 10, c = c || id WHERE id < 3;
SELECT * FROM v ORDER BY id;
UPDATE v SET a = 1 FROM generate_series(1, 2) g WHERE g = v.id;
SELECT * FROM v ORDER BY id;
DELETE FROM v WHERE c = 'three';
SELECT * FROM base ORDER BY id;
INSERT INTO v VALUES (5, 5, '5', '5') RETURNING id;
INSERT INTO v VALUES ('x', 5, '5', '5');
INSERT INTO v (nope) VALUES (1);
UPDATE v SET nope = 1;
-- RETURNING by rules
CREATE VIEW w AS SELECT id, a AS value FROM base;
CREATE RULE w_ins AS ON INSERT TO w DO INSTEAD
    INSERT INTO base (id, a) VALUES (NEW.id, NEW.value * 100) RETURNING id, a;
INSERT INTO w VALUES (10, 1) RETURNING value, id, value + id AS both;
INSERT INTO w VALUES (11, 1) RETURNING *;
INSERT INTO w VALUES (12, 1);
CREATE RULE w_upd AS ON UPDATE TO w DO INSTEAD UPDATE base SET a = NEW.value WHERE id = OLD.id RETURNING base.id, a;
UPDATE w SET value = 5 WHERE id >= 10 RETURNING w.value, id;
DELETE FROM w WHERE id = 12;
SELECT * FROM base ORDER BY id;
-- rules beside a view that can be written anyway
CREATE VIEW plain AS SELECT id, a FROM base;
CREATE RULE plain_upd AS ON UPDATE TO plain DO ALSO INSERT INTO other VALUES (NEW.id, 'plain ' || OLD.a || NEW.a);
UPDATE plain SET a = 6 WHERE id = 10;
SELECT * FROM other ORDER BY c;
CREATE RULE plain_some AS ON DELETE TO plain WHERE OLD.id > 100 DO INSTEAD NOTHING;
DELETE FROM plain;
-- rules of what rules write
CREATE TABLE first (a int); CREATE TABLE second (a int); CREATE TABLE third (a int);
CREATE RULE to_second AS ON INSERT TO first DO INSTEAD INSERT INTO second VALUES (NEW.a + 1);
CREATE RULE to_third AS ON INSERT TO second WHERE NEW.a > 10 DO INSTEAD INSERT INTO third VALUES (NEW.a + 1);
INSERT INTO first VALUES (1), (10);
INSERT INTO first SELECT 20;
SELECT * FROM first; SELECT * FROM second; SELECT * FROM third ORDER BY a;
CREATE RULE around AS ON INSERT TO third DO INSTEAD INSERT INTO first VALUES (NEW.a);
INSERT INTO first VALUES (5);
INSERT INTO third VALUES (5);
DROP RULE around ON third;
-- with parameters, and in PREPARE
PREPARE p AS INSERT INTO first VALUES ($1);
EXECUTE p (3);
EXECUTE p (30);
SELECT a FROM second ORDER BY a;
-- enabled and not
ALTER TABLE first DISABLE RULE to_second;
INSERT INTO first VALUES (77);
SELECT * FROM first;
ALTER TABLE first ENABLE REPLICA RULE to_second;
INSERT INTO first VALUES (78);
ALTER TABLE first ENABLE ALWAYS RULE to_second;
INSERT INTO first VALUES (79);
ALTER TABLE first ENABLE RULE to_second;
ALTER TABLE first ENABLE RULE nope;
SELECT count(*) FROM first;
BEGIN;
INSERT INTO first VALUES (100);
ROLLBACK;
SELECT max(a) FROM third;
-- in WITH
WITH x AS (INSERT INTO first VALUES (1) RETURNING a) SELECT * FROM x;
WITH x AS (DELETE FROM kept RETURNING id) SELECT * FROM x;
WITH x AS (DELETE FROM t RETURNING id) SELECT * FROM x;
WITH x AS (SELECT 8 AS id) INSERT INTO t SELECT id FROM x;
MERGE INTO t USING (SELECT 1) s ON false WHEN NOT MATCHED THEN INSERT VALUES (9);
-- ON CONFLICT of a table with rules is refused in WITH as well.
CREATE TABLE ruled (id int PRIMARY KEY, v int);
CREATE RULE r1 AS ON UPDATE TO ruled WHERE NEW.v = 1 DO INSTEAD NOTHING;
WITH x AS (INSERT INTO ruled VALUES (1, 1) ON CONFLICT DO NOTHING RETURNING *) SELECT * FROM x;
WITH x AS (INSERT INTO ruled VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET v = 1 RETURNING *) SELECT * FROM x;
WITH x AS (INSERT INTO ruled VALUES (1, 1) RETURNING *) SELECT * FROM x;
DROP RULE r1 ON ruled;
CREATE RULE r2 AS ON DELETE TO ruled DO INSTEAD NOTHING;
WITH x AS (INSERT INTO ruled VALUES (2, 1) ON CONFLICT DO NOTHING RETURNING *) SELECT * FROM x;
TABLE ruled;
DROP TABLE ruled;
