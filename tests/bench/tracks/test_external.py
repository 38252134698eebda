"""An agent runtime as a worker. A small program stands in for it behind the same command line.

``FAKE`` reads the hooks that were written into its settings, and posts what Claude Code posts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench import real_agents
from bench.behind_gate import attach
from bench.real_agents import Sandbox
from bench.results import Episode, RunRecord
from bench.suite.bundle import Bundle
from bench.tracks.collaboration import Conditions, run_episode
from bench.tracks.external import External
from bench.tracks.seat import Talking
from jarvis_voice.runtimes.attach import attachment
from jarvis_voice.runtimes.attach.base import Link, Place
from jarvis_voice.wire.rendezvous import find

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.skipif(os.name != "posix", reason="the double is started by its first line"),
]

Tiny = Callable[..., Path]

FAKE = '''\
import json, os, pathlib, subprocess, sys, urllib.request

home = pathlib.Path(os.environ["CLAUDE_CONFIG_DIR"])
hooks = json.loads((home / "settings.json").read_text())["hooks"]
transcript = home / "projects/here/s-1.jsonl"
transcript.parent.mkdir(parents=True)
calls = 0


def tell(event, **fields):
    (group,) = hooks[event]
    (hook,) = group["hooks"]
    payload = {"hook_event_name": event, "session_id": "s-1", "cwd": os.getcwd(), **fields}
    head = {"Content-Type": "application/json", **hook["headers"]}
    request = urllib.request.Request(hook["url"], json.dumps(payload).encode(), head)
    with urllib.request.urlopen(request, timeout=hook["timeout"]) as answer:
        return json.loads(answer.read())


def keep(kind, **content):
    """A line of the transcript."""
    message = {"role": kind, "content": [content]}
    line = {"type": kind, "sessionId": "s-1", "uuid": os.urandom(4).hex(), "message": message}
    with transcript.open("a") as file:
        file.write(json.dumps(line) + "\\n")


def say(text):
    keep("assistant", type="text", text=text)


def call(tool, given, run, **child):
    """What the model is told of a call: None, or why it was refused."""
    global calls
    calls += 1
    fields = {"tool_name": tool, "tool_input": given, "tool_use_id": f"toolu_{calls}", **child}
    answer = tell("PreToolUse", **fields).get("hookSpecificOutput", {})
    told = answer.get("permissionDecisionReason")
    if answer.get("permissionDecision") != "deny":
        run()
        answer = tell("PostToolUse", tool_response={"stdout": ""}, **fields)
        told = answer.get("reason") or answer.get("hookSpecificOutput", {}).get("additionalContext")
    keep("user", type="tool_result", tool_use_id=fields["tool_use_id"], content=told or "")
    tell("PostToolBatch", tool_calls=[], **child)
    return told


def write(path, record):
    text = json.dumps(record)
    file = pathlib.Path(path).resolve()
    file.parent.mkdir(exist_ok=True)
    return call("Write", {"file_path": str(file), "content": text}, lambda: file.write_text(text))


def bash(command, **child):
    return call("Bash", {"command": command}, lambda: subprocess.run(command, shell=True), **child)


def end(**result):
    print(json.dumps({"type": "result", "session_id": "s-1", **result}))


tell("UserPromptSubmit", prompt=sys.argv[-1])
RECORD = {"total": 60, "fund": "general",
          "question_for_requester": "Which fund do gifts without a name go to?"}
RIGHT = {"total": 60, "fund": "school", "basis": "as the user said", "question_for_requester": ""}
'''

DELIVERS = """
assert pathlib.Path("sources/gifts.csv").read_text() == "name,amount\\nAnn,10\\n,50\\n"
say("The gifts are 60 together.")
told = bash("cat sources/gifts.csv > /dev/null; echo '{\\"total\\": 60}' > results/total.json; "
            "echo spoiled >> sources/gifts.csv; echo mine > notes.md")
assert "sources/gifts.csv" in told, told
assert pathlib.Path("sources/gifts.csv").read_text() == "name,amount\\nAnn,10\\n,50\\n"
assert pathlib.Path("notes.md").read_text() == "mine\\n"
"""
ENDS = """
while tell("Stop").get("decision") == "block":
    say("I go on.")
