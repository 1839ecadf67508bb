"""What more mappers send, each in the form that it gives its statements: pages, counts, look-ups of many, writes that bring several rows.

Prisma, Drizzle and TypeORM (JavaScript), Entity Framework (C#), SQLAlchemy (Python), Ecto (Elixir), Laravel (PHP), and what Django and
Rails send beside the statements of `bench.applications.statements`.
"""

from __future__ import annotations

from datetime import timedelta
from random import Random

from bench.applications.ask import (
    BEGIN,
    Ask,
    Values,
    at,
    category,
    ids,
    none,
    post,
    posts,
    user,
)
from bench.applications.schema import COMMENTS, ORDERS, TAGS, USERS


def _order(r: Random) -> Values:
    return (r.randint(1, ORDERS),)


def _day(r: Random) -> Values:
    begin = at(r)
    return begin, begin + timedelta(days=1)


DJANGO_TOO = [
    Ask(
        "django decimals compared",
        'SELECT "orders"."id", "orders"."amount" FROM "orders" WHERE ("orders"."user_id" = %s AND "orders"."amount" > %s)',
        lambda r: (*user(r), r.randint(100, 5000) / 100),
        True,
    ),
    Ask(
        "django decimal set",
        'UPDATE "orders" SET "amount" = %s WHERE "orders"."id" = %s',
        lambda r: (r.randint(100, 5000) / 100, *_order(r)),
        True,
    ),
    Ask(
        "django save of all fields",
        'UPDATE "orders" SET "user_id" = %s, "status" = %s, "amount" = %s, "quantity" = %s, "placed_at" = %s WHERE "orders"."id" = %s',
        lambda r: (*user(r), "paid", r.randint(100, 5000) / 100, 2, at(r), *_order(r)),
        True,
    ),
    Ask(
        "django insert with a decimal",
        'INSERT INTO "orders" ("user_id", "status", "amount", "quantity", "placed_at") VALUES (%s, %s, %s, %s, %s) RETURNING "orders"."id"',
        lambda r: (*user(r), "new", r.randint(100, 5000) / 100, 2, at(r)),
        True,
    ),
    Ask(
        "django bulk_update",
        'UPDATE "posts" SET "views" = CASE '
        + " ".join(['WHEN ("posts"."id" = %s) THEN %s'] * 10)
        + ' ELSE NULL END::integer WHERE "posts"."id" IN ('
        + ", ".join(["%s"] * 10)
        + ")",
        lambda r: (lambda some: (*(v for i in some for v in (i, r.randint(1, 99))), *some))(ids(10)(r)),
        True,
    ),
    Ask(
        "django created on a date",
        'SELECT "orders"."id" FROM "orders" WHERE ("orders"."user_id" = %s AND ("orders"."placed_at" AT TIME ZONE %s)::date = %s)',
        lambda r: (*user(r), "UTC", at(r).date()),
        True,
    ),
    Ask(
        "django created in a year",
        'SELECT COUNT(*) AS "__count" FROM "orders" WHERE ("orders"."placed_at" BETWEEN %s AND %s AND "orders"."user_id" = %s)',
        lambda r: (BEGIN, BEGIN + timedelta(days=366), *user(r)),
        True,
    ),
    Ask(
        "django values of a status counted",
        'SELECT "orders"."status", COUNT("orders"."id") AS "n", SUM("orders"."amount") AS "s" FROM "orders" WHERE "orders"."user_id" = %s GROUP BY "orders"."status" ORDER BY 2 DESC',
        user,
        True,
    ),
    Ask(
        "django trunc repeated in group by",
        'SELECT DATE_TRUNC(%s, "orders"."placed_at" AT TIME ZONE %s) AS "m", COUNT(*) AS "n" FROM "orders" WHERE "orders"."user_id" = %s GROUP BY DATE_TRUNC(%s, "orders"."placed_at" AT TIME ZONE %s) ORDER BY "m" ASC',
        lambda r: ("month", "UTC", *user(r), "month", "UTC"),
        True,
    ),
    Ask(
        "django days of a range",
        'SELECT (DATE_TRUNC(%s, "orders"."placed_at" AT TIME ZONE %s))::date AS "d", COUNT("orders"."id") AS "n" FROM "orders" WHERE "orders"."placed_at" >= %s AND "orders"."placed_at" < %s GROUP BY 1 ORDER BY 1 ASC',
        lambda r: ("day", "UTC", *(lambda d: (d[0], d[0] + timedelta(days=7)))(_day(r))),
        True,
    ),
    Ask(
        "django conditional aggregates",
        'SELECT COUNT("orders"."id") FILTER (WHERE "orders"."status" = %s) AS "a", SUM(CASE WHEN "orders"."status" = %s THEN "orders"."amount" ELSE NULL END) AS "b", COALESCE(SUM("orders"."amount"), %s) AS "c" FROM "orders" WHERE "orders"."user_id" = %s',
        lambda r: ("new", "paid", 0, *user(r)),
        True,
    ),
    Ask(
        "django expression of decimals",
        'SELECT SUM(("orders"."amount" * "orders"."quantity")) AS "total", AVG("orders"."amount") AS "mean" FROM "orders" WHERE "orders"."user_id" = %s',
        user,
        True,
    ),
    Ask(
        "django exists annotation",
        'SELECT "posts"."id", "posts"."title", EXISTS(SELECT 1 AS "a" FROM "comments" U0 WHERE (U0."post_id" = ("posts"."id") AND U0."author_id" = %s) LIMIT 1) AS "mine" FROM "posts" WHERE "posts"."category_id" = %s ORDER BY "posts"."published_at" DESC LIMIT 20',
        lambda r: (*user(r), *category(r)),
        True,
    ),
    Ask(
        "django m2m filter",
        'SELECT DISTINCT "posts"."id", "posts"."title" FROM "posts" INNER JOIN "post_tags" ON ("posts"."id" = "post_tags"."post_id") INNER JOIN "tags" ON ("post_tags"."tag_id" = "tags"."id") WHERE ("tags"."name" = %s AND "posts"."status" = %s) ORDER BY "posts"."id" DESC LIMIT 20',
        lambda r: (f"tag{r.randint(1, TAGS)}", "published"),
        True,
    ),
    Ask(
        "django m2m set: add",
        'INSERT INTO "post_tags" ("post_id", "tag_id") VALUES (%s, %s), (%s, %s) ON CONFLICT DO NOTHING',
        lambda r: (lambda p: (p, r.randint(1, TAGS), p, r.randint(1, TAGS)))(post(r)[0]),
        True,
    ),
    Ask(
        "django m2m set: remove",
        'DELETE FROM "post_tags" WHERE ("post_tags"."post_id" = %s AND "post_tags"."tag_id" IN (%s, %s))',
        lambda r: (*post(r), r.randint(1, TAGS), r.randint(1, TAGS)),
        True,
    ),
    Ask(
        "django delete by a list",
        'DELETE FROM "events" WHERE "events"."id" IN (%s, %s, %s)',
        lambda r: tuple(f"{r.getrandbits(128):032x}" for _ in range(3)),
        True,
    ),
    Ask(
        "django json key",
        'SELECT "posts"."id" FROM "posts" WHERE ("posts"."author_id" = %s AND ("posts"."meta" -> %s) = %s::jsonb)',
        lambda r: (*user(r), "lang", '"de"'),
        True,
    ),
    Ask(
        "django arrays overlap",
        'SELECT "posts"."id" FROM "posts" WHERE ("posts"."author_id" = %s AND "posts"."labels" && %s::text[])',
        lambda r: (*user(r), [f"l{r.randint(0, 49)}", "l3"]),
        True,
    ),
    Ask(
        "django window",
        'SELECT "orders"."id", ROW_NUMBER() OVER (PARTITION BY "orders"."status" ORDER BY "orders"."placed_at" DESC) AS "rn", SUM("orders"."amount") OVER (PARTITION BY "orders"."status") AS "s" FROM "orders" WHERE "orders"."user_id" = %s',
        user,
        True,
    ),
    Ask(
        "django get_or_create's insert",
        'INSERT INTO "counters" ("name", "n") VALUES (%s, %s) ON CONFLICT DO NOTHING',
        lambda r: (f"page{r.randint(1, 100)}", 0),
        True,
    ),
    Ask(
        "django cast to decimals",
        'SELECT "orders"."id", ("orders"."amount")::numeric(12, 1) AS "a", ("orders"."quantity")::double precision AS "q" FROM "orders" WHERE "orders"."user_id" = %s',
        user,
        True,
    ),
    Ask(
        "django random of few",
        'SELECT "posts"."id" FROM "posts" WHERE "posts"."author_id" = %s ORDER BY RANDOM() ASC LIMIT 3',
        user,
        True,
    ),
    Ask(
        "django concat and lower",
        'SELECT "users"."id", CONCAT("users"."first_name", CONCAT(%s, "users"."last_name")) AS "full", LENGTH("users"."email") AS "l" FROM "users" WHERE "users"."last_name" = %s ORDER BY LOWER("users"."username") ASC',
        lambda r: (" ", f"Last{r.randint(1, 4098)}"),
        True,
    ),
    Ask(
        "django union of querysets",
        '(SELECT "posts"."id" AS "col1", "posts"."title" AS "col2" FROM "posts" WHERE "posts"."author_id" = %s) UNION (SELECT "comments"."id" AS "col1", "comments"."body" AS "col2" FROM "comments" WHERE "comments"."author_id" = %s) ORDER BY (1) ASC LIMIT 10',
        lambda r: user(r) * 2,
        True,
    ),
]

