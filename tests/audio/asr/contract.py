"""What every recognizer must do, whatever it is made of."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from audio.asr.base import Recognizer, RecognizerStream
from audio.engine import CancelToken
from audio.errors import Cancelled, EngineFailed

Frames = list[tuple[NDArray[np.float32], float]]


def check_recognizer(
    make: Callable[[], Recognizer], speech: Frames, *, rolling: bool = True
) -> None:
    """``make`` opens a recognizer that hears words in ``speech``, in every stream of it.

    ``rolling`` is False for one that gives no words before a final.
    """
    recognizer = make()
    assert recognizer.info.name
    for check in (
        *((_hypotheses_have_words,) if rolling else ()),
        _words_are_heard,
        _an_empty_stream_gives_nothing,
        _silence_gives_nothing,
        _asking_twice_gives_the_same,
        _an_utterance_goes_on_after_its_final,
        _cancelled_before_it_starts,
        _cancelled_while_it_works,
        _a_closed_stream_refuses,
    ):
        stream = recognizer.stream()
        try:
            check(stream, speech)
        finally:
            stream.close()
            stream.close()
    recognizer.close()
    recognizer.close()
    with pytest.raises(EngineFailed):
        recognizer.stream()


def _push(stream: RecognizerStream, frames: Frames) -> int:
    for samples, probability in frames:
        stream.push(samples, probability)
    return sum(len(samples) for samples, _ in frames)


def _silence(seconds: float) -> Frames:
    return [(np.zeros(512, dtype=np.float32), 0.01)] * int(seconds * 16_000 / 512)


def _hypotheses_have_words(stream: RecognizerStream, speech: Frames) -> None:
    _push(stream, speech)
    assert stream.hypothesis(CancelToken()).text


def _words_are_heard(stream: RecognizerStream, speech: Frames) -> None:
    half = len(speech) // 2
    so_far = _push(stream, speech[:half])
    assert stream.hypothesis(CancelToken()).through_sample == so_far
    so_far += _push(stream, speech[half:])
    assert stream.hypothesis(CancelToken()).through_sample == so_far
    final = stream.final(CancelToken())
    assert final.through_sample == so_far
    assert final.text == final.text.strip() != ""
    assert final.reason == ""
    assert "/" in final.engine
    assert final.confidence is None or 0.0 <= final.confidence <= 1.0


def _an_empty_stream_gives_nothing(stream: RecognizerStream, speech: Frames) -> None:
    stream.push(np.zeros(0, dtype=np.float32), 1.0)
    assert stream.hypothesis(CancelToken()).text == ""
    final = stream.final(CancelToken())
    assert (final.text, final.through_sample) == ("", 0)
    assert final.reason


def _silence_gives_nothing(stream: RecognizerStream, speech: Frames) -> None:
    samples = _push(stream, _silence(3.0))
    assert stream.hypothesis(CancelToken()).text == ""
    final = stream.final(CancelToken())
    assert (final.text, final.through_sample) == ("", samples)
    assert final.reason


def _asking_twice_gives_the_same(stream: RecognizerStream, speech: Frames) -> None:
    _push(stream, speech)
    assert stream.final(CancelToken()) == stream.final(CancelToken())


def _an_utterance_goes_on_after_its_final(stream: RecognizerStream, speech: Frames) -> None:
    first = _push(stream, speech)
    stream.final(CancelToken())
    more = _push(stream, _silence(0.5)) + _push(stream, speech)
    final = stream.final(CancelToken())
    assert final.through_sample == first + more
    assert final.text


def _cancelled_before_it_starts(stream: RecognizerStream, speech: Frames) -> None:
    _push(stream, speech)
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        stream.hypothesis(token)
    with pytest.raises(Cancelled):
        stream.final(token)
    assert stream.final(CancelToken()).text  # the utterance is still whole


class _LateToken(CancelToken):
    """Cancels itself when it is looked at for the n-th time."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    def raise_if_cancelled(self) -> None:
        self.looks -= 1
        if self.looks <= 0:
            self.cancel()
        super().raise_if_cancelled()


def _cancelled_while_it_works(stream: RecognizerStream, speech: Frames) -> None:
    """Cancelled at each step in turn, until the token lasts for the whole work."""
    _push(stream, speech)
    for looks in range(1, 100):
        token = _LateToken(looks)
        try:
            final = stream.final(token)
        except Cancelled:
            continue
        assert looks > 1
        assert final.text
        return
    pytest.fail("it never came to an end")


def _a_closed_stream_refuses(stream: RecognizerStream, speech: Frames) -> None:
    _push(stream, speech)
    stream.close()
    stream.push(*speech[0])  # late sound is ignored
    with pytest.raises(EngineFailed):
        stream.hypothesis(CancelToken())
    with pytest.raises(EngineFailed):
        stream.final(CancelToken())
