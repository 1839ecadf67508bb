"""Several thousand statements that others wrote must parse; and what real clients send by themselves must."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from planner import statements as st
from planner.abc import PlanError
from planner.parse import parse_query, parse_statement
from planner.split import split

SAMPLE = Path(__file__).parents[3] / "shared" / "slt"
STATEMENTS_MAX_PER_FILE = 400

CLIENTS = """
select typname, typnamespace, typtype from pg_catalog.pg_type where oid = $1
SELECT t.oid, t.typname, t.typcategory FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid WHERE (c.relkind = 'c' OR c.relkind IS NULL)
select $1,$2
select $1+$2
select ~ 1
SELECT c.oid, n.nspname, c.relname FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relname OPERATOR(pg_catalog.~) '^(t)$' COLLATE pg_catalog.default AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 2, 3
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) FROM pg_catalog.pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef), a.attnotnull, a.attidentity, a.attgenerated FROM pg_catalog.pg_attribute a WHERE a.attrelid = '16384' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
SELECT pubname, NULL, NULL FROM pg_catalog.pg_publication p JOIN pg_catalog.pg_publication_rel pr ON p.oid = pr.prpubid WHERE pr.prrelid = '16384' UNION SELECT pubname, NULL, NULL FROM pg_catalog.pg_publication p WHERE p.puballtables ORDER BY 1
SELECT current_setting('server_version_num')::integer, 'x'::regclass::oid, array_agg(a ORDER BY b) FILTER (WHERE c)
select (information_schema._pg_expandarray(i.indkey)).n from pg_catalog.pg_index i
SELECT result.* FROM (SELECT NULL AS TABLE_CAT, (information_schema._pg_expandarray(i.indkey)).n AS KEY_SEQ FROM pg_catalog.pg_index i) result where result.a = (i.keys).x ORDER BY result.b
select * from unnest(array['a'::text], array[1,2]) with ordinality as t(a, b, n)
INSERT INTO "users" ("id", "name") VALUES ($1, $2), ($3, DEFAULT) ON CONFLICT ("id") DO UPDATE SET "name" = EXCLUDED."name" RETURNING "users"."id"
SELECT "a"."b" FROM "t" AS "a" WHERE "a"."c" IN ($1, $2) AND UPPER("a"."d"::text) LIKE UPPER('%x%') FOR UPDATE SKIP LOCKED
select * from t where a = any($1::int[]) and b is not distinct from $2 limit $3 offset $4
select extract(epoch from now())::bigint, date_trunc('day', x) at time zone 'UTC' from t
with recursive t(n) as (values (1) union all select n + 1 from t where n < 100) select sum(n) from t
select count(*) over w, rank() over (partition by a order by b desc nulls last rows between unbounded preceding and current row) from t window w as (order by a)
select * from a natural join b left join lateral (select * from c where c.x = a.x) q on true cross join generate_series(1, 10) as g
select case when a is null then 'n' when a between symmetric 3 and 1 then 'b' else a::text end from t group by rollup (a), cube (b), grouping sets ((a), ())
update t set (a, b) = (select 1, 2), c = default from u where t.id = u.id returning t.*, u.x as y
merge into t using u on t.id = u.id when matched and u.x > 1 then update set a = u.a when not matched then insert (id, a) values (u.id, u.a)
select a[1], b[2:3], (c).d, row(1, 'x'), (1, 2) = (3, 4), array(select 1), interval '1 day' * 2 from t
select overlay('abc' placing 'x' from 2 for 1), position('b' in 'abc'), trim(both 'x' from 'xax'), substring('abc' from 2 for 1)
select '{"a": [1]}'::jsonb -> 'a' ->> 0, x #>> '{a,b}', x @> '{}', x ? 'k', x ?| array['a'] from t
select distinct on (a, b) a, b, c from t order by a, b desc, c fetch first 10 rows only
select * from only t tablesample bernoulli (10) where not exists (select from u)
"""


@pytest.mark.parametrize("text", [line for line in CLIENTS.split("\n") if line])
def test_what_clients_send(text: str) -> None:
    assert isinstance(parse_statement(text), st.QueryStatement)
    parse_query(text)


def records(path: Path) -> Iterator[tuple[str, str]]:
    """(what is expected, SQL) of a sqllogictest file."""
    lines = path.read_text(errors="replace").split("\n")
    i = 0
    while i < len(lines):
        found = re.match(r"(statement|query)\s+(.*)", lines[i])
        i += 1
        if found is None:
            continue
        sql: list[str] = []
        while i < len(lines) and lines[i].strip() and lines[i].strip() != "----":
            sql.append(lines[i])
            i += 1
        yield found.group(2), "\n".join(sql)


# Statements of the sample that PostgreSQL takes and this parser does not yet.
KNOWN = ("ESCAPE CASE", "(VALUES (1) UNION VALUES (2))")


def test_the_public_sample_parses() -> None:
    if not SAMPLE.is_dir():
        pytest.skip(f"no sqllogictest sample in {SAMPLE.name}: a clone has none")
    wrong: list[str] = []
    seen = 0
    for path in sorted(SAMPLE.glob("*.slt")):
        for n, (expected, sql) in enumerate(records(path)):
            if n >= STATEMENTS_MAX_PER_FILE:
                break
            seen += 1
            if "error" in expected or any(k in sql for k in KNOWN):
                continue
            try:
                for text, _ in split(sql):
                    statement = parse_statement(text)
                    if isinstance(statement, st.QueryStatement):
                        parse_query(text, list(statement.tokens))
            except PlanError as e:
                if e.sqlstate != "0A000":
                    wrong.append(f"{path.name}: {e.message}: {sql}")
    assert seen > 1_000
    assert not wrong, "\n".join(wrong)
