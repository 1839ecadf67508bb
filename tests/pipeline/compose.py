"""The compose file and the Dockerfile as data, read as Docker reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docker"
_VARIABLE = re.compile(r"\$(?:\$|\{(\w+)(?::?([?\-])([^}]*))?\})")


def interpolated(value: Any, variables: Mapping[str, str]) -> Any:
    """`${NAME}`, `${NAME:?message}`, `${NAME:-default}` and `$$` in every string. Raises KeyError for what is not set."""

    def put(match: re.Match[str]) -> str:
        if match[1] is None:
            return "$"
        if match[1] in variables:
            return variables[match[1]]
        if match[2] == "-":
            return match[3]
        raise KeyError(match[1])

    if isinstance(value, str):
        return _VARIABLE.sub(put, value)
    if isinstance(value, list):
        return [interpolated(v, variables) for v in value]
    if isinstance(value, dict):
        return {k: interpolated(v, variables) for k, v in value.items()}
    return value


def variables_of(text: str) -> set[str]:
    return {m[1] for m in _VARIABLE.finditer(text) if m[1]}


@dataclass
class Stage:
    """One FROM of a Dockerfile and what follows it."""

    name: str
    base: str
    instructions: list[tuple[str, str]] = field(default_factory=list)

    def last(self, word: str) -> str | None:
        return next((rest for w, rest in reversed(self.instructions) if w == word), None)


def stages(text: str) -> list[Stage]:
    """The stages of a Dockerfile; continued lines are one."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    out: list[Stage] = []
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        word, _, rest = line.strip().partition(" ")
        word, rest = word.upper(), re.sub(r"\s+", " ", rest.strip())
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            out.append(Stage(name.strip(), base.strip()))
        else:
            out[-1].instructions.append((word, rest))
    return out
