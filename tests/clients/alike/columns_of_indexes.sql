-- What an index's columns are called and hold is not always what the table's do: an entry for each element, a hash, an expression's value.
CREATE EXTENSION hstore; CREATE EXTENSION pg_trgm;
CREATE TABLE t (id int PRIMARY KEY, tags text[], n int[], doc jsonb, words tsvector, at point, r int4range, s text COLLATE "C", v varchar(10),
 nm name, u text, h hstore, kind char(3));
CREATE INDEX t_tags ON t USING gin (tags, n, words);
CREATE INDEX t_doc ON t USING gin (doc jsonb_path_ops); CREATE INDEX t_doc2 ON t USING gin (doc); CREATE INDEX t_trgm ON t USING gin (u gin_trgm_ops, h);
CREATE INDEX t_at ON t USING gist (at, r); CREATE INDEX t_spg ON t USING spgist (at); CREATE INDEX t_brin ON t USING brin (id, u);
CREATE INDEX t_hash ON t USING hash (u); CREATE INDEX t_nm ON t (nm, v text_pattern_ops, kind); CREATE INDEX t_text ON t (u text_pattern_ops);
CREATE UNIQUE INDEX t_expr ON t ((id + 1), (id * 2), (s || 'q'), lower(s), lower(u)) INCLUDE (s, id) WHERE id > 0;
CREATE INDEX t_expr2 ON t (lower(u) COLLATE "C" DESC, lower(s) COLLATE "C", lower(s) COLLATE "POSIX", (doc ->> 'a'), (id::text), coalesce(u, 'x'), (u IS NULL), length(u));
SELECT attrelid::regclass, attnum, attname, atttypid::regtype, atttypmod, attlen, attbyval, attalign, attstorage,
 (SELECT collname FROM pg_collation c WHERE c.oid = attcollation) AS collation
 FROM pg_attribute WHERE attrelid::regclass::text LIKE 't\_%' ORDER BY attrelid::regclass::text, attnum;
SELECT indexrelid::regclass, ARRAY(SELECT opcname FROM unnest(indclass) WITH ORDINALITY x (o, n) JOIN pg_opclass ON oid = o ORDER BY n) AS classes,
 ARRAY(SELECT coalesce(collname, '-') FROM unnest(indcollation) WITH ORDINALITY x (o, n) LEFT JOIN pg_collation ON oid = o ORDER BY n) AS collations
 FROM pg_index WHERE indrelid = 't'::regclass ORDER BY indexrelid::regclass::text;
SELECT indexdef FROM pg_indexes WHERE tablename = 't' ORDER BY indexname;
SELECT opcname, opckeytype::regtype FROM pg_opclass WHERE opcname IN ('gin_trgm_ops', 'gin_hstore_ops', 'array_ops', 'text_ops') AND opckeytype <> 0 ORDER BY 1, 2;
SELECT pg_index_column_has_property('t_expr'::regclass, n, 'orderable') AS orderable, pg_index_column_has_property('t_spg'::regclass, 1, 'distance_orderable') AS distances FROM generate_series(1, 3) n;
\d t_expr
\d t_tags
\d t_nm
-- By which operators the values of foreign keys are equal.
CREATE TABLE p (a int8 PRIMARY KEY, b text UNIQUE, c varchar(5), d date, UNIQUE (c, d)); CREATE TYPE mood AS ENUM ('x', 'y'); CREATE TABLE m (k mood PRIMARY KEY);
CREATE TABLE f (a int4 REFERENCES p, b varchar REFERENCES p (b), c text, d timestamp, e mood REFERENCES m, FOREIGN KEY (c, d) REFERENCES p (c, d));
SELECT conname, conpfeqop::regoperator[], conppeqop::regoperator[], conffeqop::regoperator[] FROM pg_constraint WHERE conrelid = 'f'::regclass ORDER BY 1;
-- Sequences have the columns of the system, too; what may be put off until COMMIT is done by triggers; foreign tables have no identity of rows.
CREATE SEQUENCE sq; CREATE TABLE dq (a int UNIQUE DEFERRABLE, b int UNIQUE);
SELECT attname, attnum FROM pg_attribute WHERE attrelid = 'sq'::regclass ORDER BY attnum;
CREATE FOREIGN DATA WRAPPER w; CREATE SERVER s FOREIGN DATA WRAPPER w; CREATE FOREIGN TABLE ft (a int) SERVER s;
SELECT relname, relhastriggers, relreplident FROM pg_class WHERE relname IN ('dq', 'p', 'm', 'ft') ORDER BY 1;
-- A domain has the default of the one that it is made of.
CREATE DOMAIN d1 AS int DEFAULT 3; CREATE DOMAIN d2 AS d1; CREATE DOMAIN d3 AS d2 DEFAULT 4; CREATE DOMAIN ds AS int[];
SELECT typname, typdefault, typndims, typanalyze FROM pg_type WHERE typname IN ('d1', 'd2', 'd3', 'ds') ORDER BY 1;
SELECT domain_name, domain_default FROM information_schema.domains WHERE domain_schema = 'public' ORDER BY 1;
\dD
CREATE TABLE d (a d2, b d3, n int); INSERT INTO d (n) VALUES (1); TABLE d;
ALTER DOMAIN d1 SET DEFAULT 9; INSERT INTO d (n) VALUES (2); TABLE d; SELECT typname, typdefault FROM pg_type WHERE typname IN ('d1', 'd2') ORDER BY 1;
-- An old name of gist, and a function of nothing.
create table boxes (b box);
create index on boxes using rtree (b);
create index on boxes using rtree (b, b);
\d boxes
create function one() returns int language sql immutable as $$ select 1 $$;
create table ones (a int);
create index on ones (a, one());
create index on ones using rtree (a);
\d ones
create table parted (a int) partition by range (one());
create table parted (a int, b int) partition by range (a, ('unknown'));
create function drawn(a int) returns int language sql as $$ select a + random()::int $$;
create table parted (a int) partition by range (drawn(a));
create index on ones (drawn(a));
