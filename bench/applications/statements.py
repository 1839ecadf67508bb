"""The statements, each with the values it is asked with: as ORMs and REST layers write them, and as people write them by hand."""

from __future__ import annotations

from datetime import timedelta

from bench.applications.ask import BEGIN, KEPT, Ask, at, category, ids, in_list, none, post, posts, user
from bench.applications.jobs import DOCUMENTS, QUEUES
from bench.applications.mappers import MAPPERS
from bench.applications.schema import ORDERS, POSTS, TAGS, USERS

_POST = ", ".join(
    f'"posts"."{c}"' for c in ("id", "author_id", "category_id", "title", "status", "views", "created_at")
)
_USER = ", ".join(
    f'"users"."{c}"' for c in ("id", "email", "username", "first_name", "last_name", "is_active")
)

DJANGO = [
    Ask("django get", f'SELECT {_USER} FROM "users" WHERE "users"."id" = %s LIMIT 21', user, True),
    Ask(
        "django get by email, ignoring case",
        f'SELECT {_USER} FROM "users" WHERE UPPER("users"."email"::text) = UPPER(%s) LIMIT 21',
        lambda r: (f"User{r.randint(1, USERS)}@example.com",),
        True,
    ),
    Ask(
        "django exists",
        'SELECT 1 AS "a" FROM "posts" WHERE ("posts"."author_id" = %s AND "posts"."status" = %s) LIMIT 1',
        lambda r: (*user(r), "draft"),
        True,
    ),
    Ask(
        "django count of a filter",
        'SELECT COUNT(*) AS "__count" FROM "posts" WHERE "posts"."author_id" = %s',
        user,
        True,
    ),
    Ask("django count of a table", 'SELECT COUNT(*) AS "__count" FROM "posts"', none, True),
    Ask(
        "django count of a status",
        'SELECT COUNT(*) AS "__count" FROM "posts" WHERE "posts"."status" = %s',
        lambda r: ("draft",),
        True,
    ),
    Ask(
        "django page, select_related",
        f'SELECT {_POST}, {_USER} FROM "posts" INNER JOIN "users" ON ("posts"."author_id" = "users"."id")'
        ' WHERE "posts"."status" = %s ORDER BY "posts"."published_at" DESC LIMIT 25 OFFSET %s',
        lambda r: ("published", 25 * r.randint(0, 20)),
        True,
    ),
    Ask(
        "django far page, select_related",
        f'SELECT {_POST}, {_USER} FROM "posts" INNER JOIN "users" ON ("posts"."author_id" = "users"."id")'
        ' WHERE "posts"."status" = %s ORDER BY "posts"."published_at" DESC LIMIT 25 OFFSET %s',
        lambda r: ("published", 5000 + 25 * r.randint(0, 20)),
        True,
    ),
    Ask(
        "django prefetch of 25",
        'SELECT "comments"."id", "comments"."post_id", "comments"."author_id", "comments"."body" FROM "comments" WHERE '
        + in_list('"comments"."post_id"', 25),
        ids(25),
        True,
    ),
    Ask(
        "django many to many prefetch",
        'SELECT ("post_tags"."post_id") AS "_prefetch_related_val_post_id", "tags"."id", "tags"."name" FROM "tags"'
        ' INNER JOIN "post_tags" ON ("tags"."id" = "post_tags"."tag_id") WHERE '
        + in_list('"post_tags"."post_id"', 25),
        ids(25),
        True,
    ),
    Ask(
        "django annotate a count",
        f'SELECT {_POST}, COUNT("comments"."id") AS "n" FROM "posts" LEFT OUTER JOIN "comments" ON ("posts"."id" = "comments"."post_id")'
        ' WHERE "posts"."author_id" = %s GROUP BY "posts"."id" ORDER BY "n" DESC LIMIT 10',
        user,
        True,
    ),
    Ask(
        "django subquery annotation",
        f'SELECT {_POST}, (SELECT U0."body" FROM "comments" U0 WHERE U0."post_id" = ("posts"."id") ORDER BY U0."created_at" DESC LIMIT 1) AS "newest"'
        ' FROM "posts" WHERE "posts"."author_id" = %s',
        user,
        True,
    ),
    Ask(
        "django exists subquery",
        f'SELECT {_USER} FROM "users" WHERE ("users"."is_active" AND EXISTS(SELECT 1 AS "a" FROM "posts" U0 WHERE (U0."author_id" = ("users"."id") AND U0."status" = %s) LIMIT 1))'
        ' ORDER BY "users"."id" LIMIT 20',
        lambda r: ("draft",),
        True,
    ),
    Ask(
        "django admin search",
        f'SELECT {_POST} FROM "posts" WHERE (UPPER("posts"."title"::text) LIKE UPPER(%s)) ORDER BY "posts"."id" DESC LIMIT 20',
        lambda r: (f"%about {r.randrange(16**4):04x}%",),
        True,
    ),
    Ask(
        "django icontains of a small part",
        f'SELECT {_USER} FROM "users" WHERE UPPER("users"."last_name"::text) LIKE UPPER(%s) ORDER BY "users"."last_name" ASC LIMIT 20',
        lambda r: (f"%last{r.randint(100, 999)}%",),
        True,
    ),
    Ask(
        "django date trunc per month",
        'SELECT DATE_TRUNC(%s, "orders"."placed_at" AT TIME ZONE %s) AS "m", SUM("orders"."amount") AS "s" FROM "orders" WHERE "orders"."user_id" = %s GROUP BY 1 ORDER BY 1 ASC',
        lambda r: ("month", "UTC", *user(r)),
        True,
    ),
    Ask(
        "django aggregate",
        'SELECT AVG("posts"."views") AS "a", MAX("posts"."views") AS "b", SUM("posts"."score") AS "c" FROM "posts" WHERE "posts"."author_id" = %s',
        user,
        True,
    ),
    Ask(
        "django F() update",
        'UPDATE "posts" SET "views" = ("posts"."views" + 1) WHERE "posts"."id" = %s',
        post,
        True,
    ),
    Ask(
        "django update of a queryset",
        'UPDATE "comments" SET "likes" = %s WHERE ("comments"."post_id" = %s AND "comments"."likes" > %s)',
        lambda r: (r.randint(0, 99), *post(r), 50),
        True,
    ),
    Ask(
        "django bulk_create",
        'INSERT INTO "follows" ("follower_id", "followed_id", "created_at") VALUES '
        + ", ".join(["(%s, %s, %s)"] * 5)
        + " ON CONFLICT DO NOTHING",
        lambda r: tuple(v for _ in range(5) for v in (*user(r), *user(r), at(r))),
        True,
    ),
    Ask(
        "django select for update",
        f'SELECT {_POST} FROM "posts" WHERE "posts"."id" = %s FOR UPDATE',
        post,
        True,
    ),
]

