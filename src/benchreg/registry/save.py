"""New records into a registry: all of them or none, and never over what is there."""

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
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
            (self._folder / ".gitignore").write_text("*\n", encoding="utf-8")  # if we are killed
        except OSError as error:
            self.__exit__(None, None, None)
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

        Raises BenchregError where something else is there, and where it cannot lie there.
        """
        if not replace and os.path.lexists(self.root / path):
            raise BenchregError(f"{path} is there already; --update changes what is new in it")
        for folder in list(Path(path).parents)[:-1]:
            if (self.root / folder).is_symlink():
                raise BenchregError(f"{path} would lie elsewhere: {folder} is a link")
            if os.path.lexists(self.root / folder) and not (self.root / folder).is_dir():
                raise BenchregError(f"{path} cannot be written: {folder} is no folder")
        staged = self._staged(path)
        try:
            staged.parent.mkdir(parents=True, exist_ok=True)
            staged.write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise _failure(path, error) from None
        self._paths.append((path, replace))

    def commit(self) -> list[str]:
        """Move every file to its place, and return the paths.

        Where that fails, or is interrupted, what was moved is taken back.
        """
        undo: list[Callable[[], object]] = []
        try:
            for path, replace in self._paths:
                self._move(path, undo, replace=replace)
        except BaseException:
            for step in reversed(undo):
                with suppress(OSError):
                    step()
            raise
        return [path for path, _ in self._paths]

    def _move(self, path: str, undo: list[Callable[[], object]], *, replace: bool) -> None:
        """Move a file to its place, and note what takes it back."""
        target, staged = self.root / path, self._staged(path)
        try:
            for folder in () if target.parent.is_dir() else reversed(target.parents):
                if not folder.exists():
                    folder.mkdir(exist_ok=True)
                    undo.append(folder.rmdir)
            if replace:
                before = staged.with_name(f"{staged.name}.before")
                shutil.copy2(target, before)
                undo.append(lambda: before.replace(target))
                staged.replace(target)
            else:
                _link(staged, target)
                undo.append(target.unlink)
        except OSError as error:
            raise _failure(path, error) from None

    def _staged(self, path: str) -> Path:
        if self._folder is None:
            raise RuntimeError("files are added within the `with` block")
        return self._folder / path


def _link(staged: Path, target: Path) -> None:
    """Put a file where there is none; raises OSError where there is one by now."""
    try:
        os.link(staged, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        with target.open("xb") as file:
            try:
                file.write(staged.read_bytes())
            except BaseException:
                target.unlink()
                raise


def _failure(path: str, error: OSError) -> BenchregError:
    return BenchregError(f"{path} cannot be written: {error.strerror or error}; nothing was")
