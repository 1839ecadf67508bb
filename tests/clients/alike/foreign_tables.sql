-- Foreign tables, as a PostgreSQL without a handler has them: definitions whose rows nobody can ask for.
\set VERBOSITY verbose
CREATE FOREIGN DATA WRAPPER dummy;
CREATE FOREIGN DATA WRAPPER checked VALIDATOR postgresql_fdw_validator;
CREATE SERVER here FOREIGN DATA WRAPPER dummy;
CREATE SERVER watched FOREIGN DATA WRAPPER checked;
CREATE TABLE plain (id int PRIMARY KEY, b text);
CREATE FOREIGN TABLE far (id int OPTIONS (col 'x', "Odd Name" 'it''s') NOT NULL, b varchar(10) DEFAULT 'none' CHECK (b <> ''), c date, d int GENERATED ALWAYS AS (id * 2) STORED,
  CONSTRAINT late CHECK (c > '2000-01-01')) SERVER here OPTIONS (path '/x', "Two Words" 'y');
CREATE FOREIGN TABLE far (a int) SERVER here;
CREATE FOREIGN TABLE IF NOT EXISTS far (a int) SERVER absent;
CREATE FOREIGN TABLE far2 (a int) SERVER absent;
CREATE FOREIGN TABLE far2 (a int PRIMARY KEY) SERVER absent;
CREATE FOREIGN TABLE far2 (a int, UNIQUE (a)) SERVER absent;
CREATE FOREIGN TABLE far2 (a int REFERENCES plain) SERVER absent;
CREATE FOREIGN TABLE far2 (a int, EXCLUDE USING btree (a WITH =)) SERVER absent;
CREATE FOREIGN TABLE far2 (LIKE plain) SERVER here;
CREATE FOREIGN TABLE far2 (a int OPTIONS (x '1', x '2')) SERVER here;
CREATE FOREIGN TABLE far2 (a int) SERVER here OPTIONS (x '1', x '2');
CREATE FOREIGN TABLE far2 (a int) SERVER watched OPTIONS (host 'x');
CREATE FOREIGN TABLE far2 (a int OPTIONS (host 'x')) SERVER watched;
CREATE FOREIGN TABLE far2 (a int);
CREATE TABLE bad (a int OPTIONS (x 'y'));
CREATE FOREIGN TABLE numbered (id serial, n int GENERATED ALWAYS AS IDENTITY) SERVER watched;
COMMENT ON FOREIGN TABLE far IS 'far away';
COMMENT ON FOREIGN TABLE plain IS 'x';
COMMENT ON TABLE far IS 'x';
COMMENT ON COLUMN far.id IS 'its number';
\d far
\d+ far
\d numbered
\det
\det+
\dtE
SELECT relkind, relam, relfilenode, relpersistence, relhasindex, reltype::regtype FROM pg_class WHERE relname = 'far';
SELECT ftrelid::regclass, srvname, ftoptions FROM pg_foreign_table JOIN pg_foreign_server s ON s.oid = ftserver ORDER BY 1;
SELECT attname, attfdwoptions FROM pg_attribute WHERE attrelid = 'far'::regclass AND attnum > 0 ORDER BY attnum;
SELECT tablename FROM pg_tables WHERE schemaname = 'public';
SELECT relname FROM pg_stat_user_tables ORDER BY 1;
SELECT foreign_table_name, foreign_server_name FROM information_schema.foreign_tables ORDER BY 1;
SELECT foreign_table_name, option_name, option_value FROM information_schema.foreign_table_options ORDER BY 1, 2;
SELECT table_name, column_name, option_name, option_value FROM information_schema.column_options ORDER BY 1, 2, 3;
SELECT pg_describe_object(classid, objid, objsubid), pg_describe_object(refclassid, refobjid, 0), deptype FROM pg_depend WHERE refclassid = 'pg_foreign_server'::regclass ORDER BY 1;

