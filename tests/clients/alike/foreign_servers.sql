-- Foreign-data wrappers, servers and user mappings, as a PostgreSQL without a handler keeps them.
\set VERBOSITY verbose
CREATE ROLE fdw_ann; CREATE ROLE fdw_bob; CREATE ROLE fdw_boss SUPERUSER;
CREATE FOREIGN DATA WRAPPER plain;
CREATE FOREIGN DATA WRAPPER plain;
CREATE FOREIGN DATA WRAPPER checked VALIDATOR postgresql_fdw_validator;
CREATE FOREIGN DATA WRAPPER bad VALIDATOR absent;
CREATE FOREIGN DATA WRAPPER bad VALIDATOR nowhere.absent;
CREATE FOREIGN DATA WRAPPER bad HANDLER absent;
CREATE FOREIGN DATA WRAPPER bad HANDLER now;
CREATE FOREIGN DATA WRAPPER bad VALIDATOR postgresql_fdw_validator NO VALIDATOR;
CREATE FOREIGN DATA WRAPPER bad VALIDATOR postgresql_fdw_validator OPTIONS (host 'x');
CREATE FOREIGN DATA WRAPPER bad OPTIONS (a '1', a '2');
CREATE FOREIGN DATA WRAPPER bad OPTIONS (a 1);
CREATE FOREIGN DATA WRAPPER bad OPTIONS ();
CREATE FUNCTION seven() RETURNS int LANGUAGE sql AS 'SELECT 7';
CREATE FOREIGN DATA WRAPPER bad HANDLER seven;
CREATE FOREIGN DATA WRAPPER "Odd One" NO HANDLER NO VALIDATOR OPTIONS (a '1=2', "Two Words" 'it''s', add '3', empty '');
ALTER FOREIGN DATA WRAPPER "Odd One" OPTIONS (SET a '4', DROP empty, ADD last 'z', DROP add, plain 'p');
ALTER FOREIGN DATA WRAPPER "Odd One" OPTIONS (SET absent '4');
ALTER FOREIGN DATA WRAPPER "Odd One" OPTIONS (DROP absent);
ALTER FOREIGN DATA WRAPPER "Odd One" OPTIONS (ADD a '4');
ALTER FOREIGN DATA WRAPPER "Odd One" VALIDATOR postgresql_fdw_validator;
ALTER FOREIGN DATA WRAPPER "Odd One" OPTIONS (SET a '5');
ALTER FOREIGN DATA WRAPPER "Odd One" NO VALIDATOR;
ALTER FOREIGN DATA WRAPPER "Odd One" NO HANDLER;
ALTER FOREIGN DATA WRAPPER "Odd One" HANDLER seven;
ALTER FOREIGN DATA WRAPPER absent NO VALIDATOR;
ALTER FOREIGN DATA WRAPPER plain;
COMMENT ON FOREIGN DATA WRAPPER plain IS 'nothing to it';
COMMENT ON FOREIGN DATA WRAPPER absent IS 'x';
ALTER FOREIGN DATA WRAPPER plain RENAME TO checked;
ALTER FOREIGN DATA WRAPPER plain RENAME TO simple;
ALTER FOREIGN DATA WRAPPER absent RENAME TO simple;
ALTER FOREIGN DATA WRAPPER simple OWNER TO fdw_ann;
ALTER FOREIGN DATA WRAPPER simple OWNER TO absent;
ALTER FOREIGN DATA WRAPPER absent OWNER TO fdw_boss;
ALTER FOREIGN DATA WRAPPER simple OWNER TO fdw_boss;
\dew
\dew+

-- servers
CREATE SERVER one FOREIGN DATA WRAPPER absent;
CREATE SERVER one FOREIGN DATA WRAPPER simple;
CREATE SERVER one FOREIGN DATA WRAPPER simple;
CREATE SERVER IF NOT EXISTS one FOREIGN DATA WRAPPER absent;
CREATE SERVER two TYPE 'kind' VERSION '1.0' FOREIGN DATA WRAPPER checked OPTIONS (host 'h', port '5');
CREATE SERVER three VERSION NULL FOREIGN DATA WRAPPER checked OPTIONS (horst 'h');
CREATE SERVER three VERSION NULL FOREIGN DATA WRAPPER checked OPTIONS (host 'h', host 'i');
CREATE SERVER three FOREIGN DATA WRAPPER checked;
ALTER SERVER three VERSION '2';
ALTER SERVER three VERSION NULL OPTIONS (dbname 'd');
ALTER SERVER three OPTIONS (user 'd');
ALTER SERVER three OPTIONS (ADD port '1', DROP dbname);
ALTER SERVER three;
ALTER SERVER absent VERSION '2';
ALTER SERVER three RENAME TO two;
ALTER SERVER three RENAME TO four;
ALTER SERVER absent RENAME TO four;
ALTER SERVER four OWNER TO absent;
COMMENT ON SERVER two IS 'the second';
COMMENT ON SERVER absent IS 'x';
\des
\des+

