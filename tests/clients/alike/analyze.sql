-- What ANALYZE finds: of tables that PostgreSQL reads whole, too, the same figures.
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE readings (
    id int PRIMARY KEY, name text, amount numeric, good boolean, at timestamp, sides int[], doc jsonb, code char(5), took interval,
    day date, level float8, digit smallint, always text DEFAULT 'const', never int, raw json, feels mood, words tsvector, place point,
    span int4range, addr inet, moods mood[], prices numeric[]
);
-- Never analyzed: nothing is known.
SELECT count(*) FROM pg_stats WHERE tablename = 'readings';
SELECT reltuples FROM pg_class WHERE oid = 'readings'::regclass;
INSERT INTO readings
SELECT i * 7 % 1009, CASE WHEN i % 3 = 0 THEN NULL ELSE 'v' || i % 50 END, (i % 77) / 7.0, i % 2 = 0, timestamp '2020-01-01' + i * interval '1 hour',
       CASE WHEN i % 5 = 0 THEN '{}' WHEN i % 7 = 0 THEN '{1,NULL}' ELSE ARRAY[i % 3, i % 4] END, jsonb_build_object('a', i % 9, 'b', 'x'), 'c' || i % 200,
       i % 40 * interval '1 day', date '2020-01-01' + i % 300, i * 1.5, i % 10, 'const', NULL, '{"a":1}', (ARRAY['sad', 'ok', 'happy'])[i % 3 + 1]::mood,
       to_tsvector('english', 'cat ' || CASE WHEN i % 2 = 0 THEN 'dogs' ELSE 'bird' END), point(i, i), int4range(i, i + 5), ('10.0.0.' || i % 250)::inet,
       ARRAY[(ARRAY['sad', 'ok', 'happy'])[i % 3 + 1]]::mood[], ARRAY[1.5, i % 4]
  FROM generate_series(1, 1000) AS i;
ANALYZE readings;
SELECT reltuples FROM pg_class WHERE oid IN ('readings'::regclass, 'readings_pkey'::regclass);
SELECT attname, inherited, null_frac, n_distinct, correlation FROM pg_stats WHERE tablename = 'readings' ORDER BY attname COLLATE "C";
SELECT attname, avg_width FROM pg_stats WHERE tablename = 'readings' AND attname NOT IN ('words', 'span') ORDER BY attname COLLATE "C";
SELECT attname, most_common_vals, most_common_freqs FROM pg_stats WHERE tablename = 'readings' ORDER BY attname COLLATE "C";
SELECT attname, histogram_bounds FROM pg_stats WHERE tablename = 'readings' ORDER BY attname COLLATE "C";
SELECT attname, most_common_elems, most_common_elem_freqs, elem_count_histogram FROM pg_stats WHERE tablename = 'readings' ORDER BY attname COLLATE "C";
SELECT a.attname, stainherit, stakind1, stakind2, stakind3, stakind4, stanumbers1, stavalues1::text
  FROM pg_statistic JOIN pg_attribute a ON attrelid = starelid AND attnum = staattnum
 WHERE starelid = 'readings'::regclass AND attname IN ('id', 'name', 'good', 'sides', 'never') ORDER BY 1;
SELECT analyze_count, last_analyze IS NOT NULL AS analyzed FROM pg_stat_user_tables WHERE relname = 'readings';

-- Few values are kept where few are wanted, and of some columns none.
ALTER TABLE readings ALTER name SET STATISTICS 3, ALTER code SET STATISTICS 0;
SET default_statistics_target = 5;
ANALYZE readings (name, day);
SELECT attname, most_common_vals, most_common_freqs, histogram_bounds FROM pg_stats WHERE tablename = 'readings' AND attname IN ('name', 'day', 'digit') ORDER BY 1;
RESET default_statistics_target;

-- What is of a column goes with it, and with its type.
ALTER TABLE readings ALTER digit TYPE int;
ALTER TABLE readings DROP COLUMN name;
SELECT count(*) FROM pg_stats WHERE tablename = 'readings' AND attname IN ('digit', 'name');
ALTER TABLE readings RENAME TO measured;
ALTER TABLE measured RENAME good TO fine;
SELECT attname, most_common_vals FROM pg_stats WHERE tablename = 'measured' AND attname = 'fine';

-- Of rows in arrays, of what has no order, and of names that are to be quoted.
CREATE TYPE spot AS (x int, label text);
CREATE TABLE "Odd ones" ("a""b" text, spots spot[], boxes box[], docs json[], at spot);
INSERT INTO "Odd ones" SELECT 'x"\{},NULL' || i % 3, ARRAY[ROW(i % 2, 'b, "')::spot], ARRAY['(1,1),(0,0)'::box], ARRAY['{}'::json], ROW(i, 'c')::spot
  FROM generate_series(1, 6) AS i;
