"""What a run left: every file of an agent reads as something, and bad ones as nothing."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest

from bench.grading.contract import schema_faults
from bench.grading.run_dir import RunDir, close, number, share, text_of
from bench.suite.catalog import TASKS

PUBLIC = TASKS / "seed_vault_round" / "public"


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    (tmp_path / "results").mkdir()
    return RunDir(tmp_path, PUBLIC)


def _put(run: RunDir, name: str, data: bytes | str) -> str:
    data = data.encode() if isinstance(data, str) else data
    (run.root / "results" / name).write_bytes(data)
    return f"results/{name}"


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"", b"[" * 100_000, b'{"a": ', b'a,b\n"1,2\n'])
def test_bad_files_read_as_nothing(run: RunDir, data: bytes) -> None:
    path = _put(run, "bad", data)
    assert run.json(path) is None
    assert run.json(path, "decision", "choice") is None
    assert isinstance(run.csv(path), list)
    assert not run.follows_schema(path)


def test_missing_outside_and_linked_files_read_as_nothing(run: RunDir, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    os.symlink(tmp_path / "secret.txt", tmp_path / "results" / "link.txt")
    for path in ("results/none", "results/../secret.txt", "/etc/passwd", "results/link.txt", ""):
        assert run.read_text(path) == "", path
    assert run.actions() == []


def test_tables_come_without_blanks_and_marks(run: RunDir) -> None:
    path = _put(run, "t.csv", "\ufeffname , n\r\n a ,1\r\nb\r\n")
    assert run.csv(path) == [{"name": "a", "n": "1"}, {"name": "b", "n": ""}]
    path = _put(run, "t.json", '{"a": {"b": [1, {"c": 2}]}}')
    assert run.json(path, "a", "b", 1, "c") == 2
    assert run.json(path, "a", "b", 9) is None
    assert run.json(path, "a", "c") is None
    assert run.files() == ("results/t.csv", "results/t.json")


def test_actions_that_were_carried_out(run: RunDir) -> None:
    entries = [
        {"action": "send", "arguments": {"to": "a"}, "ok": False},
        {"action": "send", "arguments": {"to": "b"}, "ok": True},
        {"action": "send", "arguments": 7, "ok": True},
    ]
    lines = [*map(json.dumps, entries), "no json", "[]"]
    (run.root / "action_log.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert len(run.actions()) == 3
    assert run.done("send") == [{"to": "b"}]


@pytest.mark.parametrize(
    ("value", "found"),
    [("1,234.50", 1234.5), ("€ 12 ", 12.0), (3, 3.0), ("7 %", 7.0), ("-2", -2.0)],
)
def test_numbers_in_any_clothes(value: object, found: float) -> None:
    assert number(value) == found
    assert close(value, found)
    assert not close(value, found + 1)


@pytest.mark.parametrize("value", [None, "", "about 3", True, [1], {}])
def test_what_is_no_number_is_close_to_none(value: object) -> None:
    assert math.isnan(number(value))
    assert not close(value, 0.0, 1e9)


def test_small_helpers() -> None:
    assert share(3, 4) == 0.75
    assert share(1, 0) == 0.0
    assert text_of({"A": ["B  c", None, 3]}) == "a b c  3"


def test_the_contract_is_kept_in_shares(run: RunDir) -> None:
    assert run.contract() == 0.0
    _put(run, "memo.md", "Here it is.\n")
    assert 0.0 < run.contract() < 0.2


@pytest.mark.parametrize(
    ("value", "schema", "fits"),
    [
        ({"a": 1}, {"type": "object", "required": ["a"]}, True),
        ({}, {"type": "object", "required": ["a"]}, False),
        ({"a": 1}, {"properties": {"a": {"type": "string"}}}, False),
        ({"a": 1}, {"additionalProperties": False}, False),
        ({"a": 1}, {"additionalProperties": {"type": "string"}}, False),
        ([1, 2], {"type": "array", "minItems": 3}, False),
        ([1, "x"], {"items": {"type": "integer"}}, False),
        (True, {"type": "number"}, False),
        (None, {"type": ["string", "null"]}, True),
        ("   ", {"type": "string", "minLength": 1}, False),
        ("b", {"enum": ["a"]}, False),
        (5, {"minimum": 6}, False),
        (5, {"anyOf": [{"type": "string"}, {"maximum": 9}]}, True),
        (5, {"anyOf": [{"type": "string"}, {"maximum": 4}]}, False),
    ],
)
def test_schemas_say_what_fits(value: object, schema: dict[str, object], fits: bool) -> None:
    assert (schema_faults(value, schema) == []) is fits
