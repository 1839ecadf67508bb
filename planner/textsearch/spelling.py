"""Dictionaries of spellings (the template `ispell`): a word's normal forms, and the words that a compound is put together of.

    bookings           booking, book                    by an affix at the end, at the beginning, or at both
    footballklubber    footballklubber | foot & ball & klubber | football & klubber

Each way to take a compound apart is a **variant**: words that belong together; a word's normal forms are variants of one word each.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from planner.abc import SqlError
from planner.textsearch import affixes, files
from planner.textsearch.affixes import ANYWHERE, BEGIN, CROSS, FORBID, LAST, MIDDLE, ONLY, Affix, Affixes
from planner.types.letter_case import lowered

WORD_MAX: Final = 256
STEPS_MAX: Final = 20_000
"""Of taking one word apart."""


class Lexeme(NamedTuple):
    """What is searched for. `variant`: those that have the same one belong together."""

    text: str
    variant: int = 0
    prefix: bool = False


@dataclass(slots=True)
class _Word:
    flags: frozenset[str]
    places: int


@dataclass(slots=True)
class Spelling:
    """A dictionary file and an affix file."""

    words: dict[str, _Word]
    affixes: Affixes
    _sorted: list[str] = field(default_factory=list)
    _prefixes: dict[str, list[Affix]] = field(default_factory=lambda: defaultdict(list))
    _suffixes: dict[str, list[Affix]] = field(default_factory=lambda: defaultdict(list))
    _joints: list[tuple[str, bool]] = field(default_factory=list)
    """What may stand between the words of a compound, and whether it is the end of the one before it."""

    def __post_init__(self) -> None:
        self._sorted = sorted(self.words)
        used = frozenset[str]().union(*(w.flags for w in self.words.values()))
        for affix in self.affixes.affixes:
            (self._suffixes if affix.suffix else self._prefixes)[affix.found].append(affix)
        joints = [
            (a.found, a.suffix)
            for a in self.affixes.affixes
            if a.allowed & ANYWHERE and a.found and a.flag in used
        ]
        self._joints = sorted(dict.fromkeys(joints), key=lambda joint: (joint[1], joint[0]))

    # --- one word --------------------------------------------------------------------------------------

    def _knows(self, word: str, flag: str, place: int) -> bool:
        """Whether the file has the word, for what its affix's flag says, to stand at this place of a compound (0: alone)."""
        known = self.words.get(word)
        if known is None:
            return False
        allowed = known.places & place if place else not known.places & ONLY
        return bool(allowed) and (not flag or flag in known.flags)

    def forms(self, word: str, place: int) -> list[str]:
        """The normal forms of a word that stands there."""
        if len(word) > WORD_MAX:
            return []
        found: list[str] = []

        def add(form: str) -> None:
            if not found or found[-1] != form:
                found.append(form)

        if self._knows(word, "", place):
            add(word)
        for before in _affixed(self._prefixes, word, from_end=False):
            form = _without(word, before, place, None)
            if form is not None and self._knows(form, before.flag, place):
                add(form)
        for after in _affixed(self._suffixes, word, from_end=True):
            base = _without(word, after, place, None)
            if base is None:
                continue
            if self._knows(base, after.flag, place):
                add(base)
            for before in _affixed(self._prefixes, base, from_end=False):
                form = _without(base, before, place, len(word) - len(after.found))
                flag = "" if before.allowed & after.allowed & CROSS else before.flag
                if form is not None and self._knows(form, flag, place):
                    add(form)
        return found

    # --- compounds -------------------------------------------------------------------------------------

    def lexemes(self, word: str) -> list[Lexeme]:
        """Nothing: the word is not known."""
        found = [Lexeme(form, n) for n, form in enumerate(self.forms(word, 0), 1)]
        if not self.affixes.compounds:
            return found
        variant = len(found) + 1
        for *first, last in _Compound(self, word).ways():
            if not first:
                continue
            for form in self.forms(last, LAST):
                found += [Lexeme(stem, variant) for stem in (*first, form)]
                variant += 1
        return found

    def goes_on(self, start: str, *, longer: bool) -> bool:
        """Whether a word begins so (and has more)."""
        at = bisect_left(self._sorted, start)
        if longer and at < len(self._sorted) and self._sorted[at] == start:
            at += 1
        return at < len(self._sorted) and self._sorted[at].startswith(start)

    def joints(self, word: str, at: int, *, in_place: bool) -> Iterator[int]:
        """How many characters from there on belong to the word before a joint."""
        rest = word[at:]
        for joint, suffix in self._joints:
            if len(rest) <= len(joint):
                continue
            place = (0 if rest.startswith(joint) else -1) if in_place else rest.find(joint)
            if place >= 0:
                yield place + len(joint) if suffix else 0


