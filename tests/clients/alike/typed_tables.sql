-- Typed tables: what ties them to their type, and what ALTER TYPE does to them.
\set VERBOSITY verbose
CREATE TYPE person AS (id int, name varchar(20), born date);
CREATE TABLE persons OF person (id WITH OPTIONS PRIMARY KEY, name NOT NULL DEFAULT 'nobody', CHECK (id > 0), CONSTRAINT later CHECK (born > '1900-01-01'));
INSERT INTO persons VALUES (1, 'Ada', '1915-12-10'), (2, DEFAULT, NULL);
INSERT INTO persons VALUES (3, NULL, NULL);
INSERT INTO persons VALUES (-3, 'x', NULL);
SELECT * FROM persons ORDER BY id;
SELECT p, (p).name, p::person, row_to_json(p) FROM persons p ORDER BY id;
SELECT reloftype::regtype, reltype::regtype, relnatts FROM pg_class WHERE relname = 'persons';
SELECT attname, attnum, attislocal, attinhcount, attnotnull FROM pg_attribute WHERE attrelid = 'persons'::regclass AND attnum > 0 ORDER BY attnum;
SELECT table_name, table_type, user_defined_type_catalog = current_database(), user_defined_type_schema, user_defined_type_name, is_typed
  FROM information_schema.tables WHERE table_schema = 'public';
SELECT pg_describe_object(classid, objid, objsubid), pg_describe_object(refclassid, refobjid, refobjsubid), deptype FROM pg_depend WHERE refobjid = 'person'::regtype AND classid = 'pg_class'::regclass AND objid = 'persons'::regclass;

-- ALTER TYPE
ALTER TYPE person ADD ATTRIBUTE email text;
ALTER TYPE person ADD ATTRIBUTE email text RESTRICT;
ALTER TYPE person DROP ATTRIBUTE born;
ALTER TYPE person ALTER ATTRIBUTE id TYPE bigint;
ALTER TYPE person RENAME ATTRIBUTE name TO called;
ALTER TYPE person ADD ATTRIBUTE email text CASCADE;
SELECT * FROM persons ORDER BY id;
INSERT INTO persons VALUES (4, 'Bob', NULL, 'b@x');
\d persons
\d person
ALTER TYPE person ALTER ATTRIBUTE id TYPE bigint CASCADE, ALTER ATTRIBUTE name SET DATA TYPE text CASCADE;
ALTER TYPE person RENAME ATTRIBUTE name TO called CASCADE;
ALTER TYPE person RENAME ATTRIBUTE absent TO called CASCADE;
ALTER TYPE person RENAME ATTRIBUTE id TO called CASCADE;
ALTER TYPE person DROP ATTRIBUTE born CASCADE;
ALTER TYPE person DROP ATTRIBUTE born CASCADE;
ALTER TYPE person DROP ATTRIBUTE IF EXISTS born CASCADE;
ALTER TYPE person ADD ATTRIBUTE id int CASCADE;
\d persons
\d person
SELECT * FROM persons ORDER BY id;
UPDATE persons SET email = 'c@x' WHERE id = 1 RETURNING *;
CREATE VIEW callings AS SELECT called FROM persons;
ALTER TYPE person DROP ATTRIBUTE called CASCADE;
SELECT * FROM callings;
ALTER TYPE person ADD ATTRIBUTE a int CASCADE, DROP ATTRIBUTE born CASCADE;
ALTER TYPE person ADD ATTRIBUTE b int CASCADE, ADD ATTRIBUTE c int CASCADE;
SELECT * FROM persons ORDER BY id;

-- what a typed table refuses
ALTER TABLE persons ADD COLUMN x int;
ALTER TABLE persons ADD COLUMN id int;
ALTER TABLE persons DROP COLUMN absent;
ALTER TABLE persons DROP COLUMN IF EXISTS absent;
ALTER TABLE persons ALTER id TYPE int;
ALTER TABLE persons RENAME id TO x;
CREATE TABLE above (id bigint);
ALTER TABLE persons INHERIT above;
ALTER TABLE persons NO INHERIT above;
ALTER TABLE persons ALTER email SET DEFAULT 'none', ALTER email SET NOT NULL;
UPDATE persons SET email = 'd@x' WHERE email IS NULL;
ALTER TABLE persons ALTER email SET DEFAULT 'none', ALTER email SET NOT NULL, ADD UNIQUE (email, id);
ALTER TABLE persons RENAME TO people;
\d people

