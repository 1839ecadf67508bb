"""The lexer, rule by rule: what each piece of text is, and where what it is not is refused."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as s

from planner import lexer
from planner.abc import PlanError
from planner.lexer import (
    BITS,
    DECIMAL,
    END,
    HEX,
    INTEGER,
    OPERATOR,
    PARAMETER,
    PUNCTUATION,
    QUOTED,
    STRING,
    WORD,
    tokenize,
)

ONE_TOKEN = [
    ("SELECT", WORD, "select"),
    ("a_b$1", WORD, "a_b$1"),
    ("Ümlaut", WORD, "Ümlaut"),
    ("ÄBC", WORD, "Äbc"),
    ('"Mixed ""x"""', QUOTED, 'Mixed "x"'),
    ('U&"d\\0061t\\+000061"', QUOTED, "data"),
    ("U&\"d!0061t\" UESCAPE '!'", QUOTED, "dat"),
    ("'it''s'", STRING, "it's"),
    ("'a\\n'", STRING, "a\\n"),
    ("'a'\n  'b'", STRING, "ab"),
    ("'a' -- why\n 'b'", STRING, "ab"),
    ("E'a\\tb\\\\\\'\\x41\\101\\u0042\\U00000043'", STRING, "a\tb\\'AABC"),
    ("e'\\xc3\\xa9'", STRING, "é"),
    ("E'\\uD83D\\uDE00'", STRING, "😀"),
    ("U&'\\0441\\+01F600\\\\'", STRING, "с😀\\"),
    ("U&'!0441' uescape '!'", STRING, "с"),
    ("N'x'", STRING, "x"),
    ("$$it's$$", STRING, "it's"),
    ("$tag$ $$ $other$ $tag$", STRING, " $$ $other$ "),
    ("B'0101'", BITS, "0101"),
    ("x'fF'", HEX, "fF"),
    ("42", INTEGER, "42"),
    ("4.2", DECIMAL, "4.2"),
    ("4.", DECIMAL, "4."),
    (".5", DECIMAL, ".5"),
    ("1e10", DECIMAL, "1e10"),
    ("1.5E-3", DECIMAL, "1.5E-3"),
    ("$12", PARAMETER, "12"),
    ("->>", OPERATOR, "->>"),
    ("!=", OPERATOR, "<>"),
    ("@-", OPERATOR, "@-"),
    ("::", PUNCTUATION, "::"),
    (":=", PUNCTUATION, ":="),
    ("a" * 70, WORD, "a" * 63),
    ('"' + "é" * 40 + '"', QUOTED, "é" * 31),
]


@pytest.mark.parametrize(("text", "kind", "value"), ONE_TOKEN)
def test_one_token(text: str, kind: int, value: str) -> None:
    token, end = tokenize(text)
    assert (token.kind, token.value, token.start, token.end) == (kind, value, 0, len(text))
    assert end.kind == END


SEVERAL = [
    ("$1,$2", ["1", ",", "2"]),
    ("$1+$2", ["1", "+", "2"]),
    ("a+-1", ["a", "+", "-", "1"]),
    ("a*-1", ["a", "*", "-", "1"]),
    ("a=-1", ["a", "=", "-", "1"]),
    ("a<-1", ["a", "<", "-", "1"]),
    ("a@-1", ["a", "@-", "1"]),
    ("a- -1", ["a", "-", "-", "1"]),
    ("a--b", ["a"]),
    ("a-/*c*/b", ["a", "-", "b"]),
    ("a/* x /* y */ z */b", ["a", "b"]),
    ("1..2", ["1", "..", "2"]),
    ("a.b", ["a", ".", "b"]),
    ("t.*", ["t", ".", "*"]),
    ("a::int[]", ["a", "::", "int", "[", "]"]),
    ("a[1:2]", ["a", "[", "1", ":", "2", "]"]),
    ("'a' 'b'", ["a", "b"]),
    ("x=>1", ["x", "=>", "1"]),
    ("a<>-b", ["a", "<>", "-", "b"]),
    ("a|/b", ["a", "|/", "b"]),
    ("e.f", ["e", ".", "f"]),
    ("'a'--\n'b'", ["ab"]),
]


@pytest.mark.parametrize(("text", "values"), SEVERAL)
def test_several_tokens(text: str, values: list[str]) -> None:
    assert [t.value for t in tokenize(text)[:-1]] == values


