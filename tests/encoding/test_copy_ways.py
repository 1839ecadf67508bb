"""COPY FROM reads a block in one of two ways, by columns or row by row: they must never differ."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executor.abc import CopyOptions
from pgwire.encoding import copy_decoder
from pgwire.encoding.copy_binary import HEADER, TRAILER
from pgwire.encoding.copy_csv import CsvDecoder
from pgwire.encoding.copy_text import TextDecoder
from planner.abc import ResultColumn, SqlError
from planner.types import TypeSettings, to_datums
from tests.types.samples import DATES, INTERVALS, SPELLINGS, STAMPS, TIMES, type_of

LINES = {"text": TextDecoder, "csv": CsvDecoder}
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


@pytest.mark.parametrize(
    ("row", "options"),
    [
        ("0x1F,1", CSV),
        ('"0x1F",1', CSV),
        ('" 0X1f ",1', CSV),
        ("1\n0x1F ,1", CSV),
        ("0x1F\t1", CopyOptions()),
        ("5A0x1F", CopyOptions(delimiter="A")),
        ("0x1F 1", CopyOptions(delimiter=" ")),
    ],
)
def test_numbers_of_base_16_are_not_taken_wherever_they_stand(row: str, options: CopyOptions) -> None:
    data = f"{row}\n".encode()
    assert isinstance(outcome("int4", data, options, True), tuple)
    assert outcome("int4", data, options, True) == outcome("int4", data, options, False)


@pytest.mark.parametrize("header", ["", "a,b\n", '"a\nx",b\n'])
def test_texts_that_begin_like_such_numbers_and_headers_leave_a_block_to_arrow(header: str) -> None:
    """Row by row a block takes thirty times as long."""
    columns = (ResultColumn("a", type_of("text")), ResultColumn("b", type_of("int4")))
    decoder = CsvDecoder(columns, CopyOptions("csv", ",", "", bool(header)), TypeSettings(), "t")
    by_row: list[bytes] = []
    exact = decoder._exact
    decoder._exact = lambda block: by_row.append(block) or exact(block)  # type: ignore[method-assign,func-returns-value]
    rows = b'"Main Street 0x7 b, c",1\n"x, 0X7f Paris",2\n' * 10
    assert sum(b.num_rows for b in decoder.feed(header.encode() + rows) + decoder.finish()) == 20
    assert by_row == ([header.encode()] if header else [])


@settings(max_examples=150, deadline=None)
@given(text=st.text(st.sampled_from('ab"\n,'), max_size=200))
def test_the_ends_of_the_first_and_the_last_row_are_those_of_all(text: str) -> None:
    decoder = CsvDecoder((), CSV)
    data = text.encode()
    ends = decoder._row_ends(data) or [0]
    assert (decoder.first_row_end(data), decoder.last_row_end(data)) == (ends[0], ends[-1])


@pytest.mark.parametrize("form", ["text", "csv"])
@pytest.mark.parametrize(
    ("row", "said"),
    [
        (None, ""),
        (31, "x"),  # an error in the middle of many blocks, and it names its line
        (31, '7\n"'),  # a line more or less changes where later blocks begin
        (57, "0x1F"),  # what Arrow takes for a number
        (20, "\\."),  # the end of the data: what comes after it is not looked at
    ],
)
@pytest.mark.parametrize("header", [False, True])
def test_blocks_that_are_read_side_by_side_are_those_read_one_after_the_other(
    form: str, row: int | None, said: str, header: bool
) -> None:
    lines = ["a,b"] if header else []
    for i in range(60):
        lines.append(said if i == row and said == "\\." else f"text {i % 7},{said if i == row else i}")
    data = "".join(f"{line}\n" for line in lines).encode()
    delimiter = "," if form == "csv" else "\t"
    if form == "text":
        data = data.replace(b",", b"\t")
    options = CopyOptions(form, delimiter, "" if form == "csv" else "\\N", header)

    def read(pieces: list[bytes], fast: bool) -> object:
        columns = (ResultColumn("a", type_of("text")), ResultColumn("b", type_of("int4")))
        decoder = LINES[form](columns, options, TypeSettings(), "t", 64)
        decoder._fast_enabled = fast
        try:
            batches = [b for piece in pieces for b in decoder.feed(piece)] + decoder.finish()
        except SqlError as e:
            return e.sqlstate, e.message, e.detail, e.context
        return [row for b in batches for row in zip(*(c.to_pylist() for c in b.columns), strict=True)]

    by_row = read([data], fast=False)
    assert read([data], fast=True) == by_row  # many blocks at once
    assert read([data[i : i + 50] for i in range(0, len(data), 50)], fast=True) == by_row  # and one by one


@pytest.mark.parametrize("block_bytes", [16, 64, 1 << 20])
@pytest.mark.parametrize(
    "end",
    ["\\.\n\n\n", "\\.\n", "\\.", "x\t1\\.\n", "\\\n\\.\n", "\\.\r\n", "\\.x\n", "a\\.b\t7\n", "\\.\nx\ty\n"],
)
def test_the_end_marker_is_read_row_by_row_and_what_stands_before_it_is_not(
    end: str, block_bytes: int
) -> None:
    data = ("".join(f"text {i % 7}\t{i}\n" for i in range(40)) + end).encode()
    columns = (ResultColumn("a", type_of("text")), ResultColumn("b", type_of("int4")))

    def read(fast: bool) -> tuple[object, int]:
        decoder = TextDecoder(columns, CopyOptions(), TypeSettings(), "t", block_bytes)
        decoder._fast_enabled = fast
        by_row: list[bytes] = []
        exact = decoder._exact
        decoder._exact = lambda block: by_row.append(block) or exact(block)  # type: ignore[method-assign, func-returns-value]
        try:
            batches = decoder.feed(data) + decoder.finish()
        except SqlError as e:
            return (e.sqlstate, e.message, e.detail, e.context), 0
        rows = [row for b in batches for row in zip(*(c.to_pylist() for c in b.columns), strict=True)]
        return rows, sum(block.count(b"text") for block in by_row)

    quick, by_row = read(fast=True)
    assert quick == read(fast=False)[0]
    if end.startswith("\\.\n"):
        assert by_row == 0


@pytest.mark.parametrize(
    "words", [[b"abc", b"def"], ["äb".encode(), b"xyz"], [b"", b""], [b"a\0b", b"abc"], [b"\xffab", b"abc"]]
)
@pytest.mark.parametrize("name", ["text", "varchar(3)", "char(3)", "bytea"])
def test_texts_of_one_length_in_binary(name: str, words: list[bytes]) -> None:
    """Rows that are all as long as each other are found without a look at each."""
    end = b"\x00\x00\x00\x04\x00\x00\x00\x07"
    rows = b"".join(b"\x00\x02" + len(v).to_bytes(4, "big") + v + end for v in words * 20)
    data, binary = HEADER + rows + TRAILER, CopyOptions(format="binary")
    assert outcome(name, data, binary, True) == outcome(name, data, binary, False)
