"""How long sessions are held."""

from __future__ import annotations

from bench.tracks.boundary import ANYBODY, Holds


def test_time_in_which_several_calls_are_held_counts_once() -> None:
    holds = Holds()
    holds.begin("a", 10.0)
    holds.begin("a", 12.0)
    holds.begin("b", 13.0)
    assert holds.so_far("a", 14.0) == 4.0
    holds.end("a", 15.0)
    assert holds.so_far("a", 16.0) == 6.0
    holds.end("a", 17.0)
    assert holds.so_far("a", 20.0) == 7.0
    assert holds.so_far("b", 20.0) == 7.0
    assert holds.so_far(ANYBODY, 20.0) == 10.0
    holds.end("b", 21.0)
    assert holds.so_far(ANYBODY, 30.0) == 11.0
    holds.begin("a", 30.0)
    assert holds.so_far("a", 31.0) == 8.0
    assert holds.so_far("c", 31.0) == 0.0
