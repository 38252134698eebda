"""How the comparison is called, and what is fixed before anybody speaks."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from audio.pcm import RATE
from bench.beside_pipecat import SERVER, first_answer, main, order, scripted
from bench.foreign.scripted_answers import NOT_HEARD
from bench.probes.latency import Item
from bench.probes.play import Take


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


def test_the_first_answer_is_what_sounds_between_the_first_two_prompts() -> None:
    agent = np.arange(10 * RATE, dtype=np.float32)
    item = Item("shared", "1", "jarvis", "quiet", "", user=((1.0, 2.0),))
    answer = first_answer(Take(agent, agent, [0.9, 6.0]), [item])
    assert (answer[0], answer.size) == (2.0 * RATE, 4 * RATE)
    assert first_answer(Take(agent, agent, [0.9, math.nan]), [item]).size == 0


def test_the_server_is_where_the_command_looks_for_it() -> None:
    compile(SERVER.read_text(encoding="utf-8"), str(SERVER), "exec")
