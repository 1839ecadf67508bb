-- What has no end is dealt out by PostgreSQL's hash of it, and is found where it was put, by whatever way.
SET client_min_messages = warning;
CREATE TABLE days (k date PRIMARY KEY, v text DEFAULT 'd') PARTITION BY HASH (k);
CREATE TABLE moments (k timestamp PRIMARY KEY, v text DEFAULT 'd') PARTITION BY HASH (k);
CREATE TABLE instants (k timestamptz PRIMARY KEY, v text DEFAULT 'd') PARTITION BY HASH (k);
SELECT format('CREATE TABLE %s_%s PARTITION OF %1$s FOR VALUES WITH (MODULUS 5, REMAINDER %2$s)', t, i)
  FROM unnest(ARRAY['days', 'moments', 'instants']) t, generate_series(0, 4) i \gexec
INSERT INTO days VALUES ('infinity'), ('-infinity'), ('2000-01-01'), ('0001-01-01 BC');
INSERT INTO days VALUES ('infinity') ON CONFLICT (k) DO UPDATE SET v = days.v || '+' RETURNING tableoid::regclass, *;
INSERT INTO moments VALUES ('infinity') RETURNING tableoid::regclass;
INSERT INTO moments VALUES ('-infinity') RETURNING tableoid::regclass;
INSERT INTO instants SELECT k FROM moments;
UPDATE days SET v = v || 'u' WHERE k = '-infinity' RETURNING tableoid::regclass, *;
UPDATE moments SET v = v || 'u' WHERE k = '-infinity' RETURNING tableoid::regclass, *;
PREPARE one (timestamptz) AS SELECT v FROM instants WHERE k = $1;
EXECUTE one ('infinity');
EXECUTE one ('-infinity');
SELECT tableoid::regclass, * FROM days ORDER BY k;
SELECT tableoid::regclass, * FROM moments ORDER BY k;
SELECT tableoid::regclass, * FROM instants ORDER BY k;
DELETE FROM instants WHERE k = '-infinity' RETURNING *;