end(is_error=False)
"""


async def attach_quickly(name: str, sandbox: Sandbox) -> None:
    """What ``jarvis attach`` writes, without the process and its trial."""
    found = find(sandbox.state / "gate.json")
    assert found is not None
    link = Link(found.url, found.token, sandbox.state / "gate.json", "jarvis", "open", 540.0)
    place = Place(sandbox.home, None, sandbox.private())
    for edit in attachment(name).edits(place, link):
        assert edit.after is not None
        edit.path.write_bytes(edit.after)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """``fake(steps)`` installs a program that does these steps as Claude Code."""

    def install(steps: str) -> None:
        path = tmp_path / "claude"
        path.write_text(f"#!{sys.executable} -S\n{FAKE}{steps}", "utf-8")
        path.chmod(0o755)
        monkeypatch.setenv("JARVIS_CLAUDE", str(path))
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none that is checked")

    return install


def run(root: Path, controller: str, attaching: Any = attach_quickly) -> RunRecord:
    def crew(bundle: Bundle, name: str) -> External:
        return External(name, bundle, attaching)

    episode = Episode(task=root.name, controller=controller, workers="claude-code", mode="paper")
    return run_episode(root, episode, Conditions(crew, talking=Talking(0.0, 0.05)))


@pytest.fixture
def root(tiny: Tiny) -> Path:
    return tiny(sealed={"availability": {"delay_s": 0}})


def test_a_held_record_is_refused_with_the_users_words_and_the_agent_corrects_it(
    root: Path, fake: Callable[[str], None]
) -> None:
    corrects = (
        'told = write("results/final.json", RECORD)\n'
        'assert "Nameless gifts go to the school fund" in told, told\n'
        'assert not pathlib.Path("results/final.json").exists()\n'
        'assert write("results/final.json", RIGHT) is None\n'
    )
    fake(DELIVERS + corrects + ENDS)
    record = run(root, "jarvis", attach)
    assert record.failure is None
    assert record.score == 100.0
    assert record.missing == []
    (question,) = record.questions
    assert "Which fund do gifts without a name go to?" in question.question
    assert (question.session, question.verdict) == ("gifts/main", "deny")
    assert (question.window, question.timely) == ("fund", 1.0)
    assert question.idle_s > 0
    assert record.receipts.closed
    assert record.receipts.sent == 1
    assert record.calls == 3
    kinds = {moment.kind: moment.text for moment in record.timeline if moment.session == "main"}
    assert kinds["read"] == "sources/gifts.csv"
    assert kinds["say"] == "The gifts are 60 together."
    assert kinds["put back"] == "sources/gifts.csv"
    assert kinds["refused"] == "write results/final.json"
    written = [moment.text for moment in record.timeline if moment.kind == "write"]
    assert written == ["results/total.json", "results/final.json"]


def test_what_a_script_writes_is_a_boundary_too(root: Path, fake: Callable[[str], None]) -> None:
    scripted = (
        'pathlib.Path("make.py").write_text("import json, sys\\n"\n'
        "    \"open('results/final.json', 'w').write(\" + repr(json.dumps(RECORD)) + \")\")\n"
        'told = bash("python3 make.py")\n'
        'assert "Nameless gifts go to the school fund" in told, told\n'
        'assert "Put back as it was before: results/final.json" in told, told\n'
        'assert not pathlib.Path("results/final.json").exists()\n'
        'assert write("results/final.json", RIGHT) is None\n'
    )
    fake(DELIVERS + scripted + ENDS)
    record = run(root, "jarvis")
    assert record.failure is None
    assert record.score == 100.0
    assert len(record.questions) == 1
    assert record.receipts.closed


def test_a_native_child_is_a_run_of_its_own(tiny: Tiny, fake: Callable[[str], None]) -> None:
    steps = (
        'bash("cat PROJECT.md; mkdir results/north; echo {} > results/north/part.json", '
        'agent_id="a5f", agent_type="general-purpose")\n'
        'bash("echo \'{\\"total\\": 60}\' > results/total.json")\n'
        'write("results/final.json", RIGHT)\n'
    )
    fake(steps + ENDS)
    record = run(tiny("project_gifts", sealed={"availability": {"delay_s": 0}}), "never")
    assert (record.failure, record.score, record.topology) == (None, 100.0, "multi_agent")
    written = {moment.text: moment.session for moment in record.timeline if moment.kind == "write"}
    assert written == {
        "results/north/part.json": "child-1",
        "results/total.json": "main",
        "results/final.json": "main",
    }


def test_without_jarvis_the_record_is_kept_as_the_agent_leaves_it(
    root: Path, fake: Callable[[str], None]
) -> None:
    stray = 'pathlib.Path("results/late.txt").write_text("unseen")\nend(is_error=False)\n'
    fake(DELIVERS + 'assert write("results/final.json", RECORD) is None\n' + stray)
    record = run(root, "none")
    assert (record.score, record.failure, record.questions) == (75.0, None, [])
    assert [m.text for m in record.timeline if m.kind == "not kept"] == ["results/late.txt"]


@pytest.mark.parametrize(
    ("steps", "kind", "words"),
    [
        ('end(is_error=True, result="API Error: 529 overloaded")', "provider_failed", "overloaded"),
        ('sys.exit("it fell over")', "worker_failed", "it fell over"),
        ("import time; time.sleep(60)", "provider_failed", "within 0.4 seconds"),
        (
            'bash("cat TASKS/gifts/sealed/task.json")\nimport time; time.sleep(60)',
            "worker_failed",
            "sealed",
        ),
    ],
    ids=["its model fails", "it falls over", "no answer", "it looks for the sealed half"],
)
def test_what_is_not_the_agents_fault_is_no_score(
    root: Path,
    fake: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    steps: str,
    kind: str,
    words: str,
) -> None:
    if kind == "provider_failed":
        monkeypatch.setattr("bench.tracks.external._limit_s", lambda bundle: 0.4)
    fake(steps.replace("TASKS", str(root.parent)))
    record = run(root, "jarvis")
    assert (record.status, record.score) == ("invalid", None)
    assert record.failure is not None
    assert record.failure.kind == kind
    assert words in record.failure.problem


def test_without_a_key_or_a_program_nothing_is_started(
    root: Path, fake: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake("raise SystemExit(3)")
    for key in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(key, raising=False)
    record = run(root, "none")
    assert record.failure is not None
    assert record.failure.kind == "provider_failed"
    assert "ANTHROPIC_API_KEY" in record.failure.problem
    monkeypatch.setattr(real_agents, "program", lambda name: None)
    record = run(root, "none")
    assert record.failure is not None
    assert record.failure.kind == "runtime_missing"
    assert "npm install" in record.failure.problem
