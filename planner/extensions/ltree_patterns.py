"""lquery and ltxtquery: patterns over the labels of an ltree.

    Top.*{1,2}.Astro*|Maths@       an lquery: what each level may be, and how often
    Science & !Maths               an ltxtquery: which labels are among them, wherever

Both are kept as PostgreSQL shows them, and read once for many rows. An lquery is matched by going through its levels with
all places at which the levels before may have ended, so none takes more than the product of both lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from planner.abc import SqlError
from planner.extensions.letters import lower
from planner.extensions.ltrees import (
    LEVELS_MAX,
    check_label,
    in_label,
    is_ancestor,
    labels,
    members,
    unexpected,
    unexpected_end,
)

WORD_BYTES_MAX: Final = 255
PARTS_MAX: Final = 32_767
"""Words and signs of an ltxtquery."""
_FLAGS: Final = "%@*"
"""In the order in which they are shown: words of a label, any case, any end."""


@dataclass(slots=True)
class _Word:
    """What a label is compared with."""

    name: str
    flags: set[str] = field(default_factory=set)

    def shown(self) -> str:
        return self.name + "".join(f for f in _FLAGS if f in self.flags)

    def _same(self, wanted: str, label: str) -> bool:
        is_prefix = "*" in self.flags
        if label.startswith(wanted) if is_prefix else label == wanted:
            return True
        if "@" not in self.flags:
            return False
        wanted, label = lower(wanted), lower(label)
        return label.startswith(wanted) if is_prefix else label == wanted

    def fits(self, label: str) -> bool:
        if "%" not in self.flags:
            return self._same(self.name, label)
        words = [w for w in label.split("_") if w]
        return all(any(self._same(w, word) for word in words) for w in self.name.split("_") if w)


@dataclass(slots=True)
class _Level:
    """What stands between two points of an lquery. Without words it is `*`: any label."""

    words: list[_Word] = field(default_factory=list)
    is_not: bool = False
    counted: bool = False
    low: int = 1
    high: int = 1

    def fits(self, label: str) -> bool:
        return not self.words or any(w.fits(label) for w in self.words) is not self.is_not

    def shown(self) -> str:
        name = ("!" if self.is_not else "") + "|".join(w.shown() for w in self.words) or "*"
        if not self.counted and self.words:
            return name
        if self.low == self.high:
            return f"{name}{{{self.low}}}"
        low, high = self.low or "", "" if self.high == LEVELS_MAX else self.high
        return name if not (self.words or low or high) else f"{name}{{{low},{high}}}"


def _read_word(text: str, at: int) -> tuple[_Word, int]:
    """The word that begins at a place, perhaps an empty one, with its flags; and where it ends."""
    end = at
    while end < len(text) and in_label(text[end]):
        end += 1
    word = _Word(text[at:end])
    while end < len(text) and text[end] in _FLAGS:
        word.flags.add(text[end])
        end += 1
    return word, end


class _PatternReader:
    """The input function of lquery: one character after the other, so that errors name the first that cannot be."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def unexpected(self) -> SqlError:
        if self.at >= len(self.text):
            return unexpected_end("lquery")
        return unexpected("lquery", self.at + 1)

    def next_is(self, c: str) -> bool:
        found = self.text.startswith(c, self.at)
        self.at += found
        return found

    def read(self) -> list[_Level]:
        if self.text.count(".") + 1 > LEVELS_MAX:
            raise SqlError(
                "54000",
                f"number of lquery items ({self.text.count('.') + 1}) exceeds the maximum allowed ({LEVELS_MAX})",
            )
        levels = [self._level()]
        while self.at < len(self.text):
            if not self.next_is("."):
                raise self.unexpected()
            levels.append(self._level())
        return levels

    def _level(self) -> _Level:
        if self.next_is("*"):
            level = _Level(low=0, high=LEVELS_MAX)
            if self.at < len(self.text) and self.text[self.at] not in "{.":
                raise self.unexpected()
        else:
            level = _Level(is_not=self.next_is("!"))
            level.words.append(self._word(may_be_empty=level.is_not))
            while self.next_is("|"):
                level.words.append(self._word(may_be_empty=False))
        if self.next_is("{"):
            self._count(level)
            if self.at < len(self.text) and self.text[self.at] != ".":
                raise self.unexpected()
        return level

    def _word(self, *, may_be_empty: bool) -> _Word:
        begin = self.at
        word, end = _read_word(self.text, begin)
        if not word.name and not may_be_empty:
            raise self.unexpected()
        self.at = end
        if self.at < len(self.text) and self.text[self.at] not in "|{.":
            raise self.unexpected()
        check_label("lquery", word.name, begin + len(word.name) + 1)
        return word

    def _number(self, which: str) -> int:
        begin = self.at
        while self.at < len(self.text) and self.text[self.at] in "0123456789":
            self.at += 1
        if begin == self.at:
            raise self.unexpected()
        number = min(int(self.text[begin : self.at][:12]), 2**31 - 1)
        if number > LEVELS_MAX:
            raise SqlError(
                "54000",
                "lquery syntax error",
                detail=f"{which} limit ({number}) exceeds the maximum allowed ({LEVELS_MAX}), at character {begin + 1}.",
            )
        return number

    def _count(self, level: _Level) -> None:
        level.counted, level.low = True, 0
        if not self.text.startswith(",", self.at):
            level.low = self._number("Low")
            if self.next_is("}"):
                level.high = level.low
                return
        if not self.next_is(","):
            raise self.unexpected()
        if self.next_is("}"):
            level.high = LEVELS_MAX
            return
        begin = self.at
        level.high = self._number("High")
        if level.low > level.high:
            raise SqlError(
                "42601",
                "lquery syntax error",
                detail=f"Low limit ({level.low}) is greater than high limit ({level.high}), at character {begin + 1}.",
            )
        if not self.next_is("}"):
            raise self.unexpected()


