from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.tts.phoneme_speech import MOST_TOKENS
from audio.tts.pieces import HARD_LIMIT, Marker, Span, cut, place, trim

RATE = 24_000

spoken_words = st.lists(st.text("kˈæt ", max_size=12).map(str.strip), max_size=30)
pauses = st.sampled_from(["", "", "", ",", ".", "?"])
phrases = st.lists(st.tuples(spoken_words.map(" ".join), pauses), max_size=8).map(
    lambda clauses: [
        " ".join(text.split()) + (pause if text.strip() else "") for text, pause in clauses
    ]
)


@given(phrases, st.integers(5, 40), st.integers(0, 60))
def test_no_phoneme_is_lost_and_no_piece_is_too_long(spoken: list[str], soft: int, extra: int):
    pieces = cut(spoken, soft, soft + extra)
    said = "".join(piece.text.replace(" ", "") for piece in pieces)
    assert said == "".join(spoken).replace(" ", "")
    assert all(0 < len(piece.text) <= soft + extra for piece in pieces)


@given(phrases, st.integers(5, 40))
def test_spans_are_the_words_without_their_pauses(spoken: list[str], limit: int):
    parts: dict[int, str] = {}
    ended = []
    for piece in cut(spoken, limit, limit):
        for span in piece.spans:
            parts[span.word] = parts.get(span.word, "") + piece.text[span.start : span.end]
            ended += [span.word] * span.is_last
    audible = [word for word, text in enumerate(spoken) if text]
    assert ended == audible
    for word in audible:
        assert parts[word].replace(" ", "") == spoken[word].rstrip(",.?").replace(" ", "")


def test_the_network_takes_every_piece() -> None:
    pieces = cut(["kˈæt"] * 1_000)
    assert max(len(piece.text) for piece in pieces) <= HARD_LIMIT < MOST_TOKENS


def test_a_short_phrase_stays_whole() -> None:
    (piece,) = cut(["wˈʌn,", "tˈu,", "θɹˈi."])
    assert piece.text == "wˈʌn, tˈu, θɹˈi."


def test_a_long_phrase_is_cut_at_the_last_pause_that_fits() -> None:
    pieces = cut(["aaaa", "bbbb,", "cccc,", "dddd", "eeee."], soft=17, hard=100)
    assert [piece.text for piece in pieces] == ["aaaa bbbb, cccc,", "dddd eeee."]


def test_a_clause_may_be_longer_than_the_soft_limit() -> None:
    pieces = cut(["aaaa", "bbbb", "cccc,", "dddd."], soft=10, hard=100)
    assert [piece.text for piece in pieces] == ["aaaa bbbb cccc,", "dddd."]


def test_without_any_pause_it_is_cut_at_a_space_below_the_hard_limit() -> None:
    pieces = cut(["aaaa", "bbbb", "cccc", "dddd"], soft=5, hard=10)
    assert [piece.text for piece in pieces] == ["aaaa bbbb", "cccc dddd"]


def test_a_word_without_end_is_cut_too_and_ends_once() -> None:
    pieces = cut(["a" * 25], soft=10, hard=10)
    assert [len(piece.text) for piece in pieces] == [10, 10, 5]
    assert [span.is_last for piece in pieces for span in piece.spans] == [False, False, True]


def _tone(before_s: float, sound_s: float, after_s: float, level: float = 0.1) -> np.ndarray:
    sound = level * np.sin(np.arange(int(sound_s * RATE)) * 0.3)
    quiet = [np.zeros(int(seconds * RATE)) for seconds in (before_s, after_s)]
    return np.concatenate([quiet[0], sound, quiet[1]]).astype(np.float32)


@pytest.mark.parametrize(("final", "pause_s"), [(".", 0.3), ("?", 0.3), (",", 0.14), ("k", 0.05)])
@pytest.mark.parametrize("after_s", [0.0, 0.1, 1.0])
def test_silence_is_cut_before_and_made_right_after(final, pause_s, after_s) -> None:
    trimmed = trim(_tone(0.4, 0.5, after_s), RATE, final)
    assert len(trimmed.samples) / RATE == pytest.approx(0.04 + 0.5 + pause_s, abs=0.006)
    assert trimmed.offset / RATE == pytest.approx(0.36, abs=0.006)
    assert trimmed.sound_end / RATE == pytest.approx(0.54, abs=0.006)
    assert trimmed.samples.dtype == np.float32


def test_a_soft_consonant_at_the_start_is_kept() -> None:
    soft = _tone(0.4, 0.08, 0.0, level=0.004)  # -51 dBFS
    trimmed = trim(np.concatenate([soft, _tone(0.0, 0.3, 0.2)]), RATE, ".")
    assert trimmed.offset / RATE == pytest.approx(0.36, abs=0.006)


def test_sound_from_the_very_first_sample_is_not_shifted() -> None:
    trimmed = trim(_tone(0.0, 0.3, 0.5), RATE, ".")
    assert trimmed.offset == 0
    assert np.array_equal(trimmed.samples[:2_400], _tone(0.0, 0.3, 0.5)[:2_400])


@pytest.mark.parametrize("length", [0, 1, 119, 24_000])
def test_silence_alone_gives_nothing(length: int) -> None:
    trimmed = trim(np.zeros(length, np.float32), RATE, ".")
    assert len(trimmed.samples) == 0
    assert trimmed.sound_end == 0


@given(
    st.lists(st.integers(0, 20_000), min_size=2, max_size=12).map(sorted),
    st.floats(0, 0.5),
    st.floats(0.05, 1.0),
)
def test_placed_words_are_monotone_and_inside_the_sound(edges, before_s, sound_s) -> None:
    spans = [Span(word, word, word + 1, is_last=True) for word in range(len(edges) - 1)]
    trimmed = trim(_tone(before_s, sound_s, 0.3), RATE, ".")
    placed = place(spans, np.array(edges), trimmed)
    flat = [edge for _, start, end in placed for edge in (start, end)]
    assert flat == sorted(flat)
    assert flat[0] >= 0
    assert flat[-1] == trimmed.sound_end <= len(trimmed.samples)


def test_a_word_before_a_pause_ends_with_its_sound() -> None:
    audio = np.concatenate([_tone(0.1, 0.3, 0.4), _tone(0.0, 0.3, 0.2)])
    spans = [Span(0, 0, 1, is_last=True), Span(1, 1, 2, is_last=True)]
    edges = np.array([0.1, 0.75, 1.1]) * RATE  # the model counts the pause to the first word
    (_, _, end), (_, start, _) = place(spans, edges.astype(np.int64), trim(audio, RATE, "."))
    assert end / RATE == pytest.approx(0.04 + 0.3, abs=0.006)
    assert start / RATE == pytest.approx(0.04 + 0.65, abs=0.006)


def test_marks_cover_silent_words_and_words_over_two_pieces() -> None:
    marker = Marker(["", "wˈʌn", "", "tˈu", ""])
    first = marker.marks(
        [(Span(1, 0, 4, is_last=True), 10, 50), (Span(3, 5, 6, is_last=False), 60, 70)], base=0
    )
    last = marker.marks([(Span(3, 0, 2, is_last=True), 5, 25)], base=100)
    assert [(m.word, m.start_sample, m.end_sample) for m in first] == [
        (0, 0, 0),
        (1, 10, 50),
        (2, 50, 50),
    ]
    assert [(m.word, m.start_sample, m.end_sample) for m in last] == [(3, 60, 125), (4, 125, 125)]
