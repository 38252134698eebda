"""What the user of somebody else's task knows: both forms, and what is no such thing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.errors import BundleMalformed, SealedMalformed
from bench.requester import Answerability, answer
from bench.suite.profile import PROFILE_BYTES, Known, read_profile


def read(tmp_path: Path, data: object) -> list[tuple[str, str, str]]:
    path = tmp_path / "profile.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return [(item.memory_id, item.field, item.value) for item in read_profile(path)]


def test_memories_that_are_listed_are_taken_as_they_are(tmp_path: Path) -> None:
    listed = {"memory_id": "user.fund.name-less", "field": "nameless gifts", "value": ["a", 2]}
    assert read(tmp_path, {"memories": [listed]}) == [
        ("user.fund.name-less", "nameless gifts", "a, 2")
    ]


def test_a_plain_object_is_flattened_by_path_without_what_is_the_graders(tmp_path: Path) -> None:
    data = {
        "Risk posture": {"spend": False, "limit": 500, "_note": "x", "unset": None},
        "contacts": ["Ann", {"rubric": "secret", "name": "Bo"}],
        "gold_answer": "secret",
    }
    assert read(tmp_path, data) == [
        ("user.risk_posture.limit", "Risk posture.limit", "500"),
        ("user.risk_posture.spend", "Risk posture.spend", "no"),
        ("user.contacts.0", "contacts.0", "Ann"),
        ("user.contacts.1.name", "contacts.1.name", "Bo"),
    ]


@pytest.mark.parametrize(
    "data",
    [
        [],
        {},
        {"memories": []},
        {"memories": [{"memory_id": "user.a", "field": "b"}]},
        {"memories": [{"memory_id": "boss.a", "field": "b", "value": "c"}]},
        {"memories": [{"memory_id": "user.a", "field": " ", "value": "c"}]},
        {"memories": [{"memory_id": "user.a", "field": 5, "value": "c"}]},
        {"memories": [{"memory_id": "user.a", "field": "b", "value": "c"}] * 2},
        {"memories": [{"memory_id": "user.a", "field": "b", "value": "c" * 2000}]},
        {str(n): n for n in range(129)},
        {"rubric": "only what is the grader's"},
        '"' + "x" * PROFILE_BYTES + '"',
    ],
)
def test_what_is_no_profile_is_refused(tmp_path: Path, data: object) -> None:
    with pytest.raises(SealedMalformed):
        read(tmp_path, data)


def test_what_is_no_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BundleMalformed):
        read(tmp_path, "{")


def test_the_user_is_reminded_by_the_field_and_guesses_nothing_else() -> None:
    known = [Known("user.a", "nameless_gifts.fund", "They go to the school fund.")]
    said = answer("Which fund do the nameless gifts go to?", known)
    assert said.answerability is Answerability.ANSWERED
    assert said.disclosed_memory_ids == ("user.a",)
    other = answer("Which hotel should the committee book?", known)
    assert other.answerability is Answerability.INSUFFICIENT
