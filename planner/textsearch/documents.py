"""Texts as vectors and queries: the default parser's tokens, through the dictionaries of a configuration.

    vector("english", "The fat cats")              'cat':3 'fat':2        stop words are not kept, but counted
    query("english", "fat & cats")                 'fat' & 'cat'
    websearch("english", '"fat cats" or -dogs')    'fat' <-> 'cat' | !'dog'

A configuration is `simple`, or a language: Snowball's stemmer of it, and its stop words as PostgreSQL has them; or it is a user's, and
then the text of its definition (`chains`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, reduce
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from planner.abc import SqlError
from planner.textsearch import files, queries, tokens, vectors
from planner.textsearch.queries import AND, OR, PHRASE, Both, Node, Operand, Reader, Stop, Word, cleaned
from planner.textsearch.spelling import Lexeme
from planner.textsearch.words import OPERATORS, WHITESPACE, WORD_BYTES_MAX, WordReader
from planner.types.letter_case import lowered

SIMPLE: Final = "simple"
LANGUAGES: Final = (
    "arabic", "armenian", "basque", "catalan", "danish", "dutch", "english", "finnish", "french", "german", "greek",
    "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian", "portuguese",
    "romanian", "russian", "serbian", "spanish", "swedish", "tamil", "turkish", "yiddish",
)  # fmt: skip
_STEMMED_BYTES_MAX: Final = 1000
_READ_ON: Final = ("<", " .", " ~")
"""Where these are, what stands between two blanks is not read by itself: tags have blanks in them, and blanks take dots with them."""
_CHUNK_MAX: Final = 64
"""What comes again is kept up to this length."""
_ASCII: Final = frozenset((tokens.ASCIIWORD, tokens.ASCIIHWORD, tokens.ASCIIPART))
_LETTERS: Final = frozenset((tokens.WORD, tokens.HWORD, tokens.PART))
_LEFT_OUT: Final = frozenset((tokens.BLANK, tokens.TAG, tokens.PROTOCOL, tokens.ENTITY))
_ENGLISH_WITHIN: Final = frozenset(("hindi", "russian"))
"""Languages of another script: what is in ASCII is taken for English."""


@lru_cache(maxsize=1)
def stop_words() -> dict[str, frozenset[str]]:
    text = Path(__file__).with_name("stopwords.tsv").read_text(encoding="utf-8")
    return {
        language: frozenset(words.split()) for language, words in (x.split("\t") for x in text.splitlines())
    }


@lru_cache(maxsize=64)
def stop_list(name: str) -> frozenset[str]:
    """PostgreSQL's of a language, or one that the operator has put beside dictionaries. Raises F0000, 22023."""
    known = stop_words().get(name) if name else frozenset[str]()
    if known is None:
        said = (line.split() for line in files.lines(name, "stop", "stop-word"))
        known = frozenset(lowered(words[0]) for words in said if words)
    return known


@lru_cache(maxsize=32)
def _stemmer(language: str) -> Any:
    from Stemmer import Stemmer  # a server that searches no text starts without it

    return Stemmer(language, 10_000)


def check_configuration(name: str) -> str:
    """Raises 42704."""
    if name.startswith("{"):
        return name  # a user's
    bare = name.removeprefix("pg_catalog.")
    if bare != SIMPLE and bare not in LANGUAGES:
        raise SqlError("42704", f'text search configuration "{name}" does not exist')
    return bare


def dictionary_of(configuration: str, kind: int) -> str:
    """The dictionary that a kind of tokens goes to; empty: these are left out."""
    if kind in _LEFT_OUT:
        return ""
    if configuration == SIMPLE or (kind not in _ASCII and kind not in _LETTERS):
        return SIMPLE
    return f"{'english' if kind in _ASCII and configuration in _ENGLISH_WITHIN else configuration}_stem"


@lru_cache(maxsize=65_536)
def lexeme(dictionary: str, word: str) -> str | None:
    """What a dictionary makes of a word; None: it is a stop word."""
    small = lowered(word)
    if dictionary == SIMPLE:
        return small
    language = dictionary.removesuffix("_stem")
    found = stemmed(language, language if language in stop_words() else "", small)
    return found[0] if found else None


def stemmed(language: str, stops: str, small: str) -> tuple[str, ...]:
    """A word in small letters as Snowball's stemmer has it; nothing: it is one of the stop words."""
    if len(small.encode()) > _STEMMED_BYTES_MAX:
        return (small,)
    if not small or small in stop_list(stops):
        return ()
    return (_stemmer(language).stemWord(small),)