RAILS = [
    Ask(
        "rails find_by",
        'SELECT "users".* FROM "users" WHERE "users"."username" = %s LIMIT %s',
        lambda r: (f"user_{r.randint(1, USERS)}", 1),
    ),
    Ask(
        "rails soft deleted list",
        'SELECT "posts".* FROM "posts" WHERE "posts"."deleted_at" IS NULL AND "posts"."author_id" = %s ORDER BY "posts"."created_at" DESC LIMIT %s',
        lambda r: (*user(r), 10),
    ),
    Ask(
        "rails includes",
        'SELECT "users".* FROM "users" WHERE "users"."id" IN (' + ", ".join(["%s"] * 20) + ")",
        lambda r: tuple(r.randint(1, USERS) for _ in range(20)),
    ),
    Ask(
        "rails joins distinct",
        'SELECT DISTINCT "posts".* FROM "posts" INNER JOIN "post_tags" ON "post_tags"."post_id" = "posts"."id" INNER JOIN "tags" ON "tags"."id" = "post_tags"."tag_id"'
        ' WHERE "tags"."name" IN (%s, %s) AND "posts"."author_id" = %s',
        lambda r: (f"tag{r.randint(1, TAGS)}", f"tag{r.randint(1, TAGS)}", *user(r)),
    ),
    Ask(
        "rails kaminari page of a tag",
        'SELECT "posts".* FROM "posts" INNER JOIN "post_tags" ON "post_tags"."post_id" = "posts"."id" WHERE "post_tags"."tag_id" = %s ORDER BY "posts"."created_at" DESC LIMIT %s OFFSET %s',
        lambda r: (r.randint(1, TAGS), 25, 25),
    ),
    Ask(
        "rails count of a tag",
        'SELECT COUNT(*) FROM "posts" INNER JOIN "post_tags" ON "post_tags"."post_id" = "posts"."id" WHERE "post_tags"."tag_id" = %s',
        lambda r: (r.randint(1, TAGS),),
    ),
    Ask(
        "rails group count",
        'SELECT COUNT(*) AS "count_all", "comments"."post_id" AS "comments_post_id" FROM "comments" WHERE "comments"."post_id" = ANY (%s) GROUP BY "comments"."post_id"',
        posts(25),
    ),
    Ask(
        "rails count of a limited list",
        'SELECT COUNT(*) FROM (SELECT 1 AS one FROM "comments" WHERE "comments"."author_id" = %s LIMIT %s) subquery_for_count',
        lambda r: (*user(r), 100),
    ),
    Ask(
        "rails where not exists",
        'SELECT "posts".* FROM "posts" LEFT OUTER JOIN "comments" ON "comments"."post_id" = "posts"."id" WHERE "comments"."id" IS NULL AND "posts"."author_id" = %s',
        user,
    ),
    Ask(
        "rails insert",
        'INSERT INTO "comments" ("post_id", "author_id", "body", "created_at") VALUES (%s, %s, %s, %s) RETURNING "id"',
        lambda r: (*post(r), *user(r), "a new comment", at(r)),
    ),
    Ask(
        "rails counter cache",
        'UPDATE "users" SET "karma" = COALESCE("users"."karma", 0) + %s WHERE "users"."id" = %s',
        lambda r: (1, *user(r)),
    ),
    Ask(
        "rails touch of joined rows",
        'UPDATE "posts" SET "views" = "posts"."views" + 1 FROM "users" WHERE "users"."id" = "posts"."author_id" AND "users"."username" = %s',
        lambda r: (f"user_{r.randint(1, USERS)}",),
    ),
    Ask(
        "rails upsert_all",
        'INSERT INTO "counters" ("name", "n") VALUES (%s, %s), (%s, %s) ON CONFLICT ("name") DO UPDATE SET "n" = "counters"."n" + excluded."n" RETURNING "name", "n"',
        lambda r: (f"page{r.randint(1, 50)}", 1, f"page{r.randint(51, 100)}", 1),
    ),
    Ask(
        "rails ransack search",
        'SELECT "posts".* FROM "posts" INNER JOIN "users" ON "users"."id" = "posts"."author_id" WHERE ("users"."last_name" ILIKE %s OR "posts"."title" ILIKE %s) AND "posts"."category_id" = %s'
        ' ORDER BY "posts"."published_at" DESC LIMIT %s',
        lambda r: (f"%last{r.randint(100, 999)}%", f"%{r.randrange(16**3):03x}%", *category(r), 20),
    ),
]

