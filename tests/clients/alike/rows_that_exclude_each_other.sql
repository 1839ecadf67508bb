-- EXCLUDE: rows of which no two may answer yes to all operators, as they are written, shown, altered and dropped.
CREATE TABLE stays (
    id serial PRIMARY KEY, room int4range, during tsrange, void bool DEFAULT false,
    EXCLUDE USING gist (room WITH =, during WITH &&) WHERE (NOT void)
);
\d stays
INSERT INTO stays (room, during) VALUES ('[1,1]', '[2020-01-01,2020-02-01)');
INSERT INTO stays (room, during) VALUES ('[1,1]', '[2020-01-15,2020-02-03)');
INSERT INTO stays (room, during) VALUES ('[2,2]', '[2020-01-15,2020-02-03)'), (NULL, '[2020-01-15,2020-02-03)'), (NULL, '[2020-01-15,2020-02-03)');
INSERT INTO stays (room, during) VALUES ('[1,1]', '[2020-02-01,2020-02-03)'), ('[1,1]', 'empty'), ('[1,1]', 'empty');
INSERT INTO stays (room, during, void) VALUES ('[1,1]', '[2020-02-01,2020-02-03)', true);
UPDATE stays SET void = false;
UPDATE stays SET during = '[2020-01-01,2020-01-02)' WHERE id = 6;
UPDATE stays SET during = during;
UPDATE stays SET room = '[1,1]' WHERE room = '[2,2]';
INSERT INTO stays (room, during) SELECT '[7,7]', tsrange(timestamp '2020-01-01' + n * interval '1 day', timestamp '2020-01-02' + n * interval '1 day') FROM generate_series(1, 50) n;
INSERT INTO stays (room, during) SELECT '[8,8]', tsrange(timestamp '2020-01-01' + n * interval '1 day', timestamp '2020-01-03' + n * interval '1 day') FROM generate_series(1, 50) n;
SELECT count(*) FROM stays;
COPY stays (room, during) FROM stdin;
[9,9]	[2020-01-01,2020-02-01)
[9,9]	[2020-02-01,2020-03-01)
\.
COPY stays (room, during) FROM stdin;
[9,9]	[2020-04-01,2020-05-01)
[9,9]	[2020-04-08,2020-05-01)
\.
BEGIN;
INSERT INTO stays (room, during) VALUES ('[10,10]', '[2020-01-01,2020-02-01)');
SAVEPOINT a;
INSERT INTO stays (room, during) VALUES ('[10,10]', '[2020-01-01,2020-02-01)');
ROLLBACK TO a;
DELETE FROM stays WHERE room = '[10,10]';
INSERT INTO stays (room, during) VALUES ('[10,10]', '[2020-01-01,2020-02-01)');
COMMIT;
MERGE INTO stays USING (VALUES ('[10,10]'::int4range)) v (r) ON room = v.r WHEN MATCHED THEN UPDATE SET during = '[2020-01-05,2020-02-01)';
MERGE INTO stays USING (VALUES ('[11,11]'::int4range)) v (r) ON room = v.r WHEN NOT MATCHED THEN INSERT (room, during) VALUES ('[10,10]', '[2020-01-05,2020-02-01)');
SELECT conname, contype, conkey, conexclop::regoperator[], connoinherit, conindid::regclass, pg_get_constraintdef(oid), pg_get_constraintdef(oid, true) FROM pg_constraint WHERE contype = 'x';
SELECT indisunique, indisexclusion, indimmediate, pg_get_indexdef(indexrelid) FROM pg_index WHERE indexrelid = 'stays_room_during_excl'::regclass;
-- What may be said of a constraint, and what may not.
ALTER TABLE stays ADD EXCLUDE (room WITH =);
ALTER TABLE stays ADD EXCLUDE (id WITH <);
ALTER TABLE stays ADD EXCLUDE (id WITH &&);
ALTER TABLE stays ADD EXCLUDE (id WITH +);
ALTER TABLE stays ADD EXCLUDE USING gist (during WITH <>);
ALTER TABLE stays ADD EXCLUDE USING gist (tsrange(lower(during), upper(during)) WITH &&, (room + '[1,1]') WITH =) WHERE (id > 5);
ALTER TABLE stays ADD EXCLUDE USING gist (room);
ALTER TABLE stays ADD EXCLUDE USING hash (id DESC WITH =);
ALTER TABLE stays ADD EXCLUDE (nope WITH =);
ALTER TABLE stays ADD EXCLUDE (id WITH =) WHERE (id);
ALTER TABLE stays ADD EXCLUDE (id WITH =) WHERE (id > (SELECT 1));
CREATE TABLE words (a text, EXCLUDE (a WITH <>));
CREATE TABLE words (a text, EXCLUDE USING foo (a WITH =));
CREATE TABLE words (a text, EXCLUDE USING gin (a WITH =));
CREATE TABLE words (a json, EXCLUDE (a WITH =));
CREATE TABLE words (a text EXCLUDE (a WITH =));
CREATE TABLE words (a text, EXCLUDE (a WITH =) NOT VALID);
CREATE TABLE words (a text, EXCLUDE (a WITH =), EXCLUDE (a WITH =), EXCLUDE (lower(a) WITH =), EXCLUDE USING hash (a WITH OPERATOR(pg_catalog.=)) INITIALLY DEFERRED);
\d words
INSERT INTO words VALUES ('A');
INSERT INTO words VALUES ('a');
INSERT INTO words VALUES ('A');
-- ON CONFLICT.
INSERT INTO stays (room) VALUES (NULL) ON CONFLICT ON CONSTRAINT stays_room_during_excl DO UPDATE SET room = NULL;
INSERT INTO stays (room) VALUES (NULL) ON CONFLICT (room) DO NOTHING;
INSERT INTO stays (id, room) VALUES (1, NULL) ON CONFLICT (id) DO NOTHING;
INSERT INTO stays (id) VALUES (4) ON CONFLICT (id) DO UPDATE SET room = '[1,1]', during = '[2020-01-09,2020-01-10]';
-- Renamed, dropped, copied.
ALTER TABLE stays DROP COLUMN during;
ALTER TABLE stays DROP CONSTRAINT stays_room_during_excl1;
ALTER TABLE stays DROP CONSTRAINT stays_tsrange_expr_excl;
ALTER TABLE stays RENAME COLUMN during TO zeit;
ALTER TABLE stays RENAME COLUMN void TO gone;
ALTER TABLE stays RENAME CONSTRAINT stays_room_during_excl TO only_one;
\d stays
INSERT INTO stays (room, zeit) VALUES ('[1,1]', '[2020-01-15,2020-02-03)');
DROP INDEX only_one;
ALTER TABLE stays ALTER CONSTRAINT only_one DEFERRABLE;
ALTER TABLE stays VALIDATE CONSTRAINT only_one;
COMMENT ON CONSTRAINT only_one ON stays IS 'one at a time';
CREATE TABLE copied (LIKE stays INCLUDING ALL);
\d copied
ALTER TABLE stays DROP CONSTRAINT only_one;
INSERT INTO stays (room, zeit) VALUES ('[1,1]', '[2020-01-15,2020-02-03)');
ALTER TABLE stays ADD CONSTRAINT one EXCLUDE USING gist (room WITH =, zeit WITH &&) WHERE (NOT gone);
ALTER TABLE stays ADD CONSTRAINT one EXCLUDE USING gist (room WITH =, zeit WITH &&) WHERE (id < 0);
\d stays
SELECT constraint_name, constraint_type FROM information_schema.table_constraints WHERE table_name = 'stays' AND constraint_name NOT LIKE '%not_null';
ALTER TABLE stays DROP COLUMN room;
\d stays
-- Put off.
CREATE TABLE late (a int, r int4range, EXCLUDE USING gist (r WITH &&) DEFERRABLE INITIALLY DEFERRED, CONSTRAINT plus EXCLUDE ((a + 1) WITH =) INCLUDE (r) DEFERRABLE);
ALTER INDEX plus RENAME TO one_more;
\d late
BEGIN;
INSERT INTO late VALUES (1, '[1,5)');
INSERT INTO late VALUES (2, '[1,6)');
UPDATE late SET r = '[6,7)' WHERE a = 2;
COMMIT;
INSERT INTO late VALUES (3, '[1,7)');
BEGIN;
INSERT INTO late VALUES (3, '[1,7)');
SET CONSTRAINTS ALL IMMEDIATE;
ROLLBACK;
BEGIN;
SET CONSTRAINTS late_r_excl IMMEDIATE;
INSERT INTO late VALUES (3, '[1,7)');
ROLLBACK;
BEGIN;
SET CONSTRAINTS one_more DEFERRED;
INSERT INTO late VALUES (1), (2);
DELETE FROM late WHERE r IS NULL;
INSERT INTO late VALUES (4);
SAVEPOINT s;
INSERT INTO late VALUES (4);
ROLLBACK TO s;
COMMIT;
BEGIN;
SET CONSTRAINTS one_more DEFERRED;
INSERT INTO late VALUES (1), (5);
COMMIT;
INSERT INTO late VALUES (5) ON CONFLICT ON CONSTRAINT one_more DO NOTHING;
UPDATE late SET a = a + 1;
SELECT * FROM late ORDER BY a;
ALTER TABLE late ADD COLUMN z int DEFAULT 5;
INSERT INTO late VALUES (9, '[2,3)', 3);
INSERT INTO late VALUES (5);
TRUNCATE late;
INSERT INTO late VALUES (5), (6, '[2,3)');
INSERT INTO late VALUES (6);
CREATE TYPE mood AS ENUM ('a', 'b');
CREATE TABLE felt (m mood, t text[], i inet, EXCLUDE (m WITH =, t WITH =), EXCLUDE USING gist (i inet_ops WITH &&));
INSERT INTO felt VALUES ('a', '{x}', '10.0.0.0/8'), ('a', '{y}', '11.0.0.0/8');
INSERT INTO felt VALUES ('a', '{x}', '12.0.0.0/8');
INSERT INTO felt VALUES ('b', '{x}', '10.1.0.0/16');
DROP TYPE mood CASCADE;
\d felt
-- Ranges without ends, without values, and with ends that are no moment.
CREATE TABLE spans (n int, i int8range, d daterange, z tstzrange, m numrange, EXCLUDE USING gist (i WITH &&), EXCLUDE USING gist (d WITH &&), EXCLUDE USING gist (z WITH -|-), EXCLUDE USING gist (m WITH &&));
INSERT INTO spans (n, i) VALUES (1, '[5,9)'), (2, '(,5)'), (3, 'empty'), (4, '[9223372036854775800,)'), (5, '[9223372036854775798,9223372036854775800)');
INSERT INTO spans (n, i) VALUES (6, '(,)');
INSERT INTO spans (n, i) VALUES (6, '[9223372036854775799,9223372036854775800)');
INSERT INTO spans (n, i) VALUES (6, '(,-9223372036854775807)');
INSERT INTO spans (n, d) VALUES (1, '[2020-01-01,2020-02-01]'), (2, '[infinity,infinity]'), (3, '[-infinity,2019-01-01)'), (4, '[2020-02-02,infinity)'), (5, 'empty');
INSERT INTO spans (n, d) VALUES (6, '[2020-03-01,)');
INSERT INTO spans (n, d) VALUES (6, '(,-infinity]');
INSERT INTO spans (n, d) VALUES (6, '[2018-12-31,2018-12-31]');
INSERT INTO spans (n, d) VALUES (6, '[2019-01-01,2019-12-31]');
INSERT INTO spans (n, z) VALUES (1, '[2020-01-01 00:00:00.000001Z,2020-02-01 00:00Z)'), (2, '(,2019-01-01 00:00Z)');
INSERT INTO spans (n, z) VALUES (6, '[2020-02-01 00:00Z,infinity)');
INSERT INTO spans (n, z) VALUES (6, '(2020-02-01 00:00Z,infinity)');
INSERT INTO spans (n, z) VALUES (6, '[infinity,)');
INSERT INTO spans (n, z) VALUES (6, '[2018-01-01 00:00Z,2020-01-01 00:00:00.000001Z)');
INSERT INTO spans (n, m) VALUES (1, '[1,2)'), (2, ('[2,1' || repeat('0', 400) || ')')::numrange), (3, 'empty');
INSERT INTO spans (n, m) VALUES (6, '[1.99999999999999999999999999,2)');
SELECT n, i, d, z, length(m::text) FROM spans ORDER BY n, i, d, z, m;
