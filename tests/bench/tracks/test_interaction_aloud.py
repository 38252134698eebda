"""The interaction track aloud: what was heard is graded, quoted and counted."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from audio.asr.scripted import Reply, ScriptedRecognizer
from audio.engine import CancelToken
from audio.errors import EngineFailed
from audio.tts.base import SpeechChunk, SpokenPhrase
from audio.tts.cached import CachedSynthesizer
from audio.tts.scripted import Script, ScriptedSynthesizer
from audio.tts.spoken_text import speak
from audio.vad.scripted import ScriptedVad
from bench.answerers import Answered, Answerer, Asked, Heard
from bench.replay import record
from bench.suite.bundle import load_bundle
from bench.suite.catalog import TASKS
from bench.tracks import interaction_command
from bench.tracks.interaction import QUESTIONS, Board, examine
from bench.tracks.interaction_aloud import Engines, aloud
from bench.tracks.interaction_records import Sound, Trajectory
from bench.tracks.interaction_voice import Spoken
from bench.workers.scripted import load_worker
from jarvis_voice.cli import main
from jarvis_voice.cli.io import Io
from jarvis_voice.config import RecognizerSettings, SynthesizerSettings

pytestmark = pytest.mark.real_time  # each examination runs a loop of its own
TASK = "seed_vault_round"
Ears = Callable[[str], str]


class Room:
    """Engines that make short sounds; what the recognizer says is what was spoken, misheard."""

    def __init__(self, ears: Ears = lambda text: text, failure: EngineFailed | None = None) -> None:
        self.made: list[str] = []
        self._air: list[str] = []
        self._ears, self._failure = ears, failure
        self.recognizer = ScriptedRecognizer(self._heard())
        self.asker, self.voice = self._speaker("asker"), self._speaker("jarvis")

    def spoken(self, inner: Answerer) -> Answerer:
        return Spoken(inner, (self.recognizer, Always()), self.asker, self.voice)

    def _heard(self) -> Iterator[Reply]:
        while True:
            text = " ".join(" ".join(self._air).split())
            self._air.clear()
            yield Reply(self._ears(text), failure=self._failure)

    def _speaker(self, name: str) -> CachedSynthesizer:
        air, made = self._air, self.made

        class Inner(ScriptedSynthesizer):
            def synthesize(
                self, phrase: SpokenPhrase, cancel: CancelToken
            ) -> Iterator[SpeechChunk]:
                made.append(f"{name}: {phrase.source.strip()}")
                return super().synthesize(phrase, cancel)

        class Told(CachedSynthesizer):
            def synthesize(
                self, phrase: SpokenPhrase, cancel: CancelToken
            ) -> Iterator[SpeechChunk]:
                air.append(phrase.source)
                return super().synthesize(phrase, cancel)

        return Told(Inner(Script(word_s=0.002, gap_s=0.0)), name)


class Always(ScriptedVad):
    """Takes all sound for speech."""

    def __init__(self) -> None:
        super().__init__(())

    def probability(self, frame: NDArray[np.float32]) -> float:
        return 1.0


class Notes:
    """Gives scripted answers, and keeps what it was asked."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.asked: list[Asked] = []

    async def answer(self, asked: Asked) -> Answered:
        self.asked.append(asked)
        return Answered(self._answers[min(len(self.asked), len(self._answers)) - 1])


def sounds(found: Trajectory) -> list[Sound]:
    return [answer.sound for answer in found.responses if answer.sound is not None]


def test_a_perfect_ear_costs_nothing() -> None:
    found = examine(TASKS / TASK, "narrator", Board(spoken=Room().spoken))
    plain = examine(TASKS / TASK, "narrator")
    assert found.aloud
    assert not plain.aloud
    assert plain.text_grades == []
    assert found.text_grades == [answer.grade for answer in plain.responses]
    assert [answer.grade for answer in found.responses] == found.text_grades
    assert [(item.question_errors, item.answer_errors) for item in sounds(found)] == [(0, 0)] * 4
    assert all(item.first_audio_s is not None for item in sounds(found))