RAILS_TOO = [
    Ask(
        "rails find_each",
        'SELECT "orders".* FROM "orders" WHERE "orders"."id" > %s ORDER BY "orders"."id" ASC LIMIT %s',
        lambda r: (*_order(r), 100),
    ),
    Ask(
        "rails exists?",
        'SELECT 1 AS one FROM "users" WHERE LOWER("users"."email") = LOWER(%s) AND "users"."id" != %s LIMIT %s',
        lambda r: (f"User{r.randint(1, USERS)}@example.com", 1, 1),
    ),
    Ask(
        "rails update_all of a limited list",
        'UPDATE "orders" SET "status" = %s WHERE "orders"."id" IN (SELECT "orders"."id" FROM "orders" WHERE "orders"."user_id" = %s ORDER BY "orders"."id" ASC LIMIT %s)',
        lambda r: ("sent", *user(r), 2),
    ),
    Ask(
        "rails delete_all of joined rows",
        'DELETE FROM "comments" WHERE "comments"."id" IN (SELECT "comments"."id" FROM "comments" INNER JOIN "posts" ON "posts"."id" = "comments"."post_id" WHERE "posts"."author_id" = %s AND "comments"."likes" > %s)',
        lambda r: (*user(r), 98),
    ),
    Ask(
        "rails insert_all",
        'INSERT INTO "events" ("user_id","kind","payload") VALUES '
        + ", ".join(["(%s, %s, %s)"] * 10)
        + ' ON CONFLICT DO NOTHING RETURNING "id"',
        lambda r: tuple(v for _ in range(10) for v in (*user(r), "view", '{"a": 1}')),
    ),
    Ask(
        "rails group by day",
        'SELECT COUNT(*) AS count_all, DATE_TRUNC(\'day\', "orders"."placed_at"::timestamptz AT TIME ZONE \'Etc/UTC\')::date AS date_trunc FROM "orders" WHERE ("orders"."placed_at" >= %s AND "orders"."placed_at" < %s) GROUP BY DATE_TRUNC(\'day\', "orders"."placed_at"::timestamptz AT TIME ZONE \'Etc/UTC\')::date',
        _day,
    ),
    Ask(
        "rails group count of many, all",
        'SELECT COUNT(*) AS "count_all", "orders"."status" AS "orders_status" FROM "orders" GROUP BY "orders"."status"',
        none,
    ),
    Ask("rails maximum", 'SELECT MAX("orders"."placed_at") FROM "orders"', none),
    Ask(
        "rails where.missing, page",
        'SELECT "users".* FROM "users" LEFT OUTER JOIN "orders" ON "orders"."user_id" = "users"."id" WHERE "orders"."id" IS NULL ORDER BY "users"."id" ASC LIMIT %s',
        lambda r: (20,),
    ),
    Ask(
        "rails or of scopes",
        'SELECT "orders".* FROM "orders" WHERE ("orders"."user_id" = %s OR "orders"."id" = %s) AND "orders"."status" = %s ORDER BY "orders"."placed_at" DESC LIMIT %s',
        lambda r: (*user(r), *_order(r), "paid", 10),
    ),
    Ask(
        "rails eager_load of a page",
        'SELECT DISTINCT "posts"."created_at" AS alias_0, "posts"."id" FROM "posts" LEFT OUTER JOIN "comments" ON "comments"."post_id" = "posts"."id" WHERE "posts"."author_id" = %s ORDER BY "posts"."created_at" DESC LIMIT %s',
        lambda r: (*user(r), 10),
    ),
    Ask(
        "rails pluck of dates between",
        'SELECT "orders"."id", "orders"."placed_at" FROM "orders" WHERE "orders"."placed_at" BETWEEN %s AND %s AND "orders"."status" = %s',
        lambda r: (lambda d: (d[0], d[0] + timedelta(hours=6), "new"))(_day(r)),
    ),
    Ask(
        "rails having",
        'SELECT "comments"."post_id", COUNT(*) AS n FROM "comments" WHERE "comments"."author_id" = %s GROUP BY "comments"."post_id" HAVING (COUNT(*) > %s)',
        lambda r: (*user(r), 0),
    ),
    Ask(
        "rails upsert of one, returning",
        'INSERT INTO "follows" ("follower_id","followed_id","created_at") VALUES (%s, %s, %s) ON CONFLICT ("follower_id","followed_id") DO UPDATE SET "created_at"=excluded."created_at" RETURNING "follower_id"',
        lambda r: (*user(r), *user(r), at(r)),
    ),
]

