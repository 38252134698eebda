"""How long the user waited, and for what: from the timeline alone.

The clock of a *response* starts when the user's speech ended (the end of the last frame of speech)
and stops at the first audible sample of the answer. It is cut at the moments at which the next
stage could not have gone on without the one before:

    speech ended | endpoint | recognizer | brain | synthesizer | playback | first sample

    endpoint     until the silence was long enough
    recognizer   from then until the turn was committed: waiting for the transcript
    brain        from then until the first words
    synthesizer  from then until the first phrase's first audio
    playback     from then until it was heard

Work done ahead of its turn (a transcript settled or a reply prepared while the silence was still
running) takes nothing from the user and counts as zero. So the stages sum to the response. A stage
whose end was not recorded is None, and its time is part of the next one that was.

An *opener* ("Let me see.") is heard and is no content: ``content_s`` runs on to the reply's own
first words, behind the opener.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jarvis_voice import events

STAGES = ("endpoint", "recognizer", "brain", "synthesizer", "playback")


@dataclass(frozen=True, slots=True)
class TurnLatency:
    """What a committed turn waited for, in seconds; None was not measured.

    The five stages are what the user waited; ``*_work_s`` is how long a part was at work in all,
    ahead of its turn or not.
    """

    turn: int
    text: str
    reply: int | None  # the reply that was heard, or else the last one begun
    preemptive: bool | None  # it was begun before the turn was committed
    endpoint_s: float | None
    recognizer_s: float | None
    brain_s: float | None
    synthesizer_s: float | None
    playback_s: float | None
    response_s: float | None  # to the first audio; None when no answer was heard
    recognizer_work_s: float | None = None
    brain_work_s: float | None = None
    synthesizer_work_s: float | None = None
    content_s: float | None = None  # to the first content: the response unless there was an opener


@dataclass(frozen=True, slots=True)
class YieldLatency:
    """How fast the agent yielded to a barge-in, in seconds from the onset of the user's speech."""

    reply: int
    onset_s: float  # session time
    reason: str
    decided_s: float  # until it was known to be one
    silent_s: float | None  # until the last audible sample; None when that was not recorded


@dataclass(frozen=True, slots=True)
class Summary:
    """Of the values that were measured. None when there are none."""

    count: int
    median: float | None
    mean: float | None
    p95: float | None  # interpolated between the two nearest values


@dataclass(slots=True)
class _Reply:
    """What was recorded of a reply."""

    number: int
    begun_s: float
    preemptive: bool
    worded_s: float | None = None
    phrase: events.PhraseReady | None = None
    opener: events.OpenerSaid | None = None
    heard_s: float | None = None


@dataclass(slots=True)
class _Turn:
    """What was recorded of a turn."""

    settled_s: float | None = None
    transcript_s: float | None = None
    committed: events.TurnCommitted | None = None


def turn_latencies(timeline: Iterable[events.ConversationEvent]) -> list[TurnLatency]:
    """One entry per committed turn, in the order of the commits."""
    turns: dict[int, _Turn] = {}
    replies: dict[int, list[_Reply]] = {}
    for event in timeline:
        if isinstance(event, events.TurnSettled | events.TranscriptSettled | events.TurnCommitted):
            _note_turn(turns.setdefault(event.turn, _Turn()), event)
        elif isinstance(
            event,
            events.ReplyStarted
            | events.ReplyWorded
            | events.PhraseReady
            | events.OpenerSaid
            | events.AgentSpeechStarted,
        ):
            _note_reply(replies.setdefault(event.turn, []), event)
    done = [(turn, turn.committed) for turn in turns.values() if turn.committed is not None]
    done.sort(key=lambda pair: pair[1].at_s)
    return [_latency(turn, committed, replies.get(committed.turn, [])) for turn, committed in done]


def _note_turn(
    turn: _Turn, event: events.TurnSettled | events.TranscriptSettled | events.TurnCommitted
) -> None:
    if turn.committed is not None:
        return
    match event:
        case events.TurnSettled():
            turn.settled_s, turn.transcript_s = event.at_s, None
        case events.TranscriptSettled():
            turn.transcript_s = event.at_s
        case events.TurnCommitted():
            turn.committed = event


def _note_reply(
    replies: list[_Reply],
    event: events.ReplyStarted
    | events.ReplyWorded
    | events.PhraseReady
    | events.OpenerSaid
    | events.AgentSpeechStarted,
) -> None:
    if isinstance(event, events.ReplyStarted):
        replies.append(_Reply(event.reply, event.at_s, event.preemptive))
        return
    reply = next((known for known in replies if known.number == event.reply), None)
    if reply is None:
        return
    match event:
        case events.ReplyWorded():
            reply.worded_s = event.at_s if reply.worded_s is None else reply.worded_s
        case events.PhraseReady():
            reply.phrase = reply.phrase or event
        case events.OpenerSaid():
            reply.opener = reply.opener or event
        case events.AgentSpeechStarted():
            reply.heard_s = event.at_s if reply.heard_s is None else reply.heard_s


