-- What everybody may use of itself: languages and types; tablespaces nobody may create in.
CREATE ROLE priv_of_everybody;
CREATE TYPE priv_made AS ENUM ('a');
REVOKE USAGE ON TYPE priv_made FROM PUBLIC;
SELECT has_language_privilege('priv_of_everybody', 'plpgsql', 'USAGE'), has_language_privilege('priv_of_everybody', 'sql', 'usage'),
       has_language_privilege('priv_of_everybody', 14::oid, 'USAGE'), has_language_privilege('priv_of_everybody', 'sql', 'USAGE WITH GRANT OPTION'),
       has_language_privilege('priv_of_everybody', 99::oid, 'USAGE'), has_language_privilege('sql', 'USAGE');
SELECT has_language_privilege('priv_of_everybody', 'nope', 'USAGE');
SELECT has_language_privilege('priv_of_everybody', 'sql', 'SELECT');
SELECT lanname FROM pg_language WHERE has_language_privilege('priv_of_everybody', oid, 'USAGE') ORDER BY 1;
SELECT has_type_privilege('priv_of_everybody', 'int4', 'USAGE'), has_type_privilege('priv_of_everybody', 'character varying(9)', 'USAGE'),
       has_type_privilege('priv_of_everybody', 23::oid, 'USAGE'), has_type_privilege('priv_of_everybody', 'integer[]', 'USAGE'),
       has_type_privilege('priv_of_everybody', 'priv_made', 'USAGE'), has_type_privilege('priv_made', 'USAGE'),
       has_type_privilege('priv_of_everybody', 999999::oid, 'USAGE');
SELECT has_type_privilege('priv_of_everybody', 'nope', 'USAGE');
SELECT has_tablespace_privilege('priv_of_everybody', 'pg_default', 'CREATE'), has_tablespace_privilege('priv_of_everybody', 1664::oid, 'CREATE'),
       has_tablespace_privilege('priv_of_everybody', 99::oid, 'CREATE'), has_tablespace_privilege('pg_default', 'CREATE');
SELECT has_tablespace_privilege('priv_of_everybody', 'nope', 'CREATE');
GRANT USAGE ON TYPE priv_made TO priv_of_everybody;
SELECT has_type_privilege('priv_of_everybody', 'priv_made', 'USAGE');
DROP TYPE priv_made;
DROP ROLE priv_of_everybody;
