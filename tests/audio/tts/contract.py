"""What every synthesizer promises, checked on any of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from audio.engine import CancelToken, EngineKind
from audio.errors import Cancelled
from audio.tts.base import SpeechChunk, SpokenPhrase, SpokenWord, Synthesizer


def phrase(text: str) -> SpokenPhrase:
    """A phrase whose words are said as they are written."""
    words, at = [], 0
    for spoken in text.split():
        at = text.index(spoken, at)
        words.append(SpokenWord(spoken, at, at + len(spoken)))
        at += len(spoken)
    return SpokenPhrase(text, tuple(words))


def say(synthesizer: Synthesizer, text: str) -> list[SpeechChunk]:
    return list(synthesizer.synthesize(phrase(text), CancelToken()))


def check_synthesizer(make: Callable[[], Synthesizer]) -> None:
    """Run the whole contract against one synthesizer made by ``make``."""
    synthesizer = make()
    try:
        _check_info(synthesizer)
        _check_speech(synthesizer, "Two tests failed, and one passed.")
        _check_speech(synthesizer, "Wait \u2014 what failed?")
        _check_nothing_to_say(synthesizer)
        _check_repeatable(synthesizer)
        _check_cancelled_before(synthesizer)
        _check_stopped_early(synthesizer)
    finally:
        synthesizer.close()
        synthesizer.close()


def _check_info(synthesizer: Synthesizer) -> None:
    assert synthesizer.info.kind is EngineKind.SYNTHESIZER
    assert synthesizer.info.installed
    assert synthesizer.info.name
    assert 8_000 <= synthesizer.rate <= 48_000


def _check_speech(synthesizer: Synthesizer, text: str) -> None:
    chunks = say(synthesizer, text)
    assert chunks
    length = 0
    marks = []
    for chunk in chunks:
        assert chunk.samples.dtype == np.float32
        assert chunk.samples.ndim == 1
        assert len(chunk.samples) > 0
        assert np.isfinite(chunk.samples).all()
        assert np.abs(chunk.samples).max() <= 1.0
        length += len(chunk.samples)
        assert all(mark.end_sample <= length for mark in chunk.marks)
        marks += chunk.marks
    assert [mark.word for mark in marks] == list(range(len(text.split())))
    edges = [edge for mark in marks for edge in (mark.start_sample, mark.end_sample)]
    assert edges == sorted(edges)
    assert edges[0] >= 0
    audio = np.concatenate([chunk.samples for chunk in chunks])
    assert np.sqrt(np.mean(np.square(audio))) > 0.005, "no sound"
    for mark, word in zip(marks, text.split(), strict=True):
        assert (mark.end_sample > mark.start_sample) == any(map(str.isalnum, word))


def _check_nothing_to_say(synthesizer: Synthesizer) -> None:
    assert say(synthesizer, "") == []
    assert say(synthesizer, "\u2014 ...") == []


def _check_repeatable(synthesizer: Synthesizer) -> None:
    first, second = say(synthesizer, "Done."), say(synthesizer, "Done.")
    assert [chunk.marks for chunk in first] == [chunk.marks for chunk in second]


def _check_cancelled_before(synthesizer: Synthesizer) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        list(synthesizer.synthesize(phrase("Never said."), cancel))


def _check_stopped_early(synthesizer: Synthesizer) -> None:
    """A consumer may drop the iterator; the synthesizer can be used again."""
    pieces = synthesizer.synthesize(phrase("First one, then another, then a third."), CancelToken())
    assert len(next(iter(pieces)).samples) > 0
    del pieces
    assert say(synthesizer, "Again.")
