"""What was appended is there after any crash; damage is found, put aside and told."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from jarvis_voice.attention import store as store_module
from jarvis_voice.attention.facts import Fact, Restarted, UserGuided
from jarvis_voice.attention.journal import ScriptedJournal
from jarvis_voice.attention.store import AttentionStore, RunNote, StoreReader, open_store
from jarvis_voice.errors import FactUnreadable, StoreBusy, StoreDamaged, StoreError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "attention.db"


def some(count: int) -> list[Fact]:
    return [
        UserGuided(float(n), "run", f"g{n}", f"words {n} \ud800 ü") for n in range(1, count + 1)
    ]


def test_facts_come_back_as_they_were_in_order(path: Path) -> None:
    facts = some(1200)  # more than two pages
    with AttentionStore(path) as store:
        assert store.append(facts[0]) == 1
        assert store.append_all(facts[1:]) == 1200
    with AttentionStore(path) as store:
        assert list(store.facts()) == facts
        assert list(store.numbered(after=1198)) == [(1199, facts[1198]), (1200, facts[1199])]
        assert store.last() == 1200


def test_it_is_a_journal_like_the_scripted_one(path: Path) -> None:
    facts = some(3)
    with AttentionStore(path) as store:
        for journal in (store, ScriptedJournal()):
            assert [journal.append(fact) for fact in facts] == [1, 2, 3]
            assert list(journal.facts()) == facts


def test_only_the_user_can_read_it(path: Path) -> None:
    with AttentionStore(path) as store:
        store.append(Restarted(1.0, ""))
        for file in path.parent.iterdir():
            assert file.stat().st_mode & 0o077 == 0
        assert path.parent.stat().st_mode & 0o077 == 0


def test_a_reader_sees_what_was_appended_while_the_store_is_open(path: Path) -> None:
    with AttentionStore(path) as store, StoreReader(path) as reader:
        assert list(reader.facts()) == []
        store.append(Restarted(1.0, ""))
        assert list(reader.facts()) == [Restarted(1.0, "")]


def test_a_second_writer_is_refused_and_let_in_when_the_first_is_gone(path: Path) -> None:
    with AttentionStore(path), pytest.raises(StoreBusy) as refused:
        AttentionStore(path)
    assert refused.value.remedy
    AttentionStore(path).close()


def test_a_closed_store_refuses_by_name(path: Path) -> None:
    store = AttentionStore(path)
    store.close()
    store.close()
    with pytest.raises(StoreError):
        store.append(Restarted(1.0, ""))


def test_all_of_a_group_or_none(path: Path) -> None:
    class Unwritable(Fact):
        pass

    with AttentionStore(path) as store:
        broken = UserGuided("not a time", "run", "g", "words")  # type: ignore[arg-type]  # on purpose
        store.append(Restarted(1.0, ""))
        with pytest.raises((StoreError, TypeError)):
            store.append_all([Restarted(2.0, ""), Unwritable(object(), "x"), broken])  # type: ignore[arg-type]  # on purpose
        assert list(store.facts()) == [Restarted(1.0, "")]


def test_notes_are_kept_within_their_bound(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "EVENTS_KEPT", 100)
    with AttentionStore(path) as store:
        for start in range(0, 400, 20):
            store.note([RunNote(float(n), "p", "r", "ran", "x") for n in range(start, start + 20)])
        kept = [note.at_s for _, note in store.notes()]
    assert 100 <= len(kept) <= 120
    assert kept[-1] == 399.0


# --- what may be wrong with the file


def test_a_file_that_is_no_database_is_kept_aside_and_told(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(StoreDamaged) as damage:
        AttentionStore(path)
    aside = path.with_name("attention.db.damaged-1")
    assert str(aside) in damage.value.problem
    assert aside.read_bytes().startswith(b"not a database")
    with AttentionStore(path) as store:
        assert store.append(Restarted(1.0, "")) == 1


def test_facts_around_a_damaged_page_are_saved_with_their_numbers(path: Path) -> None:
    facts = some(2000)
    with AttentionStore(path) as store:
        store.append_all(facts)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = os.urandom(4096)
    path.write_bytes(data)
    store, damage = open_store(path)
    with store:
        assert damage is not None
        kept = dict(store.numbered())
    assert 1800 < len(kept) < 2000
    assert str(len(kept)) in damage.problem
    assert all(facts[seq - 1] == fact for seq, fact in kept.items())


def test_a_fact_that_was_changed_on_the_disk_is_noticed(path: Path) -> None:
    with AttentionStore(path) as store:
        store.append_all(some(3))
    raw = sqlite3.connect(path)
    raw.execute("UPDATE facts SET body = replace(body, 'words 2', 'words 9') WHERE seq = 2")
    raw.commit()
    raw.close()
    store, damage = open_store(path)
    with store:
        assert damage is not None
        assert [seq for seq, _ in store.numbered()] == [1, 3]


@pytest.mark.parametrize("size", [1, 100, 5000])
def test_a_cut_file_is_never_taken_for_a_whole_one(path: Path, size: int) -> None:
    with AttentionStore(path) as store:
        store.append_all(some(300))
    path.write_bytes(path.read_bytes()[:size])
    store, damage = open_store(path)
    with store:
        assert damage is not None
        assert store.append(Restarted(1.0, "")) > 0


def test_saving_that_was_interrupted_is_finished(path: Path) -> None:
    """The damaged file was put aside, and then the power went."""
    with AttentionStore(path) as store:
        store.append_all(some(3))
    path.rename(path.with_name("attention.db.saved"))
    path.with_name("attention.db.damaged-1").write_bytes(b"the damaged one")
    path.with_name("attention.db-wal").write_bytes(b"its newest part")
    with AttentionStore(path) as store:
        assert list(store.facts()) == some(3)
    assert path.with_name("attention.db.damaged-1-wal").read_bytes() == b"its newest part"


def test_a_newer_or_foreign_database_is_left_alone(path: Path) -> None:
    AttentionStore(path).close()
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA user_version=99")
    raw.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer"):
        AttentionStore(path)
    assert path.read_bytes() == before
    foreign = path.with_name("other.db")
    raw = sqlite3.connect(foreign)
    raw.execute("CREATE TABLE mine (x)")
    raw.close()
    with pytest.raises(StoreError, match="another program"):
        AttentionStore(foreign)
    with pytest.raises(StoreError, match="another program"):
        StoreReader(foreign)


def test_a_fact_of_a_newer_version_is_refused_not_dropped(path: Path) -> None:
    body = '{"fact":"MoodChanged","format":99}'
    with AttentionStore(path) as store:
        store.append(Restarted(1.0, ""))
    raw = sqlite3.connect(path)
    values = (2.0, "", "MoodChanged", body, store_module.checksum(body))
    raw.execute("INSERT INTO facts (at_s, run_id, kind, body, crc) VALUES (?,?,?,?,?)", values)
    raw.commit()
    raw.close()
    with AttentionStore(path) as store, pytest.raises(FactUnreadable):
        list(store.facts())


def test_a_place_where_nothing_can_be_kept_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError) as refused:
        AttentionStore(tmp_path / "file" / "attention.db")
    assert refused.value.remedy
    with pytest.raises(StoreError):
        StoreReader(tmp_path / "nothing.db")


def test_a_full_disk_is_told_and_nothing_of_the_fact_is_kept(path: Path) -> None:
    with AttentionStore(path) as store:
        store.append(Restarted(1.0, ""))
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(StoreError):
            store.append_all(some(500))
        assert list(store.facts()) == [Restarted(1.0, "")]


# --- crashes

APPENDS = """
import sys
from pathlib import Path
from jarvis_voice.attention.facts import ActionReleased, UserGuided
from jarvis_voice.attention.store import AttentionStore
from jarvis_voice.boundary import ProposedAction

