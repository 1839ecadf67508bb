-- Lists of many constants, as programs write them for the keys they know: what is in them, of which types, with what beside them.
CREATE TABLE n (i int PRIMARY KEY, g int, b bigint, t text, vc varchar(20), u uuid, s smallint, nu numeric);
INSERT INTO n SELECT i, i % 50, i * 3, 't' || i, 'v' || i, md5(i::text)::uuid, i % 100, i * 1.5 FROM generate_series(1, 300) i;
INSERT INTO n (i, t, vc) VALUES (-5, 't''30', 'v18"x'), (3000, 'a,b', '{x}'), (3001, '', 'null');

-- Definitions show them element by element.
CREATE VIEW v1 AS SELECT i FROM n WHERE i IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000);
CREATE VIEW v2 AS SELECT i FROM n WHERE b NOT IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000) AND s IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000);
CREATE VIEW v3 AS SELECT i FROM n WHERE t IN ('t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8', 't9', 't10', 't11', 't12', 't13', 't14', 't15', 't16', 't17', 't18', 't19', 't20', 't21', 't22', 't23', 't24', 't25', 't26', 't27', 't28', 't29', 't''30', 'v18"x', 'null', '', 'a,b', '{x}') OR vc IN ('t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8', 't9', 't10', 't11', 't12', 't13', 't14', 't15', 't16', 't17', 't18', 't19', 't20', 't21', 't22', 't23', 't24', 't25', 't26', 't27', 't28', 't29', 't''30', 'v18"x', 'null', '', 'a,b', '{x}');
ALTER TABLE n ADD CONSTRAINT c CHECK (i NOT IN (901, 902, 903, 904, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -6, 4000) OR vc <> 'x5');
SELECT pg_get_viewdef('v1'), pg_get_viewdef('v2'), pg_get_viewdef('v3');
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'c';
SELECT count(*) FROM v1;
SELECT count(*) FROM v2;
SELECT i FROM v3 ORDER BY i;
INSERT INTO n (i, vc) VALUES (4000, 'x5');

SELECT i FROM n WHERE i IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000) ORDER BY i;
SELECT i FROM n WHERE i IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000) AND i::text NOT IN ('t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8', 't9', 't10', 't11', 't12', 't13', 't14', 't15', 't16', 't17', 't18', 't19', 't20', 't21', 't22', 't23', 't24', 't25', 't26', 't27', 't28', 't29', 't''30', 'v18"x', 'null', '', 'a,b', '{x}') AND vc LIKE 'v%' ORDER BY i DESC LIMIT 5;
SELECT count(*) FROM n WHERE i NOT IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000);
SELECT count(*) FROM n WHERE g + 1 NOT IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000, NULL);
SELECT count(*) FROM n WHERE b IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000, 99999999999);
SELECT count(*) FROM n WHERE i IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000, 99999999999);
SELECT count(*) FROM n WHERE s IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000, 70000);
SELECT count(*) FROM n WHERE i IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000, 4.5);
SELECT count(*) FROM n WHERE nu IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000);
SELECT i FROM n WHERE u IN ('c4ca4238-a0b9-2382-0dcc-509a6f758480', 'c4ca4238-a0b9-2382-0dcc-509a6f758481', 'c4ca4238-a0b9-2382-0dcc-509a6f758482', 'c4ca4238-a0b9-2382-0dcc-509a6f758483', 'c4ca4238-a0b9-2382-0dcc-509a6f758484', 'c4ca4238-a0b9-2382-0dcc-509a6f758485', 'c4ca4238-a0b9-2382-0dcc-509a6f758486', 'c4ca4238-a0b9-2382-0dcc-509a6f758487', 'c4ca4238-a0b9-2382-0dcc-509a6f758488', 'c4ca4238-a0b9-2382-0dcc-509a6f758489', 'c4ca4238-a0b9-2382-0dcc-509a6f75848a', 'c4ca4238-a0b9-2382-0dcc-509a6f75848b', 'c4ca4238-a0b9-2382-0dcc-509a6f75848c', 'c4ca4238-a0b9-2382-0dcc-509a6f75848d', 'c4ca4238-a0b9-2382-0dcc-509a6f75848e', 'c4ca4238-a0b9-2382-0dcc-509a6f75848f', 'c4ca4238-a0b9-2382-0dcc-509a6f758490', 'c4ca4238-a0b9-2382-0dcc-509a6f758491', 'c4ca4238-a0b9-2382-0dcc-509a6f758492', 'c4ca4238-a0b9-2382-0dcc-509a6f758493', 'c4ca4238-a0b9-2382-0dcc-509a6f758494', 'c4ca4238-a0b9-2382-0dcc-509a6f758495', 'c4ca4238-a0b9-2382-0dcc-509a6f758496', 'c4ca4238-a0b9-2382-0dcc-509a6f758497', 'c4ca4238-a0b9-2382-0dcc-509a6f758498', 'c4ca4238-a0b9-2382-0dcc-509a6f758499', 'c4ca4238-a0b9-2382-0dcc-509a6f75849a', 'c4ca4238-a0b9-2382-0dcc-509a6f75849b', 'c4ca4238-a0b9-2382-0dcc-509a6f75849c', 'c4ca4238-a0b9-2382-0dcc-509a6f75849d', 'c4ca4238-a0b9-2382-0dcc-509a6f75849e', 'c4ca4238-a0b9-2382-0dcc-509a6f75849f', 'c4ca4238-a0b9-2382-0dcc-509a6f7584a0', 'c4ca4238-a0b9-2382-0dcc-509a6f7584a1', 'c4ca4238-a0b9-2382-0dcc-509a6f7584a2', 'c4ca4238-a0b9-2382-0dcc-509a6f7584a3', 'c4ca4238-a0b9-2382-0dcc-509a6f7584a4', 'c4ca4238-a0b9-2382-0dcc-509a6f7584a5', 'c4ca4238-a0b9-2382-0dcc-509a6f7584a6', 'c4ca4238-a0b9-2382-0dcc-509a6f7584a7') ORDER BY i;
SELECT i FROM n WHERE i IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000, 'abc');
SELECT i FROM n WHERE t IN ('t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8', 't9', 't10', 't11', 't12', 't13', 't14', 't15', 't16', 't17', 't18', 't19', 't20', 't21', 't22', 't23', 't24', 't25', 't26', 't27', 't28', 't29', 't''30', 'v18"x', 'null', '', 'a,b', '{x}', 5);
SELECT g IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000), count(*) FROM n GROUP BY g IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000) ORDER BY 1;
SELECT max(i) FROM n GROUP BY g HAVING g IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000) ORDER BY 1 LIMIT 3;

-- A partition is chosen by them.
CREATE TABLE p (k int, v text) PARTITION BY LIST (k);
CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1, 2, 3);
CREATE TABLE p2 PARTITION OF p DEFAULT;
INSERT INTO p SELECT i, 'x' FROM generate_series(1, 50) i;
SELECT count(*), min(tableoid::regclass::text) FROM p WHERE k IN (1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3);
UPDATE n SET g = 5 WHERE i IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000) AND i > 30;
DELETE FROM n WHERE b IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, -5, 3000) AND i < 3;
SELECT count(*) FROM n;
DROP VIEW v1, v2, v3;
DROP TABLE n, p;
