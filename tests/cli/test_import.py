"""`benchreg import` as a contributor runs it."""

from pathlib import Path

import pytest

from benchreg.cli.main import run

Capture = pytest.CaptureFixture[str]
MAPPING = """title: a table
id: run-{system}
record:
  kind: example
  status: active
  source: {id: example-source, locator: the table, retrieved: "2026-11-01"}
  model: {id: example-model}
  hardware:
    pools:
      - {accelerator: example-gpu-80gb, count: 1}
  engine: {id: example-engine, version: "1.2.0"}
  workload: {input_tokens: 512, output_tokens: 64, length_basis: measured}
  load: {pattern: all_at_once, warmup: {requests: 0}}
  absent:
    load.scenario: not_applicable
    precision: not_stated
    parallelism: not_stated
    load.requests: not_stated
    load.window: not_stated
    measurement: not_stated
    workload.prefix_cache: not_stated
    workload.speculative: not_stated
    workload.output_policy: not_stated
  results:
    rate:
      metric: output_throughput
      scope: system
      unit: tok/s
      absent: {seen_by_request: not_applicable}
cells:
  title: {text: "a run on {system}"}
  results.rate.value: {column: rate}
"""
TABLE = "system,rate\na,800\nb,900.0\n"
FOLDER = "records/benchmarks/example-source"


@pytest.fixture
def files(base: Path) -> tuple[Path, Path, list[str]]:
    """A mapping and a table beside a registry, and the command line that names all three."""
    mapping, table = base / "mapping.yaml", base / "table.csv"
    mapping.write_text(MAPPING, encoding="utf-8")
    table.write_text(TABLE, encoding="utf-8")
    return mapping, table, ["import", str(table), "--map", str(mapping), "--registry", str(base)]


Files = tuple[Path, Path, list[str]]


def test_rows_become_records_that_are_audited(files: Files, base: Path, capsys: Capture) -> None:
    assert run(files[2]) == 0
    captured = capsys.readouterr()
    assert "2 rows: 2 records written, 0 changed, 0 unchanged; 0 merged" in captured.err
    assert "2 records with 2 figures" in captured.out
    assert "value: 900.0\n" in (base / FOLDER / "run-b.yaml").read_text(encoding="utf-8")
    assert run(["audit", "--registry", str(base), "--cross-validate"]) == 0
    assert run(["fmt", "--check", "--registry", str(base), str(base / FOLDER / "run-a.yaml")]) == 0


def test_the_same_rows_again_change_no_byte(files: Files, base: Path, capsys: Capture) -> None:
    run(files[2])
    before = (base / FOLDER / "run-a.yaml").read_bytes()
    capsys.readouterr()
    assert run(files[2]) == 0
    assert "0 records written, 0 changed, 2 unchanged" in capsys.readouterr().err
    assert (base / FOLDER / "run-a.yaml").read_bytes() == before


def test_a_record_that_is_there_is_not_overwritten(
    files: Files, base: Path, capsys: Capture
) -> None:
    run(files[2])
    files[1].write_text(TABLE.replace("800", "801"), encoding="utf-8")
    assert run(files[2]) == 1
    assert "--update brings it up to date" in capsys.readouterr().err
    assert "value: 800\n" in (base / FOLDER / "run-a.yaml").read_text(encoding="utf-8")


def test_an_update_changes_what_is_new_and_keeps_the_curators_work(
    files: Files, base: Path, capsys: Capture
) -> None:
    run(files[2])
    path = base / FOLDER / "run-a.yaml"
    text = path.read_text(encoding="utf-8").replace(
        "status: active", "status: disputed\nstatus_reason: a cell was misread"
    )
    text += "\n# looked at twice\nnotes: a curator was here\n"
    path.write_text(text, encoding="utf-8")
    before = (base / FOLDER / "run-b.yaml").read_bytes()
    files[1].write_text(TABLE.replace("800", "801"), encoding="utf-8")
    capsys.readouterr()
    assert run([*files[2], "--update"]) == 0
    assert "0 records written, 1 changed, 1 unchanged" in capsys.readouterr().err
    after = path.read_text(encoding="utf-8")
    assert "status: disputed" in after
    assert "# looked at twice\nnotes: >-\n  a curator was here\n" in after
    assert "value: 801\n" in after
    assert (base / FOLDER / "run-b.yaml").read_bytes() == before


