"""Clients that do not speak UTF-8: what they send and get, errors included, as PostgreSQL converts it."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg import pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.server.process import ServerProcess

NAMES = ["LATIN1", "WIN1252", "latin-9", "EUC_JP", "SJIS", "KOI8-R", "GB18030", "SQL_ASCII", "UTF-8"]
SETUP = """
DROP TABLE IF EXISTS words;
CREATE TABLE words (id int PRIMARY KEY, "é" text, word varchar(10), tags text[]);
INSERT INTO words VALUES (1, 'naïve', 'ß', '{ä}'), (2, '€', 'x', NULL), (3, '日本', NULL, '{}'), (4, 'plain', 'a', '{b}')
"""
ROWS = "SELECT id, é AS text, word, tags FROM words WHERE id = {}"
COPIES = (
    "COPY (SELECT id, é, tags FROM words WHERE id IN (1, 4) ORDER BY id) TO STDOUT",
    "COPY (SELECT id, é FROM words WHERE id = 2) TO STDOUT (FORMAT csv, HEADER)",
    "COPY (SELECT id, é FROM words ORDER BY id) TO STDOUT (ENCODING 'UTF8')",
    "COPY (SELECT id, é FROM words WHERE id = 1) TO STDOUT (ENCODING 'latin1')",
)
FUNCTIONS = (
    r"SELECT convert_from('\xe9'::bytea, 'LATIN1')",
    "SELECT convert_to('é', 'LATIN1'), convert_to('日', 'sjis')",
    "SELECT convert_to('€', 'LATIN1')",
    r"SELECT convert('\xe9'::bytea, 'LATIN1', 'UTF8')",
    r"SELECT convert_from('\xff', 'UTF8')",
    r"SELECT convert_from('\xff', 'EUC_JP')",
    "SELECT convert_from('a', 'nope')",
    r"SELECT length('\xe9c3'::bytea, 'LATIN1')",
    "SELECT n, pg_encoding_to_char(n), pg_encoding_max_length(n) FROM generate_series(0, 42) n ORDER BY n",
    "SELECT pg_char_to_encoding('shift_jis'), pg_char_to_encoding('WIN1252'), pg_char_to_encoding('x')",
)


def here(server: ServerProcess) -> str:
    return f"host=127.0.0.1 port={server.port} user=tidewire dbname=tidewire"


def answer(c: psycopg.Connection[Any], text: str, values: Any = None, **options: Any) -> Any:
    try:
        found = c.execute(text, values, **options)
    except psycopg.Error as e:
        return e.sqlstate, str(e)
    if found.description is None:
        return found.statusmessage
    return [d.name for d in found.description], found.fetchall()


def copied(c: psycopg.Connection[Any], text: str) -> Any:
    try:
        with c.cursor().copy(text) as copy:
            return b"".join(bytes(piece) for piece in copy)
    except psycopg.Error as e:
        return e.sqlstate, str(e).splitlines()[0]


def conversation(dsn: str, encoding: str) -> list[Any]:
    """What a client hears that speaks this encoding."""
    heard: list[Any] = []
    with psycopg.connect(make_conninfo(dsn, client_encoding=encoding), autocommit=True) as c:
        heard.append(c.info.parameter_status("client_encoding"))
        heard.append(answer(c, "SHOW client_encoding"))
        heard.append(answer(c, "SELECT pg_client_encoding()"))
        ascii_only = encoding == "SQL_ASCII"
        try:
            "é".encode(c.info.encoding)
        except UnicodeEncodeError:
            ascii_only = True
        rows = 'SELECT id, word FROM words WHERE id = {} AND ("id" > 0)' if ascii_only else ROWS
        for i in (1, 2, 3, 4):
            heard += [answer(c, rows.format(i)), answer(c, rows.format(i), prepare=True)]
        heard.append(answer(c, "SELECT %s::text, %b::text", ["abc", "z" if ascii_only else "é"]))
        if not ascii_only:
            heard += [
                answer(c, "SELECT 'é' AS é, length('é')"),
                answer(c, "SELECT é FROM nothing"),
                answer(c, "SELECT 'é' || nothing"),
                answer(c, "INSERT INTO words VALUES (9, 'é', 'ç') RETURNING é"),
                answer(c, "SELECT id FROM words WHERE é = %s", ["é"]),
                answer(c, "DELETE FROM words WHERE id = 9"),
                *(copied(c, text) for text in COPIES),
            ]
    return heard


def conversations(dsn: str) -> list[Any]:
    with psycopg.connect(dsn, autocommit=True) as c:
        for statement in SETUP.split(";"):
            c.execute(statement)
    heard = [conversation(dsn, name) for name in NAMES]
    with psycopg.connect(dsn, autocommit=True) as c:
        for name in ("nope", "mule_internal", "'latin1'", "unicode"):
            heard += [answer(c, f"SET client_encoding TO {name}"), answer(c, "SHOW client_encoding")]
        heard.append(answer(c, "SET NAMES 'LATIN1'"))
        c.execute("RESET client_encoding")
        heard += [answer(c, text) for text in FUNCTIONS]
        c.execute("SET client_encoding TO latin1")
        with c.cursor().copy("COPY words (id, é) FROM STDIN") as copy:
            for piece in (b"20\t\xe9", b"\xfc\n21\tx\n"):
                copy.write(piece)
        with c.cursor().copy("COPY words (id, é) FROM STDIN (ENCODING 'sjis', FORMAT csv)") as copy:
            for piece in (b"22,\x93", b"\xfa\x96{\n"):
                copy.write(piece)
        c.execute("SET client_encoding TO utf8")
        heard.append(answer(c, "SELECT id, é FROM words WHERE id >= 20 ORDER BY id"))
    return heard


def raw(dsn: str) -> list[Any]:
    """Bytes that are no characters."""
    c = pq.PGconn.connect(make_conninfo(dsn, client_encoding="WIN1252").encode())
    heard: list[Any] = []
    for encoding, texts in (
        (b"win1252", [b"SELECT '\x81'", b"SELECT '\x80'"]),
        (b"euc_jp", [b"SELECT '\xff'", b"SELECT '\xb0\xa1'"]),
        (b"utf8", [b"SELECT '\xff'", b"SELECT '\xe9a'"]),
    ):
        c.exec_(b"SET client_encoding TO " + encoding)
        for text in texts:
            result = c.exec_(text)
            heard.append((result.status, result.error_message, result.get_value(0, 0)))
        result = c.exec_params(b"SELECT $1::text", [b"\xff"])
        heard.append((result.status, result.error_message.splitlines()[:1]))
    c.finish()
    return heard


def test_clients_of_other_encodings_hear_what_postgresql_says(server: ServerProcess, postgres: str) -> None:
    there = conninfo_to_dict(postgres)
    expected = conversations(make_conninfo(**there)), raw(make_conninfo(**there))
    assert conversations(here(server)) == expected[0]
    assert raw(here(server)) == expected[1]


def test_what_is_text_inside_of_binary_values_is_refused(server: ServerProcess) -> None:
    with psycopg.connect(make_conninfo(here(server), client_encoding="latin1"), autocommit=True) as c:
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="in binary format"):
            c.execute("SELECT ARRAY['a']", binary=True)
        assert c.execute("SELECT ARRAY[1]", binary=True).fetchone() == ([1],)
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="COPY in binary format"):
            copied_all = c.cursor().copy("COPY (SELECT 1) TO STDOUT (FORMAT binary)")
            with copied_all as copy:
                list(copy)
        assert c.execute("SELECT 'é'").fetchone() == ("é",)