-- nobody can ask for its rows
SELECT * FROM far;
SELECT 1 FROM plain, far WHERE false;
SELECT count(*) FROM (SELECT id FROM far LIMIT 0) x;
WITH x AS (SELECT * FROM far) SELECT 1 FROM x;
SELECT EXISTS (SELECT 1 FROM far WHERE id = 1);
EXPLAIN SELECT * FROM far;
INSERT INTO far (id) VALUES (1);
INSERT INTO plain SELECT id, b FROM far;
UPDATE far SET b = 'x' WHERE id = 1;
UPDATE plain SET b = far.b FROM far WHERE far.id = plain.id;
DELETE FROM far;
DELETE FROM plain USING far;
MERGE INTO far USING plain p ON p.id = far.id WHEN MATCHED THEN DELETE;
SELECT * FROM far FOR UPDATE;
TABLE far;
TRUNCATE far;
TRUNCATE plain, far;
COPY far TO STDOUT;
COPY (SELECT * FROM far) TO STDOUT;
ANALYZE far;
VACUUM far;
LOCK TABLE far;
BEGIN; LOCK TABLE far; ROLLBACK;
CREATE TABLE copied AS SELECT * FROM far;
CREATE MATERIALIZED VIEW seen AS SELECT * FROM far;
CREATE VIEW through AS SELECT id, b FROM far;
SELECT * FROM through;
INSERT INTO through VALUES (1, 'x');
CREATE FUNCTION counted() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM far';
SELECT counted();
CREATE FUNCTION counted_too() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM far); END $$;
SELECT counted_too();
DO $$ BEGIN PERFORM * FROM far; EXCEPTION WHEN object_not_in_prerequisite_state THEN RAISE NOTICE 'caught: %', SQLERRM; END $$;
BEGIN; DECLARE c CURSOR FOR SELECT * FROM far; ROLLBACK;
REFRESH MATERIALIZED VIEW seen;

-- what is not for foreign tables
CREATE INDEX ON far (id);
CREATE UNIQUE INDEX ON far (id);
CREATE RULE r AS ON INSERT TO far DO INSTEAD NOTHING;
CREATE POLICY p ON far;
CREATE TABLE refers (id int REFERENCES far);
CREATE TRIGGER t INSTEAD OF INSERT ON far FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
CREATE CONSTRAINT TRIGGER t AFTER INSERT ON far FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
CREATE TRIGGER t AFTER INSERT ON far REFERENCING NEW TABLE AS n FOR EACH STATEMENT EXECUTE FUNCTION suppress_redundant_updates_trigger();
CREATE TRIGGER t BEFORE UPDATE ON far FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
CREATE STATISTICS pairs ON id, c FROM far;
CREATE PUBLICATION pub FOR TABLE far;
CREATE PUBLICATION pub FOR TABLE plain, through;
CLUSTER far;
REINDEX TABLE far;
DROP TABLE far;
DROP VIEW far;
DROP FOREIGN TABLE plain;
DROP FOREIGN TABLE through;
DROP FOREIGN TABLE absent;
DROP FOREIGN TABLE IF EXISTS absent;
ALTER FOREIGN TABLE plain ADD COLUMN x int;
ALTER FOREIGN TABLE through ADD COLUMN x int;
ALTER FOREIGN TABLE absent ADD COLUMN x int;
ALTER FOREIGN TABLE IF EXISTS absent ADD COLUMN x int;
ALTER TABLE plain OPTIONS (a 'b');
ALTER TABLE plain ALTER b OPTIONS (a 'b');
ALTER TABLE plain ADD COLUMN c int OPTIONS (a 'b');
ALTER FOREIGN TABLE far ADD PRIMARY KEY (id);
ALTER FOREIGN TABLE far ADD UNIQUE (id);
ALTER FOREIGN TABLE far ADD FOREIGN KEY (id) REFERENCES plain;
ALTER FOREIGN TABLE far ADD COLUMN e int UNIQUE;
ALTER FOREIGN TABLE far ALTER id TYPE bigint USING 1;
ALTER FOREIGN TABLE far ENABLE ROW LEVEL SECURITY;
ALTER FOREIGN TABLE far SET (fillfactor = 50);
ALTER FOREIGN TABLE far REPLICA IDENTITY FULL;
ALTER FOREIGN TABLE far SET UNLOGGED;
ALTER FOREIGN TABLE far ALTER CONSTRAINT late DEFERRABLE;

