from __future__ import annotations

import threading

import numpy as np
import pytest

from audio.engine import CancelToken
from audio.errors import Cancelled, EngineFailed
from audio.tts.scripted import Script, ScriptedSynthesizer


@pytest.mark.parametrize("script", [Script(), Script(words_per_chunk=2), Script(delay_s=0.001)])
def test_it_keeps_the_contract(check_synthesizer, script: Script) -> None:
    check_synthesizer(lambda: ScriptedSynthesizer(script))


def test_each_word_sounds_as_long_as_the_script_says(say) -> None:
    synthesizer = ScriptedSynthesizer(Script(word_s=0.2, gap_s=0.1), rate=16_000)
    (chunk,) = say(synthesizer, "one two three")
    assert len(chunk.samples) == 3 * (3_200 + 1_600)
    assert [(m.start_sample, m.end_sample) for m in chunk.marks] == [
        (0, 3_200),
        (4_800, 8_000),
        (9_600, 12_800),
    ]


def test_sound_is_exactly_where_the_marks_are(say) -> None:
    (chunk,) = say(ScriptedSynthesizer(), "one two")
    loud = np.zeros(len(chunk.samples), bool)
    for mark in chunk.marks:
        assert np.abs(chunk.samples[mark.start_sample : mark.end_sample]).max() > 0.05
        loud[mark.start_sample : mark.end_sample] = True
    assert not chunk.samples[~loud].any()


def test_chunks_hold_the_marks_of_their_own_words(say) -> None:
    chunks = say(ScriptedSynthesizer(Script(words_per_chunk=2)), "one two three four five")
    assert [[mark.word for mark in chunk.marks] for chunk in chunks] == [[0, 1], [2, 3], [4]]


def test_the_same_word_sounds_the_same_and_another_word_differs(say) -> None:
    synthesizer = ScriptedSynthesizer()
    one, again, other = (say(synthesizer, text)[0].samples for text in ("one", "one", "two"))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_it_fails_at_the_word_that_the_script_names(phrase) -> None:
    script = Script(words_per_chunk=1, failures={"three": "The voice is gone."})
    pieces = ScriptedSynthesizer(script).synthesize(phrase("one two three"), CancelToken())
    assert len([next(pieces), next(pieces)]) == 2
    with pytest.raises(EngineFailed, match=r"The voice is gone\. Try again\."):
        next(pieces)


def test_cancelling_ends_a_long_delay(phrase) -> None:
    cancel = CancelToken()
    pieces = ScriptedSynthesizer(Script(delay_s=60)).synthesize(phrase("one"), cancel)
    caught: list[Cancelled] = []

    def work() -> None:
        with pytest.raises(Cancelled) as raised:
            next(pieces)
        caught.append(raised.value)

    worker = threading.Thread(target=work)
    worker.start()
    cancel.cancel()
    worker.join(5)
    assert caught


def test_a_closed_one_refuses_to_speak(say) -> None:
    synthesizer = ScriptedSynthesizer()
    synthesizer.close()
    with pytest.raises(EngineFailed, match="closed"):
        say(synthesizer, "one")
