-- Arrays of whole numbers as sets and lists, and queries over which numbers are in them.
SELECT '{1}'::int[] & '{1}'::int[];
CREATE TABLE lists (id int PRIMARY KEY, tags int[], label text);
CREATE INDEX too_early ON lists USING gist (tags);
CREATE INDEX early ON lists USING gin (tags gin__int_ops);
CREATE EXTENSION intarray;
\dx intarray
\dT query_int
SELECT typname, typlen, typtype, typcategory, typinput, typsend, typarray <> 0 FROM pg_type WHERE typname ~ '^_?query_int$' ORDER BY 1;
-- functions
SELECT icount('{1,2,3}'), icount('{}'), icount('{1,NULL}'), icount('{{1,2},{3,4}}'), #'{1,2}'::int[], # ARRAY[1, 2, 3];
SELECT sort('{3,1,2}'), sort('{3,1,2}', 'desc'), sort('{3,1,2}', 'ASC'), sort_asc('{3,1,2}'), sort_desc('{3,1,2}'), sort('{}'), sort('{1}', 'nowhere');
SELECT sort('{{3,1},{2,4}}'), sort('[5:7]={3,1,2}'), uniq('[5:7]={3,3,2}'), '[5:7]={3,1,3}'::int[] - 3, '[5:6]={3,3}'::int[] - 3, '{{3,1},{2,3}}'::int[] - 3, uniq('{{1,1},{1,1}}');
SELECT sort('{3,1}', 'up');
SELECT sort('{3,1}', 'ﬀ');
SELECT uniq('{1,2,2,3,1,1}'), uniq('{}'), uniq(sort('{1,2,3,2,1}'));
SELECT idx('{5,6,7,6}', 6), idx('{5}', 1), idx('{}', 1), ARRAY[5, 6] # 6, '{5,6}'::int[] # 7;
SELECT subarray('{1,2,3,2,1}', 2), subarray('{1,2,3,2,1}', 2, 3), subarray('{1,2,3,2,1}', -2), subarray('{1,2,3,2,1}', -2, 1), subarray('{1,2,3,2,1}', 2, -2),
  subarray('{1,2,3}', 0), subarray('{1,2,3}', 0, 2), subarray('{1,2,3}', 9), subarray('{1,2,3}', -9, 4), subarray('{1,2,3}', 2, -5), subarray('{}', 1, 1);
SELECT intset(7), intset(NULL), '{1,2}'::int[] + 3, '{1,2}'::int[] + '{2,3}'::int[], '{2,1,2}'::int[] - 2, '{3,1,2,2}'::int[] - '{2,9}'::int[];
SELECT '{3,1,3}'::int[] | 2, '{3,1,3}'::int[] | '{5,1}'::int[], '{3,1,3}'::int[] & '{3,9,3,1}'::int[], '{1}'::int[] & '{2}'::int[], '{}'::int[] | '{}'::int[];
SELECT '{1,2}'::int[] && '{2,3}'::int[], '{1,2}'::int[] && '{}'::int[], '{1,2,2}'::int[] @> '{2,2}'::int[], '{1}'::int[] @> '{}'::int[], '{1}'::int[] <@ '{2,1}'::int[];
SELECT NULL::int[] && '{1}'::int[], '{1}'::int[] + NULL::int, sort(NULL::int[]), '{1}'::int[] @@ NULL::query_int;
SELECT '{1,NULL}'::int[] && '{1}'::int[];
SELECT '{1}'::int[] @> '{NULL}'::int[];
SELECT sort('{NULL,2}');
SELECT '{1,NULL}'::int[] + 2;
SELECT subarray('{1,NULL}', 1);
SELECT idx('{1,NULL}', 1);
SELECT '{1,NULL}'::bigint[] && '{1}'::bigint[], '{1,2}'::smallint[] @> '{1}'::smallint[];
SELECT _int_same('{1,2}', '{2,1}'), _int_different('{1,2}', '{2,1}'), _int_contained('{1}', '{1,2}'), _int_inter('{1,2}', '{2,3}'), _int_union('{1,2}', '{2,3}');
SELECT querytree('1&2');
-- queries over numbers
SELECT '1'::query_int, ' 1 & 2'::query_int, '1&2|3'::query_int, '1|2&3'::query_int, '(1|2)&3'::query_int, '!1'::query_int, '!(1&2)'::query_int, '!!1'::query_int, '1|2|3&!4'::query_int, '!(1|(2&3))'::query_int, '((1))'::query_int, '-5'::query_int, '010'::query_int, '09'::query_int, '-'::query_int;
SELECT ''::query_int;
SELECT '1 2'::query_int;
SELECT '(1'::query_int;
SELECT '1)'::query_int;
SELECT '()'::query_int;
SELECT '1 &'::query_int;
SELECT 'a'::query_int;
SELECT '99999999999'::query_int;
SELECT '1234567890123456'::query_int;
SELECT repeat('!', 17)::text || '1';
SELECT '!!!!!!!!!!!!!!!!!1'::query_int;
SELECT '{1,2}'::int[] @@ '1&2', '{1,2}'::int[] @@ '1&!2', '{1,2}'::int[] @@ '(3|2)&!4', '!1' ~~ '{}'::int[], '1|2'::query_int ~~ '{2}'::int[];
SELECT '{1,NULL}'::int[] @@ '1';
-- tables
INSERT INTO lists SELECT i, ARRAY[i % 7, i % 11, i % 13], 'l' || i FROM generate_series(1, 500) i;
INSERT INTO lists VALUES (501, NULL, 'none'), (502, '{}', 'empty');
CREATE INDEX lists_tags ON lists USING gin (tags gin__int_ops);
CREATE INDEX lists_gist ON lists USING gist (tags);
\d lists
SELECT count(*) FROM lists WHERE tags @> '{3,4}';
SELECT count(*) FROM lists WHERE tags && '{12,10}';
SELECT count(*) FROM lists WHERE tags @@ '3&(4|5)&!6';
SELECT id, sort(tags), uniq(sort(tags)), tags & '{1,2,3}', tags - 1, tags # 2 FROM lists WHERE id IN (1, 9, 300, 501, 502) ORDER BY id;
SELECT id FROM lists WHERE sort(tags) = '{1,2,3}' ORDER BY id;
UPDATE lists SET tags = uniq(sort(tags + 100)) - 1 WHERE id = 8 RETURNING tags;
SELECT id FROM lists WHERE tags @> ARRAY[100];
CREATE TABLE asked (id int PRIMARY KEY, q query_int, qs text);
INSERT INTO asked VALUES (1, '1&!2', '{1|2,"3 & 4"}'), (2, NULL, NULL);
SELECT *, q::text, q ~~ '{1}'::int[] FROM asked ORDER BY id;
SELECT count(*) FROM lists, asked WHERE tags @@ q;
INSERT INTO asked VALUES (3, '1&', NULL);
SELECT q FROM asked ORDER BY q;
SELECT count(DISTINCT q) FROM asked;
CREATE UNIQUE INDEX ON asked (q);
DROP EXTENSION intarray;
DROP EXTENSION intarray CASCADE;
\d asked
\d lists
