"""`to_tsvector(configuration, texts) @@ query` of whole columns of texts.

A query of words alone asks whether a text has them, not where: so no vector is made, and what a text's words are searched for as is known
of words that have been read before. Phrases, weights and beginnings of words take the vectors.
"""

from __future__ import annotations

from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from planner.abc import SqlError
from planner.textsearch import documents, matching
from planner.textsearch.configurations import configuration
from planner.textsearch.queries import PHRASE, Both, Node, Not, Word, tree_of

_SHORT_MAX: Final = 100_000
"""Characters of a text whose vector is never too long."""


def matches(said: str, text: str, query: str) -> bool:
    """Of one text. Raises 42704, 54000."""
    return matching.matches(documents.vector(configuration(said), text), query)


def has(of: str, text: str, query: str) -> bool:
    """The same of one text, which is not made a vector where words are all that is asked. `of`: a configuration that is there."""
    node = tree_of(query)
    if node is None or _is_of_words(node):
        return bool(_by_words(of, [text], node)[0])
    return matching.matches(documents.vector(of, text), query)


def match_texts(said: Any, texts: Any, queries: Any) -> pa.Array:
    """Of columns: configurations, texts, queries. Raises as `matches`."""
    columns = [x.combine_chunks() if isinstance(x, pa.ChunkedArray) else x for x in (said, texts, queries)]
    one, asked = (pc.unique(columns[i]) for i in (0, 2))
    of, query = (x[0].as_py() if len(x) == 1 else None for x in (one, asked))
    node = None if of is None or query is None else tree_of(query)
    try:
        if of is not None and query is not None and (node is None or _is_of_words(node)):
            found = _by_words(configuration(of), columns[1].to_pylist(), node)
        else:
            rows = zip(*(x.to_pylist() for x in columns), strict=True)
            found = [None if None in row else matches(*row) for row in rows]
    except SqlError as e:
        from planner.binding.prelude.installation import raised

        raise raised(e) from None
    return pa.array(found, pa.bool_())


def _is_of_words(node: Node) -> bool:
    if isinstance(node, Word):
        return not (node.weights or node.prefix)
    if isinstance(node, Not):
        return _is_of_words(node.arg)
    return (
        isinstance(node, Both) and node.op != PHRASE and _is_of_words(node.left) and _is_of_words(node.right)
    )


def _by_words(of: str, texts: list[str | None], node: Node | None) -> list[bool | None]:
    out: list[bool | None] = []
    for text in texts:
        if text is None:
            out.append(None)
            continue
        if len(text) > _SHORT_MAX:
            documents.vector(of, text)  # which may be too long
        has = documents.words(of, text)
        if isinstance(node, Word):
            out.append(node.text in has)
        else:
            out.append(node is not None and bool(matching.execute(node, _looking(has))))
    return out


def _looking(has: frozenset[str | None]) -> matching.Lookup:
    return lambda word, _placed: (matching.YES if word.text in has else matching.NO, [])
