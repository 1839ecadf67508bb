-- Characters in regular expressions by their numbers; what is looked at ahead is no group that is meant again.
SELECT 'A' ~ '^\x41$', 'xAb' ~ 'x\x41b', U&'x\041B' ~ 'x\x41b', E'\x01' ~ '^\ca$', E'\x01b' ~ '[\cA]b', 'b' ~ '[\x61-\x63]';
SELECT 'xyz' ~ 'x(\w)(?=\1)';
SELECT 'xyz' ~ 'x(\w)(?=(\1))';
SELECT 'xyyz' ~ 'x(\w)\1(?=z)', 'abab' ~ '^(ab)(?:\1)$';
SELECT 'a' ~ '\x7fffffff';
SELECT 'a' ~ '\x7ffffff';
SELECT 'a' ~ '\x';
SELECT 'a' ~ '\c';
SELECT regexp_replace('one two', '\x6f(ne|ne t)', '<\1>');
-- Where a cast is said
SELECT CAST(now() AS inet);
SELECT CAST(time with time zone '01:02-08' AS interval);
SELECT 1, CAST ( (now()) AS point);
SELECT CAST(CAST(now() AS date) AS inet);
SELECT now()::inet;
SELECT CAST('x' AS int);
-- A cast that names no length takes any
CREATE TABLE lengths (c character(16), n numeric(10,2), v varchar(5), t timestamp(3), z timestamptz(0), b bit(3), vb varbit(7));
INSERT INTO lengths VALUES ('abc', 1.25, 'abc', '2001-02-03 04:05:06.789', '2001-02-03 04:05:06+00', '101', '10101');
CREATE VIEW lengths_of AS SELECT c::bpchar, n::numeric, v::varchar, t::timestamp, z::timestamptz, vb::varbit FROM lengths;
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'lengths_of'::regclass ORDER BY attnum;
SELECT *, length(c), c || '|' FROM lengths_of;
SELECT c FROM lengths_of WHERE c = 'abc' AND t = '2001-02-03 04:05:06.789';
-- Where settings are told
SELECT pg_settings_get_flags(NULL), pg_settings_get_flags('does_not_exist'), pg_settings_get_flags('is_superuser'),
  pg_settings_get_flags('TimeZone'), pg_settings_get_flags('work_mem'), pg_settings_get_flags('data_checksums');
SELECT name, flags FROM pg_settings, pg_settings_get_flags(name) flags WHERE name LIKE 'enable%' AND 'EXPLAIN' <> ALL (flags);
SELECT pg_stat_clear_snapshot(), pg_stat_force_next_flush(), pg_stat_get_snapshot_timestamp();
