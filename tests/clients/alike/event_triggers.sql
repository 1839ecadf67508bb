-- Event triggers: what their functions are told of each definition.
CREATE FUNCTION ddl_end() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE r record; BEGIN
FOR r IN SELECT * FROM pg_event_trigger_ddl_commands() LOOP
  RAISE NOTICE 'end % | % | % | % | % | % % %', tg_tag, r.command_tag, r.object_type, r.schema_name, r.object_identity, r.classid::regclass, r.objsubid, r.in_extension;
END LOOP; END $$;
CREATE FUNCTION ddl_drop() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE r record; BEGIN
FOR r IN SELECT * FROM pg_event_trigger_dropped_objects() o
    WHERE schema_name IS DISTINCT FROM 'pg_toast' AND object_identity NOT LIKE '"RI_%' ORDER BY original DESC, object_type, object_identity LOOP
  RAISE NOTICE 'drop % | % % % | % | % | % | % | % % %', tg_tag, r.original, r.normal, r.is_temporary, r.object_type, r.schema_name, r.object_name, r.object_identity, r.address_names, r.address_args, r.objsubid;
END LOOP; END $$;
CREATE FUNCTION ddl_start() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'start % %', tg_event, tg_tag; END $$;
CREATE EVENT TRIGGER e_end ON ddl_command_end EXECUTE FUNCTION ddl_end();
CREATE EVENT TRIGGER e_start ON ddl_command_start EXECUTE FUNCTION ddl_start();
CREATE EVENT TRIGGER e_drop ON sql_drop EXECUTE PROCEDURE ddl_drop();
CREATE SCHEMA s;
CREATE TABLE s.t (id serial PRIMARY KEY, a int UNIQUE, b text CHECK (b <> ''), c int GENERATED ALWAYS AS IDENTITY);
CREATE TABLE s.child (id int REFERENCES s.t);
CREATE INDEX ON s.t (b);
ALTER TABLE s.t ADD d int DEFAULT 5, ADD CONSTRAINT dd CHECK (d > 0);
ALTER TABLE s.t ADD UNIQUE (d);
ALTER TABLE s.t RENAME d TO dd;
ALTER TABLE s.t RENAME TO tt;
ALTER TABLE s.tt RENAME TO t;
ALTER TABLE s.t RENAME CONSTRAINT dd TO ddd;
CREATE VIEW s.v AS SELECT id, a FROM s.t;
CREATE OR REPLACE VIEW s.v AS SELECT id, a FROM s.t;
CREATE MATERIALIZED VIEW s.mv AS SELECT id FROM s.t;
REFRESH MATERIALIZED VIEW s.mv;
CREATE FUNCTION s.f(int, text, numeric[]) RETURNS int LANGUAGE sql AS 'SELECT 1';
ALTER FUNCTION s.f(int, text, numeric[]) STABLE;
CREATE PROCEDURE s.p() LANGUAGE plpgsql AS 'BEGIN END';
CREATE TYPE s.mood AS ENUM ('a');
ALTER TYPE s.mood ADD VALUE 'b';
CREATE TYPE s.pair AS (a int);
CREATE DOMAIN s.dom AS int;
CREATE SEQUENCE s.seq;
ALTER SEQUENCE s.seq INCREMENT 2;
CREATE FUNCTION s.tr() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER trg BEFORE INSERT ON s.t FOR EACH ROW EXECUTE FUNCTION s.tr();
CREATE POLICY pol ON s.t USING (true);
COMMENT ON TABLE s.t IS 'x';
COMMENT ON COLUMN s.t.a IS 'y';
GRANT SELECT ON s.t TO PUBLIC;
REVOKE EXECUTE ON FUNCTION s.tr() FROM PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC;
CREATE TABLE s.ctas AS SELECT 1 AS x;
SELECT 1 AS y INTO s.into_table;
CREATE TEMP TABLE tmp (i int);
TRUNCATE s.t CASCADE;
CREATE ROLE et_role;
DROP ROLE et_role;
CREATE TABLE IF NOT EXISTS s.t (i int);
ALTER TABLE s.t DROP COLUMN a CASCADE;
DROP TRIGGER trg ON s.t;
DROP POLICY pol ON s.t;
DROP INDEX s.t_b_idx;
ALTER TABLE s.t DROP CONSTRAINT ddd;
DROP VIEW IF EXISTS s.v;
DROP FUNCTION s.f(int, text, numeric[]);
DROP TYPE s.mood;
DROP TYPE s.pair;
DROP DOMAIN s.dom;
DROP SEQUENCE s.seq;
DROP TABLE tmp;
DROP TABLE s.ctas;
DROP MATERIALIZED VIEW s.mv;
CREATE VIEW s.v AS SELECT id FROM s.t;
DROP TABLE s.t CASCADE;
DROP SCHEMA s CASCADE;
CREATE TABLE fails (a int, a int);
DO $$ BEGIN CREATE TABLE indo (a int); END $$;
CREATE OPERATOR ### (leftarg = int, rightarg = int, function = int4pl);
CREATE CAST (text AS uuid) WITH INOUT;
DROP OPERATOR ### (int, int);
DROP CAST (text AS uuid);
CREATE SCHEMA el CREATE TABLE et (a int) CREATE VIEW ev AS SELECT 1;
CREATE TABLE parts (id serial, a int);
CREATE POLICY seen ON parts USING (a > 0);
CREATE TRIGGER fires BEFORE UPDATE ON parts FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
ALTER TABLE parts DROP COLUMN id;
DROP TABLE parts;
