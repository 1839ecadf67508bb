-- NOT IN of a query that looks outward and computes what may fail: no rows are no members, whatever is NULL for others.
CREATE DOMAIN may_fail AS int CHECK (value > 0);
CREATE TABLE members (id int PRIMARY KEY, x int, b bool);
INSERT INTO members SELECT g, g + 3, g % 2 = 0 FROM generate_series(1, 6) g;
CREATE TABLE others AS SELECT * FROM members;
SELECT a.id FROM others a WHERE a.x NOT IN (SELECT CASE WHEN b.b THEN '5'::may_fail END FROM others b WHERE b.id = a.id AND b.id > 2) ORDER BY 1;
SELECT a.id FROM others a WHERE a.x NOT IN (SELECT nullif(b.x, 6) FROM others b WHERE b.id = a.id AND b.x / b.id > 1) ORDER BY 1;
SELECT a.id FROM members a WHERE a.x NOT IN (SELECT nullif(b.x, 6) FROM members b WHERE b.id = a.id AND b.x / b.id > 1) ORDER BY 1;
SELECT a.id, a.x IN (SELECT nullif(b.x / b.id, 2) FROM others b WHERE b.id > a.id), a.x <> ALL (SELECT nullif(b.x / b.id, 2) FROM others b WHERE b.id = a.id + 1),
  a.x = ANY (SELECT b.x / (b.id - 1) FROM others b WHERE b.id = a.id + 3) FROM others a ORDER BY 1;
SELECT a.id FROM others a WHERE a.id IN (SELECT b.x / b.id FROM others b WHERE b.id <= a.id) ORDER BY 1;
-- Constants as keys.
SELECT grouping(3::int8), count(*) FROM members GROUP BY ROLLUP (3::int8);
SELECT grouping('x'::text, 'y'::text), count(*) FROM members GROUP BY GROUPING SETS (('x'::text), ('y'::text), ()) ORDER BY 1;
SELECT '{1,2}'::int[], grouping('{1,2}'::int[]), count(*) FROM members GROUP BY ROLLUP ('{1,2}'::int[]);
SELECT "varchar"('a'::name), id FROM members ORDER BY 1, id DESC;
SELECT DISTINCT ON ("varchar"('a'::name)) "varchar"('a'::name), id FROM others ORDER BY 1, id DESC;
SELECT rank() OVER (ORDER BY "varchar"('a'::name)) FROM members;
SELECT array_agg(id ORDER BY "varchar"('a'::name), id DESC) FROM members;
-- Small things that were computed otherwise.
SELECT s::oid, s::regclass::oid FROM (VALUES (-1::int2), (5::int2), (-32768::int2)) v(s);
SELECT to_char(1, 'Straße'), regexp_count('abc', '', 5), regexp_instr('abc', 'x*', 9), regexp_substr('abc', '', 5) IS NULL, regexp_replace('abc', '', 'x', 5, 1),
  regexp_replace('abc', '', 'x', 4, 1);
SELECT timestamptz '2020-01-01' AT TIME ZONE '1 mon'::interval;
SELECT '1'::jsonb::bool;
