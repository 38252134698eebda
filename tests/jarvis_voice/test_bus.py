"""Fan-out of events within bounds."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice import events
from jarvis_voice.bus import INTERRUPTIONS, Bus, Policy, Subscription
from jarvis_voice.errors import ListenerOverrun
from jarvis_voice.events import ConversationEvent, Interruption
from jarvis_voice.virtual_time import run_virtual


def changed(number: int) -> events.TranscriptChanged:
    return events.TranscriptChanged(float(number), 1, f"words {number}")


def speech(number: int) -> events.SpeechStarted:
    return events.SpeechStarted(float(number), number, float(number))


async def rest_of(subscription: Subscription) -> list[ConversationEvent]:
    subscription.close()
    return [event async for event in subscription]


def all_event_classes() -> list[type[ConversationEvent]]:
    kinds = [kind for kind in vars(events).values() if isinstance(kind, type)]
    return [kind for kind in kinds if issubclass(kind, ConversationEvent)][1:]


def test_every_event_says_what_an_interruption_does_to_it():
    kinds = all_event_classes()
    assert len(kinds) >= 18
    assert set(kinds) == set(INTERRUPTIONS)


def test_what_a_cut_reply_takes_along_names_the_reply():
    for kind, interruption in INTERRUPTIONS.items():
        if interruption is Interruption.DROPPED:
            assert "reply" in kind.__dataclass_fields__


async def test_each_gets_what_it_asked_for_in_order():
    bus = Bus()
    everything = bus.subscribe(policy=Policy.BLOCK)
    speeches = bus.subscribe(events.SpeechStarted)
    sent = [changed(1), speech(2), changed(3), speech(4)]
    for event in sent:
        bus.publish(event)
    assert await rest_of(everything) == sent
    assert await rest_of(speeches) == [speech(2), speech(4)]


async def test_reader_waits_for_events_and_ends_with_the_bus():
    bus = Bus()
    got: list[ConversationEvent] = []

    async def read() -> None:
        with bus.subscribe() as subscription:
            got.extend([event async for event in subscription])

    async with asyncio.TaskGroup() as group:
        group.create_task(read())
        for number in range(3):
            await asyncio.sleep(1)
            bus.publish(changed(number))
        bus.close()
    assert got == [changed(number) for number in range(3)]


async def test_urgent_events_jump_the_queue_of_a_view():
    bus = Bus()
    view, record = bus.subscribe(), bus.subscribe(policy=Policy.BLOCK)
    sent = [changed(1), changed(2), speech(3), speech(4)]
    for event in sent:
        bus.publish(event)
    assert await rest_of(view) == [speech(3), speech(4), changed(1), changed(2)]
    assert await rest_of(record) == sent


async def test_drop_oldest_gives_up_what_is_not_urgent():
    bus = Bus()
    view = bus.subscribe(capacity=3)
    for event in (speech(0), changed(1), changed(2), changed(3), changed(4)):
        bus.publish(event)
    assert view.dropped == 2
    assert await rest_of(view) == [speech(0), changed(3), changed(4)]


async def test_latest_keeps_one_of_each_class():
    bus = Bus()
    view = bus.subscribe(policy=Policy.LATEST, capacity=1)
    for number in range(5):
        bus.publish(changed(number))
        bus.publish(events.TurnDiscarded(float(number), number, "cough"))
    assert await rest_of(view) == [changed(4), events.TurnDiscarded(4.0, 4, "cough")]


async def test_send_waits_for_a_full_record():
    bus = Bus()
    record = bus.subscribe(policy=Policy.BLOCK, capacity=2)
    sent = 0

    async def send() -> None:
        nonlocal sent
        for number in range(5):
            await bus.send(changed(number))
            sent += 1
        record.close()

    async with asyncio.TaskGroup() as group:
        group.create_task(send())
        await asyncio.sleep(1)
        assert sent == 2
        assert await anext(record) == changed(0)
        await asyncio.sleep(1)
        assert sent == 3
        assert [event async for event in record] == [changed(number) for number in range(1, 5)]


async def test_send_does_not_wait_for_a_record_that_closed():
    bus = Bus()
    record = bus.subscribe(policy=Policy.BLOCK, capacity=1)
    bus.publish(changed(0))
    async with asyncio.TaskGroup() as group:
        group.create_task(bus.send(changed(1)))
        await asyncio.sleep(1)
        record.close()


async def test_a_record_that_does_not_keep_up_learns_of_it():
    bus = Bus()
    record = bus.subscribe(policy=Policy.BLOCK, capacity=2)
    for number in range(4):
        bus.publish(changed(number))
    assert [await anext(record), await anext(record)] == [changed(0), changed(1)]
    with pytest.raises(ListenerOverrun, match="2 events behind"):
        await anext(record)


async def test_purge_takes_a_cut_reply_from_views_only():
    bus = Bus()
    view, record = bus.subscribe(), bus.subscribe(policy=Policy.BLOCK)
    sent = [
        events.PhraseReady(1.0, 1, 7, 0, "one", 0.1),
        events.PhraseReady(2.0, 2, 8, 0, "two", 0.1),
        events.AgentSpeechStopped(3.0, 1, 7, "", "one", cut=True),
    ]
    for event in sent:
        bus.publish(event)
    assert bus.purge(reply=7) == 1
    assert await rest_of(view) == sent[1:]
    assert await rest_of(record) == sent


async def test_after_the_end_nothing_is_taken_in():
    bus = Bus()
    early = bus.subscribe()
    bus.close()
    late = bus.subscribe()
    bus.publish(changed(1))
    assert await rest_of(early) == []
    assert await rest_of(late) == []
    with pytest.raises(ValueError, match="at least one"):
        Bus().subscribe(capacity=0)


@given(
    st.sampled_from(Policy),
    st.integers(1, 5),
    st.lists(st.sampled_from(["changed", "speech", "read"]), max_size=60),
)
def test_never_more_than_the_bound_and_nothing_lost_silently(policy, capacity, steps):
    async def main() -> None:
        bus = Bus()
        subscription = bus.subscribe(policy=policy, capacity=capacity)
        published = read = 0
        for number, step in enumerate(steps):
            if step == "read":
                if len(subscription):
                    await anext(subscription)
                    read += 1
                continue
            event = changed(number) if step == "changed" else speech(number)
            if policy is Policy.BLOCK and subscription.full:
                continue
            bus.publish(event)
            published += 1
            assert len(subscription) <= max(capacity, 2 if policy is Policy.LATEST else 0)
        assert published == read + len(subscription) + subscription.dropped

    run_virtual(main())
