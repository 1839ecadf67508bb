"""Words of a query that stand plainly or within quotes are taken at once; letter by letter they are the same."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.abc import SqlError
from planner.textsearch import words
from planner.textsearch.words import SyntaxFault, WordReader

_NEVER = re.compile(r"(?!)")


def _read(text: str, of_query: bool) -> list[object]:
    reader = WordReader(text, of_query=of_query)
    found: list[object] = []
    try:
        while reader.at < len(text):
            found += [reader.word(), reader.at]
            if (
                reader.at < len(text) and text[reader.at] in ":&|!()<"
            ):  # whoever reads passes by what ends a word
                reader.at += 1
    except (SyntaxFault, SqlError) as e:
        found += [type(e), str(e)]
    return found


@settings(max_examples=500, deadline=None)
@given(text=st.text(st.sampled_from("ab'\\ \t\n:&|!(<\"é"), max_size=14), of_query=st.booleans())
def test_words_are_what_they_are_letter_by_letter(text: str, of_query: bool) -> None:
    at_once = _read(text, of_query)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(words, "_PLAIN", _NEVER)
        patched.setattr(words, "_QUOTED", _NEVER)
        assert _read(text, of_query) == at_once
