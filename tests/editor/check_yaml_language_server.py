"""Check that yaml-language-server completes and judges records by the committed schemas.

Run it with `make editor-check`, or by hand with a folder to keep the server in. Needs npm, and
the network for the first run in a folder.
"""

import json
import queue
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SERVER = "yaml-language-server@1.25.0"
SECONDS = 60
CHECKOUT = Path(__file__).parents[2]
GOLDEN = CHECKOUT / "tests" / "data" / "golden"
SETTINGS = {
    "yaml": {
        "validate": True,
        "completion": True,
        "hover": True,
        "schemaStore": {"enable": False},
        "schemas": {},
    }
}
HEAD = """\
id: example
title: An example
kind: example
status: active
source: {id: example-source, retrieved: "2026-11-01"}
"""


@dataclass
class Editor:
    """An editor that opens documents in a language server and is told what the server says."""

    server: "subprocess.Popen[bytes]"
    incoming: "queue.Queue[dict[str, Any]]" = field(default_factory=queue.Queue)
    opened: int = 0
    asked: int = 0

    def start(self) -> None:
        """Say hello as an editor does."""
        threading.Thread(target=self._listen, daemon=True).start()
        root = CHECKOUT.as_uri()
        self.ask(
            "initialize",
            processId=None,
            rootUri=root,
            workspaceFolders=[{"uri": root, "name": "benchreg"}],
            capabilities={"workspace": {"configuration": True}},
        )
        self.tell("initialized")
        self.tell("workspace/didChangeConfiguration", settings=SETTINGS)

    def open(self, text: str, kind: str = "record") -> str:
        """Open a text as a new file of the registry; return its address."""
        self.opened += 1
        path = CHECKOUT / "records" / "engines" / f"editor-check-{self.opened}.yaml"
        modeline = f"# yaml-language-server: $schema=../../schema/{kind}.schema.json\n"
        document = {"languageId": "yaml", "version": 1, "text": modeline + text}
        self.tell("textDocument/didOpen", textDocument={"uri": path.as_uri(), **document})
        return path.as_uri()

    def faults(self, text: str, kind: str = "record") -> list[tuple[int, str]]:
        """Return the line (counted from 1, without the modeline) and message of every fault."""
        uri = self.open(text, kind)
        while True:
            message = self._next()
            params = message.get("params", {})
            if message.get("method") == "textDocument/publishDiagnostics" and params["uri"] == uri:
                return [
                    (found["range"]["start"]["line"], found["message"])
                    for found in params["diagnostics"]
                ]

    def offers(self, text: str) -> set[str]:
        """Return what is offered at the mark `|` of a text."""
        before, _, after = text.partition("|")
        uri = self.open(before + after)
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1)
        answer = self.ask(
            "textDocument/completion",
            textDocument={"uri": uri},
            position={"line": line, "character": column},
        )
        return {item["label"] for item in answer["items"]}

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request and return the answer to it."""
        self.asked += 1
        self._send({"id": self.asked, "method": method, "params": params})
        while True:
            message = self._next()
            if message.get("id") == self.asked and "method" not in message:
                return message["result"]

    def tell(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def _next(self) -> dict[str, Any]:
        """Return the server's next message, its own questions answered first."""
        while True:
            message = self.incoming.get(timeout=SECONDS)
            if not ("id" in message and "method" in message):
                return message
            items = message["params"].get("items", ())
            answer = [SETTINGS.get(item.get("section", ""), {}) for item in items]
            wants = message["method"] == "workspace/configuration"
            self._send({"id": message["id"], "result": answer if wants else None})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        pipe = _open(self.server.stdin)
        pipe.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        pipe.flush()

    def _listen(self) -> None:
        pipe = _open(self.server.stdout)
        while header := pipe.readline():
            if header.lower().startswith(b"content-length:"):
                length = int(header.partition(b":")[2])
                while pipe.readline().strip():
                    pass
                self.incoming.put(json.loads(pipe.read(length)))