PRISMA = [
    Ask(
        "prisma findUnique",
        'SELECT "public"."users"."id", "public"."users"."email" FROM "public"."users" WHERE ("public"."users"."email" = %s AND 1=1) LIMIT %s OFFSET %s',
        lambda r: (f"user{r.randint(1, USERS)}@example.com", 1, 0),
    ),
    Ask(
        "prisma relation joins",
        'SELECT "t0"."id", "t0"."title", "Post_comments"."__prisma_data__" AS "comments" FROM "public"."posts" AS "t0" LEFT JOIN LATERAL (SELECT COALESCE(JSONB_AGG("__prisma_data__"), \'[]\') AS "__prisma_data__" FROM (SELECT "t3"."__prisma_data__" FROM'
        ' (SELECT JSONB_BUILD_OBJECT(\'id\', "t2"."id", \'body\', "t2"."body") AS "__prisma_data__" FROM (SELECT "t1".* FROM "public"."comments" AS "t1" WHERE "t0"."id" = "t1"."post_id" /* root select */) AS "t2" /* inner select */) AS "t3" /* middle select */) AS "t4" /* outer select */) AS "Post_comments" ON true'
        ' WHERE "t0"."author_id" = %s ORDER BY "t0"."id" ASC LIMIT %s',
        lambda r: (*user(r), 10),
    ),
    Ask(
        "prisma updateMany",
        'UPDATE "public"."orders" SET "status" = %s WHERE ("public"."orders"."user_id" = %s AND "public"."orders"."status" IN (%s,%s))',
        lambda r: ("paid", *user(r), "new", "paid"),
    ),
    Ask(
        "prisma update returning",
        'UPDATE "public"."orders" SET "quantity" = ("public"."orders"."quantity" + %s) WHERE ("public"."orders"."id" = %s AND 1=1) RETURNING "public"."orders"."id", "public"."orders"."status", "public"."orders"."amount"',
        lambda r: (0, *_order(r)),
    ),
    Ask(
        "prisma count of a filter",
        'SELECT COUNT(*) AS "_count$_all" FROM (SELECT "public"."orders"."id" FROM "public"."orders" WHERE "public"."orders"."user_id" = %s OFFSET %s) AS "sub"',
        lambda r: (*user(r), 0),
    ),
    Ask(
        "prisma groupBy",
        'SELECT COUNT(*) AS "_count$_all", SUM("public"."orders"."amount") AS "_sum$amount", "public"."orders"."status" FROM "public"."orders" WHERE "public"."orders"."user_id" = %s GROUP BY "public"."orders"."status" ORDER BY "public"."orders"."status" ASC OFFSET %s',
        lambda r: (*user(r), 0),
    ),
    Ask(
        "prisma none of a relation",
        'SELECT "public"."users"."id", "public"."users"."username" FROM "public"."users" LEFT JOIN (SELECT "public"."orders"."user_id" AS "g" FROM "public"."orders" WHERE 1=1 GROUP BY "public"."orders"."user_id") AS "j" ON "j"."g" = "public"."users"."id" WHERE "j"."g" IS NULL AND "public"."users"."last_name" = %s',
        lambda r: (f"Last{r.randint(1, 4098)}",),
    ),
    Ask(
        "prisma not in a relation",
        'SELECT "public"."users"."id" FROM "public"."users" WHERE ("public"."users"."last_name" = %s AND ("public"."users"."id") NOT IN (SELECT "t1"."user_id" FROM "public"."orders" AS "t1" WHERE ("t1"."status" = %s AND "t1"."user_id" IS NOT NULL))) ORDER BY "public"."users"."id" ASC LIMIT %s OFFSET %s',
        lambda r: (f"Last{r.randint(1, 4098)}", "new", 10, 0),
    ),
    Ask(
        "drizzle relational query",
        'select "posts"."id", "posts"."title", "posts_author"."data" as "author", "posts_comments"."data" as "comments" from "posts" left join lateral (select json_build_array("posts_author"."id", "posts_author"."username") as "data" from (select * from "users" "posts_author" where "posts_author"."id" = "posts"."author_id" limit %s) "posts_author") "posts_author" on true'
        ' left join lateral (select coalesce(json_agg(json_build_array("posts_comments"."id", "posts_comments"."body")), \'[]\'::json) as "data" from "comments" "posts_comments" where "posts_comments"."post_id" = "posts"."id") "posts_comments" on true where "posts"."author_id" = %s limit %s',
        lambda r: (1, *user(r), 10),
    ),
    Ask(
        "typeorm page of joined rows",
        'SELECT DISTINCT "distinctAlias"."Post_id" AS "ids_Post_id", "distinctAlias"."Post_created_at" FROM (SELECT "Post"."id" AS "Post_id", "Post"."title" AS "Post_title", "Post"."created_at" AS "Post_created_at", "c"."id" AS "c_id" FROM "posts" "Post" LEFT JOIN "comments" "c" ON "c"."post_id"="Post"."id" WHERE "Post"."author_id" = %s) "distinctAlias" ORDER BY "distinctAlias"."Post_created_at" DESC, "Post_id" ASC LIMIT 10',
        user,
    ),
    Ask(
        "typeorm count of joined rows",
        'SELECT COUNT(DISTINCT("Post"."id")) AS "cnt" FROM "posts" "Post" LEFT JOIN "comments" "c" ON "c"."post_id"="Post"."id" WHERE "Post"."author_id" = %s',
        user,
    ),
    Ask(
        "sequelize findAndCountAll",
        'SELECT "Post".*, "comments"."id" AS "comments.id", "comments"."body" AS "comments.body" FROM (SELECT "Post"."id", "Post"."title" FROM "posts" AS "Post" WHERE "Post"."author_id" = %s ORDER BY "Post"."id" DESC LIMIT 10 OFFSET 0) AS "Post" LEFT OUTER JOIN "comments" AS "comments" ON "Post"."id" = "comments"."post_id" ORDER BY "Post"."id" DESC',
        user,
    ),
]

