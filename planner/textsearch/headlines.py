"""ts_headline: the part of a text that shows best why it was found, with what was asked for marked.

    headline("english", "The fat cats sat", "'cat'", "StartSel=*, StopSel=*")      The fat *cats* sat

A **cover** is a stretch of the text that answers the query by itself and cannot be made shorter at its ends. Without MaxFragments
one stretch around the best cover is shown; with it, several, each grown to MaxWords. Which is better, and where one may end, was
found out by asking PostgreSQL; `tests/textsearch` compares some thousand texts with it.

    text      tokens with the words of the query that each stands for (`_Piece`: one of several words is there several times)
    covers    first word .. last word of the query, shortest first
    shown     pieces marked `shown`; runs of them are fragments
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from planner.textsearch import tokens
from planner.textsearch.documents import check_configuration, taken
from planner.textsearch.headline_options import Options, options_of
from planner.textsearch.matching import NO, YES, Lookup, execute
from planner.textsearch.queries import Both, Node, Not, Word, tree_of, words
from planner.textsearch.words import POSITION_MAX, WORD_BYTES_MAX

_COMPOUND: Final = frozenset((tokens.URL, tokens.NUMHWORD, tokens.ASCIIHWORD, tokens.HWORD))
"""What stands there once more in its parts, which are shown instead."""
_NO_WORD: Final = _COMPOUND | {tokens.BLANK, tokens.TAG}
_NO_END: Final = _NO_WORD | {
    tokens.SFLOAT, tokens.VERSION, tokens.FLOAT, tokens.INT, tokens.UINT, tokens.PROTOCOL, tokens.ENTITY,
}  # fmt: skip
_COVER_WORDS: Final = 10
"""A cover may be so many times as long as a headline."""


@dataclass(slots=True)
class _Piece:
    kind: int
    text: str
    bytes: int
    place: int = 0
    word: Word | None = None
    again: bool = False
    """It stands for another word of the query; the text itself has it once."""
    shown: bool = False
    marked: bool = False
    skipped: bool = False
    blanked: bool = False


def _denies(node: Node | None) -> bool:
    """Whether more text may answer less."""
    return isinstance(node, Not) or (isinstance(node, Both) and (_denies(node.left) or _denies(node.right)))


@dataclass(slots=True)
class _Fragment:
    first: int
    last: int
    length: int
    found: int
    chosen: bool = False
    excluded: bool = False


class _Text:
    """A text read with a query in mind."""

    def __init__(self, configuration: str, text: str, query: str, place: int = 0) -> None:
        self.tree: Node | None = tree_of(query)
        self.pieces: list[_Piece] = []
        self.place = place
        asked = list(reversed(words(self.tree)))
        for kind, token in tokens.tokens(text):
            size = len(token.encode())
            if size > WORD_BYTES_MAX:
                continue
            piece = _Piece(kind, token, size)
            self.pieces.append(piece)
            known = taken(configuration, kind, token)
            if known is not None:
                self.place += 1
                self._find(piece, known[0] if known else None, asked)
        self.found = [i for i, p in enumerate(self.pieces) if p.word is not None]

    def _find(self, piece: _Piece, found: str | None, asked: list[Word]) -> None:
        if found is None:
            return
        piece.place = min(self.place, POSITION_MAX)
        for word in asked:
            if found == word.text or (word.prefix and found.startswith(word.text)):
                if piece.word is None:
                    piece.word = word
                else:
                    self.pieces.append(
                        _Piece(piece.kind, piece.text, piece.bytes, piece.place, word, again=True)
                    )

    def covers(self, longest: int) -> Iterator[tuple[int, int]]:
        """First and last piece of each, by the first."""
        if not _denies(self.tree) and not self._answers(0, len(self.pieces) - 1):
            return  # a word is nowhere: no stretch has it
        for n, first in enumerate(self.found):
            for last in self.found[n:]:
                if last != first and last - first >= longest:
                    break
                if self._answers(first, last):
                    yield first, last
                    break

    def _answers(self, first: int, last: int) -> bool:
        return self.tree is not None and bool(execute(self.tree, self._looking(first, last)))

    def _looking(self, first: int, last: int) -> Lookup:
        def look(word: Word, placed: bool) -> tuple[int, list[int]]:
            places: list[int] = []
            for p in self.pieces[first : last + 1]:
                if p.word is word:
                    if not placed:
                        return YES, []
                    if not places or places[-1] < p.place:
                        places.append(p.place)
            return (YES if places else NO), places

        return look

    # --- what a headline is measured by ------------------------------------------------------------------------

    def is_word(self, i: int) -> bool:
        return self.pieces[i].kind not in _NO_WORD

    def is_found(self, i: int) -> bool:
        p = self.pieces[i]
        return p.word is not None and not p.again

    def ends_badly(self, i: int, short: int) -> bool:
        p = self.pieces[i]
        return (p.kind in _NO_END or p.bytes <= short) and not self.is_found(i)

    def show(self, first: int, last: int, whole: bool) -> None:
        for p in self.pieces[first : last + 1]:
            p.marked = p.marked or p.word is not None
            p.blanked = p.blanked or (not whole and p.kind == tokens.TAG)
            p.skipped = p.skipped or p.kind in _COMPOUND
            p.shown = not p.again

    def beginning(self, least: int) -> tuple[int, int]:
        length, last = 0, -1
        for i in range(len(self.pieces)):
            if length >= least:
                break
            length += self.is_word(i)
            last = i
        return 0, last

    def written(self, o: Options) -> str:
        out: list[str] = []
        inside = started = False
        for p in self.pieces:
            if p.again:
                continue
            if not p.shown:
                inside = False
                continue
            if not inside:
                out.append(o.delimiter if started else "")
                inside = started = True
            if p.blanked:
                out.append(" ")
            elif not p.skipped:
                out.append(f"{o.start}{p.text}{o.stop}" if p.marked else p.text)
        return "".join(out)


# --- one stretch ---------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Stretch:
    first: int
    last: int
    found: int
    length: int = 0


def _one(t: _Text, o: Options) -> None:
    if o.everything:
        t.show(0, len(t.pieces) - 1, True)
        return
    best: _Stretch | None = None
    covered = False
    for first, last in t.covers(o.longest_cover):
        s = _around(t, o, first, last)
        covers = s.first <= first and s.last >= last
        if best is None or (covers, s.found) > (covered, best.found):
            better = True
        else:
            same = (covers, s.found) == (covered, best.found)
            better = same and not t.ends_badly(s.last, o.short) and t.ends_badly(best.last, o.short)
        if better:
            best, covered = s, covers
    t.show(*((best.first, best.last) if best is not None else t.beginning(o.least)), False)


def _around(t: _Text, o: Options, first: int, last: int) -> _Stretch:
    """The stretch that shows a cover: MinWords at least, MaxWords at most, with an end where one can be."""
    s = _Stretch(first, first, 0)
    i = first
    while i <= last and s.length < o.most:
        s.length += t.is_word(i)
        s.found += t.is_found(i)
        s.last = i
        i += 1
    if s.length < o.most:
        _longer(t, o, s, i - 1, first, last)
    else:
        i = min(i, last)
        while s.length > o.least and t.ends_badly(i, o.short):
            s.length -= t.is_word(i)
            s.found -= t.is_found(i)
            i -= 1
            s.last = i
    return s


def _longer(t: _Text, o: Options, s: _Stretch, i: int, first: int, last: int) -> None:
    while i < len(t.pieces) and s.length < o.most:
        if i > last:
            s.length += t.is_word(i)
            s.found += t.is_found(i)
        s.last = i
        if not t.ends_badly(i, o.short) and s.length >= o.least:
            break
        i += 1
    if s.length >= o.least:
        return
    i = first - 1  # the text ends: what stands before it
    while i >= 0:
        s.length += t.is_word(i)
        s.found += t.is_found(i)
        if s.length >= o.most or (not t.ends_badly(i, o.short) and s.length >= o.least):
            break
        i -= 1
    s.first = max(i, 0)


# --- several fragments -----------------------------------------------------------------------------------------------


def _several(t: _Text, o: Options) -> None:
    fragments: list[_Fragment] = []
    for first, last in t.covers(o.longest_cover * o.fragments):
        at = first
        while at <= last:
            fragments.append(_cut(t, o, at, last))
            at = fragments[-1].last + 1
    chosen = 0
    while chosen < o.fragments:
        best: _Fragment | None = None
        for f in fragments:
            if f.chosen or f.excluded:
                continue
            if best is None or (f.found, -f.length) > (best.found, -best.length):
                best = f
        if best is None:
            break
        best.chosen = True
        chosen += 1
        if best.length < o.most:
            _grown(t, o, best)
        t.show(best.first, best.last, o.everything)
        for f in fragments:
            if f is not best and f.first <= best.last and f.last >= best.first:
                f.excluded = True
    if not chosen:
        t.show(*t.beginning(o.least), o.everything)


def _cut(t: _Text, o: Options, first: int, last: int) -> _Fragment:
    """The beginning of what is left of a cover: not more than MaxWords, from a word that was asked for to another."""
    while first < last and not t.is_found(first):
        first += 1
    length = found = 0
    i = first
    while i <= last and length < o.most:
        length += t.is_word(i)
        found += t.is_found(i)
        i += 1
    if last > i:
        last = i
        while i >= first:
            last = i
            if t.is_found(i):
                break
            length -= t.is_word(i)
            i -= 1
    return _Fragment(first, last, length, found)


def _grown(t: _Text, o: Options, f: _Fragment) -> None:
    """Half of what is missing before it, the rest behind; not over what is shown already."""
    room = (o.most - f.length) // 2
    more, reached, i = 0, f.first, f.first - 1
    while i >= 0 and more < room and not t.pieces[i].shown:
        f.length += t.is_word(i)
        more += t.is_word(i)
        reached = i
        i -= 1
    i = reached
    while i < f.first and t.ends_badly(i, o.short):
        f.length -= t.is_word(i)
        i += 1
    f.first = i
    reached, i = f.last, f.last + 1
    while i < len(t.pieces) and f.length < o.most and not t.pieces[i].shown:
        f.length += t.is_word(i)
        reached = i
        i += 1
    i = reached
    while i > f.last and t.ends_badly(i, o.short):
        f.length -= t.is_word(i)
        i -= 1
    f.last = i


# --- what is called ------------------------------------------------------------------------------------------------------


def headline(configuration: str, text: str, query: str, options: str = "") -> str:
    """`ts_headline`. Raises 22023, 22P02, 42601, 42704."""
    return marked(check_configuration(configuration), text, query, options_of(options))[0]


def marked(configuration: str, text: str, query: str, o: Options, place: int = 0) -> tuple[str, int]:
    """A headline, and the place of the text's last word, counted on from `place`."""
    t = _Text(configuration, text, query, place)
    o.check()
    (_several if o.fragments else _one)(t, o)
    return t.written(o), t.place


__all__ = ["headline", "marked", "options_of"]
