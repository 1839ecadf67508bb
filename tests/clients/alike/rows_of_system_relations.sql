-- Every relation of the catalog has the type of its rows, as what loads a catalog whole takes for granted (PostGraphile).
SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'v', 'm') AND reltype = 0;
SELECT c.relname, t.typname, t.typtype, t.typcategory, t.typlen, t.typarray <> 0, t.typinput, t.typsend, format_type(t.oid, NULL)
  FROM pg_class c JOIN pg_type t ON t.oid = c.reltype
 WHERE c.relname IN ('pg_class', 'pg_type', 'pg_attribute', 'pg_tables', 'pg_authid', 'tables') ORDER BY 1;
SELECT typname, typelem::regtype, typsubscript, typanalyze FROM pg_type WHERE typname IN ('_pg_class', '_pg_attribute', '_tables') ORDER BY 1;
SELECT oid::int, typrelid::regclass FROM pg_type WHERE typname = 'pg_class';
SELECT typname FROM pg_type WHERE oid = 83;
SELECT oid::regtype FROM pg_type WHERE typrelid = 'pg_proc'::regclass;
SELECT 83::regtype, 273::regtype;
CREATE TABLE mine (a int);
SELECT count(*) FROM pg_class c LEFT JOIN pg_type t ON t.oid = c.reltype AND t.typrelid = c.oid
 WHERE c.relkind IN ('r', 'v') AND t.oid IS NULL;
