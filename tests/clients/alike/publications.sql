-- Publications are objects of the catalog: made, altered, listed, described and dropped as in PostgreSQL.
CREATE TABLE t (id int PRIMARY KEY, name text, n int, made timestamptz);
CREATE TABLE u (a int, b text);
CREATE SCHEMA s;
CREATE TABLE s.v (x int, y text);
CREATE PUBLICATION everything FOR ALL TABLES;
CREATE PUBLICATION several FOR TABLE t (id, name) WHERE (n > 1 AND name <> 'it''s'), ONLY u WITH (publish = 'insert, truncate');
CREATE PUBLICATION of_schema FOR TABLES IN SCHEMA s, TABLE u WITH (publish_via_partition_root);
CREATE PUBLICATION "With Space" WITH (publish = '');
\dRp
\dRp+
\d t
\d+ s.v
COMMENT ON PUBLICATION several IS 'a few';
SELECT obj_description(oid, 'pg_publication'), pubname FROM pg_publication ORDER BY 2;
SELECT * FROM pg_publication_tables ORDER BY 1, 2, 3;
SELECT p.pubname, n.nspname FROM pg_publication_namespace x JOIN pg_publication p ON p.oid = pnpubid JOIN pg_namespace n ON n.oid = pnnspid;
SELECT p.pubname, r.prrelid::regclass, prattrs, pg_get_expr(prqual, prrelid) FROM pg_publication_rel r JOIN pg_publication p ON p.oid = prpubid ORDER BY 1, 2::text;
SELECT relid::regclass, attrs, pg_get_expr(qual, relid) FROM pg_get_publication_tables('several') ORDER BY 1::text;
SELECT * FROM pg_get_publication_tables('nobody');
SELECT pg_describe_object('pg_publication'::regclass, oid, 0) FROM pg_publication ORDER BY 1;
SELECT pg_describe_object('pg_publication_rel'::regclass, oid, 0) FROM pg_publication_rel ORDER BY 1;
SELECT pg_describe_object('pg_publication_namespace'::regclass, oid, 0) FROM pg_publication_namespace ORDER BY 1;
SELECT pg_describe_object(classid, objid, objsubid), pg_describe_object(refclassid, refobjid, refobjsubid), deptype FROM pg_depend WHERE classid IN ('pg_publication_rel'::regclass, 'pg_publication_namespace'::regclass) ORDER BY 1, 2, 3;
-- what it stands on
ALTER TABLE t DROP COLUMN name;
ALTER TABLE t ALTER COLUMN n TYPE bigint;
ALTER TABLE t ALTER COLUMN made TYPE timestamp;
ALTER TABLE t RENAME COLUMN n TO number;
\dRp+ several
ALTER TABLE t RENAME TO things;
ALTER SCHEMA s RENAME TO z;
SELECT * FROM pg_publication_tables WHERE pubname <> 'everything' ORDER BY 1, 2, 3;
ALTER TABLE things DROP COLUMN name CASCADE;
\dRp+ several
DROP SCHEMA z CASCADE;
DROP TABLE u;
\dRp+ of_schema
-- errors
CREATE PUBLICATION several;
CREATE PUBLICATION x FOR TABLE nobody;
CREATE PUBLICATION x FOR TABLE nowhere.nobody;
CREATE PUBLICATION x FOR TABLES IN SCHEMA nowhere;
CREATE PUBLICATION x FOR TABLE things (id, id);
CREATE PUBLICATION x FOR TABLE things WHERE (id);
CREATE PUBLICATION x FOR TABLE things WHERE (id > ALL (SELECT 1));
CREATE PUBLICATION x FOR TABLE things WHERE (id > 1 AND now() IS NOT NULL);
CREATE PUBLICATION x FOR TABLE things WHERE (current_user = 'me');
CREATE PUBLICATION x FOR TABLE things WHERE nobody;
CREATE PUBLICATION x FOR TABLE things WHERE (id::text = 'a' AND made::date > '2020-01-01');
CREATE PUBLICATION x FOR TABLE things WHERE (made = now()::timestamp);
CREATE PUBLICATION x FOR TABLE things WHERE (name::varchar(3) || 'a' = 'b' AND name::bpchar < 'c');
CREATE PUBLICATION y FOR TABLE things WHERE (made::date > '2020-01-01' AND number::numeric(10, 2) < 2.5);
DROP PUBLICATION x, y;
CREATE PUBLICATION x FOR TABLE things WHERE (nobody = 1);
CREATE PUBLICATION x FOR TABLE things WITH (publish);
CREATE PUBLICATION x FOR TABLE things WITH (publish = 'insert update');
CREATE PUBLICATION x FOR TABLE things WITH (publish = 'insert', publish = 'update');
CREATE PUBLICATION x FOR TABLE things WITH (publish_via_partition_root = 'maybe');
CREATE PUBLICATION x FOR TABLE things_pkey;
CREATE PUBLICATION x FOR ALL TABLES, TABLE things;
CREATE PUBLICATION x FOR;
CREATE PUBLICATION IF NOT EXISTS x;
CREATE VIEW seen AS SELECT 1 AS a;
CREATE MATERIALIZED VIEW kept AS SELECT 1 AS a;
CREATE SEQUENCE counted;
CREATE PUBLICATION x FOR TABLE seen;
CREATE PUBLICATION x FOR TABLE kept;
CREATE PUBLICATION x FOR TABLE counted;
CREATE PUBLICATION x FOR TABLE pg_class;
CREATE PUBLICATION x FOR TABLE pg_tables;
ALTER PUBLICATION nobody SET (publish = 'insert');
ALTER PUBLICATION several SET (publish = 'delete', publish_via_partition_root = on);
ALTER PUBLICATION several ADD TABLE things, things;
ALTER PUBLICATION several ADD TABLE things;
ALTER PUBLICATION several DROP TABLE things (id);
ALTER PUBLICATION several DROP TABLE things;
ALTER PUBLICATION several DROP TABLE things;
ALTER PUBLICATION several RENAME TO everything;
ALTER PUBLICATION several RENAME TO few;
ALTER PUBLICATION few SET SCHEMA public;
ALTER PUBLICATION few OWNER TO nobody;
COMMENT ON PUBLICATION several IS 'gone';
\dRp
DROP PUBLICATION few, nobody;
DROP PUBLICATION IF EXISTS few, nobody;
DROP PUBLICATION public.everything;
-- who may
CREATE ROLE publisher;
SET ROLE publisher;
CREATE PUBLICATION mine;
DROP PUBLICATION everything;
ALTER PUBLICATION everything SET (publish = 'insert');
COMMENT ON PUBLICATION everything IS 'mine';
RESET ROLE;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO publisher', current_database()); END $$;
SET ROLE publisher;
CREATE PUBLICATION mine FOR ALL TABLES;
CREATE PUBLICATION mine FOR TABLE things;
CREATE PUBLICATION mine;
ALTER PUBLICATION mine OWNER TO tidewire;
RESET ROLE;
DROP ROLE publisher;
REASSIGN OWNED BY publisher TO tidewire;
\dRp mine
ALTER PUBLICATION mine OWNER TO publisher;
DROP OWNED BY publisher;
\dRp mine
DROP ROLE publisher;
-- events
CREATE FUNCTION told() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  FOR r IN SELECT * FROM pg_event_trigger_ddl_commands() LOOP
    RAISE NOTICE '% % % %', r.command_tag, r.object_type, r.schema_name, r.object_identity;
  END LOOP;
