-- Figures differ from server to server; what is empty, what is bigger, what is NULL does not.
CREATE TABLE parcels (id int PRIMARY KEY, label text, weight numeric);
CREATE VIEW heavy AS SELECT id FROM parcels WHERE weight > 10;
CREATE SEQUENCE numbers;
SELECT pg_relation_size('parcels'), pg_relation_size('heavy'), pg_table_size('heavy'), pg_total_relation_size('heavy');
INSERT INTO parcels SELECT i, md5(i::text), i FROM generate_series(1, 20000) i;
SELECT pg_relation_size('parcels') > 8192 AS rows,
       pg_table_size('parcels') >= pg_relation_size('parcels') AS table,
       pg_total_relation_size('parcels') = pg_table_size('parcels') + pg_indexes_size('parcels') AS total,
       pg_relation_size('parcels_pkey') > 0 AS index,
       pg_indexes_size('parcels') = pg_table_size('parcels_pkey') AS indexes;
SELECT pg_database_size(current_database()) >= pg_total_relation_size('parcels') AS database,
       pg_database_size((SELECT oid FROM pg_database WHERE datname = current_database())) > 0 AS by_oid,
       pg_tablespace_size('pg_default') >= pg_database_size(current_database()) AS tablespace;
SELECT pg_size_pretty(pg_relation_size('parcels')) LIKE '%B' AS pretty;
SELECT pg_relation_size('parcels', 'init'), pg_relation_size('parcels', 'main') > 0 AS main;
SELECT pg_relation_size('parcels', 'rows');
SELECT pg_relation_size(4294967295), pg_table_size(4294967295), pg_indexes_size(4294967295), pg_total_relation_size(4294967295);
SELECT pg_database_size('nothing');
SELECT pg_tablespace_size('nothing');
SELECT pg_database_size(NULL::name), pg_relation_size(NULL), pg_relation_size('parcels', NULL);
SELECT relname FROM pg_class WHERE relname IN ('parcels', 'heavy') ORDER BY pg_total_relation_size(oid) DESC;
SELECT pg_size_pretty('Infinity'::numeric), pg_size_pretty('-Infinity'::numeric), pg_size_pretty('NaN'::numeric);
