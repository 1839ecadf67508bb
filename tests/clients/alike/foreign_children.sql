-- Foreign tables among those that inherit from each other.
\set VERBOSITY verbose
CREATE FOREIGN DATA WRAPPER dummy;
CREATE SERVER here FOREIGN DATA WRAPPER dummy;
CREATE TABLE above (id int NOT NULL, b text, CHECK (id > 0));
INSERT INTO above VALUES (1, 'one');
CREATE FOREIGN TABLE far () INHERITS (above) SERVER here OPTIONS (a 'b');
\d+ above
\d+ far
-- whose rows are asked for
SELECT * FROM above;
SELECT * FROM ONLY above;
SELECT tableoid::regclass FROM above;
INSERT INTO above VALUES (2, 'two');
INSERT INTO above VALUES (3, 'three') RETURNING *;
UPDATE above SET b = 'x' WHERE id = 1;
UPDATE ONLY above SET b = 'x' WHERE id = 1 RETURNING *;
DELETE FROM above WHERE id = 1;
DELETE FROM ONLY above WHERE id = 1;
INSERT INTO far VALUES (2, 'two');
SELECT * FROM ONLY above FOR UPDATE;
SELECT * FROM above FOR UPDATE;
TRUNCATE above;
TRUNCATE ONLY above;
EXPLAIN DELETE FROM above;
CREATE VIEW over_above AS SELECT * FROM above;
SELECT * FROM over_above;
INSERT INTO over_above VALUES (5, 'five');
UPDATE over_above SET b = 'y';
CREATE VIEW over_only AS SELECT * FROM ONLY above;
SELECT * FROM over_only;
PREPARE of_above AS SELECT count(*) FROM ONLY above;
EXECUTE of_above;
DROP VIEW over_above, over_only;
-- definitions go down
ALTER TABLE above ADD COLUMN c int DEFAULT 5, ADD COLUMN d date;
ALTER TABLE above ADD CONSTRAINT named CHECK (b <> 'z');
ALTER TABLE above ALTER d TYPE text USING 'x';
ALTER TABLE ONLY above ALTER d TYPE text USING 'x';
ALTER TABLE above ALTER c TYPE bigint;
ALTER TABLE above ALTER d SET NOT NULL;
ALTER TABLE above DROP COLUMN d;
ALTER FOREIGN TABLE far DROP COLUMN c;
ALTER FOREIGN TABLE far ALTER c OPTIONS (x 'y');
ALTER TABLE above RENAME b TO bb;
ALTER TABLE above ADD PRIMARY KEY (id);
\d+ far
-- more of them
CREATE TABLE below (own int) INHERITS (far);
CREATE FOREIGN TABLE further (c bigint OPTIONS (z 'z')) INHERITS (far) SERVER here;
INSERT INTO below VALUES (7, 'seven', 7, 7);
SELECT * FROM below;
SELECT * FROM far;
\d+ far
\d further
ALTER TABLE far NO INHERIT above;
SELECT * FROM above ORDER BY id;
ALTER TABLE far INHERIT above;
SELECT * FROM above;
ALTER FOREIGN TABLE far NO INHERIT above;
ALTER FOREIGN TABLE far DROP CONSTRAINT named;
ALTER FOREIGN TABLE far INHERIT above;
DROP FOREIGN TABLE far;
DROP FOREIGN TABLE far CASCADE;
SELECT * FROM above ORDER BY id;
CREATE FOREIGN TABLE again (id int, bb int) INHERITS (above) SERVER here;
CREATE FOREIGN TABLE again (id int OPTIONS (n 'id')) INHERITS (above) SERVER here;
\d again
DROP TABLE above;
DROP TABLE above CASCADE;
DROP FOREIGN DATA WRAPPER dummy CASCADE;
