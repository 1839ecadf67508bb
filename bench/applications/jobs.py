"""What queues of jobs in tables send: fetch free ones, say that one is alive, complete some; and documents that are written as rows.

A queue's table has 50,000 jobs, most of which are done.
"""

from __future__ import annotations

from bench.applications.ask import Ask, at, category, none, post, posts, user
from bench.applications.schema import CARTS, JOBS, ORDERS, POSTS, USERS

QUEUES = [
    Ask(
        "pg-boss fetch",
        "WITH next AS (SELECT id FROM jobs WHERE name = %s AND state < 'active' AND start_after < now() ORDER BY priority desc, created_on, id LIMIT %s FOR UPDATE SKIP LOCKED)"
        " UPDATE jobs j SET state = 'active', started_on = now(), retry_count = CASE WHEN started_on IS NOT NULL THEN retry_count + 1 ELSE retry_count END FROM next WHERE name = %s AND j.id = next.id RETURNING j.id, j.name, data, EXTRACT(epoch FROM expire_in) AS expire_in_seconds",
        lambda r: ("mail", 1, "mail"),
    ),
    Ask(
        "pg-boss complete",
        "WITH results AS (UPDATE jobs SET completed_on = now(), state = 'completed', output = %s::jsonb WHERE name = %s AND id IN (SELECT UNNEST(%s::bigint[])) AND state = 'active' RETURNING *) SELECT COUNT(*) FROM results",
        lambda r: ('{"a": 1}', "mail", [r.randint(1, JOBS)]),
    ),
    Ask(
        "pg-boss send",
        "INSERT INTO jobs (name, data, priority, start_after, singleton_key, expire_in) VALUES (%s, %s, %s, now() + CAST(%s as interval), %s, CAST(%s as interval)) ON CONFLICT DO NOTHING RETURNING id",
        lambda r: ("mail", '{"to": 1}', 0, "1 second", None, "15 minutes"),
    ),
    Ask(
        "oban fetch",
        'WITH "subset" AS MATERIALIZED (SELECT so0."id" AS "id" FROM "jobs" AS so0 WHERE (so0."state" = \'created\') AND (so0."name" = %s) AND (so0."retry_count" < 20) ORDER BY so0."priority", so0."start_after", so0."id" LIMIT %s FOR UPDATE SKIP LOCKED)'
        ' UPDATE "jobs" AS o0 SET "state" = %s, "started_on" = %s, "retry_count" = o0."retry_count" + %s FROM "subset" AS f1 WHERE (o0."id" = f1."id") RETURNING o0."id", o0."state", o0."name"',
        lambda r: ("mail", 1, "active", at(r), 1),
    ),
    Ask(
        "good_job fetch",
        'SELECT "jobs".* FROM "jobs" WHERE "jobs"."id" IN (WITH "rows" AS MATERIALIZED (SELECT "jobs"."id" FROM "jobs" WHERE "jobs"."name" = %s AND "jobs"."completed_on" IS NULL ORDER BY priority DESC NULLS LAST, "jobs"."created_on" ASC LIMIT %s) SELECT "rows"."id" FROM "rows" WHERE pg_try_advisory_lock("rows"."id") LIMIT 1) ORDER BY priority DESC NULLS LAST, "jobs"."created_on" ASC',
        lambda r: ("mail", 5),
    ),
    Ask(
        "solid_queue fetch",
        'SELECT "jobs"."id" FROM "jobs" WHERE "jobs"."name" = %s AND "jobs"."state" = \'created\' ORDER BY "jobs"."priority" ASC, "jobs"."id" ASC LIMIT %s FOR UPDATE SKIP LOCKED',
        lambda r: ("mail", 3),
    ),
    Ask(
        "delayed_job fetch",
        "UPDATE jobs SET started_on = %s, state = 'active' WHERE id IN (SELECT id FROM jobs WHERE ((start_after <= %s AND (started_on IS NULL OR started_on < %s)) AND state = 'created') ORDER BY priority ASC, start_after ASC LIMIT 1 FOR UPDATE) RETURNING *",
        lambda r: (at(r), at(r), at(r)),
    ),
    Ask(
        "laravel fetch",
        'select * from "jobs" where "name" = %s and (("started_on" is null and "start_after" <= %s) or ("started_on" <= %s)) order by "id" asc limit 1 FOR UPDATE SKIP LOCKED',
        lambda r: ("mail", at(r), at(r)),
    ),
    Ask(
        "graphile fetch",
        "with j as (select jobs.id from jobs where jobs.state = 'created' and start_after <= now() and name = any(%s::text[]) order by priority asc, start_after asc limit 1 for update skip locked) update jobs set retry_count = jobs.retry_count + 1, state = 'active', started_on = now() from j where jobs.id = j.id returning jobs.id, jobs.name, jobs.data, jobs.retry_count",
        lambda r: (["mail", "other"],),
    ),
    Ask(
        "river fetch",
        "WITH locked_jobs AS (SELECT * FROM jobs WHERE state = 'created' AND name = %s::text AND start_after <= coalesce(%s::timestamptz, now()) ORDER BY priority ASC, start_after ASC, id ASC LIMIT %s::integer FOR UPDATE SKIP LOCKED)"
        " UPDATE jobs SET state = 'active', retry_count = jobs.retry_count + 1, started_on = now() FROM locked_jobs WHERE jobs.id = locked_jobs.id RETURNING jobs.id, jobs.name, jobs.data",
        lambda r: ("mail", None, 2),
    ),
    Ask(
        "pgqueuer fetch",
        "WITH jobs_by_queue_log AS (SELECT j.id FROM (SELECT unnest(%s::text[]) AS name, unnest(%s::int[]) AS most) q CROSS JOIN LATERAL (SELECT id FROM jobs WHERE jobs.name = q.name AND state = 'created' ORDER BY priority DESC, id ASC LIMIT q.most FOR UPDATE SKIP LOCKED) j),"
        " updated AS (UPDATE jobs SET state = 'active', started_on = now() WHERE id = ANY (SELECT id FROM jobs_by_queue_log) RETURNING *) SELECT * FROM updated ORDER BY priority DESC, id ASC",
        lambda r: (["mail", "other"], [1, 1]),
    ),
    Ask(
        "heartbeat of some jobs",
        "UPDATE jobs SET started_on = now() WHERE id = ANY (%s) AND state = 'active'",
        lambda r: ([r.randint(1, JOBS) for _ in range(5)],),
    ),
    Ask(
        "counts by state",
        "SELECT name, state, count(*) FROM jobs WHERE name = %s AND completed_on IS NULL GROUP BY name, state",
        lambda r: ("mail",),
    ),
    Ask(
        "delete what is long done",
        "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE state = 'completed' AND completed_on < %s ORDER BY completed_on LIMIT 5)",
        lambda r: (at(r),),
    ),
]

