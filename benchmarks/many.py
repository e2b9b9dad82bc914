"""Make a large registry from the shipped one by changing ids."""

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def make(into: Path, count: int) -> None:
    """Write `count` records below `into/records`, and the catalogue beside them."""
    shutil.rmtree(into, ignore_errors=True)
    for folder in (HERE / "records").iterdir():
        if folder.name != "benchmarks":
            shutil.copytree(folder, into / "records" / folder.name)
    shipped = sorted((HERE / "records/benchmarks").rglob("*.yaml"))
    texts = [(path, path.read_text(encoding="utf-8")) for path in shipped]
    ids = sorted((path.stem for path in shipped), key=len, reverse=True)
    for number in range(-(-count // len(texts))):
        for path, text in texts[: count - number * len(texts)]:
            target = into / path.relative_to(HERE)
            target = target.with_name(f"{path.stem}-n{number}.yaml")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(_renamed(text, ids, number), encoding="utf-8")


def _renamed(text: str, ids: list[str], number: int) -> str:
    for name in ids:
        for before, after in (("id: ", "\n"), (" ", "#")):
            text = text.replace(f"{before}{name}{after}", f"{before}{name}-n{number}{after}")
    lines = [
        line.replace("[", "[n%d-" % number) if line.strip().startswith("aliases: [") else line
        for line in text.split("\n")
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]))
