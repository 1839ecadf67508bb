-- COMMENT ON PostgreSQL's own objects: of every kind, over what they come with, taken away, and for superusers alone.
COMMENT ON FUNCTION pg_catalog.now() IS 'the time of the transaction';
COMMENT ON AGGREGATE count(*) IS 'rows';
COMMENT ON TYPE int4 IS 'four bytes';
COMMENT ON TYPE pg_catalog.text IS 'letters';
COMMENT ON OPERATOR pg_catalog.+ (int4, int4) IS 'a sum';
COMMENT ON OPERATOR - (NONE, int4) IS 'the other sign';
COMMENT ON CAST (int4 AS int8) IS 'longer';
COMMENT ON TABLE pg_class IS 'relations';
COMMENT ON VIEW pg_catalog.pg_tables IS 'tables';
COMMENT ON COLUMN pg_class.relname IS 'their names';
COMMENT ON COLLATION "C" IS 'bytes';
COMMENT ON CONVERSION iso_8859_1_to_utf8 IS 'of Latin 1';
COMMENT ON OPERATOR CLASS int4_ops USING btree IS 'how integers compare';
COMMENT ON OPERATOR FAMILY integer_ops USING btree IS 'all integers';
COMMENT ON TEXT SEARCH CONFIGURATION english IS 'of England';
COMMENT ON TEXT SEARCH DICTIONARY simple IS 'as it is';
COMMENT ON TEXT SEARCH PARSER "default" IS 'words';
COMMENT ON TEXT SEARCH TEMPLATE simple IS 'how';
COMMENT ON LANGUAGE plpgsql IS 'blocks';
COMMENT ON PROCEDURAL LANGUAGE sql IS 'queries';
COMMENT ON ACCESS METHOD btree IS 'a tree';
COMMENT ON TABLESPACE pg_default IS 'here';
COMMENT ON EXTENSION plpgsql IS 'in every database';
SELECT pg_describe_object(classoid, objoid, objsubid), description FROM pg_description
  WHERE description IN ('the time of the transaction', 'rows', 'four bytes', 'letters', 'a sum', 'the other sign', 'longer', 'relations', 'tables',
    'their names', 'bytes', 'of Latin 1', 'how integers compare', 'all integers', 'of England', 'as it is', 'words', 'how', 'blocks', 'queries',
    'a tree', 'in every database') ORDER BY 1;
SELECT description FROM pg_shdescription WHERE classoid = 'pg_tablespace'::regclass;
SELECT obj_description('now()'::regprocedure, 'pg_proc'), obj_description('int4'::regtype, 'pg_type'), obj_description('pg_class'::regclass, 'pg_class'),
  col_description('pg_class'::regclass, 2), shobj_description(1663, 'pg_tablespace');
\dA+
\do+ pg_catalog.- NONE int4
\dFp+
-- Another one, then nobody: what it came with does not come back.
COMMENT ON FUNCTION now() IS 'now';
SELECT obj_description('now()'::regprocedure, 'pg_proc');
COMMENT ON FUNCTION now() IS NULL;
SELECT obj_description('now()'::regprocedure, 'pg_proc');
SELECT count(*) FROM pg_description WHERE objoid = 'now()'::regprocedure;
COMMENT ON COLUMN pg_class.relname IS NULL;
SELECT col_description('pg_class'::regclass, 2);
COMMENT ON TABLESPACE pg_default IS NULL;
BEGIN;
COMMENT ON LANGUAGE sql IS 'not for long';
ROLLBACK;
SELECT obj_description(oid, 'pg_language') FROM pg_language WHERE lanname = 'sql';
-- One's own come before them, or behind, as names do.
CREATE SCHEMA mine;
CREATE FUNCTION mine.now() RETURNS int LANGUAGE sql AS 'SELECT 1';
COMMENT ON FUNCTION mine.now() IS 'mine';
SELECT obj_description('mine.now()'::regprocedure, 'pg_proc'), obj_description('pg_catalog.now()'::regprocedure, 'pg_proc');
-- What is not there, or something else.
COMMENT ON VIEW pg_class IS '';
COMMENT ON TABLE pg_tables IS '';
COMMENT ON COLUMN pg_class.nobody IS '';
COMMENT ON LANGUAGE nobody IS '';
COMMENT ON ACCESS METHOD nobody IS '';
COMMENT ON TABLESPACE nobody IS '';
COMMENT ON TEXT SEARCH PARSER nobody IS '';
COMMENT ON TEXT SEARCH TEMPLATE nobody IS '';
COMMENT ON AGGREGATE now() IS '';
COMMENT ON PROCEDURE now() IS '';
COMMENT ON FUNCTION nobody() IS '';
COMMENT ON TYPE nobody IS '';
COMMENT ON CAST (int4 AS bytea) IS '';
-- Only superusers.
CREATE ROLE commentator;
SET ROLE commentator;
COMMENT ON FUNCTION pg_catalog.now() IS '';
COMMENT ON TYPE int4 IS '';
COMMENT ON OPERATOR pg_catalog.+ (int4, int4) IS '';
COMMENT ON CAST (int4 AS int8) IS '';
COMMENT ON TABLE pg_class IS '';
COMMENT ON COLUMN pg_class.relname IS '';
COMMENT ON COLLATION "C" IS '';
COMMENT ON CONVERSION iso_8859_1_to_utf8 IS '';
COMMENT ON OPERATOR CLASS int4_ops USING btree IS '';
COMMENT ON TEXT SEARCH CONFIGURATION english IS '';
COMMENT ON TEXT SEARCH PARSER "default" IS '';
COMMENT ON LANGUAGE plpgsql IS '';
COMMENT ON ACCESS METHOD btree IS '';
COMMENT ON TABLESPACE pg_default IS '';
COMMENT ON EXTENSION plpgsql IS '';
RESET ROLE;
DROP ROLE commentator;
