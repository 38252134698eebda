"""The sealed half of a task: what it promises about itself is checked when it is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.errors import SealedMalformed
from bench.statistics import Span
from bench.suite.bundle import load_bundle
from bench.suite.sealed import Predicate, load_sealed
from bench.workers.base import Deed, Happening

Copy = Callable[..., Path]
EditJson = Callable[[Path, Callable[[Any], None]], None]


def _first(kind: str, key: str, value: object) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        data[kind][0][key] = value

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_first("checkpoints", "weight", 0.5), "add up to"),
        (_first("checkpoints", "id", "viability_right"), "twice in checkpoints"),
        (_first("windows", "gold", "something"), "none of the options"),
        (_first("windows", "memory_ids", ["user.label_language"]), "decoy"),
        (_first("windows", "memory_ids", ["user.nobody"]), "names no memory"),
        (_first("windows", "opens_when", {"read": "a", "said": "b"}), "exactly one"),
        (_first("windows", "opens_when", {}), "exactly one"),
        (_first("facts", "true", ["(unclosed"]), "regular expression"),
        (_first("memories", "memory_id", "seed"), "memory_id"),
        (_first("memories", "value", "x" * 1401), "value"),
        (lambda data: data.update(control="irrelevant"), "a mechanism or a control"),
        (lambda data: data.update(windows=[]), "decision window"),
        (lambda data: data.update(task_id="another_task"), "another_task"),
        (lambda data: data["bands"].update(worker_only=[80, 20]), "worker_only"),
        (lambda data: data.update(surprise=1), "surprise"),
        (
            lambda data: data["availability"].update(
                changes_mind={"after_s": 5, "memory_id": "user.nobody"}
            ),
            "changes_mind",
        ),
        (
            lambda data: data["availability"].update(
                busy=[{"begins_s": 60, "ends_s": 60, "what": "on the telephone"}]
            ),
            "ends after it begins",
        ),
        (
            lambda data: data["availability"].update(
                busy=[{"begins_s": 0, "ends_s": 60, "weight": 1.5, "what": "on the telephone"}]
            ),
            "weight",
        ),
    ],
)
def test_a_sealed_half_at_fault_is_refused(
    bundle_copy: Copy, edit_json: EditJson, change: Callable[[Any], None], says: str
) -> None:
    root = bundle_copy()
    edit_json(root / "sealed" / "task.json", change)
    with pytest.raises(SealedMalformed, match=says):
        load_sealed(load_bundle(root))


def test_a_user_who_thinks_better_of_it_holds_to_the_newer_of_two_memories(
    bundle_copy: Copy,
) -> None:
    sealed = load_sealed(load_bundle(bundle_copy("wedding_kitchen")))
    manner = sealed.availability.manner
    at_first = [memory.memory_id for memory in manner.known(sealed.memories, None)]
    in_the_end = [memory.memory_id for memory in sealed.settled]
    assert set(at_first) ^ set(in_the_end) == {"user.no_dear_flour", "user.hazelnuts_agreed"}
    assert "user.hazelnuts_agreed" in in_the_end


def test_a_calendar_is_read_as_spans(bundle_copy: Copy) -> None:
    sealed = load_sealed(load_bundle(bundle_copy("incident_notice")))
    assert sealed.availability.calendar == (Span(0.0, 1800.0, 1.0),)


def test_a_control_is_named_so(bundle_copy: Copy, edit_json: EditJson) -> None:
    root = bundle_copy("control_crate_deposits")
    assert load_sealed(load_bundle(root)).windows == []

    def claim(data: Any) -> None:
        data.update(control=None, mechanism="latent_context")

    edit_json(root / "sealed" / "task.json", claim)
    with pytest.raises(SealedMalformed):
        load_sealed(load_bundle(root))


@pytest.mark.parametrize(
    ("predicate", "deed", "what", "met"),
    [
        (Predicate(read="sources/a.csv"), Deed.READ, "sources/a.csv", True),
        (Predicate(read="sources"), Deed.READ, "sources/a.csv", True),
        (Predicate(read="sources/a"), Deed.READ, "sources/a.csv", False),
        (Predicate(read="sources/a.csv"), Deed.WRITTEN, "sources/a.csv", False),
        (Predicate(written="results/final.json"), Deed.WRITTEN, "results/final.json", True),
        (Predicate(said=r"\d+ tests"), Deed.SAID, "There are 6 TESTS that count.", True),
        (Predicate(said=r"\d+ tests"), Deed.RAN, "6 tests", False),
    ],
)
def test_predicates_look_at_what_a_session_did(
    predicate: Predicate, deed: Deed, what: str, met: bool
) -> None:
    assert predicate.met_by(Happening(1.0, "main", deed, what)) is met