def _affixed(by_text: dict[str, list[Affix]], word: str, *, from_end: bool) -> Iterator[Affix]:
    for n in range(len(word) + 1):
        yield from by_text.get(word[len(word) - n :] if from_end else word[:n], ())


def _without(word: str, affix: Affix, place: int, base: int | None) -> str | None:
    """The word before it had the affix; None: it cannot have been. `base`: how much of it is no suffix's."""
    allowed = affix.allowed
    if place == 0:
        refused = bool(allowed & ONLY)
    elif place & BEGIN:
        refused = bool(allowed & FORBID) or (affix.suffix and not allowed & BEGIN)
    elif place & MIDDLE:
        refused = bool(allowed & FORBID) or not allowed & MIDDLE
    else:
        refused = bool(allowed & FORBID) or (not affix.suffix and not allowed & LAST)
    if refused:
        return None
    if affix.suffix:
        form = word[: len(word) - len(affix.found)] + affix.before
    else:
        if base is not None and base + len(affix.before) <= len(affix.found):
            return None
        form = affix.before + word[len(affix.found) :]
    return form if affix.mask is None or affix.mask.search(form) else None


class _Compound:
    """The ways in which one word can be taken apart, each a list of stems."""

    def __init__(self, spelling: Spelling, word: str) -> None:
        self._spelling, self._word = spelling, word
        self._steps = 0

    def ways(self) -> list[list[str]]:
        return self._ways([], 0, -1, 0)

    def _ways(self, before: list[str], start: int, least: int, level: int) -> list[list[str]]:
        """From `start` on, after these stems; to `level` there is a beginning of a word, which has to go on behind `least`."""
        spelling, word = self._spelling, self._word
        mine = list(before)
        others: list[list[str]] = []
        probed: set[int] = set()
        node = True
        while level < len(word):
            self._steps += 1
            if self._steps > STEPS_MAX:
                raise SqlError("54001", f'the word "{word}" has too many parts for its dictionary')
            if level > start:
                for length in spelling.joints(word, level, in_place=node):
                    end = level + length
                    if end - 1 in probed or level + (end - start) - 1 <= least or end - start >= WORD_MAX:
                        continue
                    stems = spelling.forms(word[start:end], BEGIN if level == 0 else self._place(level))
                    if stems:
                        probed.add(end - 1)
                        others += self._ways([*mine, *stems], end, end, end)
            if not node:
                break
            if spelling.goes_on(word[start : level + 1], longer=False):
                known = spelling.words.get(word[start : level + 1])
                place = BEGIN if start == 0 else self._place(level)
                if known is not None and known.places & place and level not in probed and level > least:
                    stem = word[start : level + 1]
                    if level + 1 == len(word):
                        return [[*mine, stem], *others]
                    others += self._ways(mine, start, level, level)
                    mine.append(stem)
                    level += 1
                    start = level
                    node = True
                    continue
                node = spelling.goes_on(word[start : level + 1], longer=True)
            else:
                node = False
            level += 1
        return [[*mine, word[start:]], *others]

    def _place(self, level: int) -> int:
        return LAST if level == len(self._word) - 1 else MIDDLE


def read(dictionary: str, affix_file: str) -> Spelling:
    """Raises F0000, 22023, 54000."""
    rules = affixes.read(affix_file)
    said: list[tuple[str, str]] = []
    for line in files.lines(dictionary, "dict", "dictionary"):
        word, _, flags = line.partition("/")
        bare = lowered((word.split() or [""])[0] if not word[:1].isspace() else "")
        end = next(
            (i for i, c in enumerate(flags) if c.isspace() or not c.isascii() or not c.isprintable()), None
        )
        if bare:
            said.append((bare, flags[:end]))
    for _, flags in said:
        rules.named(flags)
    words: dict[str, _Word] = {}
    for word, flags in sorted(said):
        own = rules.flags(rules.named(flags))
        known = words.get(word)
        alone = known is not None and not (known.places & ONLY and rules.of_words(own) & ONLY)
        merged = frozenset(own) | (known.flags if known is not None else frozenset())
        places = rules.of_words(list(merged))
        if places & ONLY and not places & ANYWHERE:
            places |= ANYWHERE
        words[word] = _Word(merged, places & ~ONLY if alone else places)
    return Spelling(words, rules)


__all__ = ["Lexeme", "Spelling", "read"]
