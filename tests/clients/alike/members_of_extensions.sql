\set VERBOSITY verbose
CREATE EXTENSION "uuid-ossp"; CREATE EXTENSION pgcrypto; CREATE EXTENSION unaccent; CREATE EXTENSION fuzzystrmatch; CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gist;
-- uuid-ossp
SELECT uuid_nil(), uuid_ns_dns(), uuid_ns_url(), uuid_ns_oid(), uuid_ns_x500();
SELECT uuid_generate_v3(uuid_ns_url(), 'http://www.postgresql.org'), uuid_generate_v5(uuid_ns_dns(), 'é'), uuid_generate_v5(NULL, 'a');
SELECT substr(uuid_generate_v1()::text, 15, 1), substr(uuid_generate_v1mc()::text, 15, 1), substr(uuid_generate_v4()::text, 15, 1);
SELECT count(DISTINCT uuid_generate_v1()), count(DISTINCT uuid_generate_v1mc()), count(DISTINCT uuid_generate_v4()), count(DISTINCT gen_random_uuid()) FROM generate_series(1, 100);
CREATE TABLE t (id uuid PRIMARY KEY DEFAULT uuid_generate_v4(), a uuid DEFAULT gen_random_uuid(), b uuid DEFAULT uuid_generate_v1mc(), s text DEFAULT gen_salt('md5'), r bytea DEFAULT gen_random_bytes(8), n int);
INSERT INTO t (n) VALUES (1);
INSERT INTO t (n) VALUES (2);
INSERT INTO t (n) VALUES (3), (4), (5);
INSERT INTO t (n) SELECT generate_series(6, 10);
PREPARE p AS INSERT INTO t (n) VALUES ($1);
EXECUTE p (11);
EXECUTE p (12);
SELECT count(*), count(DISTINCT id), count(DISTINCT a), count(DISTINCT b), count(DISTINCT s), count(DISTINCT r), min(length(r)), max(length(r)) FROM t;
UPDATE t SET a = gen_random_uuid(), s = gen_salt('md5');
SELECT count(DISTINCT a), count(DISTINCT s) FROM t;
UPDATE t SET a = uuid_generate_v5(uuid_ns_dns(), n::text) WHERE n < 3;
SELECT n, a FROM t WHERE n < 3 ORDER BY n;
-- pgcrypto
SELECT digest('', 'md5'), digest('abc', 'SHA1'), digest('\xff00'::bytea, 'sha224'), digest(NULL, 'md5');
SELECT digest('abc', 'sha256'), digest('abc', 'sha384');
SELECT digest('abc', 'sha512');
SELECT digest('abc', 'nothing');
SELECT hmac('data', 'key', 'md5'), hmac('\x01'::bytea, '\x02', 'sha1'), hmac('data', repeat('k', 200), 'sha256');
SELECT hmac('data', 'key', 'nothing');
SELECT length(gen_random_bytes(1)), length(gen_random_bytes(1024));
SELECT gen_random_bytes(0);
SELECT gen_random_bytes(1025);
SELECT crypt('secret', '$2a$06$RQiOJ.3ELirrXwxIZY8q0O'), crypt('secret', '$1$abcdefgh'), crypt('secret', 'ab'), crypt('secret', '_J9..abcd');
SELECT crypt('secret', crypt('secret', gen_salt('bf', 4))) = crypt('secret', gen_salt('bf', 4));
SELECT h = crypt('secret', h), h = crypt('Secret', h) FROM (SELECT crypt('secret', gen_salt('bf', 4)) AS h OFFSET 0) x;
SELECT length(gen_salt('bf')), length(gen_salt('md5')), length(gen_salt('des')), length(gen_salt('xdes')), left(gen_salt('bf', 10), 7), left(gen_salt('xdes', 5), 5);
SELECT gen_salt('nothing');
SELECT gen_salt('bf', 3);
SELECT gen_salt('xdes', 6);
SELECT gen_salt('md5', 7);
SELECT encrypt('hello', 'key', 'aes'), encrypt('hello world 1234', '0123456789abcdef', 'aes-ecb/pad:none'), encrypt('hello', 'a key of more than 16', 'aes-cbc/pad:pkcs');
SELECT encrypt('', 'key', 'aes'), encrypt_iv('hello', 'key', 'vector', 'aes'), decrypt_iv(encrypt_iv('hello', 'key', 'vector', 'aes'), 'key', 'vector', 'aes');
SELECT convert_from(decrypt(encrypt('grüße', 'key', 'aes'), 'key', 'aes'), 'UTF8');
SELECT encrypt('hello', 'key', 'nothing');
SELECT encrypt('hello', 'key', 'aes/what:x');
-- unaccent
SELECT unaccent('Hôtel de la Mère Poulard, Æsir, straße, Ελλάς ά, Łódź, Ёлка, „Anführung“ – ½ ﬁ №5 x²'), unaccent(''), unaccent(NULL);
-- fuzzystrmatch
SELECT soundex('hello world!'), soundex('Anne'), soundex('Andrew'), soundex('Tymczak'), soundex('Pfister'), soundex(''), soundex('12'), soundex('é'), text_soundex('Robert'), difference('Anne', 'Andrew'), difference('Anne', 'Margaret'), difference('', '');
SELECT levenshtein('GUMBO', 'GAMBOL'), levenshtein('GUMBO', 'GAMBOL', 2, 1, 1), levenshtein_less_equal('extensive', 'exhaustive', 2), levenshtein_less_equal('extensive', 'exhaustive', 4), levenshtein('größe', 'grösse'), levenshtein('', 'abc');
SELECT levenshtein(repeat('a', 256), 'a');
-- pg_trgm
SELECT similarity('word', 'two words'), word_similarity('word', 'two words'), strict_word_similarity('word', 'two words'), similarity('', ''), similarity('Größe', 'GRÖSSE');
SELECT show_trgm('word'), show_trgm('Käse, 2 Stück!'), show_trgm('');
SELECT 'word' % 'two words', 'word' <% 'two words', 'two words' %> 'word', 'word' <<% 'two words', 'two words' %>> 'word';
SELECT 'word' <-> 'two words', 'word' <<-> 'two words', 'two words' <->> 'word', 'word' <<<-> 'two words', 'two words' <->>> 'word';
SELECT show_limit();
SET pg_trgm.similarity_threshold = 0.4;
SELECT show_limit(), 'word' % 'two words';
SELECT set_limit(0.2);
SELECT show_limit(), 'word' % 'two words';
SET pg_trgm.word_similarity_threshold = 0.9;
SELECT 'word' <% 'two words';
RESET pg_trgm.word_similarity_threshold;
SELECT 'word' <% 'two words';
CREATE TABLE w (id int PRIMARY KEY, a text, CHECK (a <-> 'never' > 0));
CREATE INDEX ON w USING gist (a gist_trgm_ops);
INSERT INTO w VALUES (1, 'postgres'), (2, 'postgresql'), (3, 'progress'), (4, NULL);
SELECT id, a <-> 'postgre' FROM w ORDER BY a <-> 'postgre', id LIMIT 3;
SELECT id FROM w WHERE a % 'postgress' ORDER BY id;
SELECT id FROM w WHERE id = 2 AND a % 'postgress';
CREATE VIEW v AS SELECT id, similarity(a, 'x') AS s FROM w WHERE 'postgres' <% a;
\d+ v
SET search_path = '';
SELECT pg_get_viewdef('public.v'::regclass);
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'public.w'::regclass AND contype = 'c';
SELECT id FROM public.v ORDER BY id;
INSERT INTO public.w VALUES (5, 'posters');
SELECT 'a' OPERATOR(public.%) 'a';
RESET search_path;
-- btree_gist
SELECT 3 <-> 5, 3::int2 <-> 1::int2, 1::int8 <-> 4, 1.5::float8 <-> 1, date '2020-01-01' <-> '2019-12-01', time '10:00' <-> '12:30', timestamp '2020-01-01' <-> '2020-01-02 03:00';
SELECT (-2147483647) <-> 2147483647;
