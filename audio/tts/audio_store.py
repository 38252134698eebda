"""Spoken phrases kept on disk: one file each, bounded, whole or not at all.

A file is found by the hash of what makes its audio, which does not tell what is said. Its layout::

    8 bytes   MAGIC
    32 bytes  SHA-256 of all that follows
    4 bytes   length of the head, little-endian
    head      JSON {"rate": Hz, "chunks": [[samples, [[word, start_sample, end_sample], ...]], ...]}
    sound     16-bit little-endian samples, mono, all chunks one after the other

A file that is not like that (a crash, a disk that fails, another version) is deleted and counts as
not there. No fault of the disk is ever raised: without the store, phrases are made anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.tts.base import WordMark

MAGIC = b"JVPHRAS1"
SUFFIX = ".phrase"
_PART = ".part"
_HASH_BYTES = 32
_LENGTH_BYTES = 4
MOST_FILES = 4096


@dataclass(frozen=True, slots=True)
class KeptChunk:
    """A SpeechChunk with 16-bit samples: half the memory, and 96 dB are more than a voice has."""

    samples: NDArray[np.int16]
    marks: tuple[WordMark, ...]


@dataclass(frozen=True, slots=True)
class KeptPhrase:
    """A phrase's audio, in the pieces in which it was made."""

    rate: int  # Hz
    chunks: tuple[KeptChunk, ...]

    @property
    def size(self) -> int:
        """Bytes of its sound."""
        return sum(chunk.samples.nbytes for chunk in self.chunks)


class AudioStore:
    """The phrases of one folder, the least recently used ones dropped first.

    One thread at a time. Several processes may share the folder: each sees what was there when it
    began, and what it wrote itself.
    """

    def __init__(self, folder: Path, most_bytes: int) -> None:
        """The folder is made when the first phrase is kept, readable for its owner only."""
        self._folder = folder
        self._most = most_bytes
        self._sizes: OrderedDict[str, int] = OrderedDict()  # least recently used first
        with contextlib.suppress(OSError):
            self._look()
        self._total = sum(self._sizes.values())
        self._make_room(0)

    def __len__(self) -> int:
        return len(self._sizes)

    @property
    def total_bytes(self) -> int:
        """What its files hold together."""
        return self._total

    def holds(self, key: str) -> bool:
        """Whether there is a file for the key, whole or not. Reads nothing."""
        return key in self._sizes

    def get(self, key: str) -> KeptPhrase | None:
        """The phrase under a key (a SHA-256 in hex), None when there is none."""
        if key not in self._sizes:
            return None
        path = self._path(key)
        try:
            phrase = decoded(path.read_bytes())
        except OSError:
            phrase = None
        if phrase is None:
            self._drop(key)
            return None
        self._sizes.move_to_end(key)
        with contextlib.suppress(OSError):
            os.utime(path)  # the order of use, for the next start
        return phrase

    def put(self, key: str, phrase: KeptPhrase) -> None:
        """Keep a phrase; one that is larger than the whole store is not kept."""
        content = encoded(phrase)
        if key in self._sizes or len(content) > self._most:
            return
        self._make_room(len(content))
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(self._path(key), content)
        except OSError:
            return
        self._sizes[key] = len(content)
        self._total += len(content)

    def _write(self, path: Path, content: bytes) -> None:
        handle, name = tempfile.mkstemp(suffix=_PART, dir=self._folder)  # for its owner only
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(name, path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise

    def _make_room(self, size: int) -> None:
        while self._sizes and (self._total + size > self._most or len(self._sizes) >= MOST_FILES):
            self._drop(next(iter(self._sizes)))

    def _drop(self, key: str) -> None:
        self._total -= self._sizes.pop(key)
        with contextlib.suppress(OSError):
            self._path(key).unlink(missing_ok=True)

    def _look(self) -> None:
        found = []
        with os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.endswith(_PART):  # left by a crash; a writer needs milliseconds
                    Path(entry.path).unlink(missing_ok=True)
                elif entry.name.endswith(SUFFIX):
                    state = entry.stat()
                    name = entry.name.removesuffix(SUFFIX)
                    found.append((state.st_mtime_ns, name, state.st_size))
        for _, name, size in sorted(found):
            self._sizes[name] = size

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{SUFFIX}"


def encoded(phrase: KeptPhrase) -> bytes:
    """The content of a phrase's file."""
    chunks = [
        [len(chunk.samples), [[m.word, m.start_sample, m.end_sample] for m in chunk.marks]]
        for chunk in phrase.chunks
    ]
    head = json.dumps({"rate": phrase.rate, "chunks": chunks}, separators=(",", ":")).encode()
    sound = b"".join(chunk.samples.astype("<i2").tobytes() for chunk in phrase.chunks)
    body = len(head).to_bytes(_LENGTH_BYTES, "little") + head + sound
    return MAGIC + hashlib.sha256(body).digest() + body


def decoded(content: bytes) -> KeptPhrase | None:
    """The phrase in a file's content, None when it is not whole."""
    start = len(MAGIC) + _HASH_BYTES
    body = content[start:]
    if not content.startswith(MAGIC) or len(body) < _LENGTH_BYTES:
        return None
    if hashlib.sha256(body).digest() != content[len(MAGIC) : start]:
        return None
    size = int.from_bytes(body[:_LENGTH_BYTES], "little")
    head: dict[str, Any] = json.loads(body[_LENGTH_BYTES : _LENGTH_BYTES + size])
    sound = np.frombuffer(body[_LENGTH_BYTES + size :], "<i2").astype(np.int16)
    chunks, at = [], 0
    for length, marks in head["chunks"]:
        chunks.append(KeptChunk(sound[at : at + length], tuple(WordMark(*mark) for mark in marks)))
        at += length
    return KeptPhrase(head["rate"], tuple(chunks))
