"""How the comparison is called, and what is fixed before anybody speaks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.beside_pipecat import SERVER, main, order, scripted, sentences
from bench.foreign.scripted_answers import NOT_HEARD


@pytest.mark.parametrize("argv", [[], ["--python", "a", "--install", "b"]])
def test_one_place_of_pipecat_must_be_named(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(argv)
    assert "--install" in capsys.readouterr().err


def test_no_repeats_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--python", sys.executable, "--repeats", "0"]) == 2
    assert "--repeats needs a number of 1 or more." in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_told_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    target = tmp_path / "file" / "record.json"
    assert main(["--python", sys.executable, "--json", str(target)]) == 1
    assert "Nothing was measured" in capsys.readouterr().err


def test_an_interpreter_that_is_none_ends_it_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--python", str(tmp_path / "python")]) == 1
    assert capsys.readouterr().err.startswith("beside_pipecat: ")


async def test_the_scripted_answers_are_the_narrators_and_all_differ() -> None:
    prompts = ["How is it going?", "What is it doing right now?"]
    answers = await scripted(prompts, ["Mm-hm.", NOT_HEARD])
    assert list(answers) == [*prompts, "Mm-hm.", NOT_HEARD]
    assert len(set(answers.values())) == len(answers)
    assert "done" in answers[prompts[0]]  # the run is over


def test_either_side_goes_first_by_turns() -> None:
    assert order(0) == order(1)[::-1] == order(2) == ("jarvis", "pipecat")


def test_answers_are_said_sentence_by_sentence_as_both_sides_say_them() -> None:
    assert sentences("It changed one file: out_v2/a.txt. All done.") == [
        "It changed one file: out_v2/a.txt.",
        "All done.",
    ]
    assert sentences("") == []


def test_the_server_is_where_the_command_looks_for_it() -> None:
    compile(SERVER.read_text(encoding="utf-8"), str(SERVER), "exec")
