-- documents as vectors, what they are asked, and how well they answer
SHOW default_text_search_config;
SELECT 'a fat cat:3,2A sat:4b,5d ''on a'':1'::tsvector, ''::tsvector, 'b a a:1 b:3,1'::tsvector;
SELECT 'a:'::tsvector;
SELECT 'a:0'::tsvector;
SELECT $$'it''s' a\:b '\\'$$::tsvector;
SELECT 'fat & (cat | !rat:*A)'::tsquery, 'a <-> b <2> c'::tsquery, '!a & b | c'::tsquery, 'a <-> (b & c)'::tsquery;
SELECT 'a &'::tsquery;
SELECT '(a'::tsquery;
SELECT 'a <20000> b'::tsquery;
SELECT to_tsvector('english', 'The quick brown foxes jumped over the lazy dogs'), to_tsvector('simple', 'The Quick'), to_tsvector('English dogs');
SELECT to_tsvector('german', 'Die schnellen Füchse'), to_tsvector('french', 'les chevaux'), to_tsvector('russian', 'быстрые foxes');
SELECT to_tsvector('nope', 'x');
SELECT to_tsvector('english', 'See http://example.com/a/b?x=1 or mail me@example.com, v1.2.3 costs -5.5e3; state-of-the-art <b>x</b>');
SELECT to_tsquery('english', 'fat & (cats | ''black dogs'')'), to_tsquery('simple', 'The:*'), to_tsquery('english', 'a-b & x:AB*');
SELECT to_tsquery('english', 'fat cats');
SELECT plainto_tsquery('english', 'The Fat & Rats:C'), phraseto_tsquery('english', 'cats of the house'), plainto_tsquery('dogs');
SELECT websearch_to_tsquery('english', '"fat cats" or -dogs'), websearch_to_tsquery('english', 'signal -"segmentation fault"'), websearch_to_tsquery('x or y');
SELECT 'fat cat:2'::tsvector @@ 'fat & cat'::tsquery, 'fat'::tsquery @@ 'fat'::tsvector, 'a:1'::tsvector @@ 'b'::tsquery;
SELECT 'the fat cats' @@ to_tsquery('english', 'cat'), 'the fat cats' @@ 'a cat', to_tsvector('error is not fatal') @@ to_tsquery('fatal <-> error');
SELECT 'a:1 b:2 c:4'::tsvector @@ q::tsquery, q FROM unnest('{a<->b,b<2>c,a<->c,!a<->b,(a|b)<->b,a:*<->b,a<->!c,c<->a}'::text[]) AS q;
SELECT 'a:1A b:2'::tsvector @@ 'a:A', 'a:1A b:2'::tsvector @@ 'b:A', 'a b'::tsvector @@ 'a:A', 'super:1'::tsvector @@ 'sup:*';
SELECT 'a:1 b:2'::tsvector || 'c:1 b:2'::tsvector, setweight('a:1,3A b'::tsvector, 'C'), setweight('a:1 b:2'::tsvector, 'A', '{b}'), strip('a:1 b:2'::tsvector);
SELECT length('a:1 b:2'::tsvector), tsvector_to_array('b a:2'::tsvector), array_to_tsvector('{b,a,b}'), ts_delete('a b c'::tsvector, 'b'), ts_delete('a b c'::tsvector, '{a,b}'::text[]), ts_filter('a:1A b:2B c:3'::tsvector, '{a,b}');
SELECT array_to_tsvector('{a,NULL}');
SELECT setweight('a:1'::tsvector, 'x');
SELECT 'a'::tsquery && 'b', 'a'::tsquery || 'b & c', !! 'a & b'::tsquery, 'a'::tsquery <-> 'b & c', tsquery_phrase('a', 'b', 4), tsquery_phrase('a', 'b');
SELECT numnode('a & b | !c'::tsquery), querytree('a & !b'::tsquery), querytree('!a'::tsquery), 'a & b'::tsquery @> 'a', 'a'::tsquery <@ 'a & b', 'a'::tsquery = 'a', 'a'::tsquery <> 'b';
SELECT tsvectorsend('a:1A b'), tsquerysend('a & !b:*A <-> c');
SELECT ts_rank('a:1 b:2,5A c'::tsvector, 'a & b'), ts_rank('a:1 b:2,5A c'::tsvector, 'a | b'), ts_rank('{0.1,0.2,0.4,0.8}', 'a:1 b:2,5A'::tsvector, 'a & b', 32), ts_rank('a:1'::tsvector, 'x');
SELECT ts_rank_cd('a:1 b:2,5A c'::tsvector, 'a & b'), ts_rank_cd('{1,1,1,1}', 'a:1 b:5'::tsvector, 'a & b', 4|1), ts_rank_cd('a:1 b:2'::tsvector, 'a <-> b');
SELECT ts_rank('{0.1}', 'a:1'::tsvector, 'a');
SELECT ts_lexize('english_stem', 'stars'), ts_lexize('english_stem', 'the'), ts_lexize('simple', 'THE');
SELECT * FROM ts_parse('default', 'foo-bar 12 x@y.com');
SELECT * FROM ts_token_type('default') LIMIT 3;
SELECT get_current_ts_config(), 'english'::regconfig, 'english'::regconfig::oid = 13164, 'pg_catalog.simple'::regconfig, 'english_stem'::regdictionary;
SET default_text_search_config = 'simple';
SELECT to_tsvector('The Cats'), get_current_ts_config();
SET default_text_search_config = 'pg_catalog.german';
SELECT to_tsvector('Die Katzen');
SET default_text_search_config = 'nope';
RESET default_text_search_config;
CREATE TABLE docs (id int PRIMARY KEY, title text, body text, v tsvector GENERATED ALWAYS AS (setweight(to_tsvector('english', coalesce(title, '')), 'A') || to_tsvector('english', coalesce(body, ''))) STORED, q tsquery, vs tsvector[]);
CREATE TABLE refused (t text, v tsvector GENERATED ALWAYS AS (to_tsvector(t)) STORED);
CREATE INDEX docs_v ON docs USING gin (v);
CREATE INDEX docs_g ON docs USING gist (v);
CREATE INDEX docs_e ON docs USING gin (to_tsvector('english', body));
\d docs
INSERT INTO docs (id, title, body, q, vs) VALUES (1, 'Fat cats', 'A fat cat sat on the mat', 'fat & cat', ARRAY['a:1'::tsvector]), (2, 'Dogs', 'Dogs chase cats', 'dog <-> chase', NULL), (3, NULL, NULL, NULL, '{}');
SELECT id, v FROM docs ORDER BY id;
SELECT id, ts_rank(v, query) FROM docs, to_tsquery('english', 'cats') AS query WHERE v @@ query ORDER BY 2 DESC;
SELECT id FROM docs WHERE v @@ websearch_to_tsquery('english', 'cat -mat') ORDER BY id;
SELECT id FROM docs WHERE to_tsvector('english', body) @@ to_tsquery('english', 'chase & dog');
SELECT id FROM docs WHERE v @@ q ORDER BY id;
UPDATE docs SET body = 'no more' WHERE id = 2;
SELECT v FROM docs WHERE id = 2;
SELECT v, count(*) FROM docs GROUP BY v ORDER BY v;
SELECT DISTINCT v FROM docs ORDER BY v DESC;
SELECT 'a:1'::tsvector < 'a:2'::tsvector, 'a'::tsvector = 'a', 'b'::tsvector > 'a a:1'::tsvector, 'a'::tsvector IS DISTINCT FROM 'b';
COPY docs (id, v, q, vs) TO STDOUT;
COPY docs (id, v, q) TO STDOUT CSV;
CREATE TABLE held (v tsvector DEFAULT 'x:1', q tsquery);
COPY held FROM STDIN;
b a:1	a&b
'c d':3A	\N
\.
COPY held FROM STDIN;
a:x	b
\.
INSERT INTO held DEFAULT VALUES;
SELECT * FROM held ORDER BY v;
PREPARE p (tsquery) AS SELECT id FROM docs WHERE v @@ $1 ORDER BY id;
EXECUTE p ('cat');
SELECT v::text, v::varchar, 'x y'::text::tsvector FROM held ORDER BY held.v LIMIT 1;
SELECT column_name, data_type, udt_name, generation_expression FROM information_schema.columns WHERE table_name = 'docs' AND column_name IN ('v', 'q', 'vs') ORDER BY ordinal_position;
DROP TABLE docs;
