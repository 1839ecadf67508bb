"""Collations that call different texts equal: the same ones as on PostgreSQL, and refused where they cannot be kept."""

from __future__ import annotations

import random
import unicodedata

import psycopg
import pytest

from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess

LOCALES = ["und", "und-u-ks-level2", "sv-SE-u-ks-level2", "tr-u-ks-level2", "en@colStrength=secondary"]
_BLOCKS = [(0x20, 0x7F), (0xA0, 0x2B0), (0x370, 0x530), (0x1E00, 0x1F00), (0x3041, 0x3100), (0xAC00, 0xAC40), (0xFF01, 0xFF60)]  # fmt: skip
REFUSED = [
    (
        "CREATE COLLATION r (provider = icu, locale = 'de-u-co-phonebk')",
        'collations of the locale "de-u-co-phonebk"',
    ),
    (
        "CREATE COLLATION r (provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
        'nondeterministic collations of the locale "und-u-ks-level1"',
    ),
    ("CREATE COLLATION r (locale = 'sv_SE.utf8')", 'collations of the operating system ("sv_SE.utf8")'),
    ("ALTER TABLE t ALTER k TYPE text COLLATE ci", "keys over column"),
    ("ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES t (k)", "with the nondeterministic collation"),
    ("ALTER TABLE t ADD EXCLUDE USING gist (a WITH =)", "exclusion constraints over column"),
    ("SELECT 'A' = ANY (b) FROM t", "ANY of an array"),
    ("SELECT b = '{A}' FROM t", "= with nondeterministic collation"),
    ("SELECT max(a) FROM t", "max with nondeterministic collation"),
    ("SELECT row(a, 1) FROM t", "a row of values"),
    ("SELECT a FROM t UNION SELECT d FROM t", "UNION with nondeterministic"),
    ("SELECT string_agg(DISTINCT a, ',') FROM t", "string_agg with nondeterministic"),
    ("SELECT greatest(a, 'b') FROM t", "greatest with nondeterministic"),
    ("CREATE TYPE c AS (x text COLLATE ci)", 'attributes with the collation "ci"'),
    ('CREATE TYPE c AS (x text COLLATE "sv-x-icu")', 'attributes with the collation "sv-x-icu"'),
    ("ALTER TYPE composed ADD ATTRIBUTE y text COLLATE ci", 'attributes with the collation "ci"'),
]


def _texts() -> list[str]:
    made = random.Random(7)
    letters = [chr(c) for block in _BLOCKS for c in range(*block) if unicodedata.category(chr(c)) != "Cn"]
    found = {*letters, "\x01a", "a\u00ad", "\u212b", "\u00c5", "A\u030a", "a\u0301\u0323", "a\u0323\u0301"}
    for _ in range(3000):
        text = "".join(made.choice("aAbBeEoOsSißöÖéÉ -1") for _ in range(made.randint(1, 4)))
        text += made.choice(["", chr(made.randrange(0x300, 0x330))])
        change = made.choice([str, str.upper, str.lower, lambda s: unicodedata.normalize("NFD", s)])
        found.add(change(text))
    return sorted(found)


def _classes(connection: psycopg.Connection, texts: list[str], locale: str) -> set[frozenset[int]]:
    """Which of the texts are equal to each other, by their numbers."""
    connection.execute(f"CREATE COLLATION c (provider = icu, locale = '{locale}', deterministic = false)")
    connection.execute("CREATE TABLE texts (i int PRIMARY KEY, s text COLLATE c)")
    with connection.cursor().copy("COPY texts FROM STDIN") as copy:
        for row in enumerate(texts):
            copy.write_row(row)
    rows = connection.execute("SELECT array_agg(i) FROM texts GROUP BY s").fetchall()
    connection.execute("DROP TABLE texts")
    connection.execute("DROP COLLATION c")
    return {frozenset(numbers) for (numbers,) in rows}


def test_equal_texts_are_postgresqls(server: ServerProcess) -> None:
    texts = _texts()
    try:
        with (
            running_postgres({"fsync": "off"}) as dsn,
            psycopg.connect(dsn, autocommit=True) as there,
            server.connect() as here,
        ):
            here.autocommit = True
            for locale in LOCALES:
                assert _classes(here, texts, locale) == _classes(there, texts, locale), locale
    except NoPostgres as e:
        pytest.skip(str(e))


def test_what_cannot_be_kept_is_refused(server: ServerProcess) -> None:
    with server.connect() as here:
        here.autocommit = True
        here.execute(
            "CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
        )
        here.execute("CREATE TABLE t (k text PRIMARY KEY, a text COLLATE ci, b text[] COLLATE ci, d text)")
        here.execute('CREATE TYPE composed AS (x text COLLATE "C")')
        for statement, words in REFUSED:
            with pytest.raises(psycopg.errors.FeatureNotSupported) as refusal:
                here.execute(statement)
            assert words in str(refusal.value), statement
