-- What PostgREST, Supabase, Postgrex and Npgsql ask when they start: where views' columns come from, functions of extensions' types, rows put together.
CREATE TABLE people (id integer PRIMARY KEY, name text, boss integer REFERENCES people);
CREATE TABLE jobs (id integer, person integer REFERENCES people, wage numeric, PRIMARY KEY (id, person));
CREATE VIEW paid AS SELECT p.id, name, wage, wage * 2 AS twice FROM people p JOIN jobs j ON j.person = p.id;
CREATE VIEW above AS SELECT id AS person, upper(name) AS name FROM paid;
CREATE MATERIALIZED VIEW kept AS SELECT boss, id FROM people;
CREATE VIEW renamed (a, b) AS SELECT wage, id FROM jobs;
CREATE OR REPLACE VIEW renamed (a, b, c) AS SELECT wage, id, person FROM jobs;

SELECT c.relname, m[1], nullif(m[2], '0')::oid::regclass, m[3]
FROM pg_rewrite JOIN pg_class c ON c.oid = ev_class,
     regexp_matches(ev_action::text, ':resno (\d+) :resname \S+ :ressortgroupref \d+ :resorigtbl (\d+) :resorigcol (\d+) ', 'g') m
WHERE c.oid >= 16384 AND rulename = '_RETURN' ORDER BY relname COLLATE "C", m[1];
ALTER TABLE people RENAME name TO called;
ALTER TABLE jobs RENAME TO work;
SELECT m[1], nullif(m[2], '0')::oid::regclass, m[3]
FROM pg_rewrite, regexp_matches(ev_action::text, ':resno (\d+) :resname \S+ :ressortgroupref \d+ :resorigtbl (\d+) :resorigcol (\d+) ', 'g') m
WHERE ev_class = 'paid'::regclass ORDER BY m[1];

-- Functions of the types of extensions.
CREATE SCHEMA ext;
CREATE EXTENSION citext;
CREATE EXTENSION hstore SCHEMA ext;
CREATE DOMAIN mail AS citext;
SELECT typname, typinput, typoutput, typreceive, typsend FROM pg_type WHERE typname IN ('citext', 'hstore', 'mail', '_citext') ORDER BY 1;
SELECT p.proname, pronamespace::regnamespace, lanname, provolatile, proisstrict, prosrc, probin, prorettype::regtype FROM pg_proc p JOIN pg_type t ON p.oid IN (typsend, typinput, typoutput, typreceive) JOIN pg_language l ON l.oid = prolang WHERE typname IN ('citext', 'hstore') ORDER BY 1;
SELECT extname, proname FROM pg_depend JOIN pg_proc p ON p.oid = objid AND classid = 'pg_proc'::regclass JOIN pg_extension e ON e.oid = refobjid WHERE deptype = 'e' AND proname ~ '^(citext|hstore_)(send|recv)$' ORDER BY 1, 2;
DROP EXTENSION hstore;
SELECT count(*) FROM pg_proc WHERE proname = 'hstore_in';

-- Rows put together, or none.
SELECT coalesce(a, '{}') FROM (SELECT array_agg((1, 'x'::text)) AS a WHERE false) s;
SELECT coalesce(a, '{}') FROM (SELECT array_agg((1, 'x'::text)) AS a) s;
SELECT c.relname, coalesce(array_agg(row(a.attname, a.attnotnull, '{}'::text[]) ORDER BY a.attnum) FILTER (WHERE a.attnum > 0), '{}') FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum < 3 WHERE c.relname IN ('paid', 'people') GROUP BY c.relname ORDER BY 1;
SELECT CASE WHEN true THEN '{}' ELSE array_agg((1, 'x'::text)) END;
SELECT coalesce(array_agg((1, 'x'::text)), '{"(2,y)"}');
SELECT coalesce(array_agg((1, 'x'::text)), '{');
SELECT array_agg((1, 'x'::text)) = '{}', array_agg((1, 'x'::text)) <> '{}';
SELECT '{}'::record[];
SELECT '{"(1)"}'::record[];

-- Ages of transactions, which DataGrip asks of what it lists and monitors of databases.
SELECT age('1'::xid), age('2'::xid), age(NULL::xid), mxid_age(NULL::xid), mxid_age('1'::xid), pg_typeof(age('5'::xid));
SELECT age(xmin) <= 2147483647, age((txid_current() % 4294967296)::text::xid) < 1000000 FROM pg_class WHERE relname = 'pg_class';
SELECT max(age(datfrozenxid)) < 200000000 FROM pg_database;
SELECT relname, age(relfrozenxid) < 200000000, mxid_age(relminmxid) < 200000000 FROM pg_class WHERE relname = 'people';
SELECT degrees(1e308);
SELECT degrees(4.5), degrees('NaN'::float8), degrees('-Infinity'::float8), degrees(9::float8), degrees(x) FROM (VALUES (0.1::float8), (9), (18), (NULL)) v(x);

-- Of servers that follow others, as Debezium asks; counters that are set back.
SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END IS NOT NULL, pg_last_wal_replay_lsn(), pg_last_xact_replay_timestamp();
SELECT pg_is_wal_replay_paused();
SELECT pg_get_wal_replay_pause_state();
SELECT pg_wal_replay_pause();
SELECT pg_wal_replay_resume();
SELECT pg_promote();
SELECT pg_promote(true, 5);
SELECT pg_stat_reset(), pg_stat_reset_shared('bgwriter'), pg_stat_reset_single_table_counters('people'::regclass), pg_stat_reset_single_function_counters(1);
SELECT pg_stat_reset_shared('nope');
SELECT pg_stat_reset_shared(NULL), pg_stat_reset_slru(NULL), pg_typeof(pg_stat_reset());
SELECT coalesce(array_agg(row(1, 2)), array[]::record[]), coalesce(array_agg(row(1, 2)) FILTER (WHERE false), array[]::record[]);
SELECT CASE WHEN a > 1 THEN array[row(a)] ELSE array[]::record[] END FROM generate_series(1, 2) a;
