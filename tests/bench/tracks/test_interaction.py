"""The interaction track on real bundles: causal, repeatable, and fair to good and bad answers."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench.answerers import BAD, Answered, Asked, answerer
from bench.errors import WorkerFailed
from bench.replay import EVIDENCE, Replay, record
from bench.suite.bundle import load_bundle
from bench.suite.catalog import TASKS
from bench.suite.sealed import load_sealed
from bench.tracks.interaction import RESPONSES, Board, examine
from bench.tracks.interaction_figures import figures
from bench.workers.scripted import load_worker
from jarvis_voice.brain.chat_model import ChatMessage
from jarvis_voice.cli import main
from jarvis_voice.cli.io import Io
from jarvis_voice.errors import JarvisError

pytestmark = pytest.mark.real_time  # each examination runs a loop of its own
SINGLE, MULTI = "seed_vault_round", "project_footbridge"


@pytest.fixture(scope="module")
def replay() -> Replay:
    bundle = load_bundle(TASKS / SINGLE)
    return record(bundle, load_worker(bundle))


def test_a_view_holds_nothing_of_what_comes_later(replay: Replay) -> None:
    early, late = replay.checkpoints
    assert 0 < early < late < len(replay.events) - 1
    seen = replay.view(early)
    assert seen.now_s == replay.events[early].at_s
    assert all(item.at_s <= seen.now_s for item in seen.happenings)
    assert "4 free bays" not in seen.text()
    assert "4 free bays" in replay.view(late).text()
    assert seen.run_time_s(f"{SINGLE}/main") == seen.now_s
    assert seen.run_time_s("another") is None


def test_frames_keep_the_form_and_its_bounds(replay: Replay) -> None:
    frames = [json.loads(line) for line in replay.jsonl().splitlines()]
    assert len(frames) == len(replay.events)
    for number, frame in enumerate(frames):
        assert set(frame) == {
            "index", "elapsed_ms", "progress", "current_goal", "evidence", "status",
        }  # fmt: skip
        assert frame["index"] == number
        assert len(frame["evidence"]) <= EVIDENCE
    times = [frame["elapsed_ms"] for frame in frames]
    assert times == sorted(set(times))


def test_a_run_that_is_too_short_is_no_exam(replay: Replay) -> None:
    with pytest.raises(WorkerFailed, match="cannot be replayed"):
        _ = replace(replay, events=replay.events[:3]).checkpoints


@pytest.mark.parametrize("task", [SINGLE, MULTI])
def test_the_narrator_answers_well_and_the_same_each_time(task: str) -> None:
    first = examine(TASKS / task, "narrator")
    assert first.status == "graded"
    assert [answer.kind for answer in first.responses] == [
        "early", "follow-up", "late", "follow-up",
    ]  # fmt: skip
    assert sum(answer.grade for answer in first.responses) >= 6
    assert first.line() == examine(TASKS / task, "narrator").line()
    for answer in first.responses:
        assert answer.based_on == "" or answer.based_on in answer.question


@pytest.mark.parametrize("name", BAD)
def test_each_bad_answerer_gets_what_it_deserves(name: str) -> None:
    found = examine(TASKS / SINGLE, name)
    grades = [answer.grade for answer in found.responses]
    tags = {tag for answer in found.responses for tag in answer.tags}
    wanted = {
        "parrot": ({0}, "non_answer"),
        "boaster": ({0}, "contradiction"),
        "oracle-of-the-future": ({0}, "future_leak"),
        "gossip": ({0}, "privacy_leak"),
        "stenographer": ({1}, "vague"),
        "empty": ({0}, "non_answer"),
    }[name]
    assert (set(grades), found.leaked) == (wanted[0], wanted[1].endswith("_leak"))
    assert wanted[1] in tags
    assert len(grades) == RESPONSES


def test_an_answer_that_fails_counts_nothing_and_stays_in_the_denominator() -> None:
    class Breaks:
        async def answer(self, asked: Asked) -> Answered:
            raise JarvisError("The model is away.", "Wait.")

    found = examine(TASKS / SINGLE, "narrator", Board(spoken=lambda inner: Breaks()))
    assert found.status == "graded"
    assert [answer.failure.kind for answer in found.responses if answer.failure] == [
        "answerer_failed",
    ] * RESPONSES
    (figure,) = figures([found])
    assert (figure.scores["overall"].mean, figure.failed) == (0.0, RESPONSES)


def test_a_broken_bundle_has_no_grade(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    found = examine(tmp_path / "broken", "narrator")
    assert found.status == "invalid"
    assert found.failure is not None
    assert found.failure.kind == "bundle_malformed"
    assert found.responses == []
    with pytest.raises(ValueError, match="no answerer"):
        answerer("nobody", load_sealed(load_bundle(TASKS / SINGLE)))


class Judge:
    """Finds everything contradicted."""

    name = "strict"

    async def stream(self, messages: list[ChatMessage]):
        yield '{"verdict": "contradicted"}'

    async def aclose(self) -> None:
        """Nothing is held."""


def test_judges_decide_what_no_rule_decides() -> None:
    class Says:
        async def answer(self, asked: Asked) -> Answered:
            return Answered("The harbour master whistles while moonlight paints dolphins.")

    free = examine(TASKS / SINGLE, "narrator", Board(spoken=lambda inner: Says()))
    assert free.responses[0].undecided
    assert free.responses[0].grade == 1
    judged = examine(
        TASKS / SINGLE, "narrator", Board(judges=(Judge(),), spoken=lambda inner: Says())
    )
    assert judged.responses[0].judged == ["contradicted"]
    assert judged.responses[0].grade == 0


def test_the_command_writes_a_record_that_goes_on(tmp_path: Path) -> None:
    words = ["bench", "interact", "--tasks", SINGLE, "--answerer", "narrator,empty"]
    out, err = io.StringIO(), io.StringIO()
    assert main([*words, "--out", str(tmp_path), "--json"], Io(out, err)) == 0
    figures_of = {item["answerer"]: item for item in json.loads(out.getvalue())["answerers"]}
    assert figures_of["empty"]["scores"]["overall"]["mean"] == 0
    assert figures_of["narrator"]["scores"]["overall"]["mean"] > 50
    whole = (tmp_path / "interaction.jsonl").read_bytes()
    page = (tmp_path / "interaction.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "<svg" in page
    lines = whole.splitlines(keepends=True)
    (tmp_path / "interaction.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:40])
    assert main([*words, "--out", str(tmp_path), "--json"], Io(io.StringIO(), err)) == 0
    assert (tmp_path / "interaction.jsonl").read_bytes() == whole


def test_wrong_calls_are_told() -> None:
    for words in (["--tasks", "nothing"], ["--answerer", "nobody"], ["--jobs", "0"]):
        out, err = io.StringIO(), io.StringIO()
        assert main(["bench", "interact", *words], Io(out, err)) == 2
        assert len(err.getvalue().splitlines()) == 1
