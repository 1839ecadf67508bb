"""COPY's options: which there are, what they may be, and which go together. The words are PostgreSQL's (`ProcessCopyOptions`).

All of it is asked before the client is told to send, or is sent, anything. What the formats rely on for every use of
theirs is asked again where they are (`pgwire.encoding.copy_formats`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from executor.abc import CopyOptions, ExecutionError
from planner import statements as st
from planner.abc import Table
from planner.types.encodings import encoding_named

_TRUE: Final = (True, "true", "on", "1", 1, "", None)
_FALSE: Final = (False, "false", "off", "0", 0)
_OF_CSV: Final = {
    "quote": "quote",
    "escape": "escape",
    "force_quote": "force quote",
    "force_not_null": "force not null",
    "force_null": "force null",
}
_ONE_WAY: Final = {"force_quote": "TO", "force_not_null": "FROM", "force_null": "FROM"}


def options_of(s: st.Copy) -> CopyOptions:
    """COPY's options with the format's defaults. Raises 42601, 0A000, 22023."""
    given = dict(s.options)
    kind = str(given.pop("format", "text")).lower()
    if kind not in ("text", "csv", "binary"):
        at = s.places.get("format", 0)
        raise ExecutionError("22023", f'COPY format "{kind}" not recognized', position=at)
    out = CopyOptions(format=kind)
    if kind == "csv":
        out.delimiter, out.null = ",", ""
    for name, value in given.items():
        if name in ("delimiter", "null", "quote", "escape"):
            setattr(out, name, str(value))
        elif name == "header":
            out.header = _header(value, is_from=s.is_from)
        elif name in ("force_quote", "force_not_null", "force_null"):
            setattr(out, name, value if value == "*" else tuple(value))
        elif name == "encoding":
            out.encoding = _encoding(str(value))
        elif name == "freeze":
            out.freeze = _truth(value, name)
        elif name == "on_error":
            out.on_error = str(value).lower()
        elif name != "oids":
            at = s.places.get(name, 0)
            raise ExecutionError("42601", f'option "{name}" not recognized', position=at)
    if "quote" in given and "escape" not in given:
        out.escape = out.quote
    _check(out, given, is_from=s.is_from)
    return out


def check_columns(options: CopyOptions, table: Table | None, columns: Sequence[str]) -> None:
    """What FORCE ... names. Raises 42703, and 42P10 for columns that are not among those copied.

    `table`: None of a query's result."""
    for option in ("force_quote", "force_not_null", "force_null"):
        listed = getattr(options, option)
        for name in () if listed == "*" else listed:
            if table is not None and name not in {c.name for c in table.columns}:
                raise ExecutionError("42703", f'column "{name}" of relation "{table.name}" does not exist')
            if table is None and name not in columns:
                raise ExecutionError("42703", f'column "{name}" does not exist')
            if name not in columns:
                raise ExecutionError("42P10", f'{option.upper()} column "{name}" not referenced by COPY')


def _header(value: Any, *, is_from: bool) -> bool | str:
    word = value.lower() if isinstance(value, str) else value
    if word == "match":
        if not is_from:
            raise ExecutionError("0A000", 'cannot use "match" with HEADER in COPY TO')
        return "match"
    if word not in _TRUE and word not in _FALSE:
        raise ExecutionError("42601", 'header requires a Boolean value or "match"')
    return word in _TRUE


def _truth(value: Any, name: str) -> bool:
    word = value.lower() if isinstance(value, str) else value
    if word not in _TRUE and word not in _FALSE:
        raise ExecutionError("42601", f"{name} requires a Boolean value")
    return word in _TRUE


def _encoding(name: str) -> str:
    found = encoding_named(name)
    if found is None:
        raise ExecutionError("22023", 'argument to option "encoding" must be a valid encoding name')
    if not found.codec:
        raise ExecutionError("0A000", f"COPY with encoding {found.name} is not supported")
    return found.name


def _check(options: CopyOptions, given: dict[str, Any], *, is_from: bool) -> None:
    """What is said of these (`given`), against each other and the format."""
    if options.format == "binary":
        for name in ("delimiter", "null", "header"):
            if name in given and (name != "header" or options.header):
                raise ExecutionError(
                    "42601" if name != "header" else "0A000", f"cannot specify {name.upper()} in BINARY mode"
                )
    else:
        _check_delimiter(options)
    for name, words in _OF_CSV.items():
        if name not in given:
            continue
        if options.format != "csv":
            raise ExecutionError("0A000", f"COPY {words} available only in CSV mode")
        way = _ONE_WAY.get(name)
        if way is not None and (way == "FROM") != is_from:
            raise ExecutionError("0A000", f"COPY {words} only available using COPY {way}")
    if options.format == "csv":
        _check_quotes(options)
    if options.format != "binary" and options.delimiter in options.null:
        raise ExecutionError("0A000", "COPY delimiter must not appear in the NULL specification")
    if options.format == "csv" and options.quote in options.null:
        raise ExecutionError("0A000", "CSV quote character must not appear in the NULL specification")


def _check_delimiter(options: CopyOptions) -> None:
    delimiter = options.delimiter
    if len(delimiter.encode()) != 1:
        raise ExecutionError("0A000", "COPY delimiter must be a single one-byte character")
    if delimiter in "\r\n":
        raise ExecutionError("22023", "COPY delimiter cannot be newline or carriage return")
    if set("\r\n") & set(options.null):
        raise ExecutionError("22023", "COPY null representation cannot use newline or carriage return")
    if options.format == "text" and delimiter in "\\.abcdefghijklmnopqrstuvwxyz0123456789":
        raise ExecutionError("22023", f'COPY delimiter cannot be "{delimiter}"')


def _check_quotes(options: CopyOptions) -> None:
    if len(options.quote.encode()) != 1:
        raise ExecutionError("0A000", "COPY quote must be a single one-byte character")
    if options.delimiter == options.quote:
        raise ExecutionError("22023", "COPY delimiter and quote must be different")
    if len(options.escape.encode()) != 1:
        raise ExecutionError("0A000", "COPY escape must be a single one-byte character")


__all__ = ["check_columns", "options_of"]
