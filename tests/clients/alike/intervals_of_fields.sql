-- What the numbers of an interval's literal count, its fields say: 1:30 are minutes and seconds, 5 minutes. So it is in casts and in columns.
SELECT '1:30'::interval minute to second(1), interval '1:30' minute to second(1), '1:30'::interval minute to second, CAST('1:30' AS interval minute to second(1));
SELECT '5'::interval hour to minute, '5'::interval minute, '7'::interval second(2), '2'::interval day, '3 4'::interval day to hour, CAST('5' AS interval minute);
SELECT x::interval minute to second(1) FROM (VALUES ('1:30'::text)) t(x);
CREATE TABLE spans (id int PRIMARY KEY, a interval minute to second(1), b interval minute to second DEFAULT '1:30', c interval hour to minute DEFAULT '1');
INSERT INTO spans (id) VALUES (1);
INSERT INTO spans VALUES (2, '2:20.34', '2:20', '5');
INSERT INTO spans VALUES (3, '2:20.34', '2:20', '5'), (4, '3:20', '3:20', '6');
INSERT INTO spans SELECT 5, '2:20', '2:20', '5';
UPDATE spans SET b = '3:30', c = '7' WHERE id = 4;
UPDATE spans SET b = '3:40', c = '8' WHERE id = 4;
UPDATE spans SET (b, c) = ('9:30', '5') WHERE id = 3 RETURNING *;
UPDATE spans SET (b, c) = (SELECT '9:31', '6') WHERE id = 3 RETURNING *;
INSERT INTO spans VALUES (1, '4:04', '4:04', '5') ON CONFLICT (id) DO UPDATE SET b = '8:08', c = '9' RETURNING *;
PREPARE given AS INSERT INTO spans VALUES ($1, $2, $3, $4);
EXECUTE given (11, '1:30', '1:30', '5:00');
EXECUTE given (12, '1:30', '1:30', '5:00');
COPY spans FROM stdin;
21	1:30	1:30	7
\.
SELECT * FROM spans ORDER BY id;
SELECT id FROM spans WHERE b = '2:20' ORDER BY id;
SELECT id, '5'::interval minute FROM spans WHERE id = 1;
SELECT id, '6'::interval minute FROM spans WHERE id = 1;
SELECT id FROM spans WHERE c = '5'::interval minute ORDER BY id;
