"""Final records: what matters in them is found and shown, however long they are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.attention.records import (
    SALIENT_KEYS,
    placeholder_in,
    requester_question_in,
    salient,
)


@given(
    st.dictionaries(st.sampled_from(SALIENT_KEYS), st.integers(10**6, 10**9), min_size=1),
    st.integers(0, 60_000),
    st.booleans(),
)
def test_no_length_evicts_what_matters(fields: dict[str, int], length: int, cut: bool) -> None:
    record = {"aaa": "x" * length, **{key: f"v{value}" for key, value in fields.items()}}
    text = json.dumps({"z": "y" * length, **record, "zzz": "w" * length})
    if cut:
        text = text[:-1]  # no JSON any more
    shown = salient(text, 1200)
    assert len(shown) <= 1200
    for key, value in fields.items():
        assert f"{key}: v{value}" in shown


@given(st.text(), st.integers(0, 2000))
def test_projecting_is_bounded_and_never_raises(text: str, limit: int) -> None:
    assert len(salient(text, limit)) <= limit


def test_long_fields_share_the_room() -> None:
    shown = salient(json.dumps({key: f"{key} " * 100 for key in SALIENT_KEYS}), 900)
    assert len(shown) <= 900
    for key in SALIENT_KEYS:
        assert f"{key}: " in shown


def test_the_order_is_by_weight_not_by_place() -> None:
    text = json.dumps({"rationale": "r", "x": {"choice": "c"}, "risk": "k"})
    assert salient(text).splitlines()[:3] == ["choice: c", "rationale: r", "risk: k"]


def test_deep_nesting_is_survived() -> None:
    assert salient("[" * 50_000 + "]" * 50_000)
    deep: object = "x"
    for _ in range(500):
        deep = {"choice": deep}
    assert "choice" in salient(json.dumps(deep))


@pytest.mark.parametrize(
    "text",
    ["", "<b>", "<div>", "List<String>", "a < b > c", '"x": "unknown" is a word', "status: ok"],
)
def test_ordinary_text_has_no_placeholder(text: str) -> None:
    if text.startswith('"x"'):
        assert placeholder_in(text)  # a value that says that nothing is known
    else:
        assert placeholder_in(text) == ""


@given(st.text(max_size=50), st.text(max_size=50))
def test_what_is_found_stands_there(before: str, after: str) -> None:
    text = f'{before}"question_for_requester": "Who?" TBD {after}'
    assert placeholder_in(text) in text
    assert requester_question_in(text) in text
