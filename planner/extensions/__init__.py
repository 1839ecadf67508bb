"""The extensions that CREATE EXTENSION knows: functions and operators that are there for those who ask for them.

    CREATE EXTENSION pg_trgm     a row of the catalog: from now on `similarity` and `%` are found in its schema

What an extension consists of are facts, extracted from PostgreSQL (`facts/`, by `extract`); how its functions are
computed is in the modules of this package, which know nothing of catalogs and sessions. Members are no objects of the
catalog: the extension is, and its members come and go with it (`planner.binding.offered`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent / "facts"


@dataclass(frozen=True, slots=True)
class Known:
    """What an extension's control file says."""

    name: str
    version: str
    relocatable: bool
    superuser: bool
    trusted: bool
    comment: str


def facts(name: str) -> list[list[str]]:
    """The rows of a file of facts; the first column of each is an extension."""
    text = (_FOLDER / f"{name}.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line]


@lru_cache(maxsize=1)
def known() -> dict[str, Known]:
    """All that can be created, by name."""
    return {
        name: Known(name, version, relocatable == "1", superuser == "1", trusted == "1", comment)
        for name, version, _, relocatable, superuser, trusted, _, comment in facts("extensions")
    }


METHODS: Final = {"hnsw": ("vector", 15_980), "ivfflat": ("vector", 15_981)}
"""Access methods that extensions bring: whose they are, and their OIDs, which are the same in every database. Their indexes are kept, listed
and dumped; no query is answered by one, so what is nearest is always found."""


@lru_cache(maxsize=1)
def function_names() -> dict[str, frozenset[str]]:
    """The names of each extension's functions."""
    return {name: frozenset(r[1] for r in facts("procs") if r[0] == name) for name in known()}


@lru_cache(maxsize=1)
def _classes() -> dict[tuple[str, str], tuple[str, str]]:
    return {(method, name): (extension, of) for extension, method, name, of, *_ in facts("classes")}


def class_of(method: str, name: str) -> tuple[str, str] | None:
    """The extension that a class of operators of an index method belongs to, and the type that it is for."""
    return _classes().get((method, name))


@lru_cache(maxsize=1)
def _defaults() -> dict[tuple[str, str], tuple[str, str]]:
    return {
        (method, of): (extension, name)
        for extension, method, name, of, is_default, _ in facts("classes")
        if is_default == "1"
    }


def default_of(method: str, of: str) -> tuple[str, str]:
    """The extension and the class that it brings for an index of a method over the type, where none is said; empty for none."""
    return _defaults().get((method, of), ("", ""))


__all__ = ["METHODS", "Known", "class_of", "default_of", "facts", "function_names", "known"]
