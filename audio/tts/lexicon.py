"""US English pronouncing dictionaries, small enough to keep open beside the models.

The general dictionary is the two JSON files of misaki (183,000 entries, 6 MB). Parsed they would
take 60 MB of memory and 0.2 s at each start, so they are merged once into a sorted text in the
cache folder, which is mapped and searched in place. The words of this trade come from a list of our
own and win over it.
"""

from __future__ import annotations

import contextlib
import functools
import json
import mmap
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from audio import weights
from audio.errors import EngineCorrupt
from audio.resources import asset

Senses = Mapping[str, str]
"""Phonemes by part of speech; ``DEFAULT`` is always there. Empty phonemes mean: say the letters."""

DEFAULT = "DEFAULT"
_FORMAT = 1  # of the prepared text; raise it when the layout changes
_SOURCES = ("misaki/data/us_gold.json", "misaki/data/us_silver.json")  # hand-checked one first


class PronouncingDictionary:
    """A read-only dictionary over sorted UTF-8 lines ``word TAB part=phonemes TAB ...``."""

    def __init__(self, lines: bytes | mmap.mmap) -> None:
        self._lines = lines

    def find(self, word: str) -> Senses | None:
        """The senses of exactly ``word``, None when it is not in the dictionary."""
        key = word.encode() + b"\t"
        low, high = 0, len(self._lines)
        while low < high:  # low and high are always starts of lines
            middle = self._lines.rfind(b"\n", low, (low + high) // 2) + 1 or low
            end = self._lines.find(b"\n", middle) + 1
            line = self._lines[middle:end]
            if line.startswith(key):
                return _parse_senses(line[len(key) : -1].decode())
            if line < key:
                low = end
            else:
                high = middle
        return None


def merge(sources: list[Path]) -> bytes:
    """The sorted lines of several JSON dictionaries; the first that knows a word wins.

    Raises EngineCorrupt when one is not such a dictionary.
    """
    merged: dict[str, str] = {}
    for source in sources:
        try:
            entries = json.loads(source.read_bytes())
            for word, senses in entries.items():
                merged.setdefault(word, _format_senses(senses))
        except (ValueError, AttributeError, TypeError) as error:
            raise EngineCorrupt(
                f"The pronouncing dictionary {source} cannot be read: {error}.",
                "Run: pip install --force-reinstall misaki",
            ) from error
    lines = [f"{word}\t{senses}\n".encode() for word, senses in merged.items()]
    return b"".join(sorted(lines))


def _format_senses(senses: str | dict[str, str | None]) -> str:
    if isinstance(senses, str):
        return f"{DEFAULT}={senses}"
    return "\t".join(f"{part}={phonemes or ''}" for part, phonemes in senses.items())


def _parse_senses(text: str) -> Senses:
    return dict(field.split("=", 1) for field in text.split("\t"))


@functools.cache
def general_dictionary() -> PronouncingDictionary:
    """The general dictionary, prepared on its first use ever.

    When the cache folder cannot be written it is prepared in memory each time instead.
    Raises EngineMissing or EngineCorrupt.
    """
    sources = [weights.locate("misaki", path) for path in _SOURCES]
    states = [source.stat() for source in sources]
    version = "-".join(f"{state.st_size:x}.{int(state.st_mtime):x}" for state in states)
    prepared = weights.cache_dir() / f"lexicon-us-{_FORMAT}-{version}.txt"
    with contextlib.suppress(OSError, ValueError):
        return PronouncingDictionary(_map(prepared))
    lines = merge(sources)
    with contextlib.suppress(OSError, ValueError):
        _write_whole(prepared, lines)
        return PronouncingDictionary(_map(prepared))
    return PronouncingDictionary(lines)


def _map(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _write_whole(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


@functools.cache
def trade_words() -> dict[str, str]:
    """Our own list, ``word TAB phonemes`` a line; a key with a capital means only that spelling."""
    lines = asset("lexicon", "trade.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return {row[0]: row[1] for row in rows}


class Lexicon:
    """Looks a word up in the trade list, then in the general dictionary."""

    def __init__(self, trade: Mapping[str, str], general: PronouncingDictionary) -> None:
        self._trade = trade
        self._general = general

    def trade(self, word: str) -> str | None:
        """The phonemes of a word of this trade, whatever its case unless the list insists."""
        return self._trade.get(word) or self._trade.get(word.lower())

    def general(self, word: str) -> Senses | None:
        """The senses of a word of the language; a capital at its start is optional."""
        for spelling in dict.fromkeys((word, word.lower(), word.lower().capitalize())):
            senses = self._general.find(spelling)
            if senses is not None:
                return senses
        return None


def default_lexicon() -> Lexicon:
    """The lexicon that ships. Raises EngineMissing or EngineCorrupt."""
    return Lexicon(trade_words(), general_dictionary())
