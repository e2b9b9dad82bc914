"""The page for those who have a result file: what to save, and what no file says, by harness."""

from collections.abc import Iterable, Iterator

from benchreg.entities.completeness import BY_KEY
from benchreg.importers.importer import Importer
from benchreg.publish.handbook import GENERATED

ABOUT = """# Contribute a run

From a result file to a pull request:

```sh
benchreg add source my-runs \\
    --set title="Runs on our cluster" --set kind=own_run --set publisher="Us"
benchreg import result.json --source my-runs --dry-run
benchreg import result.json --source my-runs \\
    --set accelerator=h100-sxm5-80gb --set count=8 --set tensor=8 \\
    --set engine=vllm --set engine.version=0.11.0 --set load.warmup.requests=64
git add records && git commit
```

The first line is needed once. The second prints the record and writes nothing. What a file does
not state is declared absent, with the reason; nothing is filled in with what is likely, and
nothing is taken from the name of a file or folder. With `--set` you add what you know: it counts
as stated, and is listed under `contributed`. Where the file says otherwise, the import refuses.
The audit of what was written ends the command: it is your list of what is left to do.

- Files are known by what is in them. Several files and whole folders can be given; of a folder,
  what is no run file is left out, and said so. `--as` names the importer where a file could be of
  two.
- One record is made for each operating point: a file with a sweep becomes several.
- Every run is accounted for. Where one is refused nothing is written, unless `--partial` asks for
  the others; the command ends with code 1 then.
- `--update` brings records up to date that are there already, and keeps a curator's work.
- Only the fields that an importer lists are read. Prompts, generated texts, command lines, keys
  and host names stay in the file.
- Of gaps between tokens or chunks, which are pooled, the standard deviation is left out: a record
  has a place for that of requests.
- A model or part that the catalogue does not know stays in the file's words; `benchreg add model`
  and `benchreg add accelerator` add it.

Keys of `--set` are fields of a record ([record-format.md](record-format.md)) and these short ones:
`accelerator`, `count`, `model`, `engine`, `tensor`, `pipeline`, `context`, `attention_data`,
`replicas`, `expert`, `harness_version`.
"""


def harnesses(importers: Iterable[Importer]) -> str:
    """Return the page: how a run is contributed, then each harness with what it never says."""
    every = tuple(importers)
    lines = [GENERATED, ABOUT, "## The harnesses", ""]
    lines += [f"- [{one.harness}](#{_anchor(one.name)}) ({_called(one)})" for one in every]
    for one in every:
        lines += ["", *_section(one)]
    return "\n".join([*lines, ""])


def _section(one: Importer) -> Iterator[str]:
    yield f"### {one.name}"
    yield ""
    yield one.page
    yield ""
    yield from ("```sh", one.save, "```")
    if one.never:
        yield ""
        yield "What its file does not say, or not always, and `--set` can add:"
        yield ""
        yield from (f"- {_name(key)}: {why}" for key, why in one.never.items())


def _called(one: Importer) -> str:
    return f"`{one.name}`" if one.never else f"`{one.name}`, which is not imported"


def _name(key: str) -> str:
    return BY_KEY[key].title if key in BY_KEY else key


def _anchor(heading: str) -> str:
    """Return what a heading is linked by, where pages are rendered: without its dots."""
    return heading.replace(".", "")
