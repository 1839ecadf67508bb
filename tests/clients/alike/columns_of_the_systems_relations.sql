-- Columns of pg_catalog's and information_schema's own relations: types, NOT NULL, collations.
SELECT attrelid::regclass, attnum, attname, format_type(atttypid, atttypmod), attnotnull, attcollation::regcollation
  FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
  WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v') AND attnum > 0 AND relname NOT LIKE 'pg\_stat%' ORDER BY relname, attnum;
SELECT relname, attname, attnotnull, attcollation::regcollation
  FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
  WHERE relnamespace = 'information_schema'::regnamespace AND relkind IN ('r', 'v') AND attnum > 0 AND relname NOT LIKE '\_pg%'
    AND (attnotnull OR attcollation NOT IN (0, 100)) ORDER BY relname, attnum;
SELECT column_name, is_nullable, data_type FROM information_schema.columns WHERE table_schema = 'pg_catalog' AND table_name = 'pg_class' ORDER BY ordinal_position;
