"""Pronunciations, on the dictionaries that ship."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.tts.g2p import EnglishG2P, english_g2p
from audio.tts.phonemes import PAUSES, STRESS, VOWELS, vocabulary


@pytest.fixture(scope="module")
def g2p() -> EnglishG2P:
    return english_g2p()


def _say(g2p: EnglishG2P, text: str) -> str:
    return " ".join(g2p.phonemize(text.split()))


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("tests", "tˈɛsts"),
        ("pytest", "pˈItˌɛst"),
        ("nginx", "ˈɛnʤən ˈɛks"),
        ("Kubernetes", "kˌubəɹnˈɛɾiz"),
        ("JSON", "ʤˈAsᵊn"),
        ("Postgres", "pˈOstɡɹˌɛs"),
        ("regex", "ɹˈɛʤˌɛks"),
        ("README", "ɹˈidmˌi"),
        ("Nguyen", "wˈɪn"),
        ("Siobhan", "ʃəvˈɔn"),
    ],
)
def test_words_of_the_language_and_of_the_trade(g2p, text: str, phonemes: str) -> None:
    assert _say(g2p, text) == phonemes


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("API", "ˌApˌiˈI"),
        ("APIs", "ˌApˌiˈIz"),
        ("PRs", "pˌiˈɑɹz"),
        ("XKCD", "ˌɛkskˌAsˌidˈi"),
        ("QZ", "kjˌuzˈi"),
        ("zrk", "zˌiˌɑɹkˈA"),
    ],
)
def test_acronyms_and_words_without_vowels_are_spelled(g2p, text: str, phonemes: str) -> None:
    assert _say(g2p, text) == phonemes


@pytest.mark.parametrize("shouted", ["ERROR", "WARNING", "PASS", "FAILED", "NOT"])
def test_shouted_words_are_words(g2p, shouted: str) -> None:
    assert _say(g2p, shouted).replace("ˈ", "") == _say(g2p, shouted.lower()).replace("ˈ", "")


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("a file", "ɐ fˈIl"),
        ("an error", "ɐn ˈɛɹəɹ"),
        ("the file", "ðə fˈIl"),
        ("the error", "ði ˈɛɹəɹ"),
        ("the API", "ði ˌApˌiˈI"),
        ("the URL", "ðə jˌuˌɑɹˈɛl"),
        ("to run", "tə ɹˈʌn"),
        ("A file", "ɐ fˈIl"),
        ("A dot text", "ˈA dˈɑt tˈɛkst"),
        ("slash A now", "slˈæʃ ˈA nˈW"),
        ("to ask", "tʊ ˈæsk"),
        ("out/a.txt", "ˈWt ˈA tˌiˌɛkstˈi"),
    ],
)
def test_little_words_are_weak_before_others(g2p, text: str, phonemes: str) -> None:
    assert _say(g2p, text) == phonemes


@pytest.mark.parametrize(
    ("text", "word", "phonemes"),
    [
        ("it read the file", 1, "ɹˈɛd"),
        ("it has read it", 2, "ɹˈɛd"),
        ("to read the file", 1, "ɹˈid"),
        ("it can read", 2, "ɹˈid"),
        ("a live stream", 1, "lˈIv"),
        ("the site is live", 3, "lˈIv"),
        ("they live here", 1, "lˈɪv"),
        ("to record it", 1, "ɹəkˈɔɹd"),
        ("a record of it", 1, "ɹˈɛkəɹd"),
        ("it will use it", 2, "jˈuz"),
        ("the use of it", 1, "jˈus"),
        ("memory use", 1, "jˈus"),
        ("close the file", 0, "klˈOz"),
        ("it is close", 2, "klˈOs"),
        ("an object here", 1, "ˈɑbʤəkt"),
        ("they object to it", 1, "əbʤˈɛkt"),
        ("the content of it", 1, "kˈɑntɛnt"),
        ("to present it", 1, "pɹizˈɛnt"),
        ("the present state", 1, "pɹˈɛzᵊnt"),
        ("the project failed", 1, "pɹˈɑʤˌɛkt"),
        ("it used to fail", 1, "jˈust"),
        ("it used the file", 1, "jˈuzd"),
    ],
)
def test_neighbours_choose_among_readings(g2p, text: str, word: int, phonemes: str) -> None:
    assert g2p.phonemize(text.split())[word] == phonemes


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("kubelets", "kjˈubləts"),
        ("webhooks", "wˈɛbhˌʊks"),
        ("dockerized", "dˈɑkəɹIzd"),
        ("Grafana's", "ɡɹəfˈɑnəz"),
        ("grepped", "ɡɹˈɛpt"),
        ("grepping", "ɡɹˈɛpɪŋ"),
        ("linted", "lˈɪntᵻd"),
        ("re-index", "ɹˌi ˈɪndˌɛks"),
        ("auth-service", "ˈɔθ sˈɜɹvəs"),
        ("logfile", "lˈɔɡfˌIl"),
    ],
)
def test_endings_prefixes_and_compounds(g2p, text: str, phonemes: str) -> None:
    assert _say(g2p, text) == phonemes


def test_an_unknown_word_is_guessed_like_its_spelling(g2p) -> None:
    guess = _say(g2p, "blorptastic")
    assert guess.startswith("bl")
    assert guess.endswith("tˈæstɪk")


def test_punctuation_stays_with_its_word(g2p) -> None:
    assert g2p.phonemize(['"Wait,"', "what?!", "(yes)", "\u2014", "No..."]) == [
        "wˈAt,",
        "wˌʌt?",
        "jˈɛs",
        "",
        "nˈO…",
    ]


@pytest.mark.parametrize("silent", ["", "...", "\u2014", "日本", "🙂", "*", "''"])
def test_what_cannot_be_said_is_silent(g2p, silent: str) -> None:
    assert g2p.phonemize(["one", silent, "two"])[1] == ""


def test_accents_are_dropped_not_words(g2p) -> None:
    assert _say(g2p, "naïve café") == _say(g2p, "naive cafe")


def test_no_digit_is_lost(g2p) -> None:
    assert len(_say(g2p, "x86 0x1F").split()) == 3 + 4


@given(st.lists(st.text(max_size=12), max_size=8))
def test_only_symbols_of_the_model_come_out_whatever_goes_in(words: list[str]) -> None:
    spoken = english_g2p().phonemize(words)
    assert len(spoken) == len(words)
    known = vocabulary()
    for text in spoken:
        assert set(text) <= known.keys()
        assert text == text.strip()
        assert "  " not in text
        if text:
            assert text.rstrip(PAUSES)


@given(st.from_regex(r"[A-Za-z]{1,12}", fullmatch=True))
def test_every_word_of_letters_has_a_sound_with_a_vowel(word: str) -> None:
    (spoken,) = english_g2p().phonemize([word])
    assert set(spoken) & VOWELS


@given(st.lists(st.sampled_from("the a read API config tests, to live.".split()), max_size=6))
def test_a_word_alone_never_changes_how_many_words_there_are(words: list[str]) -> None:
    assert all(text.strip(STRESS + PAUSES) for text in english_g2p().phonemize(words))
