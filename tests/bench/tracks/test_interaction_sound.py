"""What the sound costs: paired by task, counted, and absent where it was not measured."""

from __future__ import annotations

from typing import Any

import pytest

from bench.tracks.interaction_figures import figures
from bench.tracks.interaction_records import Response, Sound, Trajectory
from bench.tracks.interaction_sound import sound_figures


def sound(**more: Any) -> Sound:
    made = {"question_heard": "How?", "question_errors": 0, "question_words": 4, "said": "Well."}
    return Sound(**{**made, "answer_errors": 1, "answer_words": 10, "worded_grade": 2, **more})


def spoken(task: str, grades: list[int], text: list[int], *sounds: Sound | None) -> Trajectory:
    heard = sounds or [sound()] * len(grades)
    answers = [
        Response(kind="early", checkpoint="early", question="How?", grade=grade, sound=item)
        for grade, item in zip(grades, heard, strict=True)
    ]
    return Trajectory(
        task=task, answerer="narrator", aloud=True, responses=answers, text_grades=text
    )


def test_the_cost_is_the_difference_task_by_task() -> None:
    found = sound_figures([spoken("a", [2, 0], [2, 2]), spoken("b", [1, 1], [1, 0])])
    assert (found.text.mean, found.aloud.mean, found.worded.mean) == (62.5, 50.0, 100.0)
    assert (found.cost.count, found.cost.mean) == (2, -12.5)
    assert found.cost.low is not None
    assert found.cost.high is not None
    assert found.cost.low <= -12.5 <= found.cost.high


def test_word_errors_are_counted_over_all_words_that_were_said() -> None:
    lost = sound(question_heard="", question_errors=4, answer_errors=None, answer_words=None)
    found = sound_figures([spoken("a", [2, 0], [2, 2], sound(question_errors=1), lost)])
    assert (found.questions.count, found.questions.errors, found.questions.words) == (2, 5, 8)
    assert (found.answers.count, found.answers.rate) == (1, 0.1)
    assert found.lost == 1


def test_times_of_phrases_that_were_made_and_that_were_kept_stand_apart() -> None:
    times = [sound(first_audio_s=n / 10) for n in range(1, 11)]
    kept = [sound(first_audio_s=0.01, kept=True)]
    grades = [2] * 11
    found = sound_figures([spoken("a", grades, grades, *times, *kept)])
    assert (found.made.p50.count, found.kept.p50.count) == (10, 1)
    assert found.made.p50.value == pytest.approx(0.55)
    assert found.made.p95.value == pytest.approx(0.955)
    assert found.kept.p95.value == 0.01


def test_what_was_not_measured_is_absent() -> None:
    lost = sound(
        question_heard="", question_words=0, answer_errors=None, answer_words=None, said=""
    )
    record = sound_figures([spoken("a", [0], [2], lost)]).as_json()
    assert record["first_audio"] == {}
    assert "rate" not in record["answer_word_errors"]
    assert "rate" not in record["question_word_errors"]


def test_an_answer_without_sound_has_the_grade_it_has() -> None:
    found = sound_figures([spoken("a", [2, 0], [2, 2], sound(worded_grade=1), None)])
    assert found.worded.mean == 25.0


def test_a_leak_leaves_no_points_to_the_words_either() -> None:
    leaked = spoken("a", [0, 0], [0, 0]).model_copy(update={"leaked": True})
    assert sound_figures([leaked]).worded.mean == 0.0


def test_spoken_and_silent_runs_of_one_answerer_are_never_counted_together() -> None:
    silent = Trajectory(task="b", answerer="narrator", responses=[])
    aloud, plain = figures([spoken("a", [2], [2]), silent])
    assert (aloud.label, plain.label) == ("narrator, aloud", "narrator")
    assert (aloud.trajectories, plain.trajectories) == (1, 1)
    assert plain.sound is None
