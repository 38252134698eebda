from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio import weights
from audio.errors import EngineCorrupt, EngineMissing
from audio.resources import asset
from audio.tts import lexicon
from audio.tts.lexicon import Lexicon, PronouncingDictionary, general_dictionary, merge, trade_words
from audio.tts.phonemes import VOWELS, vocabulary

words = st.text(st.characters(blacklist_characters="\t\n", blacklist_categories=["Cs"]), min_size=1)


@given(st.dictionaries(words, st.text("kæt", min_size=1), max_size=40), words)
def test_every_word_is_found_and_no_other(entries: dict[str, str], other: str) -> None:
    lines = sorted(f"{word}\tDEFAULT={said}\n".encode() for word, said in entries.items())
    dictionary = PronouncingDictionary(b"".join(lines))
    for word, said in entries.items():
        assert dictionary.find(word) == {"DEFAULT": said}
    if other not in entries:
        assert dictionary.find(other) is None


def _json(path: Path, entries: object) -> Path:
    path.write_text(json.dumps(entries), "utf-8")
    return path


def test_the_first_source_wins_and_senses_are_kept(tmp_path: Path) -> None:
    gold = _json(
        tmp_path / "gold.json",
        {"use": {"DEFAULT": "juz", "NOUN": "jus"}, "ID": {"DEFAULT": "Id", "NOUN": None}},
    )
    silver = _json(tmp_path / "silver.json", {"use": "wrong", "rare": "ɹɛɹ"})
    dictionary = PronouncingDictionary(merge([gold, silver]))
    assert dictionary.find("use") == {"DEFAULT": "juz", "NOUN": "jus"}
    assert dictionary.find("ID") == {"DEFAULT": "Id", "NOUN": ""}
    assert dictionary.find("rare") == {"DEFAULT": "ɹɛɹ"}


@pytest.mark.parametrize("content", ["not json", "[1, 2]", '{"a": 3}'])
def test_a_damaged_source_is_reported(tmp_path: Path, content: str) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text(content)
    with pytest.raises(EngineCorrupt, match=r"bad\.json cannot be read.*pip install"):
        merge([bad])


@pytest.fixture
def fresh(monkeypatch, tmp_path: Path):
    """Small dictionaries in place of the real ones, and an empty cache folder."""
    for name in ("us_gold", "us_silver"):
        _json(tmp_path / f"{name}.json", {f"word-of-{name}": "kˈæt"})
    monkeypatch.setattr(weights, "locate", lambda _, path: tmp_path / Path(path).name)
    monkeypatch.setenv("JARVIS_CACHE_DIR", str(tmp_path / "cache"))
    general_dictionary.cache_clear()
    yield tmp_path
    general_dictionary.cache_clear()


def test_it_is_prepared_once(fresh: Path) -> None:
    assert general_dictionary().find("word-of-us_silver")
    (prepared,) = (fresh / "cache").iterdir()
    general_dictionary.cache_clear()
    made = prepared.stat().st_mtime_ns
    assert general_dictionary().find("word-of-us_gold")
    assert prepared.stat().st_mtime_ns == made


def test_changed_sources_are_prepared_anew(fresh: Path) -> None:
    general_dictionary()
    _json(fresh / "us_gold.json", {"a-new-word": "kˈæt"})
    general_dictionary.cache_clear()
    assert general_dictionary().find("a-new-word")


def test_without_a_cache_folder_it_works_in_memory(fresh: Path) -> None:
    (fresh / "cache").write_text("a file where the folder should be")
    assert general_dictionary().find("word-of-us_gold")


def test_a_missing_package_says_how_to_install_it(monkeypatch) -> None:
    monkeypatch.setattr(lexicon, "_SOURCES", ("misaki/data/no_such.json",))
    general_dictionary.cache_clear()
    with pytest.raises(EngineMissing, match="pip install"):
        general_dictionary()
    general_dictionary.cache_clear()


def test_the_trade_list_is_sound() -> None:
    lines = asset("lexicon", "trade.tsv").read_text("utf-8").splitlines()
    keys = [line.split("\t")[0] for line in lines if line and not line.startswith("#")]
    assert len(keys) == len(set(keys)) >= 250
    for word, phonemes in trade_words().items():
        assert set(phonemes) <= vocabulary().keys(), word
        assert set(phonemes) & VOWELS, word


def test_a_key_with_a_capital_means_only_that_spelling() -> None:
    tables = Lexicon({"api": "1", "IT": "2"}, PronouncingDictionary(b""))
    assert [tables.trade(word) for word in ("API", "Api", "IT", "it")] == ["1", "1", "2", None]
