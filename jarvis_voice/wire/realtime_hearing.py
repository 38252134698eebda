"""The user's side of the Realtime protocol: the input audio buffer, its turns and transcripts."""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections import deque
from dataclasses import dataclass

from audio.devices.network_io import NetworkSound
from audio.errors import EngineError
from audio.pcm import RATE as RECOGNIZER_RATE
from audio.resample import resample
from jarvis_voice.wire.realtime_config import RATE
from jarvis_voice.wire.realtime_events import Refused
from jarvis_voice.wire.realtime_items import Item, Items
from jarvis_voice.wire.realtime_response import Emit
from jarvis_voice.wire.reply_sound import decode
from jarvis_voice.wire.talk import Transcribe

MAX_BUFFER_S = 120.0  # of sound that waits for a commit
MIN_COMMIT_S = 0.1  # less than this is no speech
MAX_COMMITS = 8  # that wait to be recognized
BYTES_PER_S = 2 * RATE


@dataclass(slots=True)
class _Turn:
    """The user's open turn."""

    number: int
    item_id: str
    start_ms: int
    told: bool  # the client knows of it


class Hearing:
    """Takes sound, and tells what comes of it. ``devices`` is set before anything is called."""

    devices: NetworkSound

    def __init__(self, items: Items, emit: Emit, transcribe: Transcribe) -> None:
        self.manual = False  # the client commits
        self.transcribes = True  # transcripts are sent
        self._items = items
        self._emit = emit
        self._transcribe = transcribe
        self._turn: _Turn | None = None
        self._buffer = bytearray()  # PCM16, as it came
        self._commits: deque[tuple[Item, bytes]] = deque()
        self._committed = asyncio.Event()

    @property
    def busy(self) -> bool:
        """Whether something committed is not recognized yet."""
        return bool(self._commits)

    # --- the buffer ----------------------------------------------------------------------------

    def append(self, audio: str) -> None:
        """Take base64 PCM16. Raises Refused."""
        try:
            sound = base64.b64decode(audio, validate=True)
            samples = decode(sound)
        except (ValueError, binascii.Error):
            raise Refused("It is PCM16 in base64, whole samples.", "audio") from None
        if not self.manual:
            if not self.devices.feed(samples):
                raise Refused(
                    "More than a minute of sound waits to be heard; this was dropped.",
                    "audio",
                    "input_audio_buffer_full",
                )
            return
        if len(self._buffer) + len(sound) > MAX_BUFFER_S * BYTES_PER_S:
            raise Refused(
                f"The buffer holds {MAX_BUFFER_S:.0f} s; this was dropped.",
                "audio",
                "input_audio_buffer_full",
            )
        self._buffer += sound

    def clear(self) -> None:
        """Forget what is not committed."""
        self.devices.clear()
        self._buffer.clear()
        self._emit("input_audio_buffer.cleared")

    def commit(self) -> None:
        """What is in the buffer is a turn. Raises Refused."""
        if not self.manual:
            raise Refused("With turn detection, turns are committed by the server.", "type")
        said_s = len(self._buffer) / BYTES_PER_S
        if said_s < MIN_COMMIT_S:
            raise Refused(
                f"The buffer holds {1000 * said_s:.0f} ms of sound, too little for a turn.",
                None,
                "input_audio_buffer_commit_empty",
            )
        if len(self._commits) >= MAX_COMMITS:
            raise Refused("Too many turns wait to be recognized.", None, "too_many_turns")
        item = Item(self._items.new_id(), "user", "input_audio", said_s=said_s)
        self._commits.append((item, bytes(self._buffer)))
        self._buffer.clear()
        self._show(item)
        self._committed.set()

    async def recognize_next(self) -> None:
        """Wait for the next commit and recognize it."""
        while not self._commits:
            self._committed.clear()
            await self._committed.wait()
        item, sound = self._commits[0]
        try:
            samples = await asyncio.to_thread(resample, decode(sound), RATE, RECOGNIZER_RATE)
            item.text = await self._transcribe(samples)
        except EngineError as error:
            fault = {"type": "server_error", "message": str(error)}
            self._tell("failed", item, error=fault)
        else:
            item.asks = bool(item.text)
            self._told(item)
        self._commits.popleft()

    # --- turns that the conversation detects ---------------------------------------------------

    def started(self, number: int, ago_s: float, *, kept_back: bool) -> None:
        """The user began to speak so long ago. Kept back, it is told once Jarvis yields to it."""
        start_ms = max(0, round(1000 * (self.devices.delivered_s - ago_s)))
        self._turn = _Turn(number, self._items.new_id(), start_ms, told=False)
        if not kept_back:
            self.yielded()

    def yielded(self) -> None:
        """The open turn has the floor: tell of it."""
        turn = self._turn
        if turn is None or turn.told:
            return
        turn.told = True
        self._emit(
            "input_audio_buffer.speech_started",
            item_id=turn.item_id,
            audio_start_ms=turn.start_ms,
        )

    def committed(self, number: int, text: str, *, asks: bool) -> None:
        """The turn is over and says this."""
        if self._turn is None or self._turn.number != number:
            self.started(number, 0.0, kept_back=True)
        self.yielded()
        item_id, said_s = self._stopped()
        item = Item(item_id, "user", "input_audio", asks=asks, said_s=said_s)
        self._show(item)
        item.text = text
        self._told(item)

    def discarded(self, number: int) -> None:
        """It was no turn."""
        if self._turn is None or self._turn.number != number:
            return
        if self._turn.told:
            self._stopped()
        self._turn = None

    def _stopped(self) -> tuple[str, float]:
        """Tell that the open turn is over; its item's id and its length in seconds."""
        turn, self._turn = self._turn, None
        item_id = turn.item_id if turn is not None else self._items.new_id()
        end_ms = round(1000 * self.devices.delivered_s)
        self._emit("input_audio_buffer.speech_stopped", item_id=item_id, audio_end_ms=end_ms)
        return item_id, max(0, end_ms - turn.start_ms) / 1000 if turn is not None else 0.0

    # --- items ---------------------------------------------------------------------------------

    def _show(self, item: Item) -> None:
        before = self._items.add(item)
        self._emit("input_audio_buffer.committed", item_id=item.item_id, previous_item_id=before)
        for kind in ("conversation.item.added", "conversation.item.created"):
            self._emit(kind, item=item.shown(), previous_item_id=before)

    def _told(self, item: Item) -> None:
        if self.transcribes:
            if item.text:
                self._tell("delta", item, delta=item.text)
            usage = {"type": "duration", "seconds": round(item.said_s, 3)}
            self._tell("completed", item, transcript=item.text, usage=usage)
        self._emit("conversation.item.done", item=item.shown())

    def _tell(self, what: str, item: Item, **fields: object) -> None:
        kind = f"conversation.item.input_audio_transcription.{what}"
        self._emit(kind, item_id=item.item_id, content_index=0, **fields)
