"""The Realtime protocol: the order and the shape of its events, turns, cuts and what was heard."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest
from openai.types.realtime import RealtimeServerEvent
from pydantic import TypeAdapter

from audio.tts.scripted import Script, ScriptedSynthesizer
from jarvis_voice import events

SERVER_EVENTS: TypeAdapter[Any] = TypeAdapter(RealtimeServerEvent)
TURN = [
    "input_audio_buffer.speech_started",
    "input_audio_buffer.speech_stopped",
    "input_audio_buffer.committed",
    "conversation.item.added",
    "conversation.item.created",
    "conversation.item.input_audio_transcription.delta",
    "conversation.item.input_audio_transcription.completed",
    "conversation.item.done",
]
BEGUN = [
    "response.created",
    "response.output_item.added",
    "conversation.item.added",
    "conversation.item.created",
    "response.content_part.added",
]
ENDED = [
    "response.output_audio.done",
    "response.output_audio_transcript.done",
    "response.content_part.done",
    "response.output_item.done",
    "conversation.item.done",
    "response.done",
]


def kinds(caller) -> list[str]:
    """The types of what it got, without the deltas of replies."""
    types = [document["type"] for document in caller.documents]
    return [
        kind for kind in types if not (kind.startswith("response.") and kind.endswith(".delta"))
    ]


def text(said: str, **more: object) -> dict[str, Any]:
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": said}]}
    return {"type": "conversation.item.create", "item": item | more}


def update(**session: object) -> dict[str, Any]:
    return {"type": "session.update", "session": {"type": "realtime", **session}}


def detection(wanted: object) -> dict[str, Any]:
    return update(audio={"input": {"turn_detection": wanted}})


def conforms(caller) -> bool:
    """Every event is one of the official client's, with all that it must have."""
    for document in caller.documents:
        SERVER_EVENTS.validate_python(document)
    ids = [document["event_id"] for document in caller.documents]
    return len(set(ids)) == len(ids)


async def test_a_spoken_question_is_answered_in_the_events_of_the_protocol(realtime, engines):
    engines.replies = ["How is it going?"]
    async with realtime(engines) as caller:
        await caller.say(1.0, 0.8)
        done = await caller.wait_for("response.done")
    assert kinds(caller) == [
        "session.created",
        "conversation.created",
        *TURN,
        *BEGUN,
        *ENDED,
    ]
    said = engines.talks[0].history[0].said
    deltas = "".join(e["delta"] for e in caller.of("response.output_audio_transcript.delta"))
    assert deltas == said
    assert caller.sound_s == pytest.approx(0.35 * len(said.split()), abs=0.8)
    response = done["response"]
    assert response["status"] == "completed"
    assert response["output"][0]["content"][0]["transcript"] == said
    started = caller.of("input_audio_buffer.speech_started")[0]
    stopped = caller.of("input_audio_buffer.speech_stopped")[0]
    assert started["audio_start_ms"] == pytest.approx(0, abs=60)
    assert stopped["audio_end_ms"] == pytest.approx(1560, abs=120)
    assert conforms(caller)


async def test_an_interruption_cancels_the_response_and_the_next_one_answers_it(realtime, engines):
    engines.replies = ["How is it going?", "What failed?"]
    async with realtime(engines) as caller:
        await caller.say(1.0)
        await caller.until(lambda: caller.sound_s > 1.0)
        await caller.say(1.5, 0.8)
        await caller.wait_for("response.done", 2)
    first, second = (done["response"] for done in caller.of("response.done"))
    assert (first["status"], first["status_details"]["reason"]) == ("cancelled", "turn_detected")
    assert second["status"] == "completed"
    order = kinds(caller)
    yielded = [i for i, kind in enumerate(order) if kind.endswith("speech_started")][1]
    assert yielded < order.index("response.done")
    assert engines.talks[0].history[1].said == "Nothing failed so far."
    assert conforms(caller)


async def test_a_backchannel_is_no_event_and_stops_nothing(realtime, engines):
    engines.replies = ["How is it going?", "mm-hm"]
    async with realtime(engines) as caller:
        await caller.say(1.0)
        await caller.until(lambda: caller.sound_s > 1.0)
        await caller.say(0.3, 0.8)
        done = await caller.wait_for("response.done")
    assert done["response"]["status"] == "completed"
    assert len(caller.of("input_audio_buffer.speech_started")) == 1


async def test_noise_while_it_listens_starts_and_stops_and_is_no_turn(realtime, engines):
    engines.replies = [""]
    async with realtime(engines) as caller:
        await caller.say(0.5, 1.0)
        await caller.wait_for("input_audio_buffer.speech_stopped")
    assert kinds(caller)[2:] == TURN[:2]


