-- text whose comparisons do not tell capitals from small letters
CREATE TABLE early (m citext);
CREATE EXTENSION citext;
CREATE EXTENSION citext;
CREATE TABLE people (id int PRIMARY KEY, email citext UNIQUE, note citext DEFAULT 'None', tags citext[]);
\d people
INSERT INTO people VALUES (1, 'Ann@Example.com', 'First', '{Red,GREEN}'), (2, 'bob@example.com', NULL, '{}'), (3, NULL, 'first', NULL);
INSERT INTO people (id, email) VALUES (4, 'ANN@example.COM');
INSERT INTO people (id, email) VALUES (4, 'Zoe@example.com') RETURNING *;
INSERT INTO people (id, email) VALUES (5, 'BOB@EXAMPLE.COM') ON CONFLICT (email) DO UPDATE SET note = excluded.email RETURNING *;
INSERT INTO people (id, email) VALUES (6, 'zoe@EXAMPLE.com') ON CONFLICT DO NOTHING RETURNING *;
SELECT * FROM people WHERE email = 'ann@example.com';
SELECT * FROM people WHERE 'ANN@EXAMPLE.COM' = email;
SELECT id FROM people WHERE email = 'ann@example.com'::text;
SELECT id FROM people WHERE email = 'Ann@Example.com'::varchar;
SELECT id FROM people WHERE email IN ('ann@example.com', 'BOB@example.com') ORDER BY id;
SELECT id FROM people WHERE email = ANY (ARRAY['ann@example.com', 'BOB@example.com']::citext[]) ORDER BY id;
SELECT id FROM people WHERE email <> 'ANN@example.com' ORDER BY id;
SELECT id FROM people WHERE email > 'B' AND email < 'z' ORDER BY id;
SELECT id FROM people WHERE email BETWEEN 'ANN' AND 'BOZ' ORDER BY email;
SELECT id FROM people WHERE email IS DISTINCT FROM 'ann@EXAMPLE.com' ORDER BY id;
SELECT id, email FROM people ORDER BY email DESC NULLS LAST;
SELECT id, note FROM people ORDER BY note, id;
SELECT lower(note::text), count(*) FROM people GROUP BY lower(note::text) ORDER BY 1;
SELECT count(*), count(DISTINCT note), min(note::text) FROM people GROUP BY note ORDER BY 1, 2, 3;
SELECT min(email), max(email) FROM people;
SELECT upper(string_agg(DISTINCT note, ',')) FROM people;
SELECT id FROM people WHERE email LIKE 'ANN%';
SELECT id FROM people WHERE email LIKE 'ANN%'::citext;
SELECT id FROM people WHERE email NOT LIKE 'ANN%' ORDER BY id;
SELECT id FROM people WHERE email ILIKE '%EXAMPLE%' ORDER BY id;
SELECT id FROM people WHERE email ~ '^A[nN]' ORDER BY id;
SELECT id FROM people WHERE email !~ '^A' ORDER BY id;
SELECT id FROM people WHERE email ~* '^a' ORDER BY id;
SELECT a.id, b.id FROM people a JOIN people b ON a.note = b.note ORDER BY 1, 2;
UPDATE people SET note = 'FIRST' WHERE email = 'aNN@example.com' RETURNING note;
UPDATE people SET email = 'bob@example.com' WHERE id = 1;
UPDATE people SET email = upper(email) WHERE id = 1 RETURNING email;
DELETE FROM people WHERE email = 'zoe@example.com' RETURNING id;
SELECT 'a'::citext = 'A', 'a'::citext = 'A'::text, 'a' = 'A'::citext, 'a'::citext < 'B', 'É'::citext = 'é';
SELECT 'a'::citext IN ('B', 'A'), 'x' = ANY ('{X,y}'::citext[]), '{a,B}'::citext[] = '{A,b}', '{a}'::citext[] @> '{A}';
SELECT greatest('b'::citext, 'A', 'C'), least('b'::citext, 'A'), nullif('a'::citext, 'A'), coalesce(NULL, 'q'::citext);
SELECT CASE 'Foo'::citext WHEN 'FOO' THEN 1 ELSE 2 END;
SELECT array_agg(x ORDER BY x) FROM unnest('{b,A,C}'::citext[]) AS x;
SELECT DISTINCT lower(x) FROM (SELECT DISTINCT x FROM unnest('{b,B,C}'::citext[]) AS x) y ORDER BY 1;
SELECT lower(x::text) FROM (SELECT 'A'::citext AS x UNION SELECT 'a' UNION SELECT 'B') y ORDER BY 1;
SELECT x FROM (SELECT 'A'::citext AS x INTERSECT SELECT 'a'::citext) y;
SELECT x FROM (SELECT 'A'::citext AS x EXCEPT SELECT 'a'::citext) y;
SELECT strpos('ABC'::citext, 'b'), replace('AbcABC'::citext, 'B', 'x'), split_part('aXbxc'::citext, 'X', 2), translate('abcABC'::citext, 'AB', 'xy');
SELECT replace('a.c A.C abc'::citext, 'a.C', 'x'), split_part('a.b'::citext, '.', 5), split_part('a.b.C'::citext, '.', 3);
SELECT regexp_match('fooBAR'::citext, 'bar'), regexp_match('fooBAR'::citext, 'bar', 'c'), regexp_replace('Abc'::citext, 'B', 'x');
SELECT regexp_replace('AbcB'::citext, 'B', 'x', 'g'), regexp_replace('AbcB'::citext, 'B', 'x', 'c');
SELECT regexp_split_to_array('aXbxc'::citext, 'x'), regexp_split_to_array('aXbxc'::citext, 'x', 'c');
SELECT * FROM regexp_split_to_table('aXbxc'::citext, 'x');
SELECT * FROM regexp_matches('aXbxc'::citext, 'X', 'g');
SELECT citext_cmp('a', 'B'), citext_cmp('b', 'A'), citext_cmp('a', 'A'), citext_eq('a', 'A'), citext_larger('a', 'B'), citext_smaller('a', 'B');
SELECT citext_hash('Abc') = citext_hash('aBC'), citext_hash('abc'), citext_hash_extended('ABC', 1), 'a'::citext ~<~ 'B', citext_pattern_cmp('a', 'B');
SELECT texticlike('ABC'::citext, 'a%'::text), texticregexne('ABC'::citext, 'b'::citext);
SELECT true::citext, 'x '::char(3)::citext, '1.2.3.4/8'::inet::citext, citext(true), citext('x  '::bpchar), 'x'::citext::varchar(1), ' 12 '::citext::int;
SELECT length('abc'::citext), upper('abc'::citext), 'a'::citext || 'B', pg_typeof('a'::citext || 'B'), pg_typeof(lower('A'::citext)), pg_typeof(max('a'::citext));
SELECT pg_typeof('{a}'::citext[]), 'citext'::regtype, '_citext'::regtype, format_type('citext'::regtype, NULL);
SELECT 'a'::citext = 1;
SELECT typname, typlen, typtype, typcategory, typispreferred, typdelim, typstorage, typcollation FROM pg_type WHERE typname ~ 'citext' ORDER BY 1;
SELECT column_name, data_type, udt_schema, udt_name FROM information_schema.columns WHERE table_name = 'people' ORDER BY ordinal_position;
SELECT attname, attcollation FROM pg_attribute WHERE attrelid = 'people'::regclass AND attnum > 0 ORDER BY attnum;
CREATE TABLE copied (e citext PRIMARY KEY, n int);
COPY copied FROM STDIN;
Ann	1
bob	2
\.
COPY copied FROM STDIN CSV;
"ANN",3
\.
COPY copied TO STDOUT;
CREATE TABLE refers (e citext REFERENCES copied ON UPDATE CASCADE);
INSERT INTO refers VALUES ('ANN'), ('BoB');
INSERT INTO refers VALUES ('carl');
UPDATE copied SET e = 'ANN' WHERE e = 'ann';
SELECT * FROM refers ORDER BY e;
UPDATE copied SET e = 'ann b' WHERE e = 'ann';
SELECT * FROM refers ORDER BY e;
DELETE FROM copied WHERE e = 'ANN B';
CREATE TABLE plain (t text UNIQUE);
INSERT INTO plain VALUES ('x'), ('X');
\set VERBOSITY terse
ALTER TABLE plain ALTER COLUMN t TYPE citext;
\set VERBOSITY default
DELETE FROM plain WHERE t = 'X' RETURNING t;
ALTER TABLE plain ALTER COLUMN t TYPE citext;
INSERT INTO plain VALUES ('X');
CREATE UNIQUE INDEX ON people (lower(note::text)) WHERE note IS NOT NULL;
CREATE INDEX people_note ON people (note);
CREATE INDEX people_p ON people (email citext_pattern_ops);
SELECT id FROM people WHERE note = 'FIRST' ORDER BY id;
\d people
CREATE VIEW seen AS SELECT id, email FROM people WHERE email = 'ANN@example.com'::citext;
SELECT * FROM seen;
CREATE DOMAIN mail AS citext CHECK (value ~ '@');
SELECT 'A@b'::mail = 'a@B';
SELECT 'Ab'::mail;
CREATE TYPE pair AS (a citext, b int);
SELECT ('A', 1)::pair = ('a', 1)::pair;
DROP TYPE citext;
DROP TYPE pair;
DROP DOMAIN mail;
\set VERBOSITY terse
DROP EXTENSION citext;
\set VERBOSITY default
CREATE SCHEMA elsewhere;
ALTER EXTENSION citext SET SCHEMA elsewhere;
CREATE TABLE nowhere (a citext);
SELECT 'a'::elsewhere.citext, 'elsewhere.citext'::regtype;
SELECT id, email = 'ANN@example.com' FROM people ORDER BY 1;
SET search_path = public, elsewhere;
SELECT id, email = 'ANN@example.com' FROM people ORDER BY 1;
\set VERBOSITY terse
DROP TABLE refers;
DROP EXTENSION citext CASCADE;
\set VERBOSITY default
\d people
CREATE TABLE late (a citext);
