-- How job queues take jobs: statements of Oban, River, graphile-worker, GoodJob, Que and pgqueuer.
CREATE TABLE oban_jobs (id bigserial PRIMARY KEY, state text NOT NULL DEFAULT 'available', queue text NOT NULL DEFAULT 'default', worker text, args jsonb DEFAULT '{}', errors jsonb[] DEFAULT ARRAY[]::jsonb[], attempt int NOT NULL DEFAULT 0, max_attempts int NOT NULL DEFAULT 20, priority int NOT NULL DEFAULT 0, scheduled_at timestamp DEFAULT '2020-01-01', attempted_at timestamp, attempted_by text[]);
INSERT INTO oban_jobs (queue, priority, state) SELECT CASE WHEN g % 2 = 0 THEN 'default' ELSE 'other' END, g % 3, CASE WHEN g > 9 THEN 'scheduled' ELSE 'available' END FROM generate_series(1, 12) g;
WITH "subset" AS MATERIALIZED (SELECT sj0."id" AS "id" FROM "public"."oban_jobs" AS sj0 WHERE (sj0."state" = 'available') AND (sj0."queue" = 'default') AND (sj0."attempt" < sj0."max_attempts") ORDER BY sj0."priority", sj0."scheduled_at", sj0."id" LIMIT 1 FOR UPDATE SKIP LOCKED)
UPDATE "public"."oban_jobs" AS o0 SET "state" = 'executing', "attempted_at" = '2021-01-01', "attempted_by" = ARRAY['n'], "attempt" = o0."attempt" + 1 FROM "subset" AS f1 WHERE (o0."id" = f1."id") RETURNING o0.id, o0.state, o0.attempt;
UPDATE "public"."oban_jobs" AS o0 SET "state" = 'available' FROM (SELECT so0."id" AS "id", so0."queue" AS q FROM "public"."oban_jobs" AS so0 WHERE (so0."state" IN ('scheduled','retryable')) AND (so0."scheduled_at" <= now()) ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) AS s1 WHERE (o0."id" = s1."id") RETURNING s1.id, s1.q, o0.state;
DELETE FROM "public"."oban_jobs" AS o0 USING (SELECT so0."id" FROM "public"."oban_jobs" AS so0 WHERE so0.state = 'scheduled' ORDER BY so0.id LIMIT 1 FOR UPDATE SKIP LOCKED) AS s1 WHERE (o0."id" = s1."id") RETURNING o0.id;
CREATE TABLE river_job (id bigserial PRIMARY KEY, state text DEFAULT 'available', attempt int DEFAULT 0, priority int DEFAULT 1, queue text DEFAULT 'default', scheduled_at timestamptz DEFAULT '2020-01-01', attempted_at timestamptz, attempted_by text[], finalized_at timestamptz, metadata jsonb DEFAULT '{}', unique_key bytea, unique_states bit(8));
INSERT INTO river_job (priority) SELECT g % 2 FROM generate_series(1, 8) g;
WITH locked_jobs AS (SELECT * FROM river_job WHERE state = 'available' AND queue = 'default' AND scheduled_at <= coalesce(NULL::timestamptz, now()) ORDER BY priority ASC, scheduled_at ASC, id ASC LIMIT 1::integer FOR UPDATE SKIP LOCKED)
UPDATE river_job SET state = 'running', attempt = river_job.attempt + 1, attempted_at = '2021-01-01', attempted_by = array_append(river_job.attempted_by, 'me'::text) FROM locked_jobs WHERE river_job.id = locked_jobs.id RETURNING river_job.id, river_job.state, river_job.attempted_by;
WITH locked_job AS (SELECT id, queue, state, finalized_at FROM river_job WHERE river_job.id = 2 FOR UPDATE), notification AS (SELECT id, pg_notify(concat(current_schema(), '.', 'river_control'::text), json_build_object('action','cancel','job_id', id, 'queue', queue)::text) FROM locked_job WHERE state NOT IN ('cancelled','completed','discarded') AND finalized_at IS NULL), updated_job AS (UPDATE river_job SET state = CASE WHEN state = 'running' THEN state ELSE 'cancelled' END, metadata = jsonb_set(metadata, '{cancel_attempted_at}'::text[], '"x"'::jsonb, true) FROM notification WHERE river_job.id = notification.id RETURNING river_job.*) SELECT id, state, metadata FROM river_job WHERE id = 2 AND id NOT IN (SELECT id FROM updated_job) UNION SELECT id, state, metadata FROM updated_job;
WITH job_input AS (SELECT unnest(ARRAY[2,4]::bigint[]) AS id, unnest(ARRAY['completed','retryable']::text[]) AS state), job_to_update AS (SELECT river_job.id, job_input.state FROM river_job JOIN job_input ON river_job.id = job_input.id WHERE river_job.state = 'running' FOR UPDATE), updated_running AS (UPDATE river_job SET state = job_to_update.state FROM job_to_update WHERE river_job.id = job_to_update.id RETURNING river_job.*) SELECT id, state FROM river_job WHERE id IN (SELECT id FROM job_input) AND id NOT IN (SELECT id FROM updated_running) UNION SELECT id, state FROM updated_running ORDER BY id;
WITH jobs_to_schedule AS (SELECT id, unique_key, unique_states, priority, scheduled_at FROM river_job WHERE state IN ('retryable','scheduled') AND priority >= 0 AND queue IS NOT NULL AND scheduled_at <= now() ORDER BY priority, scheduled_at, id LIMIT 10 FOR UPDATE), jobs_with_rownum AS (SELECT *, CASE WHEN unique_key IS NOT NULL AND unique_states IS NOT NULL THEN ROW_NUMBER() OVER (PARTITION BY unique_key ORDER BY priority, scheduled_at, id) ELSE NULL END AS row_num FROM jobs_to_schedule), job_updates AS (SELECT j.id, j.row_num FROM jobs_with_rownum j LEFT JOIN (SELECT unique_key FROM river_job WHERE unique_key IS NOT NULL) uc ON j.unique_key = uc.unique_key), updated_jobs AS (UPDATE river_job SET state = 'available' FROM job_updates WHERE river_job.id = job_updates.id RETURNING river_job.id) SELECT * FROM updated_jobs;
CREATE TABLE job_queues (id int PRIMARY KEY, locked_by text, locked_at timestamptz, is_available boolean GENERATED ALWAYS AS (locked_by IS NULL) STORED);
CREATE TABLE gjobs (id int PRIMARY KEY, job_queue_id int, task_id int DEFAULT 1, priority int DEFAULT 0, run_at timestamptz DEFAULT '2020-01-01', attempts int DEFAULT 0, max_attempts int DEFAULT 25, locked_by text, locked_at timestamptz, is_available boolean GENERATED ALWAYS AS (locked_by IS NULL AND attempts < max_attempts) STORED);
INSERT INTO job_queues (id) VALUES (1), (2); INSERT INTO gjobs (id, job_queue_id) VALUES (1, 1), (2, NULL), (3, 2), (4, 1);
with j as (select jobs.job_queue_id, jobs.priority, jobs.run_at, jobs.id from gjobs as jobs where jobs.is_available = true and run_at <= now() and task_id = any(ARRAY[1]::int[]) and (jobs.job_queue_id is null or exists (select 1 from job_queues where job_queues.id = jobs.job_queue_id and job_queues.is_available = true for update skip locked)) order by priority asc, run_at asc, id asc limit 1 for update skip locked), q as (update job_queues set locked_by = 'w'::text, locked_at = now() from j where job_queues.id = j.job_queue_id) update gjobs as jobs set attempts = jobs.attempts + 1, locked_by = 'w'::text, locked_at = '2021-01-01' from j where jobs.id = j.id returning jobs.id, jobs.attempts;
with j as (select jobs.job_queue_id, jobs.id from gjobs as jobs where jobs.is_available = true and (jobs.job_queue_id is null or jobs.job_queue_id in (select id from job_queues where job_queues.is_available = true for update skip locked)) order by priority asc, run_at asc, id asc limit 1 for update skip locked), q as (update job_queues set locked_by = 'w'::text, locked_at = now() from j where job_queues.id = j.job_queue_id) update gjobs as jobs set attempts = jobs.attempts + 1, locked_by = 'w'::text from j where jobs.id = j.id returning jobs.id, jobs.attempts;
SELECT id, locked_by FROM job_queues ORDER BY id;
CREATE TABLE good_jobs (id int PRIMARY KEY, active_job_id uuid, queue_name text, priority int, created_at timestamptz DEFAULT '2020-01-01', finished_at timestamptz);
INSERT INTO good_jobs (id, active_job_id) VALUES (1, '00000000-0000-0000-0000-000000000001'), (2, '00000000-0000-0000-0000-000000000002');
SELECT "good_jobs".id FROM "good_jobs" WHERE "good_jobs"."id" IN (WITH "rows" AS MATERIALIZED (SELECT "good_jobs"."id", "good_jobs"."active_job_id" FROM "good_jobs" WHERE finished_at IS NULL ORDER BY priority ASC NULLS LAST, created_at ASC, id) SELECT "rows"."id" FROM "rows" WHERE pg_try_advisory_lock(('x' || substr(md5('good_jobs' || '-' || "rows"."active_job_id"::text), 1, 16))::bit(64)::bigint) LIMIT 1) ORDER BY id;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory';
SELECT pg_advisory_unlock_all();
CREATE TABLE que_jobs (job_id bigint PRIMARY KEY, queue text DEFAULT '', priority int DEFAULT 1, run_at timestamptz DEFAULT '2020-01-01');
INSERT INTO que_jobs (job_id) VALUES (1), (2), (3);
WITH RECURSIVE jobs AS (SELECT (j).*, pg_try_advisory_lock((j).job_id) AS locked FROM (SELECT j FROM que_jobs AS j WHERE queue = ''::text AND run_at <= now() ORDER BY priority, run_at, job_id LIMIT 1) AS t1 UNION ALL (SELECT (j).*, pg_try_advisory_lock((j).job_id) AS locked FROM (SELECT (SELECT j FROM que_jobs AS j WHERE queue = ''::text AND run_at <= now() AND (priority, run_at, job_id) > (jobs.priority, jobs.run_at, jobs.job_id) ORDER BY priority, run_at, job_id LIMIT 1) AS j FROM jobs WHERE jobs.job_id IS NOT NULL LIMIT 1) AS t1)) SELECT queue, priority, run_at, job_id FROM jobs WHERE locked LIMIT 1;
SELECT pg_advisory_unlock_all();
CREATE TABLE pgqueuer (id serial PRIMARY KEY, priority int DEFAULT 0, queue_manager_id uuid, created timestamptz DEFAULT now(), updated timestamptz DEFAULT now(), heartbeat timestamptz DEFAULT now(), execute_after timestamptz DEFAULT '2020-01-01', status text DEFAULT 'queued', entrypoint text, payload bytea);
CREATE TABLE pgqueuer_log (id serial PRIMARY KEY, job_id int, status text, entrypoint text, priority int);
INSERT INTO pgqueuer (entrypoint, priority) VALUES ('a', 1), ('a', 2), ('b', 3);
WITH entrypoint_execution_params AS (SELECT unnest(ARRAY['a','b']::text[]) AS entrypoint, unnest(ARRAY['30 s','30 s']::interval[]) AS retry_after, unnest(ARRAY[false,true]::boolean[]) AS serialized, unnest(ARRAY[0,0]::bigint[]) AS concurrency_limit),
jobs_by_queue_manager_entrypoint AS (SELECT COUNT(*) AS n, queue_manager_id, entrypoint FROM pgqueuer WHERE queue_manager_id IS NOT NULL AND entrypoint = ANY(ARRAY['a','b']) GROUP BY queue_manager_id, entrypoint),
next_job_queued AS (SELECT pgqueuer.id FROM pgqueuer INNER JOIN entrypoint_execution_params ON entrypoint_execution_params.entrypoint = pgqueuer.entrypoint LEFT JOIN jobs_by_queue_manager_entrypoint ON jobs_by_queue_manager_entrypoint.entrypoint = pgqueuer.entrypoint WHERE pgqueuer.status = 'queued' AND pgqueuer.entrypoint = ANY(ARRAY['a','b']) AND pgqueuer.execute_after < NOW() AND (NOT entrypoint_execution_params.serialized OR NOT EXISTS (SELECT 1 FROM pgqueuer AS existing_job WHERE existing_job.entrypoint = pgqueuer.entrypoint AND existing_job.status = 'picked')) AND (entrypoint_execution_params.concurrency_limit <= 0 OR coalesce(jobs_by_queue_manager_entrypoint.n, 0) < entrypoint_execution_params.concurrency_limit) ORDER BY pgqueuer.priority DESC, pgqueuer.id ASC FOR UPDATE OF pgqueuer SKIP LOCKED LIMIT 2),
next_job_retry AS (SELECT pgqueuer.id FROM pgqueuer INNER JOIN entrypoint_execution_params ON entrypoint_execution_params.entrypoint = pgqueuer.entrypoint WHERE pgqueuer.status = 'picked' AND pgqueuer.heartbeat < NOW() - entrypoint_execution_params.retry_after ORDER BY pgqueuer.heartbeat DESC, pgqueuer.id ASC FOR UPDATE OF pgqueuer SKIP LOCKED LIMIT 2),
combined_jobs AS (SELECT DISTINCT id FROM (SELECT id FROM next_job_queued UNION ALL SELECT id FROM next_job_retry) AS combined WHERE id IS NOT NULL),
updated AS (UPDATE pgqueuer SET status = 'picked', updated = NOW(), heartbeat = NOW(), queue_manager_id = '00000000-0000-0000-0000-000000000009'::uuid WHERE id = ANY(SELECT id FROM combined_jobs) RETURNING *),
logged AS (INSERT INTO pgqueuer_log (job_id, status, entrypoint, priority) SELECT id, status, entrypoint, priority FROM updated)
SELECT id, priority, status, entrypoint FROM updated ORDER BY priority DESC, id ASC;
SELECT job_id, status FROM pgqueuer_log ORDER BY 1;
DROP TABLE oban_jobs, river_job, job_queues, gjobs, good_jobs, que_jobs, pgqueuer, pgqueuer_log;
-- EXISTS that locks what the rows around it ask for
CREATE TABLE job_queues (id int PRIMARY KEY, locked_by text, free bool DEFAULT true);
CREATE TABLE gjobs (id int PRIMARY KEY, queue int, ready bool DEFAULT true, attempts int DEFAULT 0);
INSERT INTO job_queues (id) SELECT generate_series(1, 5); INSERT INTO gjobs (id, queue) VALUES (1, 1), (2, NULL), (3, 2), (4, 1), (5, 3), (6, 9);
UPDATE gjobs SET ready = false WHERE id = 5;
with j as (select jobs.queue, jobs.id from gjobs as jobs where jobs.ready = true and jobs.id > 0 and (jobs.queue is null or exists (select 1 from job_queues where job_queues.id = jobs.queue and job_queues.free = true for update skip locked)) order by id asc limit 1 for update skip locked), q as (update job_queues set locked_by = 'w'::text, free = false from j where job_queues.id = j.queue) update gjobs as jobs set attempts = jobs.attempts + 1, ready = false from j where jobs.id = j.id returning jobs.id, jobs.attempts;
with j as (select jobs.queue, jobs.id from gjobs as jobs where jobs.ready = true and (jobs.queue is null or exists (select 1 from job_queues where job_queues.id = jobs.queue and job_queues.free = true for update skip locked)) order by id asc limit 1 for update skip locked), q as (update job_queues set locked_by = 'w'::text, free = false from j where job_queues.id = j.queue) update gjobs as jobs set attempts = jobs.attempts + 1, ready = false from j where jobs.id = j.id returning jobs.id, jobs.attempts;
with j as (select jobs.queue, jobs.id from gjobs as jobs where jobs.ready = true and (jobs.queue is null or exists (select 1 from job_queues where job_queues.id = jobs.queue and job_queues.free = true for update skip locked)) order by id asc limit 1 for update skip locked), q as (update job_queues set locked_by = 'w'::text, free = false from j where job_queues.id = j.queue) update gjobs as jobs set attempts = jobs.attempts + 1, ready = false from j where jobs.id = j.id returning jobs.id, jobs.attempts;
with j as (select jobs.queue, jobs.id from gjobs as jobs where jobs.ready = true and (jobs.queue is null or exists (select 1 from job_queues where job_queues.id = jobs.queue and job_queues.free = true for update skip locked)) order by id asc limit 1 for update skip locked) select * from j;
SELECT * FROM job_queues ORDER BY id;
SELECT id FROM gjobs j WHERE EXISTS (SELECT FROM job_queues q WHERE j.queue = q.id FOR KEY SHARE) ORDER BY 1;
SELECT id FROM gjobs j WHERE NOT EXISTS (SELECT FROM job_queues q WHERE j.queue = q.id FOR SHARE) ORDER BY 1;
SELECT id FROM gjobs WHERE EXISTS (SELECT FROM job_queues q WHERE queue = q.id AND NOT free FOR UPDATE OF q NOWAIT) AND id < 4 ORDER BY 1;
DELETE FROM gjobs WHERE EXISTS (SELECT FROM job_queues q WHERE queue = q.id AND NOT free FOR UPDATE) AND id < 4 RETURNING id;
UPDATE gjobs g SET attempts = 10 WHERE EXISTS (SELECT FROM job_queues q WHERE g.queue = q.id FOR UPDATE) RETURNING id;
BEGIN;
SELECT j.id, k.id FROM gjobs j JOIN gjobs k ON k.id = j.id WHERE k.id = 5 AND EXISTS (SELECT FROM job_queues q WHERE j.queue = q.id FOR UPDATE) ORDER BY 1;
COMMIT;
SELECT id FROM gjobs j WHERE EXISTS (SELECT FROM job_queues q WHERE q.id = 1 FOR UPDATE) ORDER BY 1;
DROP TABLE job_queues, gjobs;
-- advisory locks of the rows that LIMIT wants, and of no others
CREATE TABLE gj (id int PRIMARY KEY, key uuid, priority int, finished bool);
INSERT INTO gj SELECT g, ('00000000-0000-0000-0000-00000000000' || g)::uuid, g % 3, g > 8 FROM generate_series(1, 9) g;
SELECT id FROM gj WHERE id IN (WITH rows AS MATERIALIZED (SELECT id, key FROM gj WHERE NOT finished ORDER BY priority ASC NULLS LAST, id) SELECT rows.id FROM rows WHERE pg_try_advisory_lock(('x' || substr(md5('good_jobs' || '-' || rows.key::text), 1, 16))::bit(64)::bigint) LIMIT 1) ORDER BY id;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory';
SELECT id FROM gj WHERE id IN (WITH rows AS MATERIALIZED (SELECT id, key FROM gj WHERE NOT finished ORDER BY priority ASC NULLS LAST, id) SELECT rows.id FROM rows WHERE pg_try_advisory_lock(('x' || substr(md5('good_jobs' || '-' || rows.key::text), 1, 16))::bit(64)::bigint) LIMIT 1) ORDER BY id;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory';
SELECT pg_advisory_unlock_all();
SELECT id FROM gj WHERE NOT finished AND id > 2 AND pg_try_advisory_lock(id) LIMIT 2;
SELECT id FROM gj WHERE id > 2 AND pg_try_advisory_lock(id, 7) LIMIT 1 OFFSET 1;
SELECT classid, objid, objsubid FROM pg_locks WHERE locktype = 'advisory' ORDER BY 1, 2, 3;
PREPARE q (int) AS SELECT id FROM gj WHERE pg_try_advisory_lock_shared(100 + id) LIMIT $1;
EXECUTE q (2);
EXECUTE q (3);
EXECUTE q (0);
SELECT classid, objid, objsubid FROM pg_locks WHERE locktype = 'advisory' AND objid > 100 ORDER BY 1, 2, 3;
SELECT pg_advisory_unlock_all();
BEGIN;
UPDATE gj SET priority = 50 WHERE id IN (SELECT id FROM gj WHERE pg_try_advisory_xact_lock(200 + id) LIMIT 1) RETURNING id;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory';
COMMIT;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory';
SELECT count(*) FROM (SELECT id FROM gj WHERE pg_try_advisory_lock(id) LIMIT 2) a, (SELECT id FROM gj WHERE pg_try_advisory_lock(id + 10) LIMIT 3) b;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory';
SELECT pg_advisory_unlock_all();
DROP TABLE gj;
-- unique indexes that a job leaves and comes back into, in one statement and row by row
CREATE TYPE job_state AS ENUM ('created', 'retry', 'active', 'completed');
CREATE TABLE bjobs (id int PRIMARY KEY, name text, state job_state DEFAULT 'created', k text, tries int DEFAULT 0, most int DEFAULT 2, output jsonb);
CREATE UNIQUE INDEX ON bjobs (name, k) WHERE state < 'active';
CREATE UNIQUE INDEX ON bjobs (name, k) WHERE state = 'active';
CREATE INDEX ON bjobs (name, id);
INSERT INTO bjobs (id, name, k) SELECT g, 'mail', 'k' || g FROM generate_series(1, 6) g;
PREPARE fetch (int) AS WITH next AS (SELECT id FROM bjobs WHERE name = 'mail' AND state < 'active' ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED) UPDATE bjobs j SET state = 'active', tries = tries + 1 FROM next WHERE j.id = next.id RETURNING j.id, j.state, j.tries;
PREPARE fail (int) AS WITH failed AS (UPDATE bjobs SET state = CASE WHEN tries < most THEN 'retry'::job_state ELSE 'completed'::job_state END, output = '{"no": 1}' WHERE id = $1 AND state = 'active' RETURNING *) SELECT count(*), min(state::text), min(output::text) FROM failed;
PREPARE done (int[]) AS WITH results AS (UPDATE bjobs SET state = 'completed' WHERE name = 'mail' AND id IN (SELECT unnest($1)) AND state = 'active' RETURNING id) SELECT count(*) FROM results;
EXECUTE fetch (1);
EXECUTE fetch (2);
EXECUTE fail (1);
EXECUTE fail (1);
EXECUTE fetch (1);
EXECUTE fail (1);
EXECUTE done ('{1,2,3,9}');
EXECUTE done ('{2,3}');
INSERT INTO bjobs (id, name, k) VALUES (7, 'mail', 'k1'), (8, 'mail', 'k2');
EXECUTE fetch (9);
INSERT INTO bjobs (id, name, k) VALUES (9, 'mail', 'k4'), (10, 'mail', 'k5');
EXECUTE fetch (1);
EXECUTE fetch (2);
BEGIN;
EXECUTE done ('{4}');
EXECUTE fetch (1);
EXECUTE fail (9);
SAVEPOINT s;
INSERT INTO bjobs (id, name, k) VALUES (11, 'mail', 'k4');
ROLLBACK TO s;
EXECUTE fetch (2);
COMMIT;
SELECT * FROM bjobs ORDER BY id;
WITH all_of_them AS (SELECT id FROM bjobs WHERE name = 'mail' AND id IN (1, 7)) UPDATE bjobs j SET state = 'created' FROM all_of_them WHERE j.id = all_of_them.id;
DROP TABLE bjobs; DROP TYPE job_state;
