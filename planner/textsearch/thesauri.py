"""Dictionaries that put phrases in the place of others (the template `thesaurus`).

    supernovae stars : *sn                          the phrase that is found is the longest
    booking ? tickets : order invitation cards      ? stands for any stop word, * keeps a word as it is

Words are compared, and what stands for them is kept, as another dictionary has them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from planner.abc import SqlError
from planner.textsearch import files
from planner.textsearch.spelling import Lexeme

Known = Callable[[str], tuple[Lexeme, ...] | None]
"""What the other dictionary makes of a word."""


class Rule(NamedTuple):
    sample: tuple[frozenset[str], ...]
    """For each place the words that may stand there; none: a stop word."""
    substitute: tuple[tuple[Lexeme, ...], ...]
    """One after the other, each in a place of its own."""


class Found(NamedTuple):
    words: int
    """How many of the words that were looked at are the phrase."""
    substitute: tuple[tuple[Lexeme, ...], ...]


class Thesaurus:
    def __init__(self, rules: Iterable[Rule], known: Known) -> None:
        self._known = known
        self._by_first: dict[str, list[Rule]] = defaultdict(list)
        for rule in rules:
            for word in rule.sample[0]:
                self._by_first[word].append(rule)

    def found(self, words: Iterable[str | None]) -> Found | None:
        """The longest phrase that begins with the first of the words; None among them ends every phrase."""
        best: Found | None = None
        open_: list[Rule] = []
        for n, word in enumerate(words):
            known = None if word is None else self._known(word)
            if known is None:
                break
            texts = frozenset(lexeme.text for lexeme in known)
            if n == 0:
                open_ = list({id(r): r for text in texts for r in self._by_first.get(text, ())}.values())
            else:
                open_ = [r for r in open_ if r.sample[n] & texts or not (r.sample[n] or texts)]
            for rule in open_:
                if len(rule.sample) == n + 1:
                    best = Found(n + 1, rule.substitute)
                    break
            open_ = [r for r in open_ if len(r.sample) > n + 1]
            if not open_:
                break
        return best


def read(name: str, known: Known) -> Thesaurus:
    """Raises F0000, 22023, 54000."""
    rules: list[Rule] = []
    for line in files.lines(name, "ths", "thesaurus"):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        left, colon, right = line.partition(":")
        if not colon or not left.split() or not right.split():
            raise SqlError("F0000", "unexpected end of line" if colon else "unexpected delimiter")
        number = len(rules) + 1
        sample = tuple(_sample(word, known, number) for word in left.split())
        rules.append(Rule(sample, tuple(_substitute(word, known, number) for word in right.split())))
    return Thesaurus(rules, known)


def _sample(word: str, known: Known, rule: int) -> frozenset[str]:
    if word == "?":
        return frozenset()
    found = known(word)
    if found is None:
        raise SqlError(
            "F0000", f'thesaurus sample word "{word}" isn\'t recognized by subdictionary (rule {rule})'
        )
    if not found:
        raise SqlError(
            "F0000",
            f'thesaurus sample word "{word}" is a stop word (rule {rule})',
            hint='Use "?" to represent a stop word within a sample phrase.',
        )
    return frozenset(lexeme.text for lexeme in found)


def _substitute(word: str, known: Known, rule: int) -> tuple[Lexeme, ...]:
    if word.startswith("*"):
        return (Lexeme(word[1:]),)
    found = known(word.removeprefix("\\"))
    if found is None:
        raise SqlError(
            "F0000", f'thesaurus substitute word "{word}" isn\'t recognized by subdictionary (rule {rule})'
        )
    if not found:
        raise SqlError("F0000", f'thesaurus substitute word "{word}" is a stop word (rule {rule})')
    return found


__all__ = ["Found", "Known", "Thesaurus", "read"]
