"""Random SELECTs over few rows: groups, subqueries, WITH, UNION, whatever an application asks by keys.

A statement asks for rows of `a` or of some tables that lead to each other by keys, and puts something around or beside them.
Where there is a LIMIT the order is total, so that there is one right answer.
"""

from __future__ import annotations

import random

SCHEMA = [
    "CREATE TABLE a (id int PRIMARY KEY, k int, s varchar(9), n numeric(6, 2), f float8, c char(4), x numeric, d date)",
    "CREATE INDEX ON a (k)",
    "CREATE INDEX ON a (s, k)",
    "CREATE TABLE b (id int, no int, a_id bigint, v int, w text, PRIMARY KEY (id, no))",
    "CREATE INDEX ON b (a_id)",
    "CREATE TABLE u (id smallint PRIMARY KEY, e text UNIQUE, a_id int)",
    "INSERT INTO a SELECT i, nullif(i % 7, 0), 's' || i % 3, nullif((i % 5) / 2.0, 1), (ARRAY['0', '-0', 'NaN', '1.5', NULL])[1 + i % 5]::float8,"
    " (ARRAY['x', 'x ', 'yy', NULL])[1 + i % 4], (ARRAY['1', '1.0', '2.50', 'NaN', NULL])[1 + i % 5]::numeric, date '2024-01-01' + i % 3"
    " FROM generate_series(1, 60) i",
    "INSERT INTO b SELECT i, j, nullif((i * j) % 40, 5), (i + j) % 4, 'w' || (i * j) % 6 FROM generate_series(1, 30) i, generate_series(1, 4) j",
    "INSERT INTO u SELECT i, 'e' || i, nullif(i * 2 % 50, 8) FROM generate_series(1, 40) i",
]  # fmt: skip
CHANGES = [
    "UPDATE a SET k = 3, n = n + 1 WHERE id = {i}",
    "UPDATE a SET f = '-0', c = 'x', x = 1.00 WHERE k = {k}",
    "DELETE FROM b WHERE id = {i} AND no = 2",
    "INSERT INTO b VALUES ({i}, 9, {i}, 1, 'own') ON CONFLICT DO NOTHING",
    "UPDATE u SET a_id = {i} WHERE id = {k}",
    "DELETE FROM a WHERE id = {i}",
    "INSERT INTO a VALUES ({i} + 100, {k}, 's1', 2, 'NaN', 'x', 1.0, NULL) ON CONFLICT DO NOTHING",
    "UPDATE u SET e = 'own' || id WHERE id = {k}",
]

_COLUMNS = ("k", "s", "n", "f", "c", "x", "d")
_AGGREGATES = ("count(*)", "count(a.k)", "sum(a.k)", "min(a.n)", "max(a.s)", "avg(a.k)", "count(DISTINCT a.s)", "sum(a.n)", "max(a.f)",
               "min(a.x)", "max(a.d)", "count(*) FILTER (WHERE a.k > 2)", "sum(a.k) FILTER (WHERE a.n IS NOT NULL)", "bool_or(a.k = 3)")  # fmt: skip


