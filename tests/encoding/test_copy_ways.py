"""COPY FROM reads a block in one of two ways, by columns or row by row: they must never differ."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executor.abc import CopyOptions
from pgwire.encoding import copy_decoder
from planner.abc import ResultColumn, SqlError
from planner.types import TypeSettings, to_datums
from tests.types.samples import DATES, INTERVALS, SPELLINGS, STAMPS, TIMES, type_of

WORDS: dict[str, list[str]] = {
    **SPELLINGS,
    "date": DATES,
    "time": TIMES,
    "timestamp": STAMPS,
    "timestamptz": STAMPS,
    "interval": INTERVALS,
    "varchar(3)": ["abc", "abcd", "abc  ", "äöü", ""],
    "char(3)": ["a", "abcd", "abc  ", "äöü", ""],
}
ALPHABETS = {
    "int4": "0123456789 +-xX_e",
    "int2": "0123456789 -",
    "int8": "0123456789",
    "float8": "0123456789.eE+-infaINFA ",
    "float4": "0123456789.eE+-",
    "numeric(6,2)": "0123456789.eE+- ",
    "bool": "tfTFyn10rue ",
    "date": "0123456789-/ BC",
    "timestamp": "0123456789-: .TZ",
    "timestamptz": "0123456789-: .TZ+",
    "time": "0123456789:.APM ",
    "uuid": "0123456789abcdefABCDEF-{}",
    "text": 'ab\\N,"\t. x0',
    "varchar(3)": 'abä\\N," ',
    "char(3)": "abä ",
}
TEMPLATES = {
    "date": "####-##-##",
    "timestamp": "####-##-## ##:##:##.#",
    "timestamptz": "####-##-## ##:##:##+##",
    "time": "##:##:##",
}


def outcome(name: str, data: bytes, options: CopyOptions, by_columns: bool) -> object:
    ref = type_of(name)
    decoder = copy_decoder(
        (ResultColumn("a", ref), ResultColumn("b", type_of("int4"))), options, TypeSettings(), "t"
    )
    decoder._fast_enabled = by_columns  # type: ignore[attr-defined]
    try:
        batches = decoder.feed(data) + decoder.finish()
    except SqlError as e:
        return e.sqlstate, e.message, e.detail, e.context
    return [repr(to_datums(batch.column(0), ref)) for batch in batches]


CSV = CopyOptions(format="csv", delimiter=",", null="")


@pytest.mark.parametrize("options", [CopyOptions(), CSV], ids=["text", "csv"])
@pytest.mark.parametrize("name", list(WORDS))
def test_known_spellings(name: str, options: CopyOptions) -> None:
    for word in WORDS[name]:
        data = f"{word}{options.delimiter}1\n".encode()
        assert outcome(name, data, options, True) == outcome(name, data, options, False), word


@settings(max_examples=150, deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(ALPHABETS)), options=st.sampled_from([CopyOptions(), CSV]))
def test_random_spellings(data: st.DataObject, name: str, options: CopyOptions) -> None:
    template = TEMPLATES.get(name)
    if template is not None and data.draw(st.booleans()):
        digits = data.draw(st.lists(st.sampled_from("0123456789"), min_size=24, max_size=24))
        word = "".join(digits.pop() if c == "#" else c for c in template)
    else:
        word = data.draw(st.text(st.sampled_from(ALPHABETS[name]), max_size=12))
    lines = f"{word}{options.delimiter}1\n".encode() * data.draw(st.integers(1, 2))
    assert outcome(name, lines, options, True) == outcome(name, lines, options, False)
