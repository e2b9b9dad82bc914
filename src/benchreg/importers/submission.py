"""A submission to MLPerf: what its folders say of a result, and which results lie in it."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchreg.importers.opened import LOG, opened
from benchreg.importers.statement import RunError

SUMMARY = "result_summary.json"
DIVISIONS = ("closed", "open", "network")
SCENARIOS = {
    "offline": "offline",
    "server": "server",
    "interactive": "interactive",
    "singlestream": "single_stream",
    "multistream": "multi_stream",
}
MOST_DEPTH = 32
MOST_SMALL = 1024 * 1024
MOST_BESIDE = 16
_ROUND = re.compile(r"(?:.*[_-])?(v[0-9]{1,2}\.[0-9]{1,2})", re.DOTALL)
_TEST = re.compile(r"test[0-9]{2}")
_OTHER_RUN = re.compile(r"run_[0-9]{1,3}")
_CHECKS = "a compliance run checks the rules, and is no result"
_LINK = "is a link; links are not followed"
_NO_RUN = {
    "compliance": _CHECKS,
    "accuracy": "the accuracy run of a result, which has no rates",
    "ranging": "the ranging run of a power measurement, and no result",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A result of a submission, by the folders that it lies in.

    `root` holds the division; `round` is empty where no folder above names one. `way` are the
    folders from the division to the scenario, `below` those from there to the run's file, and
    `scenario` is the word of records for the scenario.
    """

    root: Path
    round: str
    way: tuple[str, ...]
    below: tuple[str, ...]
    scenario: str

    @property
    def division(self) -> str:
        """The division: closed, open or network."""
        return self.way[0].casefold()

    @property
    def submitter(self) -> str:
        """The folder of the submitter."""
        return self.way[1]

    @property
    def system(self) -> str:
        """The folder of the system."""
        return self.way[3]

    @property
    def benchmark(self) -> str:
        """The folder of the benchmark: a model, and often the accuracy that is asked of it."""
        return self.way[4]

    @property
    def model(self) -> str:
        """The benchmark without the accuracy that is asked of it."""
        return re.sub(r"-99(?:\.9)?\Z", "", self.benchmark)

    @property
    def path(self) -> str:
        """The way to the result, as a results repository has it."""
        return "/".join(self.way)

    @property
    def locator(self) -> str:
        """The way to the run's file."""
        return "/".join((*self.way, *self.below))

    def result(self, *way: str) -> Path:
        """Return the path of something in the folder of the result."""
        return self.root.joinpath(*self.way, *way)

    def systems(self) -> Path:
        """Return where the file that describes the system should be."""
        return self.root.joinpath(*self.way[:2], "systems", f"{self.system}.json")

    def measurements(self) -> Path:
        """Return the folder of the files that say how the result was measured."""
        return self.root.joinpath(*self.way[:2], "measurements", *self.way[3:])

    def tree(self, path: Path) -> dict[str, Any] | None:
        """Return the tree of a small file of the submission; None where there is none to read."""
        if not self._is_its_own(path, MOST_SMALL):
            return None
        try:
            pieces = list(opened(path).pieces())
        except (OSError, RunError):
            return None
        tree = pieces[0].tree if len(pieces) == 1 else None
        return tree if isinstance(tree, dict) else None

    def text(self, path: Path) -> str:
        """Return the text of a file of the submission, up to 1 MiB; empty where there is none."""
        try:
            if not self._is_its_own(path):
                return ""
            with path.open("rb") as file:
                return file.read(MOST_SMALL).decode(errors="replace")
        except OSError:
            return ""

    def beside(self, folder: Path) -> list[Path]:
        """Return the JSON files of a folder of the submission, by name; the first few."""
        try:
            paths = sorted(path for path in folder.iterdir() if path.suffix == ".json")
        except OSError:
            return []
        return paths[:MOST_BESIDE]

    def _is_its_own(self, path: Path, most: int | None = None) -> bool:
        """Tell whether a path leads to a plain file, and by no link below the root."""
        try:
            steps = path.relative_to(self.root).parts
            ways = (self.root.joinpath(*steps[: count + 1]) for count in range(len(steps)))
            if any(way.is_symlink() for way in ways) or not path.is_file():
                return False
            return most is None or path.stat().st_size <= most
        except (OSError, ValueError):
            return False