ENTITY_FRAMEWORK = [
    Ask(
        "ef include of a page",
        "SELECT p0.id, p0.title, c.id, c.body FROM (SELECT p.id, p.title, p.created_at FROM posts AS p WHERE p.author_id = %s ORDER BY p.created_at DESC LIMIT %s OFFSET %s) AS p0 LEFT JOIN comments AS c ON p0.id = c.post_id ORDER BY p0.created_at DESC, p0.id",
        lambda r: (*user(r), 10, 0),
    ),
    Ask(
        "ef any",
        "SELECT EXISTS (SELECT 1 FROM orders AS o WHERE o.user_id = %s AND o.status = 'new')",
        user,
    ),
    Ask(
        "ef count",
        "SELECT count(*)::int FROM orders AS o WHERE o.user_id = %s AND o.amount > 10.5",
        user,
    ),
    Ask(
        "ef contains",
        "SELECT o.id, o.status FROM orders AS o WHERE o.id = ANY (%s)",
        lambda r: ([r.randint(1, ORDERS) for _ in range(20)],),
    ),
    Ask(
        "ef execute update",
        "UPDATE orders AS o SET quantity = o.quantity + 1 WHERE o.user_id = %s AND o.status = 'new'",
        user,
    ),
    Ask(
        "ef batched update",
        "UPDATE orders SET status = %s WHERE id = %s AND quantity = %s RETURNING 1",
        lambda r: ("new", *_order(r), 3),
    ),
    Ask(
        "ef projection with counts",
        "SELECT u.id, u.username, (SELECT count(*)::int FROM orders AS o WHERE u.id = o.user_id), (SELECT COALESCE(sum(o0.amount), 0.0) FROM orders AS o0 WHERE u.id = o0.user_id) FROM users AS u WHERE u.last_name = %s",
        lambda r: (f"Last{r.randint(1, 4098)}",),
    ),
    Ask(
        "ef first or default of each",
        "SELECT u.id, t0.id, t0.amount FROM users AS u LEFT JOIN (SELECT t.id, t.amount, t.user_id FROM (SELECT o.id, o.amount, o.user_id, ROW_NUMBER() OVER(PARTITION BY o.user_id ORDER BY o.placed_at DESC) AS row FROM orders AS o) AS t WHERE t.row <= 1) AS t0 ON u.id = t0.user_id WHERE u.last_name = %s",
        lambda r: (f"Last{r.randint(1, 4098)}",),
    ),
    Ask(
        "ef group by of a month",
        "SELECT date_part('year', o.placed_at AT TIME ZONE 'UTC')::int AS y, date_part('month', o.placed_at AT TIME ZONE 'UTC')::int AS m, count(*)::int, sum(o.amount) FROM orders AS o WHERE o.user_id = %s GROUP BY date_part('year', o.placed_at AT TIME ZONE 'UTC')::int, date_part('month', o.placed_at AT TIME ZONE 'UTC')::int",
        user,
    ),
    Ask(
        "ef starts with",
        "SELECT u.id, u.username FROM users AS u WHERE u.last_name LIKE %s ESCAPE '' ORDER BY u.id LIMIT %s",
        lambda r: (f"Last{r.randint(100, 4098)}%", 10),
    ),
]

