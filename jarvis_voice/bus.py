"""Hands every event to everyone who asked for it, within fixed bounds.

A *record* (``Policy.BLOCK``) gets all events in the order in which they were published; nothing is
taken from it. A *view* (``DROP_OLDEST``, ``LATEST``) may miss some when it is slow, gets urgent
ones first, and does not see what belongs to a reply that was cut before the view came to it.

All calls are made in the loop's own thread.
"""

from __future__ import annotations

import asyncio
from collections import deque
from enum import Enum
from types import TracebackType
from typing import Final

from jarvis_voice import events
from jarvis_voice.errors import ListenerOverrun
from jarvis_voice.events import ConversationEvent, Interruption

INTERRUPTIONS: Final[dict[type[ConversationEvent], Interruption]] = {
    events.SessionStarted: Interruption.KEPT,
    events.SpeechStarted: Interruption.URGENT,
    events.TurnSettled: Interruption.KEPT,
    events.TurnReopened: Interruption.URGENT,  # what is being prepared may be wrong
    events.TurnJudged: Interruption.KEPT,
    events.TranscriptChanged: Interruption.KEPT,
    events.TranscriptSettled: Interruption.KEPT,
    events.TurnCommitted: Interruption.KEPT,
    events.TurnDiscarded: Interruption.KEPT,
    events.ReplyStarted: Interruption.DROPPED,
    events.ReplyWorded: Interruption.DROPPED,
    events.PhraseReady: Interruption.DROPPED,
    events.OpenerSaid: Interruption.KEPT,
    events.AgentSpeechStarted: Interruption.KEPT,  # it was heard, however short
    events.AgentSpeechStopped: Interruption.KEPT,  # tells what was heard of the cut reply
    events.PlaybackDucked: Interruption.KEPT,
    events.PlaybackPaused: Interruption.KEPT,
    events.BargedIn: Interruption.URGENT,
    events.RunChanged: Interruption.KEPT,
    events.Faulted: Interruption.URGENT,
    events.DevicesReopened: Interruption.KEPT,
    events.SessionEnded: Interruption.KEPT,
}


class Policy(Enum):
    """What happens to a subscription whose reader is slow."""

    BLOCK = "block"  # ``send`` waits for it; too many unread events end it with an error
    DROP_OLDEST = "drop_oldest"  # the oldest event that is not urgent is given up
    LATEST = "latest"  # only the newest event of each class is kept


class Subscription:
    """An async iterator over events, for one reader. Use it as a context manager, or close it."""

    def __init__(
        self, bus: Bus, types: tuple[type[ConversationEvent], ...], policy: Policy, capacity: int
    ) -> None:
        self.policy: Final = policy
        self.dropped = 0  # events given up so far because the reader was slow
        self._bus = bus
        self._types = types or (ConversationEvent,)
        self._capacity = capacity
        self._urgent: deque[ConversationEvent] = deque()
        self._queue: deque[ConversationEvent] = deque()
        self._changed = asyncio.Event()
        self._closed = False
        self._overrun = False

    def wants(self, event: ConversationEvent) -> bool:
        """It is open, and the event is of a class that was asked for."""
        return not self._closed and isinstance(event, self._types)

    @property
    def full(self) -> bool:
        """Nothing more can be taken in without giving something up."""
        return len(self) >= self._capacity

    def __len__(self) -> int:
        return len(self._urgent) + len(self._queue)

    def offer(self, event: ConversationEvent) -> None:
        """Take the event in as the policy has it. Never waits."""
        urgent = INTERRUPTIONS.get(type(event)) is Interruption.URGENT
        queue = self._urgent if urgent and self.policy is not Policy.BLOCK else self._queue
        if self.policy is Policy.LATEST:
            for older in [other for other in queue if type(other) is type(event)]:
                queue.remove(older)
                self.dropped += 1
        elif self.full and self.policy is Policy.BLOCK:
            self._overrun = self._closed = True
            self._changed.set()
            return
        elif self.full:
            (self._queue or self._urgent).popleft()
            self.dropped += 1
        queue.append(event)
        self._changed.set()

    def purge(self, reply: int) -> int:
        """Forget what is unread of a cut reply; returns how many events that were."""
        if self.policy is Policy.BLOCK:
            return 0
        kept = [event for event in self._queue if not _dropped_with(event, reply)]
        purged = len(self._queue) - len(kept)
        self._queue = deque(kept)
        return purged

    def close(self) -> None:
        """Take in no more; the reader still gets what is unread. Calling it twice is fine."""
        self._closed = True
        self._changed.set()
        self._bus.forget(self)

    def __enter__(self) -> Subscription:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> ConversationEvent:
        """The next event. Raises ListenerOverrun after the last one of an overrun record."""
        while not self._urgent and not self._queue:
            if self._overrun:
                raise ListenerOverrun(
                    f"A listener fell {self._capacity} events behind; later ones are lost to it.",
                    "This is a fault in Jarvis: please report it with the timeline.",
                )
            if self._closed:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        event = (self._urgent or self._queue).popleft()
        self._bus.made_room()
        return event


def _dropped_with(event: ConversationEvent, reply: int) -> bool:
    dropped = INTERRUPTIONS.get(type(event)) is Interruption.DROPPED
    return dropped and getattr(event, "reply", None) == reply


class Bus:
    """Fan-out of events."""

    def __init__(self) -> None:
        self._subscriptions: list[Subscription] = []
        self._room = asyncio.Event()
        self._closed = False

    def subscribe(
        self,
        *types: type[ConversationEvent],
        policy: Policy = Policy.DROP_OLDEST,
        capacity: int = 256,
    ) -> Subscription:
        """Ask for events of these classes (all, when none is named), from now on.

        At most ``capacity`` unread events are kept; under LATEST, one of each class.
        Raises ValueError for a capacity below 1.
        """
        if capacity < 1:
            raise ValueError("a subscription needs room for at least one event")
        subscription = Subscription(self, types, policy, capacity)
        if self._closed:
            subscription.close()
        else:
            self._subscriptions.append(subscription)
        return subscription

    def publish(self, event: ConversationEvent) -> None:
        """Hand the event to all who want it, without waiting for anyone."""
        for subscription in tuple(self._subscriptions):
            if subscription.wants(event):
                subscription.offer(event)

    async def send(self, event: ConversationEvent) -> None:
        """Publish as soon as every record that wants the event has room for it."""
        while any(
            subscription.policy is Policy.BLOCK and subscription.full and subscription.wants(event)
            for subscription in self._subscriptions
        ):
            self._room.clear()
            await self._room.wait()
        self.publish(event)

    def purge(self, reply: int) -> int:
        """Take the unread events of a cut reply from all views; returns how many those were."""
        return sum(subscription.purge(reply) for subscription in self._subscriptions)

    def close(self) -> None:
        """End all subscriptions; their readers still get what is unread."""
        self._closed = True
        for subscription in tuple(self._subscriptions):
            subscription.close()

    def made_room(self) -> None:
        """A reader took an event; called by subscriptions."""
        self._room.set()

    def forget(self, subscription: Subscription) -> None:
        """A subscription was closed; called by subscriptions."""
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)
        self._room.set()
