"""tsvector and tsquery: texts, in the form in which PostgreSQL shows them (`planner.textsearch`)."""

from __future__ import annotations

from planner.textsearch.queries import query_in
from planner.textsearch.vectors import vector_in
from planner.types import oids
from planner.types.base import TextInput
from planner.types.settings import TypeSettings
from planner.types.texts import TextType


class TextSearchType(TextType):
    """tsvector or tsquery. Equal values are equal texts; the order of vectors is one of their own."""

    def __init__(self, oid: int) -> None:
        super().__init__(oid)

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return vector_in if self.oid == oids.TSVECTOR else query_in