DOCUMENTS = [
    Ask(
        "postgrest upsert",
        'WITH pgrst_source AS (INSERT INTO "public"."counters"("name", "n") SELECT pgrst_body."name", pgrst_body."n" FROM (SELECT %s::json AS json_data) pgrst_payload, LATERAL (SELECT CASE WHEN json_typeof(pgrst_payload.json_data) = \'array\' THEN pgrst_payload.json_data ELSE json_build_array(pgrst_payload.json_data) END AS val) pgrst_uniform_json,'
        ' LATERAL (SELECT "name", "n" FROM json_to_recordset(pgrst_uniform_json.val) AS _("name" text, "n" bigint)) pgrst_body ON CONFLICT("name") DO UPDATE SET "n" = EXCLUDED."n" RETURNING "public"."counters".*) SELECT pg_catalog.count(_postgrest_t) AS page_total, coalesce(json_agg(_postgrest_t), \'[]\') AS body FROM (SELECT * FROM pgrst_source) _postgrest_t',
        lambda r: (f'[{{"name": "page{r.randint(1, 100)}", "n": 5}}]',),
    ),
    Ask(
        "postgrest 12 insert",
        'WITH pgrst_source AS (INSERT INTO "public"."orders"("amount", "placed_at", "quantity", "status", "user_id") SELECT "pgrst_body"."amount", "pgrst_body"."placed_at", "pgrst_body"."quantity", "pgrst_body"."status", "pgrst_body"."user_id" FROM (SELECT %s AS json_data) pgrst_payload, LATERAL (SELECT "amount", "placed_at", "quantity", "status", "user_id" FROM json_to_record(pgrst_payload.json_data::json) AS _("amount" numeric(12,2), "placed_at" timestamp with time zone, "quantity" integer, "status" text, "user_id" bigint)) pgrst_body'
        " RETURNING \"public\".\"orders\".*) SELECT '' AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, array[]::text[] AS header, coalesce(json_agg(_postgrest_t)->0, 'null') AS body FROM (SELECT * FROM pgrst_source) _postgrest_t",
        lambda r: (
            f'{{"user_id": {r.randint(1, USERS)}, "status": "new", "amount": 12.5, "quantity": 2, "placed_at": "2025-01-01T00:00:00Z"}}',
        ),
    ),
    Ask(
        "postgrest 12 update",
        'WITH pgrst_source AS (UPDATE "public"."orders" SET "status" = "pgrst_body"."status" FROM (SELECT %s AS json_data) pgrst_payload, LATERAL (SELECT "status" FROM json_to_record(pgrst_payload.json_data::json) AS _("status" text)) pgrst_body WHERE "public"."orders"."id" = %s'
        " RETURNING \"public\".\"orders\".*) SELECT '' AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, array[]::text[] AS header, coalesce(json_agg(_postgrest_t), '[]') AS body FROM (SELECT * FROM pgrst_source) _postgrest_t",
        lambda r: ('{"status": "paid"}', r.randint(1, ORDERS)),
    ),
    Ask(
        "postgrest delete",
        'WITH pgrst_source AS (DELETE FROM "public"."post_tags" WHERE "public"."post_tags"."post_id" = %s AND "public"."post_tags"."tag_id" = %s RETURNING "public"."post_tags".*) SELECT \'\' AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, coalesce(json_agg(_postgrest_t), \'[]\') AS body FROM (SELECT * FROM pgrst_source) _postgrest_t',
        lambda r: (*post(r), r.randint(1, 500)),
    ),
    Ask(
        "rows of a document inserted",
        "INSERT INTO events (user_id, kind, payload) SELECT user_id, kind, payload FROM jsonb_to_recordset(%s::jsonb) AS x(user_id bigint, kind text, payload jsonb)",
        lambda r: (
            f'[{{"user_id": {r.randint(1, USERS)}, "kind": "view", "payload": {{"a": 1}}}}, {{"user_id": 7, "kind": "view"}}]',
        ),
    ),
    Ask(
        "rows of a document populate a table's",
        "INSERT INTO counters SELECT * FROM json_populate_recordset(null::counters, %s::json) ON CONFLICT (name) DO UPDATE SET n = excluded.n",
        lambda r: (f'[{{"name": "page{r.randint(1, 100)}", "n": 5}}]',),
    ),
    Ask(
        "rows updated from a document",
        "UPDATE orders SET quantity = x.quantity FROM jsonb_to_recordset(%s::jsonb) AS x(id bigint, quantity int) WHERE orders.id = x.id",
        lambda r: (
            f'[{{"id": {r.randint(1, ORDERS)}, "quantity": 2}}, {{"id": {r.randint(1, ORDERS)}, "quantity": 3}}]',
        ),
    ),
    Ask(
        "hasura insert",
        'WITH "orders__mutation_result_alias" AS (INSERT INTO "public"."orders" ("user_id", "status", "amount", "quantity", "placed_at") VALUES (%s, %s, %s, %s, %s) RETURNING *)'
        + ' SELECT json_build_object(\'affected_rows\', (SELECT COUNT(*) FROM "orders__mutation_result_alias"), \'returning\', (SELECT coalesce(json_agg("root"), \'[]\') AS "root" FROM (SELECT row_to_json((SELECT "_e" FROM (SELECT "_root.base"."id" AS "id") AS "_e")) AS "root" FROM (SELECT * FROM "orders__mutation_result_alias" WHERE (\'true\')) AS "_root.base") AS "_root"))',
        lambda r: (*user(r), "new", "12.50", 1, at(r)),
    ),
    Ask(
        "member of a document set",
        "UPDATE posts SET meta = jsonb_set(meta, '{lang}', to_jsonb(%s::text)) WHERE id = %s RETURNING meta",
        lambda r: ("en", *post(r)),
    ),
    Ask(
        "document merged",
        "UPDATE posts SET meta = meta || %s::jsonb WHERE id = %s",
        lambda r: ('{"seen": true}', *post(r)),
    ),
    Ask(
        "delete a cart, cascading",
        "DELETE FROM carts WHERE id = %s",
        lambda r: (r.randint(1, CARTS),),
    ),
    Ask(
        "delete carts of a user, cascading",
        "DELETE FROM carts WHERE user_id = %s RETURNING id",
        lambda r: (r.randint(1, CARTS),),
    ),
    Ask(
        "setval",
        "SELECT setval('jobs_id_seq', %s)",
        lambda r: (JOBS * 10 + r.randint(1, 1000),),
    ),
    Ask(
        "setval to the greatest",
        "SELECT setval('carts_id_seq', (SELECT max(id) FROM carts))",
        none,
    ),
    Ask(
        "averages of ratios",
        "SELECT sum(amount / quantity), avg(amount * quantity), round(sum(amount) / nullif(count(*), 0), 2) FROM orders WHERE user_id = %s",
        user,
    ),
    Ask(
        "price in a range",
        "SELECT id, amount FROM orders WHERE user_id = %s AND amount BETWEEN 9.99 AND 500.00",
        user,
        True,
    ),
    Ask(
        "list of mixed integers",
        "SELECT id, title FROM posts WHERE id IN (%s, %s, %s, %s)",
        lambda r: (r.randint(1, 100), 3_000_000_000, r.randint(1, POSTS), 70_000),
        True,
    ),
    Ask(
        "moving average of a user's orders",
        "SELECT id, avg(amount) OVER (ORDER BY placed_at ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM orders WHERE user_id = %s",
        user,
    ),
    Ask(
        "far page over joins, no index of the order",
        "SELECT o.id, o.amount, u.username FROM orders o JOIN users u ON u.id = o.user_id ORDER BY o.placed_at DESC LIMIT 20 OFFSET %s",
        lambda r: (20 * r.randint(200, 400),),
    ),
    Ask(
        "page of rows that have others",
        "SELECT u.id, u.username FROM users u WHERE EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.id AND o.status = 'new') ORDER BY u.id LIMIT 20 OFFSET %s",
        lambda r: (20 * r.randint(1, 10),),
    ),
    Ask(
        "page of rows that have others, late",
        "SELECT p.id, p.title FROM posts p WHERE p.category_id = %s AND EXISTS (SELECT 1 FROM post_tags t WHERE t.post_id = p.id AND t.tag_id = 17) ORDER BY p.published_at DESC LIMIT 20",
        category,
    ),
    Ask(
        "posts with all of some tags",
        "SELECT post_id FROM post_tags WHERE tag_id = ANY (%s) AND post_id = ANY (%s) GROUP BY post_id HAVING count(DISTINCT tag_id) = 2",
        lambda r: ([r.randint(1, 500) for _ in range(2)], *posts(50)(r)),
    ),
    Ask(
        "posts like this one",
        "SELECT b.post_id, count(*) AS n FROM post_tags a JOIN post_tags b ON b.tag_id = a.tag_id AND b.post_id <> a.post_id WHERE a.post_id = %s AND b.post_id BETWEEN a.post_id - 2000 AND a.post_id + 2000 GROUP BY b.post_id ORDER BY n DESC, b.post_id LIMIT 5",
        post,
    ),
]
