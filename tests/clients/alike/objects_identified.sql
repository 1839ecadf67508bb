-- Objects by names that hold on every search path.
CREATE SCHEMA "S s";
CREATE TABLE "S s".t (id int PRIMARY KEY, b text CHECK (b <> ''));
CREATE VIEW v AS SELECT * FROM "S s".t;
CREATE FUNCTION f(int, text) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE TYPE mood AS ENUM ('a');
CREATE SEQUENCE q;
CREATE POLICY p ON "S s".t;
CREATE RULE r AS ON DELETE TO "S s".t DO INSTEAD NOTHING;
SET client_min_messages = error;
CREATE PUBLICATION pub FOR TABLE "S s".t, TABLES IN SCHEMA public;
CREATE SUBSCRIPTION sub CONNECTION '' PUBLICATION pub WITH (connect = false, slot_name = NONE);
RESET client_min_messages;
CREATE FUNCTION told() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION told();
CREATE VIEW objects AS
  SELECT 'pg_class'::regclass AS c, oid, 0 AS sub FROM pg_class WHERE relname IN ('t', 'v', 'q', 't_pkey', 'pg_publication', 'pg_publication_tables')
  UNION ALL SELECT 'pg_class'::regclass, '"S s".t'::regclass, 2
  UNION ALL SELECT 'pg_proc'::regclass, oid, 0 FROM pg_proc WHERE proname = 'f'
  UNION ALL SELECT 'pg_type'::regclass, 'mood'::regtype, 0
  UNION ALL SELECT 'pg_namespace'::regclass, oid, 0 FROM pg_namespace WHERE nspname IN ('S s')
  UNION ALL SELECT 'pg_constraint'::regclass, oid, 0 FROM pg_constraint WHERE conrelid = '"S s".t'::regclass
  UNION ALL SELECT 'pg_policy'::regclass, oid, 0 FROM pg_policy WHERE polrelid = '"S s".t'::regclass
  UNION ALL SELECT 'pg_rewrite'::regclass, oid, 0 FROM pg_rewrite WHERE ev_class = '"S s".t'::regclass
  UNION ALL SELECT 'pg_publication'::regclass, oid, 0 FROM pg_publication
  UNION ALL SELECT 'pg_publication_rel'::regclass, oid, 0 FROM pg_publication_rel
  UNION ALL SELECT 'pg_publication_namespace'::regclass, oid, 0 FROM pg_publication_namespace
  UNION ALL SELECT 'pg_subscription'::regclass, oid, 0 FROM pg_subscription WHERE subname = 'sub'
  UNION ALL SELECT 'pg_event_trigger'::regclass, oid, 0 FROM pg_event_trigger
  UNION ALL SELECT 'pg_authid'::regclass, oid, 0 FROM pg_roles WHERE rolname = 'tidewire';
SELECT c, (pg_identify_object(c, oid, sub)).* FROM objects ORDER BY c::text, 5;
SELECT c, a.* FROM objects, LATERAL pg_identify_object_as_address(c, oid, sub) a ORDER BY c::text, 2, 3;
SELECT * FROM pg_identify_object(NULL, 1, 1);
DROP SUBSCRIPTION sub;
