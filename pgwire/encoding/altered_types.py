"""Values of types that the session's own transaction has altered.

There is one definition of a type at a time, everybody's (`planner.catalog.user_types`), and its codecs are made for that. Where a
transaction has changed the catalog (`TypeSettings.shown`), values are encoded and decoded while the definitions are its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from planner.types import TypeSettings
from planner.types.settings import Shown

Given = TypeVar("Given")
Made = TypeVar("Made")


def under_types(settings: TypeSettings, work: Callable[[Given], Made]) -> Callable[[Given], Made]:
    """The same work, with the types of who has these settings."""
    shown = settings.shown
    if shown is None:
        return work

    def within(given: Given) -> Made:
        with shown():
            return work(given)

    return within


def pieces_under_types(settings: TypeSettings, pieces: Iterator[Made]) -> Iterator[Made]:
    """The same pieces, each made with the types of who has these settings."""
    shown = settings.shown
    return pieces if shown is None else _each_within(shown, pieces)


def _each_within(shown: Shown, pieces: Iterator[Made]) -> Iterator[Made]:
    while True:
        with shown():
            piece = next(pieces, None)
        if piece is None:
            return
        yield piece
