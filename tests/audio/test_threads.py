"""Threads of models step back, each by itself; where the system cannot do that, nothing happens."""

from __future__ import annotations

import sys

import pytest

from audio import threads


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a niceness for each thread")
def test_each_worker_has_its_own_niceness_and_the_caller_keeps_its_own() -> None:
    before = threads.current()
    with threads.worker("late", threads.LEAST) as late, threads.worker("now") as now:
        assert late.submit(threads.current).result() == max(before, threads.LEAST)
        assert now.submit(threads.current).result() == max(before, threads.NEEDED)
    assert threads.current() == before


def test_where_threads_have_no_niceness_nothing_is_changed(monkeypatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not threads.step_back(threads.LEAST)
    assert threads.current() == 0


def test_the_urgent_go_before_the_others() -> None:
    assert threads.NEEDED < threads.AHEAD < threads.LEAST
