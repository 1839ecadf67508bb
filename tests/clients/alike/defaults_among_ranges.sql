-- What the default partition among ranges asks of its rows, as the catalog tells it.
CREATE TABLE one_range (a int) PARTITION BY RANGE (a);
CREATE TABLE one_range_1 PARTITION OF one_range FOR VALUES FROM (1) TO (10);
CREATE TABLE one_range_d PARTITION OF one_range DEFAULT;
SELECT pg_get_partition_constraintdef('one_range_d'::regclass);
CREATE TABLE one_range_2 PARTITION OF one_range FOR VALUES FROM (20) TO (MAXVALUE);
SELECT pg_get_partition_constraintdef('one_range_d'::regclass);
CREATE TABLE two_keys (a int, b text) PARTITION BY RANGE (a, b);
CREATE TABLE two_keys_1 PARTITION OF two_keys FOR VALUES FROM (1, 'a') TO (10, 'b');
CREATE TABLE two_keys_2 PARTITION OF two_keys FOR VALUES FROM (20, 'a') TO (30, 'b');
CREATE TABLE two_keys_d PARTITION OF two_keys DEFAULT;
SELECT pg_get_partition_constraintdef('two_keys_d'::regclass);
DROP TABLE one_range, two_keys;
