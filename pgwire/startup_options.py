"""`options` of a start-up message: the command line of a server process that PostgreSQL would start.

    -c work_mem=4MB  -csearch_path=a,b  --tidewire.as_of=2026-01-01\\ 12:00      (PGOPTIONS, ?options=...)

Words are separated by white space; a backslash keeps the next character. `-` in the name of a `--` switch
means `_`. Only switches that set parameters mean anything here; any other is refused as PostgreSQL refuses
one that it does not know. A parameter that the start-up message names itself wins over its switch.
"""

from __future__ import annotations

from planner.abc import SqlError


def parse_options(text: str) -> dict[str, str]:
    """Names and values in order of appearance. Raises 42601."""
    found: dict[str, str] = {}
    words = iter(_words(text))
    for word in words:
        if word == "-c":
            setting = next(words, None)
            if setting is None:
                raise SqlError("42601", "invalid command-line argument for server process: -c")
        elif word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            setting = f"{name.replace('-', '_')}{equals}{value}"
        elif word.startswith("-c"):
            setting = word[2:]
        else:
            raise SqlError("42601", f"invalid command-line argument for server process: {word}")
        name, equals, value = setting.partition("=")
        if not equals:
            raise SqlError("42601", f"{'--' if word.startswith('--') else '-c '}{name} requires a value")
        found[name] = value
    return found


def _words(text: str) -> list[str]:
    words: list[str] = []
    word: list[str] | None = None
    characters = iter(text)
    for c in characters:
        if c.isspace():
            if word is not None:
                words.append("".join(word))
            word = None
            continue
        word = word if word is not None else []
        word.append(next(characters, "") if c == "\\" else c)
    if word is not None:
        words.append("".join(word))
    return words