action = ProposedAction("codex", "project", "run", "call", "shell", "run: it", "print", 1.0)
with AttentionStore(Path(sys.argv[1])) as store:
    n = store.last()
    while True:
        n += 1
        told = UserGuided(float(n), "run", f"g{n}", f"words {n}")
        seq = store.append(ActionReleased(float(n), "run", action) if n % 3 == 0 else told)
        sys.stdout.write(f"{seq} {n}\\n")
        sys.stdout.flush()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_nothing_acknowledged_is_lost_and_nothing_is_there_twice_after_kill_9(path: Path) -> None:
    chance = random.Random(20)
    acknowledged: list[int] = []
    for _ in range(6):
        killed = _killed_after(path, lines=chance.randrange(1, 60))
        acknowledged += [int(line.split()[0]) for line in killed if line.endswith("\n")]
        with AttentionStore(path) as store:
            kept = list(store.numbered())
        numbers = [seq for seq, _ in kept]
        assert numbers == list(range(1, len(kept) + 1))
        assert [fact.at_s for _, fact in kept] == [float(n) for n in numbers]
        assert set(acknowledged) <= set(numbers)
        assert len(kept) - len(acknowledged) <= 6  # at most one per crash was on its way


def _killed_after(path: Path, lines: int) -> list[str]:
    """What a child had acknowledged when it was killed, some instants after its nth append."""
    with subprocess.Popen(
        [sys.executable, "-c", APPENDS, str(path)], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        read = [child.stdout.readline() for _ in range(lines)]
        child.kill()
        return read + child.stdout.readlines()


def test_a_store_works_from_several_threads_one_at_a_time(path: Path) -> None:
    with AttentionStore(path) as store:

        def call() -> None:
            for _ in range(20):
                store.append(Restarted(1.0, ""))

        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [seq for seq, _ in store.numbered()] == list(range(1, 81))
