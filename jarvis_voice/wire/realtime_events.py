"""The client's events of the OpenAI Realtime protocol, read and checked. PURE.

The shapes are those of the official client's types (``openai`` 3, ``types/realtime``). What is
unknown within an event is ignored, as a newer client may say more; an event of another type, or
with a value of another kind, is a ``Refused`` that becomes an ``error`` event.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

MAX_TEXT = 4000  # characters of a typed message: far more than anybody asks
MAX_INSTRUCTIONS = 32_000
MAX_ID = 128
MAX_PARTS = 16


class Refused(Exception):
    """An event that is not obeyed. ``param`` names the part of it that is wrong."""

    def __init__(
        self, message: str, param: str | None = None, code: str | None = "invalid_value"
    ) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        self.code = code


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _Event(_Lenient):
    event_id: str | None = Field(default=None, max_length=512)


Id = Annotated[str, Field(min_length=1, max_length=MAX_ID)]


class SessionUpdate(_Event):
    """Change the session; what is set in ``session`` is looked at by ``realtime_config``."""

    type: Literal["session.update"]
    session: dict[str, Any]


class AppendAudio(_Event):
    """Sound of the user, base64."""

    type: Literal["input_audio_buffer.append"]
    audio: str


class CommitAudio(_Event):
    """The user has finished; only without turn detection."""

    type: Literal["input_audio_buffer.commit"]


class ClearAudio(_Event):
    """Forget the sound that is not committed."""

    type: Literal["input_audio_buffer.clear"]


class Content(_Lenient):
    """A part of a message."""

    type: str = Field(max_length=64)
    text: str | None = Field(default=None, max_length=MAX_TEXT)


class NewItem(_Lenient):
    """A message put into the conversation in writing."""

    type: Literal["message"]
    role: Literal["user", "assistant", "system"]
    content: list[Content] = Field(min_length=1, max_length=MAX_PARTS)
    id: Id | None = None


class CreateItem(_Event):
    """Put a message into the conversation."""

    type: Literal["conversation.item.create"]
    item: NewItem
    previous_item_id: Id | None = None


class TruncateItem(_Event):
    """Only the first ``audio_end_ms`` of a spoken item were heard."""

    type: Literal["conversation.item.truncate"]
    item_id: Id
    content_index: int = 0
    audio_end_ms: int = Field(ge=0)


class DeleteItem(_Event):
    """Take an item out of the conversation."""

    type: Literal["conversation.item.delete"]
    item_id: Id


class RetrieveItem(_Event):
    """Show an item."""

    type: Literal["conversation.item.retrieve"]
    item_id: Id


class CreateResponse(_Event):
    """Answer what was put into the conversation."""

    type: Literal["response.create"]
    response: dict[str, Any] | None = None


class CancelResponse(_Event):
    """Stop answering."""

    type: Literal["response.cancel"]
    response_id: Id | None = None


ClientEvent = (
    SessionUpdate
    | AppendAudio
    | CommitAudio
    | ClearAudio
    | CreateItem
    | TruncateItem
    | DeleteItem
    | RetrieveItem
    | CreateResponse
    | CancelResponse
)

_EVENTS: TypeAdapter[ClientEvent] = TypeAdapter(Annotated[ClientEvent, Field(discriminator="type")])


def parse(message: str | bytes) -> tuple[ClientEvent | Refused, str | None]:
    """The event of a message, or why it is none; and the id by which the client calls it."""
    if isinstance(message, bytes):
        return Refused("Events are JSON in text messages.", code="invalid_json"), None
    try:
        document = json.loads(message)
    except (ValueError, RecursionError):
        return Refused("The message is no JSON.", code="invalid_json"), None
    if not isinstance(document, dict):
        return Refused("An event is a JSON object.", code="invalid_json"), None
    event_id = document.get("event_id")
    known_as = event_id if isinstance(event_id, str) and len(event_id) <= 512 else None
    try:
        return _EVENTS.validate_python(document), known_as
    except ValidationError as error:
        return _refusal(error), known_as


def _refusal(error: ValidationError) -> Refused:
    first = error.errors(include_input=False, include_url=False)[0]
    if first["type"] in ("union_tag_invalid", "union_tag_not_found"):
        return Refused("This type of event is not served here.", "type", "invalid_event")
    where = ".".join(map(str, first["loc"][1:]))
    return Refused(f"{where}: {first['msg']}.", where)
