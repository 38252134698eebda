"""The same results in the same order, wherever they are made."""

from __future__ import annotations

import operator
import os

import pytest

from bench.episodes import Where, run_all
from bench.errors import EpisodesStopped

# Functions of installed modules: another process finds them by name, and no file of the tests.


def test_here_each_result_comes_as_soon_as_it_is_asked_for() -> None:
    made = []

    def note(number: int) -> int:
        made.append(number)
        return number

    results = run_all(note, [1, 2, 3], Where())
    assert next(results) == 1
    assert made == [1]
    assert list(results) == [2, 3]


def test_processes_give_the_same_in_the_same_order() -> None:
    items = list(range(30))
    assert list(run_all(operator.neg, items, Where(jobs=2))) == [-n for n in items]


def test_an_error_of_the_work_comes_out_in_its_place() -> None:
    results = run_all(operator.neg, [1, "none", 3], Where(jobs=2))
    assert next(results) == -1
    with pytest.raises(TypeError):
        next(results)


def test_a_process_that_dies_is_named_and_nothing_hangs() -> None:
    with pytest.raises(EpisodesStopped, match="goes on from there"):
        list(run_all(os._exit, [3], Where(jobs=2)))
