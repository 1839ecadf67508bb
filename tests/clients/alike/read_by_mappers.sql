-- What Drizzle, TypeORM, Kysely, Knex and DBD::Pg send when they read relations and look at what is there.
CREATE TABLE users (id integer PRIMARY KEY, name text);
CREATE TABLE posts (id integer PRIMARY KEY, user_id integer REFERENCES users, title text);
INSERT INTO users VALUES (1, 'A'), (2, 'B');
INSERT INTO posts VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 1, 'z');

-- Drizzle: relations by LATERAL, whose limits are parameters.
PREPARE relations(int, int, int) AS SELECT u.name, s.data FROM users u LEFT JOIN LATERAL (SELECT coalesce(json_agg(json_build_array(t.title, t.writer) ORDER BY t.id DESC), '[]'::json) AS data FROM (SELECT p.*, w.data AS writer FROM posts p LEFT JOIN LATERAL (SELECT json_build_array(v.name) AS data FROM (SELECT * FROM users v WHERE v.id = p.user_id LIMIT $2) v) w ON true WHERE p.user_id = u.id ORDER BY p.id DESC LIMIT $1 OFFSET $3) t) s ON true ORDER BY u.id;
EXECUTE relations(2, 1, 0);
EXECUTE relations(2, 1, 1);
EXECUTE relations(NULL, 1, 2);
EXECUTE relations(0, 1, 0);
EXECUTE relations(-1, 1, 0);
EXECUTE relations(1, 1, -1);
PREPARE first_of_each(int) AS SELECT u.name, s.title FROM users u LEFT JOIN LATERAL (SELECT title FROM posts p WHERE p.user_id = u.id ORDER BY p.id DESC LIMIT $1) s ON true ORDER BY u.id, s.title;
EXECUTE first_of_each(1);
EXECUTE first_of_each(2);
PREPARE one(int, int) AS SELECT name, (SELECT title FROM posts p WHERE p.user_id = u.id ORDER BY p.id OFFSET $2 LIMIT $1) FROM users u ORDER BY 1;
EXECUTE one(1, 0);
EXECUTE one(1, 2);
EXECUTE one(0, 0);
EXECUTE one(2, 0);
PREPARE lists(int) AS SELECT name, array(SELECT title FROM posts p WHERE p.user_id = u.id UNION ALL SELECT u.name ORDER BY 1 LIMIT 1 + $1), array(SELECT DISTINCT title FROM posts p WHERE p.user_id = u.id ORDER BY title LIMIT $1) FROM users u ORDER BY 1;
EXECUTE lists(1);
EXECUTE lists(2);
SELECT name, array(SELECT title FROM posts p WHERE p.user_id = u.id ORDER BY id LIMIT (SELECT count(*) FROM users)) FROM users u ORDER BY 1;

-- TypeORM: a type by the name that the columns' arrays have.
CREATE SCHEMA "S";
CREATE TYPE "E x" AS ENUM ('b', 'a');
CREATE TYPE "S"."F f" AS ENUM ('z');
CREATE TABLE kinds (a "E x", b "E x"[], c integer[], d "_E x", e "S"."_F f", f varchar(3)[]);
SELECT column_name, data_type, udt_schema, udt_name, ('"' || udt_schema || '"."' || udt_name || '"')::regtype AS "regtype" FROM information_schema.columns WHERE table_name = 'kinds' ORDER BY ordinal_position;
SELECT '"_E x"'::regtype, 'public."E x"[]'::regtype, '_int4'::regtype, 'pg_catalog._int4'::regtype, to_regtype('"S"."_F f"'), to_regtype('"_F f"');
SELECT '"pg_catalog"."_E x"'::regtype;
SELECT '"S"."nope"'::regtype;
SELECT '"Nope"'::regtype;
SELECT CAST(ARRAY['a', 'b'] AS "_E x");

-- Types of users are called by their quoted names.
SELECT 'q'::"E x";
INSERT INTO kinds (a) VALUES ('q');
INSERT INTO kinds (a) VALUES (1);
SELECT 'a'::"E x" + 1;
CREATE DOMAIN "D x" AS integer CHECK (value > 0);
SELECT 0::"D x";

-- Knex: defaults of columns.
CREATE TABLE switches (a boolean DEFAULT '0', b boolean DEFAULT 'yes', c boolean DEFAULT false, d boolean DEFAULT NULL);
SELECT column_name, column_default FROM information_schema.columns WHERE table_name = 'switches' ORDER BY ordinal_position;

-- Kysely asks of every column of every relation for its sequence.
CREATE TABLE "N n" (id serial, k integer);
CREATE VIEW shown AS SELECT id FROM "N n";
SELECT pg_get_serial_sequence('shown', 'id'), pg_get_serial_sequence('"N n"', 'id'), pg_get_serial_sequence('"N n"', 'k');
SELECT pg_get_serial_sequence('shown', 'nope');
SELECT pg_get_serial_sequence('"N n_id_seq"', 'nope');

-- DBD::Pg: what may be seen, the key that a foreign key is of, the order of an index.
SELECT has_schema_privilege('pg_toast', 'USAGE'), has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = 'pg_toast';
SELECT dep.deptype, idx.relname FROM pg_constraint con JOIN pg_depend dep ON dep.classid = 'pg_constraint'::regclass AND dep.objid = con.oid AND dep.refclassid = 'pg_class'::regclass AND dep.refobjsubid = 0 JOIN pg_class idx ON idx.oid = dep.refobjid AND idx.relkind = 'i' WHERE con.contype = 'f' AND con.conrelid = 'posts'::regclass;
SELECT dep.deptype, dep.refobjid::regclass, dep.refobjsubid FROM pg_constraint con JOIN pg_depend dep ON dep.classid = 'pg_constraint'::regclass AND dep.objid = con.oid WHERE con.contype = 'f' AND con.conrelid = 'posts'::regclass ORDER BY 1, 2::text, 3;
CREATE INDEX k_b ON kinds (f DESC, a);
CREATE INDEX k_g ON kinds USING gin (c);
SELECT i, k, p, pg_index_column_has_property(i::regclass, k, p) FROM (VALUES ('k_b', 1), ('k_b', 2), ('k_g', 1)) AS v (i, k), unnest(ARRAY['asc', 'desc', 'nulls_first', 'nulls_last', 'orderable', 'distance_orderable', 'returnable', 'search_array', 'search_nulls']) AS p ORDER BY i, k, p;

-- Arrow's driver asks for a table's columns without saying in which order, and shows them in the one they come in.
create table read_by_arrow (id int8 primary key, b bool, t text, n numeric, a text[], i int4);
comment on column read_by_arrow.t is 'words';
prepare columns_for_arrow (text, text) as
select attr.attname, attr.attnum, pg_catalog.col_description(cls.oid, attr.attnum), typ.typname
from pg_catalog.pg_attribute as attr inner join pg_catalog.pg_class as cls on attr.attrelid = cls.oid
inner join pg_catalog.pg_namespace as nsp on nsp.oid = cls.relnamespace inner join pg_catalog.pg_type as typ on attr.atttypid = typ.oid
where attr.attnum > 0 and not attr.attisdropped and nsp.nspname like $1 and cls.relname like $2;
execute columns_for_arrow ('public', 'read\_by\_arrow');
execute columns_for_arrow ('publi_', 'read_by_arrow');
drop table read_by_arrow;