SQLALCHEMY = [
    Ask(
        "sqlalchemy selectin load",
        "SELECT comments.post_id AS comments_post_id, comments.id AS comments_id, comments.body AS comments_body FROM comments WHERE comments.post_id IN ("
        + ", ".join(["%s::BIGINT"] * 20)
        + ")",
        ids(20),
    ),
    Ask(
        "sqlalchemy joined load of a page",
        "SELECT anon_1.posts_id, anon_1.posts_title, users_1.id, users_1.username FROM (SELECT posts.id AS posts_id, posts.title AS posts_title, posts.author_id AS posts_author_id FROM posts WHERE posts.category_id = %s::INTEGER ORDER BY posts.published_at DESC LIMIT %s::INTEGER) AS anon_1 LEFT OUTER JOIN users AS users_1 ON users_1.id = anon_1.posts_author_id",
        lambda r: (*category(r), 20),
    ),
    Ask(
        "sqlalchemy insert of many, counted",
        "INSERT INTO orders (user_id, status, amount, quantity, placed_at) SELECT p0::BIGINT, p1::VARCHAR, p2::NUMERIC(12, 2), p3::INTEGER, p4::TIMESTAMP WITH TIME ZONE FROM (VALUES "
        + ", ".join(
            f"(%s::BIGINT, %s::VARCHAR, %s::NUMERIC(12, 2), %s::INTEGER, %s::TIMESTAMP WITH TIME ZONE, {i})"
            for i in range(10)
        )
        + ") AS imp_sen(p0, p1, p2, p3, p4, sen_counter) ORDER BY sen_counter RETURNING orders.id, orders.id AS id__1",
        lambda r: tuple(v for _ in range(10) for v in (*user(r), "new", "12.50", 1, at(r))),
    ),
    Ask(
        "sqlalchemy count of a select",
        "SELECT count(*) AS count_1 FROM (SELECT orders.id AS id, orders.status AS status FROM orders WHERE orders.user_id = %s::BIGINT) AS anon_1",
        user,
    ),
    Ask(
        "sqlalchemy executemany update",
        "UPDATE orders SET status=%s::VARCHAR, amount=%s::NUMERIC(12, 2) WHERE orders.id = %s::BIGINT",
        lambda r: ("paid", "12.50", *_order(r)),
    ),
    Ask(
        "sqlalchemy named CTE",
        "WITH recent AS (SELECT orders.id AS id, orders.user_id AS user_id, orders.amount AS amount FROM orders WHERE orders.user_id = %s ORDER BY orders.placed_at DESC LIMIT 5) SELECT recent.id, users.username, recent.amount FROM recent JOIN users ON users.id = recent.user_id",
        user,
    ),
    Ask(
        "sqlalchemy tuples in a list",
        "SELECT follows.follower_id, follows.followed_id FROM follows WHERE (follows.follower_id, follows.followed_id) IN ((%s, %s), (%s, %s), (%s, %s))",
        lambda r: tuple(v for _ in range(3) for v in (*user(r), *user(r))),
    ),
    Ask(
        "sqlalchemy upsert of many, returning",
        "INSERT INTO counters (name, n) VALUES (%s, %s), (%s, %s), (%s, %s) ON CONFLICT (name) DO UPDATE SET n = (counters.n + excluded.n) RETURNING counters.name, counters.n",
        lambda r: (lambda b: (f"page{b}", 1, f"page{b + 1}", 1, f"page{b + 2}", 1))(r.randint(1, 90)),
    ),
]

