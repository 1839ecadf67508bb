"""Golden scripts: what users of a room say to it, and what it answers, as text.

    # Two writers race for one position; the second is told where the upper is now.
    a: append 0 5 +1:x
    b: append 0 5 +2:y
    ---
    a: upper=5
    b: error UpperMismatch: shard s: expected upper 0, found 5

A script is a list of blocks. A block has comments (`#`), commands, a line `---`, and the output of
these commands up to a blank line. A command may be said by a named client (`a: ...`); lines that
begin with four spaces continue it. Output lines carry the client's name; an empty output line is
written `~`; a block whose commands say nothing says `ok`.

Each room brings an interpreter: a function (or coroutine function) from `(client, command text)` to
output text. Exceptions of the types that the room names are output too: `error Type: message`.

    def test_scripts(script): run_script(script, Interpreter().run, errors=(StorageError,))

`UPDATE_GOLDEN=1 pytest ...` rewrites the expected output instead of comparing. Read the diff then:
the script is the specification, and the program may be what is wrong.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

Interpreter = Callable[[str, str], str | Awaitable[str]]

SEPARATOR = "---"
_CLIENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*): ?(.*)", re.DOTALL)


@dataclass(slots=True)
class Block:
    """Lines before `---` as written, the commands among them, and the expected output."""

    line: int
    head: list[str] = field(default_factory=list)
    commands: list[tuple[str, str]] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)


def scripts(folder: Path, pattern: str = "*.txt") -> list[Path]:
    """The scripts of a folder, for `pytest.mark.parametrize`; a folder without any is a mistake."""
    found = sorted(folder.glob(pattern))
    assert found, f"no golden scripts in {folder}"
    return found


def parse(text: str) -> list[Block]:
    """Raises ValueError, naming the line, for text that is no script."""
    blocks: list[Block] = []
    block: Block | None = None
    in_output = False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            if block is not None and not in_output and block.commands:
                raise ValueError(f"line {number}: a block ends without {SEPARATOR!r}")
            if block is not None:
                block, in_output = None, False
            continue
        if block is None:
            block = Block(number)
            blocks.append(block)
        if in_output:
            block.expected.append(line)
        elif line == SEPARATOR:
            if not block.commands:
                raise ValueError(f"line {number}: output without commands")
            in_output = True
        else:
            block.head.append(line)
            if line.startswith("    ") and block.commands:
                client, command = block.commands[-1]
                block.commands[-1] = (client, command + "\n" + line.strip())
            elif not line.startswith("#"):
                match = _CLIENT.fullmatch(line)
                block.commands.append((match[1], match[2]) if match else ("", line))
    if block is not None and block.commands and not in_output:
        raise ValueError(f"the last block ends without {SEPARATOR!r}")
    return blocks


def run_script(path: Path, interpreter: Interpreter, errors: tuple[type[Exception], ...] = ()) -> None:
    """Runs a script in one event loop and compares; or rewrites it, with UPDATE_GOLDEN=1."""
    asyncio.run(run_script_async(path, interpreter, errors))


async def run_script_async(
    path: Path, interpreter: Interpreter, errors: tuple[type[Exception], ...] = ()
) -> None:
    """`run_script` inside a loop that the caller made (a simulated one, say)."""
    blocks = parse(path.read_text())
    update = os.environ.get("UPDATE_GOLDEN") == "1"
    rewritten: list[str] = []
    for block in blocks:
        output = await _run_block(block, interpreter, errors) if block.commands else []
        if update:
            rewritten.append("\n".join([*block.head, *([SEPARATOR, *output] if block.commands else [])]))
        else:
            assert output == block.expected, (
                f"{path.name}, line {block.line}:\n"
                + "\n".join(block.head)
                + "\nexpected:\n"
                + "\n".join(block.expected)
                + "\nfound:\n"
                + "\n".join(output)
            )
    if update:
        path.write_text("\n\n".join(rewritten) + "\n")


async def _run_block(
    block: Block, interpreter: Interpreter, errors: tuple[type[Exception], ...]
) -> list[str]:
    output: list[str] = []
    for client, command in block.commands:
        try:
            result = interpreter(client, command)
            text = await result if inspect.isawaitable(result) else result
        except errors as e:
            text = f"error {type(e).__name__}: {e}"
        assert isinstance(text, str), f"the interpreter answered {text!r}"
        lines = [line.rstrip() or "~" for line in text.splitlines()]
        output += [f"{client}: {line}" if client else line for line in lines]
    return output or ["ok"]
