-- The places of a tree: what is above and below, patterns over levels and over labels, and tables with keys of them.
CREATE TABLE too_early (p ltree);
CREATE EXTENSION ltree;
\dx ltree
\dT l*y
SELECT typname, typlen, typtype, typcategory, typinput, typsend, typarray <> 0 FROM pg_type WHERE typname ~ '^_?l(tree|query|txtquery)$' ORDER BY 1;
-- read, shown, refused
SELECT ''::ltree, 'Top'::ltree, 'Top.Science_1.Астрономия'::ltree;
SELECT 'a..b'::ltree;
SELECT 'a.'::ltree;
SELECT '.a'::ltree;
SELECT 'a b'::ltree;
SELECT 'a-b'::ltree;
SELECT repeat('x', 255)::ltree::text = repeat('x', 255), repeat('x', 256)::ltree;
SELECT (repeat('x', 10) || '.' || repeat('y', 300))::ltree;
SELECT nlevel(repeat('x.', 65535)::ltree);
SELECT nlevel((repeat('x.', 65534) || 'x')::ltree);
SELECT '*'::lquery, '*{0}.a'::lquery, '*{1,}'::lquery, '*{,3}'::lquery, 'a{,}'::lquery, 'a{2}.!b|c@%*.d*@'::lquery, '*{0,65535}'::lquery;
SELECT '*{3,2}'::lquery;
SELECT '*{70000}'::lquery;
SELECT '*{1,70000}'::lquery;
SELECT '!'::lquery;
SELECT 'a|'::lquery;
SELECT 'a.!.b'::lquery;
SELECT 'a@b'::lquery;
SELECT '*a'::lquery;
SELECT ''::lquery;
SELECT 'a{'::lquery;
SELECT 'a{x}'::lquery;
SELECT 'a{1}b'::lquery;
SELECT 'a & b | !c'::ltxtquery, '(a | b) & c*@%'::ltxtquery, '!(a&b)'::ltxtquery, '!!a'::ltxtquery, 'a|b|c & d'::ltxtquery, ' a&(b|c|(d&e)) '::ltxtquery;
SELECT 'a &'::ltxtquery;
SELECT 'a b'::ltxtquery;
SELECT '(a'::ltxtquery;
SELECT 'a)'::ltxtquery;
SELECT ''::ltxtquery;
SELECT 'a*b'::ltxtquery;
SELECT repeat('a', 256)::ltxtquery;
-- functions
SELECT subltree('Top.Child1.Child2', 1, 2), subpath('Top.Child1.Child2', 0, 2), subpath('Top.Child1.Child2', -2), subpath('Top.Child1.Child2', 0, -1), subpath('Top.Child1.Child2', 1), subpath('a.b.c', 1, 0);
SELECT subltree('a.b', 2, 3);
SELECT subpath('a.b', 5);
SELECT subpath('', 0);
SELECT index('0.1.2.3.5.4.5.6.8.5.6.8', '5.6'), index('0.1.2.3.5.4.5.6.8.5.6.8', '5.6', -4), index('a.b', 'c'), index('a.b', ''), index('a.b.a.b', 'a.b', 1);
SELECT nlevel(''), nlevel('a'), nlevel('a.b.c'), text2ltree('a.b') || 'c', 'a'::ltree || 'b.c'::ltree, 'x'::text || 'y'::ltree, ''::ltree || 'a';
SELECT text2ltree('a b');
SELECT 'a'::ltree || 'b c'::text;
SELECT lca('1.2.3', '1.2.3.4.5.6'), lca('1.2.3', '1.2.4', '1.2'), lca(ARRAY['a.b.c', 'a.b.d']::ltree[]), lca('a', 'b'), lca(NULL, 'a.b'), lca('{}'::ltree[]) IS NULL, lca('a.b', '') IS NULL;
SELECT lca('{a,NULL}'::ltree[]);
SELECT ltree_cmp('a.b', 'a.c'), ltree_cmp('a', 'a.b.c'), ltree_cmp('a.b.c', 'a'), ltree_cmp('b', 'a.b'), ltree_cmp('a.bcd', 'a.b'), ltree_cmp('a', 'a');
SELECT ltree2text('a.b'), pg_typeof(ltree2text('a.b')), ltree_send('a.b'), lquery_send('*.a'), ltxtq_send('a&b');
-- operators
SELECT 'a.b' @> 'a.b.c'::ltree, 'a.b' <@ 'a.b.c'::ltree, 'a' @> 'ab'::ltree, '' @> 'a'::ltree, 'a.b'::ltree ^@> 'a.b', 'a.b'::ltree ^<@ 'a';
SELECT 'Top.Science.Astronomy'::ltree ~ '*.Astro*.*', '*.!Science.*' ~ 'Top.Science'::ltree, 'a.b.c'::ltree ~ 'a.*{1,2}', 'a.b.c' ~ 'a.*{1}'::lquery, 'A.b'::ltree ~ 'a@.B@', 'foo_bar_baz'::ltree ~ 'foo_bar%', 'foo_barbaz'::ltree ~ 'foo_bar%', 'foo1_bar2_baz'::ltree ~ 'foo_bar%*', 'foo1_br2_baz'::ltree ~ 'foo_bar%*';
SELECT q, ARRAY(SELECT t FROM unnest('{"",a,a.b,a.b.c,a.a.b,b,b.a}'::ltree[]) t WHERE t ~ q) FROM unnest('{*,a,a.*,*.b,"*{2}","a{2}.*","!a.*","!a{1,}","a|b.*{1,}","*.!b","*.a.*.b.*","a{,2}"}'::lquery[]) q;
SELECT 'a.b.c'::ltree ? '{x,a.*}'::lquery[], '{x,b}'::lquery[] ? 'a'::ltree, 'a'::ltree ^? '{a}', 'a'::ltree ? '{}'::lquery[], NULL::ltree ? '{a}'::lquery[];
SELECT 'a'::ltree ? '{a,NULL}'::lquery[];
SELECT 'Top.Science.Astronomy'::ltree @ 'Astro* & !pictures@', 'Science' @ 'Top.Science'::ltree, 'a.b'::ltree ^@ '!c & (a|x)', 'a_b.c'::ltree @ 'b%', 'A'::ltree @ 'a@';
SELECT '{a.b,c.d}'::ltree[] @> 'c.d.e'::ltree, 'c.d.e'::ltree <@ '{a.b,c.d}'::ltree[], '{a.b,c.d}'::ltree[] <@ 'c'::ltree, 'c'::ltree @> '{a.b,c.d}'::ltree[], '{a.b,c.d}'::ltree[] ~ 'c.*'::lquery, 'c.*'::lquery ~ '{a.b}'::ltree[], '{a.b}'::ltree[] ? '{b,a.*}'::lquery[], '{a.b}'::ltree[] @ 'a&b'::ltxtquery;
SELECT '{a.b,c.d}'::ltree[] ?@> 'c.d.e'::ltree, '{a.b,c.d}'::ltree[] ?<@ 'c'::ltree, '{a.b,c.d}'::ltree[] ?~ '*.d'::lquery, '{a.b,c.d}'::ltree[] ?@ 'd'::ltxtquery, '{a.b}'::ltree[] ?@> 'z'::ltree;
SELECT '{{a}}'::ltree[] @> 'a'::ltree;
SELECT 'a'::lquery = 'a'::lquery;
SELECT min('a'::ltree);
-- tables
CREATE TABLE places (path ltree PRIMARY KEY, name text, tags ltree[], watched lquery DEFAULT '*');
CREATE INDEX ON places USING gist (path);
CREATE INDEX ON places USING gist (tags);
CREATE INDEX ON places USING btree (path);
CREATE INDEX ON places USING gin (path);
\d places
INSERT INTO places (path, name, tags) VALUES ('Top', 'all', '{x.y}'), ('Top.Science', 'knowing', '{}'), ('Top.Science.Astronomy', 'stars', NULL), ('Top.Science.Astronomy.Cosmology', 'the whole', '{x,z.w}'), ('Top.Hobbies', 'pastimes', NULL), ('Top.Hobbies.Amateurs_Astronomy', 'gazing', '{x.y.z}'), ('Topology', 'shapes', NULL);
INSERT INTO places VALUES ('Top.Science', 'again');
INSERT INTO places VALUES ('Top.Science', 'again') ON CONFLICT (path) DO UPDATE SET name = excluded.name || '!' RETURNING *;
INSERT INTO places VALUES ('not a path');
PREPARE under (ltree) AS SELECT path, name FROM places WHERE path <@ $1 ORDER BY path;
EXECUTE under ('Top.Science');
EXECUTE under ('Top.Science');
EXECUTE under ('Top');
PREPARE at (ltree) AS SELECT name FROM places WHERE path = $1;
EXECUTE at ('Top.Hobbies');
EXECUTE at ('Top.Hobbies');
EXECUTE at ('Top.Nothing');
PREPARE of_pattern (lquery) AS SELECT path FROM places WHERE path ~ $1 ORDER BY 1 DESC;
EXECUTE of_pattern ('*.Astronomy.*');
EXECUTE of_pattern ('Top.*{1}');
EXECUTE of_pattern ('Top.*.*strono*@');
SELECT path FROM places WHERE path > 'Top.S' ORDER BY path;
SELECT path FROM places WHERE path BETWEEN 'Top.Hobbies' AND 'Top.Science' ORDER BY path;
SELECT path FROM places WHERE path @> 'Top.Science.Astronomy' ORDER BY nlevel(path) DESC;
SELECT subpath(path, 0, 2) AS branch, count(*), array_agg(path ORDER BY path DESC) FROM places WHERE nlevel(path) > 1 GROUP BY 1 ORDER BY 1;
SELECT a.path, count(b.path) FROM places a JOIN places b ON b.path <@ a.path GROUP BY a.path ORDER BY 2 DESC, 1;
SELECT DISTINCT nlevel(path) FROM places ORDER BY 1;
SELECT path FROM places WHERE tags @> 'x.y.z' ORDER BY path;
SELECT path, tags ?@> 'x.y.z' FROM places WHERE tags IS NOT NULL ORDER BY path;
SELECT to_jsonb(p) FROM places p ORDER BY path LIMIT 2;
SELECT row(path, tags) FROM places ORDER BY path LIMIT 1;
UPDATE places SET path = 'Top.Sports' || subpath(path, 2) WHERE path <@ 'Top.Science.Astronomy' AND path <> 'Top.Science.Astronomy' RETURNING path;
UPDATE places SET path = 'Top.Leisure' || subpath(path, nlevel('Top.Hobbies')) WHERE path <@ 'Top.Hobbies' AND nlevel(path) > 2 RETURNING path;
DELETE FROM places WHERE path <@ 'Top.Leisure' RETURNING path;
SELECT path FROM places ORDER BY path;
CREATE TABLE kept (id int PRIMARY KEY, place ltree REFERENCES places ON UPDATE CASCADE ON DELETE SET NULL, CHECK (nlevel(place) < 4));
INSERT INTO kept VALUES (1, 'Top.Science'), (2, 'Topology');
INSERT INTO kept VALUES (3, 'Nowhere');
INSERT INTO kept VALUES (3, 'Top.Science.Astronomy.Cosmology');
UPDATE places SET path = 'Top.Knowledge' WHERE path = 'Top.Science';
DELETE FROM places WHERE path = 'Topology';
SELECT * FROM kept ORDER BY id;
COPY places (path, tags, watched) TO STDOUT;
COPY places (path) FROM STDIN;
Top.New
Top.a b
\.
CREATE FUNCTION parent(p ltree) RETURNS ltree LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN nlevel(p) > 1 THEN subpath(p, 0, -1) END $$;
SELECT path, parent(path) FROM places ORDER BY path;
CREATE VIEW deep AS SELECT path, path ~ '*.Sports.*'::lquery AS sport FROM places WHERE nlevel(path) >= 2;
SELECT * FROM deep ORDER BY path;
SELECT pg_get_viewdef('deep');
CREATE UNIQUE INDEX ON places (subpath(path, 0, 1), name);
CREATE TABLE parted (path ltree, n int) PARTITION BY LIST (path);
CREATE TABLE parted_a PARTITION OF parted FOR VALUES IN ('a', 'a.b');
INSERT INTO parted VALUES ('a.b', 1);
INSERT INTO parted VALUES ('c', 1);
SELECT tableoid::regclass, * FROM parted;
ALTER TABLE kept ALTER place TYPE text;
SELECT pg_typeof(place), place FROM kept ORDER BY id;
ALTER TABLE kept ALTER place TYPE ltree USING text2ltree(place);
DROP TABLE places, kept, parted CASCADE;
CREATE TABLE last (id int, path ltree, CHECK (nlevel(path) < 3), UNIQUE (path));
CREATE UNIQUE INDEX ON last (subpath(path, 0, 1), id);
DROP FUNCTION parent;
DROP EXTENSION ltree;
CREATE TABLE parted (path ltree, n int) PARTITION BY LIST (path);
CREATE TABLE parted_a PARTITION OF parted FOR VALUES IN ('a', 'a.b');
DROP EXTENSION ltree CASCADE;
\d last
\d parted
