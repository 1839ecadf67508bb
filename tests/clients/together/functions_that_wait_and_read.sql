-- What a function reads after it has waited for a lock, at READ COMMITTED: what has been committed by then, where it is volatile,
-- and what there was when it was called, where it is not. Counters that are read under a lock lose no step.
levels: read committed, repeatable read
setup: CREATE TABLE counters (id int PRIMARY KEY, n int)
setup: INSERT INTO counters VALUES (1, 1)
setup: CREATE FUNCTION next_of() RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN QUERY SELECT n FROM counters WHERE id = 1; END $$
setup: CREATE FUNCTION steady_of() RETURNS SETOF int LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN QUERY SELECT n FROM counters WHERE id = 1; END $$
setup: CREATE FUNCTION steady_one() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN (SELECT n FROM counters WHERE id = 1); END $$
setup: CREATE FUNCTION through() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT sum(x) FROM next_of() x); END $$
== a set of rows, in FROM
a: BEGIN
a: SELECT * FROM next_of()
a: UPDATE counters SET n = n + 1
b: SELECT * FROM next_of()
a: COMMIT
== with more around it
a: BEGIN
a: SELECT * FROM next_of()
a: UPDATE counters SET n = n + 1
b: SELECT max(x) AS m FROM next_of() x WHERE x > 0
a: COMMIT
== called by another function
a: BEGIN
a: SELECT * FROM next_of()
a: UPDATE counters SET n = n + 1
b: SELECT through()
a: COMMIT
== in a block, where it may see what others have committed since
b: BEGIN
b: SELECT * FROM next_of()
a: SELECT 1
b: COMMIT
b: BEGIN
b: SELECT n FROM counters
a: UPDATE counters SET n = n + 1
b: SELECT * FROM next_of()
b: SELECT steady_one()
b: COMMIT
== one that is not volatile has the snapshot of its call
a: BEGIN
a: SELECT * FROM next_of()
a: UPDATE counters SET n = n + 1
b: SELECT * FROM steady_of()
a: COMMIT
a: BEGIN
a: SELECT * FROM next_of()
a: UPDATE counters SET n = n + 1
b: SELECT steady_one()
a: COMMIT
b: SELECT * FROM steady_of()
== at REPEATABLE READ it is the block's
b: BEGIN ISOLATION LEVEL REPEATABLE READ
b: SELECT n FROM counters
a: BEGIN
a: SELECT * FROM next_of()
a: UPDATE counters SET n = n + 1
b: SELECT * FROM next_of()
a: COMMIT
b: COMMIT
== many that wait leave room for the one that they wait for
a: BEGIN
a: SELECT pg_advisory_xact_lock(1)
b: SELECT * FROM next_of()
c: SELECT * FROM next_of()
d: SELECT * FROM next_of()
e: SELECT * FROM next_of()
f: SELECT * FROM next_of()
g: SELECT * FROM next_of()
h: SELECT * FROM next_of()
i: SELECT * FROM next_of()
a: SELECT * FROM next_of()
a: COMMIT
