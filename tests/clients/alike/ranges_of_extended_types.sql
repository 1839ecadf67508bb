-- Ranges over types that extensions bring: their order, and which are equal, are the type's.
CREATE EXTENSION citext;
CREATE EXTENSION ltree;
CREATE EXTENSION hstore;
CREATE TYPE citext_range AS RANGE (SUBTYPE = citext);
CREATE TYPE ltree_range AS RANGE (SUBTYPE = ltree, SUBTYPE_OPCLASS = ltree_ops);
CREATE TYPE lquery_range AS RANGE (SUBTYPE = lquery);
SELECT rngtypid::regtype, rngsubtype::regtype, opcname, rngcollation::regcollation FROM pg_range JOIN pg_opclass c ON c.oid = rngsubopc WHERE rngtypid >= 16384 ORDER BY 1;
SELECT citext_range('A', 'b'), 'a'::citext <@ citext_range('A', 'b'), 'B'::citext <@ citext_range('A', 'b', '[]');
SELECT citext_range('B', 'a');
SELECT citext_range('A', 'b') = citext_range('a', 'B'), citext_range('A', 'b') && citext_range('B', 'c', '(]'), citext_range('A', 'C') * citext_range('b', 'd'), citext_range('a', 'B') + citext_range('b', 'C');
SELECT citext_range('A', 'a'), isempty(citext_range('A', 'a')), citext_range('A', 'a', '[]'), '[A,b)'::citext_range, '["x y",]'::citext_range;
SELECT '{[A,b),[B,c)}'::citext_multirange;
SELECT ltree_range('Top', 'Top.B'), 'Top.A.x'::ltree <@ ltree_range('Top', 'Top.B'), ltree_range('a.b', 'a');
SELECT ltree_range('a', 'a.b') -|- ltree_range('a.b', 'c'), upper(ltree_range('a', 'a.b'));
CREATE TABLE spans (id int PRIMARY KEY, r citext_range, p ltree_range);
INSERT INTO spans VALUES (1, '[A,C)', '[a,b)'), (2, '[b,d)', '[a.a,a.c)'), (3, 'empty', NULL), (4, '(,B]', '(,)');
SELECT id FROM spans WHERE r @> 'B'::citext ORDER BY id;
SELECT id FROM spans WHERE p @> 'a.b.c'::ltree ORDER BY id;
SELECT id, r FROM spans ORDER BY r, id;
SELECT DISTINCT r FROM (VALUES (citext_range('A', 'b')), ('[a,B)')) v(r);
CREATE DOMAIN c AS citext;
CREATE TYPE both AS (t citext, r citext_range);
SELECT ROW('x', '[a,b)')::both, ARRAY['[a,b)', NULL]::citext_range[];
\dT+ citext_range
DROP TABLE spans;
DROP TYPE both;
DROP DOMAIN c;
DROP EXTENSION citext CASCADE;
\dT *range
