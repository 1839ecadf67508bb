"""ltree, lquery and ltxtquery: texts, in the form in which PostgreSQL shows them (`planner.extensions.ltrees`)."""

from __future__ import annotations

from typing import Final

from planner.extensions.ltree_patterns import lquery_in, ltxtquery_in
from planner.extensions.ltrees import ltree_in
from planner.types import oids
from planner.types.base import TextInput
from planner.types.settings import TypeSettings
from planner.types.texts import TextType

_INPUT: Final = {oids.LTREE: ltree_in, oids.LQUERY: lquery_in, oids.LTXTQUERY: ltxtquery_in}


class LtreeType(TextType):
    """Labels from the root, and patterns over them."""

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return _INPUT[self.oid]
