"""Where a process's time goes while a workload runs: samples of its Python stacks, and of the machine's where `perf` may.

    python -m bench --only 'pgbench -N prepared c8' --profile /tmp/profiles      for whoever wants to look
    python -m bench --explain                                                   a line for each row that misses its aim

    NAME.collapsed    py-spy's stacks, one a line with its count: for flame graphs (speedscope, inferno)
    NAME.txt          the same as two lists: functions by their own time, and by all that they call
    NAME.perf.txt     what the processor did, by library and symbol

Sampling takes some of one core, so figures of such a run are not to be believed, and are not saved.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.peers import cpu_s, process_tree
from bench.plots import slug

RATE_HZ = 100
LISTED = 40
NAMED = 8
"""Functions in a line of explanation."""
PLUMBING = re.compile(
    r"\((typer|<frozen|threading\.py|uvloop/__init__|asyncio/runners|concurrent/futures/thread)|^thread |^<module>"
)
"""What is on every stack and says nothing."""


@contextlib.contextmanager
def profiled(pid: int, name: str, folder: Path) -> Iterator[None]:
    """Samples the process until the end of the block."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / slug(name)
    stacks = stem.with_suffix(".collapsed")
    recorders = [subprocess.Popen(_py_spy(pid, stacks), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)]
    perf = shutil.which("perf")
    data = stem.with_suffix(".perf.data")
    if perf is not None:
        command = [perf, "record", "-q", "-F", str(RATE_HZ), "-g", "-p", str(pid), "-o", str(data)]
        recorders.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
    try:
        yield
    finally:
        for recorder in recorders:
            recorder.send_signal(signal.SIGINT)  # both write what they have
        said = []
        for recorder in recorders:
            try:
                said.append(recorder.communicate(timeout=60)[1].decode(errors="replace"))
            except subprocess.TimeoutExpired:
                recorder.kill()
                said.append("did not end")
        if stacks.exists():
            stem.with_suffix(".txt").write_text(summary(stacks), encoding="utf-8")
        else:
            print(f"no profile of {name}: {said[0].strip()[-300:]}", file=sys.stderr)
        if perf is not None and data.exists():
            _perf_report(perf, data, stem.with_suffix(".perf.txt"))


def _py_spy(pid: int, out: Path) -> list[str]:
    beside = Path(sys.executable).parent / "py-spy"
    program = str(beside) if beside.exists() else shutil.which("py-spy")
    if program is None:
        raise RuntimeError("py-spy is not installed: it comes with the `dev` extra")
    options = ["-r", str(RATE_HZ), "-f", "raw", "-d", "3600"]
    return [program, "record", "-p", str(pid), "-o", str(out), *options]


def _perf_report(perf: str, data: Path, out: Path) -> None:
    options = ["--stdio", "--no-children", "-g", "none", "--percent-limit", "0.5", "-i", str(data)]
    with out.open("w", encoding="utf-8") as file:
        for order in ("dso", "dso,symbol"):
            command = [perf, "report", *options, "--sort", order]
            subprocess.run(command, stdout=file, stderr=subprocess.DEVNULL, timeout=300, check=False)
            file.flush()
    data.unlink()


def explained(pid: int, work: Callable[[], object]) -> str:
    """Runs the work, and says in a line how busy the process was, in which libraries and functions."""
    with tempfile.TemporaryDirectory() as folder:
        with profiled(pid, "explained", Path(folder)):
            start_s, busy_s = time.perf_counter(), _tree_s(pid)
            work()
            took_s, busy_s = time.perf_counter() - start_s, _tree_s(pid) - busy_s
        said = [f"busy {busy_s / took_s:.0%} of a core"]
        stacks = Path(folder) / "explained.collapsed"
        libraries = _libraries(Path(folder) / "explained.perf.txt")
        if libraries:
            said.append("in " + ", ".join(libraries))
        if stacks.exists():
            own, _, total = _counted(stacks)
            functions = [f"`{name}` {n / max(1, total):.0%}" for name, n in own.most_common(NAMED)]
            said.append("of its Python samples " + ", ".join(functions))
    return "; ".join(said)


def _tree_s(pid: int) -> float:
    return sum(cpu_s(each) for each in process_tree(pid))


def _libraries(report: Path) -> list[str]:
    """The shared objects (and the kernel) that took most, from the first list of perf's report."""
    if not report.exists():
        return []
    found: list[str] = []
    for line in report.read_text(encoding="utf-8").splitlines():
        match = re.match(r"\s+([0-9.]+)%\s+(\S+)\s*$", line)
        if match is not None and len(found) < 4:
            name = match.group(2).removeprefix("[").removesuffix("]").partition(".so")[0]
            found.append(f"{name} {float(match.group(1)):.0f}%")
    return found


def _counted(stacks: Path) -> tuple[Counter[str], Counter[str], int]:
    """Samples by function: its own, and with what it calls; and all of them."""
    own: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    total = 0
    for line in stacks.read_text(encoding="utf-8").splitlines():
        stack, _, count = line.rpartition(" ")
        frames = [_function(f) for f in stack.split(";") if f]
        total += int(count)
        if not frames:  # a thread that runs no Python
            continue
        own[frames[-1]] += int(count)
        for frame in {f for f in frames if not PLUMBING.search(f)}:
            whole[frame] += int(count)
    return own, whole, total


def summary(stacks: Path) -> str:
    """Shares of the samples, by function."""
    own, whole, total = _counted(stacks)
    lines = [f"{total} samples at {RATE_HZ} Hz, of threads that were running"]
    for title, counts in (("own time", own), ("with what it calls", whole)):
        lines += ["", title]
        lines += [f"{n / max(1, total):7.1%}  {name}" for name, n in counts.most_common(LISTED)]
    return "\n".join(lines) + "\n"


def _function(frame: str) -> str:
    """Without the line: `admit (txn/group.py:41)` and `:57` are one function."""
    name, _, place = frame.partition(" (")
    return f"{name} ({place.rsplit(':', 1)[0].rstrip(')')})" if place else name