-- user mappings
CREATE USER MAPPING FOR absent SERVER two;
CREATE USER MAPPING FOR fdw_ann SERVER absent;
CREATE USER MAPPING FOR fdw_ann SERVER two OPTIONS (user 'a', password 's3');
CREATE USER MAPPING FOR fdw_ann SERVER two;
CREATE USER MAPPING IF NOT EXISTS FOR fdw_ann SERVER two;
CREATE USER MAPPING FOR PUBLIC SERVER two OPTIONS (user 'everybody');
CREATE USER MAPPING FOR PUBLIC SERVER two;
CREATE USER MAPPING FOR fdw_bob SERVER two OPTIONS (host 'x');
CREATE USER MAPPING FOR fdw_bob SERVER one OPTIONS (anything 'goes');
ALTER USER MAPPING FOR fdw_bob SERVER one OPTIONS (SET anything 'went', more 'x');
ALTER USER MAPPING FOR fdw_bob SERVER two OPTIONS (SET anything 'went', more 'x');
ALTER USER MAPPING FOR fdw_ann SERVER two OPTIONS (DROP password);
ALTER USER MAPPING FOR fdw_ann SERVER two OPTIONS (DROP password);
ALTER USER MAPPING FOR fdw_ann SERVER two;
\deu
\deu+
SELECT srvname, usename, umoptions FROM pg_user_mappings ORDER BY 1, 2;
SELECT umuser::regrole, umoptions FROM pg_user_mapping ORDER BY 1;

-- who may what
SET ROLE fdw_ann;
CREATE FOREIGN DATA WRAPPER mine;
ALTER FOREIGN DATA WRAPPER simple OPTIONS (a 'b');
ALTER FOREIGN DATA WRAPPER simple RENAME TO x;
ALTER FOREIGN DATA WRAPPER simple OWNER TO fdw_ann;
COMMENT ON FOREIGN DATA WRAPPER simple IS 'x';
COMMENT ON SERVER two IS 'x';
DROP FOREIGN DATA WRAPPER simple;
DROP FOREIGN DATA WRAPPER IF EXISTS simple, absent;
CREATE SERVER mine FOREIGN DATA WRAPPER checked;
ALTER SERVER two VERSION '9';
ALTER SERVER two RENAME TO x;
ALTER SERVER two OWNER TO fdw_ann;
DROP SERVER two;
CREATE USER MAPPING FOR fdw_bob SERVER one;
CREATE USER MAPPING FOR fdw_ann SERVER one;
DROP USER MAPPING FOR fdw_bob SERVER one;
SELECT srvname, usename, umoptions FROM pg_user_mappings ORDER BY 1, 2;
SELECT * FROM pg_user_mapping;
IMPORT FOREIGN SCHEMA x FROM SERVER two INTO public;
GRANT USAGE ON FOREIGN DATA WRAPPER checked TO fdw_bob;
RESET ROLE;
GRANT USAGE ON FOREIGN DATA WRAPPER checked TO fdw_ann WITH GRANT OPTION;
GRANT USAGE ON FOREIGN SERVER two, one TO fdw_ann;
GRANT ALL ON FOREIGN SERVER four TO PUBLIC;
GRANT SELECT ON FOREIGN SERVER four TO PUBLIC;
GRANT USAGE ON FOREIGN DATA WRAPPER absent TO PUBLIC;
GRANT USAGE ON FOREIGN SERVER absent TO PUBLIC;
SELECT fdwname, fdwacl FROM pg_foreign_data_wrapper WHERE fdwname = 'checked';
SELECT srvname, srvacl FROM pg_foreign_server ORDER BY 1;
SELECT has_foreign_data_wrapper_privilege('fdw_ann', 'checked', 'USAGE WITH GRANT OPTION'), has_foreign_data_wrapper_privilege('fdw_bob', 'checked', 'USAGE'),
       has_server_privilege('fdw_ann', 'two', 'USAGE'), has_server_privilege('fdw_bob', 'two', 'USAGE'), has_server_privilege('fdw_bob', 'four', 'usage');
