"""xml: a text that is well-formed, as a document or as content (what may stand within an element).

It is kept as it was written, and shown without the encoding that it declares: what is sent is in another one anyway. Of
a declaration nothing is left that says no more than `version="1.0"`.

expat says whether it is well-formed; its words for what is not are others than libxml2's, so DETAIL is.
"""

from __future__ import annotations

import re
from typing import Final
from xml.parsers import expat

from planner.abc import SqlError
from planner.types import oids
from planner.types.base import WHITESPACE, TextInput, TextOutput
from planner.types.settings import TypeSettings
from planner.types.texts import TextType

_Q: Final = """("[^"]*"|'[^']*')"""
DECLARATION: Final = re.compile(
    rf"<\?xml\s+version\s*=\s*{_Q}(?:\s+encoding\s*=\s*{_Q})?(?:\s+standalone\s*=\s*(\"yes\"|'yes'|\"no\"|'no'))?\s*\?>"
)
_BEGUN: Final = re.compile(r"<\?xml(?![\w.:-])")
_DOCTYPE: Final = re.compile(r"(?:\s|<!--.*?-->|<\?.*?\?>)*<!DOCTYPE\s", re.DOTALL)


def without_declaration(text: str) -> str:
    """What comes after the declaration. Raises 2200N for one that is malformed."""
    if _BEGUN.match(text) is None:
        return text
    declared = DECLARATION.match(text)
    if declared is None:
        raise SqlError("2200N", "invalid XML content: invalid XML declaration")
    return text[declared.end() :]


def declared(text: str) -> tuple[str, str]:
    """Version and standalone that a text says of itself, empty where it does not."""
    found = DECLARATION.match(text)
    if found is None:
        return "", ""
    return found[1][1:-1], found[3][1:-1] if found[3] else ""


def problem(text: str, *, document: bool) -> str:
    """What is wrong with a text without declaration, and where; nothing if it is well-formed."""
    whole = document or _DOCTYPE.match(text) is not None
    parser = expat.ParserCreate("utf-8")
    written = text if whole else f"<r>{text}</r>"  # what ends the element too early is an error behind it
    try:
        parser.Parse(written.encode(), True)
    except expat.ExpatError as e:
        return f"line {e.lineno}: {expat.ErrorString(e.code)}"
    return ""


def xml_in(text: str) -> str:
    """Raises 2200N."""
    wrong = problem(without_declaration(text), document=False)
    if wrong:
        raise SqlError("2200N", "invalid XML content", detail=wrong)
    return text


def is_well_formed(text: str) -> bool:
    """As content."""
    return _is_declared_well(text) and not problem(without_declaration(text), document=False)


def is_document(text: str) -> bool:
    return _is_declared_well(text) and not problem(
        without_declaration(text).lstrip(WHITESPACE), document=True
    )


def _is_declared_well(text: str) -> bool:
    return _BEGUN.match(text) is None or DECLARATION.match(text) is not None


def xml_out(text: str) -> str:
    """Without the encoding, and without a declaration that says nothing else."""
    declared = DECLARATION.match(text)
    if declared is None:
        return text.removeprefix("\n")
    version, standalone = declared[1][1:-1], declared[3]
    rest = text[declared.end() :]
    if version == "1.0" and standalone is None:
        return rest.removeprefix("\n")
    alone = f' standalone="{standalone[1:-1]}"' if standalone else ""
    return f'<?xml version="{version}"{alone}?>{rest}'


def from_binary(data: bytes) -> str:
    """In the encoding that it declares. Raises 0A000 for one that is not known, 22021, 2200N."""
    head = DECLARATION.match(bytes(data[:200]).decode("latin-1"))
    encoding = head[2][1:-1] if head is not None and head[2] else "utf-8"
    try:
        return xml_in(bytes(data).decode(encoding))
    except LookupError:
        raise SqlError("0A000", f'XML in the encoding "{encoding}" is not supported') from None
    except UnicodeDecodeError:
        raise SqlError("22021", f'invalid byte sequence for encoding "{encoding.upper()}"') from None


class XmlType(TextType):
    """xml, read as content."""

    def __init__(self) -> None:
        super().__init__(oids.XML)

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return xml_in

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return xml_out
