"""Real captures of Claude Code, and everything that a file can be instead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.errors import RunSourceError
from jarvis_voice.events import EvidenceKind, RunSnapshot, RunStatus
from jarvis_voice.runs.model import (
    PromptGiven,
    ToolDenied,
    ToolRequested,
    UnknownSeen,
    WaitingForUser,
)
from jarvis_voice.runs.reducer import fold, initial
from jarvis_voice.runs.sources import Recording, open_recording, open_recordings
from jarvis_voice.runs.sources.claude_code import ClaudeCodeReader
from jarvis_voice.runs.sources.claude_tools import described, redirected
from jarvis_voice.runs.sources.lines import LineSplitter


def final(recording: Recording) -> RunSnapshot:
    state = initial(recording.run_id, recording.runtime, recording.title)
    for event in recording.events:
        state = fold(state, event)
    return state.snapshot


def opened(tmp_path: Path, *lines: object, end: str = "\n") -> RunSnapshot:
    path = tmp_path / "run.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + end)
    return final(open_recording(path))


def entry(kind: str, content: object, **more: object) -> dict[str, object]:
    return {
        "type": kind,
        "message": {"role": kind, "content": content},
        "timestamp": "2026-11-29T10:00:00Z",
        "sessionId": "s1",
        **more,
    }


ASKED = entry("user", "Tidy the logs")


def tool_use(name: str, call: str = "t1", **given: object) -> dict[str, object]:
    return entry("assistant", [{"type": "tool_use", "id": call, "name": name, "input": given}])


def tool_result(text: object, call: str = "t1", error: bool = False) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": error}
    return entry("user", [block])


# --- real captures -----------------------------------------------------------------------------


def test_the_demo_run_tells_its_story(demo_run: Path) -> None:
    recording = open_recording(demo_run)
    now = final(recording)
    denied = next(item for item in now.evidence if item.kind is EvidenceKind.DENIAL)
    assert recording.runtime == "claude-code"
    assert now.goal == recording.title == "Write hi into out/a.txt"
    assert now.status is RunStatus.DONE
    assert "The user decided: write to out_v2/ instead of out/." in denied.text
    assert now.files_changed == ("out_v2/a.txt",)
    assert (now.tool_calls, now.tool_failures) == (2, 0)
    assert now.last_message == "All done."
    assert now.cost_usd == pytest.approx(0.00056)
    assert now.updated_at_s - now.started_at_s == pytest.approx(4.6, abs=0.1)
    assert now.degraded is None
    times = [event.at_s for event in recording.events if event.at_s is not None]
    assert times == sorted(times)


def test_the_demo_run_holds_no_vendor_text(demo_run: Path) -> None:
    records = [json.loads(line) for line in demo_run.read_text().splitlines()]
    assert {record["type"] for record in records} == {
        "user",
        "assistant",
        "system",
        "cost-state",
        "attachment",
    }
    assert not any(key in record for record in records for key in ("rendered", "shape"))
    assert "system-reminder" not in demo_run.read_text()


@pytest.mark.parametrize(
    "name",
    [
        "transcript_2.1.332_hook_deny_inject.jsonl",
        "stream_json_2.1.332_hook_deny_inject.jsonl",
        "http_hook_inputs_2.1.332.jsonl",
        "sdk_control_protocol_2.1.332_can_use_tool_hold_deny_inject.jsonl",
    ],
)
def test_every_shape_of_one_run_tells_the_same(captures: Path, name: str) -> None:
    now = final(open_recording(captures / name))
    denied = [item.text for item in now.evidence if item.kind is EvidenceKind.DENIAL]
    assert len(denied) == 1
    assert "out_v2/ instead of out/" in denied[0]
    assert denied[0].startswith("Write output `mkdir -p out")
    assert now.status is RunStatus.DONE
    assert now.files_changed == ("out_v2/a.txt",)
    assert (now.tool_calls, now.tool_failures) == (2, 0)
    assert now.last_message == "All done."
    assert now.degraded is None
    assert now.updated_at_s is not None


def test_a_permission_request_waits_for_the_user(captures: Path) -> None:
    name = "sdk_control_protocol_2.1.332_can_use_tool_hold_deny_inject.jsonl"
    recording = open_recording(captures / name)
    state = initial("r", "claude-code")
    seen = []
    for event in recording.events:
        state = fold(state, event)
        if isinstance(event, WaitingForUser):
            seen.append((state.snapshot.status, state.snapshot.proposed_action))
    assert seen[0] == (RunStatus.WAITING, "Write output `mkdir -p out && echo hi > out/a.txt`")


def test_older_transcripts_and_an_interruption_are_read(captures: Path) -> None:
    old = open_recording(captures / "happy_1-continue-run-ls-tool.jsonl")
    assert old.title == "Casual Chat: Simple Greeting Exchange"
    assert final(old).last_message == "0-say-lol-session.jsonl\nreadme.md"
    aborted = final(
        open_recording(captures / "happy_permission-prompt-aborted-with-interrupt.jsonl")
    )
    assert aborted.status is RunStatus.STOPPED
    assert aborted.files_changed == ()
    assert aborted.tool_failures == 0


def test_a_failed_result_gives_its_reason(captures: Path) -> None:
    _, second = open_recordings(captures / "takopi_claude_stream_json_session.jsonl")
    now = final(second)
    assert now.status is RunStatus.FAILED
    assert now.failures[-1].startswith("Permission denied: cannot write")
    assert now.started_at_s is None, "this capture carries no times; none may be invented"


# --- single records ----------------------------------------------------------------------------


def test_a_failing_tool_is_a_failure_with_its_last_line(tmp_path: Path) -> None:
    output = "collected 9 items\n" + "." * 4000 + "\nFAILED test_io.py::test_read - KeyError"
    now = opened(
        tmp_path,
        ASKED,
        tool_use("Bash", command="pytest -q", description="Run the tests"),
        tool_result(output, error=True),
    )
    assert now.failures[0].startswith("Run the tests `pytest -q`: collected 9 items")
    assert now.failures[0].endswith("FAILED test_io.py::test_read - KeyError")
    assert now.tool_failures == 1


def test_a_plan_and_its_progress_are_kept(tmp_path: Path) -> None:
    todos = [
        {"content": "read", "status": "completed"},
        {"content": "write", "status": "in_progress"},
        {"content": "", "status": "pending"},
        "rubbish",
    ]
    now = opened(tmp_path, ASKED, tool_use("TodoWrite", todos=todos))
    assert [(step.text, step.state) for step in now.plan] == [
        ("read", "completed"),
        ("write", "in_progress"),
    ]


def test_a_question_to_the_user_waits_until_it_is_answered(tmp_path: Path) -> None:
    ask = tool_use("AskUserQuestion", questions=[{"question": "Which region?"}])
    waiting = opened(tmp_path, ASKED, ask)
    assert (waiting.status, waiting.waiting_for) == (RunStatus.WAITING, "Which region?")
    answered = opened(tmp_path, ASKED, ask, tool_result("eu-west"))
    assert (answered.status, answered.waiting_for) == (RunStatus.WORKING, None)


def test_what_the_user_said_with_a_refusal_is_its_reason(tmp_path: Path) -> None:
    text = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. "
        "To tell you how to proceed, the user said:\nuse the staging database"
    )
    now = opened(
        tmp_path, ASKED, tool_use("Bash", command="psql prod"), tool_result(text, error=True)
    )
    assert now.evidence[-1].kind is EvidenceKind.DENIAL
    assert now.evidence[-1].text.endswith("The user said: use the staging database")
    assert now.tool_failures == 0


def test_subagents_count_as_actions_but_do_not_speak_for_the_run(tmp_path: Path) -> None:
    now = opened(
        tmp_path,
        ASKED,
        entry("user", "You are a subagent", isSidechain=True),
        entry("assistant", [{"type": "text", "text": "inner words"}], isSidechain=True),
        tool_use("Grep", pattern="TODO") | {"isSidechain": True},
    )
    assert now.goal == "Tidy the logs"
    assert now.last_message is None
    assert now.evidence[-1].text == "search the files for TODO"


def test_injected_texts_are_no_prompts(tmp_path: Path) -> None:
    now = opened(
        tmp_path,
        entry("user", "<command-name>/clear</command-name>"),
        entry("user", "Caveat: the messages below were generated"),
        entry("user", "<system-reminder>be nice</system-reminder>"),
        entry("user", "meta words", isMeta=True),
        ASKED,
    )
    assert now.goal == "Tidy the logs"


def test_secrets_are_gone_before_anything_is_kept(tmp_path: Path) -> None:
    key = "sk-" + "ant-" + "x1Y2" * 10
    now = opened(
        tmp_path,
        entry("user", f"use {key}"),
        tool_use("Bash", command=f"curl -H 'Authorization: Bearer {key}'", description=key),
        tool_result(f"401 for {key}", error=True),
        entry("assistant", [{"type": "text", "text": f"the key {key} is bad"}]),
    )
    assert key not in repr(now)
    assert "[redacted]" in now.goal


def test_an_unknown_record_degrades_the_picture_and_keeps_the_rest(tmp_path: Path) -> None:
    now = opened(tmp_path, ASKED, {"type": "hologram", "x": 1}, tool_use("Read", file_path="a"))
    assert "hologram" in now.degraded
    assert now.tool_calls == 1


def test_known_bookkeeping_degrades_nothing(tmp_path: Path) -> None:
    now = opened(tmp_path, ASKED, {"type": "file-history-snapshot"}, {"type": "last-prompt"})
    assert now.degraded is None


def test_a_half_written_last_line_is_said_and_skipped(tmp_path: Path) -> None:
    half = json.dumps(tool_use("Read", file_path="a"))[:80]
    now = opened(tmp_path, ASKED, half, end="")
    assert now.degraded == "A half-written line was left out."
    assert now.goal == "Tidy the logs"


def test_a_whole_last_line_without_its_end_is_read(tmp_path: Path) -> None:
    now = opened(tmp_path, ASKED, tool_use("Read", file_path="a"), end="")
    assert now.tool_calls == 1
    assert now.degraded is None


def test_a_huge_line_neither_blocks_nor_hides_the_rest(tmp_path: Path) -> None:
    huge = tool_result("x" * (9 * 1024 * 1024))
    now = opened(tmp_path, ASKED, tool_use("Read", file_path="a"), huge, tool_use("Read", "t2"))
    assert now.tool_calls == 2
    assert now.degraded == "A line of 9 megabytes was too long to read."


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n\n",
        b"hello, this is no recording\n",
        b"\x00\xff\xfe\x80" * 500,
        b'{"type": "session_meta"}\n{"a": 1}\n',
        b"[1, 2, 3]\n",
        b"RIFF\x24\x00\x00\x00WAVEfmt ",
        b"[" * 100_000,
    ],
)
def test_what_is_no_recording_is_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(RunSourceError) as caught:
        open_recording(path)
    assert caught.value.problem == "notes.txt is not a recording of an agent run."
    assert "transcript" in caught.value.remedy


def test_a_missing_file_and_a_folder_are_refused_in_a_sentence(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(RunSourceError) as caught:
            open_recording(path)
        assert str(path) in caught.value.problem
        assert caught.value.remedy


FIELDS = """
type message content subtype in m dir t hook_event_name tool_name tool_input request tool_use_id
timestamp sessionId uuid text id name input is_error attachment result permissionDecision
tool_result_meta tool_calls todos questions errors
"""
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(FIELDS.split()), inner, max_size=6)
    ),
    max_leaves=12,
)
KINDS = st.sampled_from(
    "user assistant system result attachment summary cost-state control_request".split(" ")
)
HOOKS = st.sampled_from(
    ["PreToolUse", "PostToolUse", "PostToolBatch", "Stop", "SessionEnd", "Notification", "X"]
)


@given(JSON, KINDS, HOOKS)
def test_no_record_of_any_shape_breaks_the_reader(value: object, kind: str, hook: str) -> None:
    reader = ClaudeCodeReader()
    state = initial("r", "claude-code")
    body = value if isinstance(value, dict) else {"message": value, "content": value}
    shapes = [value, body | {"type": kind}, {"type": kind, "message": body}]
    shapes += [
        body | {"hook_event_name": hook},
        {"t": value, "in": body | {"hook_event_name": hook}},
    ]
    shapes += [{"t": value, "dir": "->", "m": body | {"type": kind}}]
    for number, shape in enumerate(shapes, start=1):
        for event in reader.read(json.dumps(shape), number):
            state = fold(state, event)


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    for event in ClaudeCodeReader().read(text, 1):
        assert isinstance(event, UnknownSeen)


@given(st.binary(max_size=200), st.lists(st.integers(1, 50), max_size=20))
def test_lines_come_out_the_same_for_any_chunking(data: bytes, sizes: list[int]) -> None:
    whole = LineSplitter(limit=30)
    expected = [*whole.feed(data), whole.flush()]
    parts, lines, rest = LineSplitter(limit=30), [], data
    for size in sizes:
        lines += parts.feed(rest[:size])
        rest = rest[size:]
    lines += parts.feed(rest)
    assert [*lines, parts.flush()] == expected


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("echo hi > out/a.txt", ("out/a.txt",)),
        ("a >> log.txt && b > 'my file'", ("log.txt", "my file")),
        ("make 2>&1 > /dev/null", ()),
        ("make 2> errors.txt", ()),
        ("test $a -gt 3 && cat <<EOF", ()),
        ("x => y", ()),
        ("echo $(ls) > $OUT", ()),
        ("diff <(a) >(b)", ()),
    ],
)
def test_files_that_a_shell_line_writes_are_found(command: str, files: tuple[str, ...]) -> None:
    assert redirected(command) == files


@pytest.mark.parametrize(
    ("tool", "given_input", "words"),
    [
        ("Edit", {"file_path": "a.py"}, "edit a.py"),
        ("WebSearch", {"query": "tides"}, "search the web for tides"),
        ("mcp__github__create_issue", {}, "use create_issue of github"),
        ("Brand", {}, "use the tool Brand"),
        ("Edit", {"file_path": 7}, "edit a file"),
    ],
)
def test_tools_are_worded_for_a_person(tool: str, given_input: dict, words: str) -> None:
    assert described(tool, given_input).summary == words


def test_event_kinds_of_one_hook_story() -> None:
    reader = ClaudeCodeReader()
    lines = [
        {"hook_event_name": "UserPromptSubmit", "prompt": "go", "session_id": "s"},
        {
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "ls"},
            "tool_use_id": "t",
        },
        {"hook_event_name": "PermissionDenied", "tool_use_id": "t", "reason": "no"},
    ]
    events = [event for n, line in enumerate(lines) for event in reader.read(json.dumps(line), n)]
    assert [type(event) for event in events] == [PromptGiven, ToolRequested, ToolDenied]
    assert reader.session == "s"
