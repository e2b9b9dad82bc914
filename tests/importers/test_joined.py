"""Two labels of one run are one record; everything else goes through as it came."""

from collections.abc import Iterator

from benchreg.importers.joined import joined
from benchreg.importers.statement import RunError, Statement


def labelled(benchmark: str, same: str, *, rate: int = 5, score: int = 44) -> Statement:
    found = Statement(same=same)
    found.block("mlperf", benchmark=[benchmark], result_path=f"closed/a/{benchmark}")
    found.tree["accuracy"] = [{"eval": "ROUGE1", "value": score}]
    found.figure("request_rate", "request_throughput", rate, "req/s")
    return found


def test_labels_of_one_run_become_one_statement_with_both() -> None:
    pair = [labelled("llama2-70b-99", "x"), labelled("llama2-70b-99.9", "x")]
    (one,) = joined(pair)
    assert isinstance(one, Statement)
    assert one.tree["mlperf"]["benchmark"] == ["llama2-70b-99", "llama2-70b-99.9"]
    assert one.tree["mlperf"]["result_path"] == "closed/a/llama2-70b-99"
    assert one.tree["accuracy"] == [{"eval": "ROUGE1", "value": 44}]
    assert not one.remarks


def test_the_accuracies_of_both_labels_are_kept() -> None:
    (one,) = joined([labelled("a-99", "x", score=44), labelled("a-99.9", "x", score=45)])
    assert isinstance(one, Statement)
    assert [score["value"] for score in one.tree["accuracy"]] == [44, 45]


def test_remarks_of_both_labels_are_kept_once() -> None:
    first, second = labelled("a-99", "x"), labelled("a-99.9", "x")
    first.remark("one")
    second.remark("one")
    second.remark("two")
    (one,) = joined([first, second])
    assert isinstance(one, Statement)
    assert one.remarks == ["one", "two"]


def test_labels_that_differ_in_what_a_run_has_once_are_told() -> None:
    first, second = labelled("a-99", "x"), labelled("a-99.9", "x", rate=6)
    second.state("precision.weights", "fp8")
    (one,) = joined([first, second])
    assert isinstance(one, Statement)
    assert one.tree["results"]["request_rate"]["value"] == 5
    assert "precision" not in one.tree
    assert [text.split(";")[0] for text in one.remarks] == [
        "the labels of this run differ in precision",
        "the labels of this run differ in results",
    ]


def test_runs_that_are_their_own_are_never_joined() -> None:
    pair = [labelled("a-99", ""), labelled("a-99", "")]
    assert list(joined(pair)) == pair


def test_what_needs_no_partner_comes_at_once_and_the_others_at_the_end() -> None:
    waiting, refused, alone = labelled("a-99", "x"), RunError("no"), labelled("b", "")
    seen: list[str] = []

    def source() -> Iterator[Statement | RunError]:
        for name, one in (("waiting", waiting), ("refused", refused), ("alone", alone)):
            seen.append(name)
            yield one

    out = joined(source())
    assert next(out) is refused
    assert seen == ["waiting", "refused"]
    assert list(out) == [alone, waiting]
