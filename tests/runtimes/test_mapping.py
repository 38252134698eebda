"""What each runtime sends becomes an action, and a ruling becomes exactly what it takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.boundary import Ruling, Verdict
from jarvis_voice.runtimes import NAMES, RUNTIMES, recognized
from jarvis_voice.runtimes.fields import CONTENT_CHARS

DATA = Path(__file__).parent / "data"
ALLOW = Ruling(Verdict.ALLOW)
DENY = Ruling(Verdict.DENY, "The user decided: write to out_v2/. Scope: this task only.")
NOW_S = 1_795_985_660.0


def _captured(name: str) -> list[dict[str, Any]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [found.get("in", found) for found in map(json.loads, lines)]


def test_every_runtime_is_told_by_content(pre_tool: tuple[str, dict[str, Any]]) -> None:
    name, payload = pre_tool
    found = recognized(payload)
    assert found is not None
    assert name == found.NAME


def test_every_runtime_offers_its_call(pre_tool: tuple[str, dict[str, Any]]) -> None:
    name, payload = pre_tool
    action = RUNTIMES[name].proposed(payload, NOW_S)
    assert action is not None
    assert action.runtime == ("my-agent" if name == "any" else name)
    assert action.run_id != "unknown"
    assert action.project_id
    assert action.at_s == NOW_S
    assert len(action.fingerprint) == 64
    assert action.summary


def test_an_observation_is_never_answered_with_a_refusal(
    pre_tool: tuple[str, dict[str, Any]],
) -> None:
    name, payload = pre_tool
    runtime = RUNTIMES[name]
    if name == "any":
        return  # it has no events of its own
    told = dict(payload)
    for key, value in {
        "hook_event_name": "Notification",
        "event_type": "Stop",
        "hook": "session_end",
    }.items():
        if key in told:
            told[key] = value
    assert runtime.proposed(told, NOW_S) is None
    assert runtime.reply(told, DENY) == {}


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_claude_code_and_codex_take_a_refusal_with_its_reason(
    name: str, pre_tools: dict[str, dict[str, Any]]
) -> None:
    assert RUNTIMES[name].reply(pre_tools[name], DENY) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": DENY.reason,
        }
    }


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("gemini", {"decision": "deny", "reason": DENY.reason}),
        ("openhands", {"decision": "deny", "reason": DENY.reason}),
        ("opencode", {"decision": "deny", "reason": DENY.reason}),
        ("openclaw", {"block": True, "blockReason": DENY.reason}),
        (
            "cursor",
            {"permission": "deny", "user_message": DENY.reason, "agent_message": DENY.reason},
        ),
        ("any", {"decision": "deny", "reason": DENY.reason, "degraded": ""}),
    ],
)
def test_the_others_take_a_refusal_in_their_own_form(
    name: str, answer: dict[str, Any], pre_tools: dict[str, dict[str, Any]]
) -> None:
    assert RUNTIMES[name].reply(pre_tools[name], DENY) == answer


def test_allowing_never_answers_the_runtimes_own_permission_prompt(
    pre_tools: dict[str, dict[str, Any]],
) -> None:
    answers = {name: RUNTIMES[name].reply(pre_tools[name], ALLOW) for name in NAMES}
    assert answers.pop("any") == {"decision": "allow", "reason": "", "degraded": ""}
    # Cursor counts silence as a failed hook where that blocks
    assert answers.pop("cursor") == {"permission": "allow"}
    assert set(map(json.dumps, answers.values())) == {"{}"}


def test_a_refusal_always_has_a_reason(pre_tool: tuple[str, dict[str, Any]]) -> None:
    name, payload = pre_tool
    answer = json.dumps(RUNTIMES[name].reply(payload, Ruling(Verdict.DENY)))
    assert "Jarvis held this call back" in answer


def test_the_stand_in_for_an_unreadable_input_can_be_refused() -> None:
    for name in NAMES:
        runtime = RUNTIMES[name]
        assert runtime.reply(runtime.PRE_TOOL, DENY) != runtime.reply(runtime.PRE_TOOL, ALLOW)


def test_captured_claude_code_hooks_tell_two_calls_in_one_run() -> None:
    runtime = RUNTIMES["claude-code"]
    actions = [runtime.proposed(payload, NOW_S) for payload in _captured("claude_code_hooks.jsonl")]
    held, later = [action for action in actions if action is not None]
    assert held.action_id == "toolu_01"
    assert held.command == "mkdir -p out && echo hi > out/a.txt"
    assert held.files == ("out/a.txt",)
    assert held.summary == "run: mkdir -p out && echo hi > out/a.txt"
    assert later.run_id == held.run_id
    assert later.fingerprint != held.fingerprint


def test_captured_codex_hooks_are_told_from_claude_codes() -> None:
    names = {recognized(payload).NAME for payload in _captured("codex_hooks.jsonl")}  # type: ignore[union-attr]  # each is recognized
    assert names == {"codex"}
    names = {recognized(payload).NAME for payload in _captured("claude_code_hooks.jsonl")}  # type: ignore[union-attr]  # likewise
    assert names == {"claude-code"}


def test_a_subagent_is_a_run_of_its_own(pre_tools: dict[str, dict[str, Any]]) -> None:
    payload = pre_tools["claude-code"] | {"agent_id": "a9", "agent_type": "Explore"}
    action = RUNTIMES["claude-code"].proposed(payload, NOW_S)
    assert action is not None
    assert action.run_id == f"{payload['session_id']}/a9"
    assert action.parent_run_id == payload["session_id"]


@pytest.mark.parametrize(
    ("tool", "given", "files", "content"),
    [
        ("Write", {"file_path": "a.md", "content": "x"}, ("a.md",), "x"),
        ("Edit", {"file_path": "a.md", "old_string": "o", "new_string": "n"}, ("a.md",), "n"),
        (
            "MultiEdit",
            {"file_path": "a", "edits": [{"new_string": "1"}, {"new_string": "2"}]},
            ("a",),
            "1\n2",
        ),
        ("Read", {"file_path": "a.md"}, (), ""),
        (
            "apply_patch",
            {"command": "*** Begin Patch\n*** Update File: b.py\n+x\n*** End Patch"},
            ("b.py",),
            "*** Begin Patch\n*** Update File: b.py\n+x\n*** End Patch",
        ),
        ("Bash", {"command": "ls | tee -a log.txt 2>/dev/null"}, ("log.txt",), ""),
        ("mcp__mail__send", {"to": "ann"}, (), '{"to": "ann"}'),
    ],
)
def test_files_and_content_of_a_call_are_found(
    tool: str, given: dict[str, Any], files: tuple[str, ...], content: str
) -> None:
    payload = {
        "session_id": "s",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": given,
    }
    action = RUNTIMES["claude-code"].proposed(payload, NOW_S)
    assert action is not None
    assert action.files == files
    assert action.content == content


def test_secrets_are_taken_out_and_the_fingerprint_is_of_the_whole_call() -> None:
    secret = "sk-ant-abcdefghijklmnopqrstuvwxyz0123456789"  # not a real one

    def offered(key: str) -> Any:
        command = f"curl -H 'Authorization: Bearer {key}' https://example.com"
        payload = {
            "session_id": "s",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
        }
        return RUNTIMES["claude-code"].proposed(payload, NOW_S)

    action = offered(secret)
    assert secret not in repr(action)
    assert "[redacted]" in action.command
    assert action.fingerprint != offered(secret + "x").fingerprint


def test_a_huge_write_is_bounded_keeps_its_ends_and_says_so() -> None:
    payload = {
        "session_id": "s",
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": {"file_path": "a", "content": "START" + "x" * 900_000 + "THE END"},
    }
    action = RUNTIMES["claude-code"].proposed(payload, NOW_S)
    assert action is not None
    assert action.truncated
    assert len(action.content) <= CONTENT_CHARS
    assert action.content.startswith("START")
    assert action.content.endswith("THE END")


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_KEYS = st.sampled_from(
    "session_id hook_event_name tool_name tool_input tool_use_id cwd agent_id conversation_id "
    "event_type working_dir hook event ctx runtime schema run tool workspace_roots metadata".split()
)
_VALUES = _JSON | st.sampled_from(
    ["PreToolUse", "BeforeTool", "preToolUse", "before_tool_call", "jarvis.gate/v1", "Write"]
)


@given(st.dictionaries(_KEYS, _VALUES), st.sampled_from(sorted(NAMES)))
def test_no_payload_breaks_a_mapping(payload: dict[str, Any], name: str) -> None:
    recognized(payload)
    runtime = RUNTIMES[name]
    action = runtime.proposed(payload, NOW_S)
    if action is not None:
        assert len(repr(action)) < 40_000
    json.dumps(runtime.reply(payload, DENY))
    runtime.observed(payload)
