"""The items of a Realtime conversation: what was said and typed, in order, bounded. PURE."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from jarvis_voice.wire.realtime_events import NewItem, Refused

MAX_ITEMS = 500  # the oldest is forgotten; an hour of conversation has about as many
ROOT = "root"


@dataclass(slots=True)
class Item:
    """A message. Its sound is not kept."""

    item_id: str
    role: str  # "user", "assistant" or "system"
    kind: str  # of its one part: "input_audio", "input_text", "output_audio" or "output_text"
    text: str = ""
    status: str = "completed"
    asks: bool = False  # of the user, and not answered yet
    reply: int = 0  # of the conversation, for what Jarvis said
    said_s: float = 0.0  # length of its sound, for what the user said
    sent_ms: float = 0.0  # of its sound that went out
    heard: list[tuple[float, str]] = field(default_factory=list)  # (ms, text heard by then)

    def shown(self, *, with_content: bool = True) -> dict[str, Any]:
        """As the protocol shows it."""
        spoken = self.kind in ("input_audio", "output_audio")
        part = {"type": self.kind, "transcript" if spoken else "text": self.text}
        return {
            "id": self.item_id,
            "object": "realtime.item",
            "type": "message",
            "status": self.status,
            "role": self.role,
            "content": [part] if with_content else [],
        }

    def note_heard(self, text: str) -> None:
        """This much of it is heard once what was sent so far has sounded."""
        if not self.heard or self.heard[-1][1] != text:
            self.heard.append((self.sent_ms, text))

    def heard_by(self, at_ms: float) -> str:
        """The text that had sounded after so many milliseconds."""
        before = [text for ms, text in self.heard if ms <= at_ms]
        return before[-1] if before else ""


class Items:
    """The conversation's items."""

    def __init__(self) -> None:
        self._items: OrderedDict[str, Item] = OrderedDict()
        self._numbers = itertools.count(1)

    def new_id(self) -> str:
        """An id that no item has yet."""
        while True:
            made = f"item_{next(self._numbers):06d}"
            if made not in self._items:
                return made

    @property
    def last_id(self) -> str | None:
        """The newest item's id."""
        return next(reversed(self._items), None)

    def add(self, item: Item) -> str | None:
        """Put it at the end; gives the id of the one before it."""
        before = self.last_id
        self._items[item.item_id] = item
        if len(self._items) > MAX_ITEMS:
            self._items.popitem(last=False)
        return before

    def typed(self, wanted: NewItem, after: str | None) -> tuple[Item, str | None]:
        """Add a message in writing; gives it and the id of the one before it. Raises Refused."""
        kind = "output_text" if wanted.role == "assistant" else "input_text"
        wrong = next((part.type for part in wanted.content if part.type not in (kind, "text")), "")
        if wrong:
            raise Refused(f"A message of this role is {kind} here.", "item.content.type")
        if wanted.id is not None and wanted.id in self._items:
            raise Refused("There is an item of this id.", "item.id")
        if after not in (None, ROOT, self.last_id):
            raise Refused("Items are added at the end.", "previous_item_id")
        text = " ".join(_clean(part.text) for part in wanted.content if part.text).strip()
        if not text:
            raise Refused("The message holds no text.", "item.content")
        item = Item(wanted.id or self.new_id(), wanted.role, kind, text)
        item.asks = wanted.role == "user"
        return item, self.add(item)

    def get(self, item_id: str) -> Item:
        """An item. Raises Refused."""
        found = self._items.get(item_id)
        if found is None:
            raise Refused("There is no such item.", "item_id", "item_not_found")
        return found

    def delete(self, item_id: str) -> None:
        """Forget an item that was not answered or spoken yet. Raises Refused."""
        item = self.get(item_id)
        if not item.asks and item.role != "system":
            raise Refused("What was answered or spoken cannot be undone.", "item_id")
        del self._items[item_id]

    @property
    def asking(self) -> list[Item]:
        """What the user has asked since the last answer."""
        return [item for item in self._items.values() if item.asks]

    def take_questions(self) -> str:
        """All that is asked, in one; it counts as answered from now on."""
        asking = self.asking
        for item in asking:
            item.asks = False
        return " ".join(item.text for item in asking)


def _clean(text: str) -> str:
    """On one line, without control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
