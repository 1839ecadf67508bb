-- A query groups by a column of the rows around it, whose type has equal values that look unlike: what is shown is that column, not an aggregate of those rows.
CREATE TABLE a (k int PRIMARY KEY, i int, n numeric, j jsonb, r int4range, v interval, z timetz);
INSERT INTO a VALUES (1, 1, 1.50, '[1]', '[1,2)', '1 mon', '10:00+00'), (2, NULL, NULL, NULL, NULL, NULL, NULL), (3, 3, 'NaN', 'null', 'empty', '30 days', '11:00+01');
CREATE TABLE g (id int PRIMARY KEY, k int);
INSERT INTO g VALUES (1, 1), (2, 1), (3, NULL);
SELECT k, (SELECT a.n FROM g GROUP BY 1), (SELECT a.j FROM g GROUP BY 1), (SELECT a.r FROM g GROUP BY 1), (SELECT a.v FROM g GROUP BY 1), (SELECT a.z FROM g GROUP BY 1) FROM a ORDER BY k;
SELECT k FROM a WHERE n <> ALL (SELECT a.n FROM g GROUP BY 1) ORDER BY k;
SELECT k FROM a WHERE r IN (SELECT a.r FROM g WHERE id > a.k GROUP BY 1) ORDER BY k;
SELECT k, l.* FROM a LEFT JOIN LATERAL (SELECT a.n AS x, g.k AS y, count(*) AS c FROM g GROUP BY a.n, g.k) l ON true ORDER BY k, y;
SELECT k, (SELECT a.n + count(*) FROM g GROUP BY a.n HAVING count(*) > a.k) FROM a ORDER BY k;
SELECT k, (SELECT string_agg(x::text, ',' ORDER BY x::text) FROM (SELECT a.n, g.k, count(*) AS c FROM g GROUP BY ROLLUP (a.n, g.k)) x) FROM a ORDER BY k;
-- The same of a table that DuckDB reads.
INSERT INTO g SELECT s, s % 2 FROM generate_series(10, 2000) s;
SELECT k, (SELECT a.n FROM g GROUP BY 1), (SELECT a.j FROM g GROUP BY 1), (SELECT a.r FROM g GROUP BY 1), (SELECT a.v FROM g GROUP BY 1), (SELECT a.z FROM g GROUP BY 1) FROM a ORDER BY k;
SELECT (SELECT a.n FROM g GROUP BY 1) FROM a ORDER BY 1;
SELECT k FROM a WHERE n <> ALL (SELECT a.n FROM g GROUP BY 1) ORDER BY k;
SELECT k, l.* FROM a LEFT JOIN LATERAL (SELECT a.n AS x, g.k AS y, count(*) AS c FROM g GROUP BY a.n, g.k) l ON true ORDER BY k, y;
