-- how definitions over types of extensions and of text search are shown
CREATE EXTENSION citext;
CREATE EXTENSION hstore;
CREATE TABLE t (id int PRIMARY KEY, email citext CHECK (email ~ '^[^@]+@[^@]+$') DEFAULT 'nobody@x', h hstore DEFAULT 'a=>1' CHECK (h ? 'a'), v tsvector DEFAULT to_tsvector('english', 'some words'), q tsquery DEFAULT 'a & b'::tsquery, CHECK (email <> 'root@x'), CONSTRAINT low CHECK (lower(email) = email::text));
CREATE UNIQUE INDEX t_email ON t (email) WHERE email IS NOT NULL;
CREATE INDEX t_v ON t USING gin (to_tsvector('simple', email::text));
CREATE INDEX t_h ON t ((h -> 'a'));
CREATE VIEW w AS SELECT id, email, h -> 'a' AS a, v @@ to_tsquery('english', 'x & y') AS found, ts_rank(v, q) AS rank FROM t WHERE email = 'A@B' AND email LIKE 'a%' AND h @> 'a=>1' AND v @@ plainto_tsquery('english', 'cats') ORDER BY email;
\d t
SELECT pg_get_viewdef('w', true);
SELECT indexdef FROM pg_indexes WHERE tablename = 't' ORDER BY 1;
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 't'::regclass ORDER BY 1;
INSERT INTO t (id, email) VALUES (1, 'nope');
INSERT INTO t (id, email) VALUES (1, 'Root@X');
INSERT INTO t (id, email, h) VALUES (1, 'a@b', 'b=>1');
INSERT INTO t (id, email) VALUES (1, 'a@b'), (2, DEFAULT) RETURNING *;
INSERT INTO t (id, email) VALUES (3, 'A@b');
SELECT id, email, a, found FROM w;
ALTER TABLE t ALTER COLUMN email TYPE text;
ALTER TABLE t ADD COLUMN tags hstore;
ALTER TABLE t DROP COLUMN h CASCADE;
\d t