@lru_cache(maxsize=256)
def _pattern(query: str) -> list[_Level]:
    return _PatternReader(query).read()


def lquery_in(text: str) -> str:
    """The input function of lquery. Raises 42601, 42622 and 54000."""
    return ".".join(level.shown() for level in _pattern(text))


def matches(tree: str, query: str) -> bool:
    """ltree ~ lquery: the whole path is what the pattern says, level by level."""
    levels = labels(tree)
    ends = {0}
    for level in _pattern(query):
        following: set[int] = set()
        for begin in ends:
            at, last = begin, min(len(levels), begin + level.high)
            while at < last and level.fits(levels[at]):
                at += 1
            following.update(range(begin + level.low, at + 1))
        if not following:
            return False
        ends = following
    return len(levels) in ends


_BINDS: Final = {"|": 1, "&": 2, "!": 3}


class _TextReader:
    """The input function of ltxtquery, which gives words and signs in Polish order, reversed: no query is too deep for it."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.found: list[_Word | str] = []
        self.open: list[str] = []

    def read(self) -> list[_Word | str]:
        while True:
            self._operand()
            while self._sign() == ")":
                if "(" not in self.open:
                    raise SqlError("42601", "syntax error")
                self._close(0)
                self.open.pop()
                self.at += 1
            sign = self._sign()
            if not sign and "(" not in self.open:
                self._close(0)
                return self.found
            if sign not in ("&", "|"):
                raise SqlError("42601", "syntax error")
            self._close(_BINDS[sign])
            self.open.append(sign)
            self.at += 1

    def _close(self, least: int) -> None:
        """Signs that bind as much as this are done, up to a parenthesis."""
        while self.open and self.open[-1] != "(" and _BINDS[self.open[-1]] >= least:
            self.found.append(self.open.pop())
            if len(self.found) > PARTS_MAX:
                raise SqlError("54000", "ltxtquery is too large")

    def _sign(self) -> str:
        """What comes after an operand, which is not gone over."""
        while self.at < len(self.text) and (self.text[self.at] == " " or not self.text[self.at].isascii()):
            self.at += 1
        return self.text[self.at : self.at + 1]

    def _operand(self) -> None:
        while self.at < len(self.text) and (self.text[self.at] in "!(" or self.text[self.at].isspace()):
            if self.text[self.at] in "!(":
                self.open.append(self.text[self.at])
            self.at += 1
        word, self.at = _read_word(self.text, self.at)
        if not word.name:
            raise SqlError("42601", "operand syntax error")
        if word.flags and self.at < len(self.text) and in_label(self.text[self.at]):
            raise SqlError("42601", "modifiers syntax error")
        if len(word.name.encode()) > WORD_BYTES_MAX:
            raise SqlError("22023", "operand is too long")
        self.found.append(word)


@lru_cache(maxsize=256)
def _asked(query: str) -> list[_Word | str]:
    return _TextReader(query).read()


def ltxtquery_in(text: str) -> str:
    """The input function of ltxtquery. Raises 42601, 22023 and 54000."""
    shown: list[tuple[str, str]] = []

    def within(part: tuple[str, str]) -> str:
        return f"( {part[0]} )" if part[1] == "|" else part[0]

    for part in _asked(text):
        if isinstance(part, _Word):
            shown.append((part.shown(), ""))
        elif part == "!":
            inner, sign = shown.pop()
            shown.append((f"!( {inner} )" if sign else f"!{inner}", "!"))
        else:
            right, left = shown.pop(), shown.pop()
            shown.append((f"{within(left)} {part} {within(right)}", part))
    return shown[0][0]


def contains(tree: str, query: str) -> bool:
    """ltree @ ltxtquery: which labels are there says whether."""
    levels = labels(tree)
    held: list[bool] = []
    for part in _asked(query):
        if isinstance(part, _Word):
            held.append(any(part.fits(label) for label in levels))
        elif part == "!":
            held.append(not held.pop())
        else:
            right, left = held.pop(), held.pop()
            held.append(left and right if part == "&" else left or right)
    return held[0]


def _first(trees: Iterable[str | None], fits: Callable[[str], bool]) -> str | None:
    return next((tree for tree in members(trees) if fits(tree)), None)


def first_above(trees: Iterable[str | None], below: str) -> str | None:
    """ltree[] ?@> ltree. Raises 22004, as those after it do."""
    return _first(trees, lambda tree: is_ancestor(tree, below))


def first_below(trees: Iterable[str | None], above: str) -> str | None:
    """ltree[] ?<@ ltree."""
    return _first(trees, lambda tree: is_ancestor(above, tree))


def first_match(trees: Iterable[str | None], query: str) -> str | None:
    """ltree[] ?~ lquery."""
    return _first(trees, lambda tree: matches(tree, query))


def first_holding(trees: Iterable[str | None], query: str) -> str | None:
    """ltree[] ?@ ltxtquery."""
    return _first(trees, lambda tree: contains(tree, query))


def matches_any(tree: str, queries: Iterable[str | None]) -> bool:
    """ltree ? lquery[]. Raises 22004."""
    return any(matches(tree, query) for query in members(queries))


def any_matches_any(trees: Iterable[str | None], queries: Iterable[str | None]) -> bool:
    """ltree[] ? lquery[]."""
    asked = members(queries)
    return _first(trees, lambda tree: matches_any(tree, asked)) is not None