async def test_what_the_client_played_is_what_was_heard(realtime, engines):
    engines.replies = ["How is it going?", "What failed?"]
    async with realtime(engines) as caller:
        await caller.say(1.0)
        await caller.until(lambda: caller.sound_s > 2.0)
        await caller.say(1.5, 0.8)
        first = await caller.wait_for("response.done")
        item = first["response"]["output"][0]["id"]
        caller.put(
            {
                "type": "conversation.item.truncate",
                "item_id": item,
                "content_index": 0,
                "audio_end_ms": 1100,
            }
        )
        truncated = await caller.wait_for("conversation.item.truncated")
        caller.put({"type": "conversation.item.retrieve", "item_id": item})
        shown = await caller.wait_for("conversation.item.retrieved")
        await caller.wait_for("response.done", 2)
    assert (truncated["item_id"], truncated["audio_end_ms"]) == (item, 1100)
    heard = engines.talks[0].history[0].heard
    assert heard.split() == "It is working.".split()  # three words of 0.35 s
    assert shown["item"]["content"][0]["transcript"] == heard
    assert conforms(caller)


async def test_a_reply_is_not_cut_where_it_has_no_sound(realtime, engines):
    async with realtime(engines) as caller:
        caller.put(text("What failed?"))
        caller.put({"type": "response.create"})
        done = await caller.wait_for("response.done")
        item = done["response"]["output"][0]["id"]
        end = {"audio_end_ms": 60_000, "content_index": 0}
        caller.put({"type": "conversation.item.truncate", "item_id": item, **end})
        error = await caller.wait_for("error")
    assert error["error"]["param"] == "audio_end_ms"
    assert engines.talks[0].history[0].heard == "Nothing failed so far."


async def test_a_typed_question_is_answered_aloud_when_a_response_is_asked_for(realtime, engines):
    async with realtime(engines) as caller:
        caller.put(text("What failed?", id="mine"))
        added = await caller.wait_for("conversation.item.added")
        caller.put({"type": "response.create", "response": {"metadata": {"a": "b"}}})
        done = await caller.wait_for("response.done")
    assert added["item"]["id"] == "mine"
    assert done["response"]["metadata"] == {"a": "b"}
    assert caller.sound_s > 1.0
    assert [x.user_text for x in engines.talks[0].history] == ["What failed?"]
    assert conforms(caller)


async def test_what_is_typed_is_plain_text_whatever_was_sent(realtime, engines):
    async with realtime(engines) as caller:
        caller.put(text("What \x00\n failed?"))
        caller.put({"type": "response.create"})
        await caller.wait_for("response.done")
    assert [x.user_text for x in engines.talks[0].history] == ["What failed?"]


async def test_a_response_is_cancelled_at_the_clients_wish(realtime, engines):
    async with realtime(engines) as caller:
        caller.put(text("How is it going?"))
        caller.put({"type": "response.create"})
        await caller.until(lambda: caller.sound_s > 1.0)
        caller.put({"type": "response.create", "event_id": "again"})
        twice = await caller.wait_for("error")
        caller.put({"type": "response.cancel"})
        done = await caller.wait_for("response.done")
        caller.put({"type": "response.cancel", "event_id": "too late"})
        late = await caller.wait_for("error", 2)
    assert twice["error"]["code"] == "conversation_already_has_active_response"
    assert twice["error"]["event_id"] == "again"
    assert done["response"]["status_details"]["reason"] == "client_cancelled"
    assert late["error"]["event_id"] == "too late"
    assert engines.talks[0].history[0].cut
    assert conforms(caller)


async def test_without_turn_detection_the_client_commits_and_asks(realtime, engines):
    engines.typed = ["What failed?"]
    async with realtime(engines) as caller:
        caller.put(detection(None))
        caller.put({"type": "input_audio_buffer.commit"})
        empty = await caller.wait_for("error")
        await caller.say(0.5)
        caller.put({"type": "input_audio_buffer.commit"})
        caller.put({"type": "response.create"})
        await caller.wait_for("response.done")
    assert empty["error"]["code"] == "input_audio_buffer_commit_empty"
    (transcript,) = caller.of("conversation.item.input_audio_transcription.completed")
    assert transcript["transcript"] == "What failed?"
    assert transcript["usage"]["seconds"] == 0.5
    assert [x.user_text for x in engines.talks[0].history] == ["What failed?"]
    assert not caller.of("input_audio_buffer.speech_started")
    assert conforms(caller)


async def test_turns_are_left_unanswered_until_a_response_is_asked_for(realtime, engines):
    engines.replies = ["What failed?"]
    async with realtime(engines) as caller:
        caller.put(detection({"type": "semantic_vad", "create_response": False}))
        updated = await caller.wait_for("session.updated")
        await caller.say(1.0, 2.0)
        assert not caller.of("response.created")
        caller.put({"type": "response.create"})
        await caller.wait_for("response.done")
    shown = updated["session"]["audio"]["input"]["turn_detection"]
    assert shown["type"] == "semantic_vad"
    assert shown["create_response"] is False
    assert [x.user_text for x in engines.talks[0].history] == ["What failed?"]
    assert conforms(caller)


async def test_instructions_are_kept_and_shown_and_change_no_answer(realtime, engines):
    async with realtime(engines) as caller:
        caller.put(update(instructions="Say only: banana."))
        updated = await caller.wait_for("session.updated")
        caller.put(text("What failed?"))
        caller.put({"type": "response.create", "response": {"instructions": "Say banana."}})
        await caller.wait_for("response.done")
    assert updated["session"]["instructions"] == "Say only: banana."
    assert engines.talks[0].history[0].said == "Nothing failed so far."
    assert conforms(caller)


