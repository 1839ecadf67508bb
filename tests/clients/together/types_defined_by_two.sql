-- Types and whatever else is defined anew by two at once: the second waits for the first, and goes on from what that has made.
setup: CREATE TABLE t (id int PRIMARY KEY, n int, s text)
setup: CREATE TYPE mood AS ENUM ('sad', 'ok')
setup: CREATE TYPE pair AS (x int, y int)
setup: CREATE DOMAIN dom AS int
setup: CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'
== two values of an enum
a: BEGIN
a: ALTER TYPE mood ADD VALUE 'x'
b: ALTER TYPE mood ADD VALUE 'y'
a: COMMIT
b: SELECT enum_range(NULL::mood)
== the first of which comes to nothing
a: BEGIN
a: ALTER TYPE mood ADD VALUE 'x'
b: ALTER TYPE mood ADD VALUE 'y'
a: ROLLBACK
b: SELECT enum_range(NULL::mood)
== a type goes that somebody gives a value
a: BEGIN
a: ALTER TYPE mood ADD VALUE 'x'
b: DROP TYPE mood
a: COMMIT
b: SELECT to_regtype('mood')
== the same value twice
a: BEGIN
a: ALTER TYPE mood ADD VALUE 'x'
b: ALTER TYPE mood ADD VALUE IF NOT EXISTS 'x'
a: COMMIT
b: SELECT enum_range(NULL::mood)
== two fields
a: BEGIN
a: ALTER TYPE pair ADD ATTRIBUTE z int
b: ALTER TYPE pair ADD ATTRIBUTE w int
a: COMMIT
b: SELECT NULL::pair
== two comments
a: COMMENT ON TABLE t IS 'w'
a: BEGIN
a: COMMENT ON TABLE t IS 'x'
b: COMMENT ON TABLE t IS 'y'
a: COMMIT
b: SELECT obj_description('t'::regclass)
== a function goes twice
a: BEGIN
a: DROP FUNCTION one()
b: DROP FUNCTION IF EXISTS one()
a: COMMIT
b: SELECT to_regproc('one')
== a type goes with its columns, after all not
w: CREATE TABLE m (m mood)
a: BEGIN
a: DROP TYPE mood CASCADE
b: ALTER TYPE mood ADD VALUE 'x'
a: ROLLBACK
b: SELECT enum_range(NULL::mood)
