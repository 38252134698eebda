"""The OpenAI Realtime protocol over a websocket, so that its clients drive Jarvis as they are.

Events have the shapes of the official client's types. Sound is PCM16 mono at 24 kHz both ways.
Where Jarvis differs from a plain server-side VAD, the client is told what is true:

- While Jarvis speaks, ``speech_started`` comes once it yields. "mm-hm" and coughs are no event, so
  a client that stops its player at ``speech_started`` does not stop for them.
- A reply is sent as it sounds, a fifth of a second ahead, and its transcript with it word by word.
  What was heard follows that clock, until ``conversation.item.truncate`` says it better.
- An interruption ends the response as "cancelled", reason "turn_detected".
- Without turn detection the client commits; the sound is recognized then, and answered when a
  response is asked for. Typed messages are answered likewise.

``realtime_config`` says what may be set. Not spoken: tools, images, text-only answers, G.711.
"""

from __future__ import annotations

import itertools
import json
import secrets
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.devices.network_io import NetworkFormat
from jarvis_voice import clock, events
from jarvis_voice.wire import realtime_events as client
from jarvis_voice.wire.outbox import Outbox
from jarvis_voice.wire.realtime_config import RATE, SessionConfig, Voices, check_response
from jarvis_voice.wire.realtime_events import Refused
from jarvis_voice.wire.realtime_hearing import Hearing
from jarvis_voice.wire.realtime_items import Item, Items
from jarvis_voice.wire.realtime_response import Response
from jarvis_voice.wire.reply_sound import ReplySound
from jarvis_voice.wire.session import Session
from jarvis_voice.wire.talk import Transcribe

LEAD_S = 0.2  # of a reply, sent ahead for players that need a reserve


