"""Figures from what was recorded of both sides; sounds are noises that differ."""

from __future__ import annotations

import math

import numpy as np
import pytest

from audio.pcm import RATE
from bench import beside_report
from bench.beside_report import Conversation, Nod, as_text, conversation, metrics, nod, stop_s
from bench.probes.latency import Item
from bench.probes.play import Take
from bench.probes.speaker import Clip

from .probes.scripted_sides import hiss

SIDES = ("jarvis", "pipecat")
CLIP = Clip("Mm-hm.", hiss("user", 0.5, RATE), start_s=0.0, end_s=0.5)
ANSWER, OTHER = hiss("answer", 4.0, RATE), hiss("other", 2.0, RATE)


def prompt(case: int, response_s: float | None, side: str = "jarvis") -> Item:
    item = Item("shared", str(case), side, "quiet", "How is it going?", warm_up=case == 1)
    item.first_audio_s = response_s
    item.user = ((10.0, 11.0),)
    return item


def talk(side: str, responses: list[float | None]) -> Conversation:
    items = [prompt(number, value, side) for number, value in enumerate(responses, 1)]
    return Conversation(side, items, 8, 1, 4, 3)


def test_a_ratio_is_of_the_prompts_that_both_answered() -> None:
    talks = [talk("jarvis", [9.0, 0.5, None, 0.7]), talk("pipecat", [1.0, 1.5, 3.0, 2.1])]
    found = metrics(talks, [], SIDES, 1)
    assert found["ratio.p50"].count == 2
    assert found["ratio.p50"].value == pytest.approx(3.0)
    assert found["response.p50_ms"].value == pytest.approx(600)
    assert found["response.p50_ms"].count == 2
    assert found["pipecat.response.p50_ms"].value == pytest.approx(2100)
    assert found["first_prompt.p50_ms"].value == pytest.approx(9000)
    assert found["unanswered.share"].value == pytest.approx(1 / 3)
    assert found["word_errors.share"].value == pytest.approx(1 / 8)


def test_a_prompt_that_was_never_said_was_not_left_unanswered_nor_misheard() -> None:
    spoken = talk("jarvis", [1.0, 0.5, None])
    spoken.items[2].user = ()
    found = metrics([spoken], [], SIDES, 1)
    assert (found["unsaid.share"].count, found["unsaid.share"].value) == (3, pytest.approx(1 / 3))
    assert (found["unanswered.share"].count, found["unanswered.share"].value) == (1, 0.0)
    assert conversation("jarvis", spoken.items, [], []).words == 8


def test_conversations_are_paired_in_their_order() -> None:
    talks = [
        talk("jarvis", [9.0, 0.5]),
        talk("pipecat", [9.0, 1.0]),
        talk("pipecat", [9.0, 4.0]),
        talk("jarvis", [9.0, 1.0]),
    ]
    found = metrics(talks, [], SIDES, 1)["ratio.p50"]
    assert (found.count, found.value) == (2, pytest.approx(2.5 / 0.75))


@pytest.mark.parametrize(
    ("agent", "found"),
    [
        ([(8.0, 10.3)], 0.3),
        ([(8.0, 10.1), (10.4, 10.6)], 0.6),  # the next sentence had begun
        ([(8.0, 10.3), (12.0, 13.0)], 0.3),  # that is the answer to the interruption
        ([(8.0, 9.5)], None),
        ([], None),
    ],
)
def test_a_stop_is_the_last_sound_of_the_old_answer(
    agent: list[tuple[float, float]], found: float | None
) -> None:
    item = prompt(4, 1.0)
    item.agent = tuple(agent)
    assert stop_s(item) == pytest.approx(found)


def test_only_prompts_that_interrupt_have_a_stop() -> None:
    spoken = talk("jarvis", [1.0, 1.0, 1.0])
    for item in spoken.items:
        item.agent = ((8.0, 10.25),)
    spoken.items[1].interrupted = True
    found = metrics([spoken], [], SIDES, 1)["stop.p50_ms"]
    assert (found.count, found.value) == (1, pytest.approx(250))


def test_transcripts_tell_what_was_misheard_and_whether_both_said_the_same() -> None:
    told = [
        ("user", "How is it going?"),
        ("agent", "It is done. It changed"),
        ("user", "How is it growing?"),
        ("agent", "Something else."),
        ("agent", ""),
    ]
    found = conversation(
        "jarvis", [prompt(1, 1.0), prompt(2, 1.0)], told, ["It is done. It changed a file."]
    )
    assert (found.words, found.word_errors) == (8, 1)
    assert (found.answers, found.same_answers) == (2, 1)


def recorded(*pieces: np.ndarray) -> Take:
    agent = np.concatenate([np.zeros(RATE, np.float32), *pieces])
    return Take(np.zeros_like(agent), agent, [0.0, 2.0])


def silence(seconds: float) -> np.ndarray:
    return np.zeros(round(seconds * RATE), np.float32)


def test_an_answer_that_goes_on_was_not_stopped() -> None:
    found = nod("jarvis", recorded(ANSWER, silence(3.0)), CLIP, (ANSWER, OTHER))
    assert (found.spoke, found.stopped, found.answered_s) == (True, False, None)
    assert found.gap_s == pytest.approx(0.0, abs=0.02)
    assert found.user == (2.0, 2.5)


def test_an_answer_that_is_cut_and_followed_by_another_was_stopped_and_answered() -> None:
    found = nod(
        "pipecat", recorded(ANSWER[: round(1.3 * RATE)], silence(2.0), OTHER), CLIP, (ANSWER, OTHER)
    )
    assert found.stopped
    assert not found.resumed
    assert found.stop_s == pytest.approx(0.3, abs=0.02)
    assert found.answered_s == pytest.approx(1.8, abs=0.02)


def test_what_sounded_before_is_of_the_answer_however_it_was_spoilt_on_its_way() -> None:
    spoilt = recorded(hiss("stutter", 1.3, RATE), silence(2.0))
    found = nod("pipecat", spoilt, CLIP, (ANSWER, OTHER))
    assert (found.spoke, found.stopped) == (True, True)


def test_nothing_is_measured_where_the_answer_was_over_or_never_came() -> None:
    assert not nod("jarvis", recorded(silence(4.0)), CLIP, (ANSWER, OTHER)).spoke
    never = Take(ANSWER, ANSWER, [0.0, math.nan])
    assert not nod("jarvis", never, CLIP, (ANSWER, OTHER)).spoke


def test_the_table_shows_counts_and_a_dash_for_what_was_not_measured() -> None:
    talks = [talk("jarvis", [1.0, 0.5]), talk("pipecat", [1.0, 1.5])]
    nods = [Nod("pipecat", True, True, 0.3, False, 1.2, 0.9), Nod("pipecat", True, False)]
    found = metrics(talks, nods, SIDES, 1)
    lines = as_text(found, SIDES).splitlines()
    [stopped] = [line for line in lines if "answers that it stopped" in line]
    assert stopped.split()[-4:] == ["-", "1", "of", "2"]
    [median] = [line for line in lines if line.startswith("response, median")]
    assert median.endswith("1500 (1500 to 1500), n 1")
    assert "pipecat takes 3.00 (3.00 to 3.00) times as long, median of 1 pairs." in lines


def test_the_record_holds_every_single_measurement() -> None:
    kept = beside_report.records([talk("jarvis", [1.0])], [Nod("pipecat", spoke=False)])
    assert [one["scene"] for one in kept] == ["prompts", "mm-hm"]
    assert kept[0]["items"][0]["first_audio_s"] == 1.0
    assert kept[1]["stop_s"] is None
