-- Locking queries that name columns of the query around them: what they pass over, what they wait for, and what they see then.
levels: read committed
setup: CREATE TABLE kinds (name text PRIMARY KEY, most int)
setup: CREATE TABLE jobs (id int PRIMARY KEY, kind text, state text DEFAULT 'queued')
setup: INSERT INTO kinds VALUES ('mail', 1), ('print', 2)
setup: INSERT INTO jobs (id, kind) VALUES (1, 'mail'), (2, 'print'), (3, 'mail'), (4, 'print'), (5, 'mail'), (6, 'print')
== one after the other takes what is free of each kind
a: BEGIN
b: BEGIN
a: SELECT k.name, x.id FROM kinds k CROSS JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name AND j.state = 'queued' ORDER BY j.id LIMIT k.most FOR UPDATE SKIP LOCKED) x ORDER BY 2
b: SELECT k.name, x.id FROM kinds k CROSS JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name AND j.state = 'queued' ORDER BY j.id LIMIT k.most FOR UPDATE SKIP LOCKED) x ORDER BY 2
c: SELECT id FROM jobs ORDER BY id FOR UPDATE SKIP LOCKED
a: COMMIT
c: SELECT id FROM jobs ORDER BY id FOR UPDATE SKIP LOCKED
b: COMMIT
== kinds that WHERE leaves out are not asked for
a: BEGIN
a: SELECT k.name, x.id FROM kinds k CROSS JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name ORDER BY j.id LIMIT 1 FOR UPDATE SKIP LOCKED) x WHERE k.most > 1
b: SELECT id FROM jobs ORDER BY id FOR UPDATE SKIP LOCKED
a: COMMIT
== the window is fixed before it is locked
a: BEGIN
a: SELECT id FROM jobs WHERE id = 1 FOR UPDATE
b: SELECT x.id FROM (SELECT id FROM jobs WHERE kind = 'mail' ORDER BY id LIMIT 2) c CROSS JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.id = c.id FOR UPDATE OF j SKIP LOCKED) x ORDER BY 1
a: COMMIT
== it waits, and sees what has become of the row
a: BEGIN
a: UPDATE jobs SET state = 'done' WHERE id = 1
b: SELECT k.name, x.id, x.state FROM kinds k CROSS JOIN LATERAL (SELECT * FROM jobs j WHERE j.kind = k.name ORDER BY j.id LIMIT 1 FOR UPDATE) x ORDER BY 2
a: COMMIT
== or fails at once
a: BEGIN
a: UPDATE jobs SET state = 'done' WHERE id = 2
b!: SELECT k.name, x.id FROM kinds k CROSS JOIN LATERAL (SELECT * FROM jobs j WHERE j.kind = k.name ORDER BY j.id LIMIT 1 FOR UPDATE NOWAIT) x ORDER BY 2
a: ROLLBACK
== what one takes, the other does not write
a: BEGIN
a: WITH t AS (SELECT x.id FROM kinds k CROSS JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name AND j.state = 'queued' ORDER BY j.id LIMIT 1 FOR UPDATE SKIP LOCKED) x) UPDATE jobs SET state = 'picked' WHERE id = ANY (SELECT id FROM t)
b: WITH t AS (SELECT x.id FROM kinds k CROSS JOIN LATERAL (SELECT j.id FROM jobs j WHERE j.kind = k.name AND j.state = 'queued' ORDER BY j.id LIMIT 1 FOR UPDATE SKIP LOCKED) x) UPDATE jobs SET state = 'picked' WHERE id = ANY (SELECT id FROM t)
a: COMMIT
a: SELECT id, state FROM jobs ORDER BY id
