"""Queries by grammar: joins, subqueries, grouping sets, window frames, over expressions of `expressions`.

Whatever they are, their rows come in an order that all of their columns decide.
"""

from __future__ import annotations

from hypothesis import strategies as st

from tests.differential.expressions import aggregates, expression

OTHER = "(SELECT k AS k2, i AS i2, j AS j2, n AS n2, t AS t2, p AS p2, d AS d2 FROM x WHERE {}) AS y"
EQUAL = ("i = i2", "k = k2", "k = j2", "t = t2", "n = n2", "d = d2", "p = p2", "i = i2 AND t = t2", "b = n2")
OTHERWISE = (
    "k < k2",
    "i <> i2",
    "i = i2 OR k2 = 3",
    "k2 = ANY (ARRAY[k, j])",
    "i IS NOT DISTINCT FROM i2",
    "true",
)
KEYS = ("i", "t", "p", "d", "b", "u", "i % 2", "lower(t)", "m", "f")
FRAMES = (
    "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    "ROWS UNBOUNDED PRECEDING",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING",
    "RANGE BETWEEN 1 PRECEDING AND 2 FOLLOWING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW",
    "RANGE BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE TIES",
)
kinds = st.sampled_from(("int4", "int8", "numeric", "text", "bool", "date", "timestamp", "float8"))
values = kinds.flatmap(lambda k: expression(k, 1))
condition = expression("bool", 1)


