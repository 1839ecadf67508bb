-- Columns that need not say whose they are, queries in FROM that name the rows, RETURNING of a whole row.
CREATE TABLE t (id int, b text DEFAULT 'xxx', c int);
CREATE VIEW v AS SELECT * FROM t;
CREATE RULE v1_ins AS ON INSERT TO v DO ALSO INSERT INTO t SELECT * FROM (SELECT id + 10 FROM t WHERE id = NEW.id) tt;
CREATE RULE v1_upd AS ON UPDATE TO v DO ALSO UPDATE t x SET c = tt.id * 10 FROM (SELECT id FROM t WHERE id = OLD.id) tt WHERE x.id = tt.id;
INSERT INTO v VALUES (1, 'a'), (2, 'b');
UPDATE v SET b = upper(b);
SELECT * FROM t ORDER BY id;
CREATE TABLE o (a int, b int); CREATE TABLE o2 (a int, b int);
CREATE RULE oi AS ON INSERT TO o WHERE a < 10 AND abs(b) > 0 DO INSTEAD INSERT INTO o2 VALUES (NEW.a, NEW.b);
CREATE RULE od AS ON DELETE TO o WHERE a = 50 DO INSTEAD NOTHING;
CREATE RULE ou AS ON UPDATE TO o WHERE a = 50 DO INSTEAD NOTHING;

INSERT INTO o VALUES (1, 1), (2, 0), (50, 1), (60, 1);
DELETE FROM o WHERE a > 40;
SELECT * FROM o; SELECT * FROM o2;
SELECT definition FROM pg_rules WHERE rulename IN ('oi', 'od', 'v1_ins', 'v1_upd') ORDER BY rulename;
CREATE VIEW w AS SELECT a, b FROM o2;
CREATE RULE wi AS ON INSERT TO w DO INSTEAD INSERT INTO o2 VALUES (NEW.a, NEW.b) RETURNING *;
INSERT INTO w VALUES (5, 6) RETURNING *;
INSERT INTO w VALUES (5, 6) RETURNING b, a + b;
