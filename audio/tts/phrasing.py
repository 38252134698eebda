"""Cuts a reply that arrives in pieces into phrases, each synthesized in one go. Pure.

Rules, in the order in which they are applied at the end of each word:

1. A code block and a table are one phrase each and are never cut.
2. A phrase ends with a sentence or with a line of its own (heading, list item, paragraph). One of
   fewer than three words is joined with the next: very short pieces sound clipped.
3. The first phrase may also end at a clause: after a comma, colon or dash, or before "and", "but",
   "so", "because"; and when it grows beyond ``first_max_words``, before a preposition.
4. No phrase is longer than ``max_words`` spoken words; the best clause end before that is taken.
5. Nothing is cut inside a number, path, quoted title, link or code span, nor after an article.

Every decision needs the first visible sign after the gap and nothing else, so any way of feeding
the same text gives the same phrases. The texts of all phrases joined are the text that was fed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from audio.tts.spoken_text import spoken_length
from audio.tts.text.cuts import Cut, Scan, Word
from audio.tts.text.markdown import is_soft_break, opens_list_item_or_heading
from audio.tts.text.open_spans import opens_block
from audio.tts.text.sentences import (
    core,
    ends_clause,
    ends_sentence,
    may_break_after,
    opens_clause,
    opens_clause_after_so,
    opens_phrase,
)

_SHORTEST_SENTENCE = 3  # words
_LINE_MEMORY = 80  # characters of a line that decide how it ends
_GAP = re.compile(
    "\\s+|(?<=[\u3002\uff01\uff1f])(?=[^\\s\u3002\uff01\uff1f\u300d\u300f\"')\u201d])"
)


@dataclass(frozen=True, slots=True)
class PhrasingSettings:
    """Lengths in words. The first phrase decides how soon Jarvis is heard."""

    max_words: int = 80
    first_min_words: int = 3
    first_max_words: int = 7

    def __post_init__(self) -> None:
        if not 1 <= self.first_min_words <= self.first_max_words <= self.max_words:
            raise ValueError("phrasing needs 1 <= first_min_words <= first_max_words <= max_words")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A piece of the reply for the synthesizer; ``offset`` is where it begins in the reply."""

    text: str
    offset: int
    first: bool
    ends_sentence: bool


