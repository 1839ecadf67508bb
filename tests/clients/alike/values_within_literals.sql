-- A range within a multirange that is no range is told as a range is; nulls among the words to take out are none.
SELECT '{(,,a)}'::int4multirange;
SELECT '{(),a)}'::int4multirange;
SELECT '{(],a)}'::int4multirange;
SELECT '{[1,2}'::int4multirange;
SELECT '{[1,2),empty,[4,5)}'::int4multirange;
SELECT '{["1",2) , [4,"5")}'::int4multirange;
SELECT '{[1,2)[3,4)}'::int4multirange;
SELECT ts_delete('base hidden rebel spaceship strike'::tsvector, ARRAY['spaceship', 'leya', 'rebel', '', NULL]);
SELECT setweight('a asd w:5,6,12B,13A zxc:1'::tsvector, 'c', ARRAY['a', 'zxc', '', NULL]);
SELECT attname, attlen, attbyval, attalign, attstorage, attcacheoff FROM pg_attribute
WHERE attrelid = (SELECT oid FROM pg_class WHERE relname = 'kept_rows') AND attnum < 0;
CREATE TABLE kept_rows (a int);
SELECT attname, attlen, attbyval, attalign, attstorage, attcacheoff FROM pg_attribute
WHERE attrelid = 'kept_rows'::regclass AND attnum < 0 ORDER BY attnum;
SELECT typname, typalign, typanalyze FROM pg_type WHERE typname IN ('kept_rows', '_kept_rows') ORDER BY 1 COLLATE "C";
