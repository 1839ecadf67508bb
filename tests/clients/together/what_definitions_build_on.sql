-- Who takes a name that another is giving, and who drops what another builds on, waits: so nothing stands on what has gone.
setup: CREATE SCHEMA IF NOT EXISTS shelf
setup: DROP SCHEMA shelf CASCADE
setup: CREATE SCHEMA shelf
setup: CREATE TABLE t (x int, y int)
setup: CREATE TABLE u (x int)
setup: CREATE VIEW v AS SELECT 1 AS x
== a table that comes under a view goes
a: BEGIN
a: CREATE VIEW w AS SELECT * FROM t
b: DROP TABLE t
a: COMMIT
a: SELECT * FROM w
== a view comes over a table that goes
a: BEGIN
a: DROP TABLE t
b: CREATE VIEW w AS SELECT * FROM t
a: COMMIT
a: SELECT * FROM w
== or stays after all
a: BEGIN
a: DROP TABLE t
b: CREATE VIEW w AS SELECT * FROM t
a: ROLLBACK
a: SELECT * FROM w
== a view over a view that goes
a: BEGIN
a: CREATE VIEW w AS SELECT * FROM v
b: DROP VIEW v
a: COMMIT
a: SELECT * FROM w
== a view over a column that goes
a: BEGIN
a: CREATE VIEW w AS SELECT y FROM t
b: ALTER TABLE t DROP COLUMN y
a: COMMIT
a: SELECT * FROM w
== a column goes that a view is to show
a: BEGIN
a: ALTER TABLE t DROP COLUMN y
b: CREATE VIEW w AS SELECT y FROM t
a: COMMIT
== columns that come keep views waiting, and nothing more
a: BEGIN
a: ALTER TABLE t ADD COLUMN z int
b: CREATE VIEW w AS SELECT * FROM t
a: COMMIT
a: SELECT * FROM w
== indexes keep nobody waiting who makes a view
a: BEGIN
a: CREATE INDEX ON t (x)
b: CREATE VIEW w AS SELECT * FROM t
a: COMMIT
a: SELECT * FROM w
== a table comes into a schema that goes
a: BEGIN
a: DROP SCHEMA shelf
b: CREATE TABLE shelf.t (x int)
a: COMMIT
a: SELECT count(*) FROM pg_class WHERE relname = 't' AND relnamespace NOT IN (SELECT oid FROM pg_namespace)
== a schema goes into which a table has come
a: BEGIN
a: CREATE TABLE shelf.t (x int)
b: DROP SCHEMA shelf
a: COMMIT
a: SELECT * FROM shelf.t
== and with it, if need be
a: BEGIN
a: CREATE TABLE shelf.t (x int)
b: DROP SCHEMA shelf CASCADE
a: COMMIT
a: SELECT count(*) FROM pg_class WHERE relname = 't' AND relnamespace NOT IN (SELECT oid FROM pg_namespace)
== a table that is moved there
a: BEGIN
a: ALTER TABLE u SET SCHEMA shelf
b: DROP SCHEMA shelf
a: COMMIT
a: SELECT * FROM shelf.u
== two tables of one schema
a: BEGIN
a: CREATE TABLE shelf.t (x int)
b: CREATE TABLE shelf.u (x int)
a: COMMIT
== a privilege for a role that goes
w: DROP ROLE IF EXISTS passing_by
w: CREATE ROLE passing_by
a: BEGIN
a: GRANT SELECT ON t TO passing_by
b: DROP ROLE passing_by
a: COMMIT
a: REVOKE ALL ON t FROM passing_by
a: DROP ROLE passing_by
== one name twice, and the first comes to nothing
a: BEGIN
a: CREATE TABLE IF NOT EXISTS twice (x int)
b: CREATE TABLE IF NOT EXISTS twice (x int, y int)
a: ROLLBACK
a: SELECT * FROM twice
== the same after a savepoint
a: BEGIN
a: SAVEPOINT s
a: CREATE TABLE twice (x int)
b: CREATE VIEW twice AS SELECT 1 AS x
a: ROLLBACK TO s
a: COMMIT
a: SELECT * FROM twice
== schemas
a: BEGIN
a: CREATE SCHEMA IF NOT EXISTS twice
b: CREATE SCHEMA IF NOT EXISTS twice
a: ROLLBACK
a: DROP SCHEMA twice
== functions of other arguments are others
a: BEGIN
a: CREATE FUNCTION twice(x int) RETURNS int LANGUAGE sql AS 'SELECT 1'
b: CREATE FUNCTION twice(x text) RETURNS int LANGUAGE sql AS 'SELECT 2'
a: COMMIT
a: SELECT twice(1), twice('x'::text)
