-- What is counted of tables, indexes and databases, as monitoring asks for it. (Rows are written before they are told: the next flush is forced.)
SET enable_seqscan = off;
SET enable_bitmapscan = off;
CREATE TABLE counted (id int PRIMARY KEY, tag text, n int) WITH (autovacuum_enabled = off);
CREATE INDEX counted_tag ON counted (tag);
INSERT INTO counted VALUES (1, 'a', 1);
INSERT INTO counted SELECT g, 'b' || g % 7, g FROM generate_series(2, 20) g;
UPDATE counted SET n = n + 1 WHERE id = 1;
UPDATE counted SET n = n + 1 WHERE id BETWEEN 2 AND 5;
DELETE FROM counted WHERE id = 20;
SELECT pg_stat_force_next_flush();
SELECT n_tup_ins, n_tup_upd, n_tup_del, n_live_tup, n_mod_since_analyze, n_ins_since_vacuum FROM pg_stat_user_tables WHERE relname = 'counted';
-- A transaction, whether it comes to something or not; what was written and undone counts as well.
BEGIN;
INSERT INTO counted VALUES (30, 'c', 30);
UPDATE counted SET n = 0 WHERE id = 30;
DELETE FROM counted WHERE id = 30;
INSERT INTO counted VALUES (31, 'c', 30), (32, 'c', 31);
COMMIT;
BEGIN;
INSERT INTO counted VALUES (40, 'd', 40);
UPDATE counted SET n = 7 WHERE id = 2;
ROLLBACK;
SELECT pg_stat_force_next_flush();
SELECT n_tup_ins, n_tup_upd, n_tup_del, n_live_tup FROM pg_stat_user_tables WHERE relname = 'counted';
-- ON CONFLICT, MERGE, WITH, COPY, RETURNING.
INSERT INTO counted VALUES (1, 'x', 0), (50, 'x', 0) ON CONFLICT (id) DO UPDATE SET n = counted.n + 1;
INSERT INTO counted VALUES (1, 'x', 0), (51, 'x', 0) ON CONFLICT DO NOTHING;
MERGE INTO counted c USING (VALUES (50, 1), (60, 2), (51, 3)) s (id, n) ON c.id = s.id WHEN MATCHED AND s.n = 3 THEN DELETE WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'm', s.n);
WITH gone AS (DELETE FROM counted WHERE id = 60 RETURNING *) INSERT INTO counted SELECT id + 1, tag, n FROM gone RETURNING id;
COPY counted FROM stdin;
70	k	1
71	k	2
\.
SELECT pg_stat_force_next_flush();
SELECT n_tup_ins, n_tup_upd, n_tup_del, n_live_tup FROM pg_stat_user_tables WHERE relname = 'counted';
-- What indexes have led to.
SELECT pg_stat_reset_single_table_counters('counted'::regclass), pg_stat_reset_single_table_counters('counted_pkey'::regclass), pg_stat_reset_single_table_counters('counted_tag'::regclass);
SELECT idx_scan, n_tup_ins, n_tup_upd FROM pg_stat_user_tables WHERE relname = 'counted';
SELECT n FROM counted WHERE id = 3;
SELECT n FROM counted WHERE id = 3;
SELECT n FROM counted WHERE id = 300;
BEGIN;
SELECT n FROM counted WHERE id = 4;
SELECT n FROM counted WHERE id = 4 FOR UPDATE;
COMMIT;
SELECT pg_stat_force_next_flush();
SELECT indexrelname, idx_scan, idx_tup_fetch FROM pg_stat_user_indexes WHERE relname = 'counted' ORDER BY 1;
SELECT idx_scan, idx_tup_fetch, seq_scan FROM pg_stat_user_tables WHERE relname = 'counted';
SELECT pg_stat_get_numscans('counted_tag'::regclass), pg_stat_get_tuples_fetched('counted_tag'::regclass), pg_stat_get_numscans('counted'::regclass), pg_stat_get_tuples_inserted(0), pg_stat_get_tuples_inserted(NULL);
SET enable_seqscan = on;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SELECT count(*), sum(n) FROM counted WHERE n % 2 = 0;
SELECT pg_stat_force_next_flush();
SELECT seq_scan, seq_tup_read >= 20 FROM pg_stat_user_tables WHERE relname = 'counted';
-- VACUUM and ANALYZE.
SELECT last_vacuum, last_analyze, vacuum_count, analyze_count FROM pg_stat_user_tables WHERE relname = 'counted';
VACUUM counted;
ANALYZE counted;
VACUUM ANALYZE counted;
SELECT last_vacuum > now() - interval '1 minute', last_analyze > last_vacuum - interval '1 minute', vacuum_count, analyze_count, n_mod_since_analyze, n_ins_since_vacuum, last_autovacuum FROM pg_stat_user_tables WHERE relname = 'counted';
-- A table without indexes, and a partitioned one, whose rows are its partitions'.
CREATE TABLE heap (a int) WITH (autovacuum_enabled = off);
INSERT INTO heap SELECT generate_series(1, 5);
UPDATE heap SET a = a + 1 WHERE a > 3;
DELETE FROM heap WHERE a = 1;
CREATE TABLE parts (a int PRIMARY KEY) PARTITION BY RANGE (a);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (100) WITH (autovacuum_enabled = off);
INSERT INTO parts VALUES (1), (2);
SELECT pg_stat_force_next_flush();
SELECT relname, idx_scan IS NULL AS no_index, n_tup_ins, n_tup_upd, n_tup_del, n_live_tup FROM pg_stat_user_tables WHERE relname IN ('heap', 'parts', 'parts_1') ORDER BY 1;
SELECT relname, indexrelname FROM pg_stat_user_indexes WHERE relname LIKE 'parts%';
TRUNCATE heap;
SELECT pg_stat_force_next_flush();
SELECT n_live_tup, n_dead_tup FROM pg_stat_user_tables WHERE relname = 'heap';
-- Of the database.
SELECT pg_stat_force_next_flush();
SELECT xact_commit AS commits, xact_rollback AS rollbacks, tup_inserted AS ins, tup_updated AS upd, tup_deleted AS del FROM pg_stat_database WHERE datname = current_database() \gset
SELECT 1;
BEGIN;
INSERT INTO heap VALUES (1), (2), (3);
ROLLBACK;
SELECT 1 / 0;
INSERT INTO heap VALUES (4);
UPDATE heap SET a = 5;
DELETE FROM heap;
SELECT pg_stat_force_next_flush();
SELECT xact_commit - :commits AS commits, xact_rollback - :rollbacks AS rollbacks, tup_inserted - :ins AS ins, tup_updated - :upd AS upd, tup_deleted - :del AS del FROM pg_stat_database WHERE datname = current_database();
SELECT numbackends, sessions >= 1, session_time > 0, deadlocks, conflicts, temp_files, stats_reset > now() - interval '1 minute' FROM pg_stat_database WHERE datname = current_database();
SELECT pg_stat_reset();
SELECT xact_rollback, tup_inserted, stats_reset > now() - interval '1 minute' FROM pg_stat_database WHERE datname = current_database();
-- What all databases share.
SELECT name FROM pg_stat_slru ORDER BY 1;
SELECT wal_records > 0, wal_bytes > 0, stats_reset IS NOT NULL FROM pg_stat_wal;
SELECT pg_stat_reset_shared('wal');
SELECT stats_reset > now() - interval '1 minute' FROM pg_stat_wal;
SELECT pg_stat_reset_shared('nothing');
SELECT archived_count, failed_count, last_archived_wal, stats_reset IS NOT NULL FROM pg_stat_archiver;
SELECT count(*), sum(confl_deadlock) FROM pg_stat_database_conflicts WHERE datname = current_database();
-- Not everybody may begin anew.
CREATE ROLE counted_lowly;
SET ROLE counted_lowly;
SELECT pg_stat_reset();
SELECT pg_stat_reset_shared('wal');
SELECT n_tup_ins IS NOT NULL FROM pg_stat_user_tables WHERE relname = 'counted';
RESET ROLE;
DROP ROLE counted_lowly;
