-- Pairs of everything with everything come in the order of nested loops: the first item's row stays while the second's change.
CREATE TABLE points (p point);
INSERT INTO points VALUES ('(0,0)'), ('(-10,0)'), ('(-3,4)'), ('(5.1,34.5)');
SELECT p1.p, p2.p FROM points p1, points p2;
SELECT p1.p, p2.p FROM points p1 CROSS JOIN points p2;
SELECT p1.p, p2.p FROM points p1, points p2 WHERE p1.p <-> p2.p > 3;
SELECT x, y FROM jsonb_array_elements('[1, 2]') x, jsonb_array_elements('[3, 4]') y;
SELECT a, b FROM generate_series(1, 3) a, generate_series(1, 3) b;
-- what looks left stays behind what it looks at
SELECT a, b, c FROM generate_series(1, 2) a, generate_series(1, a) b, (VALUES ('x'), ('y')) v (c) ORDER BY a, b, c;
SELECT a, s FROM generate_series(1, 3) a CROSS JOIN LATERAL (SELECT a * 2) l (s);
WITH v (x) AS (VALUES (2::numeric), (4.2), ('NaN')) SELECT x, y, x ^ y FROM v AS v1 (x), v AS v2 (y);