class Statements:
    """Draws them."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def one(self) -> str:
        return self.rng.choice(
            (
                self.plain,
                self.plain,
                self.grouped,
                self.grouped,
                self.joined,
                self.wrapped,
                self.united,
                self.bare,
                self.documents,
                self.narrowed,
            )
        )()

    def change(self) -> str:
        return self.rng.choice(CHANGES).format(i=self._i(), k=self._k())

    def _i(self) -> int:
        return self.rng.randrange(1, 66)

    def _k(self) -> int:
        return self.rng.randrange(0, 9)

    def _few(self) -> str:
        """What finds rows of `a` by a key."""
        i, j, k = self._i(), self._i(), self._k()
        return self.rng.choice(
            (
                f"a.id = {i}", f"a.id IN ({i}, {j}, {k})", f"a.k = {k}", f"a.id BETWEEN {i} AND {i} + 6", f"a.k IN ({k}, 2)",
                f"a.id = ANY ('{{{i},{j},{i}}}')", f"a.s = 's1' AND a.k = {k}", f"a.id IN (SELECT b.a_id FROM b WHERE b.id = {i})",
                f"a.id IN (SELECT u.a_id FROM u WHERE u.id IN ({i}, {j}, {k}))", f"a.id = (SELECT u.a_id FROM u WHERE u.id = {k})",
                f"a.id = ANY (ARRAY[{i}, {j}])", f"a.k = (SELECT max(b.v) FROM b WHERE b.id = {i})",
                f"a.k IN (SELECT b.v FROM b WHERE b.id = {i} AND b.no < 3)", f"a.k = {k} AND a.s LIKE '%{k % 3}'",
            )
        )  # fmt: skip

    def _beside(self, subject: str = "a.id") -> str:
        """A condition with a subquery that names the outer row."""
        k, i = self._k(), self._i()
        return self.rng.choice(
            (
                f"EXISTS (SELECT 1 FROM b WHERE b.a_id = {subject})",
                f"NOT EXISTS (SELECT * FROM b WHERE b.a_id = {subject} AND b.v > {k % 4})",
                f"EXISTS (SELECT 1 FROM u JOIN b ON b.id = u.id WHERE u.a_id = {subject} AND u.id < 9)",
                f"(EXISTS (SELECT 1 FROM b WHERE b.id = {subject} AND b.no = {k % 5}) OR {subject} % 2 = 0)",
                f"{subject} NOT IN (SELECT b.a_id FROM b WHERE b.id = {i})",
                f"{subject} IN (SELECT b.a_id FROM b WHERE b.id = {i} UNION ALL SELECT {i} + 1)",
                f"{subject} <> ALL (SELECT u.a_id FROM u WHERE u.id IN ({k}, 4))",
                f"(SELECT count(*) FROM b WHERE b.a_id = {subject}) > {k % 3}",
                f"(SELECT b.v FROM b WHERE b.id = {subject} AND b.no = 2) = {k % 4}",
                f"{subject} = (SELECT u.a_id FROM u WHERE u.e = 'e{k}')",
                f"EXISTS (SELECT 1 FROM b WHERE b.a_id = {subject} AND EXISTS (SELECT 1 FROM u WHERE u.id = b.no AND u.a_id <> {subject}))",
                f"(SELECT max(b.no) FROM b WHERE b.a_id = {subject} HAVING count(*) > 1) IS NOT NULL",
            )
        )  # fmt: skip

    def _value(self) -> str:
        k = self._k()
        return self.rng.choice(
            (
                "(SELECT count(*) FROM b WHERE b.a_id = a.id)", "(SELECT max(b.w) FROM b WHERE b.id = a.id)",
                "(SELECT sum(b.v) FROM b WHERE b.id = a.k)", f"(SELECT u.e FROM u WHERE u.id = {k})",
                "(SELECT b.w FROM b WHERE b.id = a.id ORDER BY b.v DESC, b.no LIMIT 1)", "(SELECT b.v FROM b WHERE b.a_id = a.id)",
                "EXISTS (SELECT 1 FROM b WHERE b.id = a.id AND b.v = a.k)", "a.k IN (SELECT b.v FROM b WHERE b.id = a.id)",
                "coalesce((SELECT u.a_id FROM u WHERE u.id = a.k), -1)", "a.id + (SELECT count(*) FROM b WHERE b.a_id = a.id) + 1",
            )
        )  # fmt: skip

    def _end(self, width: int, *, distinct: bool = False) -> str:
        """ORDER BY everything, so that LIMIT has one answer; or nothing."""
        if self.rng.random() < 0.4:
            return ""
        keys = [f"{i}{self.rng.choice(('', ' DESC', ' NULLS FIRST'))}" for i in range(1, width + 1)]
        if not distinct:
            self.rng.shuffle(keys)
        cut = self.rng.choice(("", " LIMIT 3", " LIMIT 2 OFFSET 1", " OFFSET 2"))
        return f" ORDER BY {', '.join(keys)}{cut}"

    def _where(self) -> str:
        where = self._few()
        if self.rng.random() < 0.5:
            where += f" AND {self._beside()}"
        return where

    def plain(self) -> str:
        targets = ["a.id", *(f"a.{c}" for c in self.rng.sample(_COLUMNS, 2))]
        if self.rng.random() < 0.6:
            targets.append(self._value())
        word = "DISTINCT " if self.rng.random() < 0.2 else ""
        if self.rng.random() < 0.15:
            firsts = self.rng.choice(("a.k", "a.s", "a.k, a.s"))
            return f"SELECT DISTINCT ON ({firsts}) {', '.join(targets)} FROM a WHERE {self._where()} ORDER BY {firsts}, a.id DESC"
        return f"SELECT {word}{', '.join(targets)} FROM a WHERE {self._where()}{self._end(len(targets))}"

    def grouped(self) -> str:
        keys = [f"a.{c}" for c in self.rng.sample(_COLUMNS, self.rng.randrange(0, 3))]
        made = self.rng.sample(_AGGREGATES, self.rng.randrange(1, 4))
        targets = [*keys, *made]
        text = f"SELECT {', '.join(targets)} FROM a WHERE {self._where()}"
        if keys:
            text += f" GROUP BY {', '.join(keys)}"
        if self.rng.random() < 0.4:
            text += self.rng.choice(
                (
                    " HAVING count(*) > 1",
                    " HAVING max(a.k) IS NOT NULL AND count(a.n) >= 0",
                    " HAVING sum(a.k) > 3",
                )
            )
        return text + self._end(len(targets)).replace(" LIMIT 3", " LIMIT 4")

    def joined(self) -> str:
        kind = self.rng.choice(("JOIN", "LEFT JOIN"))
        source = self.rng.choice(
            (
                f"a {kind} b ON b.a_id = a.id", f"a {kind} b ON b.id = a.k AND b.no = 2", f"a {kind} u b ON b.a_id = a.id AND b.id < 9",
                f"a {kind} (SELECT id, a_id FROM b WHERE b.id = {self._i()}) b ON b.a_id = a.id",
                "a CROSS JOIN LATERAL (SELECT b.id FROM b WHERE b.a_id = a.id ORDER BY b.id, b.no LIMIT 2) b",
                f"a {kind} LATERAL (SELECT max(b.no) AS id FROM b WHERE b.id = a.id) b ON true",
                f"a JOIN (VALUES (1, {self._i()}), (2, {self._i()})) AS b (id, a_id) ON b.a_id = a.id",
            )
        )  # fmt: skip
        where = self._few()
        if self.rng.random() < 0.4:
            return f"SELECT a.id, a.s, count(b.id), max(b.id) FROM {source} WHERE {where} GROUP BY a.id{self._end(4)}"
        return f"SELECT a.id, b.id, a.c FROM {source} WHERE {where}{self._end(3)}"

    def wrapped(self) -> str:
        inner = f"SELECT a.id, a.k, a.s, a.n, a.f, a.c, a.x, a.d FROM a WHERE {self._where()}"
        if self.rng.random() < 0.3:
            inner += " ORDER BY a.k NULLS FIRST, a.id LIMIT 4"
        return self.rng.choice(
            (
                f"WITH a AS ({inner}) SELECT id, n FROM a{self._end(2)}",
                f"WITH w AS ({inner}) SELECT a.id, b.w FROM w AS a JOIN b ON b.a_id = a.id{self._end(2)}",
                f"SELECT count(*), max(a.n) FROM ({inner}) a",
                f"SELECT a.s, count(*) FROM ({inner}) a GROUP BY 1 HAVING {self._beside('max(a.id)')}{self._end(2)}",
                f"WITH w AS ({inner}) SELECT p.id, q.s FROM w p, w q WHERE p.id = q.k{self._end(2)}",
                f"SELECT a.id, {self._value()} FROM ({inner}) a WHERE {self._beside()}",
                f"SELECT EXISTS ({inner})", f"SELECT ({inner.replace('a.id, a.k, a.s, a.n, a.f, a.c, a.x, a.d', 'a.n')})",
            )
        )  # fmt: skip

    def united(self) -> str:
        sides = [f"SELECT a.id, a.s, a.n FROM a WHERE {self._where()}", f"SELECT b.id, b.w, NULL FROM b WHERE b.id = {self._i()}",
                 f"SELECT u.id, u.e, 1.50 FROM u WHERE u.id = {self._k()}", f"SELECT a.k, 'x', a.n FROM a WHERE a.k = {self._k()}"]  # fmt: skip
        word = " UNION ALL " if self.rng.random() < 0.7 else " UNION "
        return word.join(self.rng.sample(sides, self.rng.randrange(2, 4))) + self._end(3)

    def bare(self) -> str:
        i = self._i()
        return self.rng.choice(
            (
                f"SELECT 1 WHERE {self._beside(str(i))}", f"SELECT {i} + 1, {self._beside(str(i))}", f"SELECT count(*) WHERE {i} > 30",
                f"VALUES ({i}, 'a'), (2, 'b'){self._end(2)}", f"SELECT * FROM (VALUES ({i}, 1.5), (2, NULL)) v (x, y) WHERE x > 30",
                "SELECT current_user = session_user, current_schema, current_database() = current_catalog",
            )
        )  # fmt: skip

    def documents(self) -> str:
        """Rows as JSON, as REST and GraphQL servers ask for them."""
        few, column = self._few(), self.rng.choice(_COLUMNS)
        rows = f"SELECT a.id, a.{column}, a.k, a.s FROM a WHERE {few}"
        own = f"(SELECT e FROM (SELECT base.id AS id, base.{column} AS v, one.u AS u, many.bs AS bs) AS e)"
        one = "SELECT row_to_json((SELECT r FROM (SELECT x.id AS id, x.e AS e) AS r)) AS u FROM (SELECT * FROM u WHERE u.id = base.k LIMIT 1) AS x"
        bs = "SELECT row_to_json((SELECT e FROM (SELECT y.v, y.w) AS e)) AS bs, y.no FROM (SELECT * FROM b WHERE b.id = base.id) AS y"
        many = f"SELECT coalesce(json_agg(z.bs ORDER BY z.no), '[]') AS bs FROM ({bs}) AS z"
        return self.rng.choice(
            (
                f"SELECT count(r), coalesce(json_agg(r), '[]') FROM ({rows} ORDER BY a.id LIMIT 3) r",
                f"WITH w AS ({rows} ORDER BY a.id) SELECT count(r), coalesce(json_agg(r) -> 0, 'null') FROM (SELECT * FROM w) r",
                f"SELECT jsonb_agg(r ORDER BY r.id), json_agg(to_jsonb(r) ORDER BY r.id DESC) FROM ({rows}) r",
                f"SELECT r.id, row_to_json(r), to_jsonb(r), json_build_object('row', r, 'n', r.k) FROM (SELECT a.id, a.k, ROW(a.s, a.{column}, ROW(a.d)) AS pair, a AS whole FROM a WHERE {few}) r ORDER BY 1",
                f"SELECT a.id, row_to_json(l.*)::jsonb, to_jsonb(a), l IS NULL, l IS NOT NULL, count(l) OVER () FROM a LEFT JOIN LATERAL (SELECT u.id, u.e FROM u WHERE u.id = a.k) l ON true WHERE {few} ORDER BY 1",
                f"SELECT coalesce(json_agg(root ORDER BY by), '[]') FROM (SELECT row_to_json({own}) AS root, base.id AS by FROM (SELECT * FROM a WHERE {few}) AS base"
                f" LEFT OUTER JOIN LATERAL ({one}) AS one ON ('true') LEFT OUTER JOIN LATERAL ({many}) AS many ON ('true')) AS rows",
            )
        )

    def narrowed(self) -> str:
        """Outer joins that what is asked makes inner ones, and queries in FROM that no key leads to but what they are joined on."""
        few, i, kind = self._few(), self._i(), self.rng.choice(("JOIN", "LEFT JOIN"))
        k, more = self._k(), self.rng.choice(("", " WHERE b.v > 1", " WHERE b.w <> 'w3'"))
        query, on = self.rng.choice(
            (
                (f"SELECT b.a_id AS id, count(*) AS c FROM b{more} GROUP BY b.a_id", "n.id = a.id"),
                (f"SELECT b.id, max(b.v) AS c FROM b{more} GROUP BY b.id HAVING count(*) > 1", "a.id = n.id"),
                (f"SELECT b.id, b.v, count(*) AS c FROM b{more} GROUP BY 1, 2", "n.id = a.id AND n.v = a.k"),
                (f"SELECT DISTINCT b.id, b.v AS c FROM b{more}", "n.id = a.id"),
                (f"SELECT b.id, b.v AS c FROM b{more} UNION ALL SELECT u.id, u.a_id FROM u", "n.id = a.k"),
                (f"SELECT b.id, b.v AS c FROM b{more} UNION SELECT u.id, u.a_id FROM u", "n.id = a.k"),
                (
                    f"SELECT b.id, row_number() OVER (PARTITION BY b.id ORDER BY b.v DESC, b.no) AS c FROM b{more}",
                    "n.id = a.id AND n.c = 1",
                ),
                ("SELECT u.id, b.v AS c FROM u LEFT JOIN b ON b.a_id = u.a_id", "n.id = a.k"),
                (
                    f"SELECT m.id, m.c FROM (SELECT b.a_id AS id, count(*) AS c FROM b{more} GROUP BY 1) m WHERE m.c > 1",
                    "n.id = a.id",
                ),
            )
        )
        return self.rng.choice(
            (
                f"SELECT a.id, coalesce(n.c, 0), a.s FROM a {kind} ({query}) n ON {on} WHERE {few}{self._end(3)}",
                f"WITH n AS ({query}) SELECT a.id, n.c FROM a {kind} n ON {on} WHERE {few}{self._end(2)}",
                f"SELECT n.c FROM ({query}) n WHERE n.id = {i}{self._end(1)}",
                f"SELECT a.id, n.id, n.c FROM a LEFT JOIN ({query}) n ON {on} WHERE n.id = {i}{self._end(3)}",
                f"SELECT DISTINCT a.id, a.s FROM a LEFT JOIN b ON b.a_id = a.id WHERE b.id = {i}{self._end(2, distinct=True)}",
                f"SELECT a.id, b.no, u.e FROM a LEFT JOIN b ON b.a_id = a.id LEFT JOIN u ON u.id = b.v WHERE u.id = {k} AND {few}{self._end(3)}",
                f"SELECT a.id, b.no, u.e FROM u LEFT JOIN a ON a.id = u.a_id LEFT JOIN b ON b.id = a.id AND b.v > 1 WHERE b.a_id = {i}{self._end(3)}",
                f"SELECT a.id, b.no FROM a LEFT JOIN b ON b.a_id = a.id WHERE {few} AND ({self.rng.choice(('b.v = 1', 'b.v IS NULL', 'a.k = 2'))} OR b.w = 'w2'){self._end(2)}",
                f"SELECT a.id, b.no FROM a LEFT JOIN b ON b.a_id = a.id WHERE {few} AND {self.rng.choice(('b.w IS NOT NULL', 'coalesce(b.v, 1) = 1', 'b.v + 1 > 1', 'b.w IS DISTINCT FROM NULL', '(b.v > 1) IS NOT TRUE', 'NOT b.v = 1'))}{self._end(2)}",
            )
        )
