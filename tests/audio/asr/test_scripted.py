from __future__ import annotations

import numpy as np
import pytest

from audio.asr.scripted import Reply, ScriptedRecognizer
from audio.engine import CancelToken
from audio.errors import Cancelled, EngineFailed

SPEECH = [(np.full(512, 0.1, dtype=np.float32), 0.9)] * 20


def test_it_keeps_the_contract(check_recognizer) -> None:
    check_recognizer(lambda: ScriptedRecognizer(["what broke"] * 20), SPEECH)


def test_replies_come_in_order_and_then_nothing() -> None:
    recognizer = ScriptedRecognizer(["one", "two"])
    heard = []
    for _ in range(3):
        stream = recognizer.stream()
        stream.push(*SPEECH[0])
        heard.append(stream.final(CancelToken()).text)
    assert heard == ["one", "two", ""]


def test_hypotheses_come_one_by_one_and_the_last_one_stays() -> None:
    stream = ScriptedRecognizer([Reply("what broke", ("what", "what br"))]).stream()
    stream.push(*SPEECH[0])
    texts = [stream.hypothesis(CancelToken()).text for _ in range(3)]
    assert texts == ["what", "what br", "what br"]


def test_a_final_changes_only_when_speech_went_on() -> None:
    stream = ScriptedRecognizer([Reply("stop", continued=("stop the build",))]).stream()
    stream.push(*SPEECH[0])
    assert stream.final(CancelToken()).text == "stop"
    stream.push(np.zeros(512, dtype=np.float32), 0.0)
    assert stream.final(CancelToken()).text == "stop"
    stream.push(*SPEECH[0])
    assert stream.final(CancelToken()).text == "stop the build"


def test_a_failure_is_raised_once() -> None:
    stream = ScriptedRecognizer([Reply("hello", failure=EngineFailed("It broke."))]).stream()
    stream.push(*SPEECH[0])
    with pytest.raises(EngineFailed, match="It broke"):
        stream.final(CancelToken())
    assert stream.final(CancelToken()).text == "hello"


def test_the_work_is_done_before_each_answer_and_can_cancel_it() -> None:
    steps: list[str] = []

    def work(step: str, cancel: CancelToken) -> None:
        steps.append(step)
        if step == "final":
            cancel.cancel()

    stream = ScriptedRecognizer(["hello"], work).stream()
    stream.push(*SPEECH[0])
    assert stream.hypothesis(CancelToken()).text == "hello"
    with pytest.raises(Cancelled):
        stream.final(CancelToken())
    assert steps == ["hypothesis", "final"]