def lexize(dictionary: str, word: str) -> list[str] | None:
    """`ts_lexize`; None: the dictionary does not know the word. Raises 42704."""
    if dictionary.startswith("["):
        from planner.textsearch import chains

        made = chains.lexized(chains.step_of(dictionary), word)
        return None if made is None else list(made)
    bare = dictionary.removeprefix("pg_catalog.")
    if bare != SIMPLE and bare.removesuffix("_stem") not in LANGUAGES:
        raise SqlError("42704", f'text search dictionary "{dictionary}" does not exist')
    found = lexeme(bare, word)
    return [] if found is None else [found]


def unaccented(dictionary: str, text: str) -> str:
    """`unaccent` with a dictionary, which is asked for the whole text."""
    found = lexize(dictionary, text)
    return found[0] if found else text


def taken(configuration: str, kind: int, token: str) -> tuple[str, ...] | None:
    """What a token is searched for as; nothing: it is a stop word; None: no dictionary takes it."""
    if configuration.startswith("{"):
        from planner.textsearch import chains

        known = chains.taken(chains.chains_of(configuration).get(kind, ()), token)
        return None if known is None else known[1]
    dictionary = dictionary_of(configuration, kind)
    if not dictionary:
        return None
    found = lexeme(dictionary, token)
    return () if found is None else (found,)


def placed(configuration: str, text: str, place: int = 0) -> Iterator[tuple[str | None, int]]:
    """Words as they are searched for, with their places, counted on from `place`; stop words (None) have places too."""
    if configuration.startswith("{"):
        for lexemes, end in _by_chains(configuration, text, place):
            if not lexemes:
                yield None, end
            for lexeme_ in lexemes:
                yield lexeme_.text, end
        return
    for chunk in _chunks(text):
        for word in (
            _words(configuration, chunk) if len(chunk) <= _CHUNK_MAX else _words_of(configuration, chunk)
        ):
            place += 1
            yield word, place


def words(configuration: str, text: str) -> frozenset[str | None]:
    """What a text is found by, without places. Raises 42704."""
    if check_configuration(configuration).startswith("{"):
        return frozenset(word for word, _ in placed(configuration, text))
    found: set[str | None] = set()
    for chunk in _chunks(text):
        found.update(
            _words(configuration, chunk) if len(chunk) <= _CHUNK_MAX else _words_of(configuration, chunk)
        )
    return frozenset(found)


def _chunks(text: str) -> Sequence[str]:
    """What is read one by one."""
    return (text,) if any(x in text for x in _READ_ON) else text.split(" ")


@lru_cache(maxsize=65_536)
def _words(configuration: str, text: str) -> tuple[str | None, ...]:
    return _words_of(configuration, text)


def _words_of(configuration: str, text: str) -> tuple[str | None, ...]:
    """A text's words by a configuration of PostgreSQL's."""
    found: list[str | None] = []
    for kind, token in tokens.tokens(text):
        dictionary = dictionary_of(configuration, kind)
        if dictionary and len(token.encode()) <= WORD_BYTES_MAX:
            found.append(lexeme(dictionary, token))
    return tuple(found)


def _by_chains(configuration: str, text: str, place: int) -> Iterator[tuple[tuple[Lexeme, ...], int]]:
    """What dictionaries of users make of a text, which may be several words in one place."""
    from planner.textsearch import chains

    said = [(kind, token) for kind, token in tokens.tokens(text) if len(token.encode()) <= WORD_BYTES_MAX]
    return chains.phrases(chains.chains_of(configuration), said, place)


def _asked(configuration: str, text: str) -> Iterator[tuple[tuple[Lexeme, ...], int]]:
    """The words of a query that are not stop words, with their places."""
    if configuration.startswith("{"):
        return (found for found in _by_chains(configuration, text, 0) if found[0])
    return (((Lexeme(word),), place) for word, place in _kept(configuration, text))


def _kept(configuration: str, text: str) -> Iterator[tuple[str, int]]:
    return ((word, place) for word, place in placed(configuration, text) if word is not None)


def vector(configuration: str, text: str) -> str:
    """`to_tsvector`. Raises 42704, 54000."""
    return vectors.of_document(_kept(check_configuration(configuration), text))


# --- queries ---------------------------------------------------------------------------------------------------


def _operand(configuration: str, op: str) -> Operand:
    """What a word of a query becomes: several, if the parser takes it for several; `op` is between them."""

    if configuration.startswith("{"):
        return lambda text, weights, prefix: _operand_of(configuration, op, text, weights, prefix)

    def made(text: str, weights: int, prefix: bool) -> Node:
        find = _known_operand if len(text) <= _CHUNK_MAX else _operand_of
        return find(configuration, op, text, weights, prefix)

    return made


