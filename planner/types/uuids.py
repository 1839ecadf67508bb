"""uuid: a canonical lower-case string; braces, capitals and odd hyphens are accepted on input."""

from __future__ import annotations

import re
from typing import Final

from planner.types import oids
from planner.types.base import TextInput, invalid_input
from planner.types.settings import TypeSettings
from planner.types.texts import TextType

_CANONICAL: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_LOOSE: Final = re.compile(r"(?:[0-9A-Fa-f]{4}-?){7}[0-9A-Fa-f]{4}")


def uuid_in(text: str) -> str:
    if _CANONICAL.fullmatch(text):
        return text
    bare = text[1:-1] if text[:1] == "{" and text[-1:] == "}" else text
    if not _LOOSE.fullmatch(bare):
        raise invalid_input("uuid", text)
    h = bare.replace("-", "").lower()
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


class UuidType(TextType):
    def __init__(self) -> None:
        super().__init__(oids.UUID)

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return uuid_in
