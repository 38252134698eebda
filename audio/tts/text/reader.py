"""Reads one line of text aloud: finds the tokens from left to right and says each."""

# ruff: noqa: RUF001  (signs that look alike are what this module tells apart)

from __future__ import annotations

import re

from audio.tts.text import symbols
from audio.tts.text.characters import IGNORED, is_foreign_letter, script_of, value_of
from audio.tts.text.identifiers import LETTER, RUN, identifier, word
from audio.tts.text.names import NUMERAL_CUES, SET_PHRASES, spelled_out
from audio.tts.text.numbers import roman
from audio.tts.text.quantities import value_words
from audio.tts.text.rules import DIGIT_RULES, LETTER_RULES, SIGN_RULES, Rule, Spot
from audio.tts.text.voice import Voice

_PROSE = re.compile(
    rf"(?>[{LETTER}]+(?:'[{LETTER}]+)*(?:-[{LETTER}]+(?:'[{LETTER}]+)*)*)"
    r"(?!'?[0-9_]|[./\\:@#]+[A-Za-z0-9_/\\]|/\*|-[0-9_]|\+\+)"
)
_PIECE = re.compile(rf"[{LETTER}']+")
_HUMPED = re.compile(r"[a-z][A-Z]|[A-Z]{2,}[a-z]{2,}")
_ROMAN = re.compile(r"(?=[XIV]{2,})(X{0,3})(IX|IV|V?I{0,3})")
_SET = re.compile(
    "(?:"
    + "|".join(re.escape(p) for p in sorted(SET_PHRASES, key=len, reverse=True))
    + r")(?![\w/\\]|[.@:'-]\w)"
)
_ENDERS = frozenset(
    (
        "etc.",
        "a.m.",
        "p.m.",
        "A.M.",
        "P.M.",
        "U.S.",
        "U.K.",
        "min.",
        "max.",
        "est.",
        "avg.",
        "et al.",
    )
)
_LINK = re.compile(
    r"(?P<image>!?)\[(?P<label>(?:[^\[\]\n]|\[[^\[\]\n]{0,100}\]){0,400})\]"
    r"\((?:[^()\s]|\([^()\s]{0,200}\)){0,1000}(?:\s{1,4}[\"'][^\"'\n]{0,200}[\"'])?\)"
)
_CODE = re.compile(r"(?P<tick>`{1,3})(?P<code>[^`\n]{1,300})(?P=tick)(?!`)")
_TAG = re.compile(
    r"</?(?:a|b|br|code|details|div|em|hr|i|img|kbd|li|ol|p|pre|span|strong|sub|summary|sup|table|"
    r"tbody|td|th|thead|tr|ul)\b[^<>\d\n]{0,200}>|<!--[^\d]{0,400}?-->|&(?:nbsp|quot|lt|gt);"
)
_STARTS_RUN = re.compile(
    r"--?[A-Za-z]|[~.]{0,2}/{1,2}\*{0,2}[A-Za-z0-9_.]|~[/\\]|[.@$#][A-Za-z_]|__[a-z]|\*\.[A-Za-z]"
)
_BREAK = re.compile(r"[\s\u00ad]+")