def _operand_of(configuration: str, op: str, text: str, weights: int, prefix: bool) -> Node:
    node: Node | None = None
    last = 0
    for lexemes, place in _asked(configuration, text):
        item = _either(lexemes, weights, prefix)
        if node is None:
            node = item
        else:
            for _ in range(last + 1, place):
                node = Both(op, node, Stop())
            node = Both(op, node, item)
        last = place
    return Stop() if node is None else node


_known_operand: Final = lru_cache(maxsize=16_384)(_operand_of)
"""Of PostgreSQL's own configurations, which make the same of a word each time."""


def _either(lexemes: tuple[Lexeme, ...], weights: int, prefix: bool) -> Node:
    """Words that stand in one place: those of a variant belong together, and any variant will do."""
    node: Node | None = None
    for _, variant in groupby(lexemes, key=lambda lexeme: lexeme.variant):
        words: list[Node] = [Word(x.text, weights, prefix or x.prefix) for x in variant]
        together = reduce(lambda left, right: Both(AND, left, right), words)
        node = together if node is None else Both(OR, node, together)
    assert node is not None
    return node


def query(configuration: str, text: str) -> str:
    """`to_tsquery`. Raises 42601, 42704, 54000, 22023, 54001."""
    return queries.shown(query_tree(configuration, text))


def query_tree(configuration: str, text: str) -> Node | None:
    """The same before it is a text; None: it asks for nothing."""
    return cleaned(Reader(text, _operand(check_configuration(configuration), PHRASE)).tree())


def plain(configuration: str, text: str) -> str:
    """`plainto_tsquery`."""
    return queries.shown(plain_tree(configuration, text))


def plain_tree(configuration: str, text: str) -> Node | None:
    return _whole(configuration, text, AND)


def phrase(configuration: str, text: str) -> str:
    """`phraseto_tsquery`."""
    return queries.shown(phrase_tree(configuration, text))


def phrase_tree(configuration: str, text: str) -> Node | None:
    return _whole(configuration, text, PHRASE)


def _whole(configuration: str, text: str, op: str) -> Node | None:
    configuration = check_configuration(configuration)
    return cleaned(_operand(configuration, op)(text, 0, False)) if text else None


def websearch(configuration: str, text: str) -> str:
    """`websearch_to_tsquery`: no text is a fault."""
    return queries.shown(websearch_tree(configuration, text))


def websearch_tree(configuration: str, text: str) -> Node | None:
    return cleaned(_Websearch(text, _operand(check_configuration(configuration), PHRASE)).tree())


_BETWEEN: Final = frozenset(WHITESPACE) | OPERATORS


class _Websearch(Reader):
    """Quotes around phrases, `or`, and a hyphen before what is not wanted; everything else is looked for."""

    def __init__(self, text: str, operand: Operand) -> None:
        super().__init__(text, operand)
        self.words = WordReader(text, of_query=True, plainly=True)

    def _level(self) -> None:
        pending: list[tuple[str, int]] = []
        text = self.text
        while True:
            word = self._wanted(pending)
            if word is None:
                break
            self._push(word, 0, False)
            while text[self.words.at : self.words.at + 1] in _BETWEEN:
                self.words.at += 1
            c = text[self.words.at : self.words.at + 1]
            if not c:
                break
            op = AND
            if c != '"' and self._is_or():
                self.words.at += 2
                op = OR
            self._reduce(pending, op)
            pending.append((op, 0))
        self._reduce(pending, OR)

    def _wanted(self, pending: list[tuple[str, int]]) -> str | None:
        text, words = self.text, self.words
        while True:
            words.blanks()
            c = text[words.at : words.at + 1]
            if c == "-":
                words.at += 1
                self._reduce(pending, queries.NOT)
                pending.append((queries.NOT, 0))
                self.first = False
            elif c == '"':
                end = text.find('"', words.at + 1)
                end = len(text) if end < 0 else end
                said = text[words.at + 1 : end]
                words.at = min(end + 1, len(text))
                self.first = False
                return said
            elif c and c in OPERATORS:
                words.at += 1
                self.first = False
            else:
                found = words.word()
                if found is None and not self.first:
                    self.out.append(Stop())  # something is to stand behind an operator
                self.first = False
                return found

    def _is_or(self) -> bool:
        text, at = self.text, self.words.at
        if text[at : at + 2].lower() != "or" or at + 2 >= len(text):
            return False
        c = text[at + 2]
        if c in "-_" or c.isalpha() or c.isdigit():
            return False
        return any(x not in WHITESPACE for x in text[at + 3 :])


__all__ = [
    "LANGUAGES", "SIMPLE", "check_configuration", "dictionary_of", "lexeme", "lexize", "phrase", "placed", "plain", "query", "stemmed", "stop_list", "stop_words", "taken", "unaccented", "vector", "websearch", "words",
]  # fmt: skip