END $$;
CREATE FUNCTION gone() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  FOR r IN SELECT * FROM pg_event_trigger_dropped_objects() WHERE object_type LIKE 'publication%' LOOP
    RAISE NOTICE '% % % % % % %', r.original, r.normal, r.object_type, r.schema_name, r.object_identity, r.address_names, r.address_args;
  END LOOP;
END $$;
CREATE EVENT TRIGGER told ON ddl_command_end WHEN TAG IN ('CREATE PUBLICATION', 'ALTER PUBLICATION', 'COMMENT') EXECUTE FUNCTION told();
CREATE EVENT TRIGGER gone ON sql_drop EXECUTE FUNCTION gone();
CREATE SCHEMA w;
CREATE TABLE w.one (a int);
CREATE TABLE w.two (a int);
CREATE PUBLICATION p FOR TABLE w.one;
ALTER PUBLICATION p ADD TABLE w.two, TABLES IN SCHEMA w;
ALTER PUBLICATION p SET (publish = 'insert');
ALTER PUBLICATION p SET TABLE w.two;
COMMENT ON PUBLICATION p IS 'told';
ALTER PUBLICATION p RENAME TO q;
DROP TABLE w.two;
ALTER PUBLICATION q ADD TABLE w.one;
DROP PUBLICATION q;
-- names of schemas and roles are quoted where they must be
CREATE SCHEMA "B b";
CREATE ROLE "R r";
SELECT oid::regnamespace, oid::regnamespace::text = '"B b"' AS alike FROM pg_namespace WHERE nspname = 'B b';
SELECT oid::regrole, '"R r"'::regrole = oid AS alike, 0::oid::regrole AS none, 0::oid::regnamespace AS nowhere FROM pg_roles WHERE rolname = 'R r';
DROP ROLE "R r";
-- what goes with types, and what may not become unlogged
CREATE TYPE mood AS ENUM ('a');
CREATE TABLE m (a int, k mood);
CREATE PUBLICATION r FOR TABLE m (a, k);
ALTER TABLE m SET UNLOGGED;
DROP TYPE mood;
DROP TYPE mood CASCADE;
\dRp+ r
ALTER TABLE m SET UNLOGGED;
DROP PUBLICATION r;
-- nor a foreign table
CREATE FOREIGN DATA WRAPPER nowhere;
CREATE SERVER there FOREIGN DATA WRAPPER nowhere;
CREATE FOREIGN TABLE far (a int) SERVER there;
CREATE PUBLICATION f FOR TABLE far;
CREATE PUBLICATION f FOR ALL TABLES;
SELECT count(*) FROM pg_publication_tables WHERE tablename = 'far';
DROP PUBLICATION f;
DROP FOREIGN DATA WRAPPER nowhere CASCADE;
