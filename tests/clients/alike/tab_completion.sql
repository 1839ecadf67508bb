-- What psql asks for completions at the key Tab: every statement that it sent when it was asked for a hundred of them.
CREATE TABLE people (id int PRIMARY KEY, name text, "Mixed Name" int);
CREATE TABLE pets (id int, owner int REFERENCES people);
CREATE INDEX pets_owner ON pets (owner);
CREATE VIEW pview AS SELECT 1 AS a;
CREATE SEQUENCE pseq;
CREATE SCHEMA pschema;
CREATE TABLE pschema.parts (a int);
CREATE TYPE pmood AS ENUM ('happy', 'sad');
CREATE DOMAIN pdom AS int;
CREATE MATERIALIZED VIEW pmat AS SELECT 1 AS a;
COMMENT ON TABLE people IS 'x';

SELECT * FROM (
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'S', 'v', 'm', 'f', 'p') AND (c.relname) LIKE 'p%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT c.relname, n.nspname FROM pg_catalog.pg_class c, pg_catalog.pg_namespace n WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'S', 'v', 'm', 'f', 'p') AND (c.relname) LIKE '%' AND n.nspname = 'pschema'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT a.attname, NULL::pg_catalog.text FROM pg_catalog.pg_attribute a, pg_catalog.pg_class c WHERE c.oid = a.attrelid and a.attnum > 0 and not a.attisdropped AND (a.attname) LIKE '%' AND c.relname = 'people' AND pg_catalog.pg_table_is_visible(c.oid)
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'f', 'v', 'p') AND (c.relname) LIKE 'p%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p') AND (c.relname) LIKE 'p%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('i', 'I') AND (c.relname) LIKE 'p%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('v') AND (c.relname) LIKE 'p%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('S') AND (c.relname) LIKE 'p%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT nspname FROM pg_catalog.pg_namespace  WHERE nspname LIKE 'p%'
LIMIT 1000
) q ORDER BY 1;
SELECT * FROM (
SELECT t.typname, NULL::pg_catalog.text FROM pg_catalog.pg_type t WHERE (t.typrelid = 0  OR (SELECT c.relkind = 'c'     FROM pg_catalog.pg_class c WHERE c.oid = t.typrelid)) AND t.typname !~ '^_' AND (t.typname) LIKE 'p%' AND pg_catalog.pg_type_is_visible(t.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT t.typname, NULL::pg_catalog.text FROM pg_catalog.pg_type t WHERE t.typtype = 'd' AND (t.typname) LIKE 'p%' AND pg_catalog.pg_type_is_visible(t.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('m') AND (c.relname) LIKE 'p%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT con.conname, NULL::pg_catalog.text FROM pg_catalog.pg_constraint con, pg_catalog.pg_class c1 WHERE con.conrelid=c1.oid AND (con.conname) LIKE '%' AND c1.relname = 'people' AND pg_catalog.pg_table_is_visible(c1.oid)
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT pg_catalog.quote_literal(enumlabel), NULL::pg_catalog.text FROM pg_catalog.pg_enum e, pg_catalog.pg_type t WHERE t.oid = e.enumtypid AND (pg_catalog.quote_literal(enumlabel)) LIKE '%' AND t.typname = 'pmood' AND pg_catalog.pg_type_is_visible(t.oid)
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT e.enumlabel, NULL::pg_catalog.text FROM pg_catalog.pg_enum e, pg_catalog.pg_type t WHERE t.oid = e.enumtypid AND (e.enumlabel) LIKE '%' AND t.typname = 'pmood' AND pg_catalog.pg_type_is_visible(t.oid)
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE (c.relname) LIKE 'p%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT p.proname, NULL::pg_catalog.text FROM pg_catalog.pg_proc p WHERE p.prokind != 'p' AND (p.proname) LIKE 'pg\_tab%' AND pg_catalog.pg_function_is_visible(p.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'pg\_tab%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT p.proname, NULL::pg_catalog.text FROM pg_catalog.pg_proc p WHERE p.prokind != 'p' AND (p.proname) LIKE 'pg\_table%' AND pg_catalog.pg_function_is_visible(p.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'pg\_table%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT p.proname, NULL::pg_catalog.text FROM pg_catalog.pg_proc p WHERE (p.proname) LIKE 'pg\_tab%' AND pg_catalog.pg_function_is_visible(p.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'pg\_tab%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT p.proname, NULL::pg_catalog.text FROM pg_catalog.pg_proc p WHERE (p.proname) LIKE 'pg\_table%' AND pg_catalog.pg_function_is_visible(p.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'pg\_table%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT pg_catalog.lower(name) FROM pg_catalog.pg_settings  WHERE context IN ('user', 'superuser')    AND pg_catalog.lower(name) LIKE pg_catalog.lower('search\_%')
LIMIT 1000
) q ORDER BY 1;
SELECT * FROM (
SELECT nspname FROM pg_catalog.pg_namespace  WHERE nspname LIKE 'p%' AND nspname NOT LIKE E'pg\\_toast%' AND nspname NOT LIKE E'pg\\_temp%'
LIMIT 1000
) q ORDER BY 1;
SELECT * FROM (
SELECT pg_catalog.lower(name) FROM pg_catalog.pg_settings  WHERE pg_catalog.lower(name) LIKE pg_catalog.lower('work%')
LIMIT 1000
) q ORDER BY 1;
SELECT * FROM (
SELECT pg_catalog.lower(name) FROM pg_catalog.pg_settings  WHERE context IN ('user', 'superuser')    AND pg_catalog.lower(name) LIKE pg_catalog.lower('work%')
LIMIT 1000
) q ORDER BY 1;
SELECT * FROM (
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'f', 'p') AND (c.relname) LIKE 'p%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p', 'm') AND (c.relname) LIKE 'p%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p', 'm', 'f') AND (c.relname) LIKE 'p%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('v') AND (c.relname) LIKE 'pv%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'pv%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT name    FROM pg_catalog.pg_prepared_statements   WHERE name LIKE 'p%'
LIMIT 1000
) q ORDER BY 1;
SELECT * FROM (
SELECT name    FROM pg_catalog.pg_cursors   WHERE name LIKE 'p%'
LIMIT 1000
) q ORDER BY 1;
SELECT * FROM (
SELECT name    FROM pg_catalog.pg_cursors   WHERE name LIKE '%'
LIMIT 1000
) q ORDER BY 1;
SELECT * FROM (
SELECT t.typname, NULL::pg_catalog.text FROM pg_catalog.pg_type t WHERE (SELECT c.relkind = 'c' FROM pg_catalog.pg_class c WHERE c.oid = t.typrelid) AND t.typname !~ '^_' AND (t.typname) LIKE 'p%' AND pg_catalog.pg_type_is_visible(t.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p')  AND (c.relname) LIKE 'p%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT p.proname, NULL::pg_catalog.text FROM pg_catalog.pg_proc p WHERE p.prokind = 'p' AND (p.proname) LIKE 'p%' AND pg_catalog.pg_function_is_visible(p.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'p%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT srvname    FROM pg_catalog.pg_foreign_server   WHERE srvname LIKE 's%'
LIMIT 1000
) q ORDER BY 1;
SELECT * FROM (
SELECT pubname    FROM pg_catalog.pg_publication   WHERE pubname LIKE 'p%'
LIMIT 1000
) q ORDER BY 1;
SELECT * FROM (
SELECT proname    FROM pg_catalog.pg_proc   WHERE prorettype = 'pg_catalog.tsm_handler'::pg_catalog.regtype AND         proargtypes[0] = 'pg_catalog.internal'::pg_catalog.regtype AND         proname LIKE '%'
LIMIT 1000
) q ORDER BY 1;
SELECT * FROM (
SELECT t.tgname, NULL::pg_catalog.text FROM pg_catalog.pg_trigger t, pg_catalog.pg_class c1 WHERE t.tgrelid=c1.oid and not t.tgisinternal AND (t.tgname) LIKE '%' AND c1.relname = 'people' AND pg_catalog.pg_table_is_visible(c1.oid)
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT tgname FROM pg_catalog.pg_trigger WHERE tgname LIKE '%' AND NOT tgisinternal
LIMIT 1000
) q ORDER BY 1;
SELECT * FROM (
SELECT polname    FROM pg_catalog.pg_policy   WHERE polname LIKE '%'
LIMIT 1000
) q ORDER BY 1;
SELECT * FROM (
SELECT p.proname, NULL::pg_catalog.text FROM pg_catalog.pg_proc p WHERE p.prokind = 'a' AND (p.proname) LIKE 's%' AND pg_catalog.pg_function_is_visible(p.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 's%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000
) q ORDER BY 1, 2;
SELECT * FROM (
SELECT lanname   FROM pg_catalog.pg_language  WHERE lanname != 'internal'    AND lanname LIKE '%'
LIMIT 1000
) q ORDER BY 1;
SELECT * FROM (
SELECT spcname FROM pg_catalog.pg_tablespace  WHERE spcname LIKE '%'
LIMIT 1000
) q ORDER BY 1;
SELECT * FROM (
SELECT spcname FROM pg_catalog.pg_tablespace  WHERE spcname LIKE 'pg\_%'
LIMIT 1000
) q ORDER BY 1;
SELECT name FROM pg_catalog.pg_timezone_names() WHERE pg_catalog.lower(name) LIKE pg_catalog.lower('Europe/Be%') ORDER BY 1;
SELECT name, utc_offset FROM pg_timezone_names WHERE name IN ('UTC', 'Asia/Kathmandu', 'America/Bogota') ORDER BY name;
SELECT name, utc_offset, is_dst FROM pg_timezone_names() WHERE name IN ('UTC', 'Asia/Kathmandu', 'America/Bogota') ORDER BY name;