class Phraser:
    """Feed it one reply; take the phrases as they become complete."""

    def __init__(self, settings: PhrasingSettings | None = None) -> None:
        self._settings = settings or PhrasingSettings()
        self._start_reply()

    @property
    def pending(self) -> str:
        """What was fed and not yet released."""
        return self._text

    def feed(self, delta: str) -> list[Phrase]:
        """Add the next piece of the reply."""
        self._text += delta
        return self._drain(final=False)

    def flush(self) -> list[Phrase]:
        """Release what can be said naturally although more is to come, because the model stalled.

        Whole words only, and nothing of an unfinished quote, code block or table.
        """
        scan = self._scan
        if scan.block is not None or not self._text.strip():
            return []
        end = self._stalled_end()
        if not self._text[:end].strip():
            return []
        last = self._text[:end].split()[-1]
        return [self._release(Cut(end, ends_sentence(last, "", at_line_start=False)))]

    def finish(self) -> list[Phrase]:
        """Release all that is left. The next ``feed`` begins a new reply."""
        phrases = self._drain(final=True)
        if self._text:
            phrases.append(self._release(Cut(len(self._text), ends_sentence=True)))
        self._start_reply()
        return phrases

    def _start_reply(self) -> None:
        self._text = ""
        self._offset = 0
        self._line_before = ""  # the part of the current line that was released already
        self._first = True
        self._scan = Scan()

    def _drain(self, *, final: bool) -> list[Phrase]:
        phrases = []
        cut = self._next_cut(final=final)
        while cut is not None:
            phrases.append(self._release(cut))
            cut = self._next_cut(final=final)
        return phrases

    def _release(self, cut: Cut) -> Phrase:
        text, self._text = self._text[: cut.at], self._text[cut.at :]
        phrase = Phrase(text, self._offset, self._first, cut.ends_sentence)
        self._offset += len(text)
        self._first = self._first and not text.strip()
        _, newline, line = text.rpartition("\n")
        self._line_before = (line if newline else self._line_before + line)[:_LINE_MEMORY]
        self._scan = Scan(fresh_line=not self._line_before.strip())
        return phrase

    def _next_cut(self, *, final: bool) -> Cut | None:
        scan = self._scan
        while True:
            if scan.block is not None:
                end = scan.block.end(self._text, final=final)
                return Cut(end, ends_sentence=True) if end else None
            word = self._next_word(final=final)
            if word is None:
                return None
            if not scan.spans.tick:
                line = (scan.line_start, scan.line_words)
                scan.block = opens_block(
                    word.text, word.start, at_line_start=word.at_line_start, line=line
                )
            if scan.block is not None:
                continue
            cut = self._judge(word)
            if cut is not None and 0 < cut.at < len(self._text):
                return cut

    def _next_word(self, *, final: bool) -> Word | None:
        """The next word once its gap and the sign behind it have arrived."""
        scan, text = self._scan, self._text
        start = scan.at
        while start < len(text) and text[start].isspace():
            if text[start] == "\n":
                scan.line_start, scan.fresh_line = start + 1, True
            start += 1
        scan.at = start
        if start == len(text):
            return None
        gap = _GAP.search(text, max(start, scan.searched))
        if gap is None and not final:
            scan.searched = max(start, len(text) - 1)
            return None
        end, gap_end = gap.span() if gap else (len(text), len(text))
        if not final and not self._enough_behind(gap_end):
            scan.searched = end
            return None
        word = Word(
            text[start:end], start, end, gap_end, text[gap_end : gap_end + 1], scan.fresh_line
        )
        scan.at = scan.searched = gap_end
        return word

    def _enough_behind(self, at: int) -> bool:
        """Three signs where they may open a code block, one elsewhere."""
        head = self._text[at : at + 3]
        return len(head) == 3 or head != "`" * len(head)

    def _judge(self, word: Word) -> Cut | None:
        scan, settings = self._scan, self._settings
        size = 1 if core(word.text).isalpha() else spoken_length(word.text)
        early = self._before_word(word, size)
        if early is not None:
            return early
        self._count(word, size)
        line_ends = self._line_ends(word)
        if line_ends:
            scan.spans.close()
        if not scan.spans.any:
            ended = line_ends or ends_sentence(
                word.text, word.following, at_line_start=word.at_line_start
            )
            enough = settings.first_min_words if self._first else _SHORTEST_SENTENCE
            if ended and scan.words >= min(enough, settings.max_words):
                return Cut(word.gap_end, ends_sentence=True)
            if ends_clause(word.text, word.following):
                if self._first and scan.words >= settings.first_min_words:
                    return Cut(word.gap_end)
                self._remember(Cut(word.gap_end), rank=2)
            elif may_break_after(word.text):
                self._remember(Cut(word.gap_end), rank=1)
        return None

    def _before_word(self, word: Word, size: int) -> Cut | None:
        """A cut in front of ``word``, which only the word itself can show to be natural."""
        scan, settings = self._scan, self._settings
        here = Cut(word.start)
        if scan.words and scan.spoken + size > settings.max_words:
            return scan.fallback or here
        if scan.spans.any or scan.words < settings.first_min_words:
            return None
        clause = here if opens_clause(word.text, scan.previous, word.following) else None
        if scan.so is not None and opens_clause_after_so(word.text):
            clause = scan.so
        scan.so = here if word.text == "so" and may_break_after(scan.previous) else None
        if clause is not None:
            if self._first:
                return clause
            self._remember(clause, rank=2)
        elif opens_phrase(word.text, scan.previous):
            self._remember(here, rank=1)
            if scan.weak is None or scan.words <= settings.first_max_words:
                scan.weak = here
        ends_here = ends_sentence(word.text, word.following, at_line_start=False) or ends_clause(
            word.text, word.following
        )
        allowed = settings.first_max_words + (1 if ends_here else 0)
        return scan.weak if self._first and scan.words >= allowed else None

    def _count(self, word: Word, size: int) -> None:
        scan = self._scan
        scan.fresh_line = False
        scan.previous = word.text
        scan.spoken += size
        if any(char.isalnum() for char in word.text):
            scan.words += 1
            scan.line_words += 1
        scan.spans.take(word.text)

    def _line_ends(self, word: Word) -> bool:
        """Whether the gap behind ``word`` ends a line that stands by itself."""
        scan = self._scan
        gap = self._text[word.end : word.gap_end]
        if "\n" not in gap:
            return False
        line = self._text[scan.line_start : word.end]
        if scan.line_start == 0:
            line = self._line_before + line
        scan.line_start = word.end + gap.rindex("\n") + 1
        scan.line_words = 0
        scan.fresh_line = True
        if gap.count("\n") > 1 or opens_list_item_or_heading(line):
            return True
        fence = self._text.startswith(("```", "~~~"), word.gap_end)
        return fence or not is_soft_break(line, word.following)

    def _remember(self, cut: Cut, *, rank: int) -> None:
        """Keep the latest of the best places; in the first half of a long phrase any will do."""
        scan = self._scan
        late = scan.spoken * 2 >= self._settings.max_words
        if rank >= scan.fallback_rank or not late:
            scan.fallback = cut
            scan.fallback_rank = rank if late else 0

    def _stalled_end(self) -> int:
        """The end of the last word if it is whole and may stand last, else the best gap."""
        scan, text = self._scan, self._text
        tail = text[scan.at :]
        last = tail.rstrip()
        ended = ends_sentence(last, "", at_line_start=False) or ends_clause(last, "")
        whole = ended or (tail != last and may_break_after(last)) or not last
        if whole and not scan.spans.any:
            return len(text)
        return scan.fallback.at if scan.fallback else 0
