"""Check that yaml-language-server completes and judges records by the committed schemas.

`make editor-check` runs it. By hand it takes a folder to keep the server in; without one, the
server is installed anew into a temporary folder. It needs npm, and the network to install.
"""

import json
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

SERVER = "yaml-language-server"
VERSION = "1.25.0"  # the last one that runs on node 20
SECONDS = 60
CHECKOUT = Path(__file__).parents[2]
GOLDEN = sorted((CHECKOUT / "tests" / "data" / "golden").glob("*.yaml"))
RECORD = json.loads((CHECKOUT / "schema" / "record.schema.json").read_bytes())
SETTINGS = {"yaml": {"validate": True, "completion": True, "schemaStore": {"enable": False}}}

HEAD = """\
id: example
title: An example
kind: example
status: active
source: {id: example-source, retrieved: "2026-11-01"}
"""
TOP = {"load", "absent", "results", "hardware", "engine", "workload", "notes"}
PATTERNS = {"static_batch", "closed_loop", "open_loop", "single_stream"}
REASONS = {"not_stated", "unrecoverable", "withheld", "not_applicable", "not_checked"}


def _keys(name: str) -> set[str]:
    return set(RECORD["$defs"][name]["properties"])


COMPLETED: dict[str, tuple[str, set[str]]] = {
    "the keys of a record": ("|", TOP),
    "the keys under `load:`": ("load:\n  |\n", _keys("Load")),
    "the other keys under `load:`": ("load:\n  window: full_drain\n  |\n", {"pattern", "warmup"}),
    "the words of `pattern:`": ("load:\n  pattern: |\n", PATTERNS),
    "the conditions under `absent:`": ("absent:\n  |\n", _keys("Absences")),
    "the reasons of an absence": ("absent:\n  load.warmup: |\n", REASONS),
    "the keys of a long absence": ("absent:\n  slo:\n    |\n", {"because", "would_need", "note"}),
    "the conditions under `inferred:`": ("inferred:\n  |\n", _keys("Inferences")),
    "the keys of a pool": ("hardware:\n  pools:\n    - |\n", _keys("Pool")),
    "the keys of a figure": ("results:\n  rate:\n    |\n", _keys("Figure")),
}
FAULTS: dict[str, tuple[str, list[tuple[int, str]]]] = {
    "no fault in the shortest record": (HEAD, []),
    "a missing key of the record": (HEAD.replace("title", "notes"), [(1, 'property "title"')]),
    "an unknown key of the record": (HEAD + "enginee: x\n", [(6, "enginee is not allowed")]),
    "an unknown key": (HEAD + "load:\n  requests: 1\n  patern: x\n", [(8, "patern is not")]),
    "a wrong word": (HEAD + "load:\n  requests: 1\n  pattern: closed\n", [(8, '"closed_loop"')]),
    "a missing key": (HEAD + "service:\n  region: eu-west-1\n", [(6, 'property "provider"')]),
    "a figure without a value": (
        HEAD + "results:\n  rate:\n    metric: ttft\n    unit: ms\n",
        [(7, 'property "value"')],
    ),
    "text for a number": (HEAD + 'load:\n  batch_size: "64"\n', [(7, "Expected")]),
    "a number out of range": (HEAD + "load:\n  batch_size: 0\n", [(7, "minimum of 1")]),
    "an empty value": (HEAD + "notes:\n", [(6, "Expected")]),
    "an unknown condition": (HEAD + "absent:\n  slow: withheld\n", [(7, "slow is not allowed")]),
    "a reason that is none": (HEAD + "absent:\n  slo: unknown\n", [(7, '"not_stated"')]),
    "an id that is none": (HEAD + "sweep: Capital\n", [(6, "pattern")]),
    "an item twice": (HEAD + "aliases: [a, a]\n", [(6, "duplicate")]),
    "three faults": (
        HEAD + "load:\n  patern: x\n  batch_size: many\nkindd: x\n",
        [(7, "patern is not"), (8, "Expected"), (9, "kindd is not")],
    ),
}