HIBERNATE = [
    Ask(
        "hibernate four joins",
        "select p1_0.id, p1_0.title, a1_0.username, c1_0.name, k1_0.name from posts p1_0 join users a1_0 on a1_0.id=p1_0.author_id join categories c1_0 on c1_0.id=p1_0.category_id"
        " left join categories k1_0 on k1_0.id=c1_0.parent_id where p1_0.category_id=%s and p1_0.deleted_at is null order by p1_0.published_at desc fetch first %s rows only",
        lambda r: (*category(r), 20),
    ),
    Ask(
        "hibernate entity graph",
        "select p1_0.id, p1_0.title, c1_0.id, c1_0.body, u1_0.username from posts p1_0 left join comments c1_0 on p1_0.id=c1_0.post_id left join users u1_0 on u1_0.id=c1_0.author_id where p1_0.id=%s",
        post,
    ),
    Ask(
        "hibernate page by row_number",
        "select * from (select p.id, p.title, row_number() over (order by p.created_at desc) rn from posts p where p.author_id=%s) x where x.rn between %s and %s",
        lambda r: (*user(r), 1, 10),
    ),
    Ask(
        "hibernate dto",
        "select u.id, u.username, count(p.id), coalesce(sum(p.views), 0), max(p.created_at) from users u left join posts p on p.author_id=u.id where u.last_name=%s group by u.id, u.username",
        lambda r: (f"Last{r.randint(1, 4098)}",),
    ),
    Ask(
        "hibernate version check",
        "update posts set title=%s, views=%s where id=%s and views>=%s",
        lambda r: ("a new title", 3, *post(r), 0),
    ),
    Ask(
        "hibernate in subquery",
        "select u.id, u.username from users u where u.id in (select f.followed_id from follows f where f.follower_id=%s) and u.is_active order by u.username",
        user,
    ),
    Ask(
        "hibernate exists with or",
        "select p.id, p.title from posts p where p.author_id=%s and (p.status=%s or exists (select 1 from comments c where c.post_id=p.id and c.author_id=p.author_id)) order by p.id",
        lambda r: (*user(r), "draft"),
    ),
    Ask("hibernate sequence", "select nextval('orders_id_seq')", none),
    Ask(
        "hibernate optional filters",
        "select o.id, o.amount from orders o where o.user_id=%s and (%s::text is null or o.status=%s) and (%s::timestamptz is null or o.placed_at>=%s) order by o.placed_at desc limit 20",
        lambda r: (*user(r), None, None, None, None),
    ),
]

