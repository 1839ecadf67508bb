"""The usage example on the room's front page runs, and says what it says."""

from __future__ import annotations

import doctest

import storage


def test_front_page() -> None:
    failures, examples = doctest.testmod(storage)
    assert examples >= 8 and failures == 0
