"""From recordings of both sides to figures. Pure: arrays and times in, figures out.

Times are seconds of the recording. Speech is what ``recorded.audible_spans`` finds: above -50 dBFS
in frames of 10 ms, silences under 200 ms included. What the agent *said* at a place is found by
comparing the recording with what was synthesized, never from events.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from audio.pcm import RATE
from bench.probes.sounds import Sound
from bench.probes.tap import Spoken, audible_part, correlation, located, whole
from bench.wer import normalized
from jarvis_voice.telemetry.recorded import Span, audible_spans

STOPPED_S = 1.0  # a silence this long in the middle of an answer is a stop
YIELD_WITHIN_S = 2.0  # later it did not yield: the window of tau-voice
PIECE_S = 0.3  # of sound, compared with what was synthesized
ALIKE = 0.5  # correlation that makes two pieces the same words

# Words that open an answer and tell nothing. An answer of nothing else is content all the same.
OPENERS = (
    "well", "so", "okay", "ok", "sure", "alright", "all right", "um", "uh", "hm",
    "let me see", "let me look", "let me check", "let me think", "one moment", "one second",
    "just a moment", "just a second", "good question", "of course", "certainly", "i see", "got it",
    "hold on", "give me a second", "give me a moment", "looking", "checking", "thinking",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answered:
    """How long the user waited for an answer; None is not measured."""

    first_audio_s: float | None
    first_content_s: float | None
    opener: str = ""  # the words before the content


@dataclass(frozen=True, slots=True)
class Overlapped:
    """What the agent did when something was heard over its answer."""

    spoke: bool  # the agent was speaking at the onset
    stopped: bool  # it stopped its answer within the window
    stop_s: float | None  # from the onset until then; None when it did not
    resumed: bool  # it had stopped and went on with the same answer
    carried_on: bool  # the answer still sounds after the disturbance
    gap_s: float  # longest silence from the onset until a second after the end
    stale_s: float  # sound of the old answer after it had stopped for the user
    answered_s: float | None  # from the end of the disturbance to the start of another answer
    talk_over_s: float  # both audible, from the onset on


def opener_length(words: Sequence[str]) -> int:
    """How many leading words open an answer and tell nothing; maybe all of them."""
    plain = [re.sub(r"[^a-z' ]", "", word.lower()) for word in words]
    done = 0
    while done < len(plain):
        for phrase in sorted(OPENERS, key=len, reverse=True):
            size = len(phrase.split())
            if " ".join(plain[done : done + size]) == phrase:
                done += size
                break
        else:
            break
    return done


def answered(agent: Sound, ended_s: float, spoken: Sequence[Spoken]) -> Answered:
    """First sound and first content of the agent after the user's speech ended.

    Openers are skipped, also when they are phrases of their own; an answer that is nothing else
    counts as content. The content is None when the first sound is of no phrase that is known.
    """
    spans = audible_spans(agent, RATE)
    starts = [span.start_s for span in spans if span.start_s >= ended_s]
    if not starts:
        return Answered(None, None)
    first_s = min(starts)
    told = said_at(agent, first_s, spoken)
    if told is None:
        return Answered(first_s - ended_s, None)
    opener: list[str] = []
    for phrase, begin_s in [told, *_later(agent, told, spoken)]:
        length = opener_length(phrase.words)
        opener += phrase.words[:length]
        if length < len(phrase.words):
            start_s = 0.0 if not length else phrase.start_s(length)
            if not opener:
                begin_s = first_s
            content_s = None if start_s is None else begin_s + start_s - ended_s
            return Answered(first_s - ended_s, content_s, " ".join(opener))
    return Answered(first_s - ended_s, first_s - ended_s)


def _later(
    agent: Sound, told: tuple[Spoken, float], spoken: Sequence[Spoken]
) -> list[tuple[Spoken, float]]:
    """The phrases that sound after the first one, in order; looked for only behind an opener."""
    if opener_length(told[0].words) < len(told[0].words):
        return []
    after = round(told[1] * RATE) + told[0].sound().size // 2
    found = []
    for phrase in spoken:
        offset, piece = audible_part(phrase.sound(), PIECE_S)
        place = located(piece, agent[after:], ALIKE)
        if phrase is not told[0] and place is not None:
            found.append((phrase, (after + place - offset) / RATE))
    return sorted(found, key=lambda one: one[1])


def said_at(agent: Sound, at_s: float, spoken: Sequence[Spoken]) -> tuple[Spoken, float] | None:
    """Which phrase sounds at ``at_s``, and the second at which it begins; None for none of them."""
    begin = round(at_s * RATE)
    window = agent[max(0, begin - RATE // 20) : begin + RATE]
    best: tuple[float, Spoken, float] | None = None
    for phrase in spoken:
        offset, piece = audible_part(phrase.sound(), PIECE_S)
        found = correlation(piece, window)
        if found is None or found[1] < ALIKE or (best is not None and found[1] <= best[0]):
            continue
        start = max(0, begin - RATE // 20) + found[0] - offset
        best = (found[1], phrase, start / RATE)
    return None if best is None else (best[1], best[2])


def old_spans(agent: Sound, old: Sequence[Spoken], new: Sequence[Spoken]) -> list[Span]:
    """Where the old answer sounds: spans of the agent that are more like it than like the new."""
    before, after = whole(old), whole(new)
    found = []
    for span in audible_spans(agent, RATE):
        sound = agent[round(span.start_s * RATE) : round(span.end_s * RATE)]
        _, piece = audible_part(sound, PIECE_S)
        alike = [correlation(piece, side) for side in (before, after)]
        scores = [-1.0 if match is None else match[1] for match in alike]
        if scores[0] >= ALIKE and scores[0] >= scores[1]:
            found.append(span)
    return found


def overlapped(
    agent: Sound, user: Span, phrases: tuple[Sequence[Spoken], Sequence[Spoken]]
) -> Overlapped:
    """What became of an answer when ``user`` (from onset to end) was heard over it.

    ``phrases`` are those of the old answer and those of any later one.
    """
    spans = audible_spans(agent, RATE)
    old = old_spans(agent, *phrases)
    spoke = any(span.start_s < user.start_s < span.end_s + STOPPED_S for span in old)
    stop_s = _stop_s(old, user.start_s, agent.size / RATE)
    within = stop_s is not None and stop_s - user.start_s <= YIELD_WITHIN_S
    after = [span for span in old if stop_s is not None and span.start_s > stop_s]
    others = [span for span in spans if span not in old and span.start_s >= user.start_s]
    return Overlapped(
        spoke=spoke,
        stopped=within,
        stop_s=stop_s - user.start_s if within and stop_s is not None else None,
        resumed=within and bool(after),
        carried_on=any(span.end_s > user.end_s + STOPPED_S for span in old),
        gap_s=_longest_gap(spans, Span(user.start_s, user.end_s + 1.0)),
        stale_s=sum(span.end_s - span.start_s for span in after) if within else 0.0,
        answered_s=min((span.start_s - user.end_s for span in others), default=None),
        talk_over_s=overlap_s(spans, [user]),
    )


def _stop_s(old: Sequence[Span], onset_s: float, until_s: float) -> float | None:
    """Where the old answer falls silent for STOPPED_S or for good, the first time after onset."""
    for place, span in enumerate(old):
        if span.end_s <= onset_s:
            continue
        following_s = old[place + 1].start_s if place + 1 < len(old) else until_s
        if following_s - span.end_s >= STOPPED_S:
            return span.end_s
    return None


def _longest_gap(spans: Sequence[Span], within: Span) -> float:
    """The longest silence of the agent that overlaps a stretch, cut to the stretch."""
    longest, reached_s = 0.0, within.start_s
    for span in spans:
        if span.end_s <= within.start_s:
            continue
        longest = max(longest, min(span.start_s, within.end_s) - reached_s)
        reached_s = max(reached_s, span.end_s)
        if reached_s >= within.end_s:
            return longest
    return max(longest, within.end_s - reached_s)


def overlap_s(some: Sequence[Span], others: Sequence[Span]) -> float:
    """For how long both are audible."""
    return sum(
        max(0.0, min(a.end_s, b.end_s) - max(a.start_s, b.start_s)) for a in some for b in others
    )


@dataclass(frozen=True, slots=True)
class WordErrors:
    """How a transcript differs from what was said."""

    words: int
    substituted: int
    deleted: int  # lost: said, and nothing stands for it
    inserted: int
    first_kept: bool  # something stands for the first word

    @property
    def errors(self) -> int:
        return self.substituted + self.deleted + self.inserted


def word_errors(said: str, heard: str) -> WordErrors:
    """Align two texts by words, with the fewest errors."""
    reference, found = normalized(said), normalized(heard)
    steps = _alignment(reference, found)
    deleted = [i for kind, i in steps if kind == "deleted"]
    return WordErrors(
        words=len(reference),
        substituted=sum(kind == "substituted" for kind, _ in steps),
        deleted=len(deleted),
        inserted=sum(kind == "inserted" for kind, _ in steps),
        first_kept=bool(reference) and 0 not in deleted,
    )


def _alignment(reference: Sequence[str], found: Sequence[str]) -> list[tuple[str, int]]:
    """Steps from one to the other as (kind, place in the reference), from the end backwards."""
    rows = [list(range(len(found) + 1))]
    for i, expected in enumerate(reference, 1):
        row = [i]
        for j, word in enumerate(found, 1):
            same = rows[i - 1][j - 1] + (expected != word)
            row.append(min(same, rows[i - 1][j] + 1, row[j - 1] + 1))
        rows.append(row)
    i, j = len(reference), len(found)
    steps: list[tuple[str, int]] = []
    while i or j:
        if i and j and rows[i][j] == rows[i - 1][j - 1] + (reference[i - 1] != found[j - 1]):
            i, j = i - 1, j - 1
            steps.append(("same" if reference[i] == found[j] else "substituted", i))
        elif i and rows[i][j] == rows[i - 1][j] + 1:
            i -= 1
            steps.append(("deleted", i))
        else:
            j -= 1
            steps.append(("inserted", i))
    return steps
