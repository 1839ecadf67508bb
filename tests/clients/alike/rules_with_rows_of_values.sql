-- Several rows of VALUES in a rule's INSERT.
CREATE TABLE rv_t(a int, b text);
CREATE TABLE rv_log(i serial, a int, b varchar(4), c date DEFAULT '2020-01-01', d numeric(5,1));
CREATE RULE r1 AS ON INSERT TO rv_t DO ALSO INSERT INTO rv_log (a, b, d) VALUES (NEW.a, 'in', '1.25'), (NEW.a + 1, NEW.b, NULL), (0, 'last', 3.14);
INSERT INTO rv_t VALUES (10, 'x'), (20, 'y');
SELECT a, b, c, d FROM rv_log ORDER BY a, b;
\d rv_t
SELECT pg_get_ruledef(oid) FROM pg_rewrite WHERE rulename = 'r1';
DELETE FROM rv_log;
CREATE RULE r2 AS ON UPDATE TO rv_t WHERE NEW.a > OLD.a DO ALSO INSERT INTO rv_log (a, b, c) VALUES (OLD.a, 'old', '2021-02-03'), (NEW.a, 'new', '2022-03-04');
UPDATE rv_t SET a = a + 1;
UPDATE rv_t SET a = a - 5 WHERE a > 15;
SELECT a, b, c FROM rv_log ORDER BY a, b;
INSERT INTO rv_t VALUES (1, 'too long');
SELECT * FROM rv_t ORDER BY a;
CREATE RULE r3 AS ON DELETE TO rv_t DO INSTEAD INSERT INTO rv_log (a, b) VALUES (OLD.a, 'd1'), (OLD.a, 'd2');
DELETE FROM rv_t WHERE a > 11;
DELETE FROM rv_t;
SELECT count(*) FROM rv_t;
SELECT a, b FROM rv_log WHERE b LIKE 'd%' ORDER BY a, b;
CREATE RULE r4 AS ON INSERT TO rv_log DO ALSO INSERT INTO rv_t VALUES (1, 'a'), ('x', 'b');
CREATE RULE r4 AS ON INSERT TO rv_log DO ALSO INSERT INTO rv_t VALUES (1, 'a'), (2);
CREATE VIEW rv_v AS SELECT a, b FROM rv_t;
CREATE RULE r5 AS ON INSERT TO rv_v DO INSTEAD INSERT INTO rv_t VALUES (NEW.a, NEW.b), (-NEW.a, NEW.b) RETURNING a, b;
INSERT INTO rv_v VALUES (7, 'v') RETURNING *;
create table with_parts (a int[], b text[]); create table watched (x int, y text); create rule noted as on insert to watched do also insert into with_parts (a[1], b[2]) values (1, 'one'), (new.x, new.y); insert into watched values (7, 'seven'); table with_parts;
