-- Parameters of classes of operators in CREATE INDEX: kept, shown, checked.
CREATE EXTENSION pg_trgm;
CREATE TABLE t(a int, b text, d date);
CREATE INDEX i1 ON t USING brin (a int4_minmax_multi_ops(values_per_range=16), d date_bloom_ops(n_distinct_per_range = 100, false_positive_rate=0.05));
CREATE INDEX i2 ON t USING gist (b gist_trgm_ops(siglen=32));
CREATE INDEX i3 ON t USING gist (to_tsvector('simple', b) tsvector_ops (siglen = 100));
CREATE INDEX i4 ON t (a int4_ops(x=1));
CREATE INDEX i4 ON t (a int4_ops());
CREATE INDEX i5 ON t USING gist (b gist_trgm_ops(nope=32));
CREATE INDEX i5 ON t USING gist (b gist_trgm_ops(siglen=99999));
CREATE INDEX i6 ON t USING brin (a int4_minmax_multi_ops(values_per_range=1));
CREATE INDEX i6 ON t USING brin (a int4_minmax_multi_ops(values_per_range));
CREATE INDEX i7 ON t USING gist (b gist_trgm_ops(siglen='64', siglen=3));
CREATE INDEX i8 ON t USING brin (a int4_minmax_multi_ops(values_per_range=16), a int4_minmax_ops(values_per_range=16));
SELECT indexdef FROM pg_indexes WHERE tablename = 't' ORDER BY 1;
SELECT attrelid::regclass, attname, attoptions FROM pg_attribute WHERE attrelid IN ('i1'::regclass, 'i2'::regclass) ORDER BY 1, attnum;
