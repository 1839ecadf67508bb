"""Results as a table that anybody can read and a file that any program can."""

from __future__ import annotations

import json
import platform
import statistics
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass
class Result:
    """One workload: per peer the figures of each round. Higher is better unless `lower_is_better`."""

    workload: str
    unit: str
    aim: float | None = None
    lower_is_better: bool = False
    rounds: dict[str, list[float]] = field(default_factory=dict)
    note: str = ""

    def median(self, peer: str) -> float | None:
        values = self.rounds.get(peer)
        return statistics.median(values) if values else None

    @property
    def ratio(self) -> float | None:
        """How many times better Tidewire is than PostgreSQL (medians of the same run)."""
        ours, theirs = self.median("tidewire"), self.median("postgres")
        if not ours or not theirs:
            return None
        return theirs / ours if self.lower_is_better else ours / theirs


def _figure(value: float | None) -> str:
    if value is None:
        return "–"
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def markdown(results: list[Result]) -> str:
    lines = [
        "# Tidewire beside PostgreSQL",
        "",
        f"Measured {time.strftime('%Y-%m-%d')} on {platform.machine()}, {platform.python_implementation()} "
        f"{platform.python_version()}; medians over the rounds, both servers in the same run. "
        "A ratio above 1 means that Tidewire is better.",
        "",
        "| workload | unit | tidewire | postgres | ratio | aim |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for r in results:
        ratio = f"**{r.ratio:.2f}**" if r.ratio is not None else "–"
        aim = f"{r.aim:g}" if r.aim is not None else ""
        lines.append(
            f"| {r.workload}{' — ' + r.note if r.note else ''} | {r.unit} | {_figure(r.median('tidewire'))} | "
            f"{_figure(r.median('postgres'))} | {ratio} | {aim} |"
        )
    return "\n".join(lines) + "\n"


def save(results: list[Result], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.md").write_text(markdown(results))
    document = [
        {**asdict(r), "ratio": r.ratio, "medians": {p: r.median(p) for p in r.rounds}} for r in results
    ]
    (folder / "results.json").write_text(json.dumps(document, indent=1) + "\n")
