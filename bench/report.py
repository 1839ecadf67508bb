"""Results as a table that anybody can read, a file that any program can, and the story of what misses its aim.

`results.json` keeps the last measurement of every workload: a run replaces the rows that it measured and leaves the
others, each with the day of its own. The figures of one row are always of one run.
"""

from __future__ import annotations

import fnmatch
import json
import platform
import statistics
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.workload import Aim, Workload

EXPLANATIONS = Path(__file__).parent / "explanations.md"


@dataclass
class Result:
    """One workload: per peer the figures of each round, and the curves of the last."""

    workload: str
    unit: str
    aims: list[Aim] = field(default_factory=list)
    lower_is_better: bool = False
    rounds: dict[str, list[float]] = field(default_factory=dict)
    cpu_s: dict[str, list[float]] = field(default_factory=dict)
    """Processor seconds of Tidewire's server processes in each round."""
    seconds: float = 0.0
    """The length of a round, where the workload keeps to it."""
    curves: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    profile: str = ""
    failure: str = ""
    day: str = ""

    @classmethod
    def of(cls, workload: Workload) -> Result:
        day = time.strftime("%Y-%m-%d")
        return cls(workload.name, workload.unit, list(workload.aims), workload.lower_is_better, day=day)

    def median(self, peer: str) -> float | None:
        values = self.rounds.get(peer)
        return statistics.median(values) if values else None

    def ratio(self, peer: str) -> float | None:
        """How many times better Tidewire is than the peer (medians of the same run)."""
        ours, theirs = self.median("tidewire"), self.median(peer)
        if not ours or not theirs:
            return None
        return theirs / ours if self.lower_is_better else ours / theirs

    def met(self, aim: Aim) -> bool | None:
        """None: there is nothing to judge."""
        if aim.bound is not None:
            ours = self.median("tidewire")
            if ours is None:
                return None
            return ours <= aim.bound if self.lower_is_better else ours >= aim.bound
        ratio = self.ratio(aim.peer)
        return None if ratio is None or aim.ratio is None else ratio >= aim.ratio

    @property
    def cpu_us(self) -> float | None:
        """Processor time of our server for one transaction, where the unit is that."""
        rate, cpu_s = self.median("tidewire"), self.cpu_s.get("tidewire")
        if self.unit != "tps" or not rate or not cpu_s or not self.seconds or not any(cpu_s):
            return None
        return statistics.median(cpu_s) / (rate * self.seconds) * 1e6

    @property
    def misses(self) -> bool:
        return bool(self.failure) or any(self.met(aim) is False for aim in self.aims)


def _figure(value: float | None) -> str:
    if value is None:
        return "–"
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _line(r: Result, aim: Aim | None) -> str:
    peer = aim.peer if aim is not None else next((p for p in r.rounds if p != "tidewire"), "postgres")
    ratio, wanted, verdict = "–", "", ""
    if aim is not None and aim.bound is not None:
        peer = ""
        sign = "<=" if r.lower_is_better else ">="
        wanted = f"{sign} {aim.bound:g} {r.unit}"
    else:
        found = r.ratio(peer)
        ratio = f"**{found:.2f}**" if found is not None else "–"
        wanted = f"{aim.ratio:g}" if aim is not None and aim.ratio is not None else ""
    if aim is not None and (aim.bound or aim.ratio):
        verdict = {True: "yes", False: "no", None: "–"}[r.met(aim)]
    if r.failure:
        verdict = "failed"
    theirs = f"{_figure(r.median(peer))} {peer}" if peer and r.median(peer) is not None else "–"
    notes = f" ({'; '.join(r.notes)})" if r.notes else ""
    return f"| {r.workload}{notes} | {r.unit} | {_figure(r.median('tidewire'))} | {theirs} | {ratio} | {wanted} | {verdict} |"


def explanations() -> list[tuple[str, str]]:
    """(pattern of workload names, text): `## pattern` and what follows it in explanations.md."""
    if not EXPLANATIONS.exists():
        return []
    found = []
    for section in EXPLANATIONS.read_text(encoding="utf-8").split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        found.append((title.strip(), " ".join(text.split())))
    return found


def _stories(results: list[Result]) -> list[str]:
    lines = ["## Where the time goes in what misses its aim", ""]
    told = explanations()
    for r in results:
        if not r.misses:
            continue
        text = next((t for pattern, t in told if fnmatch.fnmatch(r.workload, pattern)), "")
        if r.failure:
            lines.append(f"* **{r.workload}** failed: {r.failure}")
        else:
            said = [text] if text else []
            if r.cpu_us is not None:
                said.append(f"{r.cpu_us:,.0f} µs of the server's processors each.")
            if r.profile:
                said.append(f"Profile: {r.profile}.")
            lines.append(f"* **{r.workload}**: {' '.join(said) or 'not explained yet (`--explain`).'}")
    return lines if len(lines) > 2 else []


def markdown(results: list[Result], plots: list[str] | None = None) -> str:
    lines = [
        "# Tidewire beside PostgreSQL, DuckDB and SlateDB",
        "",
        f"On {platform.machine()}, {platform.python_implementation()} {platform.python_version()}; medians over the "
        "rounds, both sides of a row in the same run. A ratio above 1 means that Tidewire is better.",
        "",
        "| workload | unit | tidewire | peer | ratio | aim | met |",
        "|---|---|--:|--:|--:|--:|---|",
    ]
    for r in results:
        aims = r.aims or [Aim(peer) for peer in r.rounds if peer != "tidewire"]
        lines += [_line(r, aim) for aim in aims] or [_line(r, None)]
    judged = [met for r in results for aim in r.aims if (met := r.met(aim)) is not None]
    days = sorted({r.day for r in results if r.day})
    if days:
        lines += [
            "",
            f"{sum(judged)} of {len(judged)} aims are met. Measured {days[0]}"
            + (f" to {days[-1]}." if len(days) > 1 else "."),
        ]
    for plot in plots or []:
        lines += ["", f"![{Path(plot).stem.replace('-', ' ')}]({plot})"]
    stories = _stories(results)
    return "\n".join(lines + (["", *stories] if stories else [])) + "\n"


def kept(folder: Path, measured: list[Result], order: list[str]) -> list[Result]:
    """The results to save: those of this run, and the last ones of what it did not run, in the workloads' order."""
    file = folder / "results.json"
    names = {r.workload for r in measured}
    earlier: list[Result] = []
    if file.exists():
        document = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(document, dict):
            earlier = [_read(row) for row in document["results"] if row["workload"] not in names]
    place = {name: i for i, name in enumerate(order)}
    return sorted((r for r in earlier + measured if r.workload in place), key=lambda r: place[r.workload])


def _read(row: dict[str, Any]) -> Result:
    row = {k: v for k, v in row.items() if k not in ("medians", "ratios", "met")}
    return Result(**{**row, "aims": [Aim(**a) for a in row["aims"]]})


def save(results: list[Result], folder: Path, plots: list[str] | None = None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "results.md", markdown(results, plots))
    rows = [
        {
            **asdict(r),
            "medians": {p: r.median(p) for p in r.rounds},
            "ratios": {p: r.ratio(p) for p in r.rounds if p != "tidewire"},
            "met": [r.met(aim) for aim in r.aims],
        }
        for r in results
    ]
    _write(folder / "results.json", json.dumps({"results": rows}, indent=1) + "\n")


def _write(path: Path, text: str) -> None:
    """All of it or nothing: a run may be ended at any moment."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
