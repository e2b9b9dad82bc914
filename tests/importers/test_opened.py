"""A run file is opened by what is in it, whatever it is called and however large it is."""

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from benchreg.importers import opened as module
from benchreg.importers.opened import MOST_ROWS, Opened, opened, rows
from benchreg.importers.statement import RunError
from benchreg.importers.streamed import MOST_ITEMS, streamed

Write = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Write:
    """A function that writes a file, whose name says nothing."""

    def write(content: str | bytes, name: str = "results.txt") -> Path:
        path = tmp_path / name
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(data)
        return path

    return write


def trees(file: Opened) -> list[tuple[str, object]]:
    return [(piece.at, piece.tree) for piece in file.pieces()]


def test_json_keeps_the_digits_of_its_numbers(written: Write) -> None:
    file = opened(written('{"a": 1.23456789012345678, "b": 1e-05, "c": [1, null, true]}'))
    assert trees(file) == [
        ("", {"a": Decimal("1.23456789012345678"), "b": Decimal("0.00001"), "c": [1, None, True]})
    ]


def test_a_list_at_the_top_is_its_items(written: Write) -> None:
    assert trees(opened(written('[{"a": 1}, {"a": 2}]'))) == [("/0", {"a": 1}), ("/1", {"a": 2})]


def test_lines_of_json_are_known_in_any_file(written: Write) -> None:
    file = opened(written('{"a": 1}\n\n{"a": 2}\n', "results.json"))
    assert trees(file) == [("line 1", {"a": 1}), ("line 3", {"a": 2})]