def _latency(
    turn: _Turn, committed: events.TurnCommitted, replies: Sequence[_Reply]
) -> TurnLatency:
    heard = [reply for reply in replies if reply.heard_s is not None]
    reply = heard[0] if heard else replies[-1] if replies else None
    phrase = reply.phrase if reply else None
    heard_s = reply.heard_s if reply else None
    started_s = committed.speech_ended_s
    endpoint_s, recognizer_s, brain_s, synthesizer_s, playback_s = _stages(
        started_s,
        (
            _due_s(turn, committed),
            committed.at_s,
            reply.worded_s if reply else None,
            phrase.at_s if phrase else None,
            heard_s,
        ),
    )
    return TurnLatency(
        turn=committed.turn,
        text=committed.text,
        reply=reply.number if reply else None,
        preemptive=reply.preemptive if reply else None,
        endpoint_s=endpoint_s,
        recognizer_s=recognizer_s,
        brain_s=brain_s,
        synthesizer_s=synthesizer_s,
        playback_s=playback_s,
        response_s=_difference(heard_s, started_s),
        recognizer_work_s=_difference(turn.transcript_s, turn.settled_s),
        brain_work_s=_difference(reply.worded_s, reply.begun_s) if reply else None,
        synthesizer_work_s=phrase.compute_s if phrase else None,
        content_s=_difference(_content_s(reply), started_s),
    )


def _content_s(reply: _Reply | None) -> float | None:
    """When the reply's own first words were heard, None when they were not."""
    if reply is None or reply.heard_s is None or reply.opener is None:
        return reply.heard_s if reply else None
    if reply.phrase is None:
        return None
    return max(reply.phrase.at_s, reply.heard_s + reply.opener.duration_s)


def _due_s(turn: _Turn, committed: events.TurnCommitted) -> float | None:
    """When the silence alone would have ended the turn, None when that cannot be told."""
    if committed.due_s is not None:
        return committed.due_s
    if turn.transcript_s is not None and turn.transcript_s < committed.at_s - 0.001:
        return committed.at_s  # the transcript was there: only the silence was waited for
    return None


def _stages(started_s: float, ends_s: Sequence[float | None]) -> list[float | None]:
    """How long each stage was waited for, given when each was done, the answer's start last."""
    last_s = ends_s[-1]
    durations: list[float | None] = []
    reached_s = started_s
    for end_s in ends_s:
        if end_s is None:
            durations.append(None)
            continue
        cut_s = max(end_s, reached_s)
        if last_s is not None:
            cut_s = min(cut_s, last_s)
        durations.append(cut_s - reached_s)
        reached_s = cut_s
    return durations


def _difference(later_s: float | None, earlier_s: float | None) -> float | None:
    return None if later_s is None or earlier_s is None else later_s - earlier_s


def yield_latencies(timeline: Iterable[events.ConversationEvent]) -> list[YieldLatency]:
    """One entry per barge-in, in the order in which they became known.

    A reply that was paused and then cut was silent from the pause on.
    """
    known = list(timeline)
    silent_s = {
        event.reply: event.at_s
        for event in known
        if isinstance(event, events.AgentSpeechStopped) and event.cut
    }
    for reply, paused_s in _paused_for_good(known).items():
        silent_s[reply] = min(paused_s, silent_s.get(reply, paused_s))
    return [
        YieldLatency(
            reply=event.reply,
            onset_s=event.onset_s,
            reason=event.reason,
            decided_s=event.at_s - event.onset_s,
            silent_s=_difference(silent_s.get(event.reply), event.onset_s),
        )
        for event in known
        if isinstance(event, events.BargedIn)
    ]


def _paused_for_good(known: Sequence[events.ConversationEvent]) -> dict[int, float]:
    """When the replies fell silent that were cut in a pause."""
    paused_s: dict[int, float] = {}
    cut_s: dict[int, float] = {}
    for event in known:
        if isinstance(event, events.PlaybackPaused):
            paused_s.pop(event.reply, None)
            if event.silent_s is not None:
                paused_s[event.reply] = event.silent_s
        elif isinstance(event, events.BargedIn) and event.reply in paused_s:
            cut_s[event.reply] = paused_s[event.reply]
    return cut_s


def summary(values: Iterable[float | None], warmup: int = 1) -> Summary:
    """Leave out the first ``warmup`` entries, then those not measured, and sum up the rest."""
    measured = sorted(value for value in list(values)[warmup:] if value is not None)
    if not measured:
        return Summary(0, None, None, None)
    return Summary(
        count=len(measured),
        median=statistics.median(measured),
        mean=statistics.fmean(measured),
        p95=_quantile(measured, 0.95),
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def latency_table(rows: Sequence[TurnLatency], warmup: int = 1) -> str:
    """A plain text table in milliseconds, one row a turn, with the median and 95th percentile.

    "-" was not measured. The summary leaves out the first ``warmup`` turns, if more follow.
    """
    warmup = min(warmup, max(len(rows) - 1, 0))
    columns = [*STAGES, "response"]
    values = [[_stage(row, column) for row in rows] for column in columns]
    summaries = [summary(column, warmup) for column in values]
    lines = [["turn", *columns]]
    lines += [
        [str(row.turn), *(_ms(column[index]) for column in values)]
        for index, row in enumerate(rows)
    ]
    lines.append(["median", *(_ms(total.median) for total in summaries)])
    lines.append(["p95", *(_ms(total.p95) for total in summaries)])
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns) + 1)]
    text = [
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    ]
    rule = "-" * len(text[0])
    counted = f"milliseconds; median and p95 of {len(rows) - warmup} of {len(rows)} turns"
    return "\n".join([text[0], rule, *text[1:-2], rule, *text[-2:], counted])


def _stage(row: TurnLatency, column: str) -> float | None:
    value = getattr(row, f"{column}_s")
    return None if value is None else float(value)


def _ms(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1000:.0f}"
