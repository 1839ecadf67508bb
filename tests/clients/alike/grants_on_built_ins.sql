-- Privileges on PostgreSQL's own objects: languages, tablespaces, settings, relations and functions of pg_catalog. Given, shown, asked for, taken.
CREATE FUNCTION shown(aclitem[]) RETURNS text LANGUAGE sql AS $$ SELECT replace($1::text, (SELECT rolname FROM pg_roles WHERE oid = 10), 'first') $$;
CREATE ROLE gb_one;
CREATE ROLE gb_two;
-- languages
GRANT USAGE ON LANGUAGE plpgsql TO gb_one;
SELECT lanname, shown(lanacl) FROM pg_language ORDER BY 1;
REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC;
SELECT has_language_privilege('gb_one', 'plpgsql', 'USAGE'), has_language_privilege('gb_two', 'plpgsql', 'USAGE'), has_language_privilege('gb_two', 'sql', 'USAGE');
CREATE SCHEMA gb AUTHORIZATION gb_two;
SET ROLE gb_two;
CREATE FUNCTION gb.f() RETURNS int LANGUAGE plpgsql AS 'begin return 1; end';
CREATE FUNCTION gb.f() RETURNS int LANGUAGE sql AS 'SELECT 1';
DO 'begin end';
SET ROLE gb_one;
DO 'begin end';
RESET ROLE;
GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC;
REVOKE USAGE ON LANGUAGE plpgsql FROM gb_one;
SELECT shown(lanacl) FROM pg_language WHERE lanname = 'plpgsql';
GRANT USAGE ON LANGUAGE c TO gb_one;
GRANT USAGE ON LANGUAGE nope TO gb_one;
GRANT SELECT ON LANGUAGE sql TO gb_one;
-- tablespaces
GRANT CREATE ON TABLESPACE pg_default TO gb_one WITH GRANT OPTION;
SELECT spcname, shown(spcacl) FROM pg_tablespace ORDER BY 1;
SELECT has_tablespace_privilege('gb_one', 'pg_default', 'CREATE WITH GRANT OPTION'), has_tablespace_privilege('gb_two', 'pg_default', 'CREATE');
SET ROLE gb_one;
GRANT CREATE ON TABLESPACE pg_default TO gb_two;
GRANT CREATE ON TABLESPACE pg_global TO gb_two;
RESET ROLE;
SELECT spcname, shown(spcacl) FROM pg_tablespace ORDER BY 1;
REVOKE CREATE ON TABLESPACE pg_default FROM gb_one;
REVOKE CREATE ON TABLESPACE pg_default FROM gb_one CASCADE;
SELECT spcname, shown(spcacl) FROM pg_tablespace ORDER BY 1;
GRANT CREATE ON TABLESPACE nope TO gb_one;
-- settings
SET ROLE gb_one;
SET log_statement = 'none';
RESET ROLE;
GRANT SET, ALTER SYSTEM ON PARAMETER log_statement TO gb_one;
GRANT SET ON PARAMETER log_statement, gb.custom TO gb_two WITH GRANT OPTION;
SELECT parname, shown(paracl) FROM pg_parameter_acl ORDER BY 1;
SET ROLE gb_one;
SET log_statement = 'none';
RESET log_statement;
RESET ROLE;
SELECT has_parameter_privilege('gb_one', 'log_statement', 'ALTER SYSTEM'), has_parameter_privilege('gb_two', 'log_statement', 'ALTER SYSTEM'), has_parameter_privilege('gb_two', 'log_statement', 'SET WITH GRANT OPTION');
DROP ROLE gb_one;
REVOKE ALL ON PARAMETER log_statement, gb.custom FROM gb_one, gb_two;
SELECT parname, shown(paracl) FROM pg_parameter_acl ORDER BY 1;
GRANT SET ON PARAMETER nonesuch TO gb_one;
GRANT SELECT ON PARAMETER work_mem TO gb_one;
-- relations
SELECT relname, shown(relacl) FROM pg_class WHERE relname IN ('pg_class', 'pg_authid', 'pg_stat_activity', 'pg_subscription') ORDER BY 1;
SELECT attname, shown(attacl) FROM pg_attribute WHERE attrelid = 'pg_subscription'::regclass AND attnum > 0 ORDER BY 1;
GRANT SELECT ON pg_authid TO gb_one;
GRANT SELECT (rolname, oid) ON pg_authid TO gb_two;
SELECT shown(relacl) FROM pg_class WHERE relname = 'pg_authid';
SELECT attname, shown(attacl) FROM pg_attribute WHERE attrelid = 'pg_authid'::regclass AND attacl IS NOT NULL ORDER BY 1;
SELECT has_table_privilege('gb_one', 'pg_authid', 'SELECT'), has_table_privilege('gb_two', 'pg_authid', 'SELECT'), has_column_privilege('gb_two', 'pg_authid', 'rolname', 'SELECT');
SET ROLE gb_one;
SELECT rolpassword FROM pg_authid WHERE rolname = 'gb_one';
SET ROLE gb_two;
SELECT rolname FROM pg_authid WHERE rolname = 'gb_one';
SELECT rolpassword FROM pg_authid WHERE rolname = 'gb_one';
RESET ROLE;
REVOKE SELECT ON pg_stat_activity FROM PUBLIC;
REVOKE SELECT ON TABLE information_schema.sql_features FROM PUBLIC;
GRANT SELECT ON pg_catalog.pg_stat_activity TO gb_two;
SET ROLE gb_one;
SELECT count(*) FROM pg_stat_activity;
SELECT count(*) FROM information_schema.sql_features;
SET ROLE gb_two;
SELECT count(*) > 0 FROM pg_stat_activity;
RESET ROLE;
SELECT relname, shown(relacl) FROM pg_class WHERE relname IN ('pg_stat_activity', 'sql_features') ORDER BY 1;
GRANT SELECT ON ALL TABLES IN SCHEMA information_schema TO gb_one;
SET ROLE gb_one;
SELECT count(*) >= 0 FROM information_schema.sql_features;
RESET ROLE;
-- what is said of a relation is said in one database, of a tablespace in all
GRANT CREATE ON TABLESPACE pg_default TO gb_one;
SELECT current_database() AS here \gset
CREATE DATABASE alike_gb_other TEMPLATE template0;
\c alike_gb_other
SELECT has_table_privilege('gb_one', 'pg_authid', 'SELECT'), has_tablespace_privilege('gb_one', 'pg_default', 'CREATE');
GRANT SELECT ON pg_authid TO gb_one;
REVOKE SELECT ON pg_authid FROM gb_one;
\c :here
DROP DATABASE alike_gb_other;
REVOKE CREATE ON TABLESPACE pg_default FROM gb_one;
-- functions
SELECT oid::regprocedure, shown(proacl) FROM pg_proc WHERE proname IN ('pg_stat_reset', 'pg_ls_waldir', 'upper') ORDER BY oid::regprocedure::text COLLATE "C";
GRANT EXECUTE ON FUNCTION pg_stat_reset() TO gb_one;
GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_file(text) TO gb_two;
REVOKE EXECUTE ON FUNCTION pg_read_file(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION pg_ls_waldir() FROM pg_monitor;
SELECT oid::regprocedure, shown(proacl) FROM pg_proc WHERE proname IN ('pg_stat_reset', 'pg_ls_waldir') OR oid = 'pg_read_file(text)'::regprocedure ORDER BY oid::regprocedure::text COLLATE "C";
SELECT has_function_privilege('gb_one', 'pg_stat_reset()', 'EXECUTE'), has_function_privilege('gb_two', 'pg_stat_reset()', 'EXECUTE'), has_function_privilege('pg_monitor', 'pg_ls_waldir()', 'EXECUTE');
SET ROLE gb_one;
SELECT pg_stat_reset();
SET ROLE gb_two;
SELECT pg_stat_reset();
GRANT EXECUTE ON FUNCTION pg_stat_reset() TO gb_one;
RESET ROLE;
DROP ROLE gb_two;
DROP OWNED BY gb_one, gb_two;
DROP ROLE gb_one, gb_two;