LARAVEL = [
    Ask(
        "laravel paginate: count",
        'select count(*) as aggregate from "orders" where "status" = %s and "placed_at" >= %s',
        lambda r: ("new", BEGIN + timedelta(minutes=3 * (ORDERS - 3000))),
    ),
    Ask(
        "laravel withCount",
        'select "users".*, (select count(*) from "orders" where "users"."id" = "orders"."user_id") as "orders_count", (select sum("orders"."amount") from "orders" where "users"."id" = "orders"."user_id") as "orders_sum_amount" from "users" where "is_active" = %s order by "id" desc limit 15 offset 0',
        lambda r: (True,),
    ),
    Ask(
        "laravel whereHas",
        'select * from "users" where exists (select * from "orders" where "users"."id" = "orders"."user_id" and "status" = %s and "amount" > %s) order by "id" asc limit 15 offset 30',
        lambda r: ("new", 890),
    ),
    Ask(
        "laravel belongsToMany",
        'select "tags".*, "post_tags"."post_id" as "pivot_post_id", "post_tags"."tag_id" as "pivot_tag_id" from "tags" inner join "post_tags" on "tags"."id" = "post_tags"."tag_id" where "post_tags"."post_id" in (%s, %s, %s)',
        ids(3),
    ),
    Ask(
        "laravel exists",
        'select exists(select * from "users" where "email" = %s) as "exists"',
        lambda r: (f"user{r.randint(1, USERS)}@example.com",),
    ),
    Ask(
        "laravel increment",
        'update "counters" set "n" = "n" + 1 where "name" = %s',
        lambda r: (f"page{r.randint(1, 100)}",),
    ),
    Ask(
        "laravel whereDate",
        'select * from "orders" where "user_id" = %s and "placed_at"::date >= %s and extract(month from "placed_at") = %s',
        lambda r: (*user(r), at(r).date(), 3),
    ),
    Ask(
        "laravel latestOfMany",
        'select "orders".* from "orders" inner join (select MAX("orders"."id") as "id_aggregate", "orders"."user_id" from "orders" where "orders"."user_id" in (%s, %s, %s) group by "orders"."user_id") as "latestOrder" on "latestOrder"."id_aggregate" = "orders"."id" and "latestOrder"."user_id" = "orders"."user_id"',
        lambda r: tuple(r.randint(1, USERS) for _ in range(3)),
    ),
    Ask(
        "ecto preload",
        'SELECT c0."id", c0."body", c0."post_id", c0."post_id" FROM "comments" AS c0 WHERE (c0."post_id" = ANY(%s)) ORDER BY c0."post_id"',
        posts(20),
    ),
    Ask(
        "ecto stale check",
        'UPDATE "orders" SET "status" = %s, "quantity" = %s WHERE "id" = %s AND "quantity" = %s',
        lambda r: ("new", 3, *_order(r), 2),
    ),
    Ask(
        "gorm first",
        'SELECT * FROM "orders" WHERE user_id = %s AND "orders"."status" <> %s ORDER BY "orders"."id" LIMIT 1',
        lambda r: (*user(r), "gone"),
    ),
    Ask(
        "gorm soft delete",
        'UPDATE "comments" SET "deleted_at"=%s WHERE "comments"."id" = %s AND "comments"."deleted_at" IS NULL',
        lambda r: (at(r), r.randint(1, COMMENTS)),
    ),
    Ask(
        "hibernate insert by sequence",
        "insert into orders (amount,placed_at,quantity,status,user_id,id) values (%s,%s,%s,%s,%s,nextval('orders_id_seq'))",
        lambda r: ("12.50", at(r), 1, "new", *user(r)),
    ),
    Ask(
        "hibernate delete by version",
        "delete from orders where id=%s and quantity=%s",
        lambda r: (ORDERS * 50 + r.randint(1, ORDERS), 1),
    ),
    Ask(
        "hibernate element collection",
        "select l1_0.post_id,l1_0.tag_id,t1_0.name from post_tags l1_0 join tags t1_0 on t1_0.id=l1_0.tag_id where l1_0.post_id = any(%s)",
        posts(10),
    ),
    Ask(
        "jooq multiset",
        "select p.id, (select coalesce(jsonb_agg(jsonb_build_array(t.v0, t.v1)), jsonb_build_array()) from (select c.id as v0, c.body as v1 from comments c where c.post_id = p.id) as t) from posts p where p.author_id = %s",
        user,
    ),
    Ask(
        "jooq merge",
        "merge into counters as c using (select %s::text as name, %s::bigint as n) as s on c.name = s.name when matched then update set n = c.n + s.n when not matched then insert (name, n) values (s.name, s.n)",
        lambda r: (f"page{r.randint(1, 100)}", 1),
    ),
]

_TOO = (DJANGO_TOO, RAILS_TOO, PRISMA, ENTITY_FRAMEWORK, SQLALCHEMY, LARAVEL)
MAPPERS = [ask for asks in _TOO for ask in asks]
