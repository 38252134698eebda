"""Facts survive being written down; damaged ones are refused by name."""

from __future__ import annotations

import contextlib
import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.attention import facts as facts_module
from jarvis_voice.attention.facts import FACTS, Fact, decode, encode
from jarvis_voice.errors import FactUnreadable


def any_fact() -> st.SearchStrategy[Fact]:
    st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
    return st.one_of([st.builds(cls) for cls in FACTS])


@given(any_fact())
def test_a_fact_survives_being_written_as_json(fact: Fact) -> None:
    assert decode(json.loads(json.dumps(encode(fact)))) == fact


def test_every_class_of_fact_can_be_stored() -> None:
    defined = {
        value
        for value in vars(facts_module).values()
        if isinstance(value, type) and issubclass(value, Fact) and value is not Fact
    }
    assert set(FACTS) == defined


def test_fields_of_a_newer_version_are_passed_over() -> None:
    data = encode(facts_module.Restarted(1.0, ""))
    assert decode({**data, "mood": "good"}) == facts_module.Restarted(1.0, "")


@given(any_fact(), st.data())
def test_a_missing_required_field_is_refused(fact: Fact, data: st.DataObject) -> None:
    written = encode(fact)
    name = data.draw(st.sampled_from([item.name for item in fields(fact)][:2]))
    del written[name]
    with pytest.raises(FactUnreadable):
        decode(written)


@given(
    any_fact(),
    st.recursive(st.none() | st.booleans() | st.text(), st.lists, max_leaves=3),
    st.data(),
)
def test_a_damaged_field_is_refused_or_harmless(fact: Fact, junk: object, data: st.DataObject):
    written = encode(fact)
    written[data.draw(st.sampled_from(sorted(written)))] = junk
    with contextlib.suppress(FactUnreadable):
        assert isinstance(decode(written), Fact)


@pytest.mark.parametrize("written", [{}, {"fact": "Fact"}, {"fact": "Restarted", "format": 99}])
def test_what_is_no_fact_of_ours_is_refused(written: dict[str, object]) -> None:
    with pytest.raises(FactUnreadable):
        decode(written)
