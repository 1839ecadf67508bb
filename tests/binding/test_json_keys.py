"""Keys of JSON objects become text, as strings do: what no text can hold is refused by name."""

from __future__ import annotations

import pytest

from planner.abc import SqlError
from planner.binding.prelude.json import spans
from planner.types.json_errors import refuse_escapes


@pytest.mark.parametrize(
    ("document", "sqlstate", "detail"),
    [
        (r'{"a\u0000": 1}', "22P05", r"\u0000 cannot be converted to text."),
        (r'{"\ud800": 1}', "22P02", "Unicode low surrogate must follow a high surrogate."),
        (r'{"\ud800\ud800": 1}', "22P02", "Unicode high surrogate must not follow a high surrogate."),
    ],
)
def test_a_key_that_cannot_be_text_is_refused(document: str, sqlstate: str, detail: str) -> None:
    with pytest.raises(SqlError) as refused:
        refuse_escapes(document)
    assert (refused.value.sqlstate, refused.value.detail) == (sqlstate, detail)


def test_a_pair_of_surrogates_is_a_character() -> None:
    assert spans(r'{"\ud83d\ude00": 1.50}') == [("\U0001f600", "1.50")]
