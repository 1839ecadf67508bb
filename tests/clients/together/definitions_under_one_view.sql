-- Tables that are replaced by renaming at once, as a build of many models does, though one view reads them all.
levels: read committed, serializable
setup: CREATE TABLE t AS SELECT 1 AS n
setup: CREATE TABLE u AS SELECT 1 AS n
setup: CREATE VIEW v AS SELECT t.n + u.n AS n FROM t, u
== each replaces one table
a: BEGIN
b: BEGIN
a: CREATE TABLE t_new AS SELECT 2 AS n
b: CREATE TABLE u_new AS SELECT 3 AS n
a: ALTER TABLE t RENAME TO t_old
b: ALTER TABLE u RENAME TO u_old
a: ALTER TABLE t_new RENAME TO t
b: ALTER TABLE u_new RENAME TO u
a: COMMIT
b: COMMIT
a: SELECT * FROM v
a: SELECT pg_get_viewdef('v')
b: SELECT t.n, u.n FROM t, u
== each drops its table, and the view with it
a: BEGIN
b: BEGIN
a: DROP TABLE t CASCADE
b: DROP TABLE IF EXISTS u CASCADE
a: COMMIT
b: COMMIT
a: SELECT count(*) FROM pg_class WHERE relname IN ('t', 'u', 'v')
== what was to be dropped stays after all
a: BEGIN
b: BEGIN
a: DROP VIEW v
b: CREATE OR REPLACE VIEW v AS SELECT 7 AS n
a: ROLLBACK
b: COMMIT
a: SELECT * FROM v