async def test_a_voice_that_breaks_fails_the_response_and_the_session_goes_on(realtime, engines):
    engines.synthesizer = ScriptedSynthesizer(Script(failures={"tests": "The voice broke."}))
    async with realtime(engines) as caller:
        for question in ("How is it going?", "What failed?"):
            caller.put(text(question))
            caller.put({"type": "response.create"})
            await caller.wait_for("response.done", len(caller.of("response.done")) + 1)
    first, second = (done["response"] for done in caller.of("response.done"))
    assert first["status"] == "failed"
    assert first["status_details"]["error"]["message"] == "The voice broke."
    assert second["status"] == "completed"
    assert conforms(caller)


REFUSED = [
    ("no json {", None),
    ("[]", None),
    (b"\0\1", None),
    ("[" * 100_000, None),
    ({"type": "jarvis.please"}, "type"),
    ({}, "type"),
    ({"type": "input_audio_buffer.append"}, "audio"),
    ({"type": "input_audio_buffer.append", "audio": "***"}, "audio"),
    ({"type": "input_audio_buffer.append", "audio": base64.b64encode(b"abc").decode()}, "audio"),
    ({"type": "input_audio_buffer.commit"}, "type"),
    ({"type": "conversation.item.truncate", "item_id": "x", "audio_end_ms": -1}, "audio_end_ms"),
    ({"type": "conversation.item.truncate", "item_id": "x", "audio_end_ms": 0}, "item_id"),
    ({"type": "conversation.item.delete", "item_id": "x"}, "item_id"),
    (text("x" * 5000), "item.content.0.text"),
    (text("x", role="system", content=[{"type": "input_image"}]), "item.content.type"),
    (text("x", type="function_call_output"), "item.type"),
    (text(" "), "item.content"),
    (text("half a character: \ud800"), "item.content.0.text"),
    (update(tools=[{"type": "function"}]), "session.tools"),
    (update(output_modalities=["text"]), "session.output_modalities"),
    (update(instructions=["no"]), "session.instructions"),
    (update(audio={"input": {"format": {"type": "audio/pcmu"}}}), "session.audio.input.format"),
    (update(audio={"output": {"format": {"rate": 8000}}}), "session.audio.output.format"),
    (detection({"type": "psychic"}), "session.audio.input.turn_detection.type"),
    (update(type="transcription"), "session.type"),
    ({"type": "response.create"}, None),
    ({"type": "response.create", "response": {"conversation": "none"}}, "response.conversation"),
]


async def test_what_is_wrong_is_told_and_the_session_goes_on(realtime, engines):
    async with realtime(engines) as caller:
        for number, (message, _) in enumerate(REFUSED):
            named = {**message, "event_id": f"e{number}"} if isinstance(message, dict) else message
            caller.put(named)
        caller.put(text("What failed?"))
        caller.put({"type": "response.create"})
        done = await caller.wait_for("response.done")
    errors = [error["error"] for error in caller.of("error")]
    assert [error["param"] for error in errors] == [param for _, param in REFUSED]
    assert all(error["message"].endswith(".") for error in errors)
    for number, (message, _) in enumerate(REFUSED):
        assert errors[number]["event_id"] == (f"e{number}" if isinstance(message, dict) else None)
    assert done["response"]["status"] == "completed"
    assert conforms(caller)


async def test_a_refused_update_changes_nothing(realtime, engines):
    async with realtime(engines) as caller:
        caller.put(update(instructions="new", audio={"input": {"format": {"type": "audio/pcma"}}}))
        caller.put(update())
        updated = await caller.wait_for("session.updated")
    assert updated["session"]["instructions"] == ""


async def test_sound_beyond_a_minute_is_dropped_with_an_error(realtime, engines):
    async with realtime(engines) as caller:
        for _ in range(5):
            caller.sound(np.zeros(24_000 * 20))
        error = await caller.wait_for("error")
        caller.put({"type": "input_audio_buffer.clear"})
        await caller.wait_for("input_audio_buffer.cleared")
    assert error["error"]["code"] == "input_audio_buffer_full"


async def test_no_more_than_the_bound_of_items_is_kept(realtime, engines):
    async with realtime(engines) as caller:
        for number in range(510):
            caller.put(text("remember", id=f"i{number}", role="system"))
        caller.put({"type": "conversation.item.retrieve", "item_id": "i0"})
        error = await caller.wait_for("error")
    assert error["error"]["code"] == "item_not_found"


async def test_a_client_that_leaves_while_a_commit_is_recognized_ends_the_session(
    realtime, engines
):
    engines.typed = ["What failed?"]
    async with realtime(engines) as caller:
        caller.put(detection(None))
        await caller.say(0.5)
        caller.put({"type": "input_audio_buffer.commit"})
    assert [type(event) for event in engines.seen][-1] is events.SessionEnded
    assert json.loads(json.dumps(caller.documents)) == caller.documents