-- what its type has to be
CREATE TYPE mood AS ENUM ('sad');
CREATE DOMAIN whole AS int;
CREATE TABLE bad OF mood;
CREATE TABLE bad OF whole;
CREATE TABLE bad OF int4;
CREATE TABLE bad OF people;
CREATE TABLE bad OF callings;
CREATE TABLE bad OF nowhere.person;
CREATE TABLE bad OF pg_catalog.absent;
CREATE TYPE pair AS (a int, b text);
CREATE TABLE bad OF pair (a GENERATED ALWAYS AS IDENTITY);
CREATE TABLE bad OF pair (b GENERATED ALWAYS AS ('x') STORED);
CREATE TABLE bad OF pair (a NOT NULL, a DEFAULT 1);
CREATE TABLE bad OF pair (c NOT NULL);
CREATE TABLE bad OF pair (c NOT NULL, c DEFAULT 1);
CREATE TABLE bad OF pair (a int);
CREATE TABLE bad OF pair ();
CREATE TABLE bad OF pair (a DEFAULT 'x');
CREATE TABLE bad OF pair (LIKE people);
CREATE TABLE bad OF pair INHERITS (people);
CREATE TYPE hollow AS ();
CREATE TABLE nothing OF hollow;
\d nothing
INSERT INTO nothing DEFAULT VALUES;
ALTER TYPE hollow ADD ATTRIBUTE a int CASCADE;
SELECT * FROM nothing;

-- OF and NOT OF
CREATE TABLE pairs (a int, b text);
INSERT INTO pairs VALUES (1, 'x');
ALTER TABLE pairs NOT OF;
ALTER TABLE pairs OF pair;
ALTER TABLE pairs OF pair;
\d pairs
ALTER TABLE pairs ADD COLUMN c int;
ALTER TABLE pairs NOT OF;
ALTER TABLE pairs ADD COLUMN c int;
ALTER TABLE pairs OF pair;
ALTER TABLE pairs DROP COLUMN c, DROP COLUMN b;
ALTER TABLE pairs OF pair;
ALTER TABLE pairs ADD COLUMN c text;
ALTER TABLE pairs OF pair;
ALTER TABLE pairs RENAME c TO b;
ALTER TABLE pairs OF pair;
ALTER TABLE pairs NOT OF;
ALTER TABLE pairs ALTER b TYPE varchar;
ALTER TABLE pairs OF pair;
ALTER TABLE pairs ALTER b TYPE text;
ALTER TABLE pairs OF people;
ALTER TABLE pairs OF mood;
ALTER TABLE pairs OF absent;
CREATE TABLE child (c int) INHERITS (pairs);
ALTER TABLE child OF pair;
ALTER TABLE pairs OF pair;
ALTER TYPE pair ADD ATTRIBUTE d date CASCADE;
\d child
INSERT INTO child VALUES (2, 'y', 3, '2020-02-02');
SELECT * FROM pairs ORDER BY a;
ALTER TYPE pair RENAME ATTRIBUTE d TO e CASCADE;
ALTER TYPE pair DROP ATTRIBUTE b CASCADE;
\d+ child
SELECT * FROM child;

-- LIKE, partitions, temporary and unlogged ones, IF NOT EXISTS
CREATE TABLE alike (LIKE pairs INCLUDING ALL, LIKE person);
\d alike
SELECT reloftype FROM pg_class WHERE relname = 'alike';
CREATE TABLE parted OF pair PARTITION BY RANGE (a);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (10);
INSERT INTO parted VALUES (1, '2020-01-01');
\d+ parted
\d+ parted_1
CREATE TABLE typed_part OF pair;
ALTER TABLE parted ATTACH PARTITION typed_part FOR VALUES FROM (10) TO (20);
ALTER TYPE pair ADD ATTRIBUTE f int CASCADE;
SELECT * FROM parted_1;
CREATE TEMP TABLE brief OF pair ON COMMIT DELETE ROWS;
CREATE UNLOGGED TABLE loose OF pair (PRIMARY KEY (a)) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS loose OF absent;
CREATE TABLE loose OF pair;
SELECT relname, relpersistence, reloptions, reloftype::regtype FROM pg_class WHERE reloftype <> 0 ORDER BY 1;

-- functions of the type, and the end of it
CREATE FUNCTION shown(pair) RETURNS text LANGUAGE sql AS $$ SELECT $1.a || ':' || $1.e $$;
SELECT shown(p) FROM pairs p ORDER BY 1;
CREATE ROLE typed_reader;
REVOKE USAGE ON TYPE pair FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO typed_reader;
SET ROLE typed_reader;
CREATE TABLE mine OF pair;
RESET ROLE;
CREATE TYPE lent AS (a int);
CREATE TABLE not_lent OF lent;
ALTER TYPE lent OWNER TO typed_reader;
SET ROLE typed_reader;
ALTER TYPE lent ADD ATTRIBUTE b int CASCADE;
ALTER TYPE lent RENAME ATTRIBUTE a TO b CASCADE;
ALTER TYPE lent ADD ATTRIBUTE b int;
RESET ROLE;
DROP TABLE not_lent;
DROP TYPE pair;
DROP TYPE pair RESTRICT;
DROP TYPE pair CASCADE;
DROP TYPE person, hollow CASCADE;
SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'c') ORDER BY 1;
DROP OWNED BY typed_reader;
DROP ROLE typed_reader;