def test_what_was_heard_is_graded_beside_what_was_worded() -> None:
    room = Room(lambda text: text.replace("still working", "skill wiring").replace("seed", "sea"))
    found = examine(TASKS / TASK, "narrator", Board(spoken=room.spoken))
    first = found.responses[0]
    assert first.sound is not None
    assert "skill wiring" in first.answer
    assert "still working" in first.sound.said
    assert first.sound.answer_errors == 2
    assert (found.text_grades[0], first.sound.worded_grade) == (2, 2)


def test_numbers_and_names_in_the_spelling_of_the_ear_lose_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    says = Notes("It is still working on results/free_bays.csv, and it has made seven tool calls.")
    monkeypatch.setattr("bench.tracks.interaction.answerer", lambda *_: says)
    right = Room(lambda text: text.replace("/", " slash ").replace(".csv", " dot csv"))
    found = examine(TASKS / TASK, "narrator", Board(spoken=right.spoken))
    first = found.responses[0]
    assert first.sound is not None
    assert "slash" in first.answer
    assert "results/free_bays.csv" in first.sound.read_as or "results/free" in first.sound.read_as
    assert first.sound.answer_errors == 0
    assert first.grade == found.text_grades[0]


@pytest.mark.parametrize("task", [TASK, "project_clinic_merger", "cable_load_margin"])
def test_an_ear_that_spells_all_by_sound_costs_the_answers_nothing(task: str) -> None:
    class Spelled:
        """Hears rightly, and writes each word as it sounds."""

        def __init__(self, inner: Answerer) -> None:
            self._inner = inner

        async def answer(self, asked: Asked) -> Answered:
            said = await self._inner.answer(asked)
            text = " ".join(word.spoken for word in speak(said.text).words)
            return Answered(text, said.versions, Heard(asked.question, said.text))

    found = examine(TASKS / task, "narrator", Board(spoken=Spelled))
    for answer, heard in zip(found.responses, sounds(found), strict=True):
        assert answer.grade == heard.worded_grade
        assert heard.answer_errors == 0
        assert heard.first_audio_s is None


def test_a_number_that_was_misheard_is_no_longer_right(monkeypatch: pytest.MonkeyPatch) -> None:
    says = Notes("It is still working, and it has made 1 tool call.")
    monkeypatch.setattr("bench.tracks.interaction.answerer", lambda *_: says)
    room = Room(lambda text: text.replace("1 tool", "ninety one tool"))
    found = examine(TASKS / TASK, "narrator", Board(spoken=room.spoken))
    first = found.responses[0]
    assert first.sound is not None
    assert first.sound.worded_grade == found.text_grades[0]
    assert first.grade < found.text_grades[0]
    assert "unsupported_claim" in first.tags


def test_the_follow_up_quotes_what_was_heard_and_jarvis_knows_what_it_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    says = Notes("The kerf table of the joinery is under way.")
    monkeypatch.setattr("bench.tracks.interaction.answerer", lambda *_: says)
    room = Room(lambda text: text.replace("kerf", "curve").replace("How is", "Cow is"))
    found = examine(TASKS / TASK, "narrator", Board(spoken=room.spoken))
    general, follow, *_ = found.responses
    assert general.answer == "The curve table of the joinery is under way."
    assert follow.based_on == "The curve table of the joinery is under way"
    assert follow.based_on in general.answer
    assert follow.based_on in follow.question
    heard = says.asked[4:]  # the first four are without sound
    assert heard[0].question == "Cow is the work going so far?"
    (before,) = heard[1].history
    assert before.user_text == "Cow is the work going so far?"
    assert before.said == before.heard == "The kerf table of the joinery is under way."


def test_a_question_that_was_not_heard_is_not_answered() -> None:
    room = Room(lambda text: "" if "So far" in text or text in QUESTIONS.values() else text)
    found = examine(TASKS / TASK, "narrator", Board(spoken=room.spoken))
    general, follow, *_ = found.responses
    assert general.sound is not None
    assert (general.sound.question_heard, general.sound.said) == ("", "")
    assert (general.grade, general.tags) == (0, ["non_answer"])
    assert general.sound.answer_words is general.sound.first_audio_s is None
    assert follow.failure is not None
    assert follow.failure.kind == "not_asked"
    assert sum(found.text_grades) > 0


