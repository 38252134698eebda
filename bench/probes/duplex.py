"""What Jarvis does when something is heard while it speaks.

Each case is a session of its own: the user asks, a long answer begins, and some seconds into it
something is heard. An *interruption* must stop it; a backchannel, a cough, talk to somebody else,
noise, or the agent's own echo must not. Everything is read from the recorded sound; only the words
that reached the recognizer come from the timeline. The brain is scripted: one long answer, then a
short one, so that old and new answers are told apart by their sound.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from audio.devices.echo_path import EchoPath
from audio.pcm import RATE
from bench.probes.corpus import Corpus
from bench.probes.measures import Overlapped, overlapped, word_errors
from bench.probes.play import LEAD_S, Cue, Publish, Scene, Setting, Side, Take, When
from bench.probes.recipe import DuplexCase, texts
from bench.probes.sides import Mind
from bench.probes.speaker import Clip
from bench.report import intervals
from bench.report.intervals import Estimate
from jarvis_voice import events
from jarvis_voice.telemetry.recorded import Span, audible_spans

AFTER_S = 4.5  # that is recorded after what is heard has ended
STEADY_S = 6.0  # of an answer over which nothing particular happens
ECHO = EchoPath(gain_db=-6.0, delay_s=0.08, reverb_s=0.2)
IGNORED = ("backchannel", "aside", "sound", "noise", "echo")
STALE_S = 0.05  # less is a fade-out


class TwoAnswers:
    """A brain with a long answer for the first turn and a short one for all others."""

    name = "two answers"

    def __init__(self) -> None:
        data = texts("duplex")
        self._long, self._short = data["long_answer"], data["short_answer"]
        self._first: int | None = None

    async def reply(self, question: events.Question) -> AsyncIterator[str]:
        """By sentences."""
        if self._first is None:
            self._first = question.turn
        answer = self._long if question.turn == self._first else self._short
        for sentence in answer.split(". "):
            yield sentence if sentence.endswith(".") else f"{sentence}. "

    def versions(self) -> dict[str, int]:
        """No run is watched."""
        return {}

    def committed(self, question: events.Question) -> bool:
        """Nothing is done."""
        return False


def mind(_publish: Publish) -> Mind:
    """A fresh brain for a session."""
    return Mind(TwoAnswers())


@dataclass(slots=True)
class Item:
    """One case and what came of it; seconds, None is not measured."""

    case: str
    kind: str
    side: str
    said: str = ""
    heard: str = ""
    echo: bool = False
    missed: str = ""  # why nothing could be measured
    found: Overlapped | None = None
    lost: int = 0  # words of an interruption that reached nobody
    first_kept: bool = True
    words: int = 0
    word_errors: int = 0
    user: tuple[float, float] = (0.0, 0.0)
    agent: tuple[tuple[float, float], ...] = ()

    @property
    def right(self) -> bool:
        """Whether it did what a good listener does."""
        if self.found is None:
            return False
        if self.kind == "interruption":
            return self.found.stopped and not self.found.resumed
        return self.found.carried_on and not self.found.stopped and self.found.answered_s is None

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "right": self.right}


async def overlap(setting: Setting, side: Side, corpus: Corpus, case: DuplexCase) -> Item:
    """Play a case and measure it."""
    clip = corpus.overlap(case)
    item = Item(case.name, case.kind, side.name, clip.text, echo=case.echo)
    cues = [
        Cue(corpus.opening().samples, When.START, LEAD_S),
        Cue(clip.samples, When.SOUNDING, case.into_s),
    ]
    echo = EchoPath(ECHO.gain_db, ECHO.delay_s, ECHO.reverb_s, max(1, case.seed % 1000))
    linger_s = AFTER_S if clip.samples.size else STEADY_S
    scene = Scene(cues, linger_s, False, echo=echo if case.echo else None)
    measure(item, await setting.play(scene, side), clip)
    return item


def measure(item: Item, take: Take, clip: Clip) -> None:
    """Read an item's figures from a take."""
    said_s = take.said_s[1]
    if math.isnan(said_s):
        item.missed = take.missed
        return
    length_s = STEADY_S - 2.0 if not clip.samples.size else clip.end_s
    user = Span(said_s + clip.start_s, said_s + length_s)
    item.user = (user.start_s, user.end_s)
    item.agent = tuple((s.start_s, s.end_s) for s in audible_spans(take.agent, RATE))
    long_answer = texts("duplex")["long_answer"]
    old = [phrase for phrase in take.spoken if phrase.source.strip() in long_answer]
    new = [phrase for phrase in take.spoken if phrase.source.strip() not in long_answer]
    found = overlapped(take.agent, user, (old, new))
    if not found.spoke:
        item.missed = "the agent was not speaking"
        return
    item.found = found
    item.heard = heard_after(take, user.start_s)
    if item.kind == "interruption":
        wrong = word_errors(clip.text, item.heard)
        item.words, item.word_errors = wrong.words, wrong.errors
        item.lost, item.first_kept = wrong.deleted, wrong.first_kept


