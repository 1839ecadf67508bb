-- CLUSTER leaves its mark, by which it finds the index the next time.
CREATE TABLE cl (id int PRIMARY KEY, n int);
CREATE INDEX cli ON cl (n);
CREATE INDEX clp ON cl (n) WHERE n > 1;
CREATE INDEX clh ON cl USING hash (n);
CLUSTER cl;
CLUSTER cl USING cli;
SELECT indexrelid::regclass, indisclustered FROM pg_index WHERE indrelid = 'cl'::regclass ORDER BY indexrelid::regclass::text;
\d cl
CLUSTER cl;
CLUSTER cl USING cl_pkey;
CLUSTER cl USING clp;
CLUSTER cl USING clh;
CLUSTER cl USING nosuch;
SELECT indexrelid::regclass, indisclustered FROM pg_index WHERE indrelid = 'cl'::regclass ORDER BY indexrelid::regclass::text;
ALTER TABLE cl SET WITHOUT CLUSTER;
CLUSTER cl;
CREATE MATERIALIZED VIEW mv AS SELECT * FROM cl;
CREATE INDEX mvi ON mv (n);
CLUSTER mv USING mvi;
SELECT indisclustered FROM pg_index WHERE indexrelid = 'mvi'::regclass;
BEGIN;
CLUSTER cl USING cli;
ROLLBACK;
SELECT count(*) FROM pg_index WHERE indrelid = 'cl'::regclass AND indisclustered;
CLUSTER;
