"""The recorded demo run, watched and asked about as in a conversation: answers true to the run."""

from __future__ import annotations

import asyncio
from pathlib import Path

from jarvis_voice.brain.brain import NarratorBrain
from jarvis_voice.brain.history import Dialogue
from jarvis_voice.clock import session_now
from jarvis_voice.events import Exchange, Question
from jarvis_voice.runs.sources import open_recording
from jarvis_voice.runs.watcher import RunWatcher

DEMO = Path(__file__).resolve().parents[2] / "assets" / "runs" / "demo.jsonl"
PACE = 0.1  # the run of 4.6 seconds takes 46


class Conversation:
    """Asks the narrator, and hears all or some of each answer."""

    def __init__(self, brain: NarratorBrain) -> None:
        self._brain = brain
        self._dialogue = Dialogue()
        self._turn = 0

    async def ask(self, text: str, heard_words: int | None = None) -> str:
        self._turn += 1
        question = Question(self._turn, text, session_now(), 0.0, self._dialogue.recent())
        answer = "".join([piece async for piece in self._brain.reply(question)])
        cut = heard_words is not None
        heard = " ".join(answer.split()[:heard_words])
        versions = self._brain.versions()
        self._dialogue.add(Exchange(self._turn, text, answer, heard, cut, versions))
        return answer


async def test_a_conversation_during_the_demo_run_is_true_to_it() -> None:
    watcher = RunWatcher(lambda _: None)
    talk = Conversation(NarratorBrain(watcher))
    async with asyncio.TaskGroup() as group:
        group.create_task(watcher.replay(open_recording(DEMO), PACE))
        await asyncio.sleep(20)

        first = await talk.ask("How is it going?")
        assert first.startswith("It is still working. The action under way: Write output.")
        assert "I'll write the output file." in first
        assert "denied" not in first

        assert "Write output." in await talk.ask("What is it doing right now?")
        await talk.ask("What did it find so far?", heard_words=3)
        assert (await talk.ask("Wait, what failed?")).startswith("No failure so far.")
        assert (await talk.ask("How long has it been running?")).startswith(
            "So far about two seconds"
        )
        await asyncio.sleep(30)

        news = await talk.ask("What changed since I last asked?")
        assert news.startswith("It is done.")
        assert "An action was denied." in news
        assert "write to out_v2/ instead of out/" in news
        assert "Newly changed: out_v2/a.txt." in news

        meant = await talk.ask("What do you mean by denied?")
        assert meant.startswith("Denied means: the action was refused and did not run.")
        assert "You decided: write to out_v2/ instead of out/." in await talk.ask(
            "What did I decide?"
        )
        assert (await talk.ask("And what did it cost?")).startswith("Less than one cent.")
        assert (await talk.ask("Anything new?")).startswith("Nothing new. It is done.")
        assert "weather" in await talk.ask("What's the weather like in Berlin?")
