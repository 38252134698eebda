"""espeak-ng as a reader of words, where the extra is installed."""

from __future__ import annotations

import importlib.util

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.errors import EngineMissing
from audio.tts.espeak_g2p import EspeakG2P, EspeakKokoroSynthesizer, describe
from audio.tts.g2p import word_and_pause
from audio.tts.phonemes import from_ipa, vocabulary

pytestmark = pytest.mark.extra

_MISSING = [n for n in ("phonemizer", "espeakng_loader") if importlib.util.find_spec(n) is None]
needs_espeak = pytest.mark.skipif(bool(_MISSING), reason=f"not installed: {_MISSING}")


@pytest.mark.parametrize(
    ("ipa", "phonemes"),
    [
        ("kənfˌɪɡjɚɹˈeɪʃən", "kənfˌɪɡjəɹˈAʃən"),
        ("tʃˈɔɪs", "ʧˈYs"),
        ("dʒˈʌdʒ", "ʤˈʌʤ"),
        ("nˈɜːs", "nˈɜɹs"),
        ("bˈʌʔn̩", "bˈʌtᵊn"),
        ("ɡˈoʊ ", "ɡˈO"),
    ],
)
def test_its_sounds_are_written_as_the_model_knows_them(ipa: str, phonemes: str) -> None:
    assert from_ipa(ipa) == phonemes
    assert set(phonemes) <= vocabulary().keys()


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ('"Wait,"', ("Wait", ",")),
        ("it's", ("it's", "")),
        ("what?!", ("what", "?")),
        ("...", ("", "…")),
    ],
)
def test_a_word_is_parted_from_its_pause(word: str, parts: tuple[str, str]) -> None:
    assert word_and_pause(word) == parts


@needs_espeak
def test_words_and_pauses_come_out_one_for_one() -> None:
    assert EspeakG2P().phonemize(["Go", "of", "the", "\u2014", "day."]) == [
        "ɡˈO",
        "ʌv",
        "ðə",
        "",
        "dˈA.",
    ]


@needs_espeak
@given(st.lists(st.text("abcxyz'-., 0123", max_size=10), max_size=6))
def test_only_symbols_of_the_model_come_out(words: list[str]) -> None:
    spoken = EspeakG2P().phonemize(words)
    assert len(spoken) == len(words)
    assert all(set(text) <= vocabulary().keys() for text in spoken)


@needs_espeak
@pytest.mark.model
def test_it_keeps_the_contract(check_synthesizer) -> None:
    check_synthesizer(EspeakKokoroSynthesizer)


@pytest.mark.skipif(not _MISSING, reason="the extra is installed")
def test_without_the_extra_it_says_what_to_install() -> None:
    assert not describe().installed
    with pytest.raises(EngineMissing, match=r"jarvis-voice\[espeak\]"):
        EspeakG2P()
