"""Captured runs of every runtime, and what each must come to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from jarvis_voice.events import EvidenceKind, PlanStep, RunSnapshot, RunStatus
from jarvis_voice.runs.model import GuidanceGiven, RunEvent, ToolDenied, ToolFinished, ToolRequested
from jarvis_voice.runs.reducer import fold
from jarvis_voice.runs.sources import (
    SOURCES,
    Recording,
    hook_sorter,
    open_recording,
    open_recordings,
)
from jarvis_voice.runs.sources.lines import Line
from jarvis_voice.runs.watcher import initial_of

ROOT = Path(__file__).resolve().parents[3]
STEERED = ("codex/app_server_0.171.0_two_clients_hold_steer_decline.jsonl", "codex")


@pytest.fixture
def samples() -> Path:
    folder = Path(os.environ.get("JARVIS_SHARED", ROOT.parent / "shared")) / "samples"
    if not folder.is_dir():
        pytest.skip("the shared captures are not here")
    return folder


def final(recording: Recording) -> RunSnapshot:
    state = initial_of(recording)
    for event in recording.events:
        state = fold(state, event)
    return state.snapshot


def written(tmp_path: Path, *records: object) -> Recording:
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return open_recording(path)


def test_every_capture_is_recognized_by_its_content(samples: Path) -> None:
    named = {"claude_code": "claude-code"}
    for path in sorted(samples.glob("*/*.jsonl")):
        folder = path.parent.name
        for recording in open_recordings(path):
            assert recording.runtime == named.get(folder, folder), path.name
            assert final(recording).degraded is None, path.name


@pytest.mark.parametrize(
    "name",
    [
        "codex/app_server_0.171.0_two_clients_hold_steer_decline.jsonl",
        "openclaw/gateway_ws_2026.9.6_approval_steer_deny.jsonl",
    ],
)
def test_a_held_call_waits_is_refused_and_the_guidance_is_seen(samples: Path, name: str) -> None:
    recording = open_recording(samples / name)
    state, waits = initial_of(recording), []
    for event in recording.events:
        state = fold(state, event)
        if state.snapshot.status is RunStatus.WAITING:
            waits.append((state.snapshot.waiting_for, state.snapshot.proposed_action))
    assert waits[0][1] == "run a command `mkdir -p out && echo hi > out/a.txt`"
    now = state.snapshot
    assert now.status is RunStatus.DONE
    assert now.goal == "Write hi into out/a.txt"
    kinds = [item.kind for item in now.evidence]
    assert kinds.index(EvidenceKind.DENIAL) < kinds.index(EvidenceKind.GUIDANCE)
    [told] = [item.text for item in now.evidence if item.kind is EvidenceKind.GUIDANCE]
    assert "out_v2/ instead of out/" in told
    assert now.files_changed == ("out_v2/a.txt",)
    assert now.last_message == "All done."


def test_what_two_clients_captured_counts_once(samples: Path) -> None:
    recording = open_recording(samples / STEERED[0])
    now = final(recording)
    assert now.tool_calls == 2
    assert [item.text for item in now.evidence if item.kind is EvidenceKind.MESSAGE] == [
        "I'll write the output file.",
        "Understood, I will use out_v2.",
        "All done.",
    ]
    assert recording.run_id == "01a22915-1ead-72b0-ac3f-b7f6f6597057"


def test_a_refusal_by_a_hook_is_read_from_the_rollout(samples: Path) -> None:
    now = final(open_recording(samples / "codex/rollout_0.171.0_hook_denied.jsonl"))
    [denial] = [item for item in now.evidence if item.kind is EvidenceKind.DENIAL]
    assert denial.text.startswith("run a command `ls -la`\nHeld by Jarvis. The user decided:")
    assert "Command:" not in denial.text
    assert (now.status, now.tool_failures, now.cwd) == (RunStatus.DONE, 0, "/home/dev/project")
    assert now.started_at_s == pytest.approx(1795985538.337)


def test_every_item_type_of_codex_exec(samples: Path) -> None:
    now = final(open_recording(samples / "codex/takopi_codex_exec_json_all_formats.jsonl"))
    assert now.plan == tuple(
        PlanStep(text, "completed")
        for text in ("Inspect repo structure", "Run tests", "Fix failing tests")
    )
    assert now.files_changed == ("src/compute_answer.py", "README.md")
    assert (now.tool_calls, now.tool_failures, now.status) == (7, 3, RunStatus.FAILED)


def test_the_shapes_of_an_older_rollout(tmp_path: Path) -> None:
    def line(kind: str, **payload: object) -> dict:
        return {"timestamp": "2026-02-23T10:00:00.000Z", "type": kind, "payload": payload}

    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** Update File: b.py\n*** End Patch"
    shell = json.dumps({"command": ["bash", "-lc", "echo hi > c.txt"]})
    now = final(
        written(
            tmp_path,
            line("session_meta", id="t-1", cwd="/w/shop", originator="codex_cli_rs"),
            line("event_msg", type="user_message", message="Fix it"),
            line("event_msg", type="agent_reasoning", text="hm"),
            line("event_msg", type="agent_message", message="I look."),
            line("response_item", type="function_call", name="shell", arguments=shell, call_id="1"),
            line(
                "response_item",
                type="function_call_output",
                call_id="1",
                output=json.dumps({"output": "oops", "metadata": {"exit_code": 2}}),
            ),
            line(
                "response_item",
                type="custom_tool_call",
                name="apply_patch",
                input=patch,
                call_id="2",
            ),
            line("response_item", type="custom_tool_call_output", call_id="2", output="Success"),
            line(
                "response_item",
                type="function_call",
                name="update_plan",
                arguments=json.dumps({"plan": [{"step": "test", "status": "in_progress"}]}),
                call_id="3",
            ),
            line("event_msg", type="turn_aborted", reason="interrupted"),
        )
    )
    assert (now.runtime, now.goal, now.last_message) == ("codex", "Fix it", "I look.")
    assert now.files_changed == ("a.py", "b.py")
    assert now.failures[0].startswith("run a command `echo hi > c.txt`: oops")
    assert now.plan == (PlanStep("test", "in_progress"),)
    assert now.status is RunStatus.STOPPED


def test_a_thread_that_another_spawned_knows_its_parent(tmp_path: Path) -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "t-0", "depth": 1}}}
    meta = {"id": "t-1", "cwd": "/w", "source": source}
    recording = written(
        tmp_path, {"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": meta}
    )
    assert (recording.run_id, recording.parent_run_id) == ("t-1", "t-0")


def test_a_subagent_of_claude_code_is_a_run_of_its_own(tmp_path: Path) -> None:
    def entry(kind: str, text: str, number: int, **more: object) -> dict:
        message = {"role": kind, "content": [{"type": "text", "text": text}]}
        return {"type": kind, "uuid": f"u{number}", "sessionId": "s", "message": message} | more

    aside = {"isSidechain": True, "agentId": "a1"}
    path = tmp_path / "x.jsonl"
    records = [
        entry("user", "Build it", 1),
        entry("user", "Look into the tests", 2, **aside),
        entry("assistant", "They fail", 3, **aside),
        entry("assistant", "I build", 4),
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    parent, child = open_recordings(path)
    assert (parent.run_id, parent.parent_run_id) == ("s", None)
    assert (child.run_id, child.parent_run_id) == ("s/a1", "s")
    assert final(parent).last_message == "I build"
    assert (final(child).goal, final(child).last_message) == ("Look into the tests", "They fail")
    assert open_recording(path).run_id == "s"


def test_the_openclaw_transcript_and_its_hooks_tell_the_same_story(samples: Path) -> None:
    rows = final(open_recording(samples / "openclaw/transcript_events_2026.9.6_hook_block.jsonl"))
    hooks = final(open_recording(samples / "openclaw/plugin_hook_events_2026.9.6_hold_block.jsonl"))
    for now in (rows, hooks):
        assert now.run_id == "5a95901f-20a8-49ef-89f5-63840618ed54"
        assert (now.status, now.goal) == (RunStatus.DONE, "Write hi into out/a.txt")
        [denial] = [item for item in now.evidence if item.kind is EvidenceKind.DENIAL]
        assert "write to out_v2/ instead of out/" in denial.text
        assert now.cwd == "/home/dev/project"


def test_openclaw_costs_add_up_and_errors_end_the_run(tmp_path: Path) -> None:
    def message(number: int, **message: object) -> dict:
        return {"type": "message", "id": f"m{number}", "parentId": None, "message": message}

    spent = {"usage": {"cost": {"total": 0.25}}, "content": [], "role": "assistant"}
    now = final(
        written(
            tmp_path,
            message(1, role="user", content="go"),
            message(2, **spent),
            message(3, **spent, stopReason="error", errorMessage="overloaded"),
        )
    )
    assert now.cost_usd == pytest.approx(0.5)
    assert (now.status, now.failures) == (RunStatus.FAILED, ("overloaded",))


def opencode(kind: str, **properties: object) -> dict:
    return {"type": kind, "properties": properties}


def test_an_opencode_session(tmp_path: Path) -> None:
    info = {"id": "ses_2", "parentID": "ses_1", "directory": "/w", "title": "Fix tests"}
    state = {"input": {"command": "ls > l.txt"}, "time": {"start": 1795985540000}}
    tool = {"id": "p2", "sessionID": "ses_2", "type": "tool", "tool": "bash", "callID": "c1"}
    text = {"id": "p1", "sessionID": "ses_2", "messageID": "m1", "type": "text", "text": "Go"}
    recording = written(
        tmp_path,
        opencode("session.created", info=info),
        opencode("message.updated", info={"id": "m1", "sessionID": "ses_2", "role": "user"}),
        opencode("message.part.updated", part=text),
        opencode("message.part.updated", part=tool | {"state": state | {"status": "running"}}),
        opencode(
            "permission.asked",
            id="per_1",
            sessionID="ses_2",
            permission="bash",
            patterns=["ls > l.txt"],
            tool={"messageID": "m2", "callID": "c1"},
        ),
    )
    now = final(recording)
    assert (recording.parent_run_id, now.goal, now.title) == ("ses_1", "Go", "Fix tests")
    assert (now.status, now.waiting_for) == (RunStatus.WAITING, "your approval: bash ls > l.txt")
    assert now.proposed_action == "run a command `ls > l.txt`"
    denied = state | {"status": "error", "error": "The user rejected permission to use this tool"}
    later = written(
        tmp_path,
        opencode("message.part.updated", part=tool | {"state": state | {"status": "running"}}),
        opencode("permission.replied", sessionID="ses_2", requestID="per_1", reply="reject"),
        opencode("message.part.updated", part=tool | {"state": denied}),
        opencode(
            "todo.updated", sessionID="ses_2", todos=[{"content": "a", "status": "completed"}]
        ),
        opencode("session.idle", sessionID="ses_2"),
    )
    assert any(isinstance(event, ToolDenied) for event in later.events)
    assert final(later).plan == (PlanStep("a", "completed"),)
    assert final(later).status is RunStatus.DONE


def test_a_saved_server_sent_stream_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "sse.txt"
    status = opencode("session.status", sessionID="ses_1", status={"type": "busy"})
    path.write_text(f": hello\nevent: message\nid: 1\ndata: {json.dumps(status)}\n\n")
    assert (open_recording(path).runtime, open_recording(path).run_id) == ("opencode", "ses_1")


def test_openhands_waits_for_a_confirmation_and_is_refused(tmp_path: Path) -> None:
    def event(number: int, kind: str, **more: object) -> dict:
        stamp = "2026-06-16T05:39:18.8"
        return {"id": f"e{number}", "timestamp": stamp, "source": "agent", "kind": kind} | more

    action = {"command": "rm -r out", "kind": "TerminalAction"}
    call = {"tool_name": "terminal", "tool_call_id": "c1", "action": action, "summary": "Clean"}
    waiting = {"key": "execution_status", "value": "waiting_for_confirmation"}
    records = [
        event(1, "ActionEvent", **call),
        event(2, "ConversationStateUpdateEvent", **waiting),
        event(3, "UserRejectObservation", action_id="e1", rejection_reason="Keep it"),
        event(4, "ConversationStateUpdateEvent", key="execution_status", value="finished"),
    ]
    held = final(written(tmp_path, *records[:2]))
    assert held.status is RunStatus.WAITING
    assert held.proposed_action == "Clean `rm -r out`"
    now = final(written(tmp_path, *records))
    [denial] = [item for item in now.evidence if item.kind is EvidenceKind.DENIAL]
    assert denial.text == "Clean `rm -r out`\nKeep it"
    assert now.status is RunStatus.DONE


def test_the_example_program_writes_what_the_reader_reads(tmp_path: Path) -> None:
    program = ROOT / "assets" / "examples" / "jarvis_event.py"
    assert len(program.read_text().splitlines()) <= 22
    subprocess.run([sys.executable, program], cwd=tmp_path, check=True)
    now = final(open_recording(tmp_path / "events.jsonl"))
    assert (now.run_id, now.runtime, now.title) == ("nightly-1", "nightly", "Nightly report")
    assert now.status is RunStatus.WAITING
    assert now.waiting_for == "Shall I send it although two numbers look odd?"
    assert now.files_changed == ("out/report.txt",)
    assert [step.state for step in now.plan] == ["completed", "pending"]


def jarvis(kind: str, **facts: object) -> dict:
    return {"schema": "jarvis.event/v1", "run": "r", "type": kind} | facts


def test_every_type_of_jarvis_event(tmp_path: Path) -> None:
    records = [
        jarvis("started", goal="Go", parent="boss", cwd="/w", at="2026-01-01T00:00:00Z"),
        jarvis("tool", call="1", tool="bash", input={"command": "ls"}),
        jarvis("held", call="1", text="the user decides"),
        jarvis("denied", call="1", text="not now"),
        jarvis("tool", call="2", summary="send the mail", files=["out/mail.txt", 7]),
        jarvis("finished", call="2", ok=True, output="sent"),
        jarvis("guidance", text="Use UTC"),
        jarvis("plan", steps=[{"text": "a", "state": "nonsense"}, {"state": "completed"}]),
        jarvis("cost", usd=0.5),
        jarvis("cost", usd=-3),
        jarvis("waiting", text="Which zone?"),
        jarvis("resumed"),
        jarvis("said", text="Done.", title="Mailer"),
        jarvis("ended", status="failed", text="no network"),
    ]
    recording = written(tmp_path, *records)
    now = final(recording)
    assert (recording.parent_run_id, recording.title) == ("boss", "Mailer")
    assert (now.goal, now.cost_usd, now.files_changed) == ("Go", 0.5, ("out/mail.txt",))
    assert [item.kind.value for item in now.evidence] == [
        *("action", "denial", "action", "result", "guidance", "message"),
    ]
    assert now.plan == (PlanStep("a", "pending"),)
    assert (now.status, now.failures) == (RunStatus.FAILED, ("no network",))
    assert now.degraded is None
    odd = final(written(tmp_path, jarvis("started"), jarvis("dance")))
    assert odd.degraded == "A record of the unknown kind dance was left out."


def test_an_event_with_a_name_counts_once(tmp_path: Path) -> None:
    said = jarvis("said", id="e1", text="Hello")
    assert final(written(tmp_path, said, jarvis("said", text="x"), said)).last_message == "x"


def test_several_runs_in_one_file_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    records = [jarvis("started", run=f"r{n % 3}", goal=f"goal {n % 3}") for n in range(9)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert [(item.run_id, final(item).goal) for item in open_recordings(path)] == [
        (f"r{n}", f"goal {n}") for n in range(3)
    ]


SECRET = "sk-ant-" + "0123456789abcdef" * 2


@pytest.mark.parametrize(
    "record",
    [
        jarvis("said", text=f"the key is {SECRET}"),
        jarvis("tool", command=f"curl -H 'authorization: bearer {SECRET}'"),
        jarvis("tool", tool="x", input={"header": SECRET}),
        jarvis("finished", call="1", output=SECRET),
        jarvis("started", goal=SECRET, title=SECRET),
        opencode("session.created", info={"id": "s", "title": SECRET}),
        {
            "timestamp": "2026-01-01T00:00:00Z",
            "type": "response_item",
            "payload": {
                "type": "function_call",
                "name": "shell",
                "call_id": "1",
                "arguments": json.dumps({"command": ["bash", "-lc", f"KEY={SECRET} run"]}),
            },
        },
        {
            "type": "message",
            "id": "m",
            "parentId": None,
            "message": {"role": "user", "content": SECRET},
        },
        {
            "kind": "ActionEvent",
            "source": "agent",
            "timestamp": "2026-01-01T00:00:00",
            "tool_name": "terminal",
            "action": {"command": f"echo {SECRET}"},
            "thought": [{"text": SECRET}],
        },
    ],
    ids=lambda record: str(record.get("type") or record.get("kind")),
)
def test_secrets_stay_outside(tmp_path: Path, record: dict) -> None:
    recording = written(tmp_path, record)
    assert recording.events
    assert SECRET not in repr(recording)


def test_runtimes_do_not_claim_what_is_anothers(samples: Path) -> None:
    named = {"claude_code": "claude-code"}
    for path in sorted(samples.glob("*/*.jsonl")):
        runtime = named.get(path.parent.name, path.parent.name)
        for text in path.read_text().splitlines():
            record = json.loads(text)
            sure = {source.runtime for source in SOURCES if source.claims(record) == 2}
            assert sure <= {runtime}, (path.name, text[:200])


def test_an_unknown_kind_of_record_is_named(tmp_path: Path) -> None:
    stamp = "2026-01-01T00:00:00Z"
    now = final(
        written(
            tmp_path,
            {"timestamp": stamp, "type": "session_meta", "payload": {"id": "t"}},
            {"timestamp": stamp, "type": "hologram", "payload": {}},
        )
    )
    assert now.degraded == "A record of the unknown kind hologram was left out."


def kinds(events: tuple[RunEvent, ...], *wanted: type[RunEvent]) -> list[type[RunEvent]]:
    return [type(event) for event in events if isinstance(event, wanted)]


def test_hook_inputs_that_were_mapped_from_another_runtime_keep_its_name() -> None:
    sorter = hook_sorter("gemini-cli")
    given = {"hook_event_name": "UserPromptSubmit", "session_id": "g1", "prompt": "Go", "cwd": "/w"}
    [told] = sorter.record(given, "1")
    assert (told.run_id, told.runtime, told.cwd) == ("g1", "gemini-cli", "/w")
    [child] = sorter.record(given | {"agent_id": "a"}, "2")
    assert (child.run_id, child.parent_run_id) == ("g1/a", "g1")


def test_a_line_that_is_cut_off_is_said(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    whole = json.dumps(jarvis("said", text="a")) + "\n"
    path.write_text(whole + json.dumps(jarvis("said", text="b"))[:-9])
    assert final(open_recording(path)).degraded == "A half-written line was left out."
    assert Line("", whole=False, size=1) not in open_recording(path).events


def test_steering_in_a_turn_is_guidance_and_the_next_turn_has_a_goal(tmp_path: Path) -> None:
    def item(number: int, text: str) -> dict:
        content = [{"type": "text", "text": text}]
        given = {"type": "userMessage", "id": f"i{number}", "content": content}
        return {"method": "item/completed", "params": {"threadId": "t", "item": given}}

    def turn(name: str) -> dict:
        return {"method": "turn/started", "params": {"threadId": "t", "turn": {"id": name}}}

    recording = written(
        tmp_path, turn("1"), item(1, "a"), item(2, "use UTC"), turn("2"), item(3, "b")
    )
    assert kinds(recording.events, GuidanceGiven) == [GuidanceGiven]
    assert final(recording).goal == "b"
    assert kinds(recording.events, ToolRequested, ToolFinished) == []
