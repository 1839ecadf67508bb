-- What a definition builds on may be a part of something, or a type that comes with something: all of it stands while others define other things.
levels: read committed
setup: CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'
setup: CREATE DOMAIN d AS int CONSTRAINT there CHECK (VALUE IS NOT NULL)
setup: CREATE TYPE mood AS ENUM ('sad', 'well')
setup: CREATE TABLE old (a int CONSTRAINT above CHECK (a IS NOT NULL))
setup: CREATE EXTENSION citext
== comments on parts
a: BEGIN
a: COMMENT ON CONSTRAINT above ON old IS 'there'
a: COMMENT ON CONSTRAINT there ON DOMAIN d IS 'not null'
b: CREATE TABLE other (a int)
a: COMMIT
== comments on parts of what is new
a: BEGIN
a: CREATE TABLE t (a int CONSTRAINT above CHECK (a IS NOT NULL))
a: CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()
a: CREATE POLICY p ON t
a: CREATE RULE r AS ON INSERT TO t DO ALSO SELECT 1
a: COMMENT ON CONSTRAINT above ON t IS 'c'
a: COMMENT ON TRIGGER g ON t IS 'g'
a: COMMENT ON POLICY p ON t IS 'p'
a: COMMENT ON RULE r ON t IS 'r'
b: CREATE TABLE other (a int)
a: COMMIT
a: SELECT obj_description(oid, 'pg_constraint') FROM pg_constraint WHERE conrelid = 't'::regclass
== types of rows and of their arrays
a: BEGIN
a: CREATE TABLE t (a int)
a: CREATE TABLE u (one t, some t[])
b: CREATE TABLE other (a int)
a: COMMIT
== arrays of types that were there, and of new ones
a: BEGIN
a: CREATE TYPE colour AS ENUM ('red')
a: CREATE TABLE t (a mood[], b colour[])
b: CREATE TABLE other (a int)
a: COMMIT
== types that an extension has
a: BEGIN
a: CREATE TABLE t (a citext, b citext[])
b: CREATE TABLE other (a int)
a: COMMIT
== and one that comes with them
a: BEGIN
a: CREATE EXTENSION hstore
a: CREATE TABLE t (a hstore DEFAULT 'a=>1')
b: CREATE TABLE other (a int)
a: COMMIT
== a comment on a large object
a: SELECT lo_create(4711)
a: BEGIN
a: COMMENT ON LARGE OBJECT 4711 IS 'l'
b: CREATE TABLE other (a int)
a: COMMIT
a: SELECT lo_unlink(4711)
