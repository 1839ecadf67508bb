-- Names of relations that are constants follow what they name, however it is written: texts are looked through only where they may say it.
CREATE SEQUENCE "A""b";
CREATE SEQUENCE "it's";
CREATE SEQUENCE "Größe";
CREATE SEQUENCE plain;
CREATE TABLE t (
    a int DEFAULT nextval('"A""b"'),
    b int DEFAULT nextval('"it''s"'),
    c int DEFAULT nextval('"Größe"'),
    d int DEFAULT nextval('PLAIN'),
    e text DEFAULT 'plain'
);
CREATE VIEW v AS SELECT currval('plain') AS x, 'plain'::regclass AS y, 'plain'::text AS z, '"Größe"'::regclass AS g;
CREATE MATERIALIZED VIEW m AS SELECT 'plain'::regclass AS y;
CREATE FUNCTION f(x regclass DEFAULT 'plain'::regclass) RETURNS text LANGUAGE sql AS 'SELECT x::text';
CREATE SCHEMA other;
CREATE TABLE other.serials (id serial, w int);
CREATE INDEX serials_w ON other.serials (w);
CREATE VIEW i AS SELECT 'other.serials_w'::regclass AS x, 'other.serials_id_seq'::regclass AS y;
ALTER SEQUENCE "A""b" RENAME TO "c""D";
ALTER SEQUENCE "it's" RENAME TO "it isn't";
ALTER SEQUENCE "Größe" RENAME TO klein;
ALTER SEQUENCE plain RENAME TO "Simple";
INSERT INTO t DEFAULT VALUES RETURNING *;
SELECT column_name, column_default FROM information_schema.columns WHERE table_name = 't' ORDER BY ordinal_position;
SELECT * FROM v;
SELECT pg_get_viewdef('v'::regclass);
SELECT pg_get_viewdef('m'::regclass);
SELECT f();
ALTER SEQUENCE klein SET SCHEMA other;
ALTER SEQUENCE "c""D" SET SCHEMA other;
INSERT INTO t DEFAULT VALUES RETURNING *;
SELECT column_name, column_default FROM information_schema.columns WHERE table_name = 't' ORDER BY ordinal_position;
ALTER SCHEMA other RENAME TO "An other";
INSERT INTO t DEFAULT VALUES RETURNING *;
SELECT column_name, column_default FROM information_schema.columns WHERE table_name = 't' ORDER BY ordinal_position;
SELECT pg_get_viewdef('i'::regclass);
SELECT * FROM i;
ALTER TABLE "An other".serials SET SCHEMA public;
SELECT * FROM i;
SELECT pg_get_viewdef('i'::regclass);
ALTER TABLE serials RENAME TO other_serials;
ALTER INDEX serials_w RENAME TO w;
SELECT * FROM i;
INSERT INTO other_serials (w) VALUES (1) RETURNING *;
SELECT column_default FROM information_schema.columns WHERE table_name = 'other_serials' AND column_name = 'id';
