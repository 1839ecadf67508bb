"""Regular expressions come to an end, and mean what they mean to `re`."""

from __future__ import annotations

import re
import threading

import pytest

from planner.abc import SqlError
from planner.binding.regexps import patterns
from planner.binding.regexps.patterns import Pattern

ENDLESS = "^(a|aa)+$", "a" * 60 + "b"


def test_a_match_that_takes_for_ever_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "MATCHING_S_MAX", 0.1)
    pattern, text = ENDLESS
    for ask in (
        lambda p: p.search(text),
        lambda p: p.matches(text),
        lambda p: p.sub(lambda _: "", text),
    ):
        with pytest.raises(SqlError) as told:
            ask(Pattern(pattern, 0))
        assert told.value.sqlstate == "54001"


def test_meanwhile_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "MATCHING_S_MAX", 1.0)
    pattern, text = ENDLESS
    ended = threading.Event()

    def match() -> None:
        with pytest.raises(SqlError):
            Pattern(pattern, 0).search(text)
        ended.set()

    thread = threading.Thread(target=match)
    thread.start()
    steps = 0
    while not ended.is_set():
        steps += 1
    thread.join()
    assert steps > 1_000


@pytest.mark.parametrize(
    ("pattern", "flags", "text"),
    [
        (r"(\w+)@(\w+)\.com", 0, "joe@mail.com, ann@post.com"),
        (r"x*", 0, "axxb"),
        (r"(?:b|(a))+", 0, "abab"),
        (r"^l.*$", re.MULTILINE, "l1\nl2\nk"),
        (r"a.b", re.DOTALL, "a\nb"),
        (r"a.b", 0, "a\nb"),
        (r"STRASSE|é", re.IGNORECASE, "strasse É straße"),
        (r" a  b # words", re.VERBOSE, "ab"),
        (r"[\[\]&~\|]+", 0, "[&&]--~|"),
        (r"(a)(?=b)\1?", 0, "ab aab"),
        (r"a{2,3}\{e<=1}", 0, "aa{e<=1}"),
        (r"\bfoo\b|\Z", 0, "foo food"),
        (r"(?<!a)b", 0, "ab bb"),
    ],
)
def test_patterns_mean_the_same(pattern: str, flags: int, text: str) -> None:
    ours, pythons = Pattern(pattern, flags), re.compile(pattern, flags)
    found = [(m.span(), m.groups()) for m in pythons.finditer(text)]
    assert [(m.span(), m.groups()) for m in ours.matches(text)] == found
    assert [(m.span(), m.groups()) for m in ours.matches(text, 1)] == [
        (m.span(), m.groups()) for m in pythons.finditer(text, 1)
    ]
    first = ours.search(text)
    assert (first and first.span()) == (found[0][0] if found else None)
    assert ours.sub(lambda m: f"<{m[0]}>", text) == pythons.sub(lambda m: f"<{m[0]}>", text)
    assert ours.sub(lambda m: "", text, 1) == pythons.sub("", text, count=1)


def test_what_is_malformed_is_said_by_re() -> None:
    with pytest.raises(re.error, match="unterminated"):
        Pattern("(a", 0)
