"""The client of SoulX-Duplug against a scripted server: protocol, stall, lost connection."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from audio.controllers.base import HeardSound, Judgement, Pause
from audio.controllers.soulx import HOP, SoulXController
from audio.turn.events import TurnState

PATIENCE_S = 10.0
Script = Callable[[int, dict], object]


class Server:
    """Answers each message as a script says: a state, a whole document, or None for nothing."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.seen: list[dict] = []
        self.connections = 0
        self.answered = threading.Semaphore(0)
        self.url = ""

    def handle(self, connection: ServerConnection) -> None:
        self.connections += 1
        try:
            for message in connection:
                document = json.loads(message)
                self.seen.append(document)
                answer = self.script(len(self.seen) - 1, document)
                if answer == "hang up":
                    return
                if answer is not None:
                    connection.send(json.dumps(_answer(answer, document)))
                self.answered.release()
        except ConnectionClosed:
            return


def _answer(answer: object, document: dict) -> object:
    if not isinstance(answer, str):
        return answer
    session = document["session_id"]
    return {"type": "turn_state", "session_id": session, "state": {"state": answer}, "ts": 1.0}


@contextmanager
def serving(script: Script) -> Iterator[Server]:
    server = Server(script)
    with serve(server.handle, "127.0.0.1", 0) as running:
        server.url = f"ws://127.0.0.1:{running.socket.getsockname()[1]}/turn"
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            running.shutdown()
            thread.join(PATIENCE_S)


@contextmanager
def talking(server: Server, answer_s: float = PATIENCE_S) -> Iterator[Feed]:
    controller = SoulXController(server.url, first_retry_s=0.01, answer_s=answer_s)
    try:
        yield Feed(controller, server)
    finally:
        controller.close()


class Feed:
    """Pushes one step of sound after another."""

    def __init__(self, controller: SoulXController, server: Server) -> None:
        self.controller = controller
        self.server = server
        self.at = 0
        self.found: list[Judgement] = []

    def step(self, answered: bool = True) -> None:
        """Push one step, and wait until the server has dealt with it."""
        sound = np.full(HOP, self.at / HOP, np.float32)
        self.found += self.controller.push(HeardSound(sound, self.at))
        self.at += HOP
        if answered:
            assert self.server.answered.acquire(timeout=PATIENCE_S)

    def until(self, told: Callable[[], bool]) -> None:
        """Take in what the client's thread has brought, until it is so."""
        pause = threading.Event()
        for _ in range(int(PATIENCE_S / 0.01)):
            self.found += self.controller.push(HeardSound(np.zeros(0, np.float32), self.at))
            if told():
                return
            pause.wait(0.01)
        pytest.fail(f"it never came: {self.found}")

    def judge(self, ended: int | None = None) -> Judgement:
        end = self.at if ended is None else ended
        return self.controller.judge(Pause(0, end, self.at))


def test_it_sends_steps_of_sound_and_tells_the_end_of_a_turn():
    states = ["nonidle", "nonidle", "speak"]
    with serving(lambda index, _: states[index]) as server, talking(server) as feed:
        for _ in states:
            feed.step()
        feed.until(lambda: bool(feed.found))
        assert [judgement.state for judgement in feed.found] == [TurnState.COMPLETE]
        assert feed.found[0].at_sample == 3 * HOP
        assert feed.judge().state is TurnState.COMPLETE
        first, second, _ = server.seen
        assert first["type"] == "audio"
        assert first["session_id"] == second["session_id"]
        sound = np.frombuffer(base64.b64decode(second["audio"]), "<f4")
        assert np.array_equal(sound, np.full(HOP, 1.0, np.float32))


def test_sound_in_pieces_of_any_length_becomes_steps():
    with serving(lambda *_: "idle") as server, talking(server) as feed:
        whole = np.arange(2 * HOP, dtype=np.float32)
        for start in range(0, 2 * HOP, 512):
            feed.controller.push(HeardSound(whole[start : start + 512], start))
        for _ in range(2):
            assert server.answered.acquire(timeout=PATIENCE_S)
        sent = [np.frombuffer(base64.b64decode(m["audio"]), "<f4") for m in server.seen]
        assert np.array_equal(np.concatenate(sent), whole)