class Reader:
    """Says parts of one text into one voice. The text must have gone through ``plain``."""

    def __init__(self, text: str, voice: Voice) -> None:
        self.text = text
        self.voice = voice
        self._spot = Spot()

    def read(self, start: int, end: int, *, code: bool = False) -> None:
        """Say the inline text in [start, end); ``code`` when it is code and not markdown."""
        outer, self._spot.code = self._spot.code, code
        at = start
        while at < end:
            at = self._token(at, end)
        self._spot.code = outer

    def _token(self, at: int, end: int) -> int:
        char = self.text[at]
        if char.isspace() or char == IGNORED:
            blank = _BREAK.match(self.text, at, end)
            return blank.end() if blank else at + 1
        if char.isascii() and char.isdigit():
            return self._by_rules(DIGIT_RULES, at, end) or self._run(at, end)
        if RUN.match(char) and char.isalpha():
            return self._letters(at, end)
        return (
            self._inline(at, end)
            or self._by_rules(SIGN_RULES, at, end)
            or self._signed_run(at, end)
            or self._sign(at, end)
        )

    def _signed_run(self, at: int, end: int) -> int:
        """Paths, flags, variables and mentions, which begin with a sign; 0 when none is here."""
        before = self.text[at - 1 : at]
        if (before.isascii() and before.isalnum()) or not _STARTS_RUN.match(self.text, at, end):
            return 0
        return self._run(at, end)

    def _by_rules(self, rules: tuple[Rule, ...], at: int, end: int) -> int:
        """The end of the first rule that fits, or 0."""
        for pattern, say in rules:
            match = pattern.match(self.text, at, end)
            if match:
                said = say(match, self._spot)
                if said is not None:
                    self._say(said, match)
                    return match.end()
        return 0

    def _say(self, said: str, match: re.Match[str]) -> None:
        self.voice.say(said, match.start(), match.end())
        if said:
            self._spot.remember(match.group())

    def _letters(self, at: int, end: int) -> int:
        found = self._by_rules(LETTER_RULES, at, end) or self._set_phrase(at, end)
        if found:
            return found
        prose = _PROSE.match(self.text, at, end)
        if prose is None:
            return self._run(at, end)
        for piece in _PIECE.finditer(self.text, prose.start(), prose.end()):
            letters = piece.group().replace(IGNORED, "").strip("'")
            if letters:
                self._say(self._word(letters, piece.end()), piece)
        return prose.end()

    def _is_article(self, letters: str, end: int) -> bool:
        """Whether this "a" stands before something that it can be the article of."""
        following = self.text[end : end + 2]
        noun = following[:1] == " " and (
            following[1:].isalnum() or following[1:] in tuple("`\"'*[_(/")
        )
        return noun and not self._spot.code and (letters == "a" or self.voice.at_sentence_start)

    def _word(self, letters: str, end: int) -> str:
        previous = self._spot.last
        if previous in NUMERAL_CUES and _ROMAN.fullmatch(letters):
            return roman(letters)
        if letters == "I" and not self._spot.code:
            return letters
        if letters in ("a", "A") and self._is_article(letters, end):
            return "a"  # "A" is the letter for whoever turns words into sounds
        if self._spot.code or len(letters) == 1 or _HUMPED.search(letters):
            return word(letters) if "'" not in letters else letters
        return spelled_out(letters)

    def _set_phrase(self, at: int, end: int) -> int:
        match = _SET.match(self.text, at, end)
        if match is None:
            return 0
        written = match.group()
        self._say(SET_PHRASES[written], match)
        if written in _ENDERS and _ends_sentence(self.text, match.end(), end):
            self.voice.pause(".")
        return match.end()

    def _run(self, at: int, end: int) -> int:
        """A run that only code has. Whatever follows the last letter or digit is left over."""
        run = RUN.match(self.text, at, end)
        if run is None:
            return at + 1
        written = run.group().rstrip(".:-~@#$+%/\\*" if not self._spot.code else ".:-~@#*")
        if len(written) < len(run.group()) and self.text[at + len(written)] in "/%+\\":
            written += self.text[at + len(written)]
        if not written:
            return 0
        self.voice.say(identifier(written), at, at + len(written))
        self._spot.remember(written)
        return at + len(written)

    def _inline(self, at: int, end: int) -> int:
        """Markdown and HTML that stands inside a line; 0 when there is none here."""
        if self._spot.code:
            return 0
        if self.text[at] in "![":
            return self._link(at, end)
        if self.text[at] == "`":
            code = _CODE.match(self.text, at, end)
            if code is None:
                return 0
            first = len(self.voice)
            self.read(code.start("code"), code.end("code"), code=True)
            self.voice.cover(first, at, code.end())
            return code.end()
        tag = _TAG.match(self.text, at, end) if self.text[at] in "<&" else None
        return tag.end() if tag else 0

    def _link(self, at: int, end: int) -> int:
        link = _LINK.match(self.text, at, end)
        if link is None:
            return 0
        first = len(self.voice)
        self.read(link.start("label"), link.end("label"))
        if len(self.voice) == first:
            self.voice.say("image" if link["image"] else "link", at, link.end())
        self.voice.cover(first, at, link.end())
        return link.end()

    def _sign(self, at: int, end: int) -> int:
        char = self.text[at]
        if is_foreign_letter(char):
            return self._foreign(at, end)
        if char in symbols.EMOJI:
            said = (
                symbols.emoji(char, self.text[:end], at + 1)
                if False
                else symbols.emoji(char, self.text, at + 1)
            )
            self.voice.say(said, at, at + 1)
            return at + 1
        value = value_of(char)
        if value is not None:
            self.voice.say(value_words(value), at, at + 1)
            return at + 1
        operator = symbols.OPERATOR.match(self.text, at, end)
        if operator:
            self._operator(operator, end)
            return operator.end()
        self._single(at, end)
        return at + 1

    def _operator(self, match: re.Match[str], end: int) -> None:
        written = match.group()
        if written in ("...", ".."):
            self.voice.pause("." if _ends_sentence(self.text, match.end(), end) else ",")
            return
        if written in ("->", "=>", "-->", "→") and self.voice.at_sentence_start:
            return
        self.voice.say(symbols.OPERATORS[written], match.start(), match.end())

    def _single(self, at: int, end: int) -> None:
        char = self.text[at]
        if char == "…":
            self.voice.pause("." if _ends_sentence(self.text, at + 1, end) else ",")
        elif char in symbols.GREEK:
            self.voice.say(symbols.GREEK[char], at, at + 1)
        elif char in symbols.PAUSES:
            self._punctuation(char, at, end)
        elif char in symbols.SIGNS:
            self.voice.say(symbols.SIGNS[char], at, at + 1)
        elif char in "+*<>^~/-–":
            self._maths(char, at, end)

    def _punctuation(self, char: str, at: int, end: int) -> None:
        before = self.text[at - 1 : at]
        after = self.text[at + 1 : min(at + 2, end)]
        if (char in "([{" and after and after in ")]}") or (
            before and before in "([{" and char in ")]}"
        ):
            return
        if char in ".,:;" and after.isalnum() and before in ('"', "'", "`", ")", "]"):
            self.voice.pause("," if char == "." else char)
            return
        mark = symbols.PAUSES[char]
        if char in ")]}" and after in ("", "\n"):
            return
        if mark:
            self.voice.pause(mark)

    def _maths(self, char: str, at: int, end: int) -> None:
        """Signs that are words between two values and decoration or melody elsewhere."""
        text = self.text
        left = text[max(0, at - 2) : at].strip()[-1:]
        right = text[at + 1 : min(at + 3, end)].strip()[:1]
        between = symbols.Between(
            values=(left.isalnum() or left in (")", "]")) and right.isalnum(),
            digits=left.isdigit() and right.isdigit(),
            digit_right=right.isdigit(),
            value_left=left.isalnum(),
            gap_left=text[at - 1 : at].isspace() or not left,
            gap_right=text[at + 1 : at + 2].isspace() or not right,
        )
        said = symbols.between_values(char, between, code=self._spot.code)
        if said == ",":
            self.voice.pause(said)
        elif said:
            self.voice.say(said, at, at + 1)

    def _foreign(self, at: int, end: int) -> int:
        """Letters of another script: said to be there, once for the whole run."""
        char = self.text[at]
        stop = at + 1
        while stop < end and (is_foreign_letter(self.text[stop]) or self.text[stop] == IGNORED):
            stop += 1
        if stop == at + 1 and char in symbols.GREEK:
            self.voice.say(symbols.GREEK[char], at, stop)
            return stop
        scripts = [script_of(letter) for letter in self.text[at:stop]]
        script = "Japanese" if "Japanese" in scripts else scripts[0]
        note = f"some {script} text"
        if script and self._spot.last != note:
            self.voice.say(note, at, stop)
            self._spot.last = note
        return stop


def _ends_sentence(text: str, at: int, end: int) -> bool:
    rest = text[at : min(at + 40, end)].lstrip(" \t\"'*_)]")
    return not rest or rest[0] == "\n" or rest[0].isupper()