def _made(template: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map(lambda p: template.format(*p))


def joins() -> st.SearchStrategy[str]:
    word = st.sampled_from(("JOIN", "LEFT JOIN", "RIGHT JOIN"))
    on = st.one_of(
        st.sampled_from(EQUAL),
        st.sampled_from(OTHERWISE),
        _made("{} AND {}", st.sampled_from(EQUAL), condition),
    )
    other = condition.map(OTHER.format)
    return st.one_of(
        _made("SELECT k, k2, {} AS v FROM x {} {} ON {} ORDER BY 1, 2, 3", values, word, other, on),
        _made("SELECT k, k2, {} AS v FROM x FULL JOIN {} ON {} ORDER BY 1, 2, 3", values, other, st.sampled_from(EQUAL)),
        _made("SELECT k, k2 FROM x CROSS JOIN {} WHERE {} ORDER BY 1, 2", other, on),
        _made("SELECT k, i, {} AS v FROM x LEFT JOIN (SELECT k, j AS w FROM x WHERE {}) AS y USING (k) ORDER BY 1, 2, 3", values, condition),
        _made("SELECT count(*), count(k2), {} AS v FROM x {} {} ON {}", aggregates(0), word, other, on),
    )  # fmt: skip


def subqueries() -> st.SearchStrategy[str]:
    same = st.sampled_from(
        ("x.i = o.i", "x.k < o.k", "x.t = o.t", "x.k = o.j", "x.p IS NOT DISTINCT FROM o.q", "x.n >= o.m")
    )
    test = st.one_of(
        _made("o.i {} (SELECT {} FROM x WHERE {})", st.sampled_from(("IN", "NOT IN", "= ANY", "<> ALL", "< ANY", ">= ALL")), expression("int4", 1), condition),
        _made("o.n {} (SELECT {} FROM x WHERE {})", st.sampled_from(("IN", "NOT IN", "> ANY", "<= ALL")), expression("numeric", 1), same),
        _made("{} (SELECT 1 FROM x WHERE {} AND {})", st.sampled_from(("EXISTS", "NOT EXISTS")), same, condition),
        _made("(o.i, o.t) {} (SELECT i, {} FROM x)", st.sampled_from(("IN", "NOT IN")), expression("text", 1)),
        _made("o.k = (SELECT max(k) FROM x WHERE {} AND {})", same, condition),
    )  # fmt: skip
    return st.one_of(
        test.map(lambda c: f"SELECT o.k FROM x AS o WHERE {c} ORDER BY 1"),
        test.map(lambda c: f"SELECT o.k, {c} AS v FROM x AS o ORDER BY 1, 2"),
        _made("SELECT o.k, (SELECT {} FROM x WHERE {}) AS v FROM x AS o ORDER BY 1, 2", aggregates(1), same),
        _made("SELECT o.k, l.v FROM x AS o, LATERAL (SELECT {} AS v FROM x WHERE {} ORDER BY x.k DESC LIMIT 2) AS l ORDER BY 1, 2", values, same),
        _made("SELECT o.k, l.v FROM x AS o LEFT JOIN LATERAL (SELECT {} AS v FROM x WHERE {}) AS l ON true ORDER BY 1, 2", aggregates(0), same),
        _made("SELECT v, count(*), min(k) FROM (SELECT k, {} AS v FROM x WHERE {}) AS s GROUP BY v ORDER BY 1, 2, 3", values, condition),
    )  # fmt: skip


def common() -> st.SearchStrategy[str]:
    return st.one_of(
        _made("WITH c AS (SELECT k, {} AS v FROM x) SELECT a.k, b.k FROM c AS a JOIN c AS b ON a.v = b.v ORDER BY 1, 2", values),
        _made("WITH c AS MATERIALIZED (SELECT k, {} AS v FROM x WHERE {}) SELECT v, k FROM c UNION ALL SELECT v, k FROM c WHERE k > 2 ORDER BY 1, 2", values, condition),
        _made("WITH RECURSIVE c(n, v) AS (SELECT 1, {} FROM x WHERE k < 3 UNION ALL SELECT n + 1, v FROM c WHERE n < 3) SELECT * FROM c ORDER BY 1, 2", expression("numeric", 1)),
        _made("WITH RECURSIVE c(v) AS (SELECT {} FROM x UNION SELECT v / 2 FROM c WHERE v > 0) SELECT * FROM c ORDER BY 1", expression("int4", 1)),
    )  # fmt: skip


def groupings() -> st.SearchStrategy[str]:
    key = st.sampled_from(KEYS)
    sets = st.sampled_from(
        (
            "ROLLUP ({0}, {1})",
            "CUBE ({0}, {1})",
            "GROUPING SETS (({0}), ({1}), ())",
            "GROUPING SETS (({0}, {1}), ({1}))",
            "{0}, ROLLUP ({1})",
        )
    )
    return st.one_of(
        st.tuples(key, key, aggregates(1), sets).filter(lambda p: p[0] != p[1]).map(
            lambda p: f"SELECT {p[0]} AS g, {p[1]} AS h, GROUPING({p[0]}, {p[1]}) AS s, {p[2]} AS a FROM x GROUP BY {p[3].format(p[0], p[1])} ORDER BY 1, 2, 3, 4"
        ),
        _made("SELECT {0} AS g, {1} AS a FROM x GROUP BY {0} HAVING {2} ORDER BY 1, 2", key, aggregates(1), st.sampled_from(("count(*) > 1", "max(k) > 3", "bool_or(p)", "sum(i) IS NULL", "true"))),
        _made("SELECT {} AS a FROM x HAVING {}", aggregates(1), st.sampled_from(("count(*) > 1", "max(i) > 3", "false", "true"))),
        _made("SELECT DISTINCT {} AS v, {} AS w FROM x ORDER BY 1, 2", values, values),
        _made("SELECT DISTINCT ON ({0}) {0} AS v, k FROM x ORDER BY {0}, k", key),
        _made("SELECT {} AS a FROM x WHERE {}", aggregates(1), condition),
    )  # fmt: skip


def framed() -> st.SearchStrategy[str]:
    call = st.one_of(
        aggregates(0).filter(lambda a: "DISTINCT" not in a),
        st.sampled_from(("first_value(t)", "last_value(i)", "nth_value(n, 2)", "count(*)", "array_agg(k)")),
    )
    over = st.sampled_from(("", "PARTITION BY p ", "PARTITION BY i "))
    return st.one_of(
        _made("SELECT k, {} OVER ({}ORDER BY k {}) AS w FROM x ORDER BY 1", call, over, st.sampled_from(FRAMES)),
        _made("SELECT k, {} OVER w AS a, {} OVER w AS b FROM x WHERE {} WINDOW w AS ({}ORDER BY k DESC) ORDER BY 1", call, call, condition, over),
        _made("SELECT k, lag({}, 2, {}) OVER (ORDER BY k) AS w FROM x ORDER BY 1", expression("int4", 1), expression("int4", 0)),
        _made("SELECT {} AS g, sum(count(*)) OVER (ORDER BY {}) AS w FROM x GROUP BY 1 ORDER BY 1, 2", st.just("i"), st.just("i")),
        _made("SELECT k FROM (SELECT k, rank() OVER (ORDER BY {}) AS r FROM x) AS s WHERE r <= 2 ORDER BY 1", values),
    )  # fmt: skip


def limited() -> st.SearchStrategy[str]:
    tail = st.sampled_from(
        ("LIMIT 2", "OFFSET 4", "LIMIT 2 OFFSET 1", "LIMIT ALL", "FETCH FIRST 2 ROWS ONLY", "LIMIT 0")
    )
    return st.one_of(
        _made("SELECT k, {} AS v FROM x ORDER BY k DESC {}", values, tail),
        _made("SELECT {0} AS v FROM x ORDER BY {0} NULLS FIRST FETCH FIRST 2 ROWS WITH TIES", st.sampled_from(KEYS)),
        _made("SELECT v FROM (VALUES ({}), ({}), (NULL)) AS s(v) ORDER BY 1", expression("int4", 1).map(lambda e: f"(SELECT {e} FROM x WHERE k = 1)"), expression("numeric", 0).map(lambda e: f"(SELECT {e} FROM x WHERE k = 2)")),
        _made("SELECT k, g, {} AS v FROM x, generate_series(1, 2) AS g WHERE {} ORDER BY 1, 2, 3", values, condition),
        _made("SELECT k, unnest(ARRAY[{}, {}]) AS v FROM x ORDER BY 1, 2", expression("int4", 1), expression("int4", 0)),
    )  # fmt: skip


def query() -> st.SearchStrategy[str]:
    return st.one_of(joins(), subqueries(), common(), groupings(), framed(), limited())
