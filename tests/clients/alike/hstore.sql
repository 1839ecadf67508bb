-- texts by key
CREATE EXTENSION hstore;
SELECT 'a=>1, b => NULL, "c d"=>"x \"y\""'::hstore, ''::hstore, 'bb=>1,a=>2,a=>3'::hstore;
SELECT 'a'::hstore;
SELECT 'a=>1 b'::hstore;
CREATE TABLE things (id int PRIMARY KEY, h hstore DEFAULT 'x=>1', hs hstore[]);
INSERT INTO things VALUES (1, 'color=>red, size=>10', ARRAY['a=>1'::hstore, NULL]), (2, 'color=>blue', '{}'), (3, NULL, NULL);
INSERT INTO things (id) VALUES (4) RETURNING *;
SELECT id, h -> 'color', h -> ARRAY['size', 'no'], h ? 'size', h ?& ARRAY['color', 'size'], h ?| ARRAY['q', 'size'] FROM things ORDER BY id;
SELECT id FROM things WHERE h @> 'color=>red' ORDER BY id;
SELECT id FROM things WHERE h -> 'color' = 'blue';
SELECT id FROM things WHERE 'size=>10' <@ h;
SELECT id, h || 'new=>1', h - 'color', h - ARRAY['color', 'x'], h - 'color=>red'::hstore FROM things ORDER BY id;
UPDATE things SET h = h || hstore('added', id::text) WHERE id < 3 RETURNING h;
UPDATE things SET h = delete(h, 'added') RETURNING id, h;
SELECT hstore_to_array('a=>1,b=>NULL'), akeys('a=>1,b=>2'::hstore), avals('a=>1,b=>NULL'::hstore), slice('a=>1,b=>2,c=>3'::hstore, ARRAY['b', 'c', 'x']);
SELECT hstore('a', 'b'), hstore('a', NULL), hstore(NULL, 'b'), hstore(ARRAY['a', '1', 'b', NULL]), hstore(ARRAY['a', 'b'], ARRAY['1', '2']), hstore(ARRAY['a'], NULL);
SELECT hstore(ARRAY['a', 'b', 'c']);
SELECT hstore(ARRAY['a', 'b'], ARRAY['1']);
SELECT exist('a=>1', 'a'), defined('a=>NULL', 'a'), isdefined('a=>1', 'a'), isexists('a=>NULL', 'a');
SELECT skeys('a=>1,b=>2'), svals('a=>1,b=>NULL');
SELECT * FROM each('a=>1,b=>NULL,"c d"=>2');
SELECT key, count(*) FROM things, each(h) GROUP BY key ORDER BY key;
SELECT hstore_to_json('a=>1,b=>t,c=>NULL,d=>"x\"y"'), hstore_to_jsonb('bb=>1,a=>2'), hstore_to_json_loose('a=>1,b=>t,c=>-1.5e3,d=>007,e=>NULL'), hstore_to_jsonb_loose('a=>1.50,b=>f');
SELECT 'a=>1'::hstore::json, 'a=>1,b=>NULL'::hstore::jsonb, '{a,1,b,2}'::text[]::hstore, 'a=>1'::hstore::text, 'a=>1'::text::hstore;
SELECT to_jsonb('a=>1'::hstore), to_json('a=>1'::hstore), row_to_json(t) FROM (SELECT 'k=>v'::hstore AS h) t;
SELECT 'a=>1'::hstore = 'a => "1"', 'a=>1'::hstore <> 'b=>1', 'a=>1'::hstore IS DISTINCT FROM NULL, hstore_lt('a=>1', 'b=>1');
SELECT h, count(*) FROM things GROUP BY h ORDER BY h;
SELECT DISTINCT h FROM things ORDER BY h DESC;
SELECT hstore_send('a=>1,b=>NULL'), pg_typeof('a=>1'::hstore -> 'a'), pg_typeof('{}'::hstore[]);
CREATE INDEX things_g ON things USING gin (h);
CREATE INDEX things_i ON things USING gist (h);
CREATE TABLE keyed (h hstore PRIMARY KEY);
INSERT INTO keyed VALUES ('b=>1,a=>2'), ('c=>3');
INSERT INTO keyed VALUES ('a=>2, b=>1');
SELECT * FROM keyed WHERE h = 'a=>2,b=>1';
\d things
COPY things TO STDOUT;
COPY things TO STDOUT CSV;
COPY things (id, h) FROM STDIN;
7	a=>1,"b"=>"2"
\.
COPY things (id, h) FROM STDIN;
8	a=
\.
SELECT h FROM things WHERE id = 7;
SELECT typname, typlen, typcategory, typstorage FROM pg_type WHERE typname IN ('hstore', '_hstore') ORDER BY 1;
SELECT id, h['color'], h['no'] FROM things ORDER BY id;
UPDATE things SET h['new'] = 'x', h['size'] = NULL WHERE id < 4 RETURNING id, h;
UPDATE things SET h[1] = 2 WHERE id = 1;
UPDATE things SET h[1] = '2' WHERE id = 1 RETURNING h;
UPDATE things SET h[NULL] = 'x' WHERE id = 1;
SELECT h['a']['b'] FROM things;
SELECT h['a':'b'] FROM things;
INSERT INTO things (id, h['k']) VALUES (9, 'v') RETURNING h;
SELECT %% h, %# h, hstore_to_matrix(h) FROM things ORDER BY id;
SELECT %# ''::hstore, %% ''::hstore, %# 'a=>1,b=>NULL'::hstore, %% 'a=>"x y"'::hstore;
SELECT 'a=>1'::hstore #<# 'a=>2', 'a=>1'::hstore #<=# 'a=>1', 'a=>1'::hstore #># 'b=>1', 'a=>1'::hstore #>=# 'b=>1';
CREATE VIEW flats AS SELECT %% h AS flat, h #<# 'a=>1' AS below FROM things;
\d+ flats
DROP VIEW flats;
CREATE VIEW colors AS SELECT id, h -> 'color' AS color FROM things;
SELECT * FROM colors ORDER BY id;
\set VERBOSITY terse
DROP EXTENSION hstore;
DROP EXTENSION hstore CASCADE;
\set VERBOSITY default
\d things
CREATE TABLE late (h hstore);
