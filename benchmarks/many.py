"""Make a large registry from the shipped one by changing ids, and values where asked."""

import re
import shutil
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
VALUE = re.compile(r"(?<=[ {])((?:value|input_tokens|output_tokens|stdev|duration_s): )([0-9.]+)")
NAME = re.compile(r"(?<=id: )[a-z0-9.-]+(?=\n)|(?<= )[a-z0-9.-]+(?=#)")
LOCATOR = re.compile(r"(?<=\n  locator: )(?=[^>|\"'])")
PRINTED = re.compile(r"^ *printed: .*\n", re.MULTILINE)


def make(into: Path, count: int, *, spread: bool = False) -> None:
    """Write `count` records below `into/records`, and the catalogue beside them.

    With `spread`, the numbers of every record differ from those of every other one (and no longer
    agree with each other: the audit then has findings to place and to print as well).
    """
    shutil.rmtree(into / "records", ignore_errors=True)
    for folder in (HERE / "records").iterdir():
        if folder.is_dir() and folder.name != "benchmarks":
            shutil.copytree(folder, into / "records" / folder.name)
    shipped = sorted((HERE / "records/benchmarks").rglob("*.yaml"))
    texts = [(path, path.read_text(encoding="utf-8")) for path in shipped]
    ids = frozenset(path.stem for path in shipped)
    for number in range(-(-count // len(texts))):
        for path, text in texts[: count - number * len(texts)]:
            target = into / path.relative_to(HERE)
            target = target.with_name(f"{path.stem}-n{number}.yaml")
            target.parent.mkdir(parents=True, exist_ok=True)
            copy = renamed(text, ids, number)
            target.write_text(shifted(copy, number) if spread else copy, encoding="utf-8")


def renamed(text: str, ids: frozenset[str], number: int) -> str:
    """Give a record, what it names and its aliases new ids, and the record another place."""

    def again(found: re.Match[str]) -> str:
        return f"{found[0]}-n{number}" if found[0] in ids else found[0]

    text = NAME.sub(again, text)
    text = LOCATOR.sub(f"n{number}, ", text, count=1)
    return text.replace("aliases: [", f"aliases: [n{number}-")


def shifted(text: str, number: int) -> str:
    """Add to every figure and length a little that no other copy adds."""

    def more(found: re.Match[str]) -> str:
        return f"{found[1]}{float(found[2]) * (1 + number / 1000):.6g}"

    return VALUE.sub(more, PRINTED.sub("", text))
