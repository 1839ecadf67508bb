"""hstore: a text, in the form in which PostgreSQL shows it (`planner.extensions.hstores`)."""

from __future__ import annotations

from planner.extensions.hstores import hstore_in
from planner.types.base import TextInput
from planner.types.settings import TypeSettings
from planner.types.texts import TextType


class HstoreType(TextType):
    """Texts by key. Equal values are equal texts; their order is one of their own."""

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return hstore_in
