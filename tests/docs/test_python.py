"""What the page on Python shows runs, and prints what stands there."""

import doctest

import pytest

from benchreg.registry.roots import own_root

PAGE = own_root() / "docs/python.md"


def test_every_example_prints_what_stands_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(own_root())
    examples = doctest.DocTestParser().get_doctest(
        PAGE.read_text(encoding="utf-8").replace("```", "\n"), {}, "python.md", str(PAGE), 0
    )
    failed = doctest.DocTestRunner().run(examples)
    assert failed.attempted > 15
    assert failed.failed == 0, capsys.readouterr().out
