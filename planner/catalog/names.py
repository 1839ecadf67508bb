"""Names in messages and SQL text: when quoted, and what is said of one that is not there."""

from __future__ import annotations

import re
from typing import Final

from planner.abc import PlanError
from planner.keywords import NEEDS_QUOTES

_SAFE: Final = re.compile(r"[a-z_][a-z0-9_]*\Z")


def quote_identifier(name: str) -> str:
    """As quote_ident(): quoted only if it must be."""
    if _SAFE.match(name) is not None and name not in NEEDS_QUOTES:
        return name
    return '"' + name.replace('"', '""') + '"'


def quote_qualified(schema: str, name: str) -> str:
    return quote_identifier(schema) + "." + quote_identifier(name) if schema else quote_identifier(name)


def split_name(text: str) -> tuple[str, str]:
    """(schema or empty, name) of a possibly quoted, possibly qualified name."""
    parts: list[str] = []
    i = 0
    text = text.strip()
    while i <= len(text):
        if i < len(text) and text[i] == '"':
            piece = ""
            i += 1
            while i < len(text):
                if text[i] == '"':
                    if text[i + 1 : i + 2] == '"':
                        piece += '"'
                        i += 2
                        continue
                    break
                piece += text[i]
                i += 1
            i += 1
            parts.append(piece)
        else:
            end = text.find(".", i)
            end = len(text) if end < 0 else end
            parts.append(text[i:end].strip().lower())
            i = end
        if i < len(text) and text[i] == ".":
            i += 1
            continue
        break
    return (parts[-2] if len(parts) > 1 else "", parts[-1])


def missing_schema(name: str, position: int = 0) -> PlanError:
    return PlanError("3F000", f'schema "{name}" does not exist', position=position)


def missing_relation(shown: str, kind: str = "relation", position: int = 0) -> PlanError:
    return PlanError("42P01", f'{kind} "{shown}" does not exist', position=position)


def missing_type(shown: str, position: int = 0) -> PlanError:
    return PlanError("42704", f'type "{shown}" does not exist', position=position)