def test_a_bare_infinity_or_nan_is_a_number_that_is_none(written: Write) -> None:
    [(_, tree)] = trees(opened(written('{"a": Infinity, "b": -Infinity, "c": NaN}')))
    assert isinstance(tree, dict)
    assert [str(one) for one in tree.values()] == ["Infinity", "-Infinity", "NaN"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_mark_of_byte_order_is_no_part_of_the_text(encoding: str, written: Write) -> None:
    assert trees(opened(written('{"a": "é"}'.encode(encoding)))) == [("", {"a": "é"})]


def test_yaml_and_tables_are_known_by_their_first_line(written: Write) -> None:
    assert trees(opened(written("a: 1.50\nb: {c: 2}\n"))) == [
        ("", {"a": Decimal("1.50"), "b": {"c": 2}})
    ]
    csv = opened(written('Metric,avg\n"Time, to first",1\n\nMetric,Value\nx,2\n'))
    assert csv.tables() == [
        [["Metric", "avg"], ["Time, to first", "1"]],
        [["Metric", "Value"], ["x", "2"]],
    ]
    marked = opened(written("| model | t/s |\n| --- | ---: |\n| a | 1.5 |\n"))
    assert marked.tables() == [[["model", "t/s"], ["a", "1.5"]]]


def test_lists_of_requests_are_cut_and_long_texts_too(written: Write) -> None:
    document = {"itls": list(range(5000)), "text": "x" * 10_000, "n": 1}
    [(_, tree)] = trees(opened(written(json.dumps(document))))
    assert isinstance(tree, dict)
    assert (len(tree["itls"]), len(tree["text"]), tree["n"]) == (MOST_ITEMS, 4096, 1)


def test_a_large_file_is_streamed_to_the_same_tree(
    written: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = {
        "benchmarks": [{"value": 1.25, "requests": [{"text": "a", "itl": [1, [2]]}] * 600}] * 3,
        "long": list(range(2000)),
        "last": {"deep": [[], {}, [{"a": None}]], "flag": True},
    }
    path = written(json.dumps(document))
    whole = trees(opened(path))
    monkeypatch.setattr(module, "MOST_WHOLE", 100)
    assert trees(opened(path)) == whole
    assert streamed(path) == whole[0][1]


def test_large_files_of_lines_are_read_line_by_line(
    written: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_WHOLE", 10)
    file = opened(written('{"a": 1}\n{"a": 2}\n'))
    assert (file.form, trees(file)) == ("lines", [("line 1", {"a": 1}), ("line 2", {"a": 2})])


@pytest.mark.parametrize(
    ("content", "told"),
    [
        pytest.param("", "is empty", id="nothing"),
        pytest.param(" \n\t ", "is empty", id="blank"),
        pytest.param('{"a": 1', "is no JSON: line 1, column", id="cut off"),
        pytest.param('{"a": 1, "a": 2}', "holds the key 'a' twice", id="a key twice"),
        pytest.param("[" * 5000, "is nested too deeply", id="deep"),
        pytest.param('{"a":' * 150 + "1" + "}" * 150, "is nested too deeply", id="deep and whole"),
        pytest.param('{"a": ' + "9" * 5000 + "}", "more digits than any figure", id="long number"),
        pytest.param(b"{\xff}", "is not UTF-8 text", id="another encoding"),
        pytest.param(b"a,b\x00\n", "it holds zero bytes", id="no text"),
        pytest.param("a: &b 1\n", "is no YAML: line 1: an anchor", id="an anchor"),
        pytest.param('a,b\n"c,d\n', "is no csv table", id="an open quote"),
    ],
)
def test_what_is_no_run_file_is_refused_with_the_reason(
    content: str | bytes, told: str, written: Write
) -> None:
    with pytest.raises(RunError) as caught:
        opened(written(content)).tables()
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        pytest.param('{"a": NaN}' + " " * 99, "NaN and Infinity are not read", id="NaN"),
        pytest.param('{"a":' * 150 + "1" + "}" * 150, "nested too deeply", id="deep"),
        pytest.param('{"a": [1, 2' + " " * 99, "is no JSON", id="cut off"),
        pytest.param('{"a": 1, "a": 2}' + " " * 99, "the key 'a' twice", id="a key twice"),
    ],
)
def test_a_large_file_is_refused_as_a_small_one_is(
    content: str, told: str, written: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_WHOLE", 20)
    with pytest.raises(RunError) as caught:
        opened(written(content))
    assert told in str(caught.value)


def test_a_line_that_is_no_json_is_refused_with_its_number(written: Write) -> None:
    with pytest.raises(RunError, match="line 2 is no JSON"):
        list(opened(written('{"a": 1}\n{"a": \n')).pieces())


def test_a_folder_and_a_link_to_nothing_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    with pytest.raises(RunError, match="name the run files in it"):
        opened(tmp_path)
    with pytest.raises(RunError, match="is no file that can be read"):
        opened(tmp_path / "link")


def test_what_lies_beside_a_file_is_read_by_its_name_only(written: Write) -> None:
    file = opened(written('{"a": 1}'))
    written("model: x\n", "config.yaml")
    file.path.with_name("link.yaml").symlink_to("config.yaml")
    assert file.beside("config.yaml") == {"model": "x"}
    assert file.beside("link.yaml") is None
    assert file.beside("nothing.yaml") is None


def test_its_digest_is_that_of_its_bytes(written: Write) -> None:
    file = opened(written("{}"))
    assert file.sha256 == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def test_a_table_below_a_line_that_looks_like_yaml_is_a_table(written: Write) -> None:
    file = opened(written("settings: a = 1, b = 2\n\n| a | b |\n|---|--:|\n| 1 |   |\n"))
    assert (file.form, file.tables()) == ("table", [[["a", "b"], ["1", ""]]])


def test_the_rows_below_a_header_are_trees_by_its_names(written: Write) -> None:
    [table] = opened(written('a,"b, c"\n1,2\n3\n')).tables()
    assert [(piece.at, piece.tree) for piece in rows(table)] == [
        ("row 1", {"a": "1", "b, c": "2"}), ("row 2", ["3"])
    ]  # fmt: skip


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(RunError, match="two columns called 'a'"):
        rows([["a", "b", "a"], ["1", "2", "3"]])


def test_yaml_that_would_take_long_to_read_is_refused(
    written: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_YAML", 10)
    with pytest.raises(RunError, match="save the report as JSON"):
        opened(written("a: 1\nb: 12345\n"))


def test_a_table_of_too_many_lines_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" * (MOST_ROWS + 2), encoding="utf-8")
    with pytest.raises(RunError, match="has over 100,000 lines"):
        opened(path).tables()


def test_blank_lines_before_a_large_file_of_lines_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchreg.importers.opened.MOST_WHOLE", 10)
    path = tmp_path / "lines.jsonl"
    path.write_text('\n\n{"a": 1}\n{"a": 2}\n', encoding="utf-8")
    assert [piece.at for piece in opened(path).pieces()] == ["line 3", "line 4"]


def test_a_large_file_in_utf_16_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchreg.importers.opened.MOST_WHOLE", 10)
    path = tmp_path / "wide.json"
    path.write_text('{"a": 1, "b": 2}', encoding="utf-16")
    with pytest.raises(RunError, match="save a file of this size as UTF-8"):
        opened(path)
