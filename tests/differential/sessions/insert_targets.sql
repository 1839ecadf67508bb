-- parts of columns as targets of INSERT
CREATE TABLE el (id int PRIMARY KEY, a int[], t text[], j jsonb);
INSERT INTO el (id, a[1], a[2]) VALUES (1, 10, 20), (2, 30, 40);
INSERT INTO el (id, a[3]) VALUES (3, 10);
INSERT INTO el (id, a[1:2]) VALUES (4, '{5,6}');
INSERT INTO el (id, t[1], j['a']) VALUES (5, 'x', '1');
INSERT INTO el (id, a[1]) SELECT 6, 7;
INSERT INTO el (id, a[2][2]) VALUES (7, 1);
INSERT INTO el (id, a[1]) VALUES (8, 'x');
INSERT INTO el (id, a, a[1]) VALUES (9, '{1}', 2);
INSERT INTO el (id, a[1], a[1]) VALUES (10, 1, 2);
INSERT INTO el (id, a[1]) VALUES (11, DEFAULT);
INSERT INTO el (id, id[1]) VALUES (11, 1);
SELECT * FROM el ORDER BY id;
-- part of composite
CREATE TYPE pt AS (x int, y text);
CREATE TABLE cp (id int PRIMARY KEY, p pt);
INSERT INTO cp (id, p.x, p.y) VALUES (1, 5, 'a');
INSERT INTO cp (id, p.y) VALUES (2, 'b');
SELECT * FROM cp ORDER BY id;
INSERT INTO cp (id, p.nope) VALUES (3, 'b');
INSERT INTO cp AS c (id, p.x) SELECT 4, 9 RETURNING c.p;
INSERT INTO public.cp (p.x, id, p.y) VALUES (1, 5, 'a'), (2, 6, 'b') ON CONFLICT DO NOTHING;
WITH w AS (INSERT INTO el (id, a[2]) VALUES (20, 5) RETURNING a) SELECT * FROM w;
INSERT INTO cp (id, p.x) VALUES (7, DEFAULT);
INSERT INTO cp (id, id.x) VALUES (7, 1);
SELECT * FROM cp ORDER BY id;
