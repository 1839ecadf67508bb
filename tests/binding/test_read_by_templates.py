"""Texts read by templates, and patterns preferring lengths: what PostgreSQL 15 answers, without one beside."""

from __future__ import annotations

import datetime

import pytest

from planner.abc import SqlError
from planner.binding.prelude.format import FUNCTIONS as FORMATS
from planner.binding.regexps.translation import compile_pattern
from planner.binding.templates.date_input import to_date, to_timestamp
from planner.binding.templates.number_input import to_number
from planner.types.hashing import hash_bytes, hash_long, hash_word, signed

_EPOCH = datetime.datetime(1970, 1, 1)


@pytest.mark.parametrize(
    ("text", "template", "moment"),
    [
        ("0097/Feb/16 --> 08:14:30", "YYYY/Mon/DD --> HH:MI:SS", "0097-02-16 08:14:30"),
        ("97/2/16 8:14:30", "FMYYYY/FMMM/FMDD FMHH:FMMI:FMSS", "0097-02-16 08:14:30"),
        ("2011$03!18 23_38_15", "YYYY-MM-DD HH24:MI:SS", "2011-03-18 23:38:15"),
        ("20050302", "YYYYMMDD", "2005-03-02 00:00:00"),
        ("2005527", "IYYYIWID", "2006-01-01 00:00:00"),
        ("2005-003-1", "IYYY-IDDD-ID", "2005-01-05 00:00:00"),
        ("05/100", "YY/DDD", "2005-04-10 00:00:00"),
        ("2011-12-18 11:38 PM", "YYYY-MM-DD HH12:MI PM", "2011-12-18 23:38:00"),
        ("2011-12-18 11:38 +05:20", "YYYY-MM-DD HH12:MI TZH:TZM", "2011-12-18 06:18:00"),
        ("2018-11-02 12:34:56.12345", "YYYY-MM-DD HH24:MI:SS.FF4", "2018-11-02 12:34:56.123500"),
    ],
)
def test_moments(text: str, template: str, moment: str) -> None:
    found = _EPOCH + datetime.timedelta(microseconds=to_timestamp(text, template, "UTC"))
    assert str(found) == moment


@pytest.mark.parametrize(
    ("text", "template", "sqlstate"),
    [
        ("2005527", "YYYYIWID", "22007"),
        ("19971", "YYYYMMDD", "22007"),
        ("19971)24", "YYYYMMDD", "22007"),
        ("199711xy", "YYYYMMDD", "22007"),
        ("10000000000", "FMYYYY", "22008"),
        ("2016-13-10", "YYYY-MM-DD", "22008"),
        ("15:00", "HH12:MI", "22007"),
        ("2020", "TZ", "0A000"),
    ],
)
def test_texts_that_do_not_fit(text: str, template: str, sqlstate: str) -> None:
    with pytest.raises(SqlError) as raised:
        to_date(text, template)
    assert raised.value.sqlstate == sqlstate


@pytest.mark.parametrize(
    ("text", "template", "number"),
    [
        ("-34,338,492", "99G999G999", "-34338492"),
        ("<564646.654564>", "999999.999999PR", "-564646.654564"),
        ("5.01-", "FM9.999999MI", "-5.01"),
        ("5 4 4 4 4 8 . 7 8", "9 9 9 9 9 9 . 9 9", "544448.78"),
        ("123000", "999G", "123"),
        ("$1,234.56", "L99,999.99", "1234.56"),
        ("42nd", "99th", "42"),
        ("123", "9V99", "1.2300000000000000"),
    ],
)
def test_numbers(text: str, template: str, number: str) -> None:
    assert to_number(text, template) == number


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [
        ("xyz", "x|xyz", "xyz"),
        ("foobar", "b(?:.|..)", "bar"),
        ("http://x/", "https?|http://", "http://"),
        ("XY1234Z", "Y*?[0-9]{1,3}", "Y1"),
        ("<a><b>", r"\s*<.*?>", "<a><b>"),
        ("<a><b>", "<.*?>", "<a>"),
        ("ab123", r"^.*?\d+$", "ab123"),
    ],
)
def test_lengths_of_matches(text: str, pattern: str, found: str) -> None:
    match = compile_pattern(pattern, "").search(text)
    assert match is not None
    assert match[0] == found


@pytest.mark.parametrize("pattern", ["a++", "(?>a)", "(?<n>a)", "a{300}", "a{1", "(?z)a"])
def test_patterns_of_other_languages(pattern: str) -> None:
    with pytest.raises(SqlError) as raised:
        compile_pattern(pattern, "")
    assert raised.value.sqlstate == "2201B"


@pytest.mark.parametrize(
    ("template", "args", "made"),
    [
        (">>%1$*2$s<<", ["abc", "10"], ">>       abc<<"),
        (">>%-*s<<", ["10", "Hello"], ">>Hello     <<"),
        (">>%2$*1$L<<", ["10", None], ">>      NULL<<"),
        ("%*s|", ["-5", "a"], "a    |"),
        ("%s %% %I", ["a", "B"], 'a % "B"'),
    ],
)
def test_format(template: str, args: list[str | None], made: str) -> None:
    ((_, function, _, _),) = FORMATS
    assert function(template, args) == made


def test_hashes_are_postgresqls() -> None:
    assert signed(hash_bytes(b"a"), 32) == 1075015857
    assert signed(hash_word(5), 32) == -1330264708
    assert signed(hash_long(-7), 32) == -82204417
    assert signed(hash_bytes(b"hello world, how are you", 42), 64) == -931906032101711207
    assert signed(hash_long(-7, 8), 64) == -3198026244017241523
