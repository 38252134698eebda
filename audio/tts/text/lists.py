"""Word lists written as running text, which reads and diffs better than a column of strings."""

from __future__ import annotations


def word_list(text: str) -> list[str]:
    """The words of ``text`` in order."""
    return text.split()


def word_set(text: str) -> frozenset[str]:
    """The words of ``text`` for membership tests."""
    return frozenset(text.split())