REFUSED = [
    ("select 'abc", "42601", 'unterminated quoted string at or near "\'abc"', 8),
    ("select E'a\\'", "42601", "unterminated quoted string at or near \"E'a\\'\"", 8),
    ('select "abc', "42601", 'unterminated quoted identifier at or near ""abc"', 8),
    ('select ""', "42601", 'zero-length delimited identifier at or near """"', 8),
    ("select /* b", "42601", 'unterminated /* comment at or near "/* b"', 8),
    ("$x$ abc", "42601", 'unterminated dollar-quoted string at or near "$x$ abc"', 1),
    ("b'01", "42601", 'unterminated bit string literal at or near "b\'01"', 1),
    ("select 123abc", "42601", 'trailing junk after numeric literal at or near "123abc"', 8),
    ("select 0x1F", "42601", 'trailing junk after numeric literal at or near "0x1F"', 8),
    ("select 1_000", "42601", 'trailing junk after numeric literal at or near "1_000"', 8),
    ("select 1e+", "42601", 'trailing junk after numeric literal at or near "1e+"', 8),
    ("select $1a", "42601", 'trailing junk after parameter at or near "$1a"', 8),
    ("select {", "42601", 'syntax error at or near "{"', 8),
    ("select E'\\u12'", "22025", "invalid Unicode escape", 10),
    ("select E'a\\uD800x'", "42601", 'invalid Unicode surrogate pair at or near "x"', 17),
    ("select E'\\uDC00'", "42601", 'invalid Unicode surrogate pair at or near "\\uDC00"', 10),
    ("select E'\\uD800'", "42601", 'invalid Unicode surrogate pair at or near "\'"', 16),
    ("select U&'a' uescape 'xx'", "42601", "invalid Unicode escape character at or near \"'xx'\"", 22),
    ("select U&'\\12'", "42601", "invalid Unicode escape", 11),
    ("select E'\\xff'", "22021", 'invalid byte sequence for encoding "UTF8": 0xff', 0),
    ("select E'\\000'", "22021", 'invalid byte sequence for encoding "UTF8": 0x00', 0),
]


@pytest.mark.parametrize(("text", "state", "message", "position"), REFUSED)
def test_what_postgresql_refuses(text: str, state: str, message: str, position: int) -> None:
    with pytest.raises(PlanError) as caught:
        tokenize(text)
    assert (caught.value.sqlstate, caught.value.message, caught.value.position) == (state, message, position)


@given(s.text(max_size=60))
def test_any_text_is_tokens_in_order_or_an_error(text: str) -> None:
    """Tokens never overlap, never run backwards, and lie within the text."""
    try:
        tokens = tokenize(text)
    except PlanError as e:
        assert 0 <= e.position <= len(text) + 1
        return
    at = 0
    for token in tokens:
        assert at <= token.start <= token.end <= len(text)
        at = token.end
    assert tokens[-1].kind == END


@given(s.text(max_size=30).filter(lambda x: "\0" not in x))
def test_a_quoted_literal_reads_back(value: str) -> None:
    quoted = "'" + value.replace("'", "''") + "'"
    assert tokenize(quoted)[0].value == value
    assert tokenize("$q$" + value + "$q$")[0].value == value or "$q$" in value or value.endswith("$q")


@pytest.mark.parametrize("string", ["'a'", "E'a'", "U&'a'", "B'1'"])
@pytest.mark.parametrize(
    "between",
    ["\n" + " " * 5_000, "\n" * 5_000, " " + "-" * 5_000 + "\n", ("\n" + " " * 40) * 200, "--x\n" * 2_000],
)
def test_what_stands_between_a_string_and_the_next_word_is_read_once(string: str, between: str) -> None:
    """Queries in programs are indented: ways of dividing the indentation must not be tried one after the other."""
    assert tokenize(f"{string}{between}x")[1].kind == WORD
    assert tokenize(f"{string}{between}'0'")[0].value.endswith("0")


def test_character_classes_said_by_what_they_are_not() -> None:
    """`[^...]` compiles a hundred times as fast as a class up to the last character of Unicode, and is the same."""
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    high = "\x80-\U0010ffff"
    for said, meant in (
        (lexer._LETTER, f"[A-Za-z_{high}]"),
        (lexer._LETTER_OR_DIGIT, f"[A-Za-z0-9_{high}]"),
        (lexer._LETTER_DIGIT_DOLLAR, f"[A-Za-z0-9_${high}]"),
    ):
        assert re.findall(said, everything) == re.findall(meant, everything)
