"""One document, written down in three languages: how EXPLAIN (FORMAT JSON | XML | YAML) prints what it tells.

    {"Plan": {"Node Type": "Index Scan", "Plans": [{...}]}, "Engine": "keyed"}

    JSON    [ { "Plan": { "Node Type": "Index Scan", ...
    XML     <explain ...> <Query> <Plan> <Node-Type>Index Scan</Node-Type> <Plans> <Plan> ...
    YAML    - Plan:
                Node Type: "Index Scan"
                Plans:
                  - ...

Each is one row, laid out as PostgreSQL lays it out, for people read it and tools compare it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from xml.sax.saxutils import escape

Document = Mapping[str, Any]

_ELEMENTS: Final = {"Plans": "Plan"}
"""What the members of a list are called in XML, where they are not items."""


def _json(document: Document) -> str:
    return json.dumps([document], indent=2)


def _xml(document: Document) -> str:
    inner = [f"    {line}" for key, value in document.items() for line in _elements(key, value)]
    head = '<explain xmlns="http://www.postgresql.org/2009/explain">'
    return "\n".join([head, "  <Query>", *inner, "  </Query>", "</explain>"])


def _elements(name: str, value: Any) -> Iterator[str]:
    tag = re.sub(r"[^A-Za-z0-9_.-]", "-", name)
    if isinstance(value, Mapping):
        lines = [line for key, inner in value.items() for line in _elements(key, inner)]
    elif isinstance(value, list):
        lines = [line for inner in value for line in _elements(_ELEMENTS.get(name, "Item"), inner)]
    else:
        yield f"<{tag}>{escape(_plain(value))}</{tag}>"
        return
    yield f"<{tag}>"
    yield from (f"  {line}" for line in lines)
    yield f"</{tag}>"


def _yaml(document: Document) -> str:
    return "- " + "\n  ".join(_entries(document))


def _entries(members: Mapping[str, Any]) -> Iterator[str]:
    for key, value in members.items():
        if isinstance(value, Mapping):
            yield f"{key}: "
            yield from (f"  {line}" for line in _entries(value))
        elif isinstance(value, list):
            yield f"{key}: "
            for inner in value:
                first, *more = _entries(inner) if isinstance(inner, Mapping) else [_scalar(inner)]
                yield f"  - {first}"
                yield from (f"    {line}" for line in more)
        else:
            yield f"{key}: {_scalar(value)}"


def _scalar(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else _plain(value)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


WRITTEN: Final[Mapping[str, Callable[[Document], str]]] = {"json": _json, "xml": _xml, "yaml": _yaml}
"""How a document is written, by format."""
