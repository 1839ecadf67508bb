"""Writes by grammar: INSERT, UPDATE and DELETE of one small table, and what RETURNING says of their rows.

The table has a key, a unique column that may be NULL, a CHECK, a default and a generated column, so that some of the
statements fail; what is in it afterwards is compared too.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

TABLE: Final = (
    "CREATE TABLE w (k int PRIMARY KEY, i int CHECK (i <> 7), t text DEFAULT 'd', n numeric(8,2), p bool, a int[], "
    "u int UNIQUE, g int GENERATED ALWAYS AS (coalesce(i, 0) * 2) STORED)"
)
ALL: Final = "SELECT * FROM w ORDER BY k"
FIRST: Final = (
    "INSERT INTO w (k, i, t, n, p, a, u) SELECT s, s % 5, 'v' || s, s * 1.25, s % 2 = 0, ARRAY[s, s + 1], "
    "nullif(s, 4) FROM generate_series(1, 8) AS s"
)

_INTS: Final = (
    "i + 1", "k * 2", "NULL", "length(t)", "(SELECT max(k) FROM w AS z)", "coalesce(u, -1)", "7", "abs(i - k)",
    "CASE WHEN p THEN k ELSE i END", "cardinality(a)", "a[1]", "n::int", "nullif(i, 2)",
)  # fmt: skip
_TEXTS: Final = ("t || '!'", "upper(t)", "NULL", "k::text", "left(t, 1)", "concat(t, i)", "'7'", "DEFAULT")
_NUMERICS: Final = ("n * 2", "n / 3", "k + 0.005", "round(n, 1)", "NULL", "i", "i * 1e6")
_BOOLS: Final = ("NOT p", "i > 2", "t LIKE 'v%'", "NULL", "p IS NULL", "k = ANY (a)", "g > 4")
_ARRAYS: Final = ("a || k", "ARRAY[i, NULL]", "NULL", "array_remove(a, k)", "'{}'")
_SETS: Final = {
    "i": _INTS,
    "t": _TEXTS,
    "n": _NUMERICS,
    "p": _BOOLS,
    "a": _ARRAYS,
    "u": _INTS,
    "k": ("k",),
}
_WHERE: Final = (
    "k = {}", "k < {}", "i = {}", "p", "t = 'v{}'", "u IS NULL", "k IN (SELECT u FROM w AS z WHERE u > {})", "true",
    "EXISTS (SELECT FROM w AS z WHERE z.k = w.k + {})", "g > {}", "(k, i) > ({0}, 1)", "{} = ANY (a)", "n > {}", "false",
)  # fmt: skip
_RETURNED: Final = (
    "*", "k", "w.*", "k, i, g", "k, t || '!' AS s, n * 2 AS n", "k, (SELECT max(k) FROM w AS z)",
    "to_jsonb(w)", "k, row(w.*)", "k, CASE WHEN i > 2 THEN 'big' ELSE t END AS c", "k, a[1], cardinality(a)",
    "k, i IN (SELECT 2 UNION SELECT u)", "k, (w).t", "k, p IS NOT TRUE, coalesce(t, '-')", "k + 1 AS k", "k, tableoid::regclass",
    "k, n::text || i", "row_to_json(w.*)", "k, u, g / 2.0", "k AS \"K\", 'x' AS const, NULL AS nothing",
)  # fmt: skip


def statements(seed: int, count: int) -> Iterator[str]:
    """That many statements; the same for the same seed."""
    random = Random(seed)
    for _ in range(count):
        yield random.choice((_insert, _insert, _update, _update, _delete))(random)


def _where(random: Random) -> str:
    return random.choice(_WHERE).format(random.randint(0, 12))


def _end(random: Random) -> str:
    return f" RETURNING {random.choice(_RETURNED)}" if random.random() < 0.85 else ""


def _assigned(random: Random) -> str:
    names = random.sample(sorted(_SETS), random.randint(1, 3))
    pairs = [(name, random.choice(_SETS[name])) for name in names]
    if len(pairs) > 1 and random.random() < 0.3:
        return f"({', '.join(n for n, _ in pairs)}) = ({', '.join(v for _, v in pairs)})"
    return ", ".join(f"{n} = {v}" for n, v in pairs)


def _insert(random: Random) -> str:
    key, many = random.randint(1, 14), random.randint(1, 3)
    rows = [
        f"({key + j}, {random.choice(('1', '7', 'NULL', 'DEFAULT'))}, {random.choice(_NEW)}, {random.choice(('1.005', 'NULL', '3'))}, {random.choice(('NULL', str(random.randint(1, 9))))})"
        for j in range(many)
    ]
    source = random.choice(
        (
            f"(k, i, t, n, u) VALUES {', '.join(rows)}",
            f"(k, i, t) SELECT k + {key}, i, t FROM w WHERE {_where(random)}",
            f"(k, a) SELECT s, ARRAY[s] FROM generate_series({key}, {key + many}) AS s",
            f"(k) VALUES ({key})",
        )
    )
    clause = random.choice(
        (
            "",
            "",
            " ON CONFLICT DO NOTHING",
            " ON CONFLICT (k) DO NOTHING",
            " ON CONFLICT (k) DO UPDATE SET t = w.t || excluded.t, i = excluded.i",
            " ON CONFLICT (k) DO UPDATE SET n = excluded.k, u = NULL WHERE w.i > 1",
            " ON CONFLICT (u) DO UPDATE SET t = 'same', p = excluded.p",
        )
    )
    return f"INSERT INTO w {source}{clause}{_end(random)}"


_NEW: Final = ("'new'", "NULL", "DEFAULT", "'x' || 'y'")


def _update(random: Random) -> str:
    if random.random() < 0.25:
        joined = random.choice(
            (
                "(VALUES (1, 'one'), (2, 'two'), (9, NULL)) AS v(x, y) WHERE v.x = w.k",
                "(SELECT k AS x, t AS y FROM w WHERE k < 5) AS v WHERE v.x = w.k + 1",
            )
        )
        returned = random.choice(("w.*", "k, v.y", "v.*, w.t", "k, t, x"))
        return f"UPDATE w SET t = v.y, i = x + 1 FROM {joined} RETURNING {returned}"
    return f"UPDATE w SET {_assigned(random)} WHERE {_where(random)}{_end(random)}"


def _delete(random: Random) -> str:
    if random.random() < 0.2:
        return "DELETE FROM w USING (VALUES (3, 'c'), (5, 'e')) AS v(x, y) WHERE w.k = v.x RETURNING w.*, y"
    text = f"DELETE FROM w WHERE {_where(random)} AND k % 3 = {random.randint(0, 2)}"
    return text + _end(random)
