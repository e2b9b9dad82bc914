"""Where a configuration is looked for, which one is taken, and what is said of one that is none."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from benchreg.audit.finding import Severity
from benchreg.audit.policy import Asked
from benchreg.cli.configured import configuration_options, configured, policy_of, root_of
from benchreg.cli.main import run
from benchreg.values.errors import BenchregError

Capture = pytest.CaptureFixture[str]
Write = Callable[[str, str], Path]
SHOW = 'show = "note"\n'
TABLE = f"[tool.other]\nx = 1\n\n[tool.benchreg]\n{SHOW}"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A folder with a registry two floors below."""
    (tmp_path / "data/served/records/models").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def write(top: Path) -> Write:
    """A function that writes a file below the top."""

    def write(path: str, text: str) -> Path:
        (top / path).write_text(text, encoding="utf-8")
        return top / path

    return write


@pytest.mark.parametrize(
    ("path", "text", "shown"),
    [
        ("data/served/benchreg.toml", SHOW, "benchreg.toml"),
        ("data/served/pyproject.toml", TABLE, "pyproject.toml"),
        ("data/benchreg.toml", SHOW, "../benchreg.toml"),
        ("pyproject.toml", TABLE, "../../pyproject.toml"),
    ],
)
def test_a_configuration_is_found_at_or_above_the_registry(
    path: str, text: str, shown: str, top: Path, write: Write
) -> None:
    write(path, text)
    found = configured(top / "data/served")
    assert (found.path, found.settings.show) == (shown, "note")
    assert policy_of(top / "data/served", Asked()).show is Severity.NOTE


def test_the_nearest_is_taken_alone(top: Path, write: Write) -> None:
    write("benchreg.toml", 'fail-on = "note"\n')
    write("data/served/pyproject.toml", "[tool.other]\nx = 1\n")
    write("data/benchreg.toml", SHOW)
    found = policy_of(top / "data/served", Asked())
    assert (found.show, found.fail_on) == (Severity.NOTE, Severity.ERROR)


def test_without_one_nothing_is_configured(top: Path, write: Write) -> None:
    write("data/served/pyproject.toml", "[project]\nname = 'x'\n")
    write("data/served/records/benchreg.toml", SHOW)
    assert configured(top / "data/served").path == ""


def test_isolated_reads_none_of_them(top: Path, write: Write) -> None:
    write("data/served/benchreg.toml", "no toml at all")
    assert configured(top / "data/served", isolated=True).path == ""
    assert policy_of(top / "data/served", Asked(), isolated=True).show is Severity.ERROR


def test_both_files_in_one_folder_are_one_too_many(top: Path, write: Write) -> None:
    write("data/benchreg.toml", SHOW)
    write("data/pyproject.toml", TABLE)
    with pytest.raises(BenchregError, match=r"beside it has \[tool.benchreg\] too; keep one"):
        configured(top / "data/served")


DEEP = "[" * 5000
WIDE = ".".join(["a"] * 30_000)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            "select = [",
            "benchreg.toml: not TOML: Invalid value (at end of document)",
            id="no end",
        ),
        pytest.param(
            'a = 1\nshow == "note"', "benchreg.toml:2:7: not TOML: Invalid value", id="no TOML"
        ),
        pytest.param(f"x = {DEEP}", "benchreg.toml: nested too deep", id="deep"),
        pytest.param(f"{WIDE} = 1", "benchreg.toml: a line with more than 500 points", id="wide"),
        pytest.param(f"x = {'9' * 5000}", "benchreg.toml: not TOML: Exceeds the limit", id="long"),
        pytest.param(f"# {'x' * 2**16}", "benchreg.toml: larger than 64 KiB; --isolated", id="big"),
        pytest.param(
            "# \x1b[31m", "benchreg.toml:1:3: not TOML: Found invalid character", id="a colour"
        ),
        pytest.param("show = 'x'", "benchreg.toml: show: 'x' is no severity", id="no word of ours"),
    ],
)
def test_a_file_that_is_no_configuration_is_bad_use(
    text: str, message: str, top: Path, write: Write
) -> None:
    path = write("data/benchreg.toml", text)
    start = time.monotonic()
    with pytest.raises(BenchregError) as raised:
        configured(top / "data/served")
    assert time.monotonic() - start < 2
    assert str(raised.value).startswith(f"{path.parent}/{message}")
    assert "\x1b" not in str(raised.value)


def test_a_key_of_a_shared_file_is_said_with_its_table(top: Path, write: Write) -> None:
    path = write("pyproject.toml", "[tool.benchreg]\nshwo = 1\n")
    with pytest.raises(BenchregError) as raised:
        configured(top / "data/served")
    message = f"{path}: tool.benchreg.shwo: unknown key; did you mean 'show'?"
    assert str(raised.value) == message
    write("pyproject.toml", "tool.benchreg = 1\n")
    with pytest.raises(BenchregError, match=r"tool\.benchreg: should be a table"):
        configured(top / "data/served")


def test_a_shared_file_that_cannot_be_read_may_hold_a_table(top: Path, write: Write) -> None:
    write("data/served/pyproject.toml", "[tool.benchreg")
    with pytest.raises(BenchregError, match="not TOML"):
        configured(top / "data/served")


