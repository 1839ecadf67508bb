-- Columns by schema, table and name, of tables, views and what a statement changes; float(n); timetz as text
CREATE SCHEMA q;
CREATE TABLE q.t (id int PRIMARY KEY, name text);
CREATE VIEW q.v AS SELECT id, name FROM q.t;
INSERT INTO q.t VALUES (1, 'a'), (2, 'b') RETURNING q.t.id, t.name;
SELECT q.t.id, t.name FROM q.t ORDER BY q.t.id;
SELECT q.v.id, v.name FROM q.v ORDER BY q.v.id;
UPDATE q.t SET name = 'c' WHERE q.t.id = 2 RETURNING q.t.*;
DELETE FROM q.t WHERE q.t.id = 2 RETURNING q.t.name;
SET search_path = q;
SELECT q.t.id FROM t;
SELECT t.id FROM q.t;
SELECT q.other.id FROM t;
RESET search_path;
SELECT 1.5::float(1), 1.5::float(24), 1.5::float(25), 1.5::float(53);
SELECT p::float(53), p::float(3) FROM (VALUES (8.5514716)) AS given (p);
SELECT '12:00:00+01'::timetz::text, ROW(1, '12:00:00.5-02:30'::timetz), ARRAY['12:00:00+00'::timetz];
SELECT max(x::text) FROM (VALUES ('01:02:03+04'::timetz), ('01:02:03-04')) AS given (x);
