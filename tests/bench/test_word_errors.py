"""Word errors are the distance between what was said and what was heard."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.word_errors import errors_between

words = st.lists(st.sampled_from(["a", "b", "c"]), max_size=8)


@pytest.mark.parametrize(
    ("reference", "heard", "errors"),
    [("a b c", "a b c", 0), ("a b c", "a c", 1), ("a b", "a x b", 1), ("a b", "x y", 2),
     ("", "a b", 2), ("a b", "", 2)],
)  # fmt: skip
def test_errors_are_counted(reference: str, heard: str, errors: int) -> None:
    assert errors_between(reference.split(), heard.split()) == errors


@given(words, words, words)
def test_errors_are_a_distance(a: list[str], b: list[str], c: list[str]) -> None:
    assert errors_between(a, a) == 0
    assert errors_between(a, b) == errors_between(b, a)
    assert errors_between(a, c) <= errors_between(a, b) + errors_between(b, c)
    assert abs(len(a) - len(b)) <= errors_between(a, b) <= max(len(a), len(b))
