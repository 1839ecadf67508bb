-- Intervals in definitions are shown in the asking session's IntervalStyle; what is stored does not change by it.
SET intervalstyle = iso_8601;
CREATE TABLE t (
  id int PRIMARY KEY,
  a interval DEFAULT 'P3Y',
  b interval DEFAULT '1 day -02:03:04.5',
  c interval(3) DEFAULT interval '2 mons 3.5 s',
  d text DEFAULT 'it''s ''1 day''::interval',
  e interval[] DEFAULT '{1 day,P1M}',
  g timestamp GENERATED ALWAYS AS (timestamp '2020-01-01' + interval '1 day') STORED,
  CONSTRAINT "of '1 day'::interval" CHECK (a < '100 years'::interval)
);
CREATE INDEX t_b ON t ((b + interval '1 hour')) WHERE b > interval '5 minutes';
CREATE VIEW v AS SELECT id, a + interval '1 year 2 mons' AS later FROM t WHERE b > '10 days';
CREATE DOMAIN span AS interval DEFAULT '1 week' CHECK (value > '1 second');
SELECT attname, pg_get_expr(adbin, adrelid) FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE adrelid = 't'::regclass AND attname <> 'e' ORDER BY attnum;
SELECT column_name, column_default FROM information_schema.columns WHERE table_name = 't' AND column_name <> 'e' ORDER BY ordinal_position;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 't'::regclass AND contype = 'c';
SELECT pg_get_indexdef('t_b'::regclass), pg_get_indexdef('t_b'::regclass, 1, true);
SELECT pg_get_viewdef('v');
SELECT definition FROM pg_views WHERE viewname = 'v';
INSERT INTO t (id) VALUES (1) RETURNING *;
SET intervalstyle = sql_standard;
SELECT attname, pg_get_expr(adbin, adrelid) FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE adrelid = 't'::regclass AND attname <> 'e' ORDER BY attnum;
SELECT pg_get_viewdef('v', true);
SET intervalstyle = postgres_verbose;
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 't'::regclass AND adnum = 3;
RESET intervalstyle;
SELECT attname, pg_get_expr(adbin, adrelid) FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE adrelid = 't'::regclass ORDER BY attnum;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 't'::regclass AND contype = 'c';
SELECT pg_get_viewdef('v');
INSERT INTO t (id) VALUES (2) RETURNING a, b, c, d;