@pytest.mark.parametrize("kind", ["a link", "a folder", "a pipe", "not UTF-8"])
def test_only_a_plain_file_is_read(kind: str, top: Path, write: Write) -> None:
    path = top / "data/benchreg.toml"
    if kind == "a link":
        path.symlink_to(write("elsewhere.toml", SHOW))
    elif kind == "a folder":
        path.mkdir()
    elif kind == "a pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(b"# \xff")
    with pytest.raises(BenchregError, match=r"benchreg.toml: (cannot be read|not UTF-8)"):
        configured(top / "data/served")


@pytest.mark.parametrize("start", [".", "data"])
def test_a_configuration_says_where_the_registry_is(
    start: str, top: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("benchreg.toml", f'registry = "data/served"\n{SHOW}')
    monkeypatch.chdir(top / start)
    assert root_of(None, ()) == top / "data/served"
    assert root_of(None, (Path(),)) == top / "data/served"
    assert configured(root_of(None, ())).settings.show == "note"
    assert root_of(Path("elsewhere"), ()) == Path("elsewhere")
    with pytest.raises(BenchregError, match="holds `records/`"):
        root_of(None, (), isolated=True)


def test_a_registry_that_is_nearer_comes_first(top: Path, write: Write) -> None:
    write("benchreg.toml", 'registry = "other"\n')
    assert root_of(None, (top / "data/served/records/models",)) == top / "data/served"


@pytest.mark.parametrize("isolated", [True, False])
def test_where_there_is_no_registry_it_is_said_as_ever(isolated: bool, tmp_path: Path) -> None:
    with pytest.raises(BenchregError, match="no folder here or above it holds"):
        root_of(None, (tmp_path,), isolated=isolated)
    with pytest.raises(BenchregError, match="there is no such file or folder"):
        root_of(None, (tmp_path / "nowhere",), isolated=isolated)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("nowhere", "holds no folder `records/`"),
        ("out", "lies outside; a folder of it is a link"),
    ],
)
def test_a_registry_that_is_not_there_is_bad_use(
    named: str, message: str, top: Path, write: Write, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "records").mkdir()
    (top / "out").symlink_to(outside)
    write("benchreg.toml", f'registry = "{named}"\n')
    with pytest.raises(BenchregError, match=message):
        root_of(None, (top,))


def test_a_decoy_beside_the_records_is_bad_use(top: Path, write: Write) -> None:
    write("data/served/benchreg.toml", 'registry = "decoy"\n')
    with pytest.raises(BenchregError, match="names decoy, and `records/` is here; keep one"):
        configured(root_of(None, (top / "data/served",)))


def test_the_options_are_given_to_a_command() -> None:
    @click.command()
    @configuration_options
    def command(**options: object) -> None:
        click.echo(sorted(options.items()))

    given = ["--select", "MET", "--fail-on", "note", "--isolated"]
    assert CliRunner().invoke(command, given).output == (
        "[('fail_on', 'note'), ('ignore', ()), ('isolated', True), "
        "('select', ('MET',)), ('show', None)]\n"
    )
    names = [
        name for name in CliRunner().invoke(command, ["--help"]).output.split() if "--" in name
    ]
    assert names[:5] == ["--select", "--ignore", "--fail-on", "--show", "--isolated"]


def test_the_audit_says_what_a_configuration_sets_aside(base: Path, capsys: Capture) -> None:
    (base / "benchreg.toml").write_text(
        '[ignore]\nCON004 = "so it is"\n[severity]\nCON003 = "note"\n', encoding="utf-8"
    )
    assert run(["audit", "--registry", str(base)]) == 0
    out = capsys.readouterr().out
    assert "configuration benchreg.toml: ignores CON004 engine-version-absent (so it is)\n" in out
    assert "takes CON003 scenario-absent for a note, not a warning: 0 findings\n" in out
    assert run(["audit", "--registry", str(base), "--isolated"]) == 0
    assert "configuration" not in capsys.readouterr().out


def test_a_configuration_can_make_an_audit_stricter_and_the_command_line_undo_it(
    changed: Callable[..., Path],
) -> None:
    root = changed("measurement: {harness: example bench, point: server}\n")
    (root / "benchreg.toml").write_text('fail-on = "note"\n', encoding="utf-8")
    assert run(["audit", "--registry", str(root)]) == 1
    assert run(["audit", "--registry", str(root), "--fail-on", "error"]) == 0
    assert run(["audit", "--registry", str(root), "--isolated"]) == 0


def test_no_configuration_lets_a_refused_record_pass(
    changed: Callable[..., Path], capsys: Capture
) -> None:
    root = changed("enginee: {id: example-engine}\n")
    path = root / "benchreg.toml"
    path.write_text('select = ["PRO006"]\n', encoding="utf-8")
    assert run(["audit", "--registry", str(root)]) == 1
    path.write_text('ignore.SCH001 = "we like it"\nignore.PLA001 = "as well"\n', encoding="utf-8")
    capsys.readouterr()
    assert run(["audit", "--registry", str(root)]) == 2
    assert [line.partition("ignore.")[2] for line in capsys.readouterr().err.splitlines()] == [
        "SCH001: cannot be ignored: a file that it refuses is read by no other rule",
        "PLA001: cannot be ignored: it cannot be waived",
    ]