def test_silence_without_an_end_is_a_pause_and_what_was_over_before_is_no_end():
    states = ["nonidle", "speak", "nonidle", "idle"]
    with serving(lambda index, _: states[index]) as server, talking(server) as feed:
        for _ in states:
            feed.step()
        feed.until(lambda: feed.judge().at_sample == 4 * HOP)
        assert feed.judge().state is TurnState.INCOMPLETE


@pytest.mark.parametrize(
    ("internal", "state"),
    [
        ("user_incomplete", TurnState.INCOMPLETE),
        ("user_backchannel", TurnState.BACKCHANNEL),
        ("user_complete", TurnState.COMPLETE),
    ],
)
def test_a_server_that_tells_more_is_understood(internal: str, state: TurnState):
    told = {
        "type": "turn_state",
        "state": {"state": "idle", "debug": {"internal_state": internal}},
    }
    with serving(lambda *_: told) as server, talking(server) as feed:
        feed.step()
        feed.until(lambda: feed.judge().at_sample == HOP)
        assert feed.judge().state is state


def test_a_stall_is_told_once_and_silence_decides_until_it_answers_again():
    def script(index: int, _: dict) -> str | None:
        return "idle" if index == 0 or feed_again.is_set() else None

    feed_again = threading.Event()
    with serving(script) as server, talking(server, answer_s=0.5) as feed:
        feed.step()
        feed.until(lambda: feed.judge().at_sample == HOP)
        for _ in range(5):
            feed.step(answered=False)
        feed.until(lambda: bool(feed.found))
        (fault,) = feed.found
        assert fault.state is TurnState.UNKNOWN
        assert "does not answer" in fault.fault
        assert feed.judge().state is TurnState.UNKNOWN
        feed_again.set()
        feed.until(lambda: feed.judge().state is TurnState.INCOMPLETE)
        assert [judgement.fault for judgement in feed.found] == [fault.fault]


def test_a_lost_connection_is_made_again():
    def script(index: int, _: dict) -> str:
        return "hang up" if index == 1 else "idle"

    with serving(script) as server, talking(server) as feed:
        feed.step()
        feed.step(answered=False)
        feed.until(lambda: server.connections >= 2)
        feed.step()
        feed.until(lambda: feed.judge().at_sample == 3 * HOP)
        assert feed.judge().state is TurnState.INCOMPLETE
        assert len({message["session_id"] for message in server.seen}) == 2


@pytest.mark.parametrize(
    "nonsense", [[], {"type": "error"}, {"type": "turn_state"}, {"type": "turn_state", "state": 3}]
)
def test_an_answer_that_is_none_does_no_harm(nonsense: object):
    def script(index: int, _: dict) -> object:
        return nonsense if index == 0 else "speak"

    with serving(script) as server, talking(server) as feed:
        feed.step()
        feed.until(lambda: server.connections >= 2)
        feed.step()
        feed.until(lambda: bool(feed.found))
        assert feed.found[0].state is TurnState.COMPLETE


def test_a_gap_and_a_reset_forget_what_was_told():
    with serving(lambda *_: "speak") as server, talking(server) as feed:
        feed.step()
        feed.until(lambda: feed.judge().state is TurnState.COMPLETE)
        feed.controller.reset("another device")
        assert feed.judge().state is TurnState.UNKNOWN
        feed.at = 10**6
        feed.step()
        feed.until(lambda: feed.judge(ended=10**6).at_sample == 10**6 + HOP)


def test_a_server_that_is_not_there_costs_nothing_but_its_opinion():
    controller = SoulXController("ws://127.0.0.1:9/turn", first_retry_s=0.01)
    found = []
    for index in range(8):
        found += controller.push(HeardSound(np.zeros(HOP, np.float32), index * HOP))
    assert [judgement.fault != "" for judgement in found] == [True]
    assert "127.0.0.1:9" in found[0].fault
    assert controller.judge(Pause(0, 0, 8 * HOP)).state is TurnState.UNKNOWN
    controller.close()
