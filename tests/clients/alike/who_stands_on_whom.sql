-- pg_depend: what every kind of object stands on, column by column, and how.
\pset format unaligned
CREATE EXTENSION btree_gist;
CREATE SCHEMA app;
CREATE SCHEMA other;
CREATE TYPE app.mood AS ENUM ('sad', 'ok');
CREATE TYPE app.pair AS (x int, m app.mood, many app.mood[]);
CREATE FUNCTION app.positive(int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1 > 0';
CREATE DOMAIN app.pos AS int CONSTRAINT pos_ck CHECK (app.positive(VALUE));
CREATE DOMAIN app.small AS app.pos CHECK (VALUE < 100);
CREATE COLLATION app.german (provider = icu, locale = 'de');
CREATE SEQUENCE app.free;
CREATE TABLE app.parent (id serial PRIMARY KEY, big bigint GENERATED ALWAYS AS IDENTITY, m app.mood DEFAULT 'ok', p app.pair, d app.pos,
  c text COLLATE app.german, n int DEFAULT nextval('app.free'), arr app.mood[], g int GENERATED ALWAYS AS (1 + 2) STORED);
CREATE TABLE app.child (id int PRIMARY KEY, parent_id int REFERENCES app.parent, a int, b int, v text,
  h text GENERATED ALWAYS AS (v || 'x') STORED, df bool DEFAULT app.positive(3), lbl app.mood,
  CONSTRAINT ab_uq UNIQUE (a, b) INCLUDE (v), CONSTRAINT ab_ck CHECK (a > 0 AND app.positive(b)), CONSTRAINT lbl_ck CHECK (lbl <> 'sad'::app.mood));
CREATE TABLE app.heir (extra int) INHERITS (app.parent);
CREATE TABLE app.typed OF app.pair;
CREATE TABLE app.part (k int NOT NULL, t text, PRIMARY KEY (k)) PARTITION BY RANGE (k);
CREATE TABLE app.part1 PARTITION OF app.part FOR VALUES FROM (0) TO (10);
CREATE TABLE app.by_expression (k int, t text) PARTITION BY RANGE (app.positive(k), lower(t));
CREATE INDEX part_t ON app.part (t);
CREATE INDEX over_expressions ON app.child (lower(v), a DESC) INCLUDE (b) WHERE b > 3;
CREATE INDEX over_functions ON app.child (app.positive(a));
CREATE INDEX of_extension ON app.child USING gist (a);
CREATE INDEX of_collation ON app.child (v COLLATE app.german);
CREATE STATISTICS app.st (ndistinct) ON a, b FROM app.child;
CREATE STATISTICS app.st2 ON (a + b), v FROM app.child;
CREATE FUNCTION app.atomic(x int) RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM app.child WHERE child.a = x; END;
CREATE FUNCTION app.rows(text) RETURNS SETOF app.child LANGUAGE sql AS 'SELECT * FROM app.child';
CREATE FUNCTION app.out(p app.pair, OUT a int, OUT b app.mood) LANGUAGE plpgsql AS $$ BEGIN a := 1; END $$;
CREATE FUNCTION app.fired() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE FUNCTION app.added(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + $2';
CREATE FUNCTION app.alike(app.pair, app.pair) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE FUNCTION app.number(app.mood) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
CREATE AGGREGATE app.total(int) (SFUNC = app.added, STYPE = int, INITCOND = '0');
CREATE OPERATOR app.=== (LEFTARG = app.pair, RIGHTARG = app.pair, FUNCTION = app.alike);
CREATE CAST (app.mood AS int) WITH FUNCTION app.number(app.mood);
CREATE OPERATOR FAMILY app.fam USING btree;
CREATE OPERATOR CLASS app.cls FOR TYPE int4 USING btree FAMILY app.fam AS OPERATOR 3 =, FUNCTION 1 btint4cmp(int4, int4);
CREATE CONVERSION app.latin FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8;
CREATE VIEW app.v AS SELECT c.id, c.v, p.m, app.positive(c.a) AS pos FROM app.child c JOIN app.parent p ON p.id = c.parent_id;
CREATE VIEW app.over_v (aa) AS SELECT id FROM app.v WHERE v = 'x';
CREATE TABLE other.plain (a int, b int);
CREATE VIEW app.of_none AS SELECT 'ok'::app.mood AS m, count(*) FROM other.plain;
CREATE VIEW app.with_more AS WITH w AS (SELECT a FROM other.plain) SELECT x.a, (SELECT max(b) FROM other.plain y WHERE y.a = x.a) FROM w x;
CREATE MATERIALIZED VIEW app.mv AS SELECT a, count(*) AS n FROM app.child GROUP BY a;
CREATE TRIGGER told BEFORE INSERT OR UPDATE OF a, b ON app.child FOR EACH ROW WHEN (new.v <> '') EXECUTE FUNCTION app.fired();
CREATE TRIGGER of_parts AFTER INSERT ON app.part FOR EACH ROW EXECUTE FUNCTION app.fired();
CREATE POLICY pol ON app.child USING (app.positive(a) AND EXISTS (SELECT FROM app.parent WHERE parent.id = child.parent_id));
CREATE TEXT SEARCH DICTIONARY app.dict (TEMPLATE = simple);
CREATE TEXT SEARCH CONFIGURATION app.cfg (PARSER = default);
ALTER DEFAULT PRIVILEGES IN SCHEMA app GRANT SELECT ON TABLES TO PUBLIC;
CREATE VIEW public.edges AS
  SELECT pg_describe_object(classid, objid, objsubid) AS what, pg_describe_object(refclassid, refobjid, refobjsubid) AS on, deptype
  FROM pg_depend WHERE deptype <> 'e' AND objid >= 16384
    AND NOT EXISTS (SELECT FROM pg_depend e WHERE (e.classid, e.objid) = (pg_depend.classid, pg_depend.objid) AND e.deptype = 'e');
SELECT * FROM edges WHERE what !~ 'RI_Constraint|pg_toast|^type gbtree|of operator family gist' ORDER BY what, edges.on, deptype;
-- What views stand on a column, as tools ask.
SELECT DISTINCT r.ev_class::regclass, a.attrelid::regclass, a.attname
  FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid AND d.classid = 'pg_rewrite'::regclass
  JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
  WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid <> r.ev_class AND r.ev_class >= 16384 ORDER BY 1, 2, 3;
-- Renamed, they are the same columns.
ALTER TABLE app.child RENAME COLUMN v TO w;
SELECT * FROM edges WHERE what ~ 'view app\.' ORDER BY what, edges.on, deptype;
