"""jsonb's input has a quick way and an exact one: they must never differ, in what they make of a text or say of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.abc import SqlError
from planner.types import jsons

NUMBERS = (
    *("0", "-0", "0.0", "-0.0", "-0.00", "1.10", "12.50", "0.1", "123.456", "1e2", "1E+2", "1.5e-3", "1e16"),
    *(
        "1e+16",
        "10000000000000000.0",
        "123456789012345.6",
        "1234567890123456.7",
        "0.00001",
        "5e-324",
        "1e400",
    ),
    *("12345678901234567890", "1" * 5000, "1e200000", "-7", "01", "1.", ".5", "+1"),
)
STRINGS = (
    *(
        '"a"',
        '""',
        '"é"',
        '"\\u00e9"',
        '"\\u0000"',
        '"\\ud800"',
        '"\\ud83d\\ude00"',
        '"\\/\\b\\f\\n\\t\x7f"',
        '"\x01"',
    ),
    *('"\\\\u0000"', '"x\\"\\\\u00001\\""', '"aa"', '"b"', '"zz"'),
)
WORDS = ("null", "true", "false", "NaN", "Infinity", "-Infinity", "nul", "")
scalars = st.sampled_from((*NUMBERS, *STRINGS, *WORDS))
blanks = st.sampled_from(("", "", "", " ", "\n\t"))


def _array(parts: list[str], blank: str) -> str:
    return f"[{blank}" + f",{blank}".join(parts) + "]"


def _object(parts: list[tuple[str, str]], blank: str) -> str:
    return "{" + f",{blank}".join(f"{k}:{blank}{v}" for k, v in parts) + f"{blank}}}"


texts = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.builds(_array, st.lists(inner, max_size=4), blanks),
        st.builds(_object, st.lists(st.tuples(st.sampled_from(STRINGS), inner), max_size=5), blanks),
    ),
    max_leaves=12,
)


def _outcome(way: object, text: str) -> object:
    assert callable(way)
    try:
        return way(text)
    except SqlError as e:
        return e.sqlstate, e.message, e.detail, e.context


@settings(max_examples=600, deadline=None)
@given(text=texts)
def test_both_ways_are_the_same(text: str) -> None:
    assert _outcome(jsons.jsonb_in, text) == _outcome(jsons._jsonb_in, text)


@pytest.mark.parametrize("text", [*NUMBERS, *STRINGS, *WORDS, "[" * 100_000, " [1] ", '{"a": 1 "b"}'])
def test_each_scalar(text: str) -> None:
    assert _outcome(jsons.jsonb_in, text) == _outcome(jsons._jsonb_in, text)


@settings(max_examples=200, deadline=None)
@given(text=texts)
def test_what_is_written_is_what_was_read(text: str) -> None:
    try:
        canonical = jsons.jsonb_in(text)
    except SqlError:
        return
    assert jsons.written(jsons.parts_of(canonical)) == canonical
