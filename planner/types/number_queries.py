"""query_int: text, in the form in which PostgreSQL shows it (`planner.extensions.number_queries`)."""

from __future__ import annotations

from planner.extensions.number_queries import query_in
from planner.types.base import TextInput
from planner.types.settings import TypeSettings
from planner.types.texts import TextType


class NumberQueryType(TextType):
    """Which numbers are in an array."""

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return query_in
