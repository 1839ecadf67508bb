-- Values that are equal may be written differently: an index over few rows that are there is refused for them all the same.
CREATE EXTENSION citext;
CREATE TABLE said (id int PRIMARY KEY, c citext, t text, padded char(5), n numeric, f float8, doc jsonb, i interval, a int[], day date);
INSERT INTO said VALUES
  (1, 'A', 'a', 'x', 1.0, 0.0, '{"a": 1}', '1 day', ARRAY[1], '2020-01-01'),
  (2, 'a', 'A', 'x ', 1.00, -0.0, '{"a": 1.0}', '24 hours', ARRAY[1], '2020-01-01');
CREATE UNIQUE INDEX ON said (c);
CREATE UNIQUE INDEX ON said (coalesce(c, 'z'));
CREATE UNIQUE INDEX ON said ((t::citext));
CREATE UNIQUE INDEX ON said (padded);
CREATE UNIQUE INDEX ON said ((n + 0));
CREATE UNIQUE INDEX ON said ((f + 0));
CREATE UNIQUE INDEX ON said (doc);
CREATE UNIQUE INDEX ON said ((doc -> 'a'));
CREATE UNIQUE INDEX ON said ((i * 1));
CREATE UNIQUE INDEX ON said ((a || 1));
CREATE UNIQUE INDEX ON said ((day + 1));
CREATE UNIQUE INDEX ON said (n) WHERE c = 'A';
CREATE UNIQUE INDEX ON said ((id * 0)) WHERE n = 1;
CREATE UNIQUE INDEX ON said ((id * 0)) WHERE t = 'a';
CREATE UNIQUE INDEX ON said (lower(t));
CREATE UNIQUE INDEX ON said (t);
INSERT INTO said (id, t) VALUES (3, 'a');
\d said
-- An index may compare by another collation than its column.
CREATE COLLATION either_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE told (t text COLLATE either_case);
INSERT INTO told VALUES ('a'), ('A');
CREATE UNIQUE INDEX ON told (t COLLATE "C");
INSERT INTO told VALUES ('a');
INSERT INTO told VALUES ('b');
SELECT * FROM told ORDER BY t COLLATE "C";
