-- Domains in expressions: what an expression is of is told by pg_typeof, kept in columns that queries make, and lost where something is
-- computed of it.
CREATE DOMAIN pos AS int CHECK (value > 0);
CREATE DOMAIN dt AS text;
CREATE TABLE s (v int, t text, d pos);
INSERT INTO s VALUES (1,'a',2);
SELECT pg_typeof(v::pos), pg_typeof(d), pg_typeof(d+1), pg_typeof(coalesce(d, 1)), pg_typeof(coalesce(d,d)), pg_typeof(t::dt), pg_typeof(1::pos), pg_typeof('3'::pos) FROM s;
SELECT pg_typeof(CASE WHEN true THEN d ELSE d END), pg_typeof(ARRAY[d]), pg_typeof((SELECT d)), pg_typeof(nullif(d,d)), pg_typeof(greatest(d,d)), pg_typeof(NULL::pos), pg_typeof(CAST(v AS pos)), pg_typeof(abs(d)), pg_typeof(d::int), pg_typeof(min(d) OVER ()), pg_typeof(first_value(d) OVER ()) FROM s;
CREATE TABLE t2 AS SELECT v::pos AS a, d, t::dt AS t, 1::pos AS lit, d+1 AS p1, ARRAY[d] AS ad, coalesce(d,d) AS cd, (SELECT d) AS sd FROM s;
\d t2
CREATE VIEW vw AS SELECT v::pos AS a, d, t::dt AS t, 1::pos AS lit, d+1 AS p1, '4'::pos AS q FROM s;
\d vw
CREATE TABLE t3 AS SELECT * FROM vw; 
\d t3
INSERT INTO t2(a) VALUES (-1);
CREATE TABLE t4 AS SELECT a FROM (SELECT v::pos AS a FROM s) q UNION ALL SELECT v::pos FROM s;
\d t4
CREATE TABLE t5 AS WITH w AS (SELECT v::pos AS a FROM s) SELECT a, min(a) AS m, max(a) OVER () AS mo FROM w GROUP BY a;
\d t5
CREATE TABLE t6 AS VALUES (1::pos), (2::pos);
\d t6
CREATE TABLE t7 AS SELECT x FROM unnest(ARRAY[1,2]::pos[]) x;
\d t7
SELECT pg_typeof(x) FROM unnest(ARRAY[1,2]::pos[]) x;
CREATE FUNCTION g(anyelement) RETURNS text LANGUAGE sql AS $$SELECT pg_typeof($1)::text$$;
SELECT g(1::pos), g(d) FROM s;
CREATE FUNCTION rp() RETURNS pos LANGUAGE sql AS 'SELECT 5';
SELECT pg_typeof(rp()); 
CREATE TABLE t8 AS SELECT rp();
\d t8
SELECT 1::pos = 1, '3' = 3::pos, 3::pos + '4', 3::pos = ANY ('{3}'), 3::pos IN ('3', '4');
PREPARE p AS SELECT $1::pos;
EXECUTE p(3);
EXECUTE p(-3);
SELECT format_type(pg_typeof(d)::oid, -1) FROM s;
SELECT to_json(d), jsonb_build_object('a', d), row(d), row_to_json(row(d)) FROM s;
CREATE DOMAIN arr AS int[];
SELECT pg_typeof((ARRAY[1,2]::pos[])[1]), pg_typeof((ARRAY[1,2]::pos[])[1:2]), pg_typeof(ARRAY[1,2]::pos[] || 3::pos), pg_typeof(ARRAY[1,2]::pos[] || 3), pg_typeof(array_append(ARRAY[1]::pos[], 2::pos)), pg_typeof(unnest(ARRAY[1]::pos[]));
SELECT pg_typeof('{1}'::arr), pg_typeof(('{1}'::arr)[1]), pg_typeof(('{1}'::arr)[1:1]), pg_typeof('{1}'::arr || 2), pg_typeof(array_append('{1}'::arr, 1));
SELECT pg_typeof(array_agg(d)), pg_typeof(max(ARRAY[d])), pg_typeof(lag(d) OVER (ORDER BY d)), pg_typeof(lag(d, 1, 5) OVER (ORDER BY d)), pg_typeof(mode() WITHIN GROUP (ORDER BY d)), pg_typeof(any_value) FROM s, (SELECT 1 AS any_value) x GROUP BY d, any_value;
SELECT pg_typeof(d) FROM (SELECT d FROM s OFFSET 0) q;
SELECT pg_typeof(x.d) FROM s LEFT JOIN s x USING (d);
SELECT pg_typeof(d) FROM s JOIN s x USING (d);
SELECT pg_typeof(d) FROM s FULL JOIN s x USING (d);
SELECT d FROM s WHERE d = 2 GROUP BY d HAVING d > 0 ORDER BY d;
SELECT v FROM s WHERE v::pos = 1 GROUP BY v::pos, v;
WITH x AS (UPDATE s SET v = v RETURNING d, v::pos AS p) SELECT pg_typeof(d), pg_typeof(p) FROM x;
CREATE MATERIALIZED VIEW mv AS SELECT v::pos AS p, d FROM s;
\d mv
REFRESH MATERIALIZED VIEW mv;
SELECT column_name, data_type, domain_name FROM information_schema.columns WHERE table_name IN ('mv', 'vw', 't2') ORDER BY table_name, ordinal_position;
INSERT INTO vw (d) VALUES (-1);
INSERT INTO vw (d) VALUES (7);
SELECT d FROM s ORDER BY 1;
CREATE OR REPLACE VIEW vw AS SELECT v AS a, d, t::dt AS t, 1::pos AS lit, d+1 AS p1, '4'::pos AS q FROM s;
\d t2
SELECT v::pos, d, d + 1, coalesce(d, d), ARRAY[1] FROM s \gdesc
CREATE TABLE fails (a int);
INSERT INTO fails VALUES (0);
CREATE TABLE fails2 AS SELECT a::pos FROM fails;
SELECT pg_typeof(a) FROM (SELECT a::pos FROM fails UNION SELECT 1 UNION SELECT 2::pos) q;
UPDATE s SET v = v WHERE d = 2 RETURNING pg_typeof(d), pg_typeof(v);
DROP DOMAIN dt;
