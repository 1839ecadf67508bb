\set VERBOSITY verbose
-- an extension is an object of its database
CREATE EXTENSION "uuid-ossp";
CREATE EXTENSION "uuid-ossp";
CREATE EXTENSION IF NOT EXISTS "uuid-ossp";
CREATE EXTENSION IF NOT EXISTS pgcrypto WITH SCHEMA public VERSION '1.3' CASCADE;
CREATE EXTENSION unaccent WITH SCHEMA public VERSION '1.1' SCHEMA public;
CREATE EXTENSION pg_trgm VERSION '9.9';
CREATE EXTENSION pg_trgm SCHEMA nowhere;
CREATE EXTENSION pg_trgm WITH NONSENSE;
CREATE EXTENSION;
SELECT extname, extversion, nspname, extrelocatable, extconfig, rolname = current_user
FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace JOIN pg_roles r ON r.oid = extowner WHERE extname <> 'plpgsql' ORDER BY 1;
SELECT name, default_version, installed_version, comment FROM pg_available_extensions
WHERE name IN ('btree_gin', 'btree_gist', 'fuzzystrmatch', 'pg_trgm', 'pgcrypto', 'unaccent', 'uuid-ossp') ORDER BY 1;
SELECT name, version, installed, superuser, trusted, relocatable, schema, requires FROM pg_available_extension_versions
WHERE (name, version) IN (('btree_gin', '1.3'), ('btree_gist', '1.7'), ('fuzzystrmatch', '1.1'), ('pg_trgm', '1.6'), ('pgcrypto', '1.3'), ('unaccent', '1.1'), ('uuid-ossp', '1.1')) ORDER BY 1;
\dx uuid*
-- comments
SELECT obj_description(oid, 'pg_extension') FROM pg_extension WHERE extname = 'pgcrypto';
COMMENT ON EXTENSION pgcrypto IS 'secrets';
\dx pgcrypto
COMMENT ON EXTENSION pgcrypto IS NULL;
SELECT obj_description(oid, 'pg_extension') FROM pg_extension WHERE extname = 'pgcrypto';
COMMENT ON EXTENSION nothing IS 'x';
-- where it is found
SELECT uuid_ns_dns();
SET search_path = '';
SELECT uuid_ns_dns();
SELECT public.uuid_ns_dns();
SELECT pg_catalog.uuid_ns_dns();
RESET search_path;
CREATE SCHEMA s;
ALTER EXTENSION "uuid-ossp" SET SCHEMA s;
SELECT uuid_ns_dns();
SELECT s.uuid_ns_dns();
SELECT public.uuid_ns_dns();
SET search_path = public, s;
SELECT uuid_ns_dns();
RESET search_path;
ALTER EXTENSION "uuid-ossp" SET SCHEMA nowhere;
ALTER EXTENSION nothing SET SCHEMA s;
ALTER EXTENSION "uuid-ossp" UPDATE;
ALTER EXTENSION "uuid-ossp" UPDATE TO '1.1';
ALTER EXTENSION "uuid-ossp" UPDATE TO '7';
-- who uses it
CREATE TABLE t (id uuid PRIMARY KEY DEFAULT s.uuid_generate_v4(), n text CHECK (length(s.uuid_nil()::text || n) > 36), g uuid GENERATED ALWAYS AS (s.uuid_generate_v5(s.uuid_ns_url(), n)) STORED);
\d t
INSERT INTO t (n) VALUES ('a'), ('b') RETURNING n, g;
INSERT INTO t (n) VALUES ('c') RETURNING n, g, length(id::text);
CREATE VIEW v AS SELECT s.uuid_nil() AS nothing, n FROM t;
DROP EXTENSION "uuid-ossp";
DROP SCHEMA s;
ALTER EXTENSION "uuid-ossp" SET SCHEMA public;
\d t
SELECT * FROM v ORDER BY n;
INSERT INTO t (n) VALUES ('d') RETURNING n, g;
BEGIN;
DROP VIEW v;
ALTER TABLE t DROP COLUMN g;
ALTER TABLE t DROP CONSTRAINT t_n_check;
DROP EXTENSION "uuid-ossp" CASCADE;
\d t
SELECT uuid_nil();
ROLLBACK;
SELECT uuid_nil();
DROP SCHEMA s;
-- a transaction that does not last
BEGIN;
CREATE EXTENSION unaccent;
SELECT unaccent('Hôtel');
ROLLBACK;
SELECT unaccent('Hôtel');
DROP EXTENSION unaccent;
DROP EXTENSION IF EXISTS unaccent, nothing;
DROP EXTENSION IF EXISTS pgcrypto RESTRICT;
SELECT digest('a', 'md5');
-- classes of operators
CREATE TABLE w (id int PRIMARY KEY, a text, b varchar(20), c int);
CREATE INDEX ON w USING gin (a gin_trgm_ops);
CREATE EXTENSION pg_trgm;
CREATE EXTENSION btree_gin;
CREATE EXTENSION btree_gist;
CREATE INDEX w_gin ON w USING gin (a gin_trgm_ops);
CREATE INDEX w_gist ON w USING gist (b gist_trgm_ops);
CREATE INDEX w_mixed ON w USING gin (c, a gin_trgm_ops);
CREATE INDEX ON w USING gin (c gin_trgm_ops);
CREATE INDEX ON w USING gist (c gist_trgm_ops);
\d w
SET search_path = '';
SELECT pg_get_indexdef('public.w_gin'::regclass);
RESET search_path;
DROP EXTENSION pg_trgm;
DROP INDEX w_gin, w_gist, w_mixed;
SELECT 'a' % 'b';
DROP EXTENSION pg_trgm;
SELECT 'a' % 'b';
\d w
-- rights
CREATE ROLE alike_extender LOGIN;
SET ROLE alike_extender;
CREATE EXTENSION unaccent;
DROP EXTENSION btree_gin;
ALTER EXTENSION btree_gin UPDATE;
COMMENT ON EXTENSION btree_gin IS 'x';
RESET ROLE;
GRANT CREATE ON DATABASE alike_extensions_come_and_go TO alike_extender;
CREATE SCHEMA theirs AUTHORIZATION alike_extender;
SET ROLE alike_extender;
CREATE EXTENSION unaccent SCHEMA theirs;
SELECT theirs.unaccent('é');
RESET ROLE;
SELECT extname, rolname FROM pg_extension JOIN pg_roles r ON r.oid = extowner WHERE extname = 'unaccent';
DROP SCHEMA theirs;
DROP SCHEMA theirs CASCADE;
SELECT count(*) FROM pg_extension WHERE extname = 'unaccent';
DROP OWNED BY alike_extender;
DROP ROLE alike_extender;
