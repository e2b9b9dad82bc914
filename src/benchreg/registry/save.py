"""New records into a registry: all of them or none, and never over what is there."""

import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from benchreg.values.errors import BenchregError


@dataclass(slots=True)
class Staging:
    """Files that are written beside the registry first, and moved into it together.

    Leaving it without `commit` takes everything away again.
    """

    root: Path
    _folder: Path | None = None
    _paths: list[tuple[str, bool]] = field(default_factory=list)

    def __enter__(self) -> Self:
        """Make the folder, on the same file system as the registry."""
        try:
            self._folder = Path(tempfile.mkdtemp(prefix=".benchreg-", dir=self.root))
        except OSError as error:
            raise BenchregError(f"{self.root}: cannot be written: {error.strerror}") from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the folder away, whatever happened."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def add(self, path: str, text: str, *, replace: bool = False) -> None:
        """Write a file that is to lie at `path` below the root; only one to `replace` may be there.

        Raises BenchregError where something else is there.
        """
        if not replace and os.path.lexists(self.root / path):
            raise BenchregError(f"{path} is there already; --update changes what is new in it")
        if not (self.root / path).parent.resolve().is_relative_to(self.root.resolve()):
            raise BenchregError(f"{path} would lie outside the registry: a folder of it is a link")
        staged = self._staged(path)
        staged.parent.mkdir(parents=True, exist_ok=True)
        staged.write_text(text, encoding="utf-8", newline="\n")
        self._paths.append((path, replace))

    def commit(self) -> list[str]:
        """Move every file to its place, and return the paths."""
        for path, replace in self._paths:
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if replace:
                self._staged(path).replace(target)
            else:
                os.link(self._staged(path), target)
        return [path for path, _ in self._paths]

    def _staged(self, path: str) -> Path:
        if self._folder is None:
            raise RuntimeError("files are added within the `with` block")
        return self._folder / path
