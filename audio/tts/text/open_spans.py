"""What is open while text is read word by word, and must not be cut before it closes. Pure."""

from __future__ import annotations

from dataclasses import dataclass

_LONGEST_SPAN = 12  # words; a quote or bracket that stays open longer was never meant to close
_FENCES = ("```", "~~~")
_TABLE_CELL = 6  # words before the first border that a table row without an outer border may have


@dataclass(slots=True)
class OpenSpans:
    """Quoted titles, code spans and link labels."""

    quote: bool = False
    tick: bool = False
    bracket: bool = False
    words: int = 0

    @property
    def any(self) -> bool:
        """Whether something is open."""
        return self.quote or self.tick or self.bracket

    def close(self) -> None:
        """Forget what is open: a line or the patience has ended."""
        self.quote = self.tick = self.bracket = False
        self.words = 0

    def take(self, word: str) -> None:
        """Go on by one word."""
        self.quote ^= word.count('"') % 2 == 1
        if "\u201c" in word or "\u201d" in word:
            self.quote = word.rfind("\u201c") > word.rfind("\u201d")
        self.tick ^= word.count("`") % 2 == 1
        if "[" in word or "]" in word:
            self.bracket = word.rfind("[") > word.rfind("]")
        self.words = self.words + 1 if self.any else 0
        if self.words > _LONGEST_SPAN:
            self.close()


@dataclass(slots=True)
class Block:
    """A code block or a table. ``at`` is the start of the first line not yet known to be in it."""

    fence: str  # the sign of the fence; "" for a table
    bordered: bool  # a table whose rows begin with a border
    at: int
    lines: int = 0

    def end(self, text: str, *, final: bool) -> int | None:
        """Where the block ends in ``text``; None until that has arrived."""
        while True:
            newline = text.find("\n", self.at)
            line = text[self.at : newline if newline >= 0 else len(text)]
            whole = newline >= 0 or final
            if not self.fence and self._leaves_table(line, whole=whole):
                return self.at
            if newline < 0:
                return len(text) if final else None
            self.at = newline + 1
            self.lines += 1
            if self.fence and self.lines > 1 and _closes(line, self.fence):
                return self.at

    def _leaves_table(self, line: str, *, whole: bool) -> bool:
        if self.lines == 0:
            return False
        if self.bordered and line.strip():
            return not line.lstrip().startswith("|")
        return whole and "|" not in line


def opens_block(word: str, at: int, *, at_line_start: bool, line: tuple[int, int]) -> Block | None:
    """The block that ``word`` at ``at`` opens; ``line`` is its line's start and words before it."""
    line_start, words_before = line
    if at_line_start and word.startswith(_FENCES) and "`" not in word[3:]:
        return Block(word[0] * 3, bordered=False, at=at)
    if at_line_start and word.startswith("|"):
        return Block("", bordered=True, at=line_start)
    if word == "|" and 0 < words_before <= _TABLE_CELL:
        return Block("", bordered=False, at=line_start)
    return None


def _closes(line: str, fence: str) -> bool:
    content = line.strip(" \t>")
    return content.startswith(fence) and not content.strip(fence[0])
