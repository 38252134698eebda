"""Whatever a file or a connection holds: no crash, no unbounded memory, the fault is named."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.runs.model import BOUNDS, SNAPSHOT_BYTES
from jarvis_voice.runs.reducer import fold, initial
from jarvis_voice.runs.sources import SOURCES, new_sorter, open_recordings
from jarvis_voice.runs.sources.lines import LINE_BYTES, Line, LineSplitter
from jarvis_voice.runs.sources.sorting import EARLY, READERS
from jarvis_voice.runs.tail import READ_BYTES, Tail
from jarvis_voice.runs.watcher import MAX_RUNS, RunWatcher

ROOT = Path(__file__).resolve().parents[3]
SHARED = Path(os.environ.get("JARVIS_SHARED", ROOT.parent / "shared")) / "samples"
CAPTURES = sorted(SHARED.glob("*/*.jsonl")) or [ROOT / "assets" / "runs" / "demo.jsonl"]
SAMPLES = [json.loads(line) for path in CAPTURES for line in path.read_bytes().splitlines()]
SAMPLES += [
    {"type": kind, "properties": {"sessionID": "s", "part": {"type": "tool", "state": {}}}}
    for kind in ("message.part.updated", "permission.asked", "session.error", "todo.updated")
]
SAMPLES += [
    {"schema": "jarvis.event/v1", "run": "r", "type": kind, "text": "x", "at": 1.0}
    for kind in ("started", "tool", "held", "finished", "denied", "plan", "cost", "ended")
]
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["completed", "tool", "user", "2026-01-01T00:00:00Z", "\ud800", "9" * 400]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)


def within_bounds(snapshot: Any) -> None:
    import dataclasses

    def plain(value: Any) -> Any:
        return value.value if hasattr(value, "value") else str(value)

    encoded = json.dumps(dataclasses.asdict(snapshot), default=plain, ensure_ascii=False)
    assert len(encoded.encode("utf-8", "surrogatepass")) <= SNAPSHOT_BYTES


def paths_of(value: Any, path: tuple = ()) -> list[tuple]:
    """Every place in a record."""
    found = [path] if path else []
    if isinstance(value, dict):
        for name, inner in value.items():
            found += paths_of(inner, (*path, name))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            found += paths_of(inner, (*path, place))
    return found


def replaced(value: Any, path: tuple, new: Any) -> Any:
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """A real record in which a few fields are something else."""
    record = draw(st.sampled_from(SAMPLES))
    for _ in range(draw(st.integers(1, 3))):
        places = paths_of(record)
        if places:
            record = replaced(record, draw(st.sampled_from(places)), draw(JUNK))
    return record


@given(st.lists(damaged(), min_size=1, max_size=4))
def test_every_reader_takes_records_whose_fields_are_anything(records: list) -> None:
    for source in SOURCES:
        reader, state = source.new(), initial("r", source.runtime)
        for number, record in enumerate(records):
            line = json.dumps(record)
            for event in reader.read(line, number):
                state = fold(state, event)
            parsed = json.loads(line)
            if isinstance(parsed, dict):
                assert source.claims(parsed) in (0, 1, 2)
                assert source.run_of(parsed) is None or isinstance(source.run_of(parsed), str)
        within_bounds(state.snapshot)


@given(st.lists(damaged() | JUNK, max_size=8), st.integers(1, 400))
def test_records_of_all_runtimes_mixed_and_cut_off_are_sorted(records: list, cut: int) -> None:
    data = b"".join(json.dumps(record).encode() + b"\n" for record in records)[:-cut]
    sorter, states = new_sorter("file"), {}
    splitter, number = LineSplitter(), 0
    found = []
    for line in [*splitter.feed(data), splitter.flush()]:
        if line is not None:
            number += 1
            found += sorter.line(line, number)
    for told in found + sorter.finish():
        assert told.run_id
        state = states.get(told.run_id) or initial(told.run_id, told.runtime)
        for event in told.events:
            state = fold(state, event)
        states[told.run_id] = state
    for run_id, state in states.items():
        assert state.snapshot.run_id == run_id
        within_bounds(state.snapshot)


@given(st.binary(max_size=400))
def test_bytes_that_are_no_lines_of_anything_are_no_run(data: bytes) -> None:
    sorter = new_sorter("file")
    splitter = LineSplitter()
    for number, line in enumerate(splitter.feed(data)):
        assert sorter.line(line, number) == []


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem[:40])
def test_a_capture_cut_off_anywhere_still_opens(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    whole = open_recordings(path)
    for size in range(len(data) // 3, len(data), max(len(data) // 7, 1)):
        cut = tmp_path / path.name
        cut.write_bytes(data[:size])
        found = open_recordings(cut)
        assert {item.run_id for item in found} <= {item.run_id for item in whole}


def claude(text: str, number: int) -> bytes:
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    record = {"type": "assistant", "uuid": f"u{number}", "sessionId": "s", "message": message}
    return json.dumps(record).encode() + b"\n"


def result(size: int) -> bytes:
    block = {"type": "tool_result", "tool_use_id": "t", "content": "x" * size}
    record = {"type": "user", "sessionId": "s", "uuid": "big", "message": {"content": [block]}}
    return json.dumps(record).encode() + b"\n"


def taken(tail: Tail) -> list:
    found = []
    while True:
        news, _ = tail.poll()
        found += [event for told in news for event in told.events]
        if not tail.more:
            return found


def test_a_tool_output_of_50_mb_takes_no_memory_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(claude("a", 1) + result(50 * 2**20) + claude("b", 2))
    tail = Tail(path)
    tail.poll()
    tracemalloc.start()
    events = taken(tail)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < LINE_BYTES * 4 + READ_BYTES * 8
    assert "A line of 50 megabytes was too long to read." in [
        getattr(event, "reason", "") for event in events
    ]
    assert getattr(events[-1], "text", None) == "b"


def test_an_output_that_still_fits_a_line_is_kept_by_its_ends(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(claude("a", 1) + result(3 * 2**20))
    [event] = [event for event in taken(Tail(path)) if hasattr(event, "output")]
    assert len(event.output) < 20_000


def test_a_line_that_never_ends_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(claude("a", 1))
    tail = Tail(path)
    taken(tail)
    with path.open("ab") as file:
        for _ in range(20):
            file.write(b"y" * READ_BYTES)
            file.flush()
            tail.poll()
    assert tail._splitter.pending >= 20 * READ_BYTES
    assert len(tail._splitter._tail) <= LINE_BYTES


@given(
    st.lists(
        st.sampled_from(["write", "half", "rotate", "cut", "delete", "touch", "poll", "junk"]),
        max_size=14,
    )
)
def test_files_that_rotate_shrink_and_vanish(tmp_path_factory, steps: list[str]) -> None:
    path = tmp_path_factory.mktemp("tail") / "run.jsonl"
    tail = Tail(path)
    for number, step in enumerate(steps):
        if step == "write":
            with path.open("ab") as file:
                file.write(claude(f"w{number}", number))
        elif step == "half":
            with path.open("ab") as file:
                file.write(claude("half", number)[:40])
        elif step == "junk":
            with path.open("ab") as file:
                file.write(b"\x00\xff{]\n")
        elif step == "rotate" and path.exists():
            path.rename(path.with_suffix(".1"))
        elif step == "cut" and path.exists():
            path.write_bytes(b"")
        elif step == "delete":
            path.unlink(missing_ok=True)
        else:
            tail.poll()
    with path.open("ab") as file:
        file.write(b"\n" + claude("the last", 999))
    said = [getattr(event, "text", "") for event in taken(tail)]
    assert "the last" in said


async def test_clocks_that_jump_do_not_hurt_the_picture() -> None:
    times = ["2026-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01"]
    changes: list = []
    watcher = RunWatcher(changes.append)
    sorter = new_sorter("r")
    for number, stamp in enumerate([*times, None, 10**400, "x", -5]):
        event = {"schema": "jarvis.event/v1", "run": "r", "type": "said", "text": f"m{number}"}
        for told in sorter.record(event | {"at": stamp}, str(number)):
            watcher.accept(told)
    [now] = watcher.snapshots()
    assert now.last_message == "m7"
    assert now.updated_at_s is not None
    assert now.started_at_s is not None
    assert now.started_at_s <= now.updated_at_s


def test_more_runs_in_a_file_than_are_kept_apart() -> None:
    sorter = new_sorter("all")
    for number in range(READERS + 50):
        event = {"schema": "jarvis.event/v1", "run": f"r{number}", "type": "said", "text": "x"}
        assert sorter.record(event, str(number))[0].run_id == f"r{number}"
    assert len(sorter._readers) <= READERS
    assert len(sorter._ids) <= READERS


async def test_a_watcher_forgets_the_runs_that_ended_first() -> None:
    watcher = RunWatcher(lambda change: None)
    sorter = new_sorter("all")

    def tell(run: int, kind: str) -> None:
        event = {"schema": "jarvis.event/v1", "run": f"r{run}", "type": kind, "at": float(run)}
        for told in sorter.record(event, f"{run}{kind}"):
            watcher.accept(told)

    tell(0, "started")
    for number in range(1, MAX_RUNS + 20):
        tell(number, "started")
        tell(number, "ended")
    runs = {snapshot.run_id for snapshot in watcher.snapshots()}
    assert len(runs) == MAX_RUNS
    assert "r0" in runs, "it goes on, so it is kept although it is the oldest"
    assert "r1" not in runs


def test_a_runtime_that_is_not_told_yet_keeps_only_a_little() -> None:
    sorter = new_sorter("x")
    for number in range(EARLY * 10):
        assert sorter.line(Line(json.dumps({"n": number}), whole=True, size=9), number) == []
    assert len(sorter._early) == EARLY


def test_a_run_with_an_endless_name_is_one_run_all_the_same() -> None:
    sorter = new_sorter("x")
    event = {"schema": "jarvis.event/v1", "run": "n" * 100_000, "type": "said", "text": "x"}
    [told] = sorter.record(event, "1")
    assert len(told.run_id) <= BOUNDS.run_id
    assert initial(told.run_id, told.runtime).snapshot.run_id == told.run_id
