"""Everything that captured agent runs contain can be said: the invariants on real text."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from audio.tts.phrasing import Phraser
from audio.tts.spoken_text import heard_source, speak

SHARED = Path(os.environ.get("JARVIS_SHARED", Path(__file__).resolve().parents[4] / "shared"))
RUNS = sorted(SHARED.glob("samples/*/*.jsonl"))
SPOKEN_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)*[.,?!:;]?")
ESCAPE = re.compile("\x1b\\[[0-?]*[ -/]*[@-~]")

pytestmark = pytest.mark.skipif(not RUNS, reason="the captured runs are not beside this checkout")


def strings_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings_in(item)


def texts_of(run: Path) -> set[str]:
    texts: set[str] = set()
    for line in run.read_text(encoding="utf-8").splitlines():
        try:
            texts.update(strings_in(json.loads(line)))
        except json.JSONDecodeError:
            texts.add(line)
    return texts


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run.parent.name}/{run.stem}")
def test_captured_text_is_said_without_soup_and_without_losing_a_digit(run: Path) -> None:
    for text in texts_of(run):
        phrase = speak(text)
        covered = bytearray(len(text))
        for word in phrase.words:
            assert SPOKEN_WORD.fullmatch(word.spoken), text
            covered[word.start : word.end] = b"x" * (word.end - word.start)
        visible = ESCAPE.sub(lambda match: " " * len(match.group()), text)
        for digits in re.finditer(r"\d+", visible):
            assert all(covered[digits.start() : digits.end()]), text
        assert heard_source(phrase, len(phrase.words)) == text


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run.parent.name}/{run.stem}")
def test_captured_text_is_phrased_the_same_in_tokens_of_any_size(run: Path) -> None:
    for text in texts_of(run):
        whole, by_four = Phraser(), Phraser()
        at_once = whole.feed(text) + whole.finish()
        streamed = [p for at in range(0, len(text), 4) for p in by_four.feed(text[at : at + 4])]
        assert streamed + by_four.finish() == at_once
        assert "".join(phrase.text for phrase in at_once) == text
