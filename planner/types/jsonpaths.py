"""jsonpath: a value is the path's one spelling, checked when it is read."""

from __future__ import annotations

from planner.types import oids
from planner.types.base import TextInput
from planner.types.settings import TypeSettings
from planner.types.texts import TextType


class JsonPathType(TextType):
    def __init__(self) -> None:
        super().__init__(oids.JSONPATH)

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        from planner.jsonpath import canonical  # its regular expressions live above the types

        return canonical
