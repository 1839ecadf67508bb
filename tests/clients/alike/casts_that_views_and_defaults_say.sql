-- A cast to a type with a modifier is one cast; a name that is a text is looked up when it is asked for, one that is a constant when it is said.
CREATE SEQUENCE s;
CREATE TABLE w (t text, v varchar, c char(3), n numeric, i int, a timestamp, g int DEFAULT nextval('s'::text), h int DEFAULT nextval('s'));
CREATE VIEW cut AS SELECT t::varchar(2), v::varchar(2) AS a, c::varchar(2) AS b, 'abc'::text::varchar(2) AS c, 'abc'::varchar::varchar(2) AS d,
  'abc'::text::char(2) AS e, t::char(2) AS f, n::numeric(3,1) AS g, i::numeric(3,1) AS h, '1'::text::numeric(3,1) AS i, 'x'::varchar(3)::varchar(2) AS j,
  t::varchar::varchar(2) AS k, i::numeric::numeric(3,1) AS l, a::timestamptz(2) AS m, (i + 1)::numeric(5,2) AS n, i::bit(4) AS o,
  ARRAY[i]::numeric(3,1)[] AS p FROM w;
SELECT pg_get_viewdef('cut');
SELECT pg_get_viewdef('cut', true);
CREATE VIEW named AS SELECT nextval('s'::text) AS a, nextval('s') AS b, 's'::text::regclass AS c, 's'::varchar::regclass AS d, 's'::regclass AS e, 'int4'::text::regtype AS f;
SELECT pg_get_viewdef('named');
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'w'::regclass ORDER BY adnum;
\d w
ALTER SEQUENCE s RENAME TO s2;
SELECT pg_get_viewdef('named');
INSERT INTO w DEFAULT VALUES;
INSERT INTO w (g) VALUES (0);
DROP VIEW named;
CREATE VIEW named AS SELECT nextval('s2'::text) AS a;
ALTER TABLE w ALTER h DROP DEFAULT;
DROP SEQUENCE s2;
SELECT * FROM named;
CREATE SEQUENCE s2;
SELECT * FROM named;