ANALYZE "Odd ones";
SELECT attname, null_frac, n_distinct, correlation, most_common_vals, histogram_bounds, most_common_elems, most_common_elem_freqs
  FROM pg_stats WHERE tablename = 'Odd ones' ORDER BY attname;
DROP TABLE "Odd ones";

-- Columns that CREATE STATISTICS names are looked at together.
CREATE TABLE pairs (a int, b int, c text, d int);
INSERT INTO pairs SELECT i % 10, i % 10 / 2, CASE WHEN i % 7 = 0 THEN NULL ELSE 'c' || i % 3 END, i FROM generate_series(1, 100) AS i;
CREATE STATISTICS three (ndistinct, dependencies) ON a, b, c FROM pairs;
CREATE STATISTICS with_sums (ndistinct) ON a, d, (a + b) FROM pairs;
CREATE STATISTICS of_sums ON (a + b) FROM pairs;
SELECT count(*) FROM pg_stats_ext;
ANALYZE pairs;
SELECT * FROM pg_stats_ext ORDER BY statistics_name;
SELECT stxname, stxdinherit, stxdndistinct, stxddependencies FROM pg_statistic_ext JOIN pg_statistic_ext_data ON stxoid = oid ORDER BY stxname;
ANALYZE pairs (a, b);
DROP STATISTICS with_sums;
SELECT statistics_name, n_distinct, dependencies FROM pg_stats_ext ORDER BY statistics_name;
DROP TABLE pairs;

-- A partitioned table is looked at as a whole, and so is each of its partitions.
CREATE TABLE parts (a int, b text) PARTITION BY RANGE (a);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (10) TO (20);
INSERT INTO parts SELECT i % 20, 'b' || i % 3 FROM generate_series(1, 100) AS i;
ANALYZE parts;
SELECT tablename, attname, inherited, n_distinct, most_common_vals, most_common_freqs, histogram_bounds, correlation
  FROM pg_stats WHERE tablename LIKE 'parts%' ORDER BY 1, 2, 3;
SELECT relname, reltuples FROM pg_class WHERE relname LIKE 'parts%' ORDER BY 1;
-- Of heirs the parent knows both.
CREATE TABLE parent (a int);
CREATE TABLE heir () INHERITS (parent);
INSERT INTO parent VALUES (1), (2);
INSERT INTO heir VALUES (3), (3);
ANALYZE parent;
SELECT tablename, inherited, n_distinct, most_common_vals, histogram_bounds FROM pg_stats WHERE tablename IN ('parent', 'heir') ORDER BY 1, 2;

-- In a transaction they are its own, and go with it.
BEGIN;
CREATE TABLE fresh (a int);
INSERT INTO fresh SELECT 1 FROM generate_series(1, 10);
ANALYZE fresh;
SELECT reltuples FROM pg_class WHERE oid = 'fresh'::regclass;
SELECT n_distinct, most_common_vals FROM pg_stats WHERE tablename = 'fresh';
ROLLBACK;
SELECT count(*) FROM pg_stats WHERE tablename = 'fresh';

-- Who may not read a column is not told of it, nor who does not see all rows.
CREATE ROLE looks_alike;
SET ROLE looks_alike;
SELECT count(*) FROM pg_stats WHERE tablename = 'parts';
SELECT count(*) FROM pg_statistic;
RESET ROLE;
GRANT SELECT (b) ON parts TO looks_alike;
SET ROLE looks_alike;
SELECT attname FROM pg_stats WHERE tablename = 'parts';
RESET ROLE;
ALTER TABLE parts ENABLE ROW LEVEL SECURITY;
SELECT attname FROM pg_stats WHERE tablename = 'parts' ORDER BY 1;
SET ROLE looks_alike;
SELECT attname FROM pg_stats WHERE tablename = 'parts';
RESET ROLE;

-- Of a table without rows nothing new is found; what was known stays.
DELETE FROM parent;
DELETE FROM heir;
ANALYZE parent;
SELECT tablename, inherited, n_distinct FROM pg_stats WHERE tablename = 'parent' ORDER BY 2;
SELECT reltuples FROM pg_class WHERE oid = 'parent'::regclass;
DROP TABLE parent CASCADE;
SELECT count(*) FROM pg_stats WHERE tablename = 'parent';
DROP TABLE parts;
DROP OWNED BY looks_alike;
DROP ROLE looks_alike;
-- All tables at once.
ANALYZE;
VACUUM ANALYZE measured;
SELECT count(*) FROM pg_stats WHERE tablename = 'measured' AND attname = 'digit';
