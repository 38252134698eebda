"""The session of the OpenAI Realtime protocol: what a client may set, and what holds. PURE.

What is shown is what is in force. Asked for and not possible is refused when the client would get
something else than it counts on (formats, text output, tools); voice, speed and thresholds belong
to the user of this machine, so they are left as they are and shown so. Instructions are kept and
shown, and never obeyed: the brain answers from what it sees of the runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jarvis_voice.wire.realtime_events import MAX_INSTRUCTIONS, Refused

RATE = 24_000  # Hz; the protocol knows no other for PCM
MODEL = "jarvis"
PCM = {"type": "audio/pcm", "rate": RATE}
_FORMATS = ("audio/pcm", None)


@dataclass(frozen=True, slots=True)
class Voices:
    """What the session shows of the engines behind it."""

    voice: str
    recognizer: str
    end_s: float  # silence that ends a turn


class SessionConfig:
    """One client's settings, after each update that was accepted."""

    def __init__(self, voices: Voices) -> None:
        self._voices = voices
        self.detection: str | None = "server_vad"  # or "semantic_vad", or none: the client commits
        self.answers = True  # a turn is answered without being asked to
        self.transcribes = True
        self.instructions = ""

    def update(self, wanted: dict[str, Any]) -> None:
        """Change what is named, all or nothing. Raises Refused."""
        before = dict(vars(self))
        try:
            self._apply(wanted)
        except Refused:
            vars(self).update(before)
            raise

    def shown(self, session_id: str) -> dict[str, Any]:
        """The session as it is in force."""
        return {
            "type": "realtime",
            "object": "realtime.session",
            "id": session_id,
            "model": MODEL,
            "output_modalities": ["audio"],
            "instructions": self.instructions,
            "tools": [],
            "tool_choice": "auto",
            "max_output_tokens": "inf",
            "audio": {
                "input": {
                    "format": dict(PCM),
                    "noise_reduction": None,
                    "transcription": self._transcription(),
                    "turn_detection": self._turn_detection(),
                },
                "output": {"format": dict(PCM), "voice": self._voices.voice, "speed": 1.0},
            },
        }

    def _transcription(self) -> dict[str, Any] | None:
        return {"model": self._voices.recognizer} if self.transcribes else None

    def _turn_detection(self) -> dict[str, Any] | None:
        if self.detection is None:
            return None
        shown: dict[str, Any] = {
            "type": self.detection,
            "create_response": self.answers,
            "interrupt_response": True,
        }
        if self.detection == "server_vad":
            shown["silence_duration_ms"] = round(self._voices.end_s * 1000)
        return shown

    # --- what may be set -----------------------------------------------------------------------

    def _apply(self, wanted: dict[str, Any]) -> None:
        if wanted.get("type", "realtime") != "realtime":
            raise Refused("Only realtime sessions are served.", "session.type")
        if wanted.get("output_modalities") not in (None, ["audio"]):
            raise Refused("Answers are spoken: only audio.", "session.output_modalities")
        if wanted.get("tools"):
            raise Refused("Tools are not called here.", "session.tools")
        if "instructions" in wanted:
            self.instructions = _text(wanted["instructions"], "session.instructions")
        audio = _mapping(wanted.get("audio"), "session.audio")
        source = _mapping(audio.get("input"), "session.audio.input")
        _check_format(source.get("format"), "session.audio.input.format")
        output = _mapping(audio.get("output"), "session.audio.output")
        _check_format(output.get("format"), "session.audio.output.format")
        if "transcription" in source:
            self.transcribes = source["transcription"] is not None
        if "turn_detection" in source:
            self._detect(source["turn_detection"])

    def _detect(self, wanted: Any) -> None:
        where = "session.audio.input.turn_detection"
        if wanted is None:
            self.detection = None
            return
        detection = _mapping(wanted, where)
        kind = detection.get("type", self.detection or "server_vad")
        if kind not in ("server_vad", "semantic_vad"):
            raise Refused("It is server_vad, semantic_vad or null.", f"{where}.type")
        if detection.get("interrupt_response") is False:
            raise Refused("Users may always interrupt.", f"{where}.interrupt_response")
        if detection.get("idle_timeout_ms") is not None:
            raise Refused("Jarvis does not fill silence.", f"{where}.idle_timeout_ms")
        answers = detection.get("create_response", True)
        if not isinstance(answers, bool):
            raise Refused("It is true or false.", f"{where}.create_response")
        self.detection, self.answers = kind, answers


def check_response(wanted: dict[str, Any] | None) -> dict[str, Any] | None:
    """What a response.create asks for; gives its metadata. Raises Refused."""
    if wanted is None:
        return None
    if wanted.get("conversation", "auto") != "auto":
        raise Refused("Responses belong to the conversation.", "response.conversation")
    if wanted.get("input") is not None:
        raise Refused(
            "Put items into the conversation with conversation.item.create.", "response.input"
        )
    if wanted.get("output_modalities") not in (None, ["audio"]):
        raise Refused("Answers are spoken: only audio.", "response.output_modalities")
    if wanted.get("tools"):
        raise Refused("Tools are not called here.", "response.tools")
    metadata = wanted.get("metadata")
    if metadata is None:
        return None
    known = _mapping(metadata, "response.metadata")
    if len(known) > 16 or any(len(str(text)) > 512 for item in known.items() for text in item):
        raise Refused("Metadata holds 16 short texts at most.", "response.metadata")
    return {str(key): str(value) for key, value in known.items()}


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Refused("It is an object.", where)
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or len(value) > MAX_INSTRUCTIONS:
        raise Refused(f"It is a text of {MAX_INSTRUCTIONS} characters at most.", where)
    return value


def _check_format(wanted: Any, where: str) -> None:
    asked = _mapping(wanted, where)
    if asked.get("type") not in _FORMATS or asked.get("rate", RATE) not in (RATE, None):
        raise Refused(f"Sound is audio/pcm at {RATE} Hz, 16 bits, mono.", where)
