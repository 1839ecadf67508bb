-- Arguments that are named several times, constants that fail beside columns, separators that are not constants, OVERLAPS of what is not known.
CREATE TABLE t (id int PRIMARY KEY, i int, s text, u text, f float8, ts timestamp, a int[], ta text[], d date, e date);
INSERT INTO t VALUES (1, 5, 'b,c', 'x y', 2, '2020-01-31 12:34:56', '{1,2,3}', '{a,b}', '2020-02-09', '2020-02-05'),
    (2, NULL, '', NULL, NULL, NULL, '{}', '{NULL,x}', NULL, '2020-02-01'), (3, 1, NULL, '-', 0, '2021-03-28 02:30', '{NULL,0}', NULL, '2020-02-20', NULL),
    (4, 12, 'Hello', 'a', 16, NULL, NULL, '{}', '2020-02-01', '2020-02-20');
SELECT id, array_to_string(a, u), array_to_string(a, u, s), array_to_string(ta, s, '?'), array_to_string(ta, '', u) FROM t ORDER BY id;
SELECT id, concat_ws(u, VARIADIC ta), concat_ws(s, VARIADIC a), array_to_string(array[[1, 2], [3, NULL]], s, u) FROM t ORDER BY id;
PREPARE p(text) AS SELECT array_to_string(a, $1), concat_ws($1, VARIADIC ta), array_to_string(ta, $1, '-') FROM t ORDER BY id;
EXECUTE p(', '); EXECUTE p(NULL); EXECUTE p('');
SELECT i + 1 / 0 FROM t;
SELECT f * sqrt(-2::float8) FROM t;
SELECT f * (1 + i + 2147483647 * 2) FROM t WHERE id < 0;
SELECT i + (-7) % 0 + 1 FROM t;
SELECT id, (d, e) OVERLAPS (date '2020-02-02', date '2020-02-06'), (e, d) OVERLAPS (date '2020-02-20', NULL), (d, d) OVERLAPS (e, date '2020-02-09'),
    (NULL, d) OVERLAPS (date '2020-02-20', e), (d, e) OVERLAPS (d, e), (d, interval '3 days') OVERLAPS (e, interval '-5 days') FROM t ORDER BY id;
SELECT id FROM t WHERE ((d, e) OVERLAPS (date '2020-02-02', date '2020-02-20')) IS UNKNOWN ORDER BY id;
SELECT id, (SELECT rpad(s, greatest(cardinality(array(SELECT x.i FROM t x WHERE x.i > (extract(year FROM nullif(timestamp '2021-03-28 02:30', ts))::int % (i | array_length(a, 1))) ORDER BY 1)),
    (array_append(array[1, 2, NULL, 3], i))[array_length(a, 1)], 2147483647) % 20, (jsonb_build_array(id, 'Hello'))::text) FROM t y WHERE y.id = t.id) FROM t ORDER BY id;
