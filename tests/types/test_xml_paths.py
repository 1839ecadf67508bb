"""XPath over xml: what PostgreSQL finds, and what a document cannot make anybody read or write out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from planner.abc import SqlError
from planner.types import array_values, xml_paths, xmls
from tests.postgres import NoPostgres, running_postgres

pytest.importorskip("lxml", reason="lxml is not installed")

DOCUMENTS = (
    '<a><b q="1">one</b><b>x&lt;é</b><!-- c --><?p i?>tail</a>',
    '<a xmlns:q="u:q" q:z="1"><b q="é\'&quot;">1<q:c/></b>tail<b/></a>',
    '<a xmlns="u:d"><b><c n="3"/></b></a>',
    '<?xml version="1.0" encoding="latin1"?><a é="ü">ö<b/></a>',
    '<!DOCTYPE a [<!ENTITY x "val">]><a><b>&x;</b>&amp;</a>',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a><b>&x;</b></a>',
    "<a><b><![CDATA[<x>]]>r</b></a>",
    "text",
    "<a/><b/>",
    "",
)
PATHS = (
    "//b", "/a", "//b/text()", "//@*", "//@q", "//*", "count(//b)", "string(/a)", "string(//@q)", "1=1", "not(//b)", "1.5", "1 div 0",
    "0 div 0", "10000000 * 10", "1000000000 * 1000000000", "'<'", "//comment()", "//processing-instruction()", "//z", "//p:b", "//p:c/@n",
    "a", "a/b", "b", ".", "..", "./a/b", "@q", "*", "*/*", "a/b[@q]", "a[b]/b", "count(a)", "count(a/b) * 2", "count(*)*count(*/*)", "a | a/b", "string()",
    "string( )", "name()", "name(a)", "string-length()", "normalize-space()", "a/@*", "child::a", "descendant::b", "self::node()", "text()", "a/text()",
    "node()", "count(node())", "a = 'one'", "a/b = //b", "not(a)", "-count(a)", "count(a)-1", "(a)/b", "(a/b)[1]", "(a | .//b)[1]", "a[b[1]]//text()", "q:c",
    "p:a/p:b", "p:*", "count(p:a//p:*)", "a div 2", "5 mod count(a)", "div", "*[b]", "concat(a/b, '/', name(a))", "boolean(a) and b", "..//b", "a//b[last()]", "//..", "//.", ".@q", "//b@q", "a b", "//node()", "/descendant-or-self::node()",
    "//b[string()]", "//b[position() = 1]", "sum(a)", "starts-with(a, 'o')", "processing-instruction()", "comment()", "/a/b", "string(a/@q)", "ä",
    "name(//*[2])", "//b[1]", "//b[last()]/@q", "sum(//c/@n)", "//b | //c", "(//b)[2]", "", "//[", "$x", "foo()", "//no:a", "document('x')",
)  # fmt: skip
NAMESPACES = "{{p,u:d}}"


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection]:
    try:
        with running_postgres({"fsync": "off"}) as dsn, psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("SET client_min_messages = error")
            yield connection
    except NoPostgres as e:
        pytest.skip(str(e))


def answered(path: str, document: str) -> tuple[object, ...]:
    try:
        found = [xmls.xml_out(x) for x in xml_paths.xpath(path, document, NAMESPACES)]
        return (
            "found",
            array_values.write(array_values.vector(found)),
            xml_paths.exists(path, document, NAMESPACES),
        )
    except SqlError as e:
        return e.sqlstate, e.message


def wanted(postgres: psycopg.Connection, path: str, document: str) -> tuple[object, ...]:
    asked = "SELECT xpath(%s, %s::xml, %s::text[])::text, xpath_exists(%s, %s::xml, %s::text[])"
    try:
        row = postgres.execute(asked, (path, document, NAMESPACES) * 2).fetchone()
        assert row is not None
        return "found", *row
    except psycopg.Error as e:
        return e.sqlstate, e.diag.message_primary


@pytest.mark.postgres
@pytest.mark.parametrize("document", DOCUMENTS)
def test_paths_find_what_they_find_there(postgres: psycopg.Connection, document: str) -> None:
    compared = 0
    for path in PATHS:
        got = answered(path, document)
        if got[0] != "0A000":
            assert got == wanted(postgres, path, document), path
            compared += 1
    assert compared >= len(PATHS) - 8  # whole documents, and texts among CDATA


@pytest.mark.parametrize("path", ["/", "//b/text()"])
def test_what_cannot_be_told_is_refused(path: str) -> None:
    with pytest.raises(SqlError, match="whole documents or CDATA sections"):
        xml_paths.xpath(path, "<a><b><![CDATA[<x>]]>r</b></a>", "")
    assert xml_paths.exists(path, "<a><b><![CDATA[<x>]]>r</b></a>", "")


@pytest.mark.parametrize(
    ("namespaces", "sqlstate"), [("{p,u}", "22023"), ("{{p,u,v}}", "22023"), ("{{p,NULL}}", "22004")]
)
def test_namespaces_are_pairs(namespaces: str, sqlstate: str) -> None:
    with pytest.raises(SqlError) as e:
        xml_paths.xpath("//a", "<a/>", namespaces)
    assert e.value.sqlstate == sqlstate


def test_entities_do_not_multiply() -> None:
    many = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 9))
    laughs = f'<!DOCTYPE a [<!ENTITY l0 "lol">{many}]><a>&l8;</a>'
    square = f'<!DOCTYPE a [<!ENTITY l "{"x" * 9000}">]><a>{"&l;" * 9000}</a>'
    nested = '<!DOCTYPE a [<!ENTITY k "v"><!ENTITY l "&k;&k;">]><a>&l;</a>'
    for document in (laughs, square, nested):
        with pytest.raises(SqlError) as e:
            xml_paths.xpath("string(/a)", document, "")
        assert e.value.sqlstate in ("54000", "2200M")


def test_nothing_outside_of_the_document_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text("<!ENTITY k 'secret'>")
    for head in (
        f'<!ENTITY x SYSTEM "{secret.as_uri()}">',
        f'<!ENTITY % p SYSTEM "{secret.as_uri()}"> %p; <!ENTITY x "y">',
    ):
        for path in ("string(/a)", "/a", "//text()"):
            assert "secret'" not in str(xml_paths.xpath(path, f"<!DOCTYPE a [{head}]><a>&x;</a>", ""))
    outside = f'<!DOCTYPE a SYSTEM "{secret.as_uri()}"><a>x</a>'
    assert xml_paths.xpath("string(/a)", outside, "") == ["x"]


def test_paths_that_would_take_hours_are_refused() -> None:
    document = f"<a>{'<b/>' * 15_000}</a>"
    with pytest.raises(SqlError) as e:
        xml_paths.xpath("count(//*/following::*/preceding::*)", document, "")
    assert e.value.sqlstate == "54001"
    assert xml_paths.xpath("count(//*)", document, "") == ["15001"]
    assert xml_paths.xpath("count(//a//b)", document, "") == ["15000"]