@dataclass
class Editor:
    """An editor that opens documents in the server and reads what the server says of them."""

    into: IO[bytes]
    out: IO[bytes]
    said: "queue.Queue[dict[str, Any]]" = field(default_factory=queue.Queue)
    opened: int = 0
    asked: int = 0

    def start(self) -> None:
        """Greet the server as an editor does that has this checkout open."""
        threading.Thread(target=self._listen, daemon=True).start()
        folder = {"uri": CHECKOUT.as_uri(), "name": "checkout"}
        can = {"workspace": {"configuration": True}}
        self.ask("initialize", processId=None, workspaceFolders=[folder], capabilities=can)
        self.tell("initialized")
        self.tell("workspace/didChangeConfiguration", settings=SETTINGS)

    def open(self, text: str, kind: str = "record") -> str:
        """Open a text that names its schema in its first line; return its address."""
        self.opened += 1
        uri = (CHECKOUT / "records" / "editor" / f"{self.opened}.yaml").as_uri()
        text = f"# yaml-language-server: $schema=../../schema/{kind}.schema.json\n{text}"
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self.tell("textDocument/didOpen", textDocument=document)
        return uri

    def faults(self, text: str, kind: str = "record") -> list[tuple[int, str]]:
        """Return the line of the text, counted from 1, and the message of every fault in it."""
        uri = self.open(text, kind)
        while True:
            told = self._next().get("params", {})
            if "diagnostics" in told and told["uri"] == uri:
                found = told["diagnostics"]
                return sorted((one["range"]["start"]["line"], one["message"]) for one in found)

    def offers(self, text: str) -> set[str]:
        """Return what is offered at the mark `|` of a text."""
        before, _, after = text.partition("|")
        uri = self.open(before + after)
        line, column = before.count("\n") + 1, len(before.rpartition("\n")[2])
        place = {"line": line, "character": column}
        answer = self.ask("textDocument/completion", textDocument={"uri": uri}, position=place)
        return {item["label"] for item in answer["items"]}

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request and return the answer to it."""
        self.asked += 1
        self._send({"id": self.asked, "method": method, "params": params})
        while True:
            message = self._next()
            if message.get("id") == self.asked:
                return message.get("result")

    def tell(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def _next(self) -> dict[str, Any]:
        """Return the next message that is no question; answer the questions before it."""
        while True:
            message = self.said.get(timeout=SECONDS)
            if "id" not in message or "method" not in message:
                return message
            items = message.get("params", {}).get("items", ())
            answer = [SETTINGS.get(item.get("section", ""), {}) for item in items]
            self._send({"id": message["id"], "result": answer or None})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.into.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.into.flush()

    def _listen(self) -> None:
        while header := self.out.readline():
            if header.lower().startswith(b"content-length:"):
                while self.out.readline().strip():
                    pass
                self.said.put(json.loads(self.out.read(int(header.partition(b":")[2]))))


def outcomes(editor: Editor) -> Iterator[tuple[str, str]]:
    """Yield what was tried, and what went wrong; nothing where all went well."""
    for name, (text, expected) in COMPLETED.items():
        missing = sorted(expected - editor.offers(HEAD + text))
        yield f"completes {name}", f"does not offer {', '.join(missing)}" if missing else ""
    for path in GOLDEN:
        found = editor.faults(path.read_text(encoding="utf-8"), path.stem.partition("-")[0])
        yield f"accepts {path.name}", f"finds {found}" if found else ""
    for name, (text, wanted) in FAULTS.items():
        found = editor.faults(text)
        right = [line for line, _ in found] == [line for line, _ in wanted] and all(
            part in message for (_, part), (_, message) in zip(wanted, found, strict=True)
        )
        yield f"places {name}", "" if right else f"finds {found} instead of {wanted}"


def installed(folder: Path) -> Path:
    """Return the server's program in a folder, installed by npm where it is not there yet."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        sys.exit("editor check: npm is not there; install Node.js 20 or later, which brings it")
    package = f"{SERVER}@{VERSION}"
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"]
    run = subprocess.run(
        [npm, "install", *options, "--prefix", str(folder), package],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        reason = (run.stderr.strip().splitlines() or ["no reason given"])[0]
        sys.exit(f"editor check: npm could not install {package} into {folder}: {reason}")
    return folder / "node_modules" / ".bin" / SERVER


def check(folder: Path) -> bool:
    """Tell whether all went well, one printed line for each try."""
    command = [str(installed(folder)), "--stdio"]
    passed = True
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        editor = Editor(cast("IO[bytes]", server.stdin), cast("IO[bytes]", server.stdout))
        try:
            editor.start()
            for name, problem in outcomes(editor):
                sys.stdout.write(f"FAILED {name}: {problem}\n" if problem else f"ok {name}\n")
                passed &= not problem
        except (queue.Empty, BrokenPipeError):
            sys.exit(f"editor check: {SERVER} ended, or gave no answer within {SECONDS} s")
        finally:
            server.kill()
    return passed


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(not check(Path(sys.argv[1]).absolute()))
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(not check(Path(temporary)))
