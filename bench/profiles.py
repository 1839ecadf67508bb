"""Where a server's time goes while a workload runs: samples of its Python stacks, and of the machine's where `perf` may.

    python -m bench --only 'pgbench -N prepared c8' --profile /tmp/profiles

    NAME.collapsed    py-spy's stacks, one a line with its count: for flame graphs (speedscope, inferno)
    NAME.txt          the same as two lists: functions by their own time, and by all that they call
    NAME.perf.txt     what the processor did in C, by symbol

Sampling takes some of one core, so figures of such a run are not to be believed, and are not saved.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.plots import slug

RATE_HZ = 200
LISTED = 40


@contextlib.contextmanager
def profiled(pid: int, name: str, folder: Path) -> Iterator[None]:
    """Samples the process (and its children) until the end of the block."""
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
            recorder.send_signal(2)  # SIGINT: both write what they have
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
    options = ["-r", str(RATE_HZ), "-f", "raw", "-d", "3600", "--threads", "--nonblocking"]
    return [program, "record", "-p", str(pid), "-o", str(out), *options]


def _perf_report(perf: str, data: Path, out: Path) -> None:
    command = [
        perf,
        "report",
        "--stdio",
        "--no-children",
        "-g",
        "none",
        "--percent-limit",
        "0.5",
        "-i",
        str(data),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode == 0:
        out.write_text(done.stdout, encoding="utf-8")
    data.unlink()


def summary(stacks: Path) -> str:
    """Shares of the samples, by function: its own, and with what it calls."""
    own: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    total = 0
    for line in stacks.read_text(encoding="utf-8").splitlines():
        stack, _, count = line.rpartition(" ")
        frames = [_function(f) for f in stack.split(";") if f]
        total += int(count)
        own[frames[-1]] += int(count)
        for frame in set(frames):
            whole[frame] += int(count)
    lines = [f"{total} samples at {RATE_HZ} Hz, of threads that were running"]
    for title, counts in (("own time", own), ("with what it calls", whole)):
        lines += ["", title]
        lines += [f"{n / max(1, total):7.1%}  {name}" for name, n in counts.most_common(LISTED)]
    return "\n".join(lines) + "\n"


def _function(frame: str) -> str:
    """Without the line: `admit (txn/group.py:41)` and `:57` are one function."""
    name, _, place = frame.partition(" (")
    return f"{name} ({place.rsplit(':', 1)[0]})" if place else name
