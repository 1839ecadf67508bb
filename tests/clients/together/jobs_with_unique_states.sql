-- Jobs that are taken leave a unique index over those that wait, and come back into it: as pg-boss keeps one job of a key.
levels: read committed
setup: CREATE TYPE job_state AS ENUM ('created', 'retry', 'active', 'completed')
setup: CREATE TABLE jobs (id int PRIMARY KEY, name text, state job_state DEFAULT 'created', k text, tries int DEFAULT 0)
setup: CREATE UNIQUE INDEX ON jobs (name, k) WHERE state < 'active'
setup: CREATE UNIQUE INDEX ON jobs (name, k, state) WHERE state = 'active'
setup: CREATE INDEX ON jobs (name, id)
setup: INSERT INTO jobs (id, name, k) VALUES (1, 'mail', 'a'), (2, 'mail', 'b'), (3, 'mail', 'c'), (4, 'other', 'a')
== two workers
a: BEGIN
b: BEGIN
a: WITH next AS (SELECT id FROM jobs WHERE name = 'mail' AND state < 'active' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE jobs j SET state = 'active', tries = tries + 1 FROM next WHERE j.id = next.id RETURNING j.*
b: WITH next AS (SELECT id FROM jobs WHERE name = 'mail' AND state < 'active' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE jobs j SET state = 'active', tries = tries + 1 FROM next WHERE j.id = next.id RETURNING j.*
a: COMMIT
b: COMMIT
a: SELECT * FROM jobs ORDER BY id
== workers outside of blocks, the key is free again
a: WITH next AS (SELECT id FROM jobs WHERE name = 'mail' AND state < 'active' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE jobs j SET state = 'active', tries = tries + 1 FROM next WHERE j.id = next.id RETURNING j.*
b: INSERT INTO jobs (id, name, k) VALUES (5, 'mail', 'a')
a: WITH next AS (SELECT id FROM jobs WHERE name = 'mail' AND state < 'active' ORDER BY id LIMIT 3 FOR UPDATE SKIP LOCKED) UPDATE jobs j SET state = 'active', tries = tries + 1 FROM next WHERE j.id = next.id RETURNING j.*
a: WITH back AS (SELECT id FROM jobs WHERE name = 'mail' AND state = 'active' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE jobs j SET state = 'retry' FROM back WHERE j.id = back.id RETURNING j.*
a: WITH back AS (SELECT id FROM jobs WHERE name = 'mail' AND state = 'active' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE jobs j SET state = 'retry' FROM back WHERE j.id = back.id RETURNING j.*
a: SELECT * FROM jobs ORDER BY id
== a job comes back while another of its key is put
a: UPDATE jobs SET state = 'active' WHERE id = 1
a: BEGIN
a: WITH back AS (SELECT id FROM jobs WHERE id = 1 FOR UPDATE) UPDATE jobs j SET state = 'retry' FROM back WHERE j.id = back.id RETURNING j.*
b: INSERT INTO jobs (id, name, k) VALUES (5, 'mail', 'a')
a: COMMIT
b: SELECT * FROM jobs ORDER BY id
== another of its key is put while it comes back
a: UPDATE jobs SET state = 'active' WHERE id = 1
b: BEGIN
b: INSERT INTO jobs (id, name, k) VALUES (5, 'mail', 'a')
a: WITH back AS (SELECT id FROM jobs WHERE id = 1 FOR UPDATE) UPDATE jobs j SET state = 'retry' FROM back WHERE j.id = back.id RETURNING j.*
b: ROLLBACK
a: SELECT * FROM jobs ORDER BY id
== ... in a block, and it stays
a: UPDATE jobs SET state = 'active' WHERE id = 1
b: BEGIN
b: INSERT INTO jobs (id, name, k) VALUES (5, 'mail', 'a')
a: BEGIN
a: WITH back AS (SELECT id FROM jobs WHERE id = 1 FOR UPDATE) UPDATE jobs j SET state = 'retry' FROM back WHERE j.id = back.id RETURNING j.*
b: COMMIT
a: ROLLBACK
a: SELECT * FROM jobs ORDER BY id
== one that is taken is put anew in the same block
a: BEGIN
a: WITH next AS (SELECT id FROM jobs WHERE name = 'mail' AND state < 'active' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE jobs j SET state = 'active' FROM next WHERE j.id = next.id RETURNING j.*
a: INSERT INTO jobs (id, name, k) VALUES (5, 'mail', 'a')
b: INSERT INTO jobs (id, name, k) VALUES (6, 'mail', 'a')
a: COMMIT
b: SELECT * FROM jobs ORDER BY id
