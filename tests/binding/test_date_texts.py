"""Templates of to_char that strftime says, and those that it does not."""

from __future__ import annotations

import pytest

from planner.binding.functions.date_texts import strftime_format


@pytest.mark.parametrize(
    ("template", "format_"),
    [
        ("YYYY-MM-DD", "%Y-%m-%d"),
        ("yyyymmddhh24miss", "%Y%m%d%H%M%S"),
        ("HH24MISSMS", "%H%M%S%g"),
        ("HH:MI AM", "%I:%M %p"),
        ('YYYY"T"HH12', "%YT%I"),
        ("Dy, DD Mon YY", "%a, %d %b %y"),
        ("FMDay FMMonth DDD", "%A %B %j"),
        ("IYYY-IW", "%G-%V"),
        ("MonDD", "%b%d"),
    ],
)
def test_fields_are_said(template: str, format_: str) -> None:
    assert strftime_format(template) == format_


@pytest.mark.parametrize(
    "template",
    [
        *("", "-", "SSSS", "SSSSS", "ssss", "Month", "Monthly", "DDTH", "DDth", "YYYYY", "YYY", "Y,YYY", "DDDD", "IDDD", "ID", "Yyyy"),
        *("HH244", "FMMM", "%Y YYYY", "YYYY\\MM", '"a', '"%" YYYY', "MON", "am", "TZ", "YYYY BC", "Day", "WW", "Q"),
    ],
)  # fmt: skip
def test_what_is_no_field_or_another_one_is_not(template: str) -> None:
    assert strftime_format(template) is None