def test_a_leak_counts_when_it_was_said_though_nobody_understood_it() -> None:
    room = Room(lambda text: "Mumble mumble." if text not in QUESTIONS.values() else text)
    found = examine(TASKS / TASK, "gossip", Board(spoken=room.spoken))
    assert found.leaked
    assert [answer.grade for answer in found.responses] == [0] * 4
    assert found.text_grades == [0] * 4


def test_an_engine_that_fails_is_no_fault_of_the_answerer() -> None:
    room = Room(failure=EngineFailed("The recognizer broke.", "Open it again."))
    found = examine(TASKS / TASK, "narrator", Board(spoken=room.spoken))
    assert found.status == "invalid"
    assert found.failure is not None
    assert found.failure.kind == "engine_failed"
    assert found.responses == []


def test_what_was_said_before_is_played_and_not_made_again() -> None:
    room = Room()
    first = examine(TASKS / TASK, "narrator", Board(spoken=room.spoken))
    assert len(room.made) == len(set(room.made))
    assert not sounds(first)[0].kept
    count = len(room.made)
    again = examine(TASKS / TASK, "narrator", Board(spoken=room.spoken))
    assert len(room.made) == count
    assert all(item.kept for item in sounds(again))


def test_the_command_reports_what_the_sound_costs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    room = Room(lambda text: text.replace("still working", "skill wiring"))
    monkeypatch.setattr(interaction_command, "aloud", lambda engines: room.spoken)
    words = ["bench", "interact", "--tasks", f"{TASK},ferry_timetable_merge", "--voice", "1"]
    out = io.StringIO()
    code = main([*words, "--json", "--out", str(tmp_path)], Io(out, io.StringIO()))
    assert code == 0
    spoken, silent = json.loads(out.getvalue())["answerers"]
    assert (spoken["aloud"], silent["aloud"]) == (True, False)
    assert "sound" not in silent
    sound = spoken["sound"]
    assert sound["question_word_errors"]["count"] == 4
    assert sound["answer_word_errors"]["errors"] > 0
    assert 0 < sound["answer_word_errors"]["rate"] < 1
    scores = sound["scores"]
    assert scores["aloud_minus_text"]["mean"] == pytest.approx(
        scores["aloud"]["mean"] - scores["text"]["mean"]
    )
    counted = sum(times["p50_s"]["count"] for times in sound["first_audio"].values())
    assert counted == 4
    page = (tmp_path / "interaction.html").read_text(encoding="utf-8")
    assert "narrator, aloud" in page
    assert "[heard: " in page
    assert "word errors of answers" in page
    plan = json.loads((tmp_path / "interaction.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert plan["settings"]["recognizer"] == "whisper-tiny.en"
    out = io.StringIO()
    assert main([*words, "--out", str(tmp_path)], Io(out, io.StringIO())) == 0
    assert "score without sound" in out.getvalue()
    assert "p95" in out.getvalue()


def test_a_negative_count_of_spoken_tasks_is_a_wrong_call() -> None:
    err = io.StringIO()
    assert main(["bench", "interact", "--voice", "-1"], Io(io.StringIO(), err)) == 2
    assert "--voice -1" in err.getvalue()


def test_without_voice_nothing_of_sound_is_told(tmp_path: Path) -> None:
    out = io.StringIO()
    words = ["bench", "interact", "--tasks", TASK, "--out", str(tmp_path)]
    assert main(words, Io(out, io.StringIO())) == 0
    page = (tmp_path / "interaction.html").read_text(encoding="utf-8")
    for told in (out.getvalue(), page):
        assert "aloud" not in told.replace("allowed", "")
        assert "first audio" not in told


@pytest.mark.model
def test_one_question_goes_through_the_real_engines() -> None:
    bundle = load_bundle(TASKS / TASK)
    replay = record(bundle, load_worker(bundle))
    says = Notes("It is still working, and 82 rows are written.")
    spoken = aloud(Engines(RecognizerSettings(), SynthesizerSettings()))(says)
    view = replay.view(replay.checkpoints[0])
    answered = asyncio.run(spoken.answer(Asked("How is the work going so far?", view)))
    assert [item.question for item in says.asked] == ["How is the work going so far?"]
    assert answered.heard is not None
    assert answered.heard.first_audio_s is not None
    assert answered.heard.first_audio_s > 0
    assert "still working" in answered.text
    assert "82" in answered.text or "eighty" in answered.text.lower()