SELECT has_server_privilege('absent', 'USAGE');
SELECT has_server_privilege('two', 'SELECT');
SELECT has_foreign_data_wrapper_privilege('absent', 'USAGE');
SET ROLE fdw_ann;
GRANT USAGE ON FOREIGN DATA WRAPPER checked TO fdw_bob;
CREATE SERVER mine FOREIGN DATA WRAPPER checked OPTIONS (host 'm');
CREATE USER MAPPING FOR fdw_ann SERVER one OPTIONS (x 'y');
CREATE USER MAPPING FOR fdw_bob SERVER mine;
ALTER SERVER mine OWNER TO fdw_bob;
SELECT srvname, usename, umoptions FROM pg_user_mappings ORDER BY 1, 2;
SELECT * FROM information_schema.foreign_data_wrappers ORDER BY 2;
SELECT foreign_server_name, foreign_data_wrapper_name, foreign_server_type, foreign_server_version FROM information_schema.foreign_servers ORDER BY 1;
SELECT authorization_identifier, foreign_server_name FROM information_schema.user_mappings ORDER BY 1, 2;
SELECT authorization_identifier, foreign_server_name, option_name, option_value FROM information_schema.user_mapping_options ORDER BY 1, 2, 3;
SELECT grantee, object_type, object_name, privilege_type, is_grantable FROM information_schema.usage_privileges WHERE object_type LIKE 'FOREIGN%' AND grantee LIKE 'fdw%' ORDER BY 1, 2, 3;
IMPORT FOREIGN SCHEMA x FROM SERVER two INTO public;
RESET ROLE;
IMPORT FOREIGN SCHEMA x LIMIT TO (a, b) FROM SERVER two INTO public OPTIONS (a 'b');
IMPORT FOREIGN SCHEMA x EXCEPT (a, b) FROM SERVER absent INTO public;
IMPORT FOREIGN SCHEMA x FROM SERVER two INTO absent;
IMPORT FOREIGN SCHEMA x FROM SERVER two;
SELECT foreign_data_wrapper_name, option_name, option_value FROM information_schema.foreign_data_wrapper_options ORDER BY 1, 2;
SELECT foreign_server_name, option_name, option_value FROM information_schema.foreign_server_options ORDER BY 1, 2;
SELECT grantee, object_type, object_name, is_grantable FROM information_schema.role_usage_grants WHERE object_type LIKE 'FOREIGN%' AND grantee LIKE 'fdw%' ORDER BY 1, 2, 3;
SELECT pg_describe_object(classid, objid, 0), pg_describe_object(refclassid, refobjid, 0), deptype FROM pg_depend WHERE classid IN (1417, 1418) ORDER BY 1, 2;

-- roles that own them, and what hangs on what
DROP ROLE fdw_boss;
DROP OWNED BY fdw_bob;
SELECT usename, srvname FROM pg_user_mappings ORDER BY 1, 2;
REASSIGN OWNED BY fdw_ann TO fdw_bob;
SELECT srvname, srvowner::regrole FROM pg_foreign_server ORDER BY 1;
DROP SERVER two, four;
DROP SERVER two, absent;
DROP SERVER IF EXISTS absent;
DROP SERVER nowhere.two;
DROP FOREIGN DATA WRAPPER checked;
DROP FOREIGN DATA WRAPPER checked, simple;
BEGIN;
DROP FOREIGN DATA WRAPPER checked CASCADE;
SELECT srvname FROM pg_foreign_server;
ROLLBACK;
DROP SERVER two CASCADE;
DROP USER MAPPING FOR fdw_ann SERVER one;
DROP USER MAPPING FOR fdw_ann SERVER one;
DROP USER MAPPING IF EXISTS FOR fdw_ann SERVER one;
DROP USER MAPPING IF EXISTS FOR absent SERVER one;
DROP USER MAPPING IF EXISTS FOR fdw_ann SERVER absent;
DROP FOREIGN DATA WRAPPER checked, simple CASCADE;
DROP FOREIGN DATA WRAPPER "Odd One";
DROP FOREIGN DATA WRAPPER IF EXISTS "Odd One";
SELECT count(*) FROM pg_description WHERE classoid IN (2328, 1417);
DROP OWNED BY fdw_ann, fdw_bob, fdw_boss;
DROP ROLE fdw_ann, fdw_bob, fdw_boss;