POSTGREST = [
    Ask(
        "postgrest list",
        "WITH pgrst_source AS (SELECT posts.id, posts.title, posts.views FROM posts WHERE posts.author_id = %s ORDER BY posts.created_at DESC LIMIT %s OFFSET %s)"
        " SELECT null::bigint AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body,"
        " nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status FROM (SELECT * FROM pgrst_source) _postgrest_t",
        lambda r: (*user(r), 10, 0),
    ),
    Ask(
        "postgrest embedding",
        "WITH pgrst_source AS (SELECT posts.id, posts.title, row_to_json(posts_author_1.*) AS author, COALESCE(posts_comments_1.posts_comments_1, '[]') AS comments FROM posts"
        " LEFT JOIN LATERAL (SELECT users_1.id, users_1.username FROM users AS users_1 WHERE users_1.id = posts.author_id) AS posts_author_1 ON TRUE"
        " LEFT JOIN LATERAL (SELECT json_agg(posts_comments_1) AS posts_comments_1 FROM (SELECT comments_1.id, comments_1.body FROM comments AS comments_1 WHERE comments_1.post_id = posts.id) AS posts_comments_1) AS posts_comments_1 ON TRUE"
        " WHERE posts.category_id = %s ORDER BY posts.published_at DESC LIMIT %s) SELECT pg_catalog.count(_postgrest_t) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body FROM (SELECT * FROM pgrst_source) _postgrest_t",
        lambda r: (*category(r), 10),
    ),
    Ask(
        "postgrest insert",
        "WITH pgrst_source AS (WITH pgrst_payload AS (SELECT %s::json AS json_data), pgrst_body AS (SELECT CASE WHEN json_typeof(json_data) = 'array' THEN json_data ELSE json_build_array(json_data) END AS val FROM pgrst_payload)"
        ' INSERT INTO "public"."orders"("user_id", "status", "amount", "quantity", "placed_at") SELECT pgrst_body."user_id", pgrst_body."status", pgrst_body."amount", pgrst_body."quantity", pgrst_body."placed_at"'
        ' FROM (SELECT "user_id", "status", "amount", "quantity", "placed_at" FROM json_to_recordset((SELECT val FROM pgrst_body)) AS _("user_id" bigint, "status" text, "amount" numeric, "quantity" int, "placed_at" timestamptz)) pgrst_body'
        " RETURNING \"public\".\"orders\".*) SELECT '' AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body FROM (SELECT * FROM pgrst_source) _postgrest_t",
        lambda r: (
            f'[{{"user_id": {r.randint(1, USERS)}, "status": "new", "amount": 12.5, "quantity": 2, "placed_at": "2025-01-01T00:00:00Z"}}]',
        ),
    ),
    Ask(
        "postgrest update",
        "WITH pgrst_source AS (WITH pgrst_payload AS (SELECT %s::json AS json_data), pgrst_body AS (SELECT CASE WHEN json_typeof(json_data) = 'array' THEN json_data ELSE json_build_array(json_data) END AS val FROM pgrst_payload)"
        ' UPDATE "public"."orders" SET "status" = pgrst_body."status" FROM (SELECT "status" FROM json_to_record((SELECT val->0 FROM pgrst_body)) AS _("status" text)) pgrst_body WHERE "public"."orders"."id" = %s'
        ' RETURNING "public"."orders"."id", "public"."orders"."status") SELECT pg_catalog.count(_postgrest_t) AS page_total, coalesce(json_agg(_postgrest_t), \'[]\') AS body FROM (SELECT * FROM pgrst_source) _postgrest_t',
        lambda r: ('{"status": "paid"}', r.randint(1, ORDERS)),
    ),
]

