"""The plain PCM protocol: raw sound both ways over a websocket, and a few JSON messages.

- In: binary messages of PCM16LE mono at 16 kHz, of any whole number of samples, in real time.
- Out: the same, nothing while Jarvis is silent; handed out as its time comes.
- Out: ``{"type": "clear"}`` when a reply is cut: drop what was not played yet.
- Out: ``{"type": "transcript", "role": "user" | "agent", "text": ..., "final": true}`` once for
  each finished turn of the user, and for what was heard of each reply.
- Out: ``{"type": "error", "message": ...}`` before the connection is closed for a fault.

No greeting, cue or filler is played. Text messages are ignored, but one that names a
``sample_rate`` other than 16000 is an error, as every answer to it would be noise.
"""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from audio.devices.network_io import NetworkFormat
from jarvis_voice import events
from jarvis_voice.wire.outbox import Outbox
from jarvis_voice.wire.reply_sound import ReplySound, decode
from jarvis_voice.wire.session import BadMessage, Session, TooMuchSound

RATE = 16_000
FORMAT = NetworkFormat(RATE, RATE)


class PcmSession(Session):
    """Translates one conversation to the plain protocol and back."""

    format = FORMAT

    def __init__(self, outbox: Outbox) -> None:
        super().__init__(outbox)
        self._sound = ReplySound()
        self._reply = 0  # whose sound was sent, and has neither ended nor been cut; 0 for none

    def take(self, message: str | bytes) -> None:
        """Take a message of the client. Raises BadMessage."""
        if isinstance(message, str):
            _check_hello(message)
            return
        try:
            samples = decode(message)
        except ValueError as error:
            raise BadMessage(f"{error}, not {len(message)} bytes.") from None
        if not self.devices.feed(samples):
            raise TooMuchSound

    def played(self, block: NDArray[np.float32]) -> bool:
        """Send a rendered block, if it is a reply's."""
        voiced = self.talk.voiced()
        if voiced is None:
            return False
        reply = voiced[0]
        sound = self._sound.block(reply, block)
        if sound:
            if self._reply not in (0, reply):
                self._clear()
            self._reply = reply
            self.outbox.put(sound, reply)
        return True

    def notice(self, event: events.ConversationEvent) -> None:
        """Tell the client what it needs to know of the conversation."""
        match event:
            case events.TurnCommitted():
                self._transcript("user", event.text)
            case events.AgentSpeechStopped():
                if event.cut and event.reply == self._reply:
                    self._clear()
                self._reply = 0
                self._transcript("agent", event.heard)
            case _:
                pass

    def error(self, problem: str) -> str:
        """The message that says why the connection is closed."""
        return json.dumps({"type": "error", "message": problem})

    def _clear(self) -> None:
        self.outbox.take_back(self._reply)
        self._put({"type": "clear"})

    def _transcript(self, role: str, text: str) -> None:
        self._put({"type": "transcript", "role": role, "text": text, "final": True})

    def _put(self, message: dict[str, object]) -> None:
        self.outbox.put(json.dumps(message))


def _check_hello(message: str) -> None:
    try:
        hello = json.loads(message)
    except (ValueError, RecursionError):
        return
    rate = hello.get("sample_rate", RATE) if isinstance(hello, dict) else RATE
    if rate != RATE:
        raise BadMessage(f"Sound is PCM16 at {RATE} Hz here, and {str(rate)[:20]} was announced.")
