"""xml: what is well-formed is PostgreSQL's; how it is shown, and read in binary."""

from __future__ import annotations

import psycopg
import pytest

from pgwire.encoding.binary import binary_input, binary_output
from planner.abc import SqlError
from planner.types import input_text, output_text, resolve_name

XML = resolve_name("xml")
WRITTEN = [
    "", " ", "\n<a/>", "\n", "a", "a & b", "&amp;", "&#65;", "&#0;", "&nbsp;", "<a/>", "<a>", "</a>", "<a></b>", "<a></a><b/>t", "<a/>]]>", "]]", "<a b=1/>",
    "<a b='1' b='2'/>", "<a b='<'/>", "<1/>", "<a:b/>", "< a/>", "<a", "<!-- x -->", "<!-- -- -->", "<!--", "<![CDATA[<]]>", "<?p?>", "<?xml?>", "<?xml-x y?>",
    '<?xml version="1.0"?>', '<?xml version="1.0"?><a/>', '<?xml version="1.0"?>\n<a/>', ' <?xml version="1.0"?><a/>', '<?xml version="1.1"?>\n<a/>',
    '<?xml version="1.0" encoding="utf-8" standalone="no"?>x', "<?xml version='1.0' standalone='yes'?><a/>", '<?xml encoding="utf-8"?><a/>',
    '<?xml version="1.0" standalone="perhaps"?><a/>', "<!DOCTYPE a><a/>", "<!DOCTYPE a>", "<!DOCTYPE a [<!ENTITY e 'v'>]><a>&e;</a>", "</r><r>", "é<ü/>", "\x01",
]  # fmt: skip


def ours(text: str) -> str:
    try:
        return output_text(input_text(text, XML), XML)
    except SqlError as e:
        return f"{e.sqlstate} {e.message}"


@pytest.mark.postgres
@pytest.mark.parametrize("text", WRITTEN)
def test_what_is_well_formed(postgres: psycopg.Connection, text: str) -> None:
    try:
        there = str(postgres.execute("SELECT (%s::text)::xml", [text]).fetchall()[0][0])
    except psycopg.Error as e:
        there = f"{e.sqlstate} {e.diag.message_primary}"
    assert ours(text) == there


def test_binary_is_in_the_encoding_that_it_declares() -> None:
    read, write = binary_input(XML), binary_output(XML)
    assert read("<a>é</a>".encode()) == "<a>é</a>"
    latin = '<?xml version="1.0" encoding="latin1"?><a>é</a>'
    assert write(read(latin.encode("latin-1"))) == "<a>é</a>".encode()
    for data, sqlstate in (
        (b"<a>", "2200N"),
        (b"\xff", "22021"),
        (b'<?xml version="1.0" encoding="x-y"?><a/>', "0A000"),
    ):
        with pytest.raises(SqlError) as raised:
            read(data)
        assert raised.value.sqlstate == sqlstate
