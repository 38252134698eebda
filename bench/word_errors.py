"""How far what was heard is from what was said, in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def errors_between(reference: Sequence[str], heard: Sequence[str]) -> int:
    """The fewest substitutions, insertions and deletions that turn one into the other."""
    row = list(range(len(heard) + 1))
    for i, expected in enumerate(reference, 1):
        diagonal, row[0] = row[0], i
        for j, word in enumerate(heard, 1):
            substituted = diagonal + (expected != word)
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, substituted)
    return row[-1]
