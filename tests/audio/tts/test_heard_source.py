"""What of the source was heard when only the first words have sounded."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.tts.spoken_text import heard_source, speak

texts = st.lists(
    st.sampled_from(
        [
            "It costs",
            "$3.5M",
            "now.",
            "(really)",
            "`x = 1`",
            "\n",
            "**bold**",
            "e.g.",
            "82%",
            "...",
            "[a link](http://x.y/1)",
            "| a | b |\n|---|---|\n| 1 | two words |\n",
            "12:30,",
            "日本",
        ]
    ),
    max_size=12,
).map(" ".join)


@pytest.mark.parametrize(
    ("source", "words", "heard"),
    [
        ("It costs $3.5M now.", 0, ""),
        ("It costs $3.5M now.", 2, "It costs"),
        ("It costs $3.5M now.", 3, "It costs"),
        ("It costs $3.5M now.", 6, "It costs"),
        ("It costs $3.5M now.", 7, "It costs $3.5M"),
        ("It costs $3.5M now.", 8, "It costs $3.5M now."),
        ("It costs $3.5M now.", 99, "It costs $3.5M now."),
        ("It costs $3.5M now.", -1, ""),
        ("$3.5M is much.", 4, ""),
        ("Right, it works.", 1, "Right,"),
        ("It **works** now.", 2, "It **works**"),
        ("It (really) works.", 2, "It (really)"),
        ("See [the docs](http://x.y) now.", 2, "See [the"),
        ("See [the docs](http://x.y) now.", 3, "See [the docs](http://x.y)"),
        ("Done. \n\n", 1, "Done. \n\n"),
        ("Is it? Yes! It is.", 2, "Is it?"),
        ("***", 0, "***"),
        ("", 0, ""),
    ],
)
def test_source_is_heard_when_its_last_word_has_sounded(
    source: str, words: int, heard: str
) -> None:
    assert heard_source(speak(source), words) == heard


@given(texts | st.text(max_size=40))
def test_hearing_more_never_hears_less_and_all_is_all(text: str) -> None:
    phrase = speak(text)
    heard = [heard_source(phrase, words) for words in range(len(phrase.words) + 1)]
    assert heard[-1] == text
    assert all(after.startswith(before) for before, after in itertools.pairwise(heard))
    assert all(text.startswith(part) for part in heard)


@given(texts)
def test_no_word_is_counted_before_all_of_it_was_heard(text: str) -> None:
    phrase = speak(text)
    for words in range(len(phrase.words)):
        end = len(heard_source(phrase, words))
        assert all(word.start >= end for word in phrase.words[words:])