def entry(path: Path) -> Entry | None:
    """Return the result that a log or summary is of, by its folders; None where it lies elsewhere.

    The way is `closed/SUBMITTER/results/SYSTEM/BENCHMARK/SCENARIO/performance`, then `run_1` and
    the log of LoadGen, or the summary itself. Raises RunError for a compliance run.
    """
    parts = Path(os.path.abspath(path)).parts  # noqa: PTH100  (a link is not resolved)
    for at in range(len(parts) - 7, 0, -1):
        if parts[at].casefold() not in DIVISIONS:
            continue
        below = [part.casefold() for part in parts[at + 2 : -1]]
        if below[:1] == ["compliance"] or (below[:1] == ["results"] and _is_test(below)):
            raise RunError(_CHECKS)
        scenario = SCENARIOS.get(re.sub("[_-]", "", below[3])) if len(below) > 3 else None
        if below[:1] == ["results"] and scenario and _is_run(below[4:], parts[-1]):
            root = Path(*parts[:at])
            return Entry(root, _round(parts[:at]), parts[at : at + 6], parts[at + 6 :], scenario)
    return None


def _is_test(below: list[str]) -> bool:
    return any(_TEST.fullmatch(part) for part in below[3:])


def _is_run(below: list[str], name: str) -> bool:
    """Tell whether the folders below the scenario lead to the run that counts."""
    return below == (["performance"] if name == SUMMARY else ["performance", "run_1"])


def _round(above: tuple[str, ...]) -> str:
    """Return the round that the nearest folder names, as inference_results_v5.1 does."""
    named = (_ROUND.fullmatch(part) for part in reversed(above))
    return next((one[1] for one in named if one), "")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A path below a folder that was not looked into, and why."""

    path: Path
    reason: str


def found(root: Path) -> Iterator[Path | LeftOut]:
    """Yield the runs of MLPerf's tools below a folder, in order: what `opened` takes.

    These are folders with a detail log of LoadGen, and summaries of inference-endpoint. Yields as
    well what could have been one and is not looked into: compliance and accuracy runs, runs after
    the first, links, and what cannot be read.
    """
    if (root / LOG).is_file() or not root.is_dir():
        yield root
    else:
        yield from _below(root, 1)


def _below(folder: Path, depth: int) -> Iterator[Path | LeftOut]:
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda one: one.name)
    except OSError as error:
        yield LeftOut(folder, f"cannot be read: {error.strerror}")
        return
    for one in entries:
        path = folder / one.name
        if one.is_dir() and not one.name.startswith("."):
            yield from _inside(path, one, depth)
        elif one.name == SUMMARY:
            yield LeftOut(path, _LINK) if one.is_symlink() else path


def _inside(path: Path, one: os.DirEntry[str], depth: int) -> Iterator[Path | LeftOut]:
    """Yield what a folder is, or what is in it."""
    name = one.name.casefold()
    why = _CHECKS if _TEST.fullmatch(name) else _NO_RUN.get(name)
    if one.is_symlink():
        why = _LINK
    elif _OTHER_RUN.fullmatch(name) and name != "run_1":
        why = "only run_1 is the result"
    elif depth >= MOST_DEPTH:
        why = f"lies more than {MOST_DEPTH} folders deep"
    if why:
        yield LeftOut(path, why)
    elif os.path.lexists(path / LOG):
        linked = (path / LOG).is_symlink()
        yield LeftOut(path / LOG, _LINK) if linked else path
    else:
        yield from _below(path, depth + 1)