-- what is
ALTER FOREIGN TABLE far OPTIONS (SET path '/z', DROP "Two Words", more 'm');
ALTER FOREIGN TABLE far OPTIONS (more 'm');
ALTER FOREIGN TABLE far OPTIONS (DROP nothing);
ALTER FOREIGN TABLE far ALTER id OPTIONS (SET col 'y', ADD z 'z');
ALTER FOREIGN TABLE far ALTER id OPTIONS (SET nothing 'y');
ALTER FOREIGN TABLE far ALTER nothing OPTIONS (a 'b');
ALTER FOREIGN TABLE far ALTER xmin OPTIONS (a 'b');
ALTER FOREIGN TABLE numbered ALTER id OPTIONS (a 'b');
ALTER FOREIGN TABLE numbered OPTIONS (a 'b');
ALTER FOREIGN TABLE far ADD COLUMN e int OPTIONS (a 'b') NOT NULL DEFAULT 4, ADD f text, ALTER c SET NOT NULL, ALTER b DROP DEFAULT;
ALTER TABLE far ADD COLUMN g int, DROP CONSTRAINT late;
ALTER FOREIGN TABLE far ADD CONSTRAINT low CHECK (e < 9) NOT VALID;
ALTER FOREIGN TABLE far VALIDATE CONSTRAINT low;
ALTER FOREIGN TABLE far ALTER f TYPE varchar(5), DROP COLUMN g;
ALTER FOREIGN TABLE far RENAME f TO ff;
ALTER FOREIGN TABLE far RENAME TO further;
ALTER FOREIGN TABLE further DISABLE TRIGGER t;
\d+ further
CREATE TABLE alike (LIKE further INCLUDING ALL);
\d alike
CREATE TABLE uses_rows (x further);
ALTER FOREIGN TABLE further ALTER e TYPE bigint;
ALTER FOREIGN TABLE further ALTER ff TYPE int;
DROP TABLE uses_rows;
ALTER FOREIGN TABLE further ALTER ff TYPE int, ALTER e TYPE boolean;
ALTER FOREIGN TABLE further ALTER e DROP DEFAULT, ALTER ff TYPE int;
ALTER FOREIGN TABLE further ALTER ff TYPE date, ALTER c TYPE int;
ALTER SEQUENCE numbered_id_seq SET SCHEMA pg_catalog;
DROP VIEW through;
CREATE SCHEMA elsewhere;
ALTER FOREIGN TABLE further SET SCHEMA elsewhere;
\d elsewhere.further

-- who may what
CREATE ROLE far_ann;
GRANT CREATE ON SCHEMA public TO far_ann;
SET ROLE far_ann;
CREATE FOREIGN TABLE mine (a int) SERVER here;
ALTER FOREIGN TABLE numbered OPTIONS (a 'b');
COMMENT ON FOREIGN TABLE numbered IS 'x';
SELECT * FROM numbered;
TRUNCATE numbered;
DROP FOREIGN TABLE numbered;
RESET ROLE;
GRANT USAGE ON FOREIGN SERVER here TO far_ann;
GRANT SELECT, UPDATE (id) ON numbered TO far_ann;
SET ROLE far_ann;
CREATE FOREIGN TABLE mine (a int) SERVER here;
SELECT foreign_table_name FROM information_schema.foreign_tables ORDER BY 1;
RESET ROLE;
\dp numbered
ALTER FOREIGN TABLE mine OWNER TO CURRENT_USER;
ALTER FOREIGN TABLE numbered OWNER TO far_ann;
DROP ROLE far_ann;

-- what hangs on it
CREATE VIEW through AS SELECT id, b FROM elsewhere.further;
DROP SERVER here;
DROP FOREIGN TABLE elsewhere.further;
DROP FOREIGN TABLE mine, elsewhere.further CASCADE;
DROP OWNED BY far_ann;
DROP ROLE far_ann;
CREATE FOREIGN TABLE last (a int) SERVER here;
DROP FOREIGN DATA WRAPPER dummy;
DROP FOREIGN DATA WRAPPER dummy CASCADE;
DROP FOREIGN DATA WRAPPER checked CASCADE;
SELECT count(*) FROM pg_foreign_table;
