"""One response of the Realtime protocol, from ``response.created`` to ``response.done``. PURE."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from jarvis_voice.wire.realtime_config import PCM
from jarvis_voice.wire.realtime_items import Item

Emit = Callable[..., None]
"""``emit(type, reply=0, **fields)`` sends an event; ``reply`` marks sound to take back at a cut."""

BYTES_PER_MS = 48.0  # PCM16 at 24 kHz


class Response:
    """Emits the events of one response in their order. Its item begins with its first sound."""

    def __init__(
        self, response_id: str, conversation_id: str, metadata: dict[str, str] | None, emit: Emit
    ) -> None:
        self.response_id = response_id
        self.reply = 0  # of the conversation, once it is known
        self.item: Item | None = None
        self._conversation_id = conversation_id
        self._metadata = metadata
        self._emit = emit
        self._transcript = ""  # that was sent
        emit("response.created", response=self._shown("in_progress", None))

    # --- while it sounds -----------------------------------------------------------------------

    def begin(self, item: Item, before: str | None) -> None:
        """Its item is there."""
        self.item = item
        empty = item.shown(with_content=False)
        where = {"response_id": self.response_id, "output_index": 0}
        self._emit("response.output_item.added", item=empty, **where)
        self._emit("conversation.item.added", item=empty, previous_item_id=before)
        self._emit("conversation.item.created", item=empty, previous_item_id=before)
        part = {"type": "audio", "transcript": ""}
        self._emit("response.content_part.added", part=part, **self._place())

    def sound(self, pcm: bytes) -> None:
        """Some of its sound."""
        if self.item is None:
            return
        self.item.sent_ms += len(pcm) / BYTES_PER_MS
        delta = base64.b64encode(pcm).decode("ascii")
        self._emit("response.output_audio.delta", self.reply, delta=delta, **self._place())

    def text(self, so_far: str) -> None:
        """Its words up to now; what is new of them is sent."""
        if self.item is None or not so_far.startswith(self._transcript):
            return
        delta = so_far[len(self._transcript) :]
        self.item.note_heard(so_far)
        if delta:
            self._transcript = so_far
            self._emit("response.output_audio_transcript.delta", delta=delta, **self._place())

    # --- its end -------------------------------------------------------------------------------

    def complete(self) -> None:
        """All of it was sent."""
        self._end("completed", {"type": "completed"})

    def cancel(self, reason: str) -> None:
        """It was cut: ``turn_detected`` or ``client_cancelled``."""
        self._end("cancelled", {"type": "cancelled", "reason": reason})

    def fail(self, problem: str) -> None:
        """It could not be made."""
        error = {"type": "server_error", "code": "engine_failed", "message": problem}
        self._end("failed", {"type": "failed", "error": error})

    def _end(self, status: str, details: dict[str, Any]) -> None:
        if self.item is not None:
            self._close_item(self.item, "completed" if status == "completed" else "incomplete")
        self._emit("response.done", response=self._shown(status, details))

    def _close_item(self, item: Item, status: str) -> None:
        item.status, item.text = status, self._transcript
        self._emit("response.output_audio.done", **self._place())
        self._emit(
            "response.output_audio_transcript.done", transcript=self._transcript, **self._place()
        )
        part = {"type": "audio", "transcript": self._transcript}
        self._emit("response.content_part.done", part=part, **self._place())
        self._emit(
            "response.output_item.done",
            item=item.shown(),
            response_id=self.response_id,
            output_index=0,
        )
        self._emit("conversation.item.done", item=item.shown())

    def _place(self) -> dict[str, Any]:
        item_id = self.item.item_id if self.item is not None else ""
        return {
            "response_id": self.response_id,
            "item_id": item_id,
            "output_index": 0,
            "content_index": 0,
        }

    def _shown(self, status: str, details: dict[str, Any] | None) -> dict[str, Any]:
        return {
            "id": self.response_id,
            "object": "realtime.response",
            "status": status,
            "status_details": details,
            "output": [self.item.shown()] if self.item is not None else [],
            "conversation_id": self._conversation_id,
            "output_modalities": ["audio"],
            "max_output_tokens": "inf",
            "audio": {"output": {"format": dict(PCM)}},
            "usage": None,
            "metadata": self._metadata,
        }
