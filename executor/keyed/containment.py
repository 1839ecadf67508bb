"""Conditions that an index of parts serves, asked of single rows: documents, arrays, vectors and texts as they are stored.

Only of what `planner.binding.keyed.searched` lets through: elements of arrays are equal here where their texts are.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from executor.keyed.patterns import like
from executor.keyed.registry import scalar
from planner.binding.prelude.one_document import among, contained, read
from planner.terms import QUERIES
from planner.textsearch import matching
from planner.textsearch.configurations import configuration
from planner.types.array_values import parse
from planner.types.letter_case import lowered

_items = lru_cache(maxsize=256)(lambda array: parse(array).items)


@scalar("terms jsonb @>")
def contains(document: str, asked: str) -> bool:
    return contained(asked)(document)


TESTS: Final = {"terms jsonb @>": contained}
"""Of a value that many are asked for: what makes a test of it."""


@scalar("terms jsonb ?")
def has(document: str, key: str) -> bool:
    return among(read(document, 0)[0], key)


@scalar("terms jsonb ?|")
def has_any(document: str, keys: str) -> bool:
    value = read(document, 0)[0]
    return any(among(value, key) for key in _items(keys) if key is not None)


@scalar("terms jsonb ?&")
def has_all(document: str, keys: str) -> bool:
    value = read(document, 0)[0]
    return all(among(value, key) for key in _items(keys) if key is not None)


@scalar("terms array =")
def equals(array: str, other: str) -> bool:
    return array == other


@scalar("terms words @@", "terms words @@@")
def matches(vector: str, query: str) -> bool:
    return matching.matches(vector, query)


scalar("terms trigrams ~~")(like)


@scalar("terms trigrams ~~*")
def like_in_small(text: str, pattern: str) -> bool:
    return like(lowered(text), lowered(pattern))


@scalar("terms query of")
def query_of(said: str, text: str) -> str:
    return _query(said, text)


@lru_cache(maxsize=256)
def _query(said: str, text: str) -> str:
    name, _, number = said.partition(" ")
    return QUERIES[name](configuration(number), text)
