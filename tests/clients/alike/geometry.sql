-- Points, lines, segments, boxes, paths, polygons, circles: columns, arrays, operators, errors and indexes.
CREATE TABLE shapes (id int PRIMARY KEY, p point, l line, s lseg, b box, w path, g polygon, c circle);
INSERT INTO shapes VALUES
 (1, '(1,2)', '{1,-1,0}', '[(0,0),(3,4)]', '(2,2),(0,0)', '[(0,0),(1,1),(2,0)]', '((0,0),(0,2),(2,2),(2,0))', '<(0,0),1>'),
 (2, ' ( -1.5e0 , 2.25 ) ', '(0,0),(1,3)', '((1,1),(2,2))', '1,1,-1,-1', '((0,0),(3,0),(3,4))', '0,0,4,0,4,4', '((1,1),2)'),
 (3, 'inf,-Infinity', '[(0,0),(0,5)]', '1,2,3,4', '((NaN,0),(1,-0))', '(1,2,3,4)', '(1,2)', '1,2,0'),
 (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
SELECT * FROM shapes ORDER BY id;
\d shapes
\x on
SELECT * FROM shapes WHERE id = 2;
\x off
SELECT p[0], p[1], p[2], l[0], l[2], s[0], s[1], b[0], b[1], (b[0])[1] FROM shapes ORDER BY id;
SELECT p[0:1] FROM shapes;
SELECT w[0] FROM shapes;
UPDATE shapes SET p[0] = 7 WHERE id = 1 RETURNING p;
UPDATE shapes SET p[1] = NULL WHERE id = 1 RETURNING p;
UPDATE shapes SET p[2] = 1 WHERE id = 1;
UPDATE shapes SET p[0] = 1 WHERE id = 4 RETURNING p;
UPDATE shapes SET b[1] = '(-9,-8)', s[0] = point(5, 6) WHERE id = 1 RETURNING b, s;
SELECT id, p + point(1, 1), p - '(1,1)', p * point '(0,1)', p / point '(2,0)' FROM shapes WHERE id < 3 ORDER BY id;
SELECT id, area(b), width(b), height(b), center(b), diagonal(b), b::circle, b::polygon, b::point, b::lseg FROM shapes WHERE id < 3 ORDER BY id;
SELECT id, area(c), center(c), radius(c), diameter(c), c::box, c::point FROM shapes ORDER BY id;
SELECT polygon(4, c), c::polygon FROM shapes WHERE id = 1;
SELECT polygon(1, c) FROM shapes WHERE id = 1;
SELECT polygon(c) FROM shapes WHERE id = 3;
SELECT id, isopen(w), isclosed(w), npoints(w), length(w), area(w), pclose(w), popen(w) FROM shapes ORDER BY id;
SELECT id, npoints(g), g::box, g::circle, g::path, g::point, #g, @@g FROM shapes ORDER BY id;
SELECT w::polygon FROM shapes WHERE id = 1;
SELECT id, p <-> point '(0,0)' AS far FROM shapes ORDER BY p <-> point '(0,0)', id;
SELECT id FROM shapes ORDER BY p <-> '(0,0)' LIMIT 2;
SELECT p <-> l, p <-> s, p <-> b, p <-> w, p <-> g, p <-> c FROM shapes WHERE id = 2;
SELECT p <@ b, b @> p, p <@ c, g @> p, p <@ w, p <@ s, p <@ l, p ~= p, p <> p, p << '(3,0)', p >> '(3,0)', p <<| '(0,9)', p |>> '(0,9)', p <^ '(0,9)', p >^ '(0,9)', p ?- '(0,2)', p ?| '(7,0)' FROM shapes WHERE id = 1;
SELECT b && '(1,1),(3,3)'::box, b # '(1,1),(3,3)'::box, b << b, b &< b, b &> b, b >> b, b <<| b, b &<| b, b |&> b, b |>> b, b ~= b, b = b, b < b, b <= b, b > b, b >= b, b @> b, b <@ b, b ?# b FROM shapes WHERE id = 2;
SELECT ?- s, ?| s, s ?- s, s FROM shapes;
SELECT ?- s, ?| s, @-@ s, @@ s, s ?|| s, s ?-| s, s # '((0,2),(2,0))', s ?# b, s = s, s <> s, s < '((0,0),(9,9))' FROM shapes WHERE id = 2;
SELECT '(0,0)'::point ## s, '(0,0)'::point ## b, '(5,0)'::point ## l, l ## s, s ## b, s ## s FROM shapes WHERE id = 1;
SELECT point '(1,1)' = point '(1,1)';
SELECT polygon '((1,1))' = polygon '((1,1))';
SELECT box '(0,0),(1,1)' <> box '(0,0),(1,1)';
SELECT p FROM shapes GROUP BY p;
SELECT DISTINCT b FROM shapes;
SELECT p FROM shapes ORDER BY p;
SELECT c FROM shapes ORDER BY c DESC;
SELECT p FROM shapes UNION SELECT p FROM shapes;
SELECT p FROM shapes UNION ALL SELECT p FROM shapes WHERE id = 1;
SELECT count(p), count(*) FROM shapes;
SELECT max(p) FROM shapes;
SELECT greatest(p, p) FROM shapes;
SELECT array_agg(p ORDER BY id), array_agg(b ORDER BY id) FROM shapes WHERE id < 3;
SELECT ARRAY[point '(1,2)', '(3,4)'], '{(1,1),(0,0);(3,3),(2,2)}'::box[], ARRAY[circle '1,2,3', NULL];
SELECT (ARRAY[point '(1,2)', '(3,4)'])[2], (ARRAY[point '(1,2)', '(3,4)'])[2][0], ((ARRAY[point '(1,2)', '(3,4)'])[2])[0];
SELECT unnest('{"(1,2)","(3,4)"}'::point[]);
SELECT point '(1,2)' = ANY (ARRAY[point '(1,2)']);
SELECT ARRAY[point '(1,2)'] = ARRAY[point '(1,2)'];
SELECT point '(1,2)' ~= ANY (ARRAY[point '(3,4)', '(1,2)']), lseg '1,2,3,4' = ALL (ARRAY[lseg '1,2,3,4']);
SELECT p::text, s::text || '!', format('%s', c), concat(b, '|', g), l::varchar(3), '(1,2)'::text::point, quote_literal(p) FROM shapes WHERE id = 1;
SELECT to_json(p), json_build_object('b', b), row_to_json(x) FROM shapes x WHERE id = 1;
SELECT ROW(p, b) FROM shapes WHERE id = 1;
SELECT p::box, b::point, '(1,2)'::point::circle;
SELECT CASE WHEN p << '(3,3)' THEN p ELSE '(9,9)' END, coalesce(p, '(0,0)'), nullif(s, '1,2,3,4') FROM shapes ORDER BY id;
SELECT nullif(p, p) FROM shapes;
SELECT point(1, 2), point('1', 2.5), box(point(0, 0), point(1, -1)), lseg(point(1, 1), '(2,2)'), line(point(0, 0), point(2, 1)), circle(point(1, 1), 3), box('(1,1)'::point), bound_box('(1,1),(0,0)', '(5,5),(4,4)');
SELECT line(point(1, 1), point(1, 1));
SELECT slope(point(0, 0), point(1, 2)), slope('(0,0)', '(0,1)'), isparallel('{1,2,3}'::line, '{2,4,9}'), isperp('{1,0,0}'::line, '{0,1,0}'), ishorizontal('{0,1,2}'::line), isvertical('{1,0,2}'::line), isvertical('(0,0)'::point, '(0,1)');
SELECT '(1,2)'::point * '(1e300,1e300)' * '(1e300,1e300)';
SELECT '(1,2)'::point / '(0,0)';
SELECT '(1,2'::point;
SELECT '(1,2)x'::point;
SELECT ''::point;
SELECT '(1,a)'::point;
SELECT '(1,1e400)'::point;
SELECT '{0,0,1}'::line;
SELECT '(1,1),(1,1)'::line;
SELECT '{1,2}'::line;
SELECT '[(1,2),(3,4)]'::box;
SELECT '(1,2),(3'::box;
SELECT '[1,2,3]'::path;
SELECT '((1,2),(3,4)'::path;
SELECT '[(1,2),(3,4)]'::polygon;
SELECT ''::polygon;
SELECT '<(1,2),-1>'::circle;
SELECT '<(1,2)'::circle;
SET extra_float_digits = 0;
SELECT point(1::float8 / 3, 0.1), circle '<(0.1,0.2),0.30000000000000004>', ARRAY[point(1::float8 / 3, 2)];
RESET extra_float_digits;
SELECT point(1::float8 / 3, 0.1), point(1e20, 1e-7), point(123456789012345678, '-0');
COPY shapes TO STDOUT;
COPY shapes TO STDOUT CSV;
COPY shapes (id, p, b, c) FROM STDIN;
10	(5,5)	(1,2),(3,4)	<(0,0),5>
11	1,2	\N	1,2,3
\.
COPY shapes (id, p) FROM STDIN;
12	(5;5)
\.
COPY shapes (id, p, w) FROM STDIN CSV;
13,"(1,2)","[(1,2),(3,4)]"
\.
SELECT id, p, b, w, c FROM shapes WHERE id >= 10 ORDER BY id;
CREATE INDEX shapes_p ON shapes (p);
CREATE INDEX shapes_p ON shapes USING gist (p);
CREATE INDEX shapes_b ON shapes USING gist (b);
CREATE INDEX shapes_bs ON shapes USING spgist (b);
CREATE INDEX shapes_c ON shapes USING gist (c);
CREATE INDEX shapes_g ON shapes USING gist (g);
CREATE INDEX shapes_w ON shapes USING gist (w);
CREATE UNIQUE INDEX ON shapes (c);
CREATE INDEX shapes_h ON shapes USING hash (p);
\d shapes
SELECT indexdef FROM pg_indexes WHERE tablename = 'shapes' ORDER BY 1;
CREATE TABLE keyed (p point PRIMARY KEY);
CREATE TABLE keyed (p point UNIQUE);
CREATE TABLE d (id int PRIMARY KEY, p point DEFAULT '(0,0)', q point NOT NULL DEFAULT point(1, 2), c circle CHECK (radius(c) < 10), inside bool GENERATED ALWAYS AS (c @> p) STORED);
\d d
INSERT INTO d (id, c) VALUES (1, '1,1,2') RETURNING *;
INSERT INTO d (id, c) VALUES (2, '1,1,20');
INSERT INTO d (id, p, c) VALUES (3, '9,9', '1,1,2') RETURNING *;
UPDATE d SET p = p + q WHERE id = 3 RETURNING *;
UPDATE d SET c = NULL WHERE inside;
SELECT * FROM d ORDER BY id;
DELETE FROM d WHERE p ~= '(10,11)' RETURNING id;
SELECT DISTINCT ON (id) id, p FROM shapes ORDER BY id LIMIT 2;
SELECT a.id, b.id FROM shapes a JOIN shapes b ON a.b && b.b AND a.id < b.id ORDER BY 1, 2;
SELECT a.id FROM shapes a JOIN shapes b ON a.p = b.p;
SELECT id FROM shapes WHERE p IN ('(1,2)');
CREATE VIEW near AS SELECT id, p <-> '(0,0)' AS far, b && '((0,0),(1,1))' AS over, ?- s AS flat, p[0] AS x FROM shapes WHERE p << '(100,100)'::point;
\d+ near
SELECT * FROM near ORDER BY id;
CREATE TABLE rooms (b box, EXCLUDE USING gist (b WITH &&));
INSERT INTO rooms VALUES ('(0,0),(1,1)'), ('(3,3),(2,2)');
INSERT INTO rooms VALUES ('(0.5,0.5),(4,4)');
CREATE TABLE disks (id int, c circle, EXCLUDE USING gist (c WITH &&));
\d disks
INSERT INTO disks VALUES (1, '<(0,0),5>'), (2, '<(20,0),5>');
INSERT INTO disks VALUES (3, '<(6,0),2>');
CREATE FUNCTION far(a point, b point) RETURNS float8 LANGUAGE sql AS 'SELECT $1 <-> $2';
SELECT far('(0,0)', '(3,4)');
DO $$ DECLARE p point := '(1,2)'; BEGIN p := p + point(1, 1); RAISE NOTICE '% %', p, p[0]; END $$;
PREPARE q (point, float8) AS SELECT id FROM shapes WHERE p <@ circle($1, $2) ORDER BY id;
EXECUTE q ('(0,0)', 10);
SELECT point_send('(1,2)'), box_send('1,2,3,4'), path_send('[(1,2)]'), poly_send('((1,2))'), circle_send('1,2,3'), line_send('{1,2,3}'), lseg_send('1,2,3,4');
SELECT point_add('(1,2)', '(3,4)'), box_overlap('1,1,2,2', '1,1,3,3'), lseg_length('0,0,3,4');
SELECT typname, typlen, typelem::regtype, typdelim, typcategory FROM pg_type WHERE typcategory = 'G' ORDER BY 1;
SELECT pg_typeof(p + p), pg_typeof(@@b), pg_typeof(p <-> p), pg_typeof(p[0]) FROM shapes LIMIT 1;
SELECT pg_input_is_valid('(1', 'point');
