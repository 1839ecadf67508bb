-- Jobs are completed by lists side by side, as River does: what keys lead from is unnested, and values are read of texts.
CREATE TYPE job_state AS ENUM ('available', 'cancelled', 'completed', 'running');
CREATE TABLE jobs (id bigint PRIMARY KEY, state job_state NOT NULL DEFAULT 'running', finalized_at timestamptz, attempt smallint DEFAULT 1, note text);
INSERT INTO jobs (id) SELECT g FROM generate_series(1, 40) g;
UPDATE jobs SET state = 'available' WHERE id IN (5, 6);
-- functions that return rows within what is computed of them
SELECT unnest('{completed,running}'::text[])::job_state AS s;
SELECT unnest('{1,2,NULL}'::int[]) + 1 AS a, unnest('{x,y}'::text[]) || '!' AS b;
SELECT unnest('{1,2}'::int[]) > 1 AS a, -unnest('{1,2}'::int[]) AS b, unnest('{1,2}'::int[]) AS c, 'k' AS d;
SELECT unnest('{completed,running,NULL}'::job_state[]) AS s, unnest('{1}'::bigint[]) AS id;
SELECT j.id, i.s, i.t FROM jobs j JOIN (SELECT unnest('{2,1,3,3,99}'::bigint[]) AS id, unnest('{completed,running,cancelled}'::text[])::job_state AS s, unnest('{a,b,c,d}'::text[]) AS t) i ON i.id = j.id ORDER BY j.id, i.t;
SELECT i.s < 'running' AS before, i.s::text FROM (SELECT unnest('{completed,running}'::job_state[]) AS s) i;
-- text that is no label
SELECT unnest('{completed,finished}'::text[])::job_state AS s;
SELECT j.id, note::job_state FROM jobs j WHERE id = 1;
UPDATE jobs SET note = 'nothing' WHERE id = 1;
SELECT j.id, note::job_state FROM jobs j WHERE id = 1;
UPDATE jobs SET note = 'cancelled' WHERE id = 1;
SELECT j.id, note::job_state FROM jobs j WHERE id = 1;
UPDATE jobs SET state = note::job_state WHERE id = 1 RETURNING id, state;
UPDATE jobs SET state = 'running' WHERE id = 1;
-- the statement by which jobs are completed
PREPARE done (bigint[], text[], timestamptz[]) AS
WITH job_input AS (SELECT unnest($1::bigint[]) AS id, unnest($2::text[])::job_state AS state, unnest($3::timestamptz[]) AS finalized_at),
job_to_update AS (SELECT jobs.id, job_input.state, job_input.finalized_at FROM jobs JOIN job_input ON jobs.id = job_input.id WHERE jobs.state = 'running' FOR UPDATE),
updated_job AS (UPDATE jobs SET state = job_to_update.state, finalized_at = job_to_update.finalized_at FROM job_to_update WHERE jobs.id = job_to_update.id RETURNING jobs.*)
SELECT id, state, finalized_at FROM updated_job ORDER BY id;
EXECUTE done ('{1}', '{completed}', '{2026-01-01 00:00:00+00}');
EXECUTE done ('{1}', '{cancelled}', '{2026-01-01 00:00:00+00}');
EXECUTE done ('{2,3,77}', '{completed,cancelled,completed}', '{2026-01-01 00:00:00+00,NULL,2026-01-02 00:00:00+00}');
EXECUTE done ('{4,5,6,7}', '{completed,completed,completed,completed}', '{2026-01-01 00:00:00+00}');
EXECUTE done ('{}', '{}', '{}');
EXECUTE done (NULL, NULL, NULL);
EXECUTE done ('{NULL,8}', '{completed,cancelled}', '{2026-01-01 00:00:00+00,2026-01-03 00:00:00+00}');
EXECUTE done ('{9}', '{finished}', '{2026-01-01 00:00:00+00}');
EXECUTE done ('{9}', '{}', '{2026-01-01 00:00:00+00}');
EXECUTE done ('{10,10}', '{completed,completed}', '{2026-01-01 00:00:00+00,2026-01-01 00:00:00+00}');
SELECT id, state, finalized_at FROM jobs WHERE id <= 12 ORDER BY id;
BEGIN;
EXECUTE done ('{11}', '{completed}', '{2026-01-01 00:00:00+00}');
EXECUTE done ('{11,12}', '{completed,completed}', '{2026-01-01 00:00:00+00,2026-01-01 00:00:00+00}');
SELECT id, state FROM jobs WHERE id IN (11, 12) ORDER BY id;
ROLLBACK;
SELECT id, state FROM jobs WHERE id IN (11, 12) ORDER BY id;
-- without a lock, and of the table itself
PREPARE moved (bigint[], text[]) AS UPDATE jobs SET state = i.s FROM (SELECT unnest($1) AS id, unnest($2)::job_state AS s) i WHERE jobs.id = i.id RETURNING jobs.id, i.s;
EXECUTE moved ('{13}', '{cancelled}');
EXECUTE moved ('{13,14}', '{running}');
EXECUTE moved ('{13}', '{running}');
PREPARE held (bigint[]) AS WITH i AS (SELECT unnest($1) AS id) SELECT j.id, j.state FROM jobs j JOIN i ON i.id = j.id ORDER BY j.id FOR UPDATE OF j;
EXECUTE held ('{20,21}');
EXECUTE held ('{20,20,98}');
WITH i AS (SELECT unnest('{15,16}'::bigint[]) AS id), l AS (SELECT j.id FROM jobs j JOIN i ON i.id = j.id WHERE j.state = 'running' ORDER BY j.id LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE jobs SET attempt = attempt + 1 FROM l WHERE jobs.id = l.id RETURNING jobs.id, jobs.attempt;
-- a label that is added is one at once
ALTER TYPE job_state ADD VALUE 'finished' BEFORE 'running';
SELECT unnest('{completed,finished}'::text[])::job_state AS s;
EXECUTE moved ('{30}', '{finished}');
ALTER TYPE job_state RENAME VALUE 'finished' TO 'ended';
EXECUTE moved ('{31}', '{finished}');
EXECUTE moved ('{31}', '{ended}');
SELECT id, state FROM jobs WHERE id IN (30, 31) ORDER BY id;