class RealtimeSession(Session):
    """Translates one conversation to the Realtime protocol and back."""

    format = NetworkFormat(RATE, RATE, lead_s=LEAD_S)

    def __init__(self, outbox: Outbox, voices: Voices, transcribe: Transcribe) -> None:
        super().__init__(outbox)
        self._config = SessionConfig(voices)
        self._items = Items()
        self._hearing = Hearing(self._items, self._emit, transcribe)
        self._sound = ReplySound()
        self._session_id = f"sess_{secrets.token_hex(8)}"
        self._conversation_id = f"conv_{secrets.token_hex(8)}"
        self._event_numbers = itertools.count(1)
        self._response_numbers = itertools.count(1)
        self._response: Response | None = None  # the one under way
        self._waits = False  # it waits for what was committed to be recognized
        self._fault = ""  # why it will not be complete

    # --- the session's life --------------------------------------------------------------------

    def begin(self) -> None:
        """Greet, as the protocol wants it."""
        self._hearing.devices = self.devices
        self._emit("session.created", session=self._config.shown(self._session_id))
        conversation = {"id": self._conversation_id, "object": "realtime.conversation"}
        self._emit("conversation.created", conversation=conversation)

    async def work(self) -> None:
        """Recognize what the client commits, for as long as the session lasts."""
        while True:
            await self._hearing.recognize_next()
            if self._waits and not self._hearing.busy:
                self._waits = False
                self._ask()

    def error(self, problem: str) -> str:
        """The event that says why the connection is closed."""
        return self._event("error", error={"type": "server_error", "message": problem})

    def _emit(self, kind: str, reply: int = 0, **fields: Any) -> None:
        self.outbox.put(self._event(kind, **fields), reply)

    def _event(self, kind: str, **fields: Any) -> str:
        event_id = f"event_{next(self._event_numbers):06d}"
        return json.dumps({"type": kind, "event_id": event_id, **fields})

    # --- what the client says ------------------------------------------------------------------

    def take(self, message: str | bytes) -> None:
        """Obey an event, or answer it with an ``error`` event; the session goes on."""
        event, event_id = client.parse(message)
        try:
            if isinstance(event, Refused):
                raise event
            self._obey(event)
        except Refused as refused:
            error = {
                "type": "invalid_request_error",
                "code": refused.code,
                "message": refused.message,
                "param": refused.param,
                "event_id": event_id,
            }
            self._emit("error", error=error)

    def _obey(self, event: client.ClientEvent) -> None:
        match event:
            case client.AppendAudio():
                self._hearing.append(event.audio)
            case client.CommitAudio():
                self._hearing.commit()
            case client.ClearAudio():
                self._hearing.clear()
            case client.SessionUpdate():
                self._update(event.session)
            case client.CreateResponse():
                self._create_response(check_response(event.response))
            case client.CancelResponse():
                self._cancel(event.response_id)
            case _:
                self._obey_about_item(event)

    def _obey_about_item(self, event: client.ClientEvent) -> None:
        match event:
            case client.CreateItem():
                item, before = self._items.typed(event.item, event.previous_item_id)
                self._show_item(item, before)
                self._emit("conversation.item.done", item=item.shown(), previous_item_id=before)
            case client.TruncateItem():
                self._truncate(event)
            case client.DeleteItem():
                self._items.delete(event.item_id)
                self._emit("conversation.item.deleted", item_id=event.item_id)
            case client.RetrieveItem():
                shown = self._items.get(event.item_id).shown()
                self._emit("conversation.item.retrieved", item=shown)
            case _:
                pass

    def _show_item(self, item: Item, before: str | None) -> None:
        for kind in ("conversation.item.added", "conversation.item.created"):
            self._emit(kind, item=item.shown(), previous_item_id=before)

    def _update(self, wanted: dict[str, Any]) -> None:
        self._config.update(wanted)
        self._hearing.manual = self._config.detection is None
        self._hearing.transcribes = self._config.transcribes
        self.talk.answers_turns = self._config.answers
        self._emit("session.updated", session=self._config.shown(self._session_id))

    def _truncate(self, event: client.TruncateItem) -> None:
        item = self._items.get(event.item_id)
        if item.kind != "output_audio" or event.content_index != 0:
            raise Refused("Only spoken answers have sound to cut.", "item_id")
        if event.audio_end_ms > item.sent_ms + 1.0:
            raise Refused(f"Its sound is {item.sent_ms:.0f} ms long.", "audio_end_ms")
        if self._response is not None and self._response.item is item:
            self._cancel(None)
        heard = item.heard_by(event.audio_end_ms)
        item.text = heard
        self.talk.correct(item.reply, heard)
        self._emit(
            "conversation.item.truncated",
            item_id=item.item_id,
            content_index=0,
            audio_end_ms=event.audio_end_ms,
        )

    # --- answering -----------------------------------------------------------------------------

    def _create_response(self, metadata: dict[str, str] | None) -> None:
        if self._response is not None:
            raise Refused(
                "A response is under way; cancel it, or wait until it is done.",
                None,
                "conversation_already_has_active_response",
            )
        if not self._hearing.busy and not self._items.asking:
            raise Refused("Nothing was asked since the last response.", None, "nothing_to_answer")
        self._respond(metadata)
        self._waits = self._hearing.busy
        if not self._waits:
            self._ask()

    def _ask(self) -> None:
        question = self._items.take_questions()
        if question:
            self.talk.ask(question)
        elif self._response is not None:
            self._finish(self._response, "Nothing could be made out of what was said.")

    def _respond(self, metadata: dict[str, str] | None = None) -> Response:
        response_id = f"resp_{next(self._response_numbers):06d}"
        self._fault = ""
        self._response = Response(response_id, self._conversation_id, metadata, self._emit)
        return self._response

    def _cancel(self, response_id: str | None) -> None:
        response = self._response
        if response is None or response_id not in (None, response.response_id):
            raise Refused("No such response is under way.", None, "response_cancel_not_active")
        self._response = None  # first: what the cut brings up is about no response any more
        self._waits = False
        self.talk.cancel()
        self.outbox.take_back(response.reply)
        response.cancel("client_cancelled")

    def _finish(self, response: Response, fault: str = "") -> None:
        """It has ended without an interruption."""
        self._response = None
        if fault:
            response.fail(fault)
        else:
            response.complete()

    # --- what the conversation tells -----------------------------------------------------------

    def played(self, block: NDArray[np.float32]) -> bool:
        """Send a rendered block, if it is a reply's."""
        voiced = self.talk.voiced()
        if voiced is None:
            if self._response is not None and not self._waits:
                self._finish(self._response, self._fault)  # there was nothing to say
            return False
        reply, text = voiced
        response = self._response_of(reply)
        sound = self._sound.block(reply, block)
        if sound and response.item is None:
            item = Item(self._items.new_id(), "assistant", "output_audio", status="in_progress")
            item.reply = reply
            response.begin(item, self._items.add(item))
        if sound:
            response.sound(sound)
        response.text(text)
        return response.item is not None

    def _response_of(self, reply: int) -> Response:
        response = self._response
        if response is not None and response.reply not in (0, reply):
            self._interrupt(response)
            response = None
        if response is None:
            response = self._respond()  # Jarvis speaks unasked
        response.reply = reply
        return response

    def _interrupt(self, response: Response) -> None:
        self._response = None
        self.outbox.take_back(response.reply)
        self._hearing.yielded()
        response.cancel("turn_detected")

    def notice(self, event: events.ConversationEvent) -> None:
        """Tell the client what it needs to know of the conversation."""
        match event:
            case events.SpeechStarted():
                sounding = self._response is not None and self._response.item is not None
                ago_s = clock.session_now() - event.onset_s
                self._hearing.started(event.turn, ago_s, kept_back=sounding)
            case events.TurnCommitted():
                self._committed(event)
            case events.TurnDiscarded():
                self._hearing.discarded(event.turn)
            case events.AgentSpeechStopped():
                self._stopped(event)
            case events.Faulted(where="synthesizer"):
                self._fault = event.problem
            case _:
                pass

    def _committed(self, event: events.TurnCommitted) -> None:
        if self._response is not None:
            self._interrupt(self._response)  # it had not begun to sound: both are answered as one
        self._hearing.committed(event.turn, event.text, asks=not self._config.answers)
        if self._config.answers:
            self._items.take_questions()
            self._respond()

    def _stopped(self, event: events.AgentSpeechStopped) -> None:
        response = self._response
        if response is None or response.reply != event.reply:
            return
        if event.cut and not self._fault:
            self._interrupt(response)
            return
        response.text(event.heard)
        self._finish(response, self._fault)
