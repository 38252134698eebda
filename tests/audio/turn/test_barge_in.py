"""Listening, or taking the floor?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.turn.barge_in import Overlap, SustainedSpeech, classify, stop_phrase, words_of
from audio.turn.lexicon import BACKCHANNELS, STOP_PHRASES

BACKCHANNEL_TEXTS = (
    "Mm-hm. | mmhmm | Uh-huh! | Yeah. | Yeah, yeah, yeah. | Right... | Okay. | OK | I see. | Oh! |"
    " Oh, I see. | Mmmmm | Hmmmm. | Haha | ha ha ha | [laughs] yeah | Okaaay | That's right. |"
    " That\u2019s true | Wow, really? | got it, got it | No way! | YES | Sure, go on. | ah"
).split(" | ")
STOP_TEXTS = (
    "Stop! | stop it | Wait, | Wait a second | No. | No, not that one | Hold on | Jarvis |"
    " Hey Jarvis, what | Cancel | Quiet please | okay stop | Yeah, wait | oh, hold on |"
    " Nooooo | Never mind | Shut up | sorry, what was that"
).split(" | ")
WORD_TEXTS = (
    "What about the tests? | And how long will it take | yeah but why | the second one | nobody |"
    " stopping is hard | write it down | 42 | Warum | 好的 | thank you | okay then what"
).split(" | ")
NOISE_TEXTS = [
    "",
    " ",
    "...",
    "[BLANK_AUDIO]",
    "(coughs)",
    "*sigh*",
    "<noise>",
    "♪ ♪",
    "—",
    "[x] (y)",
]


@pytest.mark.parametrize(
    ("text", "kind"),
    [(text.strip(), Overlap.BACKCHANNEL) for text in BACKCHANNEL_TEXTS]
    + [(text.strip(), Overlap.STOP) for text in STOP_TEXTS]
    + [(text.strip(), Overlap.WORDS) for text in WORD_TEXTS]
    + [(text, Overlap.NOISE) for text in NOISE_TEXTS],
)
def test_classify(text, kind):
    assert classify(text) is kind


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Stop. Talking.", "stop talking"),
        ("okay, hold on a second", "hold on"),
        ("do not stop", ""),
        ("yeah", ""),
        ("", ""),
    ],
)
def test_stop_phrase(text, phrase):
    assert stop_phrase(text) == phrase


def test_drawn_out_letters_but_no_digits_are_shortened():
    assert words_of("Sooo, 1000 OKAAAY") == ["so", "1000", "okay"]


@pytest.mark.parametrize("phrase", sorted(BACKCHANNELS | STOP_PHRASES))
def test_phrases_are_written_as_words_are_left(phrase):
    assert " ".join(words_of(phrase)) == phrase


@pytest.mark.parametrize("phrase", sorted(BACKCHANNELS))
def test_every_backchannel_is_one(phrase):
    assert classify(phrase) is Overlap.BACKCHANNEL


@pytest.mark.parametrize("phrase", sorted(STOP_PHRASES))
def test_every_stop_phrase_is_one(phrase):
    assert classify(phrase) is Overlap.STOP
    assert stop_phrase(phrase) == phrase


def test_nothing_is_both():
    assert not BACKCHANNELS & STOP_PHRASES


@given(st.text())
def test_any_text_is_classified(text):
    kind = classify(text)
    assert (kind is Overlap.NOISE) == (not words_of(text))
    assert (kind is Overlap.STOP) == bool(stop_phrase(text))


@given(st.lists(st.sampled_from(sorted(BACKCHANNELS)), min_size=1, max_size=5))
def test_backchannels_in_a_row_take_no_floor(phrases):
    # Two phrases may join into words that the lexicon has as one; none may become a stop phrase.
    assert classify(", ".join(phrases)) is Overlap.BACKCHANNEL


def test_sustained_speech_spans_short_gaps():
    speech = SustainedSpeech(gap_s=0.2)
    assert speech.seconds == 0.0
    speech.voiced(1.0, 1.3)
    speech.voiced(1.5, 1.6)
    assert speech.onset_s == 1.0
    assert speech.seconds == pytest.approx(0.6)
    speech.voiced(1.9, 2.0)
    assert speech.onset_s == 1.9
    assert speech.seconds == pytest.approx(0.1)
