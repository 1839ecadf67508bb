-- Objects of every class in words, and by names that hold on every search path: users' and PostgreSQL's own.
CREATE SCHEMA app;
CREATE TYPE app.mood AS ENUM ('sad', 'ok');
CREATE TYPE app.pair AS (x int, y app.mood);
CREATE FUNCTION app.positive(int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1 > 0';
CREATE PROCEDURE app.told(text) LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION app.fired() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE FUNCTION app.added(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + $2';
CREATE FUNCTION app.alike(app.pair, app.pair) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE FUNCTION app.number(app.mood) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
CREATE FUNCTION app.hit(app.mood) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE AGGREGATE app.total(int) (SFUNC = app.added, STYPE = int, INITCOND = '0');
CREATE OPERATOR app.=== (LEFTARG = app.pair, RIGHTARG = app.pair, FUNCTION = app.alike);
CREATE OPERATOR app.!!! (RIGHTARG = app.mood, FUNCTION = app.hit);
CREATE CAST (app.mood AS int) WITH FUNCTION app.number(app.mood);
CREATE DOMAIN app.pos AS int CONSTRAINT pos_ck CHECK (app.positive(VALUE));
CREATE COLLATION app.german (provider = icu, locale = 'de');
CREATE CONVERSION app.latin FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8;
CREATE OPERATOR FAMILY app.fam USING btree;
CREATE OPERATOR CLASS app.cls FOR TYPE int4 USING btree FAMILY app.fam AS OPERATOR 3 =, FUNCTION 1 btint4cmp(int4, int4);
CREATE TEXT SEARCH DICTIONARY app.dict (TEMPLATE = simple);
CREATE TEXT SEARCH CONFIGURATION app.cfg (PARSER = default);
CREATE TABLE app."T t" (id serial PRIMARY KEY, "a b" int DEFAULT 1 CHECK ("a b" > 0), g int GENERATED ALWAYS AS (1) STORED);
CREATE TABLE app.parts (k int) PARTITION BY RANGE (k);
CREATE INDEX parts_k ON app.parts (k);
CREATE VIEW app.v AS SELECT id FROM app."T t";
CREATE MATERIALIZED VIEW app.mv AS SELECT id FROM app."T t";
CREATE RULE r AS ON DELETE TO app."T t" DO INSTEAD NOTHING;
CREATE TRIGGER fires AFTER INSERT ON app."T t" FOR EACH ROW EXECUTE FUNCTION app.fired();
CREATE POLICY pol ON app."T t";
CREATE STATISTICS app.st ON id, "a b" FROM app."T t";
CREATE FOREIGN DATA WRAPPER described_wrapper;
CREATE SERVER described_server FOREIGN DATA WRAPPER described_wrapper;
CREATE USER MAPPING FOR PUBLIC SERVER described_server;
CREATE USER MAPPING FOR tidewire SERVER described_server;
CREATE FOREIGN TABLE app.ft (a int) SERVER described_server;
ALTER DEFAULT PRIVILEGES IN SCHEMA app GRANT SELECT ON TABLES TO PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
CREATE VIEW public.objects AS
  SELECT 'pg_class'::regclass AS c, oid, 0 AS sub FROM pg_class WHERE relnamespace = 'app'::regnamespace
  UNION ALL SELECT 'pg_class'::regclass, attrelid, attnum FROM pg_attribute
    WHERE attnum > 0 AND attrelid IN ('app."T t"'::regclass, 'app.v'::regclass, 'app.pair'::regclass, 'app.mv'::regclass)
  UNION ALL SELECT 'pg_proc'::regclass, oid, 0 FROM pg_proc WHERE pronamespace = 'app'::regnamespace OR proname IN ('now', 'count')
  UNION ALL SELECT 'pg_type'::regclass, oid, 0 FROM pg_type WHERE typnamespace = 'app'::regnamespace OR typname IN ('int4', '_text', 'pg_class')
  UNION ALL SELECT 'pg_constraint'::regclass, oid, 0 FROM pg_constraint WHERE connamespace = 'app'::regnamespace
  UNION ALL SELECT 'pg_attrdef'::regclass, oid, 0 FROM pg_attrdef
  UNION ALL SELECT 'pg_rewrite'::regclass, oid, 0 FROM pg_rewrite WHERE ev_class >= 16384
  UNION ALL SELECT 'pg_trigger'::regclass, oid, 0 FROM pg_trigger
  UNION ALL SELECT 'pg_policy'::regclass, oid, 0 FROM pg_policy
  UNION ALL SELECT 'pg_namespace'::regclass, oid, 0 FROM pg_namespace WHERE nspname IN ('app', 'pg_catalog')
  UNION ALL SELECT 'pg_cast'::regclass, oid, 0 FROM pg_cast WHERE castsource = 'app.mood'::regtype OR (castsource, casttarget) = (23, 20)
  UNION ALL SELECT 'pg_operator'::regclass, oid, 0 FROM pg_operator WHERE oprnamespace = 'app'::regnamespace OR oid IN (551, 558)
  UNION ALL SELECT 'pg_opclass'::regclass, oid, 0 FROM pg_opclass WHERE opcnamespace = 'app'::regnamespace OR opcname = 'int4_ops'
  UNION ALL SELECT 'pg_opfamily'::regclass, oid, 0 FROM pg_opfamily WHERE opfnamespace = 'app'::regnamespace OR opfname = 'integer_ops'
  UNION ALL SELECT 'pg_amop'::regclass, a.oid, 0 FROM pg_amop a JOIN pg_opfamily f ON f.oid = amopfamily WHERE opfname = 'fam'
  UNION ALL SELECT 'pg_amproc'::regclass, a.oid, 0 FROM pg_amproc a JOIN pg_opfamily f ON f.oid = amprocfamily WHERE opfname = 'fam'
  UNION ALL SELECT 'pg_conversion'::regclass, oid, 0 FROM pg_conversion WHERE conname IN ('latin', 'iso_8859_1_to_utf8')
  UNION ALL SELECT 'pg_collation'::regclass, oid, 0 FROM pg_collation WHERE collname IN ('german', 'C')
  UNION ALL SELECT 'pg_language'::regclass, oid, 0 FROM pg_language
  UNION ALL SELECT 'pg_am'::regclass, oid, 0 FROM pg_am
  UNION ALL SELECT 'pg_ts_config'::regclass, oid, 0 FROM pg_ts_config WHERE cfgname IN ('cfg', 'english')
  UNION ALL SELECT 'pg_ts_dict'::regclass, oid, 0 FROM pg_ts_dict WHERE dictname IN ('dict', 'simple')
  UNION ALL SELECT 'pg_ts_parser'::regclass, oid, 0 FROM pg_ts_parser
  UNION ALL SELECT 'pg_ts_template'::regclass, oid, 0 FROM pg_ts_template
  UNION ALL SELECT 'pg_statistic_ext'::regclass, oid, 0 FROM pg_statistic_ext
  UNION ALL SELECT 'pg_foreign_data_wrapper'::regclass, oid, 0 FROM pg_foreign_data_wrapper
  UNION ALL SELECT 'pg_foreign_server'::regclass, oid, 0 FROM pg_foreign_server
  UNION ALL SELECT 'pg_user_mapping'::regclass, oid, 0 FROM pg_user_mapping
  UNION ALL SELECT 'pg_default_acl'::regclass, oid, 0 FROM pg_default_acl
  UNION ALL SELECT 'pg_extension'::regclass, oid, 0 FROM pg_extension
  UNION ALL SELECT 'pg_tablespace'::regclass, oid, 0 FROM pg_tablespace
  UNION ALL SELECT 'pg_database'::regclass, oid, 0 FROM pg_database WHERE datname = current_database()
  UNION ALL SELECT v::regclass, 99999, 0 FROM (VALUES ('pg_class'), ('pg_proc'), ('pg_constraint'), ('pg_type')) AS x (v)
  UNION ALL SELECT 'pg_class'::regclass, 'app.v'::regclass, 99;
SELECT c, pg_describe_object(c, oid, sub) AS d FROM objects ORDER BY c::text, d;
SET search_path = app;
SELECT c, pg_describe_object(c, oid, sub) AS d FROM public.objects WHERE oid >= 16384 ORDER BY c::text, d;
RESET search_path;
SELECT c, i.* FROM objects, LATERAL pg_identify_object(c, oid, sub) i ORDER BY c::text, i::text;
SELECT c, a.* FROM objects, LATERAL pg_identify_object_as_address(c, oid, sub) a ORDER BY c::text, a::text;
SELECT pg_describe_object('pg_attribute'::regclass, 1, 0);
SELECT pg_identify_object('pg_attribute'::regclass, 1, 0);
SELECT pg_describe_object(0, 0, 0), pg_describe_object(NULL, 1, 0);
-- No catalog is not any catalog.
create table described_by_none (a int);
comment on table described_by_none is 'a few';
select obj_description('described_by_none'::regclass), obj_description('described_by_none'::regclass, null), obj_description('described_by_none'::regclass, 'pg_class'), obj_description(null, 'pg_class');
drop table described_by_none;
