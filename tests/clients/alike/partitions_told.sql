-- What the catalog tells of partitions: trees, keys, bounds, constraints, and what psql shows of each.
CREATE TABLE t (id int NOT NULL, day date NOT NULL, k text NOT NULL, PRIMARY KEY (id, day, k)) PARTITION BY RANGE (day);
CREATE TABLE t1 PARTITION OF t FOR VALUES FROM ('2024-01-01') TO ('2024-02-01') PARTITION BY LIST (k);
CREATE TABLE t1a PARTITION OF t1 FOR VALUES IN ('a', 'b');
CREATE TABLE t1d PARTITION OF t1 DEFAULT;
CREATE TABLE t2 PARTITION OF t FOR VALUES FROM ('2024-02-01') TO (MAXVALUE);
CREATE TABLE h (a int, b text) PARTITION BY HASH (a, b);
CREATE TABLE h0 PARTITION OF h FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE other (x int);
CREATE INDEX ti ON t (k);
ALTER TABLE t ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON t USING (id > 0);
SELECT relid, parentrelid, isleaf, level FROM pg_partition_tree('t');
SELECT relid, parentrelid, isleaf, level FROM pg_partition_tree('t1');
SELECT relid, parentrelid, isleaf, level FROM pg_partition_tree('t2');
SELECT relid, parentrelid, isleaf, level FROM pg_partition_tree('other');
SELECT relid, parentrelid, isleaf, level FROM pg_partition_tree('ti') ORDER BY level, relid::text COLLATE "C";
SELECT * FROM pg_partition_ancestors('t1a');
SELECT * FROM pg_partition_ancestors('t');
SELECT * FROM pg_partition_ancestors('other');
SELECT * FROM pg_partition_ancestors('t1a_k_idx');
SELECT pg_partition_root('t1d'), pg_partition_root('t'), pg_partition_root('other'), pg_partition_root('t1a_k_idx');
SELECT pg_get_partkeydef('t'::regclass), pg_get_partkeydef('t1'::regclass), pg_get_partkeydef('h'::regclass), pg_get_partkeydef('other'::regclass), pg_get_partkeydef('t2'::regclass);
SELECT relname, pg_get_partition_constraintdef(oid) FROM pg_class WHERE relname IN ('t', 't1', 't1a', 't1d', 't2', 'other') ORDER BY 1;
SELECT relname, relkind, relispartition, relhassubclass, relrowsecurity, pg_get_expr(relpartbound, oid) FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1;
SELECT inhrelid::regclass, inhparent::regclass, inhseqno, inhdetachpending FROM pg_inherits ORDER BY inhrelid::regclass::text COLLATE "C";
SELECT partrelid::regclass, partstrat, partnatts, partdefid::regclass, partattrs FROM pg_partitioned_table ORDER BY 1;
SELECT conname, conrelid::regclass, coninhcount, conislocal, connoinherit, conparentid <> 0 FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1;
SELECT attrelid::regclass, attname, attinhcount, attislocal FROM pg_attribute WHERE attrelid IN ('t'::regclass, 't1a'::regclass) AND attnum > 0 ORDER BY 1, attnum;
\d t
\d+ t
\d t1
\d+ t1
\d+ t1a
\d+ t1d
\d+ t2
\d h0
\d+ h
\d+ ti
\dP
\dt
\di
SELECT tablename, rowsecurity, hasindexes FROM pg_tables WHERE schemaname = 'public' ORDER BY 1;
SELECT schemaname, tablename, policyname, permissive, roles, cmd, qual FROM pg_policies;
DROP TABLE t, h, other;
CREATE TABLE nobody PARTITION OF nowhere DEFAULT;
CREATE TABLE r (id int PRIMARY KEY);
CREATE TABLE f (a int REFERENCES r, b int UNIQUE CHECK (b > 0)) PARTITION BY LIST (b);
CREATE TABLE f1 PARTITION OF f FOR VALUES IN (1);
SELECT conname, conrelid::regclass, contype, coninhcount, conislocal, connoinherit, conparentid <> 0 FROM pg_constraint WHERE conrelid IN ('f'::regclass, 'f1'::regclass, 'r'::regclass) ORDER BY 1, conrelid::regclass::text COLLATE "C";
DROP TABLE f, r;
