-- What access methods, indexes and their columns can do, asked property by property.
SELECT amname, prop, pg_indexam_has_property(a.oid, prop)
FROM pg_am a, unnest(ARRAY['can_order', 'can_unique', 'can_multi_col', 'can_exclude', 'can_include', 'CAN_ORDER', 'no such']) p(prop)
WHERE amtype = 'i' ORDER BY amname, prop COLLATE "C";
CREATE TABLE able (i int, t text, p point, c circle, r int4range, b box, y polygon, v tsvector, n inet, a int[]);
CREATE INDEX able_btree ON able (i DESC, t NULLS FIRST) INCLUDE (p, c);
CREATE INDEX able_hash ON able USING hash (t);
CREATE INDEX able_gist ON able USING gist (p, c, r, b, y, v, n inet_ops);
CREATE INDEX able_spgist_t ON able USING spgist (t);
CREATE INDEX able_spgist_p ON able USING spgist (p) INCLUDE (i);
CREATE INDEX able_spgist_y ON able USING spgist (y);
CREATE INDEX able_gin ON able USING gin (a, v);
CREATE INDEX able_brin ON able USING brin (i, t);
SELECT c.relname, prop, pg_index_has_property(c.oid, prop)
FROM pg_class c, unnest(ARRAY['clusterable', 'index_scan', 'bitmap_scan', 'backward_scan', 'no such']) p(prop)
WHERE c.relname LIKE 'able\_%' ORDER BY c.relname COLLATE "C", prop COLLATE "C";
SELECT c.relname, k, prop, pg_index_column_has_property(c.oid, k, prop)
FROM pg_class c, generate_series(0, 8) k,
  unnest(ARRAY['asc', 'desc', 'nulls_first', 'nulls_last', 'orderable', 'distance_orderable', 'returnable', 'search_array', 'search_nulls', 'no such']) p(prop)
WHERE c.relname LIKE 'able\_%' ORDER BY c.relname COLLATE "C", k, prop COLLATE "C";
SELECT pg_index_column_has_property('able'::regclass, 1, 'asc'), pg_index_has_property('able'::regclass, 'clusterable');