GRAPHQL = [
    Ask(
        "hasura list with author",
        'SELECT coalesce(json_agg("root" ORDER BY "root.pg.published_at" DESC NULLS FIRST), \'[]\') AS "root" FROM (SELECT row_to_json((SELECT "_e" FROM (SELECT "_root.base"."id" AS "id", "_root.base"."title" AS "title", "_root.or.author"."author" AS "author") AS "_e")) AS "root",'
        ' "_root.base"."published_at" AS "root.pg.published_at" FROM (SELECT * FROM "public"."posts" WHERE ("public"."posts"."category_id") = (%s) ORDER BY "published_at" DESC NULLS FIRST LIMIT 10) AS "_root.base"'
        ' LEFT OUTER JOIN LATERAL (SELECT row_to_json((SELECT "_e" FROM (SELECT "_root.or.author.base"."username" AS "username") AS "_e")) AS "author" FROM (SELECT * FROM "public"."users" WHERE ("_root.base"."author_id") = ("id") LIMIT 1) AS "_root.or.author.base") AS "_root.or.author" ON (\'true\')'
        ' ORDER BY "root.pg.published_at" DESC NULLS FIRST) AS "_root"',
        category,
    ),
    Ask(
        "hasura aggregate",
        'SELECT json_build_object(\'aggregate\', json_build_object(\'count\', COUNT(*), \'max\', json_build_object(\'views\', MAX("views")))) AS "root" FROM (SELECT * FROM "public"."posts" WHERE ("public"."posts"."author_id") = (%s)) AS "_root.base"',
        user,
    ),
    Ask(
        "prisma findMany",
        'SELECT "public"."posts"."id", "public"."posts"."title", "public"."posts"."author_id" FROM "public"."posts" WHERE ("public"."posts"."author_id" = %s AND "public"."posts"."title" ILIKE %s) ORDER BY "public"."posts"."id" ASC LIMIT %s OFFSET %s',
        lambda r: (*user(r), f"%{r.randrange(16):x}%", 10, 0),
    ),
    Ask(
        "prisma cursor",
        'SELECT "public"."posts"."id", "public"."posts"."title" FROM "public"."posts", (SELECT "public"."posts"."id" AS "posts_id_0" FROM "public"."posts" WHERE ("public"."posts"."id") = (%s)) AS "order_cmp" WHERE "public"."posts"."id" >= "order_cmp"."posts_id_0" ORDER BY "public"."posts"."id" ASC LIMIT %s OFFSET %s',
        lambda r: (*post(r), 10, 1),
    ),
    Ask(
        "prisma relation some",
        'SELECT "public"."users"."id", "public"."users"."username" FROM "public"."users" WHERE ("public"."users"."id") IN (SELECT "t1"."author_id" FROM "public"."posts" AS "t1" WHERE ("t1"."category_id" = %s AND "t1"."published_at" > %s AND "t1"."author_id" IS NOT NULL)) LIMIT %s OFFSET %s',
        lambda r: (*category(r), BEGIN + timedelta(minutes=POSTS - 2000), 20, 0),
    ),
    Ask(
        "prisma _count",
        'SELECT "public"."posts"."id", COALESCE("aggr_selection_0_comments"."_aggr_count_comments", 0) AS "_aggr_count_comments" FROM "public"."posts" LEFT JOIN (SELECT "public"."comments"."post_id", COUNT(*) AS "_aggr_count_comments" FROM "public"."comments" WHERE 1=1 GROUP BY "public"."comments"."post_id") AS "aggr_selection_0_comments"'
        ' ON ("public"."posts"."id" = "aggr_selection_0_comments"."post_id") WHERE "public"."posts"."author_id" = %s ORDER BY "public"."posts"."id" ASC OFFSET %s',
        lambda r: (*user(r), 0),
    ),
]