def heard_after(take: Take, onset_s: float) -> str:
    """The words of all turns that were heard after ``onset_s``, the newest of each.

    A turn counts that was open before: the sound of the agent itself may have opened it.
    """
    texts_of: dict[int, str] = {}
    for event in take.events:
        if (
            isinstance(
                event, events.TranscriptChanged | events.TranscriptSettled | events.TurnCommitted
            )
            and event.at_s - take.began_s > onset_s
            and event.text
        ):
            texts_of[event.turn] = event.text
    return " ".join(texts_of[turn] for turn in sorted(texts_of))


# --- metrics -----------------------------------------------------------------------------------


def metrics(items: Sequence[Item], sides: Sequence[str], seed: int) -> dict[str, Estimate]:
    """All figures by name; those of the first side have no prefix."""
    found: dict[str, Estimate] = {}
    for side in sides:
        prefix = "" if side == sides[0] else f"{side}."
        own = [item for item in items if item.side == side]
        found |= {f"{prefix}{name}": value for name, value in _of_side(own, seed).items()}
    if len(sides) == 2:
        found["ratio.yield_p50"] = _ratio(items, sides, seed)
    return found


def _of_side(items: Sequence[Item], seed: int) -> dict[str, Estimate]:
    measured = [(item, item.found) for item in items if item.found is not None]
    cuts = [(item, found) for item, found in measured if item.kind == "interruption"]
    stops = [found.stop_s * 1000 for _, found in cuts if found.stop_s is not None]
    result = {
        "measured.share": intervals.share_of(len(measured), len(items)),
        "yield.share": intervals.share_of(sum(f.stopped for _, f in cuts), len(cuts)),
        "yield.p50_ms": intervals.quantile(stops, 0.5, seed),
        "yield.p95_ms": intervals.quantile(stops, 0.95, seed),
        "stale.share": intervals.share_of(sum(f.stale_s > STALE_S for _, f in cuts), len(cuts)),
        "talk_over.mean_s": intervals.mean([f.talk_over_s for _, f in cuts], seed),
        "answered.p50_ms": intervals.quantile(
            [f.answered_s * 1000 for _, f in cuts if f.answered_s is not None], 0.5, seed
        ),
        "words_lost.share": intervals.share_of(
            sum(i.lost for i, _ in cuts), sum(i.words for i, _ in cuts)
        ),
        "first_word_lost.share": intervals.share_of(
            sum(not i.first_kept for i, _ in cuts), len(cuts)
        ),
    }
    others = [(item, found) for item, found in measured if item.kind != "interruption"]
    for kind in IGNORED:
        own = [item for item, _ in others if item.kind == kind]
        result[f"ignored.{kind}.share"] = intervals.share_of(sum(i.right for i in own), len(own))
    result["false_barge_in.share"] = intervals.share_of(
        sum(found.stopped for _, found in others), len(others)
    )
    stopped = [found for _, found in others if found.stopped]
    result["resumed.share"] = intervals.share_of(sum(f.resumed for f in stopped), len(stopped))
    gaps = [found.gap_s * 1000 for _, found in others]
    result["gap.p95_ms"] = intervals.quantile(gaps, 0.95, seed)
    return result


def _ratio(items: Sequence[Item], sides: Sequence[str], seed: int) -> Estimate:
    stops = [
        {
            item.case: item.found.stop_s
            for item in items
            if item.side == side and item.found is not None and item.kind == "interruption"
        }
        for side in sides
    ]
    pairs = [
        (ours, theirs)
        for case, ours in stops[0].items()
        if ours is not None and (theirs := stops[1].get(case)) is not None
    ]
    return intervals.ratio([t for _, t in pairs], [o for o, _ in pairs], 0.5, seed)
