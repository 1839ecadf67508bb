-- What pgAdmin, Prisma, Supabase and pg-introspection ask of the catalog: constraint triggers, clustered indexes, collations of keys, dimensions.
CREATE SCHEMA shop;
CREATE TYPE shop.address AS (street text, zip varchar(10), lines text[]);
COMMENT ON COLUMN shop.address.zip IS 'zip code';
CREATE TABLE shop.items (id integer, item text COLLATE "C", tags text[], n integer CHECK (n > 0), CONSTRAINT items_pk PRIMARY KEY (id, item), CONSTRAINT both_of CHECK (n > id));
CREATE TABLE shop.typed OF shop.address;
CREATE TABLE shop.child (more integer) INHERITS (shop.items);
CREATE VIEW shop.seen AS SELECT id, item AS name, tags, id + 1 AS next FROM shop.items;
CREATE MATERIALIZED VIEW shop.kept AS SELECT * FROM shop.seen;
CREATE INDEX items_n ON shop.items (n);
CREATE INDEX items_some ON shop.items (n) WHERE n > 5;
CREATE INDEX items_tags ON shop.items USING gin (tags);
CREATE FUNCTION shop.log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON shop.items DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION shop.log();
CREATE CONSTRAINT TRIGGER soon AFTER INSERT ON shop.items FOR EACH ROW EXECUTE FUNCTION shop.log();

SELECT conname, contype, conrelid::regclass, condeferrable, condeferred, convalidated, connoinherit, conislocal, pg_get_constraintdef(oid), conkey FROM pg_constraint WHERE contype = 't' ORDER BY conname;
SELECT tgname, pg_get_constraintdef(tgconstraint) FROM pg_trigger WHERE NOT tgisinternal ORDER BY tgname;
SELECT deptype, refobjsubid, co.conname FROM pg_depend dep JOIN pg_constraint co ON co.oid = objid WHERE classid = 'pg_constraint'::regclass AND refobjid = 'shop.items'::regclass ORDER BY conname, refobjsubid, deptype;
SELECT classid::regclass, objid::regclass, objsubid, description FROM pg_description WHERE description = 'zip code';
SELECT col_description('shop.address'::regclass, 2), obj_description('shop.address'::regtype, 'pg_type');
SELECT attrelid::regclass, attname, attcollation::regcollation FROM pg_attribute WHERE attrelid IN ('shop.items_pk'::regclass, 'shop.items'::regclass) AND attnum > 0 ORDER BY attrelid::regclass::text COLLATE "C", attnum;
SELECT attrelid::regclass, attname, attndims FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE atttypid = 'text[]'::regtype AND attrelid >= 16384 AND relkind <> 'i' ORDER BY attrelid::regclass::text COLLATE "C", attnum;

-- Arrays of names of objects, as texts.
SELECT array_to_string(array_agg(inhparent::regclass), ', ') FROM pg_inherits WHERE inhrelid = 'shop.child'::regclass;
SELECT array_to_string(array_agg(x::regclass), ', ') FROM (VALUES ('shop.child'), ('shop.items')) v(x);
SELECT array_to_string(array_agg(x::regtype), ', ') FROM (VALUES ('int4'), ('shop.address')) v(x);

-- anyarray as text.
SELECT attname, attmissingval::text FROM pg_attribute WHERE attrelid = 'shop.items'::regclass AND attnum > 0 ORDER BY attnum;
SELECT most_common_vals::text, histogram_bounds FROM pg_stats LIMIT 0;
SELECT (to_json(a)::jsonb) - 'attrelid' FROM pg_attribute a WHERE attrelid = 'shop.items'::regclass AND attnum = 1;

-- CLUSTER ON.
ALTER TABLE shop.items CLUSTER ON items_n;
SELECT indexrelid::regclass FROM pg_index WHERE indisclustered;
\d shop.items
ALTER TABLE shop.items CLUSTER ON items_pk;
SELECT indexrelid::regclass FROM pg_index WHERE indisclustered;
ALTER TABLE shop.items CLUSTER ON items_some;
ALTER TABLE shop.items CLUSTER ON items_tags;
ALTER TABLE shop.items CLUSTER ON nope;
ALTER TABLE shop.typed CLUSTER ON items_n;
ALTER TABLE shop.items SET WITHOUT CLUSTER;
SELECT indexrelid::regclass FROM pg_index WHERE indisclustered;

-- What is said in one ALTER TABLE is done by kind: drops, types, columns, keys, constraints and defaults.
CREATE TABLE moved (name varchar(50), n integer);
ALTER TABLE moved ALTER name SET NOT NULL, ALTER name TYPE text, ALTER name SET DEFAULT 'x';
ALTER TABLE moved ALTER name SET DEFAULT 'y', ALTER name TYPE varchar(20);
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'moved'::regclass;
ALTER TABLE moved ADD CONSTRAINT c CHECK (m > 1), ADD COLUMN m integer;
ALTER TABLE moved ADD PRIMARY KEY (pk), ADD COLUMN pk serial;
ALTER TABLE moved ALTER COLUMN w SET DEFAULT 3, ADD COLUMN w bigint;
ALTER TABLE moved ALTER n DROP DEFAULT, ALTER n TYPE numeric USING n * 2, ALTER n SET DEFAULT 1.5;
ALTER TABLE moved ADD CONSTRAINT c CHECK (m > 3), DROP CONSTRAINT c;
ALTER TABLE moved ADD COLUMN n text, DROP COLUMN n;
\d moved

-- A whole row in a trigger's condition.
CREATE TABLE made (a integer, b integer GENERATED ALWAYS AS (a) STORED);
CREATE TRIGGER t BEFORE UPDATE ON made FOR EACH ROW WHEN (new.* IS DISTINCT FROM old.*) EXECUTE FUNCTION shop.log();
CREATE TRIGGER t BEFORE UPDATE ON made FOR EACH ROW WHEN (new IS NOT NULL) EXECUTE FUNCTION shop.log();
CREATE TRIGGER t BEFORE UPDATE ON made FOR EACH ROW WHEN (new.b > 1) EXECUTE FUNCTION shop.log();
CREATE TRIGGER t AFTER UPDATE ON made FOR EACH ROW WHEN (new.* IS DISTINCT FROM old.*) EXECUTE FUNCTION shop.log();