BY_HAND = [
    Ask(
        "keyset page",
        "SELECT id, title, created_at FROM posts WHERE (created_at, id) < (%s, %s) ORDER BY created_at DESC, id DESC LIMIT 20",
        lambda r: (at(r), *post(r)),
    ),
    Ask(
        "keyset page of joined rows",
        "SELECT c.id, c.body, u.username, p.title FROM comments c JOIN users u ON u.id = c.author_id JOIN posts p ON p.id = c.post_id WHERE c.created_at < %s AND c.deleted_at IS NULL ORDER BY c.created_at DESC LIMIT 20",
        lambda r: (at(r),),
    ),
    Ask(
        "latest per group, distinct on",
        "SELECT DISTINCT ON (c.post_id) c.post_id, c.id, c.body FROM comments c WHERE c.post_id = ANY (%s) ORDER BY c.post_id, c.created_at DESC",
        posts(20),
    ),
    Ask(
        "latest per group, lateral",
        "SELECT p.id, l.id, l.body FROM posts p LEFT JOIN LATERAL (SELECT c.id, c.body FROM comments c WHERE c.post_id = p.id ORDER BY c.created_at DESC LIMIT 3) l ON true WHERE p.author_id = %s",
        user,
    ),
    Ask(
        "latest per group, row_number",
        "SELECT * FROM (SELECT c.*, row_number() OVER (PARTITION BY c.post_id ORDER BY c.created_at DESC) AS rn FROM comments c WHERE c.post_id = ANY (%s)) x WHERE rn <= 3",
        posts(20),
    ),
    Ask(
        "feed of followed",
        "SELECT p.id, p.title, u.username FROM follows f JOIN posts p ON p.author_id = f.followed_id JOIN users u ON u.id = p.author_id WHERE f.follower_id = %s AND p.status = 'published' ORDER BY p.published_at DESC LIMIT 20",
        user,
    ),
    Ask(
        "page of a subquery, joined",
        "SELECT p.id, p.title, u.username FROM (SELECT * FROM posts WHERE category_id = %s ORDER BY published_at DESC LIMIT 20) p JOIN users u ON u.id = p.author_id ORDER BY p.published_at DESC",
        category,
    ),
    Ask(
        "limit around a subquery",
        "SELECT * FROM (SELECT p.id, p.title, p.created_at, u.username FROM posts p JOIN users u ON u.id = p.author_id) q ORDER BY q.created_at DESC LIMIT 20",
        none,
    ),
    Ask(
        "page with the total",
        "SELECT id, title, count(*) OVER () AS total FROM posts WHERE author_id = %s ORDER BY created_at DESC LIMIT 5",
        user,
    ),
    Ask(
        "json of a post with its comments",
        "SELECT json_build_object('id', p.id, 'title', p.title, 'comments', (SELECT coalesce(json_agg(json_build_object('id', c.id, 'body', c.body) ORDER BY c.id), '[]') FROM comments c WHERE c.post_id = p.id)) FROM posts p WHERE p.id = %s",
        post,
    ),
    Ask(
        "tags of a post, gathered",
        "SELECT p.id, array_agg(t.name ORDER BY t.name) FROM posts p JOIN post_tags pt ON pt.post_id = p.id JOIN tags t ON t.id = pt.tag_id WHERE p.id = ANY (%s) GROUP BY p.id",
        posts(10),
    ),
    Ask(
        "documents by a member",
        "SELECT id, meta->>'lang' FROM posts WHERE author_id = %s AND meta->>'lang' = 'de' AND (meta->>'words')::int > 100",
        user,
    ),
    Ask(
        "labels contain",
        "SELECT id, title FROM posts WHERE labels @> %s AND author_id = %s",
        lambda r: ([f"l{r.randint(0, 49)}"], *user(r)),
    ),
    Ask(
        "regular expression in a category",
        "SELECT id, title FROM posts WHERE category_id = %s AND published_at > %s AND title ~* %s ORDER BY published_at DESC",
        lambda r: (*category(r), BEGIN + timedelta(minutes=POSTS - 20000), f"about {r.randrange(16):x}"),
    ),
    Ask(
        "rollup of few rows",
        "SELECT status, category_id, count(*), sum(views) FROM posts WHERE author_id = %s GROUP BY ROLLUP (status, category_id) ORDER BY 1, 2",
        user,
    ),
    Ask(
        "orders summed by day",
        "SELECT placed_at::date AS d, count(*), sum(amount), sum(amount / quantity) FROM orders WHERE placed_at >= %s AND placed_at < %s GROUP BY 1 ORDER BY 1",
        lambda r: (lambda t: (t, t + timedelta(days=2)))(at(r)),
    ),
    Ask(
        "orders filtered sums",
        "SELECT count(*) FILTER (WHERE status = 'new'), sum(amount) FILTER (WHERE status = 'paid'), avg(amount)::numeric(10,2) FROM orders WHERE user_id = %s",
        user,
    ),
    Ask(
        "running total",
        "SELECT id, amount, sum(amount) OVER (ORDER BY placed_at, id) FROM orders WHERE user_id = %s",
        user,
    ),
    Ask(
        "union of activity",
        "SELECT 'post' AS kind, id, created_at FROM posts WHERE author_id = %s UNION ALL SELECT 'comment', id, created_at FROM comments WHERE author_id = %s ORDER BY created_at DESC LIMIT 20",
        lambda r: user(r) * 2,
    ),
    Ask(
        "category tree",
        "WITH RECURSIVE t AS (SELECT id, parent_id, name, 1 AS depth FROM categories WHERE id = %s UNION ALL SELECT c.id, c.parent_id, c.name, t.depth + 1 FROM categories c JOIN t ON c.parent_id = t.id) SELECT * FROM t ORDER BY depth, id",
        lambda r: (r.randint(1, 8),),
    ),
    Ask(
        "bulk insert by unnest",
        "INSERT INTO events (user_id, kind, payload) SELECT * FROM unnest(%s::bigint[], %s::text[], %s::jsonb[])",
        lambda r: ([r.randint(1, USERS) for _ in range(20)], ["view"] * 20, ['{"a": 1}'] * 20),
    ),
    Ask(
        "bulk update by unnest",
        "UPDATE posts SET views = posts.views + v.n FROM unnest(%s::bigint[], %s::int[]) AS v(id, n) WHERE posts.id = v.id",
        lambda r: ([*{r.randint(1, POSTS) for _ in range(20)}], [1] * 20),
    ),
    Ask(
        "delete of a comment",
        "DELETE FROM comments WHERE id = %s AND author_id = %s",
        lambda r: (r.randint(1, 2_000_000), *user(r)),
    ),
    Ask(
        "delete a post, cascading",
        "DELETE FROM posts WHERE id = %s",
        lambda r: (r.randint(KEPT + 1, POSTS),),
    ),
    Ask(
        "insert with sub-select",
        "INSERT INTO orders (user_id, status, amount, quantity, placed_at) SELECT u.id, 'new', 9.99, 1, now() FROM users u WHERE u.username = %s RETURNING id",
        lambda r: (f"user_{r.randint(1, USERS)}",),
    ),
    Ask(
        "mutual follows",
        "SELECT u.id, u.username FROM follows a JOIN follows b ON b.follower_id = a.followed_id AND b.followed_id = a.follower_id JOIN users u ON u.id = a.followed_id WHERE a.follower_id = %s",
        user,
    ),
    Ask(
        "newest comments of a day per post",
        "SELECT post_id, count(*) AS n, max(created_at) FROM comments WHERE created_at >= %s AND created_at < %s GROUP BY post_id ORDER BY n DESC, post_id LIMIT 10",
        lambda r: (lambda t: (t, t + timedelta(hours=2)))(at(r)),
    ),
    Ask(
        "numeric literals",
        "SELECT id, amount * 1.19 AS gross FROM orders WHERE user_id = %s AND amount > 10.5",
        user,
        True,
    ),
]

STATEMENTS = [*DJANGO, *RAILS, *HIBERNATE, *POSTGREST, *GRAPHQL, *BY_HAND, *MAPPERS, *QUEUES, *DOCUMENTS]
