"""Pictures of the results, with matplotlib where it is installed (the `bench` extra).

plots/ratios.svg        every ratio beside its aim, on a logarithmic scale
plots/NAME.svg          one for each curve
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

from bench.report import Result


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def draw(results: list[Result], folder: Path) -> list[str]:
    """Draws what there is to draw; the pictures' paths, relative to the folder. None without matplotlib."""
    if importlib.util.find_spec("matplotlib") is None:
        print("no plots: matplotlib is not installed (it comes with the `bench` extra)")
        return []
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "tidewire"
    from matplotlib import pyplot

    (folder / "plots").mkdir(parents=True, exist_ok=True)
    curves = [_curve(pyplot, result, folder) for result in results if "tidewire" in result.curves]
    ratios = _ratios(pyplot, results, folder)
    return ([ratios] if ratios else []) + curves


def drawn(results: list[Result], folder: Path) -> list[str]:
    """The pictures that an earlier run has drawn of these results."""
    named = ["ratios", *(slug(r.workload) for r in results if "tidewire" in r.curves)]
    return [path for path in (f"plots/{name}.svg" for name in named) if (folder / path).exists()]


def _saved(pyplot: Any, figure: Any, folder: Path, name: str) -> str:
    path = f"plots/{name}.svg"
    figure.savefig(folder / path, metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)
    return path


def _curve(pyplot: Any, result: Result, folder: Path) -> str:
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for peer, curve in result.curves.items():
        for name, points in curve["series"].items():
            axes.plot(*zip(*points, strict=True), marker="o", label=f"{peer}: {name}" if name else peer)
        axes.set_xlabel(curve["x"])
        axes.set_ylabel(curve["y"])
    xs = [x for c in result.curves.values() for points in c["series"].values() for x, _ in points]
    if min(xs) > 0 and max(xs) / min(xs) > 50:
        axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_title(result.workload, fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return _saved(pyplot, figure, folder, slug(result.workload))


def _ratios(pyplot: Any, results: list[Result], folder: Path) -> str | None:
    rows = [
        (f"{r.workload} / {aim.peer}", ratio, aim.ratio)
        for r in results
        for aim in r.aims
        if aim.ratio is not None and (ratio := r.ratio(aim.peer)) is not None
    ]
    if not rows:
        return None
    rows.reverse()
    figure, axes = pyplot.subplots(figsize=(9, 1 + 0.2 * len(rows)))
    colours = ["tab:green" if ratio >= wanted else "tab:red" for _, ratio, wanted in rows]
    axes.barh(range(len(rows)), [ratio for _, ratio, _ in rows], color=colours, height=0.7)
    axes.plot([wanted for _, _, wanted in rows], range(len(rows)), "k|", markersize=8, label="aim")
    axes.set_yticks(range(len(rows)), [name for name, _, _ in rows], fontsize=6)
    axes.set_xscale("log")
    axes.axvline(1, color="grey", linewidth=0.5)
    axes.set_ylim(-1, len(rows))
    axes.set_xlabel("times better than the peer")
    axes.legend(fontsize=7, loc="lower right")
    return _saved(pyplot, figure, folder, "ratios")
