"""A decision brought to the user by voice in the middle of a real agent's run, from end to end.

    python -m bench.end_to_end [claude-code] [codex] [--keep FOLDER]

The agent takes notes, then wants to write its final record although a question to its requester is
open in it, and that twice in one breath. Jarvis holds the calls, asks, hears "no" and what to do
instead, and has them refused with exactly that. The agent's model is a script on loopback, so what
it is told next can be looked at. Without names, all the programs that are found are run; exit
status 1 tells that the user's words did not reach a model.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.asked_by_voice import by_voice, open_desk
from bench.behind_gate import Dialogue, gated, watched
from bench.model_scripts import Call, turn
from bench.real_agents import NAMES, Sandbox, missing, program
from bench.voice_room import spoken
from jarvis_voice.attention.store import AttentionStore
from jarvis_voice.boundary import Verdict
from jarvis_voice.cli import build
from jarvis_voice.config import Settings

PROMPT = "Choose a hosting vendor and write down the decision."
RECORD = '{"choice": "Vendor B", "question_for_requester": "May it cost more than 500 dollars?"}'
NOTES = "Vendor A: 450 dollars. Vendor B: 700 dollars.\n"
ANSWER = "No, stay below five hundred dollars."
ELSEWHERE = "No, put it into the second folder instead."
DECIDED = '{"choice": "Vendor A"}'


def _claude_write(call_id: str, project: Path, path: str, content: str) -> Call:
    return Call(call_id, "Write", {"file_path": str(project / path), "content": content})


def _codex_write(call_id: str, _project: Path, path: str, content: str) -> Call:
    folder = str(Path(path).parent)
    command = f"mkdir -p {folder} && cat > {path} <<'END'\n{content.rstrip()}\nEND"
    return Call(call_id, "exec_command", {"cmd": command})


WRITE = {"claude-code": _claude_write, "codex": _codex_write}


def dialogue(name: str, project: Path) -> Dialogue:
    """What the agent is asked, and what its model says, turn by turn."""
    write = WRITE[name]
    turns = [
        turn("I take notes first.", write("call_notes", project, "notes.md", NOTES)),
        turn(
            "Now the decision.",
            write("call_record", project, "results/final.json", RECORD),
            write("call_again", project, "results/final.json", RECORD),
        ),
        turn("Then so.", write("call_decided", project, "results/final.json", DECIDED)),
        turn("The decision is written down."),
    ]
    return Dialogue(PROMPT, turns)


async def play(
    name: str, sandbox: Sandbox, engines: build.Engines, answer: NDArray[np.float32]
) -> bool:
    """Play it with one agent and tell what came of it; whether the user was heard."""
    with AttentionStore(sandbox.state / "attention.db") as store:
        desk = open_desk(store)
        work = gated(name, sandbox, dialogue(name, sandbox.project), watched(desk))
        outcome, talk = await by_voice(desk, engines, answer, work)
        desk.close()
    talk.room.keep(sandbox.folder / "conversation.wav")
    held = outcome.rulings["call_record"]
    results = [outcome.requests[2].result_of(call) or "" for call in ("call_record", "call_again")]
    lines = [
        f"{name}, run in {outcome.finished.took_s:.1f} s, {len(outcome.requests)} model requests",
        f"  Jarvis was heard to say   {talk.jarvis_said}",
        f"  the user was understood   {' / '.join(talk.user_said)}",
        f"  the call was held         {held.took_s:.1f} s",
        f"  the model was told        {outcome.requests[2].at_s - held.given_s:.2f} s later:",
        *(f"    {line}" for result in results for line in result.splitlines()),
        *(
            f"  {call} was let through in {ruled.took_s * 1000:.1f} ms"
            for call, ruled in outcome.rulings.items()
            if ruled.ruling.verdict is Verdict.ALLOW
        ),
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return any("The user decided" in result for result in results)


async def _play_all(names: Sequence[str], folder: Path) -> bool:
    (answer,) = await asyncio.to_thread(spoken, ANSWER)
    engines = await asyncio.to_thread(build.load_engines, Settings())
    try:
        heard = [await play(name, Sandbox.made(folder / name), engines, answer) for name in names]
    finally:
        engines.close()
    return all(heard)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="end_to_end", description="Ask by voice in a real run.")
    parser.add_argument("agents", nargs="*", metavar="AGENT", help=f"of {', '.join(NAMES)}; all")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave everything in FOLDER")
    chosen = parser.parse_args(arguments)
    names = chosen.agents or [name for name in NAMES if program(name) is not None]
    absent = [name for name in names if name not in NAMES or program(name) is None]
    if absent or not names:
        named = absent or NAMES
        reasons = [missing(name) if name in NAMES else f"unknown: {name}" for name in named]
        sys.stderr.write(f"Nothing was run: {'. '.join(reasons)}.\n")
        return 2
    with contextlib.ExitStack() as stack:
        folder = chosen.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        return 0 if asyncio.run(_play_all(names, folder)) else 1


if __name__ == "__main__":
    sys.exit(main())
