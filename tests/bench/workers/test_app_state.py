"""The app of an app task: records that are read freely, and changed by its schema only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.errors import BundleMalformed
from bench.suite.catalog import TASKS
from bench.workers.app_state import AppState, replay

STATE = {"collections": {"rooms": [{"id": "r1", "size": 2, "name": "Blue Room"}], "log": []}}
SCHEMA: dict[str, Any] = {
    "actions": {
        "rename": {
            "required": ["room", "name"],
            "types": {"room": "string", "name": "string", "why": "string"},
            "target": {"collection": "rooms", "argument": "room"},
            "set": {"name": {"from_argument": "name"}, "changed": True},
            "append_to": "log",
        },
        "book": {
            "required": ["room", "nights"],
            "types": {"room": "string", "nights": "integer", "kind": "string"},
            "enum": {"kind": ["day", "night"]},
            "set": {"state": "booked"},
            "append_to": "bookings",
            "id_field": "number",
        },
    }
}


def test_records_are_listed_got_and_searched() -> None:
    app = AppState(STATE, SCHEMA)
    assert app.act("collections", {}).text == "rooms: 1 records\nlog: 0 records"
    assert json.loads(app.act("list", {"collection": "rooms", "where": {"size": "2"}}).text)
    assert app.act("list", {"collection": "rooms", "where": {"size": 3}}).text == "none"
    assert not app.act("list", {"collection": "nowhere"}).ok
    assert json.loads(app.act("get", {"collection": "rooms", "id": "r1"}).text)["size"] == 2
    assert not app.act("get", {"collection": "rooms", "id": "r2"}).ok
    assert "Blue Room" in app.act("search", {"terms": "blue r1"}).text
    assert app.act("search", {"terms": "blue green"}).text == "none"
    assert app.log == []


def test_an_action_sets_and_adds_what_its_schema_says() -> None:
    app = AppState(STATE, SCHEMA)
    assert app.act("rename", {"room": "r1", "name": "Red"}).ok
    assert app.collections["rooms"][0] == {"id": "r1", "size": 2, "name": "Red", "changed": True}
    assert app.collections["log"] == [{"room": "r1", "name": "Red", "id": "log-1"}]
    assert app.act("book", {"room": "r1", "nights": 2}).text.startswith("book: added bookings-1")
    assert app.collections["bookings"][0]["state"] == "booked"
    assert "rename, book" in app.act("status", {}).text
    assert STATE["collections"]["rooms"][0]["name"] == "Blue Room"


@pytest.mark.parametrize(
    ("action", "arguments", "says"),
    [
        ("fly", {}, "no action fly"),
        ("rename", {"room": "r1"}, "needs name"),
        ("rename", {"room": "r9", "name": "x"}, "no such record"),
        ("rename", {"room": "r1", "name": "x", "color": "y"}, "does not take color"),
        ("book", {"room": "r1", "nights": "two"}, "of type integer"),
        ("book", {"room": "r1", "nights": True}, "of type integer"),
        ("book", {"room": "r1", "nights": 1, "kind": "week"}, "one of day, night"),
    ],
)
def test_what_an_action_lacks_is_said_and_logged(
    action: str, arguments: dict[str, object], says: str
) -> None:
    app = AppState(STATE, SCHEMA)
    reply = app.act(action, arguments)
    assert not reply.ok
    assert says in reply.text
    assert [entry["ok"] for entry in app.log] == [False]


def test_the_requester_is_never_there(tmp_path: Path) -> None:
    app = AppState(STATE, SCHEMA)
    assert not app.act("ask", {"question": "May I?"}).ok
    app.act("book", {"room": "r1", "nights": 1})
    app.save(tmp_path)
    assert json.loads((tmp_path / "questions.jsonl").read_text("utf-8")) == {"question": "May I?"}
    assert json.loads((tmp_path / "action_log.jsonl").read_text("utf-8"))["action"] == "book"


@pytest.mark.parametrize(
    ("state", "schema"),
    [
        ({}, SCHEMA),
        (STATE, {}),
        (STATE, {"actions": {"list": {}}}),
        (STATE, {"actions": {"x": {"required": ["untyped"]}}}),
        (STATE, {"actions": {"x": {"types": {"a": "date"}, "required": ["a"]}}}),
        (STATE, {"actions": {"x": {"target": {"collection": "no", "argument": "a"}}}}),
    ],
)
def test_files_that_make_no_sense_are_refused(
    state: dict[str, Any], schema: dict[str, Any]
) -> None:
    with pytest.raises(BundleMalformed):
        AppState(state, schema)


def test_a_run_is_replayed_from_its_log() -> None:
    public = TASKS / "chalet_booking_mixup" / "public"
    move = {"action": "move_booking", "arguments": {"booking_id": "B-224", "chalet_id": "C1"}}
    app = replay(public, [move, {"action": None, "arguments": 7}])
    assert {row["id"]: row["chalet"] for row in app.collections["bookings"]}["B-224"] == "C1"
    assert [entry["ok"] for entry in app.log] == [True, False]
