"""Which question comes next, and when. Pure.

- At most one question is in the air: put, and neither answered nor put off nor met with silence.
- Urgent ones first, then the oldest. What shares a project and a topic is one question already.
- A project has a budget per hour, urgent questions a larger one. In quiet hours only urgent ones.
- After silence a question is put once more, and then only kept in the list of what waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from jarvis_voice.attention.state import AttentionState, OpenRequest
from jarvis_voice.boundary import Urgency

_HOUR_S = 3600.0
_MINUTES = 24 * 60


@dataclass(frozen=True, slots=True)
class QuietHours:
    """A time of day in which only urgent questions are put; it may span midnight."""

    from_minute: int  # of the local day
    to_minute: int  # the first one that is not quiet any more


@dataclass(frozen=True, slots=True)
class AgendaSettings:
    """How much of the user's attention there is."""

    budget_per_hour: int = 6  # of one project
    urgent_budget_per_hour: int = 12  # up to which urgent ones may go
    quiet: tuple[QuietHours, ...] = ()
    silence_s: float = 30.0  # after a question, before it counts as not heard
    ask_again_s: float = 120.0  # after silence
    puttings: int = 2  # of one question, silence after each
    snooze_s: float = 600.0  # for "later" without a time


@dataclass(frozen=True, slots=True)
class Moment:
    """Now."""

    now_s: float  # Unix time
    minute: int = 12 * 60  # of the local day, 0 to 1439


class Standing(Enum):
    """Where an open question stands."""

    READY = "ready"
    IN_THE_AIR = "in the air"
    ANSWERED = "answered"
    LATER = "later"
    QUIET = "quiet hours"
    SPENT = "budget spent"
    LEFT = "left in the list"


def ordered(state: AttentionState) -> tuple[OpenRequest, ...]:
    """All open questions, the one that matters most first."""
    return tuple(sorted(state.requests.values(), key=_rank))


def next_question(
    state: AttentionState, moment: Moment, settings: AgendaSettings
) -> OpenRequest | None:
    """The question to put now; None while one is in the air, or when none is due.

    An answer that can still be corrected keeps the next question back: a "no" must be meant for it.
    """
    if any(item.in_the_air or item.answer is not None for item in state.requests.values()):
        return None
    ready = (
        item for item in ordered(state) if standing(state, item, moment, settings) is Standing.READY
    )
    return next(ready, None)


def standing(
    state: AttentionState, item: OpenRequest, moment: Moment, settings: AgendaSettings
) -> Standing:
    """Where this question stands, with the first reason that keeps it from being put."""
    if item.answer is not None:
        return Standing.ANSWERED
    if item.in_the_air:
        return Standing.IN_THE_AIR
    if item.silences >= settings.puttings:
        return Standing.LEFT
    if moment.now_s < _not_before_s(item, settings):
        return Standing.LATER
    urgent = item.request.urgency is Urgency.HIGH
    if not urgent and is_quiet(moment.minute, settings.quiet):
        return Standing.QUIET
    budget = settings.urgent_budget_per_hour if urgent else settings.budget_per_hour
    if not item.asked_at_s and _spent(state, item, moment.now_s) >= budget:
        return Standing.SPENT
    return Standing.READY


def next_change_s(state: AttentionState, moment: Moment, settings: AgendaSettings) -> float | None:
    """Unix time at which to look again if nothing happens; None when nothing would change."""
    times: list[float] = []
    for item in state.requests.values():
        where = standing(state, item, moment, settings)
        if where is Standing.LATER:
            times.append(_not_before_s(item, settings))
        elif where is Standing.QUIET:
            times.append(moment.now_s + 60.0 * _quiet_left(moment.minute, settings.quiet))
        elif where is Standing.SPENT:
            times.append(_earliest(state, item, moment.now_s) + _HOUR_S)
    return max(min(times), moment.now_s + 1.0) if times else None


def is_quiet(minute: int, quiet: tuple[QuietHours, ...]) -> bool:
    """The minute of the day lies in one of the quiet times."""
    return any(_within(minute, item) for item in quiet)


def _within(minute: int, item: QuietHours) -> bool:
    return (minute - item.from_minute) % _MINUTES < (item.to_minute - item.from_minute) % _MINUTES


def _quiet_left(minute: int, quiet: tuple[QuietHours, ...]) -> int:
    """Minutes until the quiet time that it is now ends; at least one."""
    left = [(item.to_minute - minute) % _MINUTES for item in quiet if _within(minute, item)]
    return max(left, default=1)


def _rank(item: OpenRequest) -> tuple[int, float, str]:
    return (-item.request.urgency.value, item.request.at_s, item.request.request_id)


def _not_before_s(item: OpenRequest, settings: AgendaSettings) -> float:
    again_s = item.asked_at_s[-1] + settings.ask_again_s if item.silences else 0.0
    return max(item.snoozed_until_s, again_s)


def _recent(state: AttentionState, item: OpenRequest, now_s: float) -> list[float]:
    asked = state.asked_at_s.get(item.request.project_id, ())
    return [at_s for at_s in asked if 0 <= now_s - at_s < _HOUR_S]


def _spent(state: AttentionState, item: OpenRequest, now_s: float) -> int:
    return len(_recent(state, item, now_s))


def _earliest(state: AttentionState, item: OpenRequest, now_s: float) -> float:
    return min(_recent(state, item, now_s), default=now_s)
