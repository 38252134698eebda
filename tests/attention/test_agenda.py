"""Which question comes next."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.attention.agenda import (
    AgendaSettings,
    Moment,
    QuietHours,
    Standing,
    is_quiet,
    next_change_s,
    next_question,
    ordered,
    standing,
)
from jarvis_voice.attention.state import AttentionState, HoldRef, OpenRequest
from jarvis_voice.boundary import AttentionRequest, Urgency

NOW_S = 10_000.0
SETTINGS = AgendaSettings(budget_per_hour=2, urgent_budget_per_hour=3)


def question(
    request_id: str, urgency: Urgency = Urgency.NORMAL, at_s: float = 0.0, **fields: object
) -> OpenRequest:
    request = AttentionRequest(
        request_id, "p", ("r",), ("a",), "May it?", (), "", "", "", "authority", urgency, at_s
    )
    ref = HoldRef("r", "a", "n", 1)
    return OpenRequest(request, "t", (ref,), ("f",), **fields)  # type: ignore[arg-type]  # by name


def state_of(*questions: OpenRequest, asked_at_s: tuple[float, ...] = ()) -> AttentionState:
    by_id = {item.request.request_id: item for item in questions}
    return AttentionState(requests=by_id, asked_at_s={"p": asked_at_s})


def next_id(state: AttentionState, moment: Moment | None = None) -> str | None:
    item = next_question(state, moment or Moment(NOW_S), SETTINGS)
    return item.request.request_id if item else None


def test_urgent_ones_come_first_then_the_oldest() -> None:
    state = state_of(
        question("new", at_s=9.0),
        question("old", at_s=1.0),
        question("urgent", Urgency.HIGH, at_s=10.0),
        question("low", Urgency.LOW, at_s=0.0),
    )
    assert [item.request.request_id for item in ordered(state)] == ["urgent", "old", "new", "low"]
    assert next_id(state) == "urgent"


def test_never_two_at_once() -> None:
    assert next_id(state_of(question("a", in_the_air=True), question("b", Urgency.HIGH))) is None


def test_the_budget_of_a_project_is_per_hour_and_larger_for_urgent_ones() -> None:
    spent = (NOW_S - 3500, NOW_S - 10)
    state = state_of(question("a"), asked_at_s=spent)
    assert next_id(state) is None
    again_s = next_change_s(state, Moment(NOW_S), SETTINGS)
    assert again_s == pytest.approx(NOW_S + 100)
    assert next_id(state, Moment(NOW_S + 101)) == "a"
    assert next_id(state_of(question("a", Urgency.HIGH), asked_at_s=spent)) == "a"
    assert next_id(state_of(question("a", Urgency.HIGH), asked_at_s=(*spent, NOW_S))) is None


def test_putting_it_again_costs_nothing() -> None:
    item = question("a", asked_at_s=(NOW_S - 300,), silences=1)
    assert next_id(state_of(item, asked_at_s=(NOW_S - 300, NOW_S - 200, NOW_S - 100))) == "a"


def test_silence_puts_it_once_more_and_then_leaves_it() -> None:
    once = question("a", asked_at_s=(NOW_S - 60,), silences=1)
    assert next_id(state_of(once)) is None
    assert next_change_s(state_of(once), Moment(NOW_S), SETTINGS) == NOW_S + 60
    assert next_id(state_of(once), Moment(NOW_S + 60)) == "a"
    twice = question("a", asked_at_s=(NOW_S - 999, NOW_S - 600), silences=2)
    assert next_id(state_of(twice)) is None
    where = standing(state_of(twice), twice, Moment(NOW_S), SETTINGS)
    assert where is Standing.LEFT
    assert next_change_s(state_of(twice), Moment(NOW_S), SETTINGS) is None


def test_later_means_later() -> None:
    state = state_of(question("a", snoozed_until_s=NOW_S + 600), question("b", at_s=5.0))
    assert next_id(state) == "b"
    assert next_id(state, Moment(NOW_S + 601)) == "a"


@pytest.mark.parametrize(
    ("minute", "quiet"),
    [(22 * 60 - 1, False), (22 * 60, True), (0, True), (7 * 60 - 1, True), (7 * 60, False)],
)
def test_quiet_hours_may_span_midnight(minute: int, quiet: bool) -> None:
    night = (QuietHours(22 * 60, 7 * 60),)
    assert is_quiet(minute, night) is quiet
    settings = AgendaSettings(quiet=night)
    state = state_of(question("a"), question("b", Urgency.HIGH))
    item = next_question(state, Moment(NOW_S, minute), settings)
    assert item is not None
    assert item.request.request_id == "b"
    alone = next_question(state_of(question("a")), Moment(NOW_S, minute), settings)
    assert (alone is None) is quiet


questions = st.builds(
    question,
    st.integers(0, 99).map(str),
    st.sampled_from(Urgency),
    st.floats(0, NOW_S),
    asked_at_s=st.lists(st.floats(0, NOW_S), max_size=2).map(lambda times: tuple(sorted(times))),
    silences=st.integers(0, 2),
    in_the_air=st.booleans(),
    snoozed_until_s=st.floats(0, 2 * NOW_S),
).filter(lambda item: bool(item.asked_at_s) or not item.silences)


@given(
    st.lists(questions, max_size=6),
    st.lists(st.floats(0, NOW_S), max_size=5),
    st.integers(0, 1439),
    st.lists(st.builds(QuietHours, st.integers(0, 1439), st.integers(0, 1439)), max_size=2),
)
def test_whoever_waits_for_the_next_change_misses_nothing(
    items: list[OpenRequest], spent: list[float], minute: int, quiet: list[QuietHours]
) -> None:
    state = state_of(*items, asked_at_s=tuple(spent))
    settings = AgendaSettings(budget_per_hour=2, urgent_budget_per_hour=3, quiet=tuple(quiet))
    now_s = NOW_S
    for _ in range(200):
        moment = Moment(now_s, (minute + int((now_s - NOW_S) // 60)) % 1440)
        again_s = next_change_s(state, moment, settings)
        if again_s is None:
            break
        assert again_s >= now_s + 1.0
        now_s = again_s
    # in the end nothing waits for a time any more, but for quiet hours that never end
    moment = Moment(now_s, (minute + int((now_s - NOW_S) // 60)) % 1440)
    left = {standing(state, item, moment, settings) for item in state.requests.values()}
    assert Standing.LATER not in left or again_s is not None
    for one, other in itertools.pairwise(ordered(state)):
        assert one.request.urgency.value >= other.request.urgency.value