def test_an_update_changes_the_digits_of_a_number(files: Files, base: Path) -> None:
    assert run(files[2]) == 0
    files[1].write_text("system,rate\na,800\nb,900\n", encoding="utf-8")
    assert run([*files[2], "--update"]) == 0
    assert "value: 900\n" in (base / FOLDER / "run-b.yaml").read_text(encoding="utf-8")


def test_where_a_row_is_refused_nothing_is_written(
    files: Files, base: Path, capsys: Capture
) -> None:
    files[1].write_text(TABLE + "c,1,234\nd,fast\n", encoding="utf-8")
    assert run(files[2]) == 1
    err = capsys.readouterr().err
    assert "row 4: the row does not have as many cells as there are columns" in err
    assert "row 5: column 'rate' is 'fast', which is no number" in err
    assert "4 rows: 0 records written" in err
    assert not (base / FOLDER / "run-a.yaml").exists()


def test_what_is_sound_is_written_if_asked(files: Files, base: Path) -> None:
    files[1].write_text(TABLE + "d,fast\n", encoding="utf-8")
    assert run([*files[2], "--partial"]) == 1
    assert (base / FOLDER / "run-a.yaml").exists()


def test_a_dry_run_prints_and_writes_nothing(files: Files, base: Path, capsys: Capture) -> None:
    assert run([*files[2], "--dry-run"]) == 0
    assert "id: run-a\n" in capsys.readouterr().out
    assert not (base / FOLDER / "run-a.yaml").exists()


def test_two_rows_with_one_id_are_refused(files: Files, capsys: Capture) -> None:
    files[1].write_text(TABLE + "a,1\n", encoding="utf-8")
    assert run(files[2]) == 1
    assert "row 4: another one has the id run-a; make it finer" in capsys.readouterr().err


def test_a_row_that_makes_no_record_is_refused_with_the_reason(
    files: Files, capsys: Capture
) -> None:
    files[0].write_text(MAPPING.replace("kind: example", "kind: measured"), encoding="utf-8")
    assert run(files[2]) == 1
    assert "row 2: /kind is 'measured', which is none of its words" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "before", "after", "told"),
    [
        ("a key misspelt", "cells:", "cellls:", "unknown key 'cellls' in /; did you mean 'cells'?"),
        ("no yaml", "title: a", "title: [a", "not YAML"),
        ("a column that is not there", "{column: rate}", "{column: ratte}", "no column 'ratte'"),
    ],
)
def test_a_mapping_with_a_fault_is_told_at_its_place(
    name: str, before: str, after: str, told: str, files: Files, capsys: Capture
) -> None:
    files[0].write_text(MAPPING.replace(before, after), encoding="utf-8")
    assert run(files[2]) == 2, name
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.out == ""


def test_a_table_that_is_not_there_is_bad_use(files: Files, capsys: Capture) -> None:
    files[1].unlink()
    assert run(files[2]) == 2
    assert "cannot be read: No such file or directory" in capsys.readouterr().err


def test_a_folder_that_is_a_link_leads_nothing_out(
    files: Files, base: Path, tmp_path_factory: pytest.TempPathFactory, capsys: Capture
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    files[0].write_text(f"folder: away\n{MAPPING}", encoding="utf-8")
    (base / FOLDER / "away").symlink_to(outside)
    assert run(files[2]) == 2
    assert "is a link" in capsys.readouterr().err
    assert list(outside.iterdir()) == []


def test_a_record_that_is_a_link_is_neither_read_nor_written(
    files: Files, base: Path, tmp_path: Path, capsys: Capture
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret\n", encoding="utf-8")
    (base / FOLDER / "run-a.yaml").symlink_to(secret)
    assert run([*files[2], "--update"]) == 1
    assert "run-a.yaml is there and cannot be read" in capsys.readouterr().err
    assert secret.read_text(encoding="utf-8") == "a secret\n"


def test_very_many_records_are_left_to_the_audit_and_that_is_said(
    files: Files, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchreg.cli.judged.MOST_AUDITED", 1)
    assert run(files[2]) == 0
    assert "2 records are too many to audit here; `benchreg audit`" in capsys.readouterr().out


def test_nothing_is_left_beside_the_registry(files: Files, base: Path) -> None:
    run(files[2])
    files[1].write_text(TABLE + "d,fast\n", encoding="utf-8")
    run(files[2])
    assert [path.name for path in base.iterdir() if path.name.startswith(".")] == []
